"""Read failures that other programs recorded beside replies and conversations as typed endings with a fault.

A script that collects replies from a recommender records an error where it got none: a text, an object with type and
message, or only a word such as ``timeout``. Only the recommender and what runs it are involved, so an error that names
neither has an unknown fault and is not guessed. Trialogue's own codes (``agent_error``) are taken as they are.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from trialogue.records import Ending, JsonValue, Speaker

ERRORS = ("error", "exception", "failure", "error_message", "errors", "traceback")
"""Names under which files keep it."""
NOTHING = frozenset({"", "none", "null", "nan", "na", "n/a", "-", "0", "false", "no", "ok", "success"})
"""Values that files contain where nothing failed."""
FAILED = "an error is recorded here, so the system failed to reply"
"""Failure message of readers."""
FAILED_CONVERSATION = "an error is recorded after which the system says nothing more, so the dialogue failed"
PARTS = ("type", "error_type", "code", "status", "name", "message", "detail", "trace", "traceback")
"""Fields of an error object, in the order of output."""

LIMITS: Sequence[tuple[re.Pattern[str], Ending]] = (
    (
        re.compile(r"\b429 client error|status( code)?:? 429\b|^429\b|too many requests|rate.?limit", re.I),
        Ending.RATE_LIMITED,
    ),
    (re.compile(r"no space left on device|disk quota exceeded|\berrno 28\b", re.I), Ending.HARNESS_ERROR),
)
"""Limits of servers and machines, which say nothing of a recommender."""
OF_AGENTS: Sequence[tuple[re.Pattern[str], Ending]] = (
    (
        re.compile(
            r"\b(read|connect(ion)?)? ?timed? ?-?out\b|\btime-?outs?\b|(Read|Connect)Timeout|TimeoutError", re.I
        ),
        Ending.AGENT_TIMEOUT,
    ),
    (
        re.compile(r"connection refused|ConnectionError|max retries exceeded|unreachable|name or service", re.I),
        Ending.AGENT_UNREACHABLE,
    ),
    (re.compile(r"connection (aborted|reset)|remote end closed", re.I), Ending.AGENT_ERROR),
    (
        re.compile(r"\b5\d\d (server )?error|internal server error|bad gateway|service unavailable", re.I),
        Ending.AGENT_ERROR,
    ),
    (re.compile(r"\b4\d\d client error", re.I), Ending.AGENT_ERROR),
    (re.compile(r"JSONDecodeError|expecting value: line 1", re.I), Ending.AGENT_INVALID_REPLY),
)
"""Errors of agents called over a network, most reliable first."""
_REPLIES: Sequence[tuple[re.Pattern[str], Ending]] = (
    *LIMITS,
    (re.compile(r"api.?key|authentication|unauthori[sz]ed|permission denied|\b40[13]\b", re.I), Ending.HARNESS_ERROR),
    (re.compile(r"out of memory|MemoryError|\bOOM\b|\bkilled\b", re.I), Ending.HARNESS_ERROR),
    *OF_AGENTS,
    (re.compile(r"\b5\d\d\b"), Ending.AGENT_ERROR),
    (
        re.compile(r"empty (reply|response|answer|output)|no (reply|response|answer)\b", re.I),
        Ending.AGENT_INVALID_REPLY,
    ),
    (re.compile(r"context.?length|maximum context|content.?filter|too many tokens", re.I), Ending.AGENT_ERROR),
)


def error_key(names: Iterable[str]) -> str | None:
    """The field or column that holds errors; None if there is none."""
    by_name = {name.strip().lower(): name for name in reversed(list(names))}
    return next((by_name[name] for name in ERRORS if name in by_name), None)


def failure_in(given: object) -> tuple[Ending, str | None] | None:
    """Parse a recorded error into (failure, its text); None if nothing failed.

    >>> failure_in({"type": "ReadTimeout", "message": "no answer in 30 s"})
    (<Ending.AGENT_TIMEOUT: 'agent_timeout'>, 'ReadTimeout: no answer in 30 s')
    >>> failure_in("KeyError: 'genre'")
    (<Ending.UNKNOWN_FAILURE: 'unknown_failure'>, "KeyError: 'genre'")
    >>> failure_in("rate_limited"), failure_in(""), failure_in(None)
    ((<Ending.RATE_LIMITED: 'rate_limited'>, None), None, None)
    """
    if given is True:
        return Ending.UNKNOWN_FAILURE, None
    detail = _words(given)
    if detail is None:
        return None
    word = detail.strip().lower()
    if word in set(Ending) and Ending(word).is_failure:
        return Ending(word), None
    ending = next((ending for pattern, ending in _REPLIES if pattern.search(detail)), Ending.UNKNOWN_FAILURE)
    return ending, detail


def _words(given: object) -> str | None:
    """An error as one text; None where nothing failed."""
    if isinstance(given, str):
        return None if given.strip().lower() in NOTHING or _is_measure(given) else given.strip()
    if isinstance(given, Mapping):
        parts = [str(given[name]) for name in PARTS if given.get(name) not in (None, "")]
        return ": ".join(parts) or (str(dict(given)) if given else None)
    if isinstance(given, list | tuple):
        return "; ".join(part for part in map(_words, given) if part) or None
    return None if given is None or given is False or _is_measure(given) else str(given)


def _is_measure(given: object) -> bool:
    """Whether it is a number and no status of a server: a column called ``error`` may hold sizes of errors."""
    try:
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return not (number.is_integer() and 400 <= number < 600)


def ending_in(errors: Iterable[tuple[object, bool]]) -> tuple[Ending, str | None] | None:
    """Failure of a conversation from its messages: the last error that no later system reply follows.

    Args:
        errors: of each message in order what it records, and whether the system says something in it.
    """
    found = None
    for given, is_reply in errors:
        failure = failure_in(given)
        found = failure or (None if is_reply else found)
    return found


def failure_of(
    entry: Mapping[str, object], messages: object, speakers: Mapping[str, Speaker]
) -> tuple[Ending, str | None] | None:
    """Failure of a conversation, from its own error or from an error on a message that nothing follows.

    Args:
        entry: the conversation.
        messages: its messages, with a ``role`` or ``from`` each; one whose role is ``error`` records one, too.
        speakers: whose a role is.
    """
    key = error_key(entry)
    found = failure_in(entry[key]) if key is not None else None
    if found is not None:
        return found
    held = [message for message in messages if isinstance(message, Mapping)] if isinstance(messages, list) else []
    return ending_in((error_of(message), _is_reply(message, speakers)) for message in held)


def error_of(message: Mapping[str, object]) -> object:
    """Error recorded on a message, or None."""
    key = error_key(message)
    if key is not None:
        return message[key]
    return (_message_text(message) or True) if _role(message) in ERRORS else None


def _is_reply(message: Mapping[str, object], speakers: Mapping[str, Speaker]) -> bool:
    return speakers.get(_role(message)) == "system" and bool(_message_text(message))


def _role(message: Mapping[str, object]) -> str:
    return str(message.get("role", message.get("from", ""))).lower()


def _message_text(message: Mapping[str, object]) -> object:
    return message.get("content", message.get("value"))


def error_meta(detail: str | None) -> dict[str, JsonValue]:
    """Metadata that record an error beside a reply."""
    return {} if detail is None else {"error": detail}
