"""Declarative HTTP requests to an agent, and parsing of a turn from the response.

Request templates from YAML: placeholders in any string of a tree, and paths into the response.

A string that consists of one placeholder becomes the value itself (``"{history}"`` a list, ``"{seed}"`` a number); within
other text the value is formatted. ``{{`` and ``}}`` stand for braces. Placeholders:

=================  =========================================================================================================
``{message}``      the user's text to be answered
``{dialogue_id}``  id of the conversation
``{seed}``         random seed for the agent
``{turn}``         number of the user's turn, from 1
``{history}``      all utterances, ``{"speaker": "user" or "system", "text": ...}``, the message included
``{messages}``     the same as ``{"role": "user" or "assistant", "content": ...}``, then calls of this turn and their results
``{tools}``        tools that the agent is offered, as OpenAI's chat API takes functions
``{tool_calls}``   calls that were executed in this turn: ``{"id", "name", "arguments", "result"}``, or ``"error"``
``{context}``      texts before the message, user and system alternating, from the user's first; bursts joined by a space
``{env:NAME}``     the environment variable NAME, for secrets: its value is never printed
=================  =========================================================================================================
"""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from trialogue.agents.base import Turn
from trialogue.agents.protocols.protocol import object_of, parse_answer, parse_turn
from trialogue.agents.replies import is_silent, members_of, refuse_tool_call, reported_call, spoken_texts, turn_of
from trialogue.agents.tools.toolbox import TurnTools, call_messages
from trialogue.errors import UnknownNameError, UsageError
from trialogue.llm.machine_text import waits_for_tool
from trialogue.records import JsonValue, Record, Utterance
from trialogue.records.files.json_paths import ABSENT, value_at
from trialogue.records.trace import ToolCall
from trialogue.transport.answers import error_words, is_stream, whole_answer
from trialogue.transport.failures import AgentFailure, UnreadableAnswer
from trialogue.transport.http import HttpResponse

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
ROLES = {"user": "user", "system": "assistant"}
NAMES = ("message", "dialogue_id", "seed", "turn", "history", "messages", "context", "tools", "tool_calls")

Values = Mapping[str, JsonValue]


