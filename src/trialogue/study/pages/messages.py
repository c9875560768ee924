"""Messages of a dialogue, as a page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.study.design.shown import Line


@dataclass(frozen=True)
class Message:
    """One message of a dialogue on a page."""

    speaker: str
    text: str
    first: bool
    """Whether its speaker did not have the message before, too."""
    asked_about: bool = False


def talk(lines: Sequence[Line], *, asked_about: int | None = None) -> list[Message]:
    """Messages for a page; who speaks is said once for several in a row, and always of what is asked about."""
    return [
        Message(
            line.speaker,
            line.text,
            place == 0 or lines[place - 1].speaker != line.speaker or place == asked_about,
            place == asked_about,
        )
        for place, line in enumerate(lines)
    ]
