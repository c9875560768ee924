"""What is compared: whether the two are one and the same, and differences that only the conversations can give."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from trialogue.datasets import AnyRecord
from trialogue.errors import UsageError
from trialogue.findings.league import estimate_of
from trialogue.metrics import Conversation, Settings, conversations_of, get_metrics, measure, offline_conversations
from trialogue.metrics.base import Counted
from trialogue.records import Dialogue, Estimate, MeasureName
from trialogue.workflows.evaluation import Run
from trialogue.workflows.inputs.memory import Data, InMemory, in_memory
from trialogue.workflows.pipeline import read

BEFORE, AFTER = "0", "1"
"""What the two systems are called while they are measured together: differences are first minus second by name."""


Given: TypeAlias = str | Path | Run | InMemory
"""One side of a comparison."""


def given_side(given: str | Path | Run | Data, name: str) -> Given:
    """What is compared, with data in memory as records under a name of their own."""
    return given if isinstance(given, Run | str | Path | InMemory) else in_memory(given, side=name)


def are_same(before: Given, after: Given) -> bool:
    """Whether the same run, file or corpus is given twice, under whatever names."""
    if isinstance(before, Run) or isinstance(after, Run):
        return before is after
    if isinstance(before, InMemory) or isinstance(after, InMemory):
        return (
            isinstance(before, InMemory) and isinstance(after, InMemory) and _without_ids(before) == _without_ids(after)
        )
    return _place(before) == _place(after)


def _without_ids(given: InMemory) -> list[AnyRecord]:
    """What is in memory; ids of dialogues may have been made up, so as to keep the sides apart."""
    return [one.model_copy(update={"id": ""}) if isinstance(one, Dialogue) else one for one in given.held]


def _place(given: str | Path) -> str:
    """Where it is; a text that names nothing (it may be too long for a path) stands for itself."""
    for text in (str(given), str(given).partition("=")[2]):
        try:
            if text and Path(text).exists():
                return str(Path(text).resolve())
        except OSError:
            break
    return str(given)


def refuse_itself(names: Sequence[str], *, same: bool, known: Sequence[str]) -> None:
    """Refuse to compare a system of a run with itself: that it does not differ says nothing.

    Raises:
        UsageError: both are the same system of the same run.
    """
    if same and names[0] == names[1]:
        others = [name for name in known if name != names[0]]
        do = (
            f"Name the other system with a second --system ({', '.join(others[:8])}), or give another run."
            if others
            else "Give another run."
        )
        raise UsageError(f"{names[0]} is compared with itself: the same run is given twice. {do}")


def counted_differences(
    before: str | Path | InMemory,
    after: str | Path | InMemory,
    systems: Sequence[str],
    measures: Sequence[str],
    *,
    settings: Settings,
) -> dict[str, Estimate]:
    """After minus before on metrics that count distinct things, from the conversations themselves.

    Such values depend on how much text there is, so both sides are rarefied to the smaller one. That takes the words,
    which a run's scores do not hold.

    Args:
        before: conversations of the old version, as ``evaluate`` takes them.
        after: the same of the new version.
        systems: the system of each.
        measures: full names of measures that both have; those that count nothing are passed over.
        settings: confidence and seed.
    """
    computed = [MeasureName(name).short for name in measures if not MeasureName(name).is_judgement]
    metrics = [metric for metric in get_metrics(computed) if isinstance(metric, Counted)] if computed else []
    if not metrics:
        return {}
    both = [
        Conversation(
            system=name, cluster=each.cluster, replies=each.replies, dialogue=None, dialogue_id=each.dialogue_id
        )
        for name, system, given in zip((BEFORE, AFTER), systems, (before, after), strict=True)
        for each in _conversations(given, system)
    ]
    scores = measure(both, metrics, settings=settings)
    return {each.measure: estimate_of(each).turned() for each in scores if each.level == "difference"}


def _conversations(given: str | Path | InMemory, system: str) -> list[Conversation]:
    """A system's dialogues, or where it had none its replies to situations."""
    material = read([given])
    own = [each for each in conversations_of(material.dialogues) if each.system == system]
    return own or [
        each for each in offline_conversations(material.situations, material.responses) if each.system == system
    ]
