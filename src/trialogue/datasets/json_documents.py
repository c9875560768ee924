"""Read JSON files: one document, or the objects of JSON Lines, a list or several in a row, with line numbers.

A reader checks everything before it fails: mistakes are collected and raised together; repairs are counted and
reported once per kind, not once per line.
"""

import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from trialogue.datasets.base import AnyRecord, Head
from trialogue.datasets.door.values import as_number
from trialogue.errors import DataError, Problem
from trialogue.records import JsonValue
from trialogue.records.files.jsonl import MAX_PROBLEMS, Note, read_lines
from trialogue.records.files.opening import open_bytes, path_uncompressed

MESSAGES = "messages"
"""Key of the object that stands for a list within a list: a conversation without anything beside it."""
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
    """Mistakes recorded so far; ``settle`` raises them together."""
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


JsonObject = dict[str, Any]
BLANK = re.compile(r"\s*")
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[][{}]')
"""A text of JSON, which is a key if a colon follows, or a bracket."""


def read_objects(path: Path, report: ParseReport) -> Iterator[tuple[int, JsonObject]]:
    """Read (line from 1, object) of every JSON object in a file; anything else is reported to ``report``.

    Of lists within a list, and of a list on each line, each is the ``messages`` of an object.

    JSON Lines are streamed, and a last line that a crash cut short is left out. A JSON list, or objects written over
    several lines, are read whole; one that breaks off is a mistake.

    Raises:
        DataError: there is no such file, it is empty, or it is not UTF-8.
    """
    start = _first_line(path)
    if not start:
        raise DataError(Problem("this file is empty.", file=str(path), hint="Is the file complete?"))
    if start.startswith("[") and _is_one_of_many(path):
        yield from _conversations_by_line(path, report)
    elif start.startswith("[") or _breaks_off(start):
        yield from _objects_of(read_text(path), report)
    else:
        yield from objects_by_line(path, report)


def _is_one_of_many(path: Path) -> bool:
    """Whether the first line is a list of messages by itself and the next one begins another: a conversation on each line.

    A list of records, which hold lists of messages, is one document.
    """
    first, second = ([text.strip() for _, text in islice(read_lines(path, note=lambda _: None), 2)] + ["", ""])[:2]
    if not (second.startswith("[") and first.endswith("]")):
        return False
    try:
        given = json.loads(first)
    except (ValueError, RecursionError):
        return False
    held = (value for each in given if isinstance(each, dict) for value in each.values())
    return not any(isinstance(value, list) and value and isinstance(value[0], dict | list) for value in held)


def _conversations_by_line(path: Path, report: ParseReport) -> Iterator[tuple[int, JsonObject]]:
    decoder = _decoder(report)
    for line, text in read_lines(path, note=report.note):
        try:
            value = decoder.decode(text.strip())
        except (ValueError, RecursionError) as error:
            report.wrong(f"not valid JSON ({_reason(error)}).", line=line, hint="Is the file complete, and is it JSON?")
            continue
        if isinstance(value, list):
            yield line, _replace_in_object({MESSAGES: value}, text, line, report)
        else:
            _is_object(value, line, report)


def first_object(head: str) -> JsonObject | None:
    """The first object at the beginning of a file, alone or in a list; None if there is none or it is truncated.

    >>> first_object('[{"id": 1}, {"i'), first_object('{"id": 1')
    ({'id': 1}, None)
    """
    at = _skip(head, 0)
    at = _skip(head, at + 1) if head.startswith("[", at) else at
    try:
        value, _ = json.JSONDecoder().raw_decode(head, at)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def first_keys(head: str) -> list[str]:
    """The keys of the first object at the beginning of a file, alone or in a list, as far as they can be seen.

    >>> first_keys('[{"id": {"a": 1}, "messages": [{"role": "us')
    ['id', 'messages']
    """
    depth, found = 0, []
    for token in TOKEN.finditer(head, head.startswith("[", _skip(head, 0)) and _skip(head, 0) + 1):
        if token[0] in ("{", "["):
            depth += 1
        elif token[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and token[2]:
            found.append(token[1])
    return found


def _first_line(path: Path) -> str:
    return next((text.lstrip() for _, text in read_lines(path, note=lambda _: None)), "")


def _breaks_off(line: str) -> bool:
    """Whether a line is the beginning of an object that goes on in the next one."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def _decoder(report: ParseReport) -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=lambda _: report.mend(NO_NUMBER))


def objects_by_line(path: Path, report: ParseReport) -> Iterator[tuple[int, JsonObject]]:
    """Read (line from 1, object) of every line; a last line that a crash cut short is left out. An empty file has none."""
    decoder = _decoder(report)
    held: Problem | None = None  # a line that may turn out to be the last one, cut short
    for number, text in read_lines(path, note=report.note):
        if held is not None:
            report.problems.append(held)
            held = None
        try:
            value = decoder.decode(text)
        except (ValueError, RecursionError) as error:
            held = Problem(f"not valid JSON ({_reason(error)}).", str(path), number)
            if text.endswith("\n") or number == 1:
                report.problems.append(held)
                held = None
            continue
        if _is_object(value, number, report):
            yield number, _replace_in_object(value, text, number, report)
        if len(report.problems) >= MAX_PROBLEMS:
            return
    if held is not None:
        report.mend("the last line is cut off (a crash while writing?) and was left out", line=held.line)


def _objects_of(text: str, report: ParseReport) -> Iterator[tuple[int, JsonObject]]:
    decoder = _decoder(report)
    at = _skip(text, 0)
    in_list = text.startswith("[", at)
    at = _skip(text, at + in_list)
    line = 1 + text.count("\n", 0, at)
    while at < len(text) and not (in_list and text[at] == "]"):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else line
            report.wrong(
                f"not valid JSON ({_reason(error)}).", line=where, hint="Is the file complete, and is it JSON?"
            )
            return
        if in_list and isinstance(value, list):
            yield line, _replace_in_object({MESSAGES: value}, text[at:end], line, report)
        elif _is_object(value, line, report):
            yield line, _replace_in_object(value, text[at:end], line, report)
        behind = _skip(text, end)
        if in_list and text.startswith(",", behind):
            behind = _skip(text, behind + 1)
        line += text.count("\n", at, behind)
        at = behind
    if in_list and at >= len(text):
        report.wrong("the list is not closed by ].", line=line, hint="Is the file complete?")
    elif _skip(text, at + 1) < len(text):
        report.wrong("there is more text after the list.", line=line, hint="A file must contain exactly one list.")


def _skip(text: str, at: int) -> int:
    blank = BLANK.match(text, at)
    return blank.end() if blank else at


def _is_object(value: object, line: int, report: ParseReport) -> bool:
    if not isinstance(value, dict):
        report.wrong(f"expected an object, got {kind_of(value)}.", line=line)
    return isinstance(value, dict)


def _replace_in_object(value: JsonObject, text: str, line: int, report: ParseReport) -> JsonObject:
    """The same without halves of characters, which JSON escapes can say and UTF-8 cannot hold."""
    if not SURROGATE_ESCAPE.search(text):
        return value
    plain = json.dumps(value, ensure_ascii=False)
    if not LONE_SURROGATE.search(plain):
        return value
    report.mend("half a character (a lone surrogate) was read as U+FFFD", line=line)
    mended: JsonObject = json.loads(LONE_SURROGATE.sub("\ufffd", plain))
    return mended


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
