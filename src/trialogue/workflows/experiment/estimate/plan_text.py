"""Text of a dry run: the stages to run, and their estimated time and cost."""

from collections.abc import Iterator, Sequence

from trialogue.workflows.experiment.estimate.agents import AgentEstimate
from trialogue.workflows.experiment.estimate.ranges import Range
from trialogue.workflows.experiment.estimate.rates import SOURCE
from trialogue.workflows.experiment.estimate.total import StageEstimate, in_all
from trialogue.workflows.experiment.run import PlannedStage

FIRST_FEW = (
    "A small run measures what is unknown: start with a small n. A dry run then estimates it, and a run with a larger n "
    "resumes from those dialogues."
)


def plan_text(steps: Sequence[PlannedStage]) -> str:
    """Text of the steps with their estimates, and the total."""
    lines = [line for step in steps for line in _step(step)]
    return "\n".join([*lines, "", *_total_lines([step.takes for step in steps if step.takes is not None])])


def _step(step: PlannedStage) -> Iterator[str]:
    size = f" ({step.size})" if step.size else ""
    if step.takes is None:
        yield f"{step.name}: cached{size} in {step.folder}"
        return
    yield f"{step.name}: {_time(step.takes)}{size} in {step.folder}"
    for each in step.takes.agents:
        yield f"  {each.agent}: {'; '.join(_agent(each))}"


def _time(takes: StageEstimate) -> str:
    beside = f" plus the time of {', '.join(takes.unknown)}" if takes.unknown else ""
    return f"to do, {takes.seconds.duration()}{beside}, {_basis(takes.measured)}"


def _basis(measured: bool) -> str:
    return "as measured here" if measured else "at reference rates"


def _agent(each: AgentEstimate) -> Iterator[str]:
    dialogues = f"{each.dialogues:,} dialogue{'s' if each.dialogues > 1 else ''}"
    yield f"{dialogues}, asked {each.asked.format_count()} times"
    if each.seconds is None:
        yield f"time unknown: {each.why}"
    else:
        yield f"{each.seconds.duration()}, {_basis(each.measured)}"
    if not each.model:
        return
    prompt, answers = (
        tokens.format_count() if tokens else "unknown" for tokens in (each.prompt_tokens, each.completion_tokens)
    )
    yield f"tokens: {prompt} in prompts, {answers} in answers"
    yield f"cost {each.cost.money(each.currency) if each.cost else 'unknown'}"
    yield from each.notes


def _total_lines(takes: Sequence[StageEstimate]) -> Iterator[str]:
    agents = [each for stage in takes for each in stage.agents]
    unknown = [each.agent for each in agents if each.seconds is None]
    beside = f", plus the time of {', '.join(unknown)}, which is unknown" if unknown else ""
    yield f"In all: {in_all(takes).duration()}{beside}."
    if any(each.model for each in agents):
        yield f"Cost: {_cost([each for each in agents if each.model])}."
    if not all(stage.measured for stage in takes):
        yield f"Reference rates are from another machine ({SOURCE}); rates measured here replace them."
    if unknown or any(each.model and each.prompt_tokens is None for each in agents):
        yield FIRST_FEW


def _cost(models: Sequence[AgentEstimate]) -> str:
    """Known cost by currency, and the agents with unknown cost."""
    sums: dict[str, Range] = {}
    for each in models:
        if each.cost is not None:
            sums[each.currency] = sums.get(each.currency, Range(0, 0)).plus(each.cost)
    unknown = [each.agent for each in models if each.cost is None]
    known = [amount.money(currency) for currency, amount in sums.items()]
    return " and ".join([*known, *([f"unknown for {', '.join(unknown)}"] if unknown else [])])
