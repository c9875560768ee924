"""Find agents that failed in all or too many of their dialogues, which makes the run fail."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from trialogue.records import Dialogue, Fault


@dataclass(frozen=True)
class FailedAgent:
    """An agent whose dialogues all failed, or more of them than allowed, whichever party caused it."""

    agent: str
    dialogues: int
    """Number of dialogues; at least one."""
    users: str = ""
    """The kind of simulated users these were with; "": all kinds together."""
    by_agent: bool = True
    """Whether the agent failed in any of them; False: its simulated users did, or what ran the dialogues."""
    failed: int | None = None
    """Number of dialogues that failed; None: all."""
    most: float = 1.0
    """Largest share of failed dialogues that is allowed."""

    def __str__(self) -> str:
        """Error message of a command after such a run.

        >>> print(FailedAgent("mine", 10, "cir6-pkg"))
        agent 'mine' failed in all of its 10 dialogues with cir6-pkg. To test it alone: trialogue agents check AGENT
        >>> print(FailedAgent("mine", 10, failed=4, most=0.1))
        4 of 10 dialogues of agent 'mine' failed, more than the allowed share of 0.1 (max_failed).
        """
        if self.failed is not None:
            what = f"{self.failed:,} of {self.dialogues:,} dialogues of agent {self.agent!r} failed"
            return f"{what}, more than the allowed share of {self.most:g} (max_failed)."
        which = f"all of its {self.dialogues:,} dialogues" if self.dialogues > 1 else "its only dialogue"
        whom = f" with {self.users}" if self.users else ""
        if not self.by_agent:
            ours = "its simulated users, or what ran them, failed"
            return f"agent {self.agent!r} finished no dialogue{whom}: {ours} in {which}. Each failure names the reason."
        return f"agent {self.agent!r} failed in {which}{whom}. To test it alone: trialogue agents check AGENT"


def find_failed_agents(dialogues: Iterable[Dialogue], *, users: str = "", most: float = 1.0) -> tuple[FailedAgent, ...]:
    """Agents that failed in too many dialogues, in order of appearance; dialogues without a system are skipped.

    Args:
        dialogues: dialogues of any number of agents.
        users: the kind of simulated users that they are with, for the message.
        most: the largest share of failed dialogues that is allowed; an agent that failed in all of them is always found.

    >>> [each.agent for each in find_failed_agents([Dialogue(id="d", system="mine", utterances=(), ended_by="lost")])]
    ['mine']
    """
    held: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    charged: Counter[str] = Counter()
    for dialogue in dialogues:
        if dialogue.system is not None:
            held[dialogue.system] += 1
            failed[dialogue.system] += dialogue.fault is not None
            charged[dialogue.system] += dialogue.fault not in (None, Fault.USER, Fault.HARNESS)
    return tuple(
        FailedAgent(
            agent,
            count,
            users,
            by_agent=charged[agent] > 0,
            failed=None if failed[agent] == count else failed[agent],
            most=most,
        )
        for agent, count in held.items()
        if failed[agent] == count or failed[agent] > most * count
    )
