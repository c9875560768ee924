"""Dialogues of plain texts, read without a record for each utterance.

Most large files hold who says what and little else. Such a line becomes a few plain objects, several times faster than a
``Dialogue`` is validated. What is accepted is a subset of what ``Dialogue`` accepts and means the same; any other line is
left to the usual reader, which also words the mistakes.
"""

from typing import Annotated, Literal

from msgspec import DecodeError, Meta, Struct, ValidationError
from msgspec.json import Decoder

from trialogue.records.base import SCHEMA
from trialogue.records.dialogue import Dialogue, Utterance
from trialogue.records.kinds.endings import Ending
from trialogue.records.kinds.origins import Role


class PlainUtterance(Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """Utterance without annotations; fields as in ``Utterance``."""

    speaker: Literal["user", "system"]
    text: str
    id: str | None = None


class PlainDialogue(Struct, forbid_unknown_fields=True, gc=False):
    """Dialogue without annotations; fields as in ``Dialogue``."""

    kind: Literal["dialogue"]
    id: str
    utterances: list[PlainUtterance]
    v: Annotated[int, Meta(ge=1, le=SCHEMA)] = SCHEMA
    system: str | None = None
    role: Role = Role.SYSTEM
    user: str | None = None
    source: str | None = None
    ended_by: Ending | None = None

    @property
    def cluster(self) -> str:
        """Resampling unit, as of ``Dialogue``."""
        return f"user:{self.user}" if self.user else f"dialogue:{self.id}"

    def texts(self) -> tuple[list[str], list[str]]:
        """What the system says, and what the user says, in order."""
        system: list[str] = []
        user: list[str] = []
        for said in self.utterances:
            (system if said.speaker == "system" else user).append(said.text)
        return system, user

    def record(self) -> Dialogue:
        """The usual record."""
        return Dialogue(
            id=self.id,
            utterances=tuple(Utterance(speaker=said.speaker, text=said.text, id=said.id) for said in self.utterances),
            system=self.system,
            role=self.role,
            user=self.user,
            source=self.source,
            ended_by=self.ended_by,
        )


_DECODER = Decoder(PlainDialogue)


def plain_dialogue(line: str) -> PlainDialogue | None:
    """Parse a line; None if it is not a plain dialogue, or not valid."""
    try:
        found = _DECODER.decode(line)
    except (DecodeError, ValidationError, UnicodeError):
        return None
    # Version 1 had other words for endings.
    return None if found.v == 1 and found.ended_by is not None else found
