"""Signs that a system gave no answer, though no failure was recorded."""

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
