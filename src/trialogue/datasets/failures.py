"""Read failures that other programs recorded beside replies and conversations as typed endings with a fault.

A script that collects replies from a recommender records an error where it got none: a text, an object with type and
message, or only a word such as ``timeout``. Only the recommender and what runs it are involved, so an error that names
neither has an unknown fault and is not guessed. Trialogue's own codes (``agent_error``) are taken as they are.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from trialogue.datasets.door.values import names_of
from trialogue.records import Ending, JsonValue, Speaker

ERRORS = ("error", "exception", "failure", "error_message", "errors", "traceback")
"""Names under which files keep it."""
NOTHING = frozenset({"", "none", "null", "nan", "na", "n/a", "-", "0", "false", "no", "ok", "success"})
"""Values that files contain where nothing failed."""
FAILED = "this entry records an error instead of a reply and counts as a failure of the system"
"""Failure message of readers."""
FAILED_CONVERSATION = "an error is recorded after which the system says nothing more, so the dialogue failed"
PARTS = ("type", "error_type", "code", "status", "name", "message", "detail", "trace", "traceback", "error", "reason")
"""Fields of an error object, in the order of output."""

Patterns: TypeAlias = tuple[tuple[re.Pattern[str], Ending], ...]


def _patterns(*pairs: tuple[Ending, str]) -> Patterns:
    return tuple((re.compile(pattern, re.IGNORECASE), ending) for ending, pattern in pairs)


USERS = _patterns(
    (
        Ending.USER_ERROR,
        r"\b(users?|customers?|callers?|browser|tab)\W+(\w+ ){0,3}"
        r"(left|timed?.?out|idle|closed|disconnect\w*|abandon\w*|cancel\w*|hung up|went away|abort\w*|gone|inactiv\w+)"
        r"\b|\bclient\W+(has |was )?"
        r"(disconnect\w*|left|went away|hung up|abort\w*|cancel\w*|closed (the )?(connection|request|tab))"
        r"|(closed|cancel\w*|abort\w*|disconnect\w*|abandon\w*) by (the )?(user|client|customer|caller)\b"
        r"|ClientDisconnect\w*|\b499\b|\babandoned\b|\buser[_ ]?(simulator|sim|llm|error)\b",
    ),
)
"""Users who left, or broke off the connection, before they had an answer."""
LIMITS = _patterns(
    (Ending.RATE_LIMITED, r"\b429 client error|status( code)?:? 429\b|^429\b|too many requests|rate.?limit"),
    (
        Ending.HARNESS_ERROR,
        r"no space left on device|disk quota exceeded|\berrno 28\b|not JSON serializable|PicklingError|cannot pickle"
        r"|Unicode(De|En)codeError",
    ),
    (
        Ending.LOST,
        r"KeyboardInterrupt|CancelledError|\bSIG(INT|TERM|KILL|HUP)\b|(exit|return)(ed)?( with)?( code| status)?"
        r" 1(30|37|43)\b|(?<!llama )\b(run|job|batch|pod|worker|node|runner|harness|evaluation|experiment|instance)s?"
        r"\b.{0,30}"
        r"\b(interrupted|cancell?ed|aborted|evicted|preempted|terminated|stopped|died|lost|restarted|shut ?down)\b"
        r"|\b(evicted|preempted|spot interruption)\b|interrupted by (the )?(operator|deploy\w*|system|signal)"
        r"|\b(interrompue?|interrumpid[oa]|interrott[oa]|unterbrochen|abgebrochen)\b",
    ),
    (
        Ending.HARNESS_ERROR,
        r"budget.{0,20}exceeded|recursion.?limit|GraphRecursionError"
        r"|insufficient.?quota|quota.{0,12}exceeded|exceeded.{0,20}quota|billing|credit balance"
        r"|network is (unreachable|down)|temporary failure in name resolution",
    ),
)
"""Limits of servers and machines, which say nothing of a recommender."""
OF_AGENTS = _patterns(
    (
        Ending.AGENT_ERROR,
        r"\b(llama|ollama|vllm|cuda|gguf|triton)\b.{0,60}\b(terminated|crash\w*|error|died|fail\w*|out of memory)\b"
        r"|\b(model|inference|completion)[ _-](server|runner|engine|worker|backend|process)\b",
    ),
    (
        Ending.AGENT_TIMEOUT,
        r"\b(read|connect(ion)?)? ?timed? ?-?out\b|\btime-?outs?\b|(Read|Connect)Timeout|TimeoutError",
    ),
    (Ending.AGENT_UNREACHABLE, r"connection refused|ConnectionError|max retries exceeded|unreachable|name or service"),
    (Ending.AGENT_UNREACHABLE, r"\bENOTFOUND\b|getaddrinfo|\bdns\b"),
    (
        Ending.AGENT_ERROR,
        r"connection (aborted|reset)|remote end closed|ECONNRESET|hang up|hung up|disconnect|broken pipe|\bEOF\b|\bSSL"
        r"|stream (was )?(closed|ended|interrupted)",
    ),
    (Ending.AGENT_ERROR, r"\b5\d\d (server )?error|internal server error|bad gateway|service unavailable"),
    (
        Ending.AGENT_ERROR,
        r"\bserver[ _]?error|\b(model|api|inference)[ _]?error|\b4\d\d client error"
        r"|(http|status|error)\W{0,3}(code\W{0,3})?4\d\d\b",
    ),
    (Ending.AGENT_INVALID_REPLY, r"JSONDecodeError|expecting value: line 1|invalid json|malformed"),
)
"""Errors of agents called over a network, most reliable first."""
_REPLIES = (
    *USERS,
    *LIMITS,
    *_patterns(
        (Ending.HARNESS_ERROR, r"api.?key|authentication|unauthori[sz]ed|permission denied|\b40[13]\b"),
        (Ending.HARNESS_ERROR, r"out of memory|MemoryError|\bOOM\b|\bkilled\b"),
    ),
    *OF_AGENTS,
    *_patterns(
        (Ending.AGENT_ERROR, r"\b5\d\d\b"),
        (Ending.AGENT_INVALID_REPLY, r"empty (reply|response|answer|output)|no (reply|response|answer)\b"),
        (
            Ending.AGENT_ERROR,
            r"context.?(length|window)|maximum (context|.{0,12}tokens)|(prompt|input) is too long|too many tokens"
            r"|content.?(filter|management|policy)|moderation|\bsafety\b|overloaded",
        ),
    ),
)
STATUSES = ("status_code", "http_status", "http_status_code", "http_code", "response_code", "status", "state")
"""Fields that hold the status of an answer or a run."""
STOPS = names_of("stops")
"""Fields that say why a reply or a conversation ended."""
STOP_WORDS: Mapping[str, Ending] = {
    **dict.fromkeys(("error", "errored", "failed", "failure", "crashed", "crash", "exception"), Ending.UNKNOWN_FAILURE),
    **dict.fromkeys(("timeout", "timed_out", "time_out", "agent_timeout"), Ending.AGENT_TIMEOUT),
    **dict.fromkeys(("aborted", "interrupted", "preempted", "killed", "shutdown"), Ending.LOST),
    **dict.fromkeys(("infrastructure_error", "harness_error", "out_of_memory"), Ending.HARNESS_ERROR),
    **dict.fromkeys(("rate_limit", "rate_limited", "rate_limit_exceeded", "throttled"), Ending.RATE_LIMITED),
    **dict.fromkeys(("content_filter", "content_filtered", "safety", "recitation", "blocklist"), Ending.AGENT_ERROR),
    **dict.fromkeys(("context_length_exceeded", "context_length", "model_context_window_exceeded"), Ending.AGENT_ERROR),
    **dict.fromkeys(("too_many_errors", "agent_error", "model_error"), Ending.AGENT_ERROR),
    **dict.fromkeys(("malformed_function_call", "invalid_json", "unexpected_tool_call"), Ending.AGENT_INVALID_REPLY),
    **dict.fromkeys(
        ("user_error", "user_left", "abandoned", "user_disconnected", "client_disconnected"), Ending.USER_ERROR
    ),
}
"""Failures by the words with which programs say why something ended. Limits of tokens are none: there may be a reply."""


def stop_in(fields: Mapping[str, object]) -> str | None:
    """What a status or a reason of an ending says, where it is a failure; None where nothing failed.

    >>> stop_in({"status": 503}), stop_in({"finish_reason": "content_filter"}), stop_in({"status": "closed"})
    ('status 503', 'content_filter', None)
    """
    for name, value in fields.items():
        key = name.lower()
        given = value.get("reason") if isinstance(value, Mapping) else value
        if key in STATUSES and not isinstance(given, bool) and str(given).isdigit() and 400 <= int(str(given)) < 600:
            return f"status {given}"
        if key in (*STATUSES, *STOPS) and isinstance(given, str) and _key_of(given) in STOP_WORDS:
            return given
    return None


def _key_of(word: str) -> str:
    return re.sub(r"[\s.-]+", "_", word.strip().lower())


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
    if (stop := STOP_WORDS.get(_key_of(word), Ending.UNKNOWN_FAILURE)) is not Ending.UNKNOWN_FAILURE:
        return stop, detail
    ending = next((ending for pattern, ending in _REPLIES if pattern.search(detail)), Ending.UNKNOWN_FAILURE)
    return ending, detail


def _words(given: object) -> str | None:
    """An error as one text; None where nothing failed."""
    if isinstance(given, str):
        return None if given.strip().lower() in NOTHING or _is_measure(given) else given.strip()
    if isinstance(given, Mapping):
        parts = [_words(value) or str(value) for name in PARTS if (value := given.get(name)) not in (None, "")]
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
    of_messages = ending_in((error_of(message), _is_reply(message, speakers)) for message in held)
    metadata = entry.get("metadata")
    stops = (stop_in(fields) for fields in (entry, metadata) if isinstance(fields, Mapping))
    return of_messages or failure_in(next((stop for stop in stops if stop is not None), None))


def error_of(message: Mapping[str, object]) -> object:
    """Error recorded on a message, or None."""
    key = error_key(message)
    if key is not None:
        return message[key]
    if _role(message) in ERRORS:
        return _message_text(message) or True
    stop = None if _message_text(message) else stop_in(message)
    is_own = stop is not None and STOP_WORDS.get(_key_of(stop)) is Ending.UNKNOWN_FAILURE
    return Ending.AGENT_ERROR.value if is_own else stop  # a reply's own end is the system's


def _is_reply(message: Mapping[str, object], speakers: Mapping[str, Speaker]) -> bool:
    return speakers.get(_role(message)) == "system" and bool(_message_text(message))


def _role(message: Mapping[str, object]) -> str:
    return str(message.get("role", message.get("from", ""))).lower()


def _message_text(message: Mapping[str, object]) -> object:
    return message.get("content", message.get("value"))


def error_meta(detail: str | None) -> dict[str, JsonValue]:
    """Metadata that record an error beside a reply."""
    return {} if detail is None else {"error": detail}