class _Values(dict[str, Any]):
    """Values of placeholders, each made when a template asks for it."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        super().__init__()
        self._makers = makers

    def __missing__(self, name: str) -> Any:
        return self._makers[name]()


def values_of(history: Sequence[Utterance], dialogue_id: str, seed: int, tools: TurnTools | None = None) -> Values:
    """Values of the placeholders in one turn; before the first, ``message`` is "" and ``turn`` 0."""
    made = tools.calls if tools is not None else []
    return _Values(
        {
            "message": lambda: history[-1].text if history else "",
            "dialogue_id": lambda: dialogue_id,
            "seed": lambda: seed,
            "turn": lambda: sum(utterance.speaker == "user" for utterance in history),
            "history": lambda: spoken_texts(history),
            "messages": lambda: [
                *({"role": ROLES[said.speaker], "content": said.text} for said in history),
                *(call_messages("", made) if made else ()),
            ],
            "tools": lambda: tools.schemas if tools is not None else [],
            "tool_calls": lambda: [
                {"id": each.id, "name": each.name, "arguments": each.arguments}
                | ({"result": each.result} if each.error is None else {"error": each.error})
                for each in made
            ],
            "context": lambda: _alternate(history),
        }
    )


def _alternate(history: Sequence[Utterance]) -> list[str]:
    """Texts before the last user turn, one for each turn, beginning with the user."""
    turns = [(who, " ".join(said.text for said in run)) for who, run in groupby(history, key=lambda said: said.speaker)]
    if turns and turns[0][0] == "system":
        turns = turns[1:]
    return [text for _, text in turns[:-1]]


def fill_template(template: JsonValue, values: Values, secrets: Mapping[str, str]) -> JsonValue:
    """Copy of a template with placeholders replaced by values.

    >>> fill_template({"text": "{message}", "to": "user {turn}"}, {"message": "hi", "turn": 1}, {})
    {'text': 'hi', 'to': 'user 1'}
    """
    if isinstance(template, str):
        return _filled_text(template, values, secrets)
    if isinstance(template, list):
        return [fill_template(part, values, secrets) for part in template]
    if isinstance(template, dict):
        return {key: fill_template(part, values, secrets) for key, part in template.items()}
    return template


def _filled_text(text: str, values: Values, secrets: Mapping[str, str]) -> JsonValue:
    whole = PLACEHOLDER.fullmatch(text)
    if whole and whole[2] and not whole[1]:
        return values[whole[2]]

    def value(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0][0]
        return secrets[match[2]] if match[1] else str(values[match[2]])

    return PLACEHOLDER.sub(value, text)


def check_placeholders(template: JsonValue) -> None:
    """Validate every placeholder of a template.

    Raises:
        UnknownNameError: one that stands for nothing.
    """
    for text in _texts(template):
        for match in PLACEHOLDER.finditer(text):
            if match[2] and not match[1] and match[2] not in NAMES:
                raise UnknownNameError("placeholder", match[2], NAMES, hint="Write literal braces as {{ and }}.")


def secrets_of(template: JsonValue) -> dict[str, str]:
    """Environment variables named in a template, with their values.

    Raises:
        UsageError: some are not set; all of them are named.
    """
    names = sorted({match[2] for text in _texts(template) for match in PLACEHOLDER.finditer(text) if match[1]})
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise UsageError(f"The agent's options name environment variables that are not set: {', '.join(missing)}.")
    return {name: os.environ[name] for name in names}


def _texts(template: JsonValue) -> list[str]:
    if isinstance(template, str):
        return [template]
    parts = template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    return [text for part in parts for text in _texts(part)]


def required_value(value: Any, path: str, raw: str) -> Any:
    """Value at a path that must exist.

    Raises:
        AgentFailure: (malformed) there is nothing, as in an answer of a new schema; says what there is.
    """
    result = value_at(value, path)
    if result is ABSENT or (isinstance(result, list) and any(part is ABSENT for part in result)):
        keys = ", ".join(map(str, value)) if isinstance(value, dict) else ""
        there = f"an object with the keys {keys}" if keys else "an empty object"
        words = error_words(value)
        reported = f" It reports: {words}" if words else ""
        raise UnreadableAnswer(f"its answer contains nothing at {path!r}; it is {there}.{reported}", raw)
    return result


"""Statuses that say that a credential, a payment or a proxy is missing: configuration mistakes, not the agent's. 403 is not
among them, as an agent may refuse a message in this way."""


def _check_template(template: JsonValue) -> JsonValue:
    try:
        check_placeholders(template)
    except UsageError as error:
        raise ValueError(str(error)) from error
    return template


Template = Annotated[JsonValue, AfterValidator(_check_template)]
"""JSON in which texts may hold placeholders."""


class Exchange(Record):
    """One kind of request, and the path of the reply in the response."""

    method: Literal["GET", "POST", "PUT", "DELETE"] = "POST"
    """HTTP method."""
    path: str = ""
    """Added to the agent's URL."""
    body: Template = None
    """Request body, as JSON with placeholders; null: no body."""
    form: Literal["json", "plain", "trialogue"] = "json"
    """Format of the response: JSON with the text at ``reply``; plain text; or our own protocol."""
    reply: str | None = None
    """Path of the text in a JSON response, such as ``message.text``, ``choices.0.text`` or ``/message/text``; ``*`` for
    every member of a list (a burst). "": the whole response. None: the response is ignored."""
    intent: str | None = None
    """Path of the reply's intent, which becomes its dialogue act."""
    ends: dict[str, JsonValue] = Field(default_factory=dict)
    """The agent ends the dialogue if at one of these paths stands this value."""
    calls: str | None = None
    """Path of calls of tools: a list of objects with ``name`` and ``arguments``, or as OpenAI has them. Those with a
    ``result`` or an ``error`` are what an agent of its own tools reports; the others ask for a tool that it is offered."""
    trace_id: str | None = None
    """Path of the id of the trace that the agent recorded of the turn."""
    keep: dict[str, str] = Field(default_factory=dict)
    """Further parts of a response to keep in the turn's ``meta``: path by name; missing parts are omitted."""
    silence: tuple[str, ...] = ()
    """Plain answers with which the agent says nothing."""


