"""Call third-party code with an optional time limit, turning any exception into an agent failure."""

import contextlib
import errno
import queue
import threading
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from trialogue.transport.failures import AgentFailure, FailureKind

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
