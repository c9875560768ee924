"""Shared code of readers that load a whole file (one JSON document or one table) and report all its problems at once.

A reader checks everything before it fails: mistakes are collected and raised together; repairs are counted and
reported once per kind, not once per line.
"""

import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from trialogue.datasets.base import AnyRecord, Head
from trialogue.datasets.door.values import as_number
from trialogue.errors import DataError, Problem
from trialogue.records import JsonValue
from trialogue.records.files.jsonl import Note
from trialogue.records.files.opening import open_bytes, path_uncompressed

LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: no UTF-8 can hold it, and JSON escapes can say it
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
NO_NUMBER = "a number that JSON does not allow (NaN or Infinity) was read as null"


@dataclass
class ParseReport:
    """Mistakes and repairs of one file, collected while it is parsed and reported together at the end."""

    file: str
    """Its name in messages."""
    note: Note
    """Called with each kind of repair, at the end."""
    problems: list[Problem] = field(default_factory=list)
    """Mistakes."""
    mended: dict[str, tuple[int, str, str, int | None]] = field(default_factory=dict)
    """Repairs by what was done: their number, and field, hint and line of the first."""

    def wrong(self, what: str, field: str = "", *, line: int | None = None, hint: str = "", kind: str = "") -> None:
        """Record a mistake that makes the file unusable; ``kind`` is what it shares with others that name other values."""
        self.problems.append(Problem(what, self.file, line, field, hint, kind))

    def mend(self, what: str, field: str = "", *, line: int | None = None, hint: str = "") -> None:
        """Record a repair; a repeated message only raises its count."""
        count, *first = self.mended.get(what, (0, field, hint, line))
        self.mended[what] = (count + 1, *first)  # type: ignore[assignment]

    def settle(self) -> None:
        """Report every kind of repair once, with its count and first location.

        Raises:
            DataError: something is wrong; with all of it.
        """
        if self.problems:
            raise DataError(self.problems)
        for what, (count, place, hint, line) in self.mended.items():
            times = f" ({count} times, first here)" if count > 1 else ""
            self.note(Problem(f"{what}{times}.", self.file, line, place, hint))
        self.mended.clear()


def read_text(path: Path) -> str:
    """Read a whole UTF-8 file, decompressed by suffix, without a byte-order mark.

    Raises:
        DataError: not there, empty, broken off within its compression, or not UTF-8.
    """
    try:
        with open_bytes(path) as stream:
            raw = stream.read()
    except (EOFError, zlib.error, OSError) as error:
        hint = "Download it again, or decompress it manually."
        raise DataError(Problem(f"the file cannot be read to its end ({error}).", str(path), hint=hint)) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8."
        line = raw.count(b"\n", 0, error.start) + 1
        hint = "Convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT"
        raise DataError(Problem(what, str(path), line, hint=hint)) from error
    if not text.strip():
        raise DataError(Problem("this file is empty.", str(path), hint="Is the file complete?"))
    return text


def read_json(path: Path, report: ParseReport) -> JsonValue:
    """Read the one JSON value in a file.

    Repaired and reported: numbers that JSON lacks (null), half characters (U+FFFD), keys given twice (the last counts).

    Raises:
        DataError: as ``read_text``, or it is no JSON: with line and column.
    """
    text = read_text(path)
    try:
        value = _parse(text, str(path), report)
        return _replace_surrogates(value, report) if SURROGATE_ESCAPE.search(text) else value
    except RecursionError as error:
        raise DataError(Problem("the JSON is nested too deeply.", str(path))) from error


def _parse(text: str, file: str, report: ParseReport) -> JsonValue:
    def pairs(items: list[tuple[str, JsonValue]]) -> JsonValue:
        made = dict(items)
        if len(made) < len(items):
            keys = [key for key, _ in items]
            twice = next(key for key in keys if keys.count(key) > 1)
            report.mend(f"the key {twice!r} occurs twice in one object; the last value was used")
        return made

    def constant(_: str) -> None:
        report.mend(NO_NUMBER)

    def finite(digits: str) -> float | None:
        number = float(digits)
        if math.isfinite(number):
            return number
        report.mend(NO_NUMBER)
        return None

    try:
        value: JsonValue = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_float=finite)
    except json.JSONDecodeError as error:
        _refuse(error, text, file)
    except ValueError as error:  # an integer of more than 4,300 digits
        raise DataError(Problem(f"the JSON contains a number that cannot be read ({error}).", file)) from error
    return value


