"""Endings of dialogues, and the party at fault for a failure: two closed enumerations.

A failure is attributed to the party that caused it. Only the agent's own failures count against the agent; a rate limit, a
lost process or a full disk says nothing about the recommender, and such a dialogue is missing data.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

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
    """Not recorded."""


class Ending(StrEnum):
    """Reason why a dialogue ended."""

    AGENDA_EMPTY = "agenda_empty"
    """The user had done everything on the agenda."""
    USER_GAVE_UP = "user_gave_up"
    """The user's patience was at its end."""
    USER_ENDED = "user_ended"
    """The user left, for no reason that is recorded."""
    AGENT_ENDED = "agent_ended"
    """The agent regarded the dialogue as over."""
    TURN_LIMIT = "turn_limit"
    """The dialogue reached the maximum number of turns."""
    OTHER = "other"
    """Another reason that is no failure; ``Dialogue.ending_detail`` contains the message of the party that ended it."""

    AGENT_ERROR = "agent_error"
    """The agent raised, answered with an error status, hung up, or its process ended."""
    AGENT_TIMEOUT = "agent_timeout"
    """The agent did not answer in time."""
    AGENT_UNREACHABLE = "agent_unreachable"
    """The agent took no connection, or could not be started."""
    AGENT_INVALID_REPLY = "agent_invalid_reply"
    """The agent's answer was not in its protocol, or held no text."""
    AGENT_TOOL_CALL = "agent_tool_call"
    """The agent answered with a call of a tool that nobody runs for it."""
    RATE_LIMITED = "rate_limited"
    """A server refused further requests (HTTP 429) until the retries were used up."""
    USER_ERROR = "user_error"
    """The simulated user failed."""
    JUDGE_ERROR = "judge_error"
    """A judge that took part in the dialogue failed."""
    LOST = "lost"
    """The process that ran the dialogue died each time it tried."""
    HARNESS_ERROR = "harness_error"
    """The machine or its configuration failed: a full disk, a refused credential, no network."""
    UNKNOWN_FAILURE = "unknown_failure"
    """A failure of unknown cause, or a word in an old file that may not mean a failure."""

    @property
    def words(self) -> str:
        """What ended it, after "ended by".

        >>> Ending.AGENT_ERROR.words
        'an error of the agent'
        """
        return WORDS[self]

    @property
    def fault(self) -> Fault | None:
        """Party that caused the failure; None for a regular ending."""
        return _FAULTS.get(self)

    @property
    def is_failure(self) -> bool:
        """Whether it is a failure, whichever party caused it."""
        return self in _FAULTS


_FAULTS: Mapping[Ending, Fault] = MappingProxyType(
    {
        Ending.AGENT_ERROR: Fault.AGENT,
        Ending.AGENT_TIMEOUT: Fault.AGENT,
        Ending.AGENT_UNREACHABLE: Fault.AGENT,
        Ending.AGENT_INVALID_REPLY: Fault.AGENT,
        Ending.AGENT_TOOL_CALL: Fault.AGENT,
        Ending.RATE_LIMITED: Fault.HARNESS,
        Ending.USER_ERROR: Fault.USER,
        Ending.JUDGE_ERROR: Fault.JUDGE,
        Ending.LOST: Fault.HARNESS,
        Ending.HARNESS_ERROR: Fault.HARNESS,
        Ending.UNKNOWN_FAILURE: Fault.UNKNOWN,
    }
)

FAILURES = frozenset(_FAULTS)
"""The endings that are failures."""


def failures_of(fault: Fault) -> frozenset[Ending]:
    """Endings that are failures of one party."""
    return frozenset(ending for ending, cause in _FAULTS.items() if cause is fault)


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


WORDS = {
    Ending.AGENDA_EMPTY: "the end of the user's agenda",
    Ending.USER_GAVE_UP: "a user who gave up",
    Ending.USER_ENDED: "the user",
    Ending.AGENT_ENDED: "the agent",
    Ending.TURN_LIMIT: "the turn limit",
    Ending.OTHER: "another cause",
    Ending.AGENT_ERROR: "an error of the agent",
    Ending.AGENT_TIMEOUT: "a timeout of the agent",
    Ending.AGENT_UNREACHABLE: "an agent that could not be reached",
    Ending.AGENT_INVALID_REPLY: "an invalid reply of the agent",
    Ending.AGENT_TOOL_CALL: "a call of a tool that nobody runs",
    Ending.RATE_LIMITED: "a server's rate limit",
    Ending.USER_ERROR: "an error of the simulated user",
    Ending.JUDGE_ERROR: "an error of the judge",
    Ending.LOST: "the death of its process",
    Ending.HARNESS_ERROR: "an error of the machine or its configuration",
    Ending.UNKNOWN_FAILURE: "an unknown failure",
}
"""Endings in words."""
