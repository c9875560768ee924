"""Failures of agents that say more: whether asking again may help, and what the agent had really answered."""

from collections.abc import Callable

from trialogue.agents.base import AgentFailure, FailureKind

KEPT = 10_000  # characters of an unreadable answer that are kept; more fills a ledger and helps nobody
SHOWN = 200  # characters of it in the message


class PassingFailure(AgentFailure):
    """One that may pass: the same request may succeed after a while."""

    def __init__(self, kind: FailureKind, detail: str, *, heard: bool, after_s: float | None = None) -> None:
        super().__init__(kind, detail)
        self.heard = heard
        """Whether the agent may have heard the message, so that one that keeps a state would hear it twice."""
        self.after_s = after_s
        """Seconds after which the server asked to be asked again; None: it did not say."""

    def __reduce__(self) -> tuple[Callable[..., AgentFailure], tuple[object, ...]]:
        """How to make it again in another process."""
        return _passing, (self.kind, self.detail, self.heard, self.after_s)


class UnreadableAnswer(AgentFailure):
    """An answer that is not in the agent's protocol, kept as it came (its first 10,000 characters)."""

    def __init__(self, detail: str, raw: str) -> None:
        raw = raw[:KEPT]
        super().__init__("malformed", f"{detail} It begins: {excerpt(raw)}" if raw else detail)
        self.what = detail
        """What is wrong with it."""
        self.raw = raw
        """The answer as it came."""

    def __reduce__(self) -> tuple[Callable[..., AgentFailure], tuple[object, ...]]:
        """How to make it again in another process."""
        return type(self), (self.what, self.raw)


def _passing(kind: FailureKind, detail: str, heard: bool, after_s: float | None) -> PassingFailure:
    return PassingFailure(kind, detail, heard=heard, after_s=after_s)


def excerpt(text: str, *, longest: int = SHOWN) -> str:
    """The beginning of a text in quotes, on one line.

    >>> excerpt("<html>\\n  <body>", longest=8)
    "'<html> <…'"
    """
    line = " ".join(text[: 4 * longest].split())
    return repr(line if len(line) <= longest else line[:longest] + "…")
