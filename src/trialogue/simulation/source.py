"""What simulated dialogues say of their origin: the ``source`` field, and how a model's wordings turned out."""

from enum import StrEnum

from trialogue.records import Dialogue

SIMULATED = "simulated/"


def source_of_users(users: str) -> str:
    """``source`` of dialogues with a kind of simulated users.

    >>> source_of_users("cir6-pkg")
    'simulated/cir6-pkg'
    """
    return f"{SIMULATED}{users}"


def users_of_source(dialogue: Dialogue) -> str | None:
    """Kind of simulated users in a dialogue; None if it was not simulated, or not recorded."""
    source = dialogue.source or ""
    return source.removeprefix(SIMULATED) if source.startswith(SIMULATED) else None


WORDING = "wording"
"""Key in a message's ``meta`` for the origin of its wording: ``model``, or the reason for using the template."""


class Wording(StrEnum):
    """Result of checking a wording."""

    MODEL = "model"
    """It keeps the acts and is said."""
    LOST_VALUE = "lost_value"
    """A title, name or value of the message is missing."""
    NEW_VALUE = "new_value"
    """It names an item, or a value of an attribute, that the message does not."""
    OTHER_STANCE = "other_stance"
    """The wording expresses an opinion or knowledge that the message does not have."""
    QUESTION = "question"
    """It asks where the message does not, or the other way round."""
    OTHER_ACT = "other_act"
    """It is not recognised as the message's act."""
    TOO_LONG = "too_long"
    """It has many more words."""
    CUT = "cut"
    """It was cut off, by its limit of tokens or by a filter."""
