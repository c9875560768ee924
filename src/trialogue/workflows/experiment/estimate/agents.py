"""Estimate the number of agent calls in a simulation, their duration, and the cost of language models."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from trialogue.agents.llm.agent import LlmSpec
from trialogue.agents.registry import spec_of
from trialogue.agents.spec import AgentSpec, CatalogueSpec
from trialogue.inputs.knowledge import DEMO
from trialogue.llm.usage import Price, Usage
from trialogue.simulation.batch.simulation_file import SimulationFile
from trialogue.simulation.paths import located_agent
from trialogue.workflows.experiment.estimate.pace import AgentDuration, Mean
from trialogue.workflows.experiment.estimate.ranges import Range
from trialogue.workflows.experiment.estimate.rates import AGAIN, DIALOGUE_S, FASTER, SETUP_S, SLOWER
from trialogue.workflows.experiment.simulating import setting_of

ERRORS = 2.0  # standard errors to both sides of what is expected
NEVER_ASKED = "no earlier run in this folder has asked it"


@dataclass(frozen=True)
class AgentEstimate:
    """Estimated cost of one agent for the missing dialogues."""

    agent: str
    dialogues: int
    """Dialogues to hold; at least 1."""
    asked: Range
    """Number of requests in these dialogues."""
    seconds: Range | None
    """Wall time in seconds; None: unknown, see ``why``."""
    measured: bool = False
    """Whether ``seconds`` rests on an earlier run here; else on a benchmark."""
    why: str = ""
    """Why ``seconds`` is unknown."""
    model: bool = False
    """Whether it is a language model behind an endpoint, which counts tokens and may cost money."""
    prompt_tokens: Range | None = None
    """Prompt tokens of a language model; None: unknown, or no model."""
    completion_tokens: Range | None = None
    """Likewise; from 0 to what its options allow if no earlier run recorded it."""
    cost: Range | None = None
    """Cost of a language model; None: unknown, or no model."""
    currency: str = ""
    """The money of ``cost``."""
    notes: tuple[str, ...] = ()
    """Remarks on tokens and cost."""


def agent_estimates(
    study: SimulationFile, missing: dict[str, int], earlier: Sequence[AgentDuration]
) -> list[AgentEstimate]:
    """One estimate per agent.

    Args:
        study: agents, users, and how long dialogues may be.
        missing: how many dialogues each agent has yet to hold; agents without any are left out.
        earlier: what was measured before, the oldest first.
    """
    return [
        _estimate(study, agent, further, _last_measurement(study, agent, earlier))
        for agent, further in missing.items()
        if further
    ]


def _last_measurement(study: SimulationFile, agent: str, earlier: Sequence[AgentDuration]) -> AgentDuration | None:
    """The last measurement of an agent of these options, if possible one in the same setting."""
    same = [each for each in earlier if each.spec == study.agents[agent]]
    alike = [each for each in same if each.setting == setting_of(study)]
    return next(reversed(alike or same), None)


def _estimate(study: SimulationFile, agent: str, further: int, before: AgentDuration | None) -> AgentEstimate:
    given = located_agent(study.agents[agent], study.folder)
    spec = spec_of({"name": agent, **given} if isinstance(given, dict) else given)
    most = Range(further, further * study.max_turns)
    alike = before is not None and before.setting == setting_of(study)
    asked = _sum(before.asked, before.dialogues, further) if before and alike else None
    asked = asked.clip(*most) if asked else most
    seconds, why = _seconds(study, spec, further, asked, before)
    made = AgentEstimate(agent, further, asked, seconds, measured=before is not None, why=why)
    return _with_cost(made, spec, before.usage if before and alike else None) if isinstance(spec, LlmSpec) else made


def _seconds(
    study: SimulationFile, spec: AgentSpec, further: int, asked: Range, before: AgentDuration | None
) -> tuple[Range | None, str]:
    """(seconds, why they are unknown)."""
    if before is not None and before.usage is not None and not before.usage.calls:
        return None, "in the earlier run its answers came from a cache, or it failed"
    if before is not None:
        return _as_before(study, further, asked, before), ""
    if study.catalogue != DEMO or (isinstance(spec, CatalogueSpec) and spec.catalogue != DEMO):
        return None, "no earlier run used this catalogue, and the reference rates are for the bundled films"
    if spec.workload is None:
        return None, NEVER_ASKED
    dialogue_s = DIALOGUE_S[spec.workload]
    return Range(dialogue_s, dialogue_s).times(further * FASTER, further * SLOWER), ""


def _as_before(study: SimulationFile, further: int, asked: Range, before: AgentDuration) -> Range:
    """At the pace of an earlier run; in another setting, at its pace for each time that the agent is asked.

    Answers that came from a cache then may not come from it now, and take as long as the others.
    """
    ready = min(SETUP_S * len(study.users), before.seconds / 2)  # what may have been spent before the first dialogue
    alike = before.setting == setting_of(study)
    units = before.held * (1.0 if alike else max(before.asked.value, 1.0))
    amount = Range(further, further) if alike else asked
    pace = Range((before.seconds - ready) / units, before.seconds / units)
    at_once = before.at_once / (study.jobs * study.at_once)
    waited = before.usage.calls / (before.usage.calls + before.usage.cached) if before.usage else 1.0
    return pace.times(amount.low, amount.high).times(AGAIN[0] * min(1, at_once), AGAIN[1] * max(1, at_once) / waited)


def _sum(each: Mean, dialogues: int, further: int) -> Range | None:
    """Expected sum over ``further`` more dialogues, from the mean so far; None with fewer than two dialogues."""
    if each.error is None:
        return None
    spread = each.error * sqrt(dialogues)  # of single dialogues
    half = ERRORS * spread * sqrt(further + further**2 / dialogues)
    return Range(max(0.0, each.value * further - half), each.value * further + half)


def _with_cost(made: AgentEstimate, spec: LlmSpec, usage: Usage | None) -> AgentEstimate:
    """The estimate with tokens and cost: an earlier run's tokens a call, so many calls. Else why they are unknown."""
    has_usage = usage is not None and usage.calls > usage.unreported
    prompt = completion = cost = None
    if usage is not None and has_usage:
        calls = usage.calls - usage.unreported
        prompt, completion = (
            made.asked.times(tokens / calls, tokens / calls)
            for tokens in (usage.prompt_tokens, usage.completion_tokens)
        )
        cost = _cost(spec.price, prompt, completion) if spec.price else None
    elif spec.max_tokens is not None:
        completion = Range(0, made.asked.high * spec.max_tokens)
    return replace(
        made,
        model=True,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=cost,
        currency=spec.price.currency if spec.price and cost else "",
        notes=tuple(_notes(spec, has_usage=has_usage)),
    )


def _cost(price: Price, prompt: Range, completion: Range) -> Range:
    """Cost of tokens; fractions of a token are allowed."""
    a_prompt, an_answer = price.prompt_per_million / 1e6, price.completion_per_million / 1e6
    return prompt.times(a_prompt, a_prompt).plus(completion.times(an_answer, an_answer))


def _notes(spec: LlmSpec, *, has_usage: bool) -> list[str]:
    notes = []
    if not has_usage:
        notes.append("no earlier run recorded how many tokens its prompts take")
    if spec.price is None:
        notes.append("its price is not given (option price)")
    if spec.cache is not None:
        notes.append(f"answers already in {spec.cache} cost nothing and take no time")
    return notes
