"""Read human labels against which a model is checked: answers to a labelling file, or an exported labelling study.

JSON Lines of ``{"id", "strategy", "by"}`` and, where known, ``"labeller"``; a table (CSV, TSV) with these columns; or what a
study made from the file (``labelling.study``) exported: its ``labels.csv`` (``dialogue_id``, ``label``, ``rater``, ``role``,
``by``) or the folder. Its dialogues are our items, and only annotators who count in the study's report count here. ``by`` is
the kind of labeller (``Labeller``); where nothing states it, it must be given, and labels of a model or an LLM are refused.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.rows import Row, read_table
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.inputs.label_origins import HOW_TO_DECLARE
from trialogue.inputs.study_answers import countable_people, labeller_of
from trialogue.records import Labeller, StrategyLabel
from trialogue.records.files.cells import unguard_cell
from trialogue.records.files.jsonl import Note, read_lines, warn
from trialogue.strategies.base import canonical

ORIGIN = "labelled"
TABLES = (".csv", ".tsv", ".txt")
EXPORTED = "labels.csv"
COLUMNS = {
    "id": ("id", "dialogue_id"),
    "strategy": ("strategy", "label"),
    "labeller": ("labeller", "rater"),
    "role": ("role",),
    "by": ("by",),
}
NO_ANSWER = 'an answer must have the form {"id": ..., "strategy": ...}.'
WORDS = {Labeller.MODEL: "a model", Labeller.LLM: "an LLM"}
MAJORITY = 3  # labellers from which the most frequent first label is taken


@dataclass(frozen=True)
class _Answer:
    key: str
    label: StrategyLabel
    is_final: bool
    """Whether it decides where labellers disagree."""
    line: int


def read_answers(
    path: Path, *, by: Labeller | None = None, mapping: Mapping[str, str] | None = None, note: Note = warn
) -> dict[str, tuple[StrategyLabel, ...]]:
    """Labels by item id; those of the decisive labeller come first.

    Who decided a disagreement (``role`` is ``adjudicator``) counts; else of three labellers or more one whose first label is
    the most frequent; else the first. Several labels by one labeller are several strategies of a text, in the order of the
    file. Rows and lines whose label is empty (``null``) are passed over: they are not answered yet.

    Labels of participants who did not finish the study, or hit a rule of exclusion fixed before launch, are left out where
    the table of participants lies beside them; staff who decide disagreements are no participants.

    Args:
        path: the file, or the folder of a study's export.
        by: who gave the labels that do not say so themselves, nor have a ``study.json`` beside them that does.
        mapping: other names to ours.
        note: called with who is left out.

    Raises:
        DataError: lines that are no answers, with strategies that do not exist, or that do not say who gave them; labels
            of a model or an LLM, which are nobody's ground truth; all of them at once.
    """
    path = path / EXPORTED if path.is_dir() else path
    counted = None
    if path.name == EXPORTED:
        by = labeller_of(path.parent) or by
        counted = countable_people(path.parent)
    left_out: set[str] = set()
    found: dict[str, list[_Answer]] = {}
    problems: list[Problem] = []
    unknown: dict[str, list[int]] = {}
    for number, row in _rows(path, problems):
        try:
            answer = _answer(number, row, by, mapping)
        except UnknownNameError as error:
            unknown.setdefault(str(error), []).append(number)
        except (TypeError, KeyError):
            problems.append(Problem(NO_ANSWER, str(path), number))
        else:
            if counted is None or answer.is_final or answer.label.origin in counted:
                found.setdefault(answer.key, []).append(answer)
            else:
                left_out.add(answer.label.origin)
    for said, lines in unknown.items():
        times = f" ({len(lines)} times, first here)" if len(lines) > 1 else ""
        problems.append(Problem(f"{said}{times}", str(path), lines[0]))
    problems += _refusal_of_labels([answer for answers in found.values() for answer in answers], str(path))
    many = len(left_out)
    message = (
        f"{many} labeller{' is' if many == 1 else 's are'} left out: unfinished, or excluded by the study's rules."
    )
    if problems or not found:
        empty = Problem("it contains no answers.", str(path), hint=message if left_out else "")
        raise DataError(problems or empty)
    if left_out:
        note(Problem(message, file=str(path)))
    return {key: _in_order(answers) for key, answers in found.items()}


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix.lower() in TABLES:
        report = ParseReport(str(path), warn)
        table = read_table(path, report)
        report.settle()
        lacking = [
            " or ".join(COLUMNS[ours]) for ours in ("id", "strategy") if set(COLUMNS[ours]).isdisjoint(table.columns)
        ]
        if lacking:
            hint = f"It has: {', '.join(table.columns) or 'nothing'}."
            raise DataError(
                Problem(f"the first line lacks the column {' and '.join(lacking)}.", str(path), 1, hint=hint)
            )
        yield from ((row.line, cells) for row in table.rows if (cells := _cells(row)))
        return
    for number, line in read_lines(path):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict) and row.get("id") not in (None, ""):
            if row.get("strategy", NO_ANSWER) not in (None, ""):
                yield number, row
        else:
            problems.append(Problem(NO_ANSWER, str(path), number))


def _cells(row: Row) -> dict[str, str]:
    """A row of a table by our names, as it was before an export guarded it; empty where it is not answered."""
    cells = {
        ours: text
        for ours, names in COLUMNS.items()
        if (text := next((found for name in names if (found := unguard_cell(row.text(name).strip()).strip())), ""))
    }
    return cells if "strategy" in cells else {}


def _answer(line: int, row: Mapping[str, Any], by: Labeller | None, mapping: Mapping[str, str] | None) -> _Answer:
    label = StrategyLabel(
        strategy=canonical(str(row["strategy"]), mapping=mapping),
        origin=str(row.get("labeller") or ORIGIN),
        by=_kind(row.get("by")) or by,
    )
    return _Answer(str(row["id"]), label, row.get("role") == "adjudicator", line)


def _kind(given: object) -> Labeller | None:
    if given in (None, ""):
        return None
    try:
        return Labeller(str(given).strip().lower())
    except ValueError:
        raise UnknownNameError("kind of labeller", str(given), [each.value for each in Labeller]) from None


def _refusal_of_labels(answers: Sequence[_Answer], file: str) -> Iterator[Problem]:
    """Reason why labels cannot serve as a reference: their origin is unknown, or a model."""
    if unsaid := [answer.line for answer in answers if answer.label.by is None]:
        what = f"{len(unsaid)} of {len(answers)} labels do not state who gave them (the first one here)."
        yield Problem(what, file, min(unsaid), "by", hint=HOW_TO_DECLARE)
    for kind, whose in WORDS.items():
        if lines := [answer.line for answer in answers if answer.label.by is kind]:
            yield Problem(
                f"{len(lines)} of {len(answers)} labels were given by {whose} (the first one here): they are "
                "guesses, like those of the model that they should correct.",
                file,
                min(lines),
                "by",
                hint="Have people label some of these texts (--label-file or --label-study), or omit --labels. To "
                "count matches of these labels as they are, write them to the records and measure "
                "behavior_alignment.",
            )


def _in_order(answers: Sequence[_Answer]) -> tuple[StrategyLabel, ...]:
    by: dict[str, list[StrategyLabel]] = {}
    for answer in sorted(answers, key=lambda one: not one.is_final):
        by.setdefault(answer.label.origin, []).append(answer.label)
    groups = list(by.values())
    if len(groups) >= MAJORITY and not any(answer.is_final for answer in answers):
        ((most, _),) = Counter(group[0].strategy for group in groups).most_common(1)
        groups.sort(key=lambda group: group[0].strategy != most)
    return tuple(label for group in groups for label in group)
