"""Read and write records as JSON Lines: one record per line, streamed, versioned; gzip and zstd by suffix.

Every line carries its ``kind`` and the schema version ``v``. A last line truncated by a crash is dropped with a warning;
any other unreadable line is an error with file and line number, and all such lines are reported at once.
"""

import json
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from trialogue.errors import DataError, Problem, Unread
from trialogue.records.base import SCHEMA, Block, Record
from trialogue.records.dialogue import Dialogue, Utterance
from trialogue.records.files.opening import open_bytes, open_replacing
from trialogue.records.files.plain import reader_of_dialogues
from trialogue.records.files.upgrade import upgrade
from trialogue.records.files.validation import dotted_path, mistakes_of

LONGEST_LINE = 64 << 20  # bytes; a longer "line" is a file in another format, and would fill the memory
LINE_BREAK = ord("\n")
_SHORT_POWER = re.compile(rb"e-\d(?!\d)(?<=\de-\d)")  # of ten, as pydantic writes them; letters first are found fast
MAX_PROBLEMS = 1000  # after so many the rest of the file is not worth reading

MAX_SHARED = 4096  # utterances whose text in a file is kept

RecordT = TypeVar("RecordT", bound=Record)
ParsedT = TypeVar("ParsedT")
Note = Callable[[Problem], None]
Opener = Callable[[Path], IO[bytes]]
"""Opens a file; that of a run also checks its seal while the file is read."""


class RepairWarning(UserWarning):
    """Part of a file was skipped or repaired, and reading continued."""


def warn(problem: Problem) -> None:
    """Emit a repair as a Python warning: the default ``note`` of readers. Fields that were merely kept are none."""
    if isinstance(problem, Unread) and not (problem.may_be_feedback or problem.may_be_system):
        return
    warnings.warn(str(problem), RepairWarning, stacklevel=3)


@dataclass(frozen=True)
class Part:
    """Range of lines in an uncompressed file."""

    start: int
    """Byte at which the first one begins."""
    end: int
    """Byte behind the last one."""
    lines_before: int
    """Lines of the file before it."""


def parts_of(path: Path, count: int, *, lines: int = 1) -> list[Part]:
    """Split a file into parts of about equal size, each a multiple of ``lines`` except the last; [] for an empty file.

    Args:
        path: a file that is not compressed.
        count: greatest number of parts.
        lines: number of lines that stay together.
    """
    ends = [0]
    with path.open("rb") as stream:
        place = 0
        while block := stream.read(1 << 24):
            found = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == LINE_BREAK)
            ends += (found + (place + 1)).tolist()
            place += len(block)
    if ends[-1] < place:
        ends.append(place)
    step = -(-(len(ends) - 1) // (count * lines)) * lines
    cuts = [*range(0, len(ends) - 1, step), len(ends) - 1] if step else []
    return [Part(ends[first], ends[last], first) for first, last in pairwise(cuts)]


def read_lines(
    path: Path, *, note: Note = warn, part: Part | None = None, opener: Opener = open_bytes
) -> Iterator[tuple[int, str]]:
    """(line number from 1, text) of every non-blank line of a file or a part of it.

    A compressed file that breaks off is read as far as it goes, with a note.

    Raises:
        DataError: not there, a line over 64 MiB, or bytes that are not UTF-8.
    """
    with opener(path) as stream:
        before = 0
        if part is not None:
            stream.seek(part.start)
            before = part.lines_before
        for number, raw in enumerate(_raw_lines(stream, path, note, before), start=before + 1):
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    Problem(
                        f"byte {error.start} of this line (0x{raw[error.start]:02x}) is not UTF-8.",
                        file=str(path),
                        line=number,
                        hint="Convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT",
                    )
                ) from error
            if text and not text.isspace():
                yield number, text
            if part is not None and stream.tell() >= part.end:
                return


