"""Signs of unrecorded failures of a system, and of faults on the user's side (quality gates)."""

from enum import StrEnum


class Suspicion(StrEnum):
    """Why a dialogue, or a reply to a situation, is suspected to be an unrecorded failure."""

    SILENT = "silent"
    """The user spoke, and the system did not reply, or without a letter or digit."""
    ERROR = "error"
    """The reply is the message of a program: a stack trace, an HTTP status, an exception."""
    APOLOGY = "apology"
    """The reply apologises or refuses, and names nothing."""
    UNANSWERED = "unanswered"
    """The user asked last, and no reply came, more often than with other systems."""
    REPEATED = "repeated"
    """The reply is one of several that are equal, whatever the users said, and names nothing."""


class Gate(StrEnum):
    """Fault of the user's side, never of the agent's."""

    TARGET_LEAKED = "target_leaked"
    """The user named an item that satisfies the need before the agent did, in any form of its title; not: described it."""
    ASSISTANT_ROLE = "assistant_role"
    """The user wrote what only a recommender, a language model or a program would write; not: spoke about those."""
    PREMATURE_STOP = "premature_stop"
    """The user left satisfied although the agent had named nothing that meets the need, or left after one message."""
    ENDLESS_THANKS = "endless_thanks"
    """In three of the user's turns in a row nothing is said but thanks, praise, good wishes or goodbye."""
    LOOP = "loop"
    """The user said the same three times in nearly the same words, though the agent's replies differed."""
    TRUNCATED = "truncated"
    """A message of the user is empty, or stops where it cannot end; a missing mark alone is no such end."""
    NEED_CONTRADICTED = "need_contradicted"
    """The user turned down a value that the need asks for, by its name, or asked for another one of the same attribute."""


HINTS = frozenset((Gate.TARGET_LEAKED, Gate.ENDLESS_THANKS, Gate.TRUNCATED, Gate.NEED_CONTRADICTED))
"""Gates whose precision was below .95 on dialogues of the last author whom nobody had read (``benchmarks/GATES.md``): what
they find is a hint to read a dialogue."""
