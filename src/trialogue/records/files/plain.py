"""Dialogues of large files: plain texts without a record for each utterance, and records of which each is made once.

Most large files hold who says what and little else. Such a line becomes a few plain objects, several times faster than a
``Dialogue`` is validated. Programs repeat themselves: of what a simulation writes, three utterances in four are written
elsewhere in the file letter for letter, and share one record. What is accepted is a subset of what ``Dialogue`` accepts and
means the same; any other line is left to the usual reader, which also words the mistakes.
"""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

import pydantic
from msgspec import DecodeError, Meta, Raw, Struct, ValidationError, defstruct
from msgspec.json import Decoder
from msgspec.structs import astuple
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
    is_one_each = len(found) == _count_lines(lines)
    # Version 1 had other words for endings.
    is_known = is_one_each and not any(each.v == 1 and each.ended_by is not None for each in found)
    return found if is_known else None


def _count_lines(lines: bytes) -> int | None:
    """How many lines there are; None if one does not begin with a brace. To find breaks is faster than to count."""
    count = at = 0
    while at < len(lines):
        if lines[at] != ord("{"):
            return None
        count, at = count + 1, lines.find(b"\n", at) + 1 or len(lines)
    return count


MOST_SHARED = 1 << 15
"""Different utterances that are known again; about 3 KB each."""
_OTHERS = ("v", *(name for name in Dialogue.model_fields if name != "utterances"))


def _decoder(name: str, fields: Iterable[tuple[str, Any] | tuple[str, Any, Any]]) -> Decoder[Any]:
    return Decoder(defstruct(name, fields, forbid_unknown_fields=True, gc=False))


def _raw(names: Iterable[str]) -> list[tuple[str, Any, Any]]:
    return [(name, Raw, Raw()) for name in names]


_LINE = _decoder("DialogueLine", [("kind", Literal["dialogue"]), ("utterances", list[Raw]), *_raw(_OTHERS)])
_PARTS = ("acts", "mentions")
"""Fields of an utterance that are often alike where others, such as its ranking, are not."""
_REST = tuple(name for name in Utterance.model_fields if name not in _PARTS)
_UTTERANCE = _decoder("UtteranceLine", _raw((*_PARTS, *_REST)))
_NAMES = {name: b'"%b":' % name.encode() for name in (*_OTHERS, *_REST)}


def _object(names: Iterable[str], values: Iterable[Raw]) -> bytes:
    """The JSON of those fields that are written."""
    return b"{%b}" % b",".join([_NAMES[name] + raw for name, raw in zip(names, values, strict=True) if raw])


def reader_of_dialogues() -> "Callable[[str], Dialogue | None]":
    """What makes a record of a line of a file; None of one that is no dialogue of this version, or not valid.

    Utterances that are written alike are one object, so that what is found in one need not be looked for in the others; of
    others texts, acts and mentions are.
    """
    texts: dict[str, str] = {}
    parts = [(name, lru_cache(maxsize=MOST_SHARED)(_validator_of(name))) for name in _PARTS]
    read_rest = Utterance.__pydantic_validator__.validate_json

    @lru_cache(maxsize=MOST_SHARED)
    def utterance(written: bytes) -> Utterance:
        found = astuple(_UTTERANCE.decode(written))
        rest = _object(_REST, found[len(_PARTS) :])
        said: Utterance = read_rest(rest)
        if said.meta or said.trace:  # where fields hold any JSON, this makes of 1e999 a value that no file may hold
            said = Utterance.model_validate(from_json(rest), strict=False)
        if len(texts) >= MOST_SHARED:
            texts.clear()
        said.__dict__["text"] = texts.setdefault(said.text, said.text)  # nobody else has seen this record
        for (name, part), raw in zip(parts, found, strict=False):
            if raw:
                said.__dict__[name] = part(bytes(raw))
                said.__pydantic_fields_set__.add(name)
        return said

    def dialogue(line: str) -> Dialogue | None:
        try:
            _, written, *others = astuple(_LINE.decode(line))
            fields = from_json(_object(_OTHERS, others))
            if fields.pop("v", SCHEMA) != SCHEMA:
                return None
            fields["utterances"] = tuple([utterance(bytes(raw)) for raw in written])
            return Dialogue.model_validate(fields, strict=False)
        except (DecodeError, ValidationError, pydantic.ValidationError, ValueError):
            return None

    return dialogue


@cache
def _validator_of(name: str) -> Callable[[bytes], Any]:
    """What makes the value of a field of an utterance."""
    annotation: Any = Utterance.model_fields[name].annotation
    return pydantic.TypeAdapter(annotation).validate_json
