"""Read what a system did for a turn from the messages of a log: calls of tools, time, tokens, cost.

Calls and results are joined by id, else by the order of calls that wait for a result. A call belongs to the message that it
stands in, if that says something, else to the next message of the same turn; where none follows, to the last one before it.
Amounts are read by ``datasets.door.amounts``; what is recorded of messages counts, else what is of their conversation.

Read time, tokens and cost of a message or a conversation from fields of any usual name, however deep they stand.

A field is known by the words of its path: ``usage.promptTokens``, ``token_usage.input`` and ``prompt_token_count`` are all
tokens that a model read. A time needs a unit, in its name (``latency_ms``) or its value ("1.2 s").
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from trialogue.datasets.door.values import is_absent, plain_number
from trialogue.datasets.failures import ERRORS, stop_in
from trialogue.datasets.json_documents import JsonObject
from trialogue.records import JsonValue
from trialogue.records.trace import ToolCall, Trace, join_traces

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WRITTEN = re.compile(r"\s*[$€£]?\s*(-?[\d.,]+(?:e-?\d+)?)\s*([a-zA-Z]*)\s*")
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 0.001),
}
"""Seconds of one unit."""
_TIMES = {"latency", "duration", "elapsed", "elapsed_time", "response_time", "processing_time", "generation_time"}
_TIMED = _TIMES | {"timing", "timings", "runtime", "took"}
"""Names that are times only with a unit among them."""
_READ, _WROTE = frozenset({"prompt", "input", "in"}), frozenset({"completion", "output", "out", "generated"})
_COUNTED = frozenset({"token", "tokens", "count", "num"})
_CURRENCIES = frozenset({"usd", "eur", "gbp", "dollars", "euros", "cents"})
_COSTS = frozenset({"cost", "costs", "price", "spend"})
_GENERAL = frozenset({"usage", "metrics", "stats", "total", "llm", "model", "api", "telemetry", "perf", "performance"})
_GENERAL |= {"metadata", "meta", "info", "estimated"}
"""Words that say nothing of what a field is."""
_NESTED = _GENERAL | _COSTS | _COUNTED | {"timing", "timings", "latency"}
"""Words of objects that may hold amounts."""
SECONDS, TOKENS, COST = "latency_s", "total_tokens", "cost"
LARGEST = 1e12  # more is a time of the clock, or a mistake
DEEPEST = 3  # objects within each other


@lru_cache(maxsize=4_096)
def _kind_of(path: str) -> tuple[str, float | None] | None:
    """(field of a trace, factor) by a path; a time without a unit has no factor; None: it is no amount.

    >>> _kind_of("usage.promptTokens"), _kind_of("timing.total_ms"), _kind_of("latency"), _kind_of("max_tokens")
    (('input_tokens', 1.0), ('latency_s', 0.001), ('latency_s', None), None)
    """
    words = [word.lower() for word in _WORD.findall(path)]
    own = [word for word in words if word not in _GENERAL]
    if own and own[-1] in _UNITS and "_".join(own[:-1]) in _TIMED:
        return SECONDS, _UNITS[own[-1]]
    if "_".join(own) in _TIMES:
        return SECONDS, None
    rest = frozenset(own) - _COUNTED
    if not _COUNTED.isdisjoint(own) and ("token" in own or "tokens" in own):
        if not rest:
            return (TOKENS, 1.0) if "tokens" in own or "total" in words else None
        return ("input_tokens", 1.0) if rest <= _READ else ("output_tokens", 1.0) if rest <= _WROTE else None
    spent = frozenset(own) - _CURRENCIES
    is_cost = bool(spent) and spent <= _COSTS and (spent != {"price"} or len(own) > 1)
    return (COST, 0.01 if "cents" in own else 1.0) if is_cost else None


def amounts_in(*given: JsonObject, wrong: Callable[[str], None] = lambda path: None) -> Trace | None:
    """Time, tokens and cost of a message or a conversation, taken out of its fields; None: it records none.

    Args:
        given: its fields, the first of which count most.
        wrong: called with the path of each amount that is negative or no number, which stays where it is.
    """
    taken: dict[str, Any] = {}
    for fields in given:
        _take(fields, taken, "", wrong, is_sum=False)
    if "input_tokens" not in taken and "output_tokens" not in taken:
        for fields in given:
            _take(fields, taken, "", wrong, is_sum=True)
    return Trace(**taken) if taken else None


def _take(fields: JsonObject, taken: dict[str, Any], above: str, wrong: Callable[[str], None], *, is_sum: bool) -> None:
    """Move amounts from fields to what was taken: sums of tokens, or all others."""
    for key in list(fields):
        path = f"{above}{key}"
        if isinstance(fields[key], dict):
            words = {word.lower() for word in _WORD.findall(key)}
            if words and words <= _NESTED and path.count(".") < DEEPEST:
                fields[key] = dict(fields[key])
                _take(fields[key], taken, f"{path}.", wrong, is_sum=is_sum)
                if not fields[key]:
                    del fields[key]
            continue
        found = _kind_of(path)
        if (
            found is None
            or (found[0] == TOKENS) is not is_sum
            or isinstance(fields[key], list)
            or is_absent(fields[key])
        ):
            continue
        amount = _amount(*found, fields[key])
        if amount is None:
            if not is_time_without_unit(path, fields[key]):  # which is reported by its name
                wrong(path)
        elif taken.setdefault(found[0], amount) == amount:
            del fields[key]


def _amount(name: str, factor: float | None, value: object) -> float | int | None:
    """A value in the unit of a trace; None: it is negative, no number, or a time without a unit."""
    number = plain_number(value)
    if number is None and isinstance(value, str) and (match := _WRITTEN.fullmatch(value)):
        unit = match[2].lower()
        factor = _UNITS.get(unit, factor if not unit else None) if name == SECONDS else factor
        is_unit = not unit or (unit in _UNITS if name == SECONDS else unit in _CURRENCIES and name == COST)
        number = plain_number(match[1]) if is_unit else None
    if number is None or not 0 <= number <= LARGEST or factor is None:
        return None
    if name in (SECONDS, COST):
        return number * factor
    return int(number) if number == int(number) else None


def seconds_in(fields: Mapping[str, Any]) -> float | None:
    """How long something took, by its fields, which stay as they are; None: not recorded."""
    found = amounts_in({key: value for key, value in fields.items() if not isinstance(value, dict)})
    return None if found is None else found.latency_s


def is_time_without_unit(key: str, value: object) -> bool:
    """Whether a field is a time whose unit nothing says."""
    return _kind_of(key) == (SECONDS, None) and plain_number(value) is not None


CALLS = ("tool_use", "tool_call", "function_call", "server_tool_use", "mcp_tool_use")
"""Types of parts of a message, and of items of a log, that call a tool."""
RESULTS = (
    "tool_result",
    "tool_call_response",
    "function_call_output",
    "web_search_tool_result",
    "mcp_tool_result",
)
"""Types of those that hold a result."""
TOOL_ROLES = ("tool", "function", "tool_response", "function_response", "observation")
"""Roles of messages that hold a result."""
_STATUS = r"http\W{0,3}(?:status |code )?[45]\d\d"
_FIRST = (
    r"<html[^>]*>\s*<head>\s*<title>\s*[45]\d\d\b|rpc error\b|thread '[^']*' panicked\b"
    r"|(?:(?:tool|api|http|mcp|execution|runtime)[ _])?[\w.]*(?:error|exception)\b(?!-)|traceback\b"
    rf"|(?:request |tool )?time(?:d )?out\b|{_STATUS}\b|[45]\d\d\W{{1,3}}(?:\w+ ){{0,2}}(?:error|bad gateway|unavailable"
    r"|time-?out|not found|unauthorized|forbidden|too many requests|bad request|unprocessable)\b"
)
ERROR = re.compile(rf"\s*(?:{_FIRST})", re.I)
"""How a result of text begins that is an error."""
_OF_STATUS = ("status", "statuscode", "status_code", "http_status", "http_code")


@dataclass
class _Call:
    """A call that may still wait for its result."""

    fields: dict[str, Any]
    before: int
    """Number of utterances before its message."""


@dataclass
class TraceLog:
    """What the messages of one dialogue record, until all are read."""

    tools: Mapping[str, str] | None = None
    """Declared JSON Schemas of arguments, by name of the tool; None: the log declares no tools."""
    orphans: int = 0
    """Results of tools without a call."""
    _calls: list[_Call] = field(default_factory=list)
    _steps: list[tuple[int, Trace]] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """Number of calls so far."""
        return len(self._calls)

    def see(self, message: JsonObject, role: str, content: object, *, before: int) -> bool:
        """Read a message; whether it called tools or answered them.

        Args:
            message: the message.
            role: whose it is.
            content: its content: a text, a list of parts, or nothing.
            before: number of utterances before it; -1: it is of the whole dialogue.
        """
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        parts.append({**message, "role": role, "content": content, "type": message.get("type", "")})
        found = False
        for part in parts:
            for call in _calls_of(part):
                self._calls.append(_Call(call, before))
                found = True
            for result in _results_of(part):
                self._answer(result, before)
                found = True
        return found

    def add(self, trace: Trace | None, *, before: int) -> None:
        """Add what a message records of time, tokens and cost."""
        if trace is not None:
            self._steps.append((before, trace))

    def _answer(self, result: dict[str, Any], before: int) -> None:
        """Join a result to its call; one without a call is a call of which only the result is known."""
        waiting = [each.fields for each in self._calls if not each.fields.get("has_result")]
        by_id = [each for each in waiting if result.get("id") is not None and each.get("id") == result["id"]]
        by_name = [
            each for each in waiting if result.get("id") is None and result.get("name") in (None, "", each["name"])
        ]
        call = next(iter(by_id or by_name), None)
        if call is None:
            call = {"name": result.get("name") or "", "id": result.get("id")}
            self.orphans += 1
            self._calls.append(_Call(call, before))
        call |= {key: value for key, value in result.items() if key not in ("name", "id")} | {"has_result": True}

    def settle(self, is_system: Sequence[bool]) -> tuple[dict[int, Trace], Trace | None]:
        """Traces by utterance, and that of turns in which nothing was said.

        Args:
            is_system: for each utterance, whether it is the system's.
        """
        found: dict[int | None, list[Trace]] = {}
        for call in self._calls:
            place = _place(call.before, is_system)
            found.setdefault(place, []).append(Trace(calls=(self._checked_call(call.fields),)))
        own = {name for before, trace in self._steps if before >= 0 for name, _ in _amounts_of(trace)}
        for before, trace in self._steps:
            if before < 0:  # the sum of what is recorded of its messages, where that is
                trace = trace.model_copy(update={name: None for name, _ in _amounts_of(trace) if name in own})
            found.setdefault(_place(before, is_system), []).append(trace)
        if any(each.calls for traces in found.values() for each in traces) or self.tools is not None:
            for place, said in enumerate(is_system):
                if said:
                    found.setdefault(place, []).append(Trace(calls=()))
        joined = {place: made for place, traces in found.items() if (made := join_traces(traces)) is not None}
        return {place: trace for place, trace in joined.items() if place is not None}, joined.get(None)

    def _checked_call(self, fields: dict[str, Any]) -> ToolCall:
        if self.tools is None:
            return ToolCall(**fields)
        refused = _refusal(fields, self.tools)
        return ToolCall(**fields, is_declared=True, refused=refused)


def _amounts_of(trace: Trace) -> list[tuple[str, float]]:
    """What is recorded of time, tokens and cost."""
    found = trace.model_dump(exclude={"calls"}, exclude_none=True)
    if "total_tokens" in found or "input_tokens" in found or "output_tokens" in found:
        found |= {name: found.get(name) for name in ("total_tokens", "input_tokens", "output_tokens")}
    return list(found.items())


def _place(before: int, is_system: Sequence[bool]) -> int | None:
    """The utterance to which something belongs; None: the system said nothing in that turn."""
    if before < 0:  # of the whole dialogue, which may be one turn
        return is_system.index(True) if sum(is_system) == 1 else None
    if is_system[before : before + 1] == [True]:
        return before
    return before - 1 if before and is_system[before - 1] else None


def _calls_of(part: JsonObject) -> Iterator[dict[str, Any]]:
    given = part.get("tool_calls")
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict):
            function = each.get("function")
            yield _call(function if isinstance(function, dict) else each, each.get("id"))
    if isinstance(part.get("function_call"), dict):
        yield _call(part["function_call"], None)
    if part.get("type") in CALLS:
        yield _call(part, part.get("call_id") or part.get("id"))
    if part.get("role") in CALLS and isinstance(part.get("content"), str):  # as ShareGPT's logs have it
        written = _from_json(part["content"])
        yield _call(written if isinstance(written, dict) else {"arguments": written}, None)


def _call(given: JsonObject, name_of: object) -> dict[str, Any]:
    arguments = next((given[key] for key in ("arguments", "input", "args", "parameters") if key in given), None)
    if isinstance(arguments, str):
        arguments = _from_json(arguments)
    return {
        "name": str(given.get("name") or ""),
        "id": None if name_of is None else str(name_of),
        "arguments": arguments,
    }


def _from_json(text: str) -> JsonValue:
    """Arguments as the model wrote them, where they are JSON; else the text."""
    try:
        value: JsonValue = json.loads(text) if text.strip() else {}
    except ValueError:
        return text
    return value


def _results_of(part: JsonObject) -> Iterator[dict[str, Any]]:
    is_message = part.get("role") in TOOL_ROLES
    if not is_message and part.get("type") not in RESULTS:
        return
    value = next((part[key] for key in ("content", "output", "response", "result") if key in part), None)
    if isinstance(value, list) and value and all(isinstance(each, dict) and "text" in each for each in value):
        value = "\n".join(str(each["text"]) for each in value)
    keys = ("tool_call_id", "tool_use_id", "call_id", "id")
    name_of = next((part[key] for key in keys if part.get(key) is not None), None)
    yield {
        "name": part.get("name"),
        "id": None if name_of is None else str(name_of),
        "result": value,
        "error": _error_of(part, value),
        "latency_s": seconds_in(part),
    }


def _error_of(part: JsonObject, result: object) -> str | None:
    """The error that a result is, by its flag, its fields, or its first word."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    if part.get("is_error") is True or str(part.get("status")).lower() in ("error", "failed", "failure"):
        return text
    own = part.get("error")
    if own not in (None, "", False):
        return own if isinstance(own, str) else json.dumps(own, ensure_ascii=False, default=str)
    inner = _from_json(result) if isinstance(result, str) and result.lstrip().startswith("{") else result
    if isinstance(inner, dict) and _says_error({key.lower(): value for key, value in inner.items()}):
        return text
    return result if isinstance(result, str) and ERROR.match(result) else None


