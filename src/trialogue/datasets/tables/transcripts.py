"""Cells that hold a whole conversation as text, a line for each utterance: ``User: a thriller?`` and ``Bot: Try Heat.``."""

from collections.abc import Iterable
from dataclasses import replace

from trialogue.datasets.door.feedback import key_of
from trialogue.datasets.door.values import is_absent
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.mapping import PREFIXED, obvious
from trialogue.datasets.tables.rows import Row, Table

GLANCE = 20  # cells that must all be transcripts, or a column of texts would be read to its end
OF_RESPONSES = ("context", "history", "prompt")
"""Headings of contexts, which readers of responses split themselves."""


def with_messages(table: Table, report: ParseReport) -> Table:
    """The table with transcripts as lists of utterances, each with its speaker in front, which is reported.

    A column is of transcripts if each of its first cells begins with a speaker who is known to be a user or a system, and
    both speak in most.
    """
    columns = [
        column for column in table.columns if key_of(column) not in OF_RESPONSES and _are_transcripts(table, column)
    ]
    for column in columns:
        report.mend("transcripts were split at lines that begin with a speaker", column)
    if not columns:
        return table
    return Table(table.columns, [replace(row, cells=row.cells | _messages_of(row, columns)) for row in table.rows])


def _messages_of(row: Row, columns: Iterable[str]) -> dict[str, list[str]]:
    return {column: _split(cell) for column in columns if isinstance(cell := row.cells.get(column), str)}


def _are_transcripts(table: Table, column: str) -> bool:
    given = [cell for row in table.rows if not is_absent(cell := row.cells.get(column))][:GLANCE]
    texts = [cell for cell in given if isinstance(cell, str) and ":" in cell]
    if not texts or len(texts) < len(given):
        return False
    speakers = [{_speaker(piece) for piece in _split(text)} for text in texts]
    return all(None not in each for each in speakers) and 2 * sum(len(each) > 1 for each in speakers) > len(given)


def _split(cell: str) -> list[str]:
    """The utterances of a transcript; lines without a known speaker belong to the utterance before them."""
    lines = (
        cell.splitlines() if "\n" in cell.strip() else cell.split("\\n")
    )  # some programs write line breaks as two signs
    pieces: list[str] = []
    for line in lines:
        if not pieces or _speaker(line) is not None:
            pieces.append(line.strip() + " ")  # "Bot:" alone is an empty reply, which readers know by a space behind it
        else:
            pieces[-1] += f"\n{line.rstrip()}"
    return [piece for piece in pieces if piece.strip()]


def _speaker(line: str) -> str | None:
    found = PREFIXED.match(f"{line} ")
    return None if found is None else obvious(found[1])
