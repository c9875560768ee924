"""Failures of agents and models: kind, whether a retry may help, and the raw response."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

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
