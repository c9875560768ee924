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
    """The user named an item that satisfies the need before the agent did."""
    ASSISTANT_ROLE = "assistant_role"
    """The user speaks as an assistant or recommender, claims to be a model, refuses as models do, mentions instructions or
    roles, or writes text for a program (JSON, a tool call)."""
    PREMATURE_STOP = "premature_stop"
    """The user left satisfied although the agent had named nothing that meets the need, or left after one message."""
    ENDLESS_THANKS = "endless_thanks"
    """Three consecutive messages of the user do nothing but thank or say goodbye."""
    LOOP = "loop"
    """The user repeated a message three times in nearly the same words."""
    TRUNCATED = "truncated"
    """A message of the user is empty, or breaks off."""
    NEED_CONTRADICTED = "need_contradicted"
    """The user rejected an item that meets the need, or asked for something that contradicts it."""
