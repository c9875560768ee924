"""Mechanical Turk batch results: a CSV with ``HITId``, ``WorkerId``, ``Input.…`` and ``Answer.…``, one row per assignment.

The ``Input.…`` columns hold what was shown: a reply in its context (``context``, ``response``, ``system``, ``reference``,
``situation_id``, or the other headings recognised in tables), or a whole dialogue (``dialogue``, ``conversation``,
``transcript``: a text in which each utterance starts a line with its speaker, such as ``User: hello``). A numeric answer
is a rating by that worker: ``Answer.satisfaction`` with 4, the radio buttons ``Answer.satisfaction.4`` with
true, or the same within ``Answer.taskAnswers``. Worker ids are replaced by codes, which are the same in every file. Rejected
assignments are excluded.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.values import plain_number
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.tables.guess import headings_of
from trialogue.datasets.tables.mapping import PREFIXED, Mapping, obvious, shape_mistakes
from trialogue.datasets.tables.responses import responses
from trialogue.datasets.tables.rows import Row, Table, columns_of, read_table
from trialogue.records import Dialogue, Rating, Utterance
from trialogue.records.files.jsonl import Note

WORKER, HIT, STATUS, RATER = "WorkerId", "HITId", "AssignmentStatus", "worker code"
INPUT, ANSWER, TASK = "Input.", "Answer.", "Answer.taskAnswers"
TRANSCRIPTS = ("dialogue", "dialog", "conversation", "transcript", "chat")
OF_REPLIES = ("dialogue", "system", "situation", "context", "reference", "response", "mentions", "ranking", "targets")
BREAK = re.compile(r"<br\s*/?>|\r\n?", re.IGNORECASE)  # as inputs are shown in a page


@dataclass(frozen=True)
class _Assignment:
    """One worker's work on one HIT."""

    line: int
    hit: str
    worker: str
    shown: dict[str, Any]
    """Displayed content, by name."""
    answers: dict[str, float]
    """Numeric answers, by name."""


def _recognise(head: Head) -> bool:
    if head.is_folder or head.is_json_object or head.is_json_list or HIT not in head.first_line:
        return False
    columns = columns_of(head.path)
    return {HIT, WORKER} <= set(columns) and any(column.startswith(ANSWER) for column in columns)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report = ParseReport(str(path), note)
    table = read_table(path, report)
    assignments = list(_assignments(table, report))
    _note_columns(table, assignments, report)
    shown = list(dict.fromkeys(name for each in assignments for name in each.shown))
    transcript = next((name for name in shown if name.lower() in TRANSCRIPTS), None)
    records: list[AnyRecord] = []
    if transcript is not None:
        records += _dialogues(assignments, transcript, bare_stem(path), report)
    elif assignments:
        records += _replies(assignments, shown, bare_stem(path), report)
    report.settle()
    yield from records


def _assignments(table: Table, report: ParseReport) -> Iterator[_Assignment]:
    for row in table.rows:
        if row.text(STATUS).strip().lower() == "rejected":
            report.mend("a rejected assignment was left out", STATUS, line=row.line)
            continue
        shown = {name.removeprefix(INPUT): value for name, value in row.cells.items() if name.startswith(INPUT)}
        yield _Assignment(row.line, row.text(HIT), _code(row.text(WORKER)), shown, _answers(row, report))


def _code(worker: str) -> str:
    """A worker in records: no account on the platform, and the same in every file."""
    return f"worker-{hashlib.sha256(worker.strip().encode('utf-8', 'replace')).hexdigest()[:8]}"


def _answers(row: Row, report: ParseReport) -> dict[str, float]:
    """The numbers that were answered."""
    given: dict[str, Any] = {}
    for column, value in row.cells.items():
        if column == TASK:
            given |= _task_answers(row, report)
        elif column.startswith(ANSWER):
            given[column.removeprefix(ANSWER)] = value
    return {name: number for name, value in _radios(given).items() if (number := plain_number(value)) is not None}


def _task_answers(row: Row, report: ParseReport) -> dict[str, Any]:
    try:
        parsed = json.loads(row.text(TASK))
    except (ValueError, RecursionError):
        report.wrong("not the JSON of Mechanical Turk. Download the results again.", TASK, line=row.line)
        return {}
    given = parsed[0] if isinstance(parsed, list) and parsed else parsed
    found: dict[str, Any] = {}
    for name, value in given.items() if isinstance(given, dict) else ():
        chosen = value.items() if isinstance(value, dict) else ((None, value),)
        found |= {name if option is None else f"{name}.{option}": one for option, one in chosen}
    return found