def turn_in(answer: HttpResponse, exchange: Exchange, *, longest: int, latency_s: float | None) -> Turn:
    """Parse the turn in a response.

    Raises:
        AgentFailure: malformed, empty, or an error in our own protocol.
    """
    if exchange.form == "trialogue":
        return parse_turn(object_of(answer.body), longest=longest, latency_s=latency_s)
    text = answer.text()
    if text.strip() in exchange.silence:
        raise AgentFailure("empty", f"it answered {text.strip()!r}: it acknowledged the message without a reply.")
    if exchange.form == "plain":
        return turn_of(text, longest=longest, latency_s=latency_s)
    return _turn_in_json(_json_of(answer, text), text, exchange, longest=longest, latency_s=latency_s)


def calls_asked_in(answer: HttpResponse, exchange: Exchange) -> tuple[list[ToolCall], list[str]]:
    """(Calls, texts beside them) of an answer that waits for tools; ([], []): it is a reply.

    Raises:
        AgentFailure: malformed.
    """
    if exchange.calls is None or exchange.form != "json":
        return [], []
    data = _json_of(answer, answer.text())
    found = value_at(data, exchange.calls)
    asked = [reported_call(each) for each in found] if isinstance(found, list) else []
    asked = [each for each in asked if not each.has_result]
    said = [each for each in members_of(value_at(data, exchange.reply or "")) if each is not ABSENT]
    if not asked or not (is_silent(said) or waits_for_tool(data)):
        return [], []
    return asked, [each for each in said if isinstance(each, str) and each.strip()]


def greeting_in(answer: HttpResponse, exchange: Exchange, *, longest: int, latency_s: float | None) -> Turn | None:
    """Parse the greeting in a response; None if there is none.

    Raises:
        AgentFailure: as ``turn_in``.
    """
    if exchange.form == "trialogue":
        return parse_answer(object_of(answer.body), longest=longest, latency_s=latency_s)
    says_nothing = exchange.form == "json" and exchange.reply is None
    if says_nothing or answer.text().strip() in exchange.silence:
        return None
    return turn_in(answer, exchange, longest=longest, latency_s=latency_s)


def _turn_in_json(data: Any, text: str, exchange: Exchange, *, longest: int, latency_s: float | None) -> Turn:
    found = value_at(data, exchange.reply or "")
    refuse_tool_call(data, said=[each for each in members_of(found) if each is not ABSENT])
    said = required_value(data, exchange.reply or "", text)
    ends = any(value_at(data, path) == value for path, value in exchange.ends.items())
    kept = {
        name: value for name, path in exchange.keep.items() if (value := value_at(data, path)) not in (ABSENT, None)
    }
    act = value_at(data, exchange.intent) if exchange.intent else None
    acts = {"acts": [{"intent": act}]} if isinstance(act, str) and act else {}
    messages = [{"text": message, **acts} for message in members_of(said)]
    if (words := error_words(data)) and is_silent(said):
        raise AgentFailure("error", f"answered without any text, and reported: {words}")
    paths = (("tool_calls", exchange.calls), ("trace_id", exchange.trace_id))
    found = {name: value_at(data, path) for name, path in paths if path}
    reported = {name: value for name, value in found.items() if value not in (ABSENT, None)}
    answer = {"messages": messages, "ends": ends, "meta": kept, **reported}
    return turn_of(answer, longest=longest, latency_s=latency_s)


def _json_of(answer: HttpResponse, text: str) -> Any:
    if is_stream(text):
        return whole_answer(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if "html" in answer.headers.get_content_type() or text.lstrip()[:9].lower().startswith(("<!doctype", "<html")):
            raise UnreadableAnswer(
                "it answered with a web page; is this the address of the agent itself?", text
            ) from error
        if not text.strip():
            raise AgentFailure("empty", "it answered with an empty body.") from error
        raise UnreadableAnswer(f"its answer is not JSON ({error}).", text) from error