def _says_error(fields: Mapping[str, object]) -> bool:
    """Whether an object that a tool returned is an error: by a field of errors, of success, or of a status."""
    if any(
        fields.get(key) not in (None, "", False, 0, [], {}) for key in (*ERRORS, "errormessage", "iserror", "is_error")
    ):
        return True
    if fields.get("success") is False or fields.get("ok") is False:
        return True
    return (
        stop_in({key.replace("statuscode", "status_code"): fields[key] for key in fields if key in _OF_STATUS})
        is not None
    )


def _refusal(call: Mapping[str, Any], tools: Mapping[str, str]) -> str | None:
    """Why a call does not fit the declared tools; None: it does."""
    if call["name"] not in tools:
        return f"no tool of this name is declared: {call['name']!r}"
    validator = _validator(tools[call["name"]])
    if validator is None:
        return None
    from referencing.exceptions import Unresolvable

    try:
        first = next(iter(validator.iter_errors(call["arguments"])), None)
    except (Unresolvable, RecursionError):  # a schema that refers to what the log does not hold refuses nothing
        return None
    return None if first is None else str(first.message)


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    """The validator of a JSON Schema, which fetches nothing; None: it is none."""
    import jsonschema  # here: few logs declare tools
    from referencing import Registry

    value = json.loads(schema)
    if not isinstance(value, dict):
        return None
    kind = jsonschema.validators.validator_for(value, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(value)
    except jsonschema.SchemaError:
        return None
    return kind(value, registry=Registry())


def declared_tools(entry: Mapping[str, Any]) -> dict[str, str] | None:
    """JSON Schemas of arguments by name of the tool, as OpenAI's and Anthropic's requests declare them; None: none are."""
    given = entry.get("tools")
    tools = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    inner = [each["function"] if isinstance(each.get("function"), dict) else each for each in tools]
    found = {
        each["name"]: json.dumps(each.get("parameters", each.get("input_schema")), sort_keys=True, default=str)
        for each in inner
        if isinstance(each.get("name"), str)
    }
    return found or None
