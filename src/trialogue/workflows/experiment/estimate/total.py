"""Estimate an experiment's time, agent calls, tokens and cost without running it.

Every number is a range. Measurements of earlier runs in the same folder take precedence over the benchmark on another
machine (``rates``); what nobody measured is unknown and reported so, never counted as zero.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.inputs.knowledge import DEMO
from trialogue.simulation.batch.simulation_file import SimulationFile
from trialogue.workflows.experiment.estimate.agents import AgentEstimate, agent_estimates
from trialogue.workflows.experiment.estimate.pace import AgentDuration, StageDuration
from trialogue.workflows.experiment.estimate.ranges import Range
from trialogue.workflows.experiment.estimate.rates import AGAIN, FASTER, KILOBYTES, SETUP_S, SLOWER, STAGES
from trialogue.workflows.experiment.graph import Plan
from trialogue.workflows.experiment.simulating import SIMULATE, missing_dialogues

REPORT = "report"
"""Not a stage, for it is always written; measured like one."""
Measured = Sequence[StageDuration | AgentDuration]


@dataclass(frozen=True)
class StageEstimate:
    """Estimate of one stage."""

    seconds: Range
    """Wall time in seconds, without the ``unknown`` parts."""
    measured: bool
    """Whether all of that rests on earlier runs here; else on a benchmark, at least in part."""
    agents: tuple[AgentEstimate, ...] = ()
    """For a simulation: estimates by agent."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """Agents with unknown duration."""
        return tuple(each.agent for each in self.agents if each.seconds is None)


def stage_estimates(plan: Plan, study: SimulationFile | None, measured: Measured) -> dict[str, StageEstimate]:
    """One estimate per unfinished stage, and for the report.

    A stage that has to be done takes those behind it along.

    Args:
        plan: the stages.
        study: the simulation among them, if there is one.
        measured: what earlier runs measured, the oldest first.
    """
    sizes, found = megabytes(plan, study, measured), {}
    missing = plan.dependents(stage.name for stage in plan.stages if not plan.is_done(stage))
    for name in missing:
        if name == SIMULATE and study is not None:
            here = study.model_copy(update={"out": plan.folders()[name]})
            found[name] = _simulation(here, [each for each in measured if isinstance(each, AgentDuration)])
        else:
            found[name] = _stage(name, sizes[name], measured)
    return {**found, REPORT: _stage(REPORT, sizes[REPORT], measured)}


def megabytes(plan: Plan, study: SimulationFile | None, measured: Measured) -> dict[str, float]:
    """Input size of each stage, and of the report.

    That is what it reads itself and what the stages before it read. Dialogues that are still to be simulated count as what
    one of theirs was measured to take.
    """
    sizes: dict[str, float] = {}
    for stage in plan.stages:
        own = _simulated_megabytes(study, measured) if stage.name == SIMULATE and study else stage.reads / 1e6
        sizes[stage.name] = own + sum(sizes[name] for name in stage.needs)
    return {**sizes, REPORT: sum(sizes[stage.name] for stage in plan.stages if not stage.needs)}


def _simulated_megabytes(study: SimulationFile, measured: Measured) -> float:
    known = {each.agent: each.kilobytes for each in measured if isinstance(each, AgentDuration)}
    return sum(known.get(agent, KILOBYTES) * study.n * len(study.users) for agent in study.agents) / 1e3


def _simulation(study: SimulationFile, measured: Sequence[AgentDuration]) -> StageEstimate:
    agents = agent_estimates(study, Counter(missing_dialogues(study)), measured)
    known = [each.seconds for each in agents if each.seconds is not None]
    all_measured = bool(agents) and all(each.measured for each in agents)
    if not all_measured and study.catalogue == DEMO:
        known.append(Range(SETUP_S, SETUP_S).times(FASTER, SLOWER * len(study.users)))
    return StageEstimate(_sum_ranges(known), all_measured, tuple(agents))


def _stage(name: str, size: float, measured: Measured) -> StageEstimate:
    """By the last measurement of the stage, or of one of its kind; the truth lies between proportional and constant."""
    took = [each for each in measured if isinstance(each, StageDuration)]
    mine = [each for each in took if each.stage == name] or [each for each in took if _kind(each.stage) == _kind(name)]
    if not mine:
        seconds = STAGES[_kind(name)].seconds_for(size)
        return StageEstimate(Range(seconds * FASTER, seconds * SLOWER), measured=False)
    last = mine[-1]
    growth = size / last.megabytes if last.megabytes else 1.0
    bounds = Range(last.seconds * min(1, growth), last.seconds * max(1, growth))
    return StageEstimate(bounds.times(*AGAIN), measured=True)


def _kind(name: str) -> str:
    return name.partition("-")[0]


def _sum_ranges(ranges: Sequence[Range]) -> Range:
    total = Range(0, 0)
    for each in ranges:
        total = total.plus(each)
    return total


def in_all(estimates: Sequence[StageEstimate]) -> Range:
    """Total seconds of stages, without unknown ones."""
    return _sum_ranges([each.seconds for each in estimates])
