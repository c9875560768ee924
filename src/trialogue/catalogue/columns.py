"""Parse columns of numbers from text files in blocks: vectorised for well-formed blocks, line by line for the others."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import LONGEST_LINE, MAX_PROBLEMS
from trialogue.records.files.opening import open_bytes

CHUNK = 1 << 22  # bytes read at a time; some 150,000 ratings

_COMMA, _NEWLINE = ord(","), ord("\n")


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a file."""

    first_line: int
    """Line number of the first row; rows follow line by line."""
    rows: NDArray[np.float64]
    """The numbers, shape (n_rows, n_columns)."""


def number_blocks(
    path: Path, *, names: tuple[str, ...], header: bool, problems: list[Problem], separator: bytes = b","
) -> Iterator[Block]:
    """Read a file of numbers in blocks of rows; blank lines are allowed only at its end.

    A row that cannot be read goes to ``problems`` instead of into a block. Reading ends early where they are very many.

    Args:
        path: the file; ``.gz`` and ``.zst`` are decompressed.
        names: names of the columns; with ``header``, the first line has to be these.
        header: whether the first line holds the names.
        problems: where mistakes are added.
        separator: what stands between two numbers.

    Raises:
        DataError: there is no such file, or a line never ends.
    """
    line = 1
    for raw in _whole_lines(path):
        text = raw.replace(b"\r\n", b"\n").replace(separator, b",")
        if line == 1 and header:
            first, _, text = text.partition(b"\n")
            line = 2
            if first.decode("utf-8-sig", "replace").strip() != ",".join(names):
                problems.append(_other_header(path, first, names))
                return
        if not text:
            continue
        fast = _in_order(text, len(names))
        if fast is not None:
            yield Block(line, fast)
            line += len(fast)
        else:
            yield from _row_by_row(text, line, path, names, problems)
            line += text.count(b"\n")
        if len(problems) >= MAX_PROBLEMS:
            return


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Pieces of the file that end at the end of a line; the last line gets an end if it has none."""
    rest = b""
    with open_bytes(path) as stream:
        while chunk := stream.read(CHUNK):
            head, newline, tail = chunk.rpartition(b"\n")
            if newline:
                yield rest + head + newline
                rest = tail
            else:
                rest += chunk
                if len(rest) > LONGEST_LINE:
                    what = f"a line is longer than {LONGEST_LINE >> 20} MiB. Expected one rating per line."
                    raise DataError(Problem(what, file=str(path)))
    if rest.strip():
        yield rest + b"\n"


def _in_order(text: bytes, n_columns: int) -> NDArray[np.float64] | None:
    """The numbers, if every line holds ``n_columns`` of them; None if any does not."""
    codes = np.frombuffer(text, dtype=np.uint8)
    marks = codes[(codes == _COMMA) | (codes == _NEWLINE)]
    pattern = np.full(n_columns, _COMMA, dtype=np.uint8)
    pattern[-1] = _NEWLINE
    if len(marks) % n_columns or not bool(np.all(marks.reshape(-1, n_columns) == pattern)):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # what numpy before 2.3 says instead of ValueError
        try:
            numbers = np.fromstring(text[:-1].replace(b"\n", b","), dtype=np.float64, sep=",")
        except (ValueError, DeprecationWarning):
            return None
    complete = len(numbers) == len(marks) and bool(np.all(np.isfinite(numbers)))
    return numbers.reshape(-1, n_columns) if complete else None


def _row_by_row(text: bytes, line: int, path: Path, names: tuple[str, ...], problems: list[Problem]) -> Iterator[Block]:
    for number, raw in enumerate(text.split(b"\n")[:-1], start=line):
        row = _numbers(raw, len(names))
        if isinstance(row, list):
            yield Block(number, np.array([row]))
        elif row:
            problems.append(
                Problem(row, str(path), number, hint=f"A row has the columns {','.join(names)}, all of them numbers.")
            )
            if len(problems) >= MAX_PROBLEMS:
                return


def _numbers(raw: bytes, n_columns: int) -> list[float] | str:
    """Numbers of a line, or its mistake ("" for a blank line)."""
    if not raw.strip():
        return ""
    fields = [field.decode("utf-8", "replace").strip() for field in raw.split(b",")]
    if len(fields) != n_columns:
        return f"this row has {len(fields)} fields; expected {n_columns}."
    row = []
    for field in fields:
        try:
            row.append(float(field))
        except ValueError:
            return f"{field[:40]!r} is not a number."
        if not np.isfinite(row[-1]):
            return f"{field!r} is not a valid rating, id or time."
    return row


def _other_header(path: Path, first: bytes, names: tuple[str, ...]) -> Problem:
    given = first.decode("utf-8", "replace").strip()[:80]
    return Problem(f"the first line is {given!r}, but must be {','.join(names)!r}.", str(path), 1)


def code_table(ids: Sequence[int]) -> NDArray[np.int32]:
    """Lookup table from id to index; -1 for missing ids, including the entry behind the largest id.

    >>> code_table([7, 3])[[3, 7, 8]].tolist()
    [1, 0, -1]
    """
    table = np.full(max(ids, default=0) + 2, -1, dtype=np.int32)
    table[list(ids)] = np.arange(len(ids), dtype=np.int32)
    return table


def encode_ids(ids: NDArray[np.int32]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """(Distinct ids in ascending order, index of each row's id among them), for ids from 0.

    >>> names, codes = encode_ids(np.array([30, 4, 30], dtype=np.int32))
    >>> names, codes.tolist()
    (('4', '30'), [1, 0, 1])
    """
    seen = np.zeros(int(ids.max(initial=-1)) + 1, dtype=bool)
    seen[ids] = True
    code_of = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return tuple(map(str, np.flatnonzero(seen).tolist())), code_of[ids]


def join_parts(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays, releasing each part, so that not every column of a file is in memory twice."""
    column = np.concatenate(parts)
    parts.clear()
    return column
