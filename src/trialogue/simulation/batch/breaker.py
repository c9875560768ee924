"""Circuit breaker of a batch: when dialogues fail one after another for one cause, no more of their kind are started.

An agent that cannot be reached, a refused key or a rate limit that persists fails every dialogue alike. The remaining
dialogues of that agent with those users are not started, so that the same command can run them later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.errors import TrialogueError
from trialogue.records import Dialogue, Ending, Fault
from trialogue.records.files.jsonl import parse_line
from trialogue.records.kinds.endings import FAILURES
from trialogue.simulation.batch.plan import Pair
from trialogue.simulation.batch.workers import FinishedDialogue

STOP_AFTER = (
    10  # by chance, ten in a row happen once in 10^10 with one failure in ten, once in a thousand with every second
)

EXTERNAL = frozenset({Ending.AGENT_UNREACHABLE, *(ending for ending in FAILURES if ending.fault is not Fault.AGENT)})
"""Failures that say nothing about the agent's replies. On request they are run again; a row of them opens the breaker."""


@dataclass(frozen=True)
class Outage:
    """An agent whose dialogues with some users all failed for one cause, in a row."""

    agent: str
    """Its name."""
    users: str
    """Name of the users."""
    ending: Ending
    """How the dialogues ended."""
    count: int
    """How many in a row."""
    detail: str
    """Cause, in the last of them."""

    def __str__(self) -> str:
        """In one line, such as ``agent 'mine' with cir6-pkg: 10 dialogues in a row ended by a rate limit (...)``."""
        detail = f" ({' '.join(self.detail.split())[:300]})" if self.detail else ""
        what = f"{self.count} dialogues in a row ended by {self.ending.words}{detail}"
        return f"agent {self.agent!r} with {self.users}: {what}"


class Halted(TrialogueError):  # noqa: N818 - a state of the batch, which the user resumes
    """Dialogues were not started because those before them failed in a row."""

    def __init__(self, outages: Sequence[Outage], *, kept: int, total: int, ledger: str) -> None:
        self.outages, self.kept, self.total, self.ledger = tuple(outages), kept, total, ledger
        causes = "; ".join(map(str, outages))
        super().__init__(
            f"Stopped early: {causes}. {kept:,} of {total:,} dialogues are kept in {ledger}. Remove the cause, then run the "
            "same command again with --retry-failed (retry_failed: true) to resume and to repeat the failed dialogues."
        )


class Breaker:
    """Watches dialogues as they end, and says which agents and users are to start no more.

    Only ``EXTERNAL`` failures open it: an agent that fails by itself in every dialogue is a result.
    """

    def __init__(self, stop_after: int) -> None:
        """``stop_after``: failures in a row; 0: never."""
        self._stop_after = stop_after
        self._rows: dict[Pair, tuple[Ending, int]] = {}
        self._outages: dict[Pair, Outage] = {}

    def take(self, ended: FinishedDialogue) -> None:
        """One dialogue is over."""
        pair, ending = (ended.agent, ended.users), ended.ended_by
        if ending is None or not ending.is_failure:
            self._rows.pop(pair, None)
            return
        before, count = self._rows.get(pair, (ending, 0))
        count = count + 1 if before is ending else 1
        self._rows[pair] = (ending, count)
        if self._stop_after and ending in EXTERNAL and count >= self._stop_after and pair not in self._outages:
            detail = parse_line(ended.line.decode("utf-8", "surrogatepass"), {Dialogue.kind: Dialogue}).ending_detail
            self._outages[pair] = Outage(*pair, ending, count, detail or "")

    def is_open(self, pair: Pair) -> bool:
        """Whether no more dialogues of this agent with these users are to be started."""
        return pair in self._outages

    @property
    def outages(self) -> tuple[Outage, ...]:
        """What opened it, in order."""
        return tuple(self._outages.values())
