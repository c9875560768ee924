"""USS (Sun et al., SIGIR 2021): dialogues of other corpora, with outsiders' satisfaction for each message and as a whole.

A file for each corpus (``CCPE.txt``, ``SGD.txt``, ...), without heading or quotation: lines of speaker, text, action and
ratings, with tabs between them, and blank lines between dialogues. The last line of a dialogue, ``USER`` and ``OVERALL``, is
no message but the ratings of the whole. Raters have no codes and differ from dialogue to dialogue; their number stands for
them. Ratings are from 1 to 5.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Rating, Speaker, Utterance
from trialogue.records.files.jsonl import Note
from trialogue.records.files.opening import open_bytes

SPEAKERS: dict[str, Speaker] = {"USER": "user", "SYSTEM": "system"}
OVERALL = "OVERALL"
COLUMNS = 4
LOW, HIGH = 1, 5
SEEN = 20  # lines of a file by which it is recognised


def _recognise(head: Head) -> bool:
    lines = [line for line in head.text.splitlines()[:SEEN] if line.strip()]
    return bool(lines) and all(_is_line(line) for line in lines[:-1] or lines)


def _is_line(line: str) -> bool:
    cells = line.split("\t")
    return len(cells) == COLUMNS and cells[0] in SPEAKERS and _numbers(cells[3]) is not None


def _numbers(cell: str) -> list[int] | None:
    """Ratings in a cell, [] in an empty one; None: something else stands there."""
    parts = [part.strip() for part in cell.split(",")] if cell.strip() else []
    return [int(part) for part in parts] if all(part in "12345" and len(part) == 1 for part in parts) else None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    with open_bytes(path) as stream:
        lines = stream.read().decode("utf-8-sig", errors="replace").splitlines()
    problems: list[Problem] = []
    dialogues: list[Dialogue] = []
    block: list[tuple[int, list[str]]] = []
    corpus = path.name.split(".")[0].lower()
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            cells = line.split("\t")
            wrong = _mistake(cells)
            if wrong is None:
                block.append((number, cells))
            else:
                problems.append(Problem(wrong, file=str(path), line=number))
        elif block:
            dialogues.append(_dialogue(f"{corpus}-{len(dialogues) + 1}", corpus, [cells for _, cells in block]))
            block = []
    if problems:
        raise DataError(problems, hint="USS has lines of speaker, text, action and ratings, with tabs between them.")
    yield from dialogues


def _mistake(cells: Sequence[str]) -> str | None:
    if len(cells) != COLUMNS:
        return f"expected {COLUMNS} columns, got {len(cells)}."
    if cells[0] not in SPEAKERS:
        return f"the speaker must be USER or SYSTEM, got {cells[0]!r}."
    if _numbers(cells[3]) is None:
        return f"ratings must be numbers from {LOW} to {HIGH} with commas between them, got {cells[3]!r}."
    return None


def _dialogue(identity: str, corpus: str, rows: Sequence[Sequence[str]]) -> Dialogue:
    overall = [row for row in rows if row[1] == OVERALL]
    return Dialogue(
        id=identity,
        system=corpus,
        source=f"uss/{corpus}",
        utterances=tuple(
            Utterance(
                speaker=SPEAKERS[speaker],
                text=text,
                ratings=tuple(_ratings(identity, ratings)),
                meta={"action": action} if action else {},
            )
            for speaker, text, action, ratings in rows
            if text != OVERALL
        ),
        ratings=tuple(rating for row in overall for rating in _ratings(identity, row[3])),
    )


def _ratings(identity: str, cell: str) -> Iterator[Rating]:
    for rater, value in enumerate(_numbers(cell) or (), start=1):
        yield Rating(name="satisfaction", value=value, rater=f"{identity}/{rater}", low=LOW, high=HIGH)


FORMAT = SimpleFormat(
    name="uss",
    summary="USS: dialogues with outsiders' satisfaction for each message and as a whole; CCPE.txt, SGD.txt, ...",
    recognise=_recognise,
    reader=_read,
)
