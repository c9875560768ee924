"""Votes of CRSArena-Dial: one row per choice between the two recommenders that a person talked to."""

import csv
import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal

from trialogue.datasets.json_documents import ParseReport, read_text
from trialogue.records import Preference
from trialogue.records.files.jsonl import Note

VOTES_HEADER = ("session_id", "user_id", "crs1", "crs2", "vote")
"""Columns every votes file has; ``feedback`` may be missing."""
DUPLICATE = "(duplicate)"
"""End of the ``source`` of a vote that its person had given before."""

Row = dict[str, str]
Choice = Literal["a", "b", "tie"]


def is_duplicate(preference: Preference) -> bool:
    """Whether the reader marked this as a repeated vote of the same person on the same pair."""
    return (preference.source or "").endswith(DUPLICATE)


def read_votes(path: Path, setting: str, on_record: Collection[str] | None, note: Note) -> Iterator[Preference]:
    """Read the votes of a file, in order.

    Args:
        path: the CSV file; columns ``session_id, user_id, crs1, crs2, vote`` and perhaps ``feedback``, in any order.
        setting: what ids begin with, such as ``"open"``.
        on_record: ids of the conversations that are there; None: no conversations were given, votes are not joined.
        note: called for each vote without a conversation, and for each duplicate.

    Raises:
        DataError: with every row that cannot be understood.
    """
    report = ParseReport(str(path), note)
    if on_record is None:
        report.mend(
            "votes were not joined to conversations, because none were given", hint="Read the whole folder to join them"
        )
    votes, seen = [], set[tuple[str, frozenset[str], str]]()
    for number, (line, row) in enumerate(_rows(path, report), start=1):
        choice = _choice(row, line, report)
        if choice is None:
            continue
        key = (row["user_id"], frozenset((row["crs1"], row["crs2"])), row["vote"])
        source = f"crsarena-dial/{setting}"
        if key in seen:
            report.mend(f"vote {setting}-{number} repeats an earlier one; its source ends in {DUPLICATE!r}", line=line)
            source += f" {DUPLICATE}"
        seen.add(key)
        votes.append(_preference(row, f"{setting}-{number}", choice, source, on_record))
        _note_missing(votes[-1], row, line, on_record, report)
    report.settle()
    yield from votes


def _rows(path: Path, report: ParseReport) -> Iterator[tuple[int, Row]]:
    """Line number and cells of every row that has a cell for every column."""
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), skipinitialspace=True)
    missing = [name for name in VOTES_HEADER if name not in (reader.fieldnames or ())]
    if missing:
        report.wrong(f"columns are missing: {', '.join(missing)}.", line=1, hint=f"Needed: {', '.join(VOTES_HEADER)}.")
        return
    last = reader.line_num
    try:
        for row in reader:
            line, last = last + 1, reader.line_num
            if any(not row[name] for name in VOTES_HEADER) or None in row:
                report.wrong("the row has an empty cell, or more or fewer cells than the header.", line=line)
            else:
                yield line, row
    except csv.Error as error:
        report.wrong(f"not valid CSV ({error}).", line=reader.line_num, hint="Is a closing quotation mark missing?")


def _choice(row: Row, line: int, report: ParseReport) -> Choice | None:
    if row["crs1"] == row["crs2"]:
        report.wrong(f"this vote compares {row['crs1']!r} with itself.", "crs2", line=line)
        return None
    choices: dict[str, Choice] = {row["crs1"]: "a", row["crs2"]: "b", "crs1": "a", "crs2": "b", "tie": "tie"}
    choice = choices.get(row["vote"])
    if choice is None:
        hint = f"It must be {row['crs1']!r}, {row['crs2']!r} or 'tie'."
        report.wrong(f"{row['vote']!r} is not one of the two compared systems.", "vote", line=line, hint=hint)
    return choice


def _preference(row: Row, identity: str, choice: Choice, source: str, on_record: Collection[str] | None) -> Preference:
    def dialogue_id(system: str) -> str | None:
        conversation = f"{system}_{row['user_id']}"
        return conversation if on_record is not None and conversation in on_record else None

    return Preference(
        id=identity,
        a=row["crs1"],
        b=row["crs2"],
        choice=choice,
        rater=row["user_id"],
        dialogue_a=dialogue_id(row["crs1"]),
        dialogue_b=dialogue_id(row["crs2"]),
        reason=(row.get("feedback") or "").strip() or None,
        source=source,
    )


def _note_missing(
    vote: Preference, row: Row, line: int, on_record: Collection[str] | None, report: ParseReport
) -> None:
    if on_record is None:
        return
    for system, conversation in ((vote.a, vote.dialogue_a), (vote.b, vote.dialogue_b)):
        if conversation is None:
            what = f"vote {vote.id}: the conversation of {row['user_id']} with {system} is missing"
            report.mend(what, line=line)
