"""USS (Sun et al., SIGIR 2021): dialogues of other corpora with third-party satisfaction ratings, by message and overall.

A file for each corpus (``CCPE.txt``, ``SGD.txt``, ...), with no header row and no quoting: lines of speaker, text, action
and ratings, with tabs between them, and blank lines between dialogues. The last line of a dialogue, ``USER`` and
``OVERALL``, is no message but holds the ratings of the whole. Raters have no codes and differ from dialogue to dialogue;
their number stands for them. Ratings are from 1 to 5.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Rating, Speaker, Utterance
from trialogue.records.files.jsonl import Note
from trialogue.records.files.opening import open_bytes

Row: TypeAlias = Sequence[str]
"""Speaker, text, action, ratings."""

USER = "USER"
SPEAKERS: dict[str, Speaker] = {USER: "user", "SYSTEM": "system"}
OVERALL = "OVERALL"
COLUMNS = 4
LOW, HIGH = 1, 5
SNIFFED_LINES = 20  # by which a file is recognised


def _recognise(head: Head) -> bool:
    lines = [line for line in head.text.splitlines()[:SNIFFED_LINES] if line.strip()]
    return bool(lines) and all(_is_line(line) for line in lines[:-1] or lines)  # the last may be cut


def _is_line(line: str) -> bool:
    cells = line.split("\t")
    return len(cells) == COLUMNS and cells[0] in SPEAKERS and _numbers(cells[3]) is not None


def _numbers(cell: str) -> list[int] | None:
    """Ratings in a cell, [] in an empty one; None if it holds something else."""
    parts = [part.strip() for part in cell.split(",")] if cell.strip() else []
    return [int(part) for part in parts] if all(part in "12345" and len(part) == 1 for part in parts) else None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    corpus = path.name.split(".")[0].lower()
    blocks = _blocks(path)
    yield from (_dialogue(f"{corpus}-{number}", corpus, rows) for number, rows in enumerate(blocks, start=1))


def _blocks(path: Path) -> list[list[Row]]:
    """The rows of each dialogue.

    Raises:
        DataError: every line that is not a row.
    """
    with open_bytes(path) as stream:
        lines = stream.read().decode("utf-8-sig", errors="replace").splitlines()
    problems: list[Problem] = []
    blocks: list[list[Row]] = [[]]
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if not line.strip():
            blocks.append([])
        elif (what := _line_error(cells)) is not None:
            problems.append(Problem(what, file=str(path), line=number))
        else:
            blocks[-1].append(cells)
    if problems:
        raise DataError(problems, hint="USS has lines of speaker, text, action and ratings, separated by tabs.")
    return [block for block in blocks if block]


def _line_error(cells: Row) -> str | None:
    if len(cells) != COLUMNS:
        return f"expected {COLUMNS} columns, got {len(cells)}."
    if cells[0] not in SPEAKERS:
        return f"the speaker must be USER or SYSTEM, got {cells[0]!r}."
    if _numbers(cells[3]) is None:
        return f"ratings must be numbers from {LOW} to {HIGH} separated by commas, got {cells[3]!r}."
    return None


def _dialogue(dialogue_id: str, corpus: str, rows: Sequence[Row]) -> Dialogue:
    *messages, last = rows
    is_rated = (last[0], last[1]) == (USER, OVERALL)
    return Dialogue(
        id=dialogue_id,
        system=corpus,
        source=f"uss/{corpus}",
        utterances=tuple(
            Utterance(
                speaker=SPEAKERS[speaker],
                text=text,
                ratings=tuple(_ratings(dialogue_id, ratings)),
                meta={"action": action} if action else {},
            )
            for speaker, text, action, ratings in (messages if is_rated else rows)
        ),
        ratings=tuple(_ratings(dialogue_id, last[3])) if is_rated else (),
    )


def _ratings(dialogue_id: str, cell: str) -> Iterator[Rating]:
    for rater, value in enumerate(_numbers(cell) or (), start=1):
        yield Rating(name="satisfaction", value=value, rater=f"{dialogue_id}/{rater}", low=LOW, high=HIGH)


FORMAT = SimpleFormat(
    name="uss",
    summary="USS: dialogues with third-party satisfaction ratings for each message and the whole; CCPE.txt, "
    "SGD.txt, ...",
    recognise=_recognise,
    reader=_read,
)
