"""Parse a model's answer into a move: an utterance, the end of the dialogue, or both.

Answers are parsed here once; other modules use the type.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from trialogue.simulation.users.user import Stop

MARKER = re.compile(r"\[\s*(DONE|GIVE[\s_-]*UP)\s*\]", re.IGNORECASE)
OWN_NAME = re.compile(r"\A\s*(?:user|you|me|customer)\s*:\s*", re.IGNORECASE)
"""Prefix with the user's own role name, as in a play; it is removed."""


class StopReason(StrEnum):
    """Reason why a user leaves."""

    DONE = "done"
    """The model declares the need met. Outcomes do not rely on it: they are checked against the need."""
    GIVE_UP = "give_up"
    """The recommender does not help."""

    @property
    def stop(self) -> Stop:
        """The corresponding end of the dialogue."""
        return Stop("user_ended" if self is StopReason.DONE else "user_gave_up")


@dataclass(frozen=True, slots=True)
class UserMove:
    """A user's next move."""

    text: str
    """Message; "" for none."""
    leaving: StopReason | None = None
    """Why they leave after that; None: they stay."""


def move_in(text: str) -> UserMove:
    """Parse the move in a model's message: text before the first marker is said, text after it is dropped.

    >>> move_in("User: Great, thanks! [DONE]")
    UserMove(text='Great, thanks!', leaving=<StopReason.DONE: 'done'>)
    >>> move_in("[give up]").text, move_in("Something with [brackets]?").leaving
    ('', None)
    """
    marker = MARKER.search(text)
    said = text if marker is None else text[: marker.start()]
    leaving = None if marker is None else StopReason.DONE if marker[1].casefold() == "done" else StopReason.GIVE_UP
    return UserMove(OWN_NAME.sub("", said, count=1).strip(), leaving)


def choice_in(text: str, words: Sequence[str]) -> str | None:
    """The only one of some words that an answer contains; None if it contains none, or several.

    >>> choice_in("Continue.", ["CONTINUE", "DONE"])
    'CONTINUE'
    >>> choice_in("CONTINUE or DONE?", ["CONTINUE", "DONE"]) is None
    True
    """
    said = re.sub(r"[\s_-]+", " ", text.casefold())
    named = [
        word for word in words if re.search(rf"(?<!\w){re.escape(re.sub('[_-]+', ' ', word.casefold()))}(?!\w)", said)
    ]
    return named[0] if len(named) == 1 else None
