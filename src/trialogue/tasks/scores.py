"""Records of scores on tasks: systems and the baselines beside them, and the names of their measures."""

from typing import ClassVar

from pydantic import Field

from trialogue.records import Estimate, MeasureName, Record
from trialogue.tasks.baselines import Baseline
from trialogue.tasks.outcomes import Ends


def measure_of(name: str, ends: Ends, k: int | None = None) -> MeasureName:
    """Full name of a measure of trials; how trials end is part of it.

    >>> measure_of("pass", Ends.ACCEPTED, 2)
    'pass(k=2)@accepted|v1'
    """
    return MeasureName(f"{name}{'' if k is None else f'(k={k})'}@{ends.value}|v1")


class AgentScores(Record):
    """Scores of a system or a baseline over tasks; estimates are over tasks, with trials nested in them."""

    name: str
    """Name of the system, or the word of the baseline."""
    tasks: int
    """Number of tasks that count."""
    trials: int | None = None
    """Trials that count; None: a baseline, whose scores are expectations."""
    passes: tuple[Estimate, ...] = ()
    """pass^1 (the mean reward), pass^2, ..."""
    constraint: Estimate | None = None
    """Share of trials that met the need, or declined rightly; None: not scored."""
    policy: Estimate | None = None
    """Share of trials that kept every policy."""
    turns: Estimate | None = None
    """Messages of the agent per trial."""
    calls: Estimate | None = None
    """Calls of tools per trial."""
    knew: Estimate | None = None
    """Share of the wishes that could be learnt that the user had said before the agent decided; None: not recorded."""
    above: Estimate | None = None
    """pass^1 minus that of the baseline to beat, task by task; None: there is none."""
    violations: dict[str, int] = Field(default_factory=dict)
    """Trials that broke a policy, by policy."""
    item: str | None = None
    """Title of the item of the constant baseline."""


class TrialScores(Record):
    """Scores of systems on tasks, and the baselines beside them."""

    kind: ClassVar[str] = "trial_scores"

    ends: Ends
    """How trials end: values of different ends are different measures."""
    measures: tuple[MeasureName, ...]
    """Full names of pass^1, pass^2, ..."""
    systems: tuple[AgentScores, ...] = ()
    """Scores of each system, by name."""
    baselines: tuple[AgentScores, ...] = ()
    """The one that knows least first."""
    to_beat: Baseline | None = None
    """The baseline that systems have to be above to mean anything; None: none could be computed."""
    unknown: tuple[str, ...] = ()
    """Tasks for which the file does not say whether doing nothing succeeds."""
    notes: tuple[str, ...] = ()
    """What was left out, in sentences."""
    credit: str = ""
    """Attribution that is due wherever this is shown."""
