"""Execute calls of tools: checked arguments, a time limit, a longest result, and a number of calls.

A call never raises. Its error is a text that begins with a code and goes to the agent as the result. It is the agent's (no
such tool, arguments that do not fit, too many calls) or the tool's (it raised, hung, or returned too much).
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from trialogue.agents.base import Turn
from trialogue.records import JsonValue
from trialogue.records.trace import CallFault, ToolCall, Trace, join_traces
from trialogue.transport.failures import AgentFailure, call_foreign

SHOWN = 100  # characters of arguments, and of what came of a call, in a line for people
RECOMMEND = "recommend"
"""Name of the tool of ours whose argument ``item_ids`` says what a message recommends."""


class ToolError(StrEnum):
    """Why a call failed."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    NO_SUCH_ITEM = "no_such_item"
    NO_SUCH_USER = "no_such_user"
    TRIAL_OVER = "trial_over"
    TOO_MANY_CALLS = "too_many_calls"
    RAISED = "raised"
    TIMEOUT = "timeout"
    RESULT_TOO_LONG = "result_too_long"
    RESULT_NOT_JSON = "result_not_json"

    @property
    def fault(self) -> CallFault:
        """Whose error it is."""
        return CallFault.TOOL if self in OF_TOOLS else CallFault.AGENT


OF_TOOLS = (ToolError.RAISED, ToolError.TIMEOUT, ToolError.RESULT_TOO_LONG, ToolError.RESULT_NOT_JSON)


class CallError(Exception):
    """A call that failed; tools of ours raise it."""

    def __init__(self, code: ToolError, text: str) -> None:
        super().__init__(f"{code.value}: {text}")
        self.code = code


class Arguments(BaseModel):
    """Arguments of a tool of ours: nothing else is taken."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Query(Arguments):
    """Words to look for."""

    query: str = Field(description="Words to look for.")


class ItemId(Arguments):
    """An item."""

    item_id: str = Field(description="Id of an item.")


@dataclass(frozen=True)
class Tool:
    """A function that an agent may call."""

    name: str
    description: str
    """What it does, for the model."""
    arguments: type[BaseModel]
    """Model that a call's arguments are validated with; its JSON Schema is shown to the agent's model."""
    run: Callable[[Any], object]
    """The function, which gets its arguments as an object."""

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as OpenAI's chat API takes functions."""
        parameters = self.arguments.model_json_schema()
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": parameters},
        }


@dataclass(frozen=True)
class CallLimits:
    """What calls may take."""

    calls: int | None = 10
    """In one turn; None: any number."""
    timeout_s: float | None = 10.0
    """For one call; None: any time, and no thread is needed to watch it."""
    result: int | None = 20_000
    """Characters of a result as JSON; None: any number."""


class Toolbox:
    """Tools by name."""

    def __init__(self, tools: Sequence[Tool], limits: CallLimits = CallLimits()) -> None:
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self.limits = limits

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The tools as JSON Schemas, in the form in which OpenAI's chat API takes functions."""
        return [tool.schema for tool in self._tools.values()]

    def turn(self, clock: Callable[[], float] | None = time.perf_counter) -> "TurnTools":
        """The tools for one turn of an agent; ``clock``: None does not measure how long calls take."""
        return TurnTools(self, clock)

    def execute(self, name: str, arguments: object) -> JsonValue:
        """The result of a call.

        Raises:
            CallError: it failed.
            AgentFailure: (harness) this machine failed.
        """
        if name not in self._tools:
            raise CallError(ToolError.UNKNOWN_TOOL, f"{name!r}; there are {', '.join(self._tools) or 'none'}")
        tool = self._tools[name]
        try:
            given = tool.arguments.model_validate_json(
                arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else arguments),
                strict=True,
            )
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise CallError(ToolError.INVALID_ARGUMENTS, f"{where}: {first['msg']}".lstrip(": ")) from error
        errors: list[CallError] = []

        def run() -> object:
            try:
                return tool.run(given)
            except CallError as error:
                errors.append(error)
                return None

        try:
            result = call_foreign(run, what=name, timeout_s=self.limits.timeout_s)
        except AgentFailure as failure:
            if failure.kind == "harness":
                raise
            code = ToolError.TIMEOUT if failure.kind == "timeout" else ToolError.RAISED
            raise CallError(code, failure.detail.splitlines()[0]) from failure
        if errors:
            raise errors[0]
        return self._checked_result(name, result)

    def _checked_result(self, name: str, result: object) -> JsonValue:
        try:
            value: JsonValue = to_jsonable_python(result)
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (PydanticSerializationError, TypeError, ValueError, RecursionError) as error:
            raise CallError(ToolError.RESULT_NOT_JSON, f"{name} returned a value that is not JSON ({error})") from error
        if self.limits.result is not None and len(text) > self.limits.result:
            what = (
                f"{name} returned {len(text):,} characters; at most {self.limits.result:,} are allowed (longest_result)"
            )
            raise CallError(ToolError.RESULT_TOO_LONG, what)
        return value


