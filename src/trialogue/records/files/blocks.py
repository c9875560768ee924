"""Read files of records in blocks of whole lines, and lines one by one only where a block is not what is expected."""

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import LINE_BREAK, LONGEST_LINE, MAX_PROBLEMS, Note, Part, read_parsed
from trialogue.records.files.opening import COMPRESSED, open_bytes

BLOCK = 1 << 20  # bytes that are read at a time, and as many more as complete a line
LINES = 256  # of a compressed file, which may break off within a line, are taken at a time

ParsedT = TypeVar("ParsedT")


def read_blocks(
    path: Path,
    parse_block: Callable[[bytes], Sequence[ParsedT] | None],
    parse: Callable[[str], ParsedT],
    *,
    note: Note,
    part: Part | None = None,
) -> Iterator[Sequence[ParsedT]]:
    """What is in the lines of a file or a part of it, many lines at a time, as long as none before was wrong.

    Args:
        path: the file.
        parse_block: what is in lines, one for each; None if it cannot say, so that they are parsed one by one.
        parse: what is in a line; mistakes are those of ``read_parsed``.
        note: called with each repair.
        part: which lines; None: all.

    Raises:
        DataError: at the end of the file, with every line that could not be read.
    """
    if path.suffix in COMPRESSED:
        parsed = read_parsed(path, parse, note=note)
        while some := list(islice(parsed, LINES)):
            yield some
        return
    problems: list[Problem] = []
    for block, lines_before in _blocks(path, part):
        found = parse_block(block) if len(block) <= LONGEST_LINE else None
        if found is None:
            own = Part(0, len(block), lines_before)
            try:
                found = list(read_parsed(path, parse, note=note, part=own, opener=lambda _: BytesIO(block)))  # noqa: B023
            except DataError as error:
                problems += error.problems
        if len(problems) >= MAX_PROBLEMS:
            break
        if found and not problems:
            yield found
    if problems:
        raise DataError(problems)


def _blocks(path: Path, part: Part | None) -> Iterator[tuple[bytes, int]]:
    """Whole lines, and how many there are before them. A line that is too long comes without its end, as the last one."""
    with open_bytes(path) as stream:
        if part is not None:
            stream.seek(part.start)
        left = None if part is None else part.end - part.start
        lines, rest = 0 if part is None else part.lines_before, b""
        while len(rest) <= LONGEST_LINE and (data := stream.read(BLOCK if left is None else min(BLOCK, left))):
            left = None if left is None else left - len(data)
            end = data.rfind(b"\n") + 1
            if end:
                block = rest + data[:end]
                yield block, lines
                lines += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == LINE_BREAK))
                rest = data[end:]
            else:
                rest += data
        if rest:
            yield rest, lines
