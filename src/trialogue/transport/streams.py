"""Answers of OpenAI-compatible servers that come in pieces (server-sent events), put together."""

import json
from typing import Any

from trialogue.transport.failures import AgentFailure, PassingFailure, UnreadableAnswer

EVENTS = ("data:", "event:", ":")
"""What lines of a streamed answer begin with; the last is a comment, with which servers keep a connection open."""
DONE = "[DONE]"


def is_stream(text: str) -> bool:
    """Whether an answer came in pieces."""
    return text.lstrip().startswith(EVENTS)


def whole_answer(text: str) -> dict[str, Any]:
    """The answer that the pieces of a stream make, as the server gives it without streaming.

    Raises:
        AgentFailure: a piece is no JSON, or the stream broke off.
    """
    answer: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    reason, is_done = None, False
    for data in _events(text):
        if data == DONE:
            is_done = True
            break
        chunk = _chunk(data, text)
        if chunk.get("error"):
            return chunk
        answer |= {name: value for name, value in chunk.items() if name != "choices" and value is not None}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            reason = choice.get("finish_reason") or reason
            delta = choice.get("delta")
            if isinstance(delta, dict):
                _add(delta, message, calls)
    if not is_done and reason is None:
        raise PassingFailure(
            "error", "the server broke off in the middle of a streamed answer; did it crash?", heard=True
        )
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    answer.pop("object", None)
    return {**answer, "choices": [{"index": 0, "message": message, "finish_reason": reason}]}


def _events(text: str) -> list[str]:
    """The data of each event: its lines joined."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip():
            found.append([])
        elif line.startswith("data:"):
            found[-1].append(line.removeprefix("data:").removeprefix(" "))
    return ["\n".join(lines) for lines in found if lines]


def _chunk(data: str, raw: str) -> dict[str, Any]:
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer("a piece of the streamed answer is not JSON.", raw) from error
    if not isinstance(chunk, dict):
        raise UnreadableAnswer("a piece of the streamed answer is JSON, but not an object.", raw)
    return chunk


def _add(delta: dict[str, Any], message: dict[str, Any], calls: dict[int, dict[str, Any]]) -> None:
    """Add a piece of a message to what came before: texts are joined, calls by their place."""
    for name in ("content", "refusal", "reasoning_content", "reasoning"):
        if isinstance(delta.get(name), str):
            message[name] = (message.get(name) or "") + delta[name]
    given = delta.get("tool_calls")
    for number, part in enumerate(given if isinstance(given, list) else ()):
        if not isinstance(part, dict):
            raise AgentFailure("malformed", "a call of a tool in the streamed answer is not an object.")
        call = calls.setdefault(_place(part, number), {"id": None, "type": "function", "function": {}})
        call["id"] = part.get("id") or call["id"]
        function = part.get("function")
        for name, text in (function if isinstance(function, dict) else {}).items():
            if isinstance(text, str):
                call["function"][name] = call["function"].get(name, "") + text


def _place(part: dict[str, Any], number: int) -> int:
    place = part.get("index")
    return place if isinstance(place, int) else number
