"""Plain-text rendering of scores on tasks: systems and baselines in one table, and what follows from it."""

from collections.abc import Iterator
from functools import partial

from trialogue.records import Estimate
from trialogue.render.document import Column, Part, Sentences, Table
from trialogue.render.media.terminal import parts_text
from trialogue.render.numbers import count, number, render_estimate, with_decimals
from trialogue.tasks.baselines import Baseline
from trialogue.tasks.outcomes import Ends
from trialogue.tasks.scores import AgentScores, TrialScores

NAMES = {
    Baseline.ABSTAIN: "always abstains",
    Baseline.CONSTANT: "the best constant item",
    Baseline.RANDOM: "a random item",
    Baseline.NON_ASKER: "asks nothing",
    Baseline.ASKER: "asks everything",
    Baseline.ORACLE: "knows everything",
    Baseline.DO_NOTHING: "does nothing",
}
EXACT = (
    "Baselines are exact expectations: they understand every wish that the user states, and follow every policy that an "
    "agent can follow."
)
ENDS = {
    Ends.RECOMMEND: f"A trial ends at the first recommendation. {EXACT}",
    Ends.ACCEPTED: f"A trial ends when the user accepts a recommendation. {EXACT}",
    Ends.RECORDED: "Trials have the reward that a program recorded with them.",
}


def tasks_text(scores: TrialScores, *, width: int | None = None) -> str:
    """Render scores: the answer, a table of systems and baselines, policies that were broken, and notes.

    Args:
        scores: what to print.
        width: columns of the terminal; its own by default.
    """
    shares = with_decimals(2 if scores.systems else 4)
    columns: list[Column[AgentScores]] = [
        Column("System" if scores.systems else "Baseline", _name, longest=36),
        Column("Tasks", lambda row: None if row.trials is None else row.tasks),
        Column("Trials", lambda row: row.trials),
        Column("Constraint", lambda row: row.constraint, shares),
        Column("Policy", lambda row: row.policy, shares),
    ]
    for place, measure in enumerate(scores.measures):
        head = f"pass^{place + 1}" if scores.systems else "Reward"
        columns.append(Column(f"{head} @{measure.variant}", partial(_pass_of, place=place), shares))
    columns += [
        Column("Agent turns", lambda row: row.turns, with_decimals(1)),
        Column("Calls", lambda row: row.calls, with_decimals(1)),
        Column("Knew when deciding", lambda row: row.knew, shares),
    ]
    below = len(scores.baselines) if scores.systems else 0
    parts: list[Part] = [
        Sentences([_answer(each, scores) for each in scores.systems]),
        Table("Scores on tasks", (*scores.systems, *scores.baselines), columns, below_rule=below, splits=True),
        Sentences([text for each in (*scores.systems, *scores.baselines) for text in _details(each)]),
        Sentences([ENDS[scores.ends], *([scores.credit] if scores.credit else [])]),
        Sentences([f"Note: {note}" for note in scores.notes]),
    ]
    return parts_text(parts, width=width)


def _name(row: AgentScores) -> str:
    if row.trials is not None:
        return row.name
    return NAMES[Baseline(row.name)]


def _pass_of(row: AgentScores, *, place: int) -> Estimate | None:
    return row.passes[place] if place < len(row.passes) else None


def _answer(system: AgentScores, scores: TrialScores) -> str:
    """One sentence on a system: whether it is above the baseline to beat."""
    reached = render_estimate(system.passes[0], 2)
    floor = next((row for row in scores.baselines if row.name == scores.to_beat), None)
    if floor is None or floor.passes[0].value is None:
        why = f"the file does not say whether doing nothing succeeds in {count(len(scores.unknown), 'task')}"
        return f"{system.name} has a reward of {reached}; there is no baseline, since {why}."
    own, above = system.passes[0].value, None if system.above is None else system.above.value
    level = floor.passes[0].value if own is None or above is None else own - above  # on the tasks that it attempted
    than = f"an agent that {_name(floor)} ({number(level, 2)})"
    if system.above is None or system.above.interval is None:
        why = str(system.passes[0].why if system.above is None else system.above.why)
        return f"{system.name} has a reward of {reached}; whether that is above {than} is unknown: {why}."
    interval = system.above.interval
    verdict = "significantly above" if interval.low > 0 else "not significantly above"
    return f"{system.name} is {'significantly below' if interval.high < 0 else verdict} {than}, with a reward of {reached}."


def _details(system: AgentScores) -> Iterator[str]:
    if system.item is not None:
        yield f"The best constant item is {system.item}."
    if system.violations:
        listed = ", ".join(f"{policy} {times}" for policy, times in system.violations.items())
        yield f"Policies broken by {system.name}, in trials: {listed}."
    for k, each in enumerate(system.passes, start=1):
        if each.value is None:
            yield f"pass^{k} of {system.name} is undefined: {each.why}."