def _radios(given: dict[str, Any]) -> dict[str, Any]:
    """Answers with the buttons of a question as one: ``{"fluency.4": True}`` is ``{"fluency": "4"}``."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        question, dot, option = name.rpartition(".")
        if isinstance(value, bool) or str(value).strip().lower() in ("true", "false"):
            if dot and str(value).strip().lower() == "true":
                found[question] = option
        else:
            found[name] = value
    return found


def _note_columns(table: Table, assignments: list[_Assignment], report: ParseReport) -> None:
    """Note the interpretation of the columns."""
    rated = list(dict.fromkeys(name for each in assignments for name in each.answers))
    workers = len({each.worker for each in assignments})
    if rated:
        what = f"ratings of {workers} workers were read: {', '.join(rated)}; worker ids were replaced by codes"
        report.mend(what, ANSWER)
    elif assignments:
        report.mend("no answer is a number, so there are no ratings")
    given = [column.removeprefix(ANSWER) for column in table.columns if column.startswith(ANSWER) and column != TASK]
    unread = [name for name in given if not any(name == one or name.startswith(f"{one}.") for one in rated)]
    if unread:
        report.mend(f"answers that are not numbers were skipped: {', '.join(unread)}", ANSWER)


def _replies(
    assignments: list[_Assignment], shown: Iterable[str], stem: str, report: ParseReport
) -> Iterator[AnyRecord]:
    """Replies in their contexts, with the ratings of every worker who saw them."""
    headings = {name: column for name, column in headings_of(shown).items() if name in OF_REPLIES}
    given: dict[str, Any] = {**headings, **({} if "system" in headings else {"system_name": stem})}
    if wrong := shape_mistakes(given):
        hint = "Shown were: " + ", ".join(shown) + ". Or read the file as a table, with --mapping."
        report.wrong(f"the Input columns could not be interpreted: {'; '.join(wrong)}.", INPUT, hint=hint)
        return
    names = list(dict.fromkeys(name for each in assignments for name in each.answers))
    mapping = Mapping.model_validate({**given, "rater": RATER, "ratings": {name: ANSWER + name for name in names}})
    rows = [
        Row(
            each.line,
            {**each.shown, RATER: each.worker, **{ANSWER + name: value for name, value in each.answers.items()}},
        )
        for each in assignments
    ]
    yield from responses(Table([], rows), mapping, stem, report)


def _dialogues(assignments: list[_Assignment], transcript: str, stem: str, report: ParseReport) -> Iterator[Dialogue]:
    """Whole dialogues, with the ratings of every worker who saw them."""
    headings = headings_of(name for name in assignments[0].shown if name != transcript)
    by_name: dict[str, list[_Assignment]] = {}
    for each in assignments:
        own = headings.get("dialogue")
        by_name.setdefault(str(each.shown[own]) if own is not None else each.hit, []).append(each)
    for name, group in by_name.items():
        first = group[0]
        utterances = _transcript(str(first.shown[transcript] or ""), INPUT + transcript, first.line, report)
        system = first.shown.get(headings.get("system", ""))
        ratings = [
            Rating(name=question, value=value, rater=each.worker)
            for each in group
            for question, value in each.answers.items()
        ]
        yield Dialogue(
            id=name, utterances=utterances, system=str(system) if system else stem, source=stem, ratings=tuple(ratings)
        )


def _transcript(text: str, column: str, line: int, report: ParseReport) -> list[Utterance]:
    """Utterances of a dialogue; a line without a speaker continues the one before."""
    found: list[Utterance] = []
    for part in BREAK.sub("\n", text).splitlines():
        prefixed = PREFIXED.match(part)
        speaker = obvious(prefixed[1]) if prefixed else None
        if prefixed and speaker is not None:
            found.append(Utterance(speaker=speaker, text=prefixed[2].strip()))
        elif found and part.strip():
            found[-1] = found[-1].model_copy(update={"text": f"{found[-1].text}\n{part.strip()}"})
        elif part.strip():
            hint = "Begin each utterance with its speaker, such as User: or System:."
            report.wrong("the first speaker is unknown.", column, line=line, hint=hint)
            return []
    return found


FORMAT = SimpleFormat(
    name="mturk",
    summary="Results of a Mechanical Turk batch: a CSV with HITId, WorkerId, Input.… and Answer.….",
    recognise=_recognise,
    reader=_read,
)
