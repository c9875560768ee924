"""Can simulated outcomes be won by nonsense? Needs met by recommenders, by baselines, declared and undeclared.

python -m benchmarks.needs -n 150          # dialogues of each agent; writes NEEDS.md
python -m benchmarks.needs -n 50 --print   # prints, and keeps the page
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.simulation import commit
from trialogue.agents.base import Agent, Session, SimpleSession, Turn
from trialogue.agents.registry import make_agent
from trialogue.catalogue.naming import Naming, namings_in
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics import Undefined, get_metric
from trialogue.metrics.failure_policy import with_failure_policy
from trialogue.records import Dialogue, Utterance
from trialogue.simulating.simulate import BASELINES
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World
from trialogue.stats.comparison.means import bounded_mean_interval
from trialogue.transport.failures import AgentFailure

PAGE = Path(__file__).with_name("NEEDS.md")
REFERENCES = ("reference:guided", "reference:item-centred", "reference:genre-led")
USERS = ("cir6-pkg", "cir6-single", "qrfa-single")
MEASURES = (
    "need_met",
    "need_met@listed",
    "need_met_by_chance",
    "turns_until_need_met@capped",
    "constraints_satisfied@mean",
)
BY_ACTS = ("turn_success", "task_success")
MARGIN, LEAST = 0.03, 0.02
INTRODUCTION = """# Needs met: can simulated outcomes be won by nonsense?

