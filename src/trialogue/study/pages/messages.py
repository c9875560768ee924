"""Messages of a dialogue, as a page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.study.design.page_content import Line


@dataclass(frozen=True)
class Message:
    """One message of a dialogue on a page."""

    speaker: str
    text: str
    first: bool
    """Whether its speaker did not have the message before, too."""
    asked_about: bool = False


def messages_of_page(lines: Sequence[Line], *, asked_about: int | None = None) -> list[Message]:
    """Messages of a page; the speaker is shown once for consecutive messages, and always for the message in question."""
    return [
        Message(
            line.speaker,
            line.text,
            place == 0 or lines[place - 1].speaker != line.speaker or place == asked_about,
            place == asked_about,
        )
        for place, line in enumerate(lines)
    ]


@dataclass(frozen=True)
class DialogueContext:
    """A dialogue with a message that is asked about: what stands before it, the message, and what comes after."""

    before: list[Message]
    marked: list[Message]
    """The one message."""
    after: list[Message]


def split_around(lines: Sequence[Line], asked_about: int) -> DialogueContext:
    """A dialogue in three parts, so that the page can keep the marked message in view while the rest scrolls."""
    shown = messages_of_page(lines, asked_about=asked_about)
    return DialogueContext(shown[:asked_about], shown[asked_about : asked_about + 1], shown[asked_about + 1 :])
