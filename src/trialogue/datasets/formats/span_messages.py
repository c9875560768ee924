"""Messages that spans of models hold, by the conventions for generative AI (before and from 1.37) and OpenInference's."""

from collections.abc import Iterator

from trialogue.datasets.door.histories import SYSTEM, Piece, Step
from trialogue.datasets.formats.spans import Span, decode, nest, objects_in
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.json_objects import JsonObject


def messages_of(span: Span, names: tuple[str, ...], report: ParseReport) -> list[JsonObject]:
    """What a span holds under one of these names: a list, a list as text, or one attribute for each part of it."""
    for name in names:
        if name in span.fields:
            found = decode(span.fields[name])
            if not isinstance(found, list):
                report.mend("messages of a span are not JSON (cut off by a limit on attributes?)", name, line=span.line)
                return []
        else:
            found = nest(span.fields, name)
        if found:
            return [_message(each) for each in objects_in(found)]
    return []


def _message(given: JsonObject) -> JsonObject:
    """A message of any of the conventions with its parts as ``content``."""
    message = given["message"] if isinstance(given.get("message"), dict) else given
    parts = message.get("parts", message.get("contents", message.get("content")))
    parts = parts if isinstance(parts, list) else [] if parts in (None, "") else [{"type": "text", "content": parts}]
    for call in objects_in(message.get("tool_calls")):
        inner = call.get("tool_call", call)
        function = inner.get("function", inner)
        parts = [*parts, {**function, "type": "tool_call", "id": inner.get("id")}]
    role = str(message.get("role") or "user")
    if role in ("tool", "function") and not any(_kind(part) == "tool_call_response" for part in parts):
        answer = {"type": "tool_call_response", "id": message.get("tool_call_id"), "response": message.get("content")}
        parts = [answer]
    return {"role": role, "content": parts}


def _kind(part: object) -> object:
    return part.get("type") if isinstance(part, dict) else None


def pieces_of(message: JsonObject, step: Step | None = None) -> Iterator[Piece]:
    """The parts of a message as those of a history; ``step``: whose answer it is."""
    calls = any(_kind(part) == "tool_call" for part in message["content"])
    for place, given in enumerate(message["content"]):
        part = given.get("message_content", given) if isinstance(given, dict) else {"type": "text", "content": given}
        kind, role = str(part.get("type")), str(message["role"])
        if kind in ("text", "reasoning", "thinking"):
            words = part.get("content", part.get("text"))
            part = {"type": "text" if kind == "text" else "reasoning", "text": "" if words is None else words}
        elif kind == "tool_call":
            role = SYSTEM
            part = {"type": kind, **{name: part.get(name) for name in ("id", "name", "arguments")}}
        elif kind == "tool_call_response":
            role, result = "tool", part.get("response", part.get("result"))
            part = {"type": kind, "id": part.get("id"), "response": result}
        role = SYSTEM if role in ("model", "assistant") else role
        yield Piece(role, part, opens=not place, step=step, is_beside=calls and kind == "text")