class TurnTools:
    """Calls of one turn, as they are recorded. An agent in Python is given one as ``tools``."""

    def __init__(self, box: Toolbox, clock: Callable[[], float] | None) -> None:
        self._box, self._clock = box, clock
        self.over: str | None = None
        """Why no call is taken any more; None: calls are taken."""
        self.calls: list[ToolCall] = []
        """Calls so far, with their results."""

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The tools as JSON Schemas, in the form in which OpenAI's chat API takes functions."""
        return self._box.schemas

    def begin(self) -> None:
        """Begin the next turn of the same agent."""
        self.calls = []

    @property
    def is_exhausted(self) -> bool:
        """Whether no further call is allowed in this turn."""
        return self._box.limits.calls is not None and len(self.calls) >= self._box.limits.calls

    def call(self, name: str, arguments: object = None, *, call_id: str | None = None) -> ToolCall:
        """Call a tool; an error is part of the record that comes back.

        Args:
            name: of the tool.
            arguments: an object, or the text that a model wrote.
            call_id: id that the agent gave the call.

        Raises:
            AgentFailure: (harness) this machine failed.
        """
        start = self._clock() if self._clock else 0.0
        result: JsonValue = None
        error: CallError | None = None
        try:
            if self.over is not None:
                raise CallError(ToolError.TRIAL_OVER, self.over)
            if self.is_exhausted:
                raise CallError(ToolError.TOO_MANY_CALLS, f"at most {self._box.limits.calls} calls in a turn")
            result = self._box.execute(name, arguments)
        except CallError as failure:
            error = failure
        refused = None
        if error is not None and error.code in (ToolError.UNKNOWN_TOOL, ToolError.INVALID_ARGUMENTS):
            refused = str(error)
        made = ToolCall(
            name=name,
            id=call_id,
            arguments=_as_json(arguments),
            result=result,
            has_result=True,
            error=None if error is None else str(error),
            fault=None if error is None else error.code.fault,
            refused=refused,
            is_declared=True,
            latency_s=self._clock() - start if self._clock else None,
        )
        self.calls.append(made)
        return made


def with_calls(turn: Turn, calls: Sequence[ToolCall]) -> Turn:
    """A turn with calls that were made for it, beside its first message; the last says which items it recommends."""
    if not turn.utterances:
        return turn
    first, *rest = turn.utterances
    joined = join_traces([Trace(calls=tuple(calls)), first.trace])
    return with_ranking(replace(turn, utterances=(first.model_copy(update={"trace": joined}), *rest)), calls)


def with_ranking(turn: Turn, calls: Sequence[ToolCall]) -> Turn:
    """A turn whose last message ranks the items of the last successful call of ``recommend``, if it ranks none itself."""
    ranked = [
        call.arguments.get("item_ids")
        for call in calls
        if call.name == RECOMMEND and call.error is None and isinstance(call.arguments, dict)
    ]
    if not ranked or not isinstance(ranked[-1], list) or turn.utterances[-1].ranking is not None:
        return turn
    *before, last = turn.utterances
    items = tuple(dict.fromkeys(map(str, ranked[-1])))
    return replace(turn, utterances=(*before, last.model_copy(update={"ranking": items})))


def _as_json(arguments: object) -> JsonValue:
    """Arguments as they are recorded: what a model wrote stays a text if it is no JSON."""
    if not isinstance(arguments, str):
        value: JsonValue = json.loads(json.dumps(arguments, default=str))
        return value
    try:
        value = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments.encode(errors="replace").decode()
    return value


def call_text(call: ToolCall) -> str:
    """A call and what came of it, in one line for people."""
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    result = json.dumps(call.result, ensure_ascii=False) if call.has_result else "no result"
    whose = "" if call.fault is None else f" (the {call.fault.value}'s error)"
    came = result if call.error is None else f"failed{whose}: {call.error}"
    return " ".join(f"{call.name}({_cut(arguments)}) → {_cut(came)}".split())


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def answer_text(call: ToolCall) -> str:
    """The text that a model gets back from a call: the result as JSON, or the error."""
    if call.error is not None:
        return f"Error: {call.error}"
    return call.result if isinstance(call.result, str) else json.dumps(call.result, ensure_ascii=False)


def call_messages(text: str, calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """What a model called in one message, and what came back, as its chat repeats it."""
    twice = Counter(call.id for call in calls)  # a model may give several one id, or none
    named = [
        (call.id if call.id and twice[call.id] == 1 else f"call_{place}", call) for place, call in enumerate(calls)
    ]
    requests = [
        {"id": name, "type": "function", "function": {"name": call.name, "arguments": written_arguments(call)}}
        for name, call in named
    ]
    results = [{"role": "tool", "tool_call_id": name, "content": answer_text(call)} for name, call in named]
    return [{"role": "assistant", "content": text or None, "tool_calls": requests}, *results]


def written_arguments(call: ToolCall) -> str:
    """The arguments of a call as a model writes them."""
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
