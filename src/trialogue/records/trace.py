"""What a system did for a turn: calls of tools, waiting time, tokens and cost, as logs and traces record them."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Protocol, TypeVar

from pydantic import Field

from trialogue.records.base import JsonValue, Record

Number = TypeVar("Number", int, float)
Amount = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class CallFault(StrEnum):
    """Whose error a failed call is."""

    AGENT = "agent"
    """The caller's: no such tool, arguments that do not fit, too many calls."""
    TOOL = "tool"
    """The tool's: it raised, hung, or returned what cannot be used."""


class ToolCall(Record):
    """One call of a tool by a system, and what came back."""

    name: str
    """Name of the tool; "": none recorded."""
    id: str | None = None
    """Id that joins call and result."""
    arguments: JsonValue = None
    """An object of arguments; a text: what the model wrote is no JSON; None: none recorded."""
    result: JsonValue = None
    """What came back; None: none recorded, or the tool returned nothing."""
    has_result: bool = False
    """Whether anything came back."""
    error: str | None = None
    """Error that the tool, or the one who called it, recorded; None: none."""
    fault: CallFault | None = None
    """Whose error it is, where the call was executed here; None: there is none, or nobody knows."""
    refused: str | None = None
    """Why its declared JSON Schema refuses it, or that no such tool is declared; None: it does not."""
    is_declared: bool = False
    """Whether the log declares tools, so that calls can be refused."""
    latency_s: Amount | None = None
    """Seconds until the result; None: not recorded."""


class Trace(Record):
    """What a system did for one turn, or for turns together; None where nothing is recorded, never 0."""

    calls: tuple[ToolCall, ...] | None = None
    """Calls of tools in their order; None: not recorded. (): recorded, and there are none."""
    latency_s: Amount | None = None
    """Seconds that the user waited for the turn."""
    input_tokens: Count | None = None
    """Tokens that its language models read."""
    output_tokens: Count | None = None
    """Tokens that they wrote."""
    total_tokens: Count | None = None
    """Tokens that they read and wrote, where only their sum is recorded."""
    cost: Amount | None = None
    """Cost, in the currency of the log."""


TRACE_ID = "trace_id"
"""Key of a message's ``meta`` that holds the id under which its turn was traced."""
_TRACE_PARENT = re.compile(r"(?:0x|[0-9a-f]{2}-)?([0-9a-f]{32})(?:-[0-9a-f]{16}-[0-9a-f]{2})?", re.IGNORECASE)


class HasMeta(Protocol):
    """Protocol of what has ``meta``."""

    @property
    def meta(self) -> Mapping[str, JsonValue]:
        """What else is known of it."""
        ...


def trace_id_of(said: HasMeta) -> str:
    """The id under which a turn was traced, without what W3C's ``traceparent`` has around it; "": none is known."""
    given = str(said.meta.get(TRACE_ID) or "")
    match = _TRACE_PARENT.fullmatch(given)
    return match[1].lower() if match else given


class HasTrace(Protocol):
    """Protocol of what may hold a trace, as messages do."""

    @property
    def trace(self) -> Trace | None:
        """What the system did for it; None: nothing is recorded."""
        ...


def join_traces(traces: Iterable[Trace | None]) -> Trace | None:
    """Traces of several steps of one turn as one: calls in order, amounts summed where recorded; None: there are none."""
    parts = [each for each in traces if each is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    calls = [each.calls for each in parts if each.calls is not None]
    return Trace(
        calls=tuple(call for some in calls for call in some) if calls else None,
        latency_s=_sum(each.latency_s for each in parts),
        input_tokens=_sum(each.input_tokens for each in parts),
        output_tokens=_sum(each.output_tokens for each in parts),
        total_tokens=_sum(each.total_tokens for each in parts),
        cost=_sum(each.cost for each in parts),
    )


def calls_in(utterances: Iterable[HasTrace]) -> list[ToolCall]:
    """The calls of tools that were made for some messages, in order."""
    return [call for each in utterances if each.trace is not None for call in each.trace.calls or ()]


def without_times(trace: Trace) -> Trace:
    """A trace without how long anything took, which differs between runs."""
    calls = trace.calls and tuple(call.model_copy(update={"latency_s": None}) for call in trace.calls)
    return trace.model_copy(update={"calls": calls, "latency_s": None})


def _sum(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
