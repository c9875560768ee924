"""Does lift show listening, and nothing else? Agents that ignore the user, and one that is deaf in a share of its dialogues.

python -m benchmarks.lift --runs 200                    # runs of 100 dialogues; writes LIFT.md
python -m benchmarks.lift --runs 10 --print             # prints, and keeps the page
python -m benchmarks.lift --runs 40 --world 1 --print   # of one world (1: films, 2: MovieLens, 3: shop)
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from trialogue.agents.base import Agent, Session
from trialogue.agents.baselines import Fixed
from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.errors import TrialogueError
from trialogue.metrics import conversations_of, get_metric
from trialogue.metrics.engine.accumulate import Settings, accumulator_for
from trialogue.metrics.engine.lift_totals import LiftTotals
from trialogue.records import Dialogue, Estimate
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import SimulatedUsers, World, load_kind
from trialogue.workflows.inputs.knowledge import load_catalogue
from trialogue_recommenders.guided import GuidedAgent
from trialogue_recommenders.item_lists import DumpAgent, PopularAgent, RandomAgent, StaticListAgent, TitlesPolicy

PAGE = Path(__file__).with_name("LIFT.md")
DIALOGUES = 100
QUESTION = "Before I recommend something, which genre do you prefer?"
DEAF = (0.1, 0.3, 0.6)
INTRODUCTION = """# Lift: does it show listening, and nothing else?