def _refuse(error: json.JSONDecodeError, text: str, file: str) -> NoReturn:
    broken_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    hint = "The file is cut off there. Is it complete?" if broken_off else ""
    what = f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}."
    raise DataError(Problem(what, file, error.lineno, hint=hint)) from error


def _replace_surrogates(value: JsonValue, report: ParseReport) -> JsonValue:
    if isinstance(value, str) and LONE_SURROGATE.search(value):
        report.mend("half a character (a lone surrogate) was read as U+FFFD")
        return LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_replace_surrogates(part, report) for part in value]
    if isinstance(value, dict):
        return {str(_replace_surrogates(key, report)): _replace_surrogates(part, report) for key, part in value.items()}
    return value


def kind_of(value: object) -> str:
    """Type of a JSON value, for messages: ``"a list"``, ``"null"``, ``"the text 'abc'"``.

    >>> kind_of([]), kind_of(None), kind_of("abc"), kind_of(3)
    ('a list', 'null', "the text 'abc'", 'the number 3')
    """
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 30 else f"the text {value[:30]!r}…"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value!r}" if as_number(value) is not None else "a huge number"
    names = {list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def excerpt_of(value: JsonValue, *, longest: int = 40) -> str:
    """A JSON value, truncated for messages.

    >>> excerpt_of(["user", "Hi"])
    '["user", "Hi"]'
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[:longest]}…"


def files_like(folder: Path, fits: Callable[[Head], bool], *, suffixes: tuple[str, ...] = (".json",)) -> Iterator[Path]:
    """Files directly in a folder whose beginning matches, by name; only those of the given suffixes are opened."""
    for path in sorted(folder.iterdir()):
        if path.is_file() and Head(path).bare_suffix in suffixes and fits(Head(path)):
            yield path


def in_file_or_folder(
    fits: Callable[[Head], bool], *, suffixes: tuple[str, ...] = (".json",)
) -> Callable[[Head], bool]:
    """Whether a file matches, or a file directly in a folder."""

    def recognises(head: Head) -> bool:
        return any(True for _ in files_like(head.path, fits, suffixes=suffixes)) if head.is_folder else fits(head)

    return recognises


def files_at(
    path: Path,
    fits: Callable[[Head], bool],
    *,
    what: str,
    hint: str,
    suffixes: tuple[str, ...] = (".json",),
    is_deep: bool = False,
) -> list[Path]:
    """A file itself, or the files of a folder whose beginning matches; if ``is_deep``, all JSON files below it that do.

    Raises:
        DataError: a folder has none; the error says ``what`` and gives the hint.
    """
    if not path.is_dir():
        return [path]
    if is_deep:
        files = [file for file in sorted(path.rglob("*.json")) if fits(Head(file))]
    else:
        files = list(files_like(path, fits, suffixes=suffixes))
    if not files:
        raise DataError(Problem(what, str(path), hint=hint))
    return files


def bare_stem(path: Path) -> str:
    """Name without folder, compression and suffix: ``x`` for ``a/x.json.gz``."""
    return path_uncompressed(path).stem


def read_each(
    paths: Iterable[Path], read: Callable[[Path, Note], Iterable[AnyRecord]], note: Note
) -> Iterator[AnyRecord]:
    """The records of several files, one after the other.

    Raises:
        DataError: the mistakes of all files at once, after the last.
    """
    problems: list[Problem] = []
    for path in paths:
        try:
            yield from read(path, note)
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError(problems)


def first_json(folder: Path, depth: int, suffixes: tuple[str, ...] = (".json",)) -> Path | None:
    """The first JSON file of a folder, else of its folders by name; what lies deeper is not looked for."""
    entries = sorted(folder.iterdir())
    for entry in entries:
        if entry.suffix in suffixes and entry.is_file():
            return entry
    inside = (first_json(entry, depth - 1, suffixes) for entry in entries if depth and entry.is_dir())
    return next((found for found in inside if found is not None), None)
