"""Endings of dialogues, and the party at fault for a failure: two closed enumerations.

A failure is attributed to the party that caused it. Only the agent's own failures count against the agent; a rate limit, a
lost process or a full disk says nothing about the recommender, and such a dialogue is missing data.
"""

from enum import StrEnum
from typing import Self

from pydantic import Field

from trialogue.records.base import Record


class Fault(StrEnum):
    """Party that caused a failure."""

    AGENT = "agent"
    """The recommender under test."""
    USER = "user"
    """The simulated user, with its understanding and wording."""
    JUDGE = "judge"
    """A model that judged the dialogue while it ran."""
    HARNESS = "harness"
    """The environment of the dialogue: processes, disk, network, credentials, rate limits."""
    UNKNOWN = "unknown"
    """Nothing records which party it was."""


class Ending(StrEnum):
    """Reason why a dialogue ended."""

    words: str
    """What ended it, after "ended by"."""
    fault: Fault | None
    """Party that caused the failure; None for a regular ending."""

    def __new__(cls, code: str, words: str = "", fault: Fault | None = None) -> Self:
        """Create a member whose value is the code alone.

        >>> Ending("agent_error").words
        'an error of the agent'
        """
        member = str.__new__(cls, code)
        member._value_, member.words, member.fault = code, words, fault
        return member

    AGENDA_EMPTY = "agenda_empty", "the end of the user's agenda"
    """The user had done everything on the agenda."""
    USER_GAVE_UP = "user_gave_up", "a user who gave up"
    """The user's patience was at its end."""
    USER_ENDED = "user_ended", "the user"
    """The user left, for no reason that is recorded."""
    AGENT_ENDED = "agent_ended", "the agent"
    """The agent regarded the dialogue as over."""
    TURN_LIMIT = "turn_limit", "the turn limit"
    """The dialogue reached the maximum number of turns."""
    OTHER = "other", "another cause"
    """Another reason that is no failure; ``Dialogue.ending_detail`` contains the message of the party that ended it."""

    AGENT_ERROR = "agent_error", "an error of the agent", Fault.AGENT
    """The agent raised, answered with an error status, hung up, or its process ended."""
    AGENT_TIMEOUT = "agent_timeout", "a timeout of the agent", Fault.AGENT
    """The agent did not answer in time."""
    AGENT_UNREACHABLE = "agent_unreachable", "an agent that could not be reached", Fault.AGENT
    """The agent took no connection, or could not be started."""
    AGENT_INVALID_REPLY = "agent_invalid_reply", "an invalid reply of the agent", Fault.AGENT
    """The agent's answer was not in its protocol, or held no text."""
    AGENT_TOOL_CALL = "agent_tool_call", "a call of a tool that nobody runs", Fault.AGENT
    """The agent answered with a call of a tool that nobody runs for it."""
    RATE_LIMITED = "rate_limited", "a server's rate limit", Fault.HARNESS
    """A server refused further requests (HTTP 429) until the retries were used up."""
    USER_ERROR = "user_error", "an error of the simulated user", Fault.USER
    """The simulated user failed."""
    JUDGE_ERROR = "judge_error", "an error of the judge", Fault.JUDGE
    """A judge that took part in the dialogue failed."""
    LOST = "lost", "the death of its process", Fault.HARNESS
    """The process that ran the dialogue died each time it tried."""
    HARNESS_ERROR = "harness_error", "an error of the machine or its configuration", Fault.HARNESS
    """The machine or its configuration failed: a full disk, a refused credential, no network."""
    UNKNOWN_FAILURE = "unknown_failure", "an unknown failure", Fault.UNKNOWN
    """A failure of unknown cause, or a word in an old file that may not mean a failure."""

    @property
    def is_failure(self) -> bool:
        """Whether it is a failure, whichever party caused it."""
        return self.fault is not None


FAILURES = frozenset(ending for ending in Ending if ending.is_failure)
"""The endings that are failures."""


def failures_of(fault: Fault) -> frozenset[Ending]:
    """Endings that are failures of one party."""
    return frozenset(ending for ending in Ending if ending.fault is fault)


class RetryCost(Record):
    """Cost of retries in a dialogue."""

    count: int = Field(default=0, ge=0)
    """Requests that failed and were made again."""
    waited_s: float = Field(default=0.0, ge=0)
    """Seconds spent waiting before they were made again, to the millisecond."""

    def __add__(self, other: "RetryCost") -> "RetryCost":
        """Sum of both costs."""
        return RetryCost(count=self.count + other.count, waited_s=round(self.waited_s + other.waited_s, 3))


def regular_ending(word: str) -> tuple[Ending, str | None]:
    """Map the word with which a user or another program ended a dialogue to (ending, detail).

    A word that is not one of the regular endings becomes ``other`` and is kept as the detail. Nobody reports a failure of
    somebody else in this way.

    >>> regular_ending("user_gave_up"), regular_ending("bored")
    ((<Ending.USER_GAVE_UP: 'user_gave_up'>, None), (<Ending.OTHER: 'other'>, 'bored'))
    """
    try:
        ending = Ending(word)
    except ValueError:
        return Ending.OTHER, word
    return (Ending.OTHER, word) if ending.is_failure else (ending, None)
