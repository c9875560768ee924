"""CRSArena-Dial (Bernard et al., WSDM 2025): people talk with two of nine recommenders and vote for the better one.

The conversations are DialogueKit JSON with a sentiment, ``satisfied`` or ``frustrated``, read as a Rating
``satisfaction`` of 1 or 0 by the user. A vote (CSV) becomes a Preference; its id is that of its setting and row
(``open-17``), its sides are joined to the conversations by ``{agent}_{user}``. One person voted twice on the same pair, 38
seconds apart: published Elo scores count both rows, so both are read, and the source of the later one ends in
``(duplicate)``, so that analyses of people rather than rows can exclude it (``is_duplicate``).

A folder is read as a whole: conversations before votes, the open setting before the closed one, each in file order.
"""

import csv
import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal

from trialogue.datasets.base import Corpus, Head, SimpleFormat, card
from trialogue.datasets.dialoguekit.format import CRSARENA_SENTIMENT, read_dialoguekit
from trialogue.datasets.json_documents import ParseReport, bare_stem, files_like, in_file_or_folder, read_text
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Preference, Rating
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


NAME = "crsarena-dial"
SETTINGS = ("open", "closed")  # anyone on the web; paid workers of a crowd platform
SATISFACTION = {"satisfied": 1.0, "frustrated": 0.0}


def read_folder(folder: Path, note: Note) -> Iterator[Dialogue | Preference]:
    """Read every conversation and vote of a folder, whatever the file names.

    Raises:
        DataError: nothing of it is there, or two files hold the same conversation.
    """
    conversations, votes = (
        sorted(files_like(folder, _is_conversations), key=_place),
        sorted(files_like(folder, _is_votes, suffixes=(".csv",)), key=_place),
    )
    if not conversations and not votes:
        hint = "Expected crs_arena_dial_open.json, votes_open.csv and the same for closed."
        raise DataError(
            Problem("this folder contains no conversations or votes of CRSArena-Dial.", str(folder), hint=hint)
        )
    on_record: dict[str, Path] = {}
    for path in conversations:
        for dialogue in read_conversations(path, note):
            _remember(dialogue.id, path, on_record)
            yield dialogue
    for path in votes:
        yield from read_votes(path, setting_of(path), set(on_record), note)


def read_conversations(path: Path, note: Note) -> Iterator[Dialogue]:
    """Read the conversations of one file, with the user's sentiment as a rating.

    Raises:
        DataError: a sentiment is neither satisfied nor frustrated, or the file is no DialogueKit JSON.
    """
    problems: list[Problem] = []
    rated = []
    for index, dialogue in enumerate(read_dialoguekit(path, note=note)):
        sentiment = dialogue.meta.get("sentiment")
        value = SATISFACTION.get(sentiment) if isinstance(sentiment, str) else None
        if value is None:
            what = f"the sentiment must be satisfied or frustrated, got {sentiment!r}."
            problems.append(Problem(what, str(path), field=f"[{index}].metadata.sentiment"))
        else:
            rated.append(_add_rating(dialogue, value, f"{NAME}/{setting_of(path)}"))
    if problems:
        raise DataError(problems)
    yield from rated


def setting_of(path: Path) -> str:
    """``"open"`` or ``"closed"`` if the file name contains it; else its stem."""
    stem = bare_stem(path)
    return next((setting for setting in SETTINGS if setting in stem.lower()), stem)


def _add_rating(dialogue: Dialogue, value: float, source: str) -> Dialogue:
    rating = Rating(name="satisfaction", value=value, rater="user", low=0, high=1)
    meta = {key: said for key, said in dialogue.meta.items() if key != "sentiment"}
    ratings = (*dialogue.ratings, rating)
    return dialogue.model_copy(update={"ratings": ratings, "source": source, "meta": meta})


def _remember(identity: str, path: Path, on_record: dict[str, Path]) -> None:
    if identity in on_record:
        what = f"the conversation {identity!r} is also in {on_record[identity].name}."
        raise DataError(Problem(what, str(path), hint="Is one of the files a copy? Remove it."))
    on_record[identity] = path


def _place(path: Path) -> tuple[int, str]:
    setting = setting_of(path)
    return SETTINGS.index(setting) if setting in SETTINGS else len(SETTINGS), path.name


def _is_conversations(head: Head) -> bool:
    return head.is_json_list and CRSARENA_SENTIMENT.search(head.text) is not None


def _is_votes(head: Head) -> bool:
    return {name.strip() for name in head.first_line.split(",")} >= set(VOTES_HEADER)


def _recognises(head: Head) -> bool:
    fits = (in_file_or_folder(_is_conversations), in_file_or_folder(_is_votes, suffixes=(".csv",)))
    return any(fit(head) for fit in fits)


def _read_file(path: Path, note: Note) -> Iterator[Dialogue | Preference]:
    if _is_votes(Head(path)):
        return read_votes(path, setting_of(path), None, note)
    return read_conversations(path, note)


FORMAT = SimpleFormat(
    name=NAME,
    summary="CRSArena-Dial: a folder of conversations with satisfaction (JSON) and votes (CSV), or one of its files.",
    recognise=_recognises,
    reader=_read_file,
    folder_reader=read_folder,
)

CORPUS = Corpus(source=card("crsarena-dial"), reader=read_folder)