Written by `benchmarks/lift.py`: {runs} runs of {dialogues} dialogues of each agent with `cir6-pkg` users, every run with
needs of its own. *Lift* is `lift(turns=10)@named`: its mean over the runs with twice its standard error. *covers 0* is the
share of runs whose 95% interval does. Agents in the first table ignore the user; `static list` is the baseline of that name:
30 titles, three a turn, chosen to meet most of 1,000 needs of other seeds. The worlds are shown, not tested: three
catalogues are no sample of catalogues.
"""


@dataclass
class Row:
    """Lift of one agent over the runs."""

    name: str
    lifts: list[Estimate] = field(default_factory=list)
    met: list[float] = field(default_factory=list)

    def line(self) -> str:
        values = np.array([each.value for each in self.lifts if each.value is not None])
        between = [each.interval for each in self.lifts]
        flat = sum(each is None for each in between)
        covers = sum(each is None or each.low <= 0 <= each.high for each in between)
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
        return (
            f"| {self.name} | {np.mean(self.met):.3f} | {values.mean():+.4f} ± {2 * error:.4f} | "
            f"{covers / len(between):.3f}{f' ({flat} without variation)' if flat else ''} |"
        )


class DeafAgent:
    """A recommender that in a share of its dialogues recommends what is popular, whatever the user says."""

    def __init__(self, agent: Agent, deaf: Agent, share: float) -> None:
        self.name, self.sessions_at_once = f"guided, deaf in {share:.0%}", None
        self._agent, self._deaf, self._share = agent, deaf, share

    def open(self, dialogue_id: str, *, seed: int) -> Session:
        is_deaf = np.random.default_rng([7, seed]).random() < self._share
        return (self._deaf if is_deaf else self._agent).open(dialogue_id, seed=seed)

    def close(self) -> None:
        self._agent.close()


class ListOfFifty(PopularAgent):
    """Fifty titles a turn."""

    default_name = "list of 50"
    labels = frozenset[str]()

    def policy(self, rng: np.random.Generator) -> TitlesPolicy:  # type: ignore[override]
        return TitlesPolicy(self._catalogue, self._ids, 50)


def shop() -> World:
    """An invented shop of 300 products, with invented customers who like some values of two attributes."""
    rng = np.random.default_rng(3)
    values = {
        "category": [
            "kettle",
            "lamp",
            "backpack",
            "headphones",
            "chair",
            "jacket",
            "bicycle",
            "blender",
            "tent",
            "desk",
        ],
        "brand": ["Nordal", "Kestrel", "Mivo", "Habitas", "Orla", "Fjell"],
        "color": ["black", "white", "red", "blue", "green", "yellow"],
        "price": ["under 50", "50 to 100", "100 to 200", "over 200"],
    }
    words = (
        "Swift",
        "Quiet",
        "Bright",
        "Solid",
        "Nimble",
        "Gentle",
        "Bold",
        "Clever",
        "Airy",
        "Sturdy",
        "Plain",
        "Royal",
    )
    items = []
    for number in range(300):
        drawn = {name: (str(rng.choice(known)),) for name, known in values.items()}
        title = f"{words[number % len(words)]} {drawn['brand'][0]} {drawn['category'][0].title()} {number + 1}"
        items.append(Item(id=f"p{number + 1}", title=title, attributes=drawn))
    catalogue = Catalogue.from_items(items)
    rows = []
    for person in range(400):
        liked = {str(rng.choice(values["category"], 1)[0]), str(rng.choice(values["brand"], 1)[0])}
        for place in rng.choice(len(items), 20, replace=False).tolist():
            item = items[place]
            fits = sum(not liked.isdisjoint(found) for found in item.attributes.values())
            rows.append((f"c{person}", item.id, float(2 + fits + rng.integers(0, 2))))
    return World(catalogue, Ratings.from_rows(rows, scale=Scale(1, 5, 1), items=tuple(catalogue)))


def worlds() -> Iterator[tuple[str, World]]:
    known = load_catalogue()
    yield "films (bundled, 476)", World(known.catalogue, known.ratings)
    try:
        lens = load_catalogue("movielens-latest-small")
        yield f"MovieLens ({len(lens.catalogue):,})", World(lens.catalogue, lens.ratings)
    except TrialogueError:
        print("MovieLens is not on this machine: left out", file=sys.stderr)
    yield "shop (invented, 300)", shop()


def agents(world: World) -> tuple[list[Agent], list[Agent]]:
    """(Those that ignore the user, those that listen in a share of their dialogues.)"""
    items, ratings = world.catalogue, world.ratings
    guided, popular = GuidedAgent(items, ratings), PopularAgent(items, ratings)
    ignoring: list[Agent] = [
        Fixed(QUESTION, name="asks only"),
        popular,
        RandomAgent(items, ratings, name="random item"),
        DumpAgent(items, ratings, name="catalogue dump"),
        ListOfFifty(items, ratings),
        StaticListAgent(items, ratings),
    ]
    return ignoring, [guided, *(DeafAgent(guided, popular, share) for share in DEAF)]


def totals_of(agent: Agent, users: SimulatedUsers, seed: int, measure: str) -> tuple[LiftTotals, float]:
    """Lift of an agent in one run, and the share of needs that it met."""
    plan = Plan((agent.name,), ("users",), DIALOGUES, seed=seed)
    runner = DialogueRunner(max_turns=12)
    held: list[Dialogue] = [runner(agent, users, task) for task in plan]
    conversations = list(conversations_of(held))
    found: dict[str, object] = {}
    for name in (measure, "need_met"):
        totals = accumulator_for(get_metric(name))
        totals.add(conversations)
        found[name] = totals
    lift, met = found[measure], found["need_met"]
    assert isinstance(lift, LiftTotals)
    return lift, met.estimate("", Settings()).value or 0.0  # type: ignore[attr-defined]


def study(world: World, runs: int, tell: Callable[[str], None]) -> list[str]:
    """The tables of one world."""
    ignoring, others = agents(world)
    users = load_kind("cir6-pkg").settle(world)
    rows = {agent.name: Row(agent.name) for agent in (*ignoring, *others)}
    better = dict.fromkeys((agent.name for agent in others[1:]), 0)
    positive = 0
    for run in range(runs):
        kept: dict[str, LiftTotals] = {}
        for agent in (*ignoring, *others):
            lift, met = totals_of(agent, users, 1_000 + run, "lift")
            rows[agent.name].lifts.append(lift.estimate(agent.name, Settings()))
            rows[agent.name].met.append(met)
            kept[agent.name] = lift
        first = kept[others[0].name]
        interval = rows[others[0].name].lifts[-1].interval
        positive += interval is not None and interval.low > 0
        for name in better:
            p = first.minus(kept[name], Settings()).p
            better[name] += p is not None and p <= 0.05
        tell(f"run {run + 1} of {runs}")
    lines = ["| agent | need met | lift, mean | covers 0 |", "|---|--:|--:|--:|"]
    lines += [rows[agent.name].line() for agent in ignoring]
    lines += [
        "",
        "| recommender | need met | lift, mean | covers 0 | guided is better, share of runs |",
        "|---|--:|--:|--:|--:|",
    ]
    for agent in others:
        share = f"{better[agent.name] / runs:.2f}" if agent.name in better else "–"
        lines.append(f"{rows[agent.name].line()} {share} |")
    lines += ["", f"The interval of `guided` lies above 0 in {positive} of {runs} runs."]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--world", type=int, choices=(1, 2, 3), help="only this one")
    parser.add_argument("--print", action="store_true", dest="prints")
    given = parser.parse_args()
    parts = [INTRODUCTION.format(runs=given.runs, dialogues=DIALOGUES)]
    for place, (title, world) in enumerate(worlds(), start=1):
        if given.world not in (None, place):
            continue
        parts += [f"## {title[0].upper()}{title[1:]}", ""]
        parts += study(world, given.runs, lambda line, title=title: print(f"{title}: {line}", file=sys.stderr))  # type: ignore[misc]
        parts.append("")
    text = "\n".join(parts)
    if given.prints:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
