"""Failures of agents and models, with what may help; calls of third-party code end in one or in a result."""

import contextlib
import errno
import queue
import threading
import traceback
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from trialogue.errors import TrialogueError
from trialogue.records import Ending, RetryCost
from trialogue.records.trace import Trace

KEPT = 10_000  # characters of an unreadable answer that are kept; more fills a ledger and helps nobody
SHOWN = 200  # characters of it in the message


FailureKind = Literal[
    "unreachable", "timeout", "error", "malformed", "empty", "tool_call", "closed", "rate_limited", "harness"
]

_ENDINGS: Mapping[FailureKind, Ending] = MappingProxyType(
    {
        "unreachable": Ending.AGENT_UNREACHABLE,
        "timeout": Ending.AGENT_TIMEOUT,
        "error": Ending.AGENT_ERROR,
        "malformed": Ending.AGENT_INVALID_REPLY,
        "empty": Ending.AGENT_INVALID_REPLY,
        "tool_call": Ending.AGENT_TOOL_CALL,
        "closed": Ending.AGENT_ERROR,
        "rate_limited": Ending.RATE_LIMITED,
        "harness": Ending.HARNESS_ERROR,
    }
)


class AgentFailure(TrialogueError):  # noqa: N818 - a failure of the agent, recorded, not an error of ours
    """Failure of an agent to reply, after its own retries.

    ``kind`` is one of unreachable (no connection), timeout (no answer in time), error (it answered with an error or
    crashed), malformed (an answer that is not in its protocol), empty (no text), tool_call (it asked for a
    tool that nobody runs), closed (it ended the session itself
    without saying so). Two are not the agent's fault: rate_limited (a server refused further requests, HTTP 429) and
    harness (this machine or its configuration: a full disk, a refused credential, no network).
    """

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(f"agent failure ({kind}): {detail}")
        self.kind: FailureKind = kind
        self.detail = detail
        self.retries = RetryCost()
        """Cost of the retries before giving up."""
        self.trace: Trace | None = None
        """What the agent did for the turn before it failed, such as calls of tools; None: nothing is known."""

    @property
    def ending(self) -> Ending:
        """The dialogue ending that this failure causes."""
        return _ENDINGS[self.kind]

    def __reduce__(self) -> tuple[Callable[..., TrialogueError], tuple[object, ...]]:
        """Pickle support, since exceptions are otherwise recreated from their message."""
        return type(self), (self.kind, self.detail)


class PassingFailure(AgentFailure):
    """Transient failure: the same request may succeed later."""

    def __init__(self, kind: FailureKind, detail: str, *, heard: bool, after_s: float | None = None) -> None:
        super().__init__(kind, detail)
        self.heard = heard
        """Whether the agent may have heard the message, so that one that keeps a state would hear it twice."""
        self.after_s = after_s
        """Seconds after which the server asked to be asked again; None: it did not say."""

    def __reduce__(self) -> tuple[Callable[..., AgentFailure], tuple[object, ...]]:
        """Pickle support."""
        return _passing_failure, (self.kind, self.detail, self.heard, self.after_s)


class UnreadableAnswer(AgentFailure):
    """Response that violates the agent's protocol, kept as received (first 10,000 characters)."""

    def __init__(self, detail: str, raw: str) -> None:
        raw = raw[:KEPT]
        super().__init__("malformed", f"{detail} It begins: {excerpt(raw)}" if raw else detail)
        self.what = detail
        """Cause."""
        self.raw = raw
        """The answer as it came."""

    def __reduce__(self) -> tuple[Callable[..., AgentFailure], tuple[object, ...]]:
        """Pickle support."""
        return type(self), (self.what, self.raw)


def _passing_failure(kind: FailureKind, detail: str, heard: bool, after_s: float | None) -> PassingFailure:
    return PassingFailure(kind, detail, heard=heard, after_s=after_s)


def excerpt(text: str, *, longest: int = SHOWN) -> str:
    r"""Quoted beginning of a text, on one line.

    >>> excerpt("<html>\n  <body>", longest=8)
    "'<html> <…'"
    """
    line = " ".join(text[: 4 * longest].split())
    return repr(line if len(line) <= longest else line[:longest] + "…")


Result = TypeVar("Result")
FRAMES = 3  # innermost lines of a traceback in a failure; the place of the mistake, not the way to it


def call_foreign(call: Callable[[], Result], *, what: str, timeout_s: float | None = None) -> Result:
    """Call third-party code and return its result.

    With a time limit it runs in a thread of its own, which cannot be stopped: it is left behind when time is up.

    Raises:
        AgentFailure: error, with the exception and its innermost lines, also for SystemExit; harness, if the disk is full;
            timeout; or its own.
    """
    if timeout_s is None:
        return _guard(call, what)
    box: queue.SimpleQueue[Callable[[], Result]] = queue.SimpleQueue()
    threading.Thread(target=lambda: box.put(_outcome(call, what)), daemon=True, name=f"agent: {what}").start()
    try:
        return box.get(timeout=timeout_s)()
    except queue.Empty:
        raise AgentFailure("timeout", f"{what} did not return within {timeout_s:g} s (timeout_s).") from None


def _outcome(call: Callable[[], Result], what: str) -> Callable[[], Result]:
    """Outcome as a callable that returns or raises it in the waiting thread."""
    try:
        result = _guard(call, what)
    except AgentFailure as failure:
        return _raiser(failure)
    return lambda: result


def _raiser(failure: AgentFailure) -> Callable[[], Any]:
    def fail() -> Any:
        raise failure

    return fail


def _guard(call: Callable[[], Result], what: str) -> Result:
    try:
        return call()
    except AgentFailure:
        raise
    except (Exception, SystemExit) as error:
        kind: FailureKind = "harness" if is_full_disk(error) else "error"
        raise AgentFailure(kind, f"{what} raised {describe_error(error)}") from error


def is_full_disk(error: BaseException) -> bool:
    """Whether an exception or one of its causes reports a full disk, which is this machine's fault."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return False


def describe_error(error: BaseException) -> str:
    """Describe an exception with the innermost frames of its traceback."""
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return text + "".join(f"\n  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames)


def call_quietly(call: Callable[[], object]) -> None:
    """Call a clean-up function, ignoring any exception."""
    with contextlib.suppress(AgentFailure):
        _guard(call, "closing")
