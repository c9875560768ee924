"""Does lift show listening, and nothing else? Agents that ignore the user, and one that is deaf in a share of its dialogues.

python -m benchmarks.lift --kept lift.jsonl                      # 200 runs of 100 dialogues; writes LIFT.md
python -m benchmarks.lift --kept lift.jsonl --runs 10 --print    # prints; the page stays as it is
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from trialogue.agents.base import Agent, Session
from trialogue.agents.baselines import Fixed
from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.errors import TrialogueError
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics import conversations_of, get_metric
from trialogue.metrics.engine.accumulate import Settings, accumulator_for
from trialogue.metrics.engine.lift_totals import LiftTotals
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import SimulatedUsers, load_kind
from trialogue.simulation.users.world import World
from trialogue_recommenders.guided import GuidedAgent
from trialogue_recommenders.item_lists import DumpAgent, PopularAgent, RandomAgent, StaticListAgent

PAGE = Path(__file__).with_name("LIFT.md")
DIALOGUES = 100
QUESTION = "Before I recommend something, which genre do you prefer?"
DEAF = (0.1, 0.3, 0.6)
INTRODUCTION = """# Lift: does it show listening, and nothing else?

Written by `benchmarks/lift.py`: {runs} runs of {dialogues} dialogues of each agent with `cir6-pkg` users, every run with
needs of its own. *Lift* is `lift(turns=10)@named|v2`: its mean over the runs with its standard error (SE). *covers 0* is the
share of runs whose 95% interval does. Agents in the first table ignore the user; `static list` is the baseline of that name:
30 titles, three a turn, chosen to meet most of 1,000 needs of other seeds. The worlds are shown, not tested: three
catalogues are no sample of catalogues.
{findings}"""

PUBLISHED = 200  # runs of the page, to which the findings belong
FINDINGS = """
Of 18 rows of agents that ignore the user, all means are within .001 (goal: .005), and their intervals cover 0 in .94 or
more of the runs (goal: .93). Over more runs of the two agents whose lift varies most (500 on films and shop, 250 on
MovieLens) `random item` covers in .952, .960 and .952, the static list in .940, .940 and .968 (films, MovieLens, shop).
With needs - 1 degrees of freedom these were .924, .876 and .922, and .928, .928 and .948: few of 100 needs are met, and
the variance of rare events is known as well as from a dozen or two of them, which the degrees of freedom now say. A
recommender that is deaf in 10, 30 and 60% of its dialogues loses that share of its lift within .01. Power at n = 100:
deaf in 10% is found in .05 to .50 of the runs, in 30% in .61 to 1, in 60% in .98 to 1. In runs 0 to 44 and 162 to 199
eleven phrases of the bundled users were worded otherwise.
"""


class Result(NamedTuple):
    """One agent in one run."""

    world: str
    run: int
    agent: str
    met: float
    lift: float
    low: float | None
    """Lower end of the interval; None: the lift does not vary."""
    high: float | None
    p: float | None
    """Of the difference from the recommender that listens; None for agents that ignore the user."""


def line_of(agent: str, rows: Sequence[Result]) -> str:
    """Lift of one agent over the runs."""
    values = np.array([each.lift for each in rows])
    flat = sum(each.low is None for each in rows)
    covers = sum(each.low is None or each.high is None or each.low <= 0 <= each.high for each in rows)
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return (
        f"| {agent} | {np.mean([each.met for each in rows]):.3f} | {values.mean():+.4f} ± {error:.4f} | "
        f"{covers / len(rows):.3f}{f' ({flat} without variation)' if flat else ''} |"
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


class ListOfFifty(DumpAgent):
    """Fifty titles a turn."""

    default_name = "list of 50"
    size = 50


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


def totals_of(agent: Agent, users: SimulatedUsers, seed: int) -> tuple[LiftTotals, float]:
    """Lift of an agent in one run, and the share of needs that it met."""
    runner, plan = DialogueRunner(max_turns=12), Plan((agent.name,), ("users",), DIALOGUES, seed=seed)
    conversations = list(conversations_of(runner(agent, users, task) for task in plan))
    lift, met = (accumulator_for(get_metric(name)) for name in ("lift", "need_met"))
    for each in (lift, met):
        each.add(conversations)
    assert isinstance(lift, LiftTotals)
    return lift, met.estimate("", Settings()).value or 0.0


def one_run(
    world: str, run: int, ignoring: Sequence[Agent], others: Sequence[Agent], users: SimulatedUsers
) -> list[Result]:
    """All agents with the same users."""
    found: list[Result] = []
    first: LiftTotals | None = None
    for agent in (*others, *ignoring):
        lift, met = totals_of(agent, users, 1_000 + run)
        first = first or lift
        estimate = lift.estimate(agent.name, Settings())
        assert estimate.value is not None, estimate.why
        interval = estimate.interval
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        p = first.minus(lift, Settings()).p if agent in others[1:] else None
        found.append(Result(world, run, agent.name, met, estimate.value, low, high, p))
    return found


def tables(rows: Sequence[Result], ignoring: Sequence[str], others: Sequence[str]) -> list[str]:
    """The tables of one world."""
    of = {name: [each for each in rows if each.agent == name] for name in (*ignoring, *others)}
    lines = ["| agent | need met | lift, mean ± SE | covers 0 |", "|---|--:|--:|--:|"]
    lines += [line_of(name, of[name]) for name in ignoring]
    heads = ["recommender", "need met", "lift, mean ± SE", "covers 0", "share of guided's lift", "guided is better in"]
    lines += ["", f"| {' | '.join(heads)} |", "|---|--:|--:|--:|--:|--:|"]
    full = np.mean([each.lift for each in of[others[0]]])
    for name in others:
        share = np.mean([each.lift for each in of[name]]) / full
        found = [each.p for each in of[name]]
        power = "–" if name == others[0] else f"{np.mean([p is not None and p <= 0.05 for p in found]):.2f}"
        lines.append(f"{line_of(name, of[name])} {share:.2f} | {power} |")
    positive = sum(each.low is not None and each.low > 0 for each in of[others[0]])
    return [*lines, "", f"The interval of `guided` lies above 0 in {positive} of {len(of[others[0]])} runs.", ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kept", type=Path, required=True, help="results so far; runs that it holds are not run again")
    parser.add_argument("--print", action="store_true", dest="prints")
    given = parser.parse_args()
    given.kept.touch()
    kept = [Result(**json.loads(line)) for line in given.kept.read_text(encoding="utf-8").splitlines()]
    set_up = [(title, *agents(world), load_kind("cir6-pkg").settle(world)) for title, world in worlds()]
    done = {(each.world, each.run) for each in kept}
    with given.kept.open("a", encoding="utf-8") as file:
        for run in range(given.runs):
            for world, ignoring, others, users in set_up:
                if (world, run) not in done:
                    made = one_run(world, run, ignoring, others, users)
                    file.write("".join(f"{json.dumps(each._asdict())}\n" for each in made))
                    file.flush()
                    kept += made
    parts = [
        INTRODUCTION.format(runs=given.runs, dialogues=DIALOGUES, findings=FINDINGS if given.runs == PUBLISHED else "")
    ]
    for title, ignoring, others, _ in set_up:
        rows = [each for each in kept if each.world == title and each.run < given.runs]
        names = [[agent.name for agent in group] for group in (ignoring, others)]
        parts += [f"## {title[0].upper()}{title[1:]}", "", *tables(rows, *names)]
    text = "\n".join(parts)
    if given.prints:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
