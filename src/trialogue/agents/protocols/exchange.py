"""Declarative HTTP requests to an agent, and parsing of a turn from the response."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from trialogue.agents.base import Turn
from trialogue.agents.protocols.protocol import object_of, parse_answer, parse_turn
from trialogue.agents.protocols.templates import check_placeholders, required_value
from trialogue.agents.replies import is_silent, members_of, refuse_tool_call, reported_call, turn_of
from trialogue.errors import UsageError
from trialogue.llm.machine_text import waits_for_tool
from trialogue.records import JsonValue, Record
from trialogue.records.files.json_paths import ABSENT, value_at
from trialogue.records.trace import ToolCall
from trialogue.transport.answers import error_words
from trialogue.transport.failures import AgentFailure, UnreadableAnswer
from trialogue.transport.http import HttpResponse
from trialogue.transport.streams import is_stream, whole_answer

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