Written by `benchmarks/needs.py` at commit {commit}: {n} dialogues of every agent with every kind of simulated users over
the bundled films (476), all agents with the same needs. A need is met if the agent is first to name an item that satisfies
it, within ten user turns; of a turn at most three new titles count (`@named`), or all of them (`@listed`). Turn success
and task success, the outcomes by acts, stand beside it: acts of agents that declare none are those that a labeller
hears in their words, without knowing what the user did before. Intervals: 90 %, paired by need, score intervals (Tango's),
one at a time. The best baseline is the best of the six on the same needs, which is to the recommenders' disadvantage.
The static list, made for needs of other seeds, listens to nobody: what tells it apart is lift (LIFT.md).
"""
HEADING = (
    "| recommender | need met less the best baseline | above | undeclared | declared less undeclared | "
    f"within ±{MARGIN} | turn success, undeclared |"
)
ATTRIBUTES = "target-item:attributes"
ABOUT_ATTRIBUTES = """Users who know one item and answer questions about its attributes: five replies, and the target
alone meets the need. *Told*: the first message says its genres (`opening: [genre]`), where iEvaLM's users go on from a human
dialogue. Without it, agents that ask for a film learn nothing. Recall is that of the last list by turn 5: over the dialogues
with a list, as in iEvaLM (`@last`; their number in brackets), and with the others as misses (`@all-cases`)."""
OTHERS = """What the rules of `catalogue/naming.py` say of titles in systems' texts. Nobody has labelled these: the shares
say how often the rules fire, not how often they are right."""


class Silent:
    """An agent that declares nothing: no acts, items or rankings, only its words."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.sessions_at_once, self._agent = f"{agent.name}, undeclared", None, agent

    def open(self, dialogue_id: str, *, seed: int) -> "SilentSession":
        return SilentSession(self._agent.open(dialogue_id, seed=seed))

    def close(self) -> None:
        self._agent.close()


class SilentSession(SimpleSession):
    def __init__(self, session: Session) -> None:
        self._session = session

    def greet(self) -> Turn | None:
        greeting = self._session.greet()
        return greeting and self._bare(greeting)

    def reply(self, history: Sequence[Utterance]) -> Turn:
        return self._bare(self._session.reply(history))

    @staticmethod
    def _bare(turn: Turn) -> Turn:
        said = tuple(Utterance(speaker="system", text=each.text) for each in turn.utterances)
        return Turn(said, ends=turn.ends)


class Failing(Silent):
    """An agent that fails in every fifth dialogue, after a turn."""

    def open(self, dialogue_id: str, *, seed: int) -> SilentSession:
        session = self._agent.open(dialogue_id, seed=seed)
        return FailingSession(session) if seed % 5 == 0 else KeptSession(session)


class KeptSession(SilentSession):
    @staticmethod
    def _bare(turn: Turn) -> Turn:
        return turn


class FailingSession(KeptSession):
    def reply(self, history: Sequence[Utterance]) -> Turn:
        if len(history) > 3:
            raise AgentFailure("error", "planted")
        return super().reply(history)


@dataclass
class Held:
    """The dialogues of one agent, case by case."""

    name: str
    dialogues: list[Dialogue]

    def values(self, measure: str) -> np.ndarray:
        """The value in every dialogue; NaN where there is none."""
        metric = get_metric(measure)
        found = [with_failure_policy(metric, each) for each in self.dialogues]  # type: ignore[arg-type]
        return np.array([np.nan if isinstance(each, Undefined) else each[0] / each[1] for each in found])

    def mean(self, measure: str) -> float:
        return float(np.nanmean(self.values(measure)))


def hold(agent: Agent, users: str, n: int, **options: object) -> Held:
    known = load_catalogue()
    made = load_kind(users, **options).settle(World(known.catalogue, known.ratings))
    plan = Plan((agent.name,), (users,), n, seed=11)
    return Held(agent.name, [DialogueRunner()(agent, made, task) for task in plan])


def interval(values: np.ndarray) -> tuple[float, float, float]:
    """(mean, low, high) of paired differences from -1 to 1, at 90 %; differences that are all 0 are not certain."""
    return float(values.mean()), *bounded_mean_interval(values.tolist(), low=-1, high=1, confidence=0.9)


def rows_of(users: str, n: int) -> tuple[list[str], list[str], list[str]]:
    """(rows of the table, of the pairs, of what failed)."""
    references = [hold(make_agent(name), users, n) for name in REFERENCES]
    baselines = [hold(make_agent({"agent": spec, "name": name}), users, n) for name, spec in BASELINES.items()]
    table = [
        f"| {each.name} | " + " | ".join(f"{each.mean(measure):.3f}" for measure in (*MEASURES, *BY_ACTS)) + " |"
        for each in (*references, *baselines)
    ]
    best = max(baselines, key=lambda each: each.mean("need_met"))
    pairs, failed = [], []
    for reference in references:
        gap, low, high = interval(reference.values("need_met") - best.values("need_met"))
        undeclared = hold(Silent(make_agent(reference.name)), users, n)
        one, least, most = interval(reference.values("need_met") - undeclared.values("need_met"))
        is_same = "yes" if least > -MARGIN and most < MARGIN else "**no**"
        above = "yes" if low > 0 else "**no**"
        pairs.append(
            f"| {reference.name} | {gap:+.3f} [{low:+.3f}, {high:+.3f}] | {above} | {undeclared.mean('need_met'):.3f} | "
            f"{one:+.3f} [{least:+.3f}, {most:+.3f}] | {is_same} | {undeclared.mean('turn_success'):.3f} |"
        )
    broken = hold(Failing(make_agent(REFERENCES[0])), users, n)
    ended = np.array([each.fault is not None for each in broken.dialogues])
    met = broken.values("need_met")
    numbers = (references[0].mean("need_met"), ended.mean(), met.mean(), met[~ended].mean())
    failed.append(f"| {users} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |")
    least_nonsense = max(each.mean("need_met") for each in baselines if each.name in ("off-topic", "echo"))
    verdict = "reached" if least_nonsense <= LEAST else "**not reached**"
    pairs.append(f"| off-topic and echo | {least_nonsense:.3f} at most: {verdict} (mark: {LEAST}) | | | | | |")
    return table, pairs, failed


def rows_of_attributes(n: int) -> list[str]:
    """A row for each agent: need met, its gap to the best baseline, and recall, without and with the genres told."""
    names = {**{name: name for name in REFERENCES}, **BASELINES}
    rows = {name: f"| {name} |" for name in names}
    for opening in ((), ("genre",)):
        held = {
            name: hold(make_agent({"agent": spec, "name": name}), ATTRIBUTES, n, opening=opening)
            for name, spec in names.items()
        }
        best = max((held[name] for name in BASELINES), key=lambda each: each.mean("need_met"))
        for name, each in held.items():
            met = each.values("need_met")
            gap, low, high = interval(met - best.values("need_met"))
            of_lists = each.values("need_recall(k=10,turn=5)@last")
            listed = of_lists[~np.isnan(of_lists)]
            last = f"{listed.mean():.3f} ({len(listed)})" if len(listed) else "- (0)"
            recall = f"{last} | {each.mean('need_recall(k=10,turn=5)@all-cases'):.3f}"
            less = "" if name in BASELINES else f"{gap:+.3f} [{low:+.3f}, {high:+.3f}]"
            rows[name] += f" {met.mean():.3f} | {less} | {recall} |"
    return list(rows.values())


def namings() -> list[str]:
    """How titles are named in others' texts: shares of what the rules say."""
    from trialogue.catalogue import TitleLinker
    from trialogue.datasets import get_corpus
    from trialogue.datasets.store import is_here, locate

    rows = []
    linker = TitleLinker(load_catalogue().catalogue)
    for name in ("inspired", "crsarena-dial", "kdd2020"):
        if not is_here(get_corpus(name)):
            continue
        counts: Counter[Naming] = Counter()
        for record in get_corpus(name).read(locate(get_corpus(name)), note=lambda _: None):
            if isinstance(record, Dialogue):
                for said in record.utterances:
                    if said.speaker == "system":
                        placed = [each for each in said.mentions or () if each.start is not None]
                        counts.update(namings_in(said.text, placed or linker.find(said.text)))
        whole = counts.total() or 1
        rows.append(
            f"| {name} | {counts.total():,} | " + " | ".join(f"{counts[each] / whole:.3f}" for each in Naming) + " |"
        )
    return rows


def page(n: int) -> str:
    lines = INTRODUCTION.format(n=n, commit=commit()).splitlines()
    fails: list[str] = []
    for users in USERS:
        table, pairs, failed = rows_of(users, n)
        fails += failed
        lines += [
            "",
            f"## {users}",
            "",
            "| agent | need met | @listed | by chance | turns (capped) | constraints (mean) | turn success | task success |",
            "|---|---|---|---|---|---|---|---|",
            *table,
            "",
            HEADING,
            "|---|---|---|---|---|---|---|",
            *pairs,
        ]
    lines += [
        "",
        f"## {ATTRIBUTES}",
        "",
        *ABOUT_ATTRIBUTES.splitlines(),
        "",
        "| agent | need met | less the best baseline | recall@10 `@last` | `@all-cases` "
        "| told: need met | less the best baseline | recall@10 `@last` | `@all-cases` |",
        "|---|---|---|---|---|---|---|---|---|",
        *rows_of_attributes(n),
        "",
        "## Failed dialogues count as not met",
        "",
        "`reference:guided`, made to fail in about a fifth of its dialogues after its second turn.",
        "",
        "| users | never failing | share failed | need met | leaving out what failed |",
        "|---|---|---|---|---|",
        *fails,
        "",
        "## How others name titles",
        "",
        OTHERS,
        "",
        "| corpus | titles | " + " | ".join(each.value for each in Naming) + " |",
        "|---|---|" + "---|" * len(Naming),
        *namings(),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="dialogues of each agent")
    parser.add_argument("--print", action="store_true", help="print the page and keep the old one")
    given = parser.parse_args(arguments)
    text = page(given.n)
    if given.print:
        sys.stdout.write(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