def _raw_lines(stream: IO[bytes], path: Path, note: Note, number: int) -> Iterator[bytes]:
    """Lines as bytes; ``number`` of them are before these."""
    while True:
        number += 1
        try:
            raw = stream.readline(LONGEST_LINE + 1)
        except (EOFError, zlib.error, OSError) as error:
            note(Problem(f"the compressed file is truncated here ({error}); read up to this line.", str(path), number))
            return
        if not raw:
            return
        if len(raw) > LONGEST_LINE:
            raise DataError(
                Problem(
                    f"this line is longer than {LONGEST_LINE >> 20} MiB.",
                    file=str(path),
                    line=number,
                    hint="JSON Lines have one record per line; is this file in another format?",
                )
            )
        yield raw


def read_records(
    path: Path | str,
    *types: type[RecordT],
    note: Note = warn,
    part: Part | None = None,
    opener: Opener = open_bytes,
) -> Iterator[RecordT]:
    """Read the records of a file in order; any kind other than the given types is an error.

    Args:
        path: the file; ``.gz`` and ``.zst`` are decompressed.
        types: record types that may occur, such as ``Dialogue``.
        note: called with each repair; a Python warning by default.
        part: which lines; None: all.
        opener: opens the file.

    Raises:
        DataError: at the end of the file, with every line that could not be read.
    """
    by_kind = kinds_of(types)
    dialogue = reader_of_dialogues() if by_kind.get(Dialogue.kind) is Dialogue else None

    def parse(text: str) -> Record:
        return (dialogue and dialogue(text)) or parse_line(text, by_kind)

    for record in read_parsed(Path(path), parse, note=note, part=part, opener=opener):
        yield from record.records() if isinstance(record, Block) else (cast(RecordT, record),)


def kinds_of(types: Iterable[type[Record]]) -> dict[str, type[Record]]:
    """Record types by the kind of their lines, with those that hold many of them."""
    by_kind: dict[str, type[Record]] = {record_type.kind: record_type for record_type in types}
    return by_kind | {each.block.kind: each.block for each in types if each.block is not None}


def read_parsed(
    path: Path,
    parse: Callable[[str], ParsedT],
    *,
    note: Note = warn,
    part: Part | None = None,
    opener: Opener = open_bytes,
) -> Iterator[ParsedT]:
    """What ``parse`` makes of each line, as long as none before it was wrong; mistakes are the errors of ``parse_line``.

    Raises:
        DataError: at the end of the file, with every line that could not be read.
    """
    problems: list[Problem] = []
    held: Problem | None = None  # a line that may turn out to be the last one, cut short
    for number, text in read_lines(path, note=note, part=part, opener=opener):
        if held is not None:
            problems.append(held)
            held = None
        try:
            parsed = parse(text)
        except json.JSONDecodeError as error:
            broken = Problem(f"not valid JSON ({error.msg} at column {error.colno}).", str(path), number)
            if text.endswith("\n"):
                problems.append(broken)
            else:
                held = broken
        except ValidationError as error:
            problems.extend(problems_of(error, str(path), number))
        except ValueError as error:
            problems.append(Problem(str(error), str(path), number))
        else:
            if not problems:
                yield parsed
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise DataError(problems)
    if held is not None:
        note(Problem("the last line is cut short (a crash while writing?) and was left out.", held.file, held.line))


def parse_line(text: str, by_kind: dict[str, type[RecordT]]) -> RecordT:
    """Parse one record from one line; ValueError (including JSONDecodeError and ValidationError) if invalid."""
    data = _parse(text)
    if not isinstance(data, dict) or "kind" not in data:
        raise ValueError("this is not a Trialogue record: it has no field 'kind'.")
    kind, schema = data.pop("kind"), data.pop("v", SCHEMA)
    if not isinstance(kind, str) or kind not in by_kind:
        raise ValueError(f"this is a record of kind {kind!r}; expected: {', '.join(sorted(by_kind))}.")
    if not isinstance(schema, int) or not 1 <= schema <= SCHEMA:
        raise ValueError(
            f"this record has schema version {schema}, but this version of Trialogue reads 1 to {SCHEMA}: upgrade Trialogue."
        )
    upgrade(kind, data, schema)
    return by_kind[kind].model_validate(data, strict=False)


