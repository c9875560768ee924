"""Check HTTP responses: status codes, invalid text, secrets; and put together those that come in pieces."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from trialogue.transport.failures import AgentFailure, FailureKind, PassingFailure, UnreadableAnswer
from trialogue.transport.http import HttpResponse
from trialogue.transport.retry import retry_after_s

OURS_TO_MEND = (401, 402, 407)
"""Statuses of a wrong key, an unpaid bill or a proxy: the user of Trialogue has to remove the cause."""
MODEL_IS_OURS_TO_MEND = (*OURS_TO_MEND, 403, 404)
"""The same of an endpoint of models: it has no such model or address, or does not grant it to this key."""
DOWN = (502, 503)
"""Statuses with which a proxy says that the server behind it does not answer."""
LONGEST_TEXT = 100_000  # characters of a message, about 60 pages: above any reply, below what hurts


def check_success(answer: HttpResponse, url: str, *, ours: Collection[int] = OURS_TO_MEND) -> HttpResponse:
    """Return the response if its status is a success, else raise a failure.

    Args:
        answer: the response.
        url: of the server, for messages.
        ours: statuses that are a mistake in our configuration and no failure of the server.

    Raises:
        AgentFailure: its status is another; a ``PassingFailure`` for 429 and for 5xx.
    """
    if 200 <= answer.status < 300:
        return answer
    shown = answer.body[:2_000].decode(errors="replace")
    what = f"{url} answered with status {answer.status}. Its body: {' '.join(shown.split())[:500] or 'empty'}"
    if answer.status == 429 or answer.status >= 500:
        after_s = retry_after_s(answer.headers.get("Retry-After"))
        kind: FailureKind = "rate_limited" if answer.status == 429 else "error"
        kind = "unreachable" if answer.status in DOWN else kind
        raise PassingFailure(kind, what, heard=answer.status not in (429, 503), after_s=after_s)
    if 300 <= answer.status < 400:
        what += f" It redirects to {answer.headers.get('Location')}: give that address, if it is the agent's."
    if answer.status in (401, 403):
        what += " Is the key in the environment variable correct?"
    raise AgentFailure("harness" if answer.status in ours else "error", what)


def hidden(failure: AgentFailure, hide: Callable[[str], str]) -> AgentFailure:
    """Copy of a failure with secrets redacted; the failure itself if it contains none."""
    raw = failure.raw if isinstance(failure, UnreadableAnswer) else ""
    if hide(failure.detail) == failure.detail and hide(raw) == raw:
        return failure
    if isinstance(failure, UnreadableAnswer):
        return UnreadableAnswer(hide(failure.what), hide(raw))
    clean = AgentFailure(failure.kind, hide(failure.detail))
    clean.retries = failure.retries
    return clean


def redactor(secrets: Mapping[str, str]) -> Callable[[str], str]:
    """Create a function that redacts secrets in a text, except those shorter than four characters."""
    hidden = [value for value in secrets.values() if len(value) >= 4]
    if not hidden:
        return lambda text: text
    pattern = re.compile("|".join(re.escape(value) for value in sorted(hidden, key=len, reverse=True)))
    return lambda text: pattern.sub("***", text)


def checked_text(text: object, *, longest: int = LONGEST_TEXT) -> str:
    """Validate that a text can be stored, and return it.

    Raises:
        AgentFailure: (malformed) it is no text, too long, or holds half a surrogate pair, which is not Unicode.
    """
    if not isinstance(text, str):
        raise AgentFailure("malformed", f"answered with {kind_of(text)} where text is expected.")
    if len(text) > longest:
        raise UnreadableAnswer(
            f"answered with a message of {len(text):,} characters; at most {longest:,} are allowed (longest_text).",
            text,
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise AgentFailure("malformed", f"character {error.start} of its answer is half a surrogate pair.") from error
    return text


ERRORS = ("error", "errors", "exception", "error_message", "failure", "detail", "fault")
"""Fields in which servers say what went wrong."""


def error_words(answer: object) -> str:
    """The server's own words about a failure in a JSON answer, at most 300 characters; "" if it has none.

    >>> error_words({"text": "", "error": {"type": "overloaded", "message": "model overloaded"}})
    'overloaded: model overloaded'
    >>> error_words({"status": "error", "message": "try later"}), error_words({"text": "hi", "error": None})
    ('try later', '')
    """
    if not isinstance(answer, Mapping):
        return ""
    found = next((answer[name] for name in ERRORS if answer.get(name)), None)
    if found is None and str(answer.get("status", "")).lower() in ("error", "failed", "failure"):
        found = answer.get("message") or answer.get("reason")
    if isinstance(found, Mapping):
        parts = [str(found[name]) for name in ("type", "code", "message", "detail") if found.get(name)]
        found = ": ".join(parts) or dict(found)
    return "" if found is None or found is True else " ".join(str(found).split())[:300]


def kind_of(value: object) -> str:
    """Type of a value in words, for error messages."""
    names = {type(None): "nothing (null)", dict: "an object", list: "a list", bool: "true or false", int: "a number"}
    return names.get(type(value), f"a {type(value).__name__}")


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
