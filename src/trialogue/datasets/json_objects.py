"""Iterate over the JSON objects of a file with their line numbers: JSON Lines, one JSON list, or concatenated objects."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trialogue.datasets.json_documents import (
    LONE_SURROGATE,
    NO_NUMBER,
    SURROGATE_ESCAPE,
    ParseReport,
    kind_of,
    read_text,
)
from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import MAX_PROBLEMS, read_lines

JsonObject = dict[str, Any]
BLANK = re.compile(r"\s*")
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[][{}]')
"""A text of JSON, which is a key if a colon follows, or a bracket."""


def read_objects(path: Path, report: ParseReport) -> Iterator[tuple[int, JsonObject]]:
    """Read (line from 1, object) of every JSON object in a file; anything else is reported to ``report``.

    JSON Lines are streamed, and a last line that a crash cut short is left out. A JSON list, or objects written over
    several lines, are read whole; one that breaks off is a mistake.

    Raises:
        DataError: there is no such file, it is empty, or it is not UTF-8.
    """
    start = _first_line(path)
    if not start:
        raise DataError(Problem("this file is empty.", file=str(path), hint="Is the file complete?"))
    if start.startswith("[") or _breaks_off(start):
        yield from _objects_of(read_text(path), report)
    else:
        yield from _objects_by_line(path, report)


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


def _objects_by_line(path: Path, report: ParseReport) -> Iterator[tuple[int, JsonObject]]:
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
            yield number, _replace_surrogates(value, text, number, report)
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
        if _is_object(value, line, report):
            yield line, _replace_surrogates(value, text[at:end], line, report)
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


def _replace_surrogates(value: JsonObject, text: str, line: int, report: ParseReport) -> JsonObject:
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