def _parse(text: str) -> Any:
    """Parse a line. Pydantic's parser is faster, and interns repeated short strings; lines that it rejects are parsed by
    Python's, which locates the mistake."""
    try:
        return from_json(text)
    except (ValueError, TypeError):  # the latter of a half character that a name in a file of findings may hold
        try:
            data = json.loads(text)
        except RecursionError as error:
            raise ValueError("the JSON is nested too deeply.") from error
    if "\\ud" in text.lower() and _has_half_pairs(json.dumps(data, ensure_ascii=False)):
        raise ValueError(
            "it contains half of a surrogate pair (\\ud800 to \\udfff alone), which is not a character; correct the escape."
        )
    return data


def _has_half_pairs(text: str) -> bool:
    """Whether a text cannot be encoded because of an escape that is half of a pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def problems_of(error: ValidationError, file: str, line: int | None) -> list[Problem]:
    """Convert a pydantic validation error to problems, one per field."""
    return [
        Problem(mistake.what, file, line, dotted_path(mistake.place), mistake.hint, mistake.kind)
        for mistake in mistakes_of(error)
    ]


def to_line(record: Record) -> str:
    """Serialise one record as one line, without the line break."""
    return line_of(record)[:-1].decode("utf-8", "surrogatepass")


def line_of(record: Record) -> bytes:
    """One record as a line of a file, with the line break."""
    try:
        fields = _fields_of_dialogue(record) if isinstance(record, Dialogue) else _fields_of(record)
    except PydanticSerializationError:  # half of a surrogate pair, which a name in a file of findings may hold
        fields = b"0.0000"
    if b"0.0000" in fields or (b"e-" in fields and _SHORT_POWER.search(fields)):  # Python writes 1e-05
        fields = json.dumps(record.to_json(), ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        )
    rest = b"}" if fields == b"{}" else b"," + fields[1:]
    return b'{"kind":"%b","v":%d%b\n' % (record.kind.encode(), SCHEMA, rest)


def _fields_of(record: Record, **options: Any) -> bytes:
    return record.__pydantic_serializer__.to_json(record, exclude_defaults=True, **options)


def _fields_of_dialogue(dialogue: Dialogue) -> bytes:
    """``_fields_of``; where utterances are shared, with these apart, as they were written before."""
    if _SHARED.keys().isdisjoint(map(id, dialogue.utterances)):
        return _fields_of(dialogue)
    rest = _fields_of(dialogue, exclude=_APART)
    behind = len(to_json(dialogue.id)) + len(b'{"id":')
    utterances = b",".join(map(_fields_of_utterance, dialogue.utterances))
    return b'%b,"utterances":[%b]%b' % (rest[:behind], utterances, rest[behind:])


def _fields_of_utterance(said: Utterance) -> bytes:
    known = _SHARED.get(id(said))
    return _fields_of(said) if known is None or said.meta else known[1]


def share(said: Utterance) -> Utterance:
    """The same utterance, which many dialogues are going to hold: its fields are written once for all of them.

    Everything in it but its ``meta`` must be what cannot change.
    """
    if len(_SHARED) >= MAX_SHARED:
        _SHARED.clear()
    _SHARED[id(said)] = (said, _fields_of(said))  # with the utterance, so that no other one gets its id
    return said


_APART = {"utterances"}
_SHARED: dict[int, tuple[Utterance, bytes]] = {}


def write_records(path: Path | str, records: Iterable[Record]) -> int:
    """Write records to a file atomically; returns their number."""
    count = 0
    with open_replacing(Path(path)) as stream:
        for record in records:
            stream.write(line_of(record))
            count += 1
    return count
