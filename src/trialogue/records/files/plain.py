"""Dialogues of large files: plain texts without a record for each utterance, and records of which each is made once.

Most large files hold who says what and little else. Such a line becomes a few plain objects, several times faster than a
``Dialogue`` is validated. Programs repeat themselves: of what a simulation writes, three utterances in four are written
elsewhere in the file letter for letter, and share one record. What is accepted is a subset of what ``Dialogue`` accepts and
means the same; any other line is left to the usual reader, which also words the mistakes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Literal

import pydantic
from msgspec import DecodeError, Meta, Raw, Struct, ValidationError, defstruct
from msgspec.json import Decoder
from pydantic_core import from_json

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
    found = plain_dialogues(line.encode("utf-8", "surrogatepass"))
    return found[0] if found else None


def plain_dialogues(lines: bytes) -> list[PlainDialogue] | None:
    """Parse lines, each of which begins with its dialogue; None if any is not a plain dialogue, or not valid."""
    try:
        found = _DECODER.decode_lines(lines)
    except (DecodeError, ValidationError, UnicodeError):
        return None
    starts = lines.startswith(b"{") + lines.count(b"\n{")
    is_one_each = len(found) == starts == lines.count(b"\n") + (not lines.endswith(b"\n"))
    # Version 1 had other words for endings.
    is_known = is_one_each and not any(each.v == 1 and each.ended_by is not None for each in found)
    return found if is_known else None


MOST_SHARED = 1 << 15
"""Different utterances that are known again; about 3 KB each."""
_OTHERS = ("v", *(name for name in Dialogue.model_fields if name != "utterances"))
_LINE = Decoder(
    defstruct(
        "DialogueLine",
        [("kind", Literal["dialogue"]), ("utterances", list[Raw]), *((name, Raw, Raw()) for name in _OTHERS)],
        forbid_unknown_fields=True,
        gc=False,
    )
)


def reader_of_dialogues() -> "Callable[[str], Dialogue | None]":
    """What makes a record of a line of a file; None of one that is no dialogue of this version, or not valid.

    Utterances that are written alike are one object, so that what is found in one need not be looked for in the others.
    """

    from_line = Utterance.__pydantic_validator__.validate_json

    @lru_cache(maxsize=MOST_SHARED)
    def utterance(written: bytes) -> Utterance:
        said: Utterance = from_line(written)
        # As the usual reader does, where fields hold any JSON: of 1e999 this one makes a value that no file may hold.
        return Utterance.model_validate(from_json(written), strict=False) if said.meta or said.trace else said

    def dialogue(line: str) -> Dialogue | None:
        try:
            found: Any = _LINE.decode(line)
            rest = ((name, bytes(getattr(found, name))) for name in _OTHERS)
            fields = from_json(b"{%b}" % b",".join(b'"%b":%b' % (name.encode(), raw) for name, raw in rest if raw))
            if fields.pop("v", SCHEMA) != SCHEMA:
                return None
            fields["utterances"] = tuple([utterance(bytes(raw)) for raw in found.utterances])
            return Dialogue.model_validate(fields, strict=False)
        except (DecodeError, ValidationError, pydantic.ValidationError, ValueError):
            return None

    return dialogue
