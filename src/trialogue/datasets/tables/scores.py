"""Tables of scores without texts: a row says which unit of which system was given which value, by whom.

Wide tables have a column for each question (``conversation_id, satisfaction, fluency``); long ones name it in a column
(``unit, metric, value``). Beside conversations such a table is joined to them by its ids; alone, each unit is a dialogue of
which only the ratings are known, so that systems are compared as with any other ratings.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from trialogue.datasets.base import AnyRecord, Head
from trialogue.datasets.door.account import FeedbackTally, FieldTally, report_unread
from trialogue.datasets.door.admission import note_of_name, plain_name
from trialogue.datasets.door.feedback import (
    Worded,
    feedback_in,
    feedback_under,
    key_of,
    kind_of_rater,
    may_be_negative,
    rated_name,
    with_rater,
)
from trialogue.datasets.door.values import Identifiers, identifier, is_absent, names_of, plain_number
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.tables.answers import ALIKE, TELL_APART, tells_rows_apart
from trialogue.datasets.tables.dialogues import ROW_NUMBERS, check_digits
from trialogue.datasets.tables.guess import MOST_SYSTEMS, SAMPLE, holds_texts, is_of_remarks, propose, says_its_scale
from trialogue.datasets.tables.rows import Row, Table, read_table
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Raters, Rating
from trialogue.records.files.jsonl import Note, warn

Better: TypeAlias = Literal["higher", "lower"]
_UNITS = names_of("units")
_SYSTEMS = "system system_name model model_name crs bot recommender agent version variant"
_PEOPLE = "user user_id person person_id worker worker_id participant participant_id customer_id"
_RATERS = "rater rater_id annotator annotator_id judge evaluator"
_TRIALS = "trial trial_id epoch attempt repetition"
_TASKS = "task task_id scenario"
_ORIGINS = "origin raters rater_kind rater_type annotator_kind source_type source"
_MEASURES = "measure metric aspect criterion question name dimension score_name"
_VALUES = "value score rating result answer"
_OUTCOMES = "reward success passed pass solved resolved correct accuracy outcome"
"""Headings of what a program found, in tables of runs of tasks."""
MOST_QUESTIONS = 100
ROW = "(row)"
"""The unit of a table in which nothing names any: each row is one. No heading is in brackets."""
_LOWS, _HIGHS = "low min minimum scale_min min_value", "high max maximum scale_max max_value"
_DIRECTIONS = "direction better higher_is_better lower_is_better"
_TEXTS = "text message content utterance response reply prediction context history speaker role messages conversations"
"""Columns of tables of conversations, which are no tables of scores."""


@dataclass(frozen=True)
class ScoreColumns:
    """Which column of a table of scores is what."""

    units: tuple[str, ...]
    """Columns that may name the unit, most likely one first."""
    values: tuple[str, ...]
    """Columns of values: of a wide table one for each question, of a long one a single one."""
    measure: str | None = None
    """Column that names the question, of a long table."""
    system: str | None = None
    person: str | None = None
    task: str | None = None
    trial: str | None = None
    rater: str | None = None
    origin: str | None = None
    low: str | None = None
    high: str | None = None
    direction: str | None = None
    """Column that says which end is the better one: higher or lower, max or min, or true under ``higher_is_better``."""

    def used_columns(self) -> set[str]:
        """Columns that are read, without further candidates for the unit."""
        named = (
            self.measure,
            self.system,
            self.person,
            self.task,
            self.trial,
            self.rater,
            self.origin,
            self.low,
            self.high,
            self.direction,
        )
        return {*self.values, *self.units[:1], *(column for column in named if column is not None)}


@dataclass(frozen=True)
class ScoreRow:
    """Values that one row gives to a unit."""

    line: int
    cells: dict[str, object]
    """Candidates for the unit, by column."""
    system: str
    person: str
    task: str
    trial: str
    ratings: tuple[Rating, ...]


@dataclass(frozen=True)
class ScoreTable:
    """A table of scores, read."""

    source: str
    columns: ScoreColumns
    rows: list[ScoreRow]
    ids: dict[str, Identifiers] = field(default_factory=dict)
    """How the ids of each candidate column compare."""

    def unit(self, row: ScoreRow, column: str) -> str:
        """The unit of a row, by one of the candidate columns."""
        return self.ids[column].text(row.cells.get(column))


def guess_scores(columns: Sequence[str], rows: Sequence[Row], *, values: tuple[str, ...] = ()) -> ScoreColumns | None:
    """Which column of a table is what, by headings and cells; None if it is no table of scores.

    Args:
        columns: the headings.
        rows: all rows.
        values: columns of values; (): by headings and cells.
    """
    is_declared = bool(values)
    nested = {column for column in columns if any(isinstance(row.cells.get(column), list | dict) for row in rows)}
    if not is_declared and any(_holds_conversations(column, rows) for column in nested):
        return None
    by_key = {
        key_of(column): column
        for column in reversed(columns)
        if column.strip().lower() not in ROW_NUMBERS and column not in nested
    }
    if not values and any(word in by_key for word in _TEXTS.split()):
        return None
    found = {
        name: next((by_key[word] for word in words.split() if word in by_key), None)
        for name, words in (
            ("system", _SYSTEMS), ("person", _PEOPLE), ("rater", _RATERS), ("trial", _TRIALS), ("task", _TASKS),
            ("origin", _ORIGINS), ("low", _LOWS), ("high", _HIGHS), ("direction", _DIRECTIONS),
        )
    }  # fmt: skip
    if found["system"] is None:
        asked = [
            column for column in by_key.values() if column not in found.values() and _asks_for_system(column, rows)
        ]
        found["system"] = asked[0] if len(asked) == 1 else None
    units = [by_key[word] for word in _UNITS if word in by_key]
    taken = {*units, *(column for column in found.values() if column is not None)}
    measure = next(
        (
            by_key[word]
            for word in _MEASURES.split()
            if word in by_key and by_key[word] not in taken and _names_questions(by_key[word], rows)
        ),
        None,
    )
    value = next((by_key[word] for word in _VALUES.split() if word in by_key), None)
    if measure is not None and value is not None and not values:
        values = (value,)
    else:
        measure = None
        values = values or tuple(
            column for column in by_key.values() if column not in taken and _holds_values(column, rows)
        )
    says = any(says_its_scale(column, rows) for column in values)
    if not values or not (units or found["person"] or says):
        return None
    unread = [column for column in by_key.values() if column not in {*taken, *values, measure}]
    if not is_declared and any(holds_texts(column, rows) for column in unread):
        return None  # texts that would be lost in silence: a table of messages with headings that nobody knows
    if not units:
        units = [found["person"] or ROW]
    return ScoreColumns(tuple(units), tuple(column for column in columns if column in values), measure, **found)


def _holds_conversations(column: str, rows: Sequence[Row]) -> bool:
    """Whether lists or objects in a column hold texts of several words, and no remarks, which would be lost in silence."""
    if rated_name(column) is not None or is_of_remarks(column):
        return False
    held = (text for row in rows[:SAMPLE] for text in _texts_in(row.cells.get(column)))
    return any(len(text.split()) > 1 for text in held)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(each)


def _names_questions(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column names few questions, and does not hold texts of their own."""
    names = {row.text(column) for row in rows} - {""}
    return 0 < len(names) <= min(MOST_QUESTIONS, max(len(rows) // 2, 1))


def _holds_values(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column holds feedback: by its heading and most of its cells."""
    key = key_of(column)
    name = rated_name(column)
    is_value = key in _VALUES.split() or key in _OUTCOMES.split() or says_its_scale(column, rows)
    if name is None and not key.startswith(("rating_", "score_", "dialogue_rating_")) and not is_value:
        return False
    given = [row.cells.get(column) for row in rows]
    said = [feedback_in(value) is not None for value in given if not is_absent(value)]
    return bool(said) and 2 * sum(said) >= len(said)


def _asks_for_system(column: str, rows: Sequence[Row]) -> bool:
    """Whether a heading of several words names a system, as "Which version did you use?", and its cells are a few names."""
    words = key_of(column).split("_")
    if len(words) < 2 or not {*words} & {*_SYSTEMS.split(), "chatbot", "assistant", "condition"}:
        return False
    names = Counter(text for row in rows if (text := row.text(column).strip()))
    return 1 < len(names) <= MOST_SYSTEMS and min(names.values()) > 1


def score_table(table: Table, columns: ScoreColumns, source: str, report: ParseReport) -> ScoreTable:
    """Read the rows of a table of scores; repeated rows are left out.

    Raises:
        DataError: ids that lost digits, or values that share no scale; all mistakes at once.
    """
    check_digits(table, columns.units[0], report)
    tally = FeedbackTally()
    rows: list[ScoreRow] = []
    known: set[int] = set()
    numbered = {name for name in table.columns if name.strip().lower() in ROW_NUMBERS}
    system_ids, person_ids = table.identifiers(columns.system), table.identifiers(columns.person)
    can_tell = columns.units[0] != ROW or tells_rows_apart(table, columns.used_columns())
    alike = 0
    for row in table.rows:
        content = hash(repr([value for name, value in row.cells.items() if name not in numbered]))
        if content in known and not can_tell:
            alike += 1
        elif content in known:
            report.mend("a row repeats an earlier one and was left out", line=row.line)
            continue
        known.add(content)
        if _asks_for_a_direction(row, columns):
            report.mend(
                WHICH_END, columns.measure or "", line=row.line, hint="Add a column direction: higher or lower."
            )
            continue
        named = system_ids.text(row.cell(columns.system))
        system = plain_name(named)
        if system != named:
            report.mend(note_of_name(named), line=row.line)
        rows.append(
            ScoreRow(
                line=row.line,
                cells={column: row.cells.get(column) for column in columns.units},
                system=system,
                person=person_ids.text(row.cell(columns.person)),
                task=identifier(row.cell(columns.task)),
                trial=identifier(row.cell(columns.trial)),
                ratings=tuple(_ratings(row, columns, tally, system)),
            )
        )
    if alike:
        report.wrong(
            ALIKE.format(alike=alike, rows=len(table.rows)),
            hint=TELL_APART,
        )
    tally.settle(report)
    report.settle()
    fields = FieldTally()
    unread = [
        name for name in table.columns if name not in columns.used_columns() | set(columns.units) and name.strip()
    ]
    for row in table.rows:
        for name in unread:
            fields.see(name, row.cells.get(name), row.text(columns.system))
    report_unread(fields.fields(units=len(rows)), report, system_from=f"the column {columns.system!r}")
    return ScoreTable(source, columns, rows, {column: table.identifiers(column) for column in columns.units})


WHICH_END = "an answer to a question of which the highest answer may be the worst was not read"


def _asks_for_a_direction(row: Row, columns: ScoreColumns) -> bool:
    """Whether a row answers a statement such as "It was frustrating", and nothing says which end is better."""
    value = columns.values[0]
    is_answer = isinstance(row.cells.get(value), Worded) or key_of(value) == "answer"
    is_unclear = columns.measure is not None and columns.direction is None and is_answer
    return is_unclear and may_be_negative(row.text(columns.measure))


def _ratings(row: Row, columns: ScoreColumns, tally: FeedbackTally, system: str) -> Iterator[Rating]:
    low = None if columns.low is None else plain_number(row.cells.get(columns.low))
    high = None if columns.high is None else plain_number(row.cells.get(columns.high))
    declared = None if columns.origin is None else kind_of_rater(row.text(columns.origin))
    rater = None if columns.rater is None else identifier(row.cells.get(columns.rater)) or None
    for column in columns.values:
        name = _question(row, column, columns)
        for plain in feedback_under(name, row.cells.get(column)):
            said = with_rater(plain, row.cells)
            found = tally.see(said, system, row.line)
            if found is not None:
                ends = (found.low if low is None else low, found.high if high is None else high)
                better = _better(row, columns.direction)
                yield _rating(said.name, found.value, rater or said.rater, *ends, declared or said.raters, better)


def _better(row: Row, column: str | None) -> Better:
    """Which end is the better one; higher where nothing says so."""
    if column is None:
        return "higher"
    word = row.text(column).strip().lower()
    is_yes = word in ("true", "1", "yes")
    if key_of(column) == "lower_is_better":
        return "lower" if is_yes else "higher"
    is_no = key_of(column) == "higher_is_better" and word in ("false", "0", "no")
    return "lower" if is_no or word in ("lower", "low", "min", "minimize", "minimise", "down", "-") else "higher"


@lru_cache(maxsize=65_536)  # a table has many rows and few different values
def _rating(
    name: str, value: float, rater: str | None, low: float | None, high: float | None, raters: Raters, better: Better
) -> Rating:
    return Rating(name=name, value=value, rater=rater, low=low, high=high, raters=raters, better=better)


def _question(row: Row, column: str, columns: ScoreColumns) -> str:
    if columns.measure is not None:
        return row.text(columns.measure).strip() or "score"
    key = key_of(column)
    for prefix in ("dialogue_rating_", "rating_"):
        if key.startswith(prefix):
            return key.removeprefix(prefix)
    return rated_name(column) or column


def describe_columns(columns: ScoreColumns) -> str:
    """How a table of scores is read, in a message."""
    parts = [f"unit: {columns.units[0]}", f"values: {', '.join(columns.values)}"]
    for name in ("measure", "system", "person", "rater", "trial", "origin"):
        column = getattr(columns, name)
        parts += [f"{name}: {column}"] if column else []
    return f"a table of scores: {'; '.join(parts)}."


def dialogues_of(table: ScoreTable, fallback: str) -> Iterator[Dialogue]:
    """A dialogue without texts for each unit of each system and trial, with its ratings, in the order of the rows."""
    column = table.columns.units[0]
    grouped: dict[tuple[str, str, str], list[ScoreRow]] = {}
    for row in table.rows:
        grouped.setdefault((row.system or fallback, table.unit(row, column) or str(row.line), row.trial), []).append(
            row
        )
    is_task = column == table.columns.task
    for (system, unit, trial), rows in grouped.items():
        task = unit if trial or is_task else rows[0].task or None
        yield Dialogue(
            id=f"{unit}/{trial}" if trial else unit,
            utterances=(),
            system=system,
            user=rows[0].person or None,
            task=task,
            source=table.source,
            ratings=tuple(rating for row in rows for rating in row.ratings),
        )


@dataclass(frozen=True)
class ScoreTableFormat:
    """Format of tables of scores."""

    columns: ScoreColumns
    name: str = "score-table"
    summary: str = "A table of scores: units, systems, values, and who gave them."

    def recognises(self, head: Head) -> bool:
        """Whether the file is a table; which columns it has is known already."""
        return not head.is_folder

    def table(self, path: Path, note: Note) -> ScoreTable:
        """Read the table.

        Raises:
            DataError: with every mistake at once.
        """
        report = ParseReport(str(path), note)
        note(Problem(f"read as {describe_columns(self.columns)}", str(path)))
        return score_table(read_table(path, report), self.columns, bare_stem(path), report)

    def read(self, path: Path, *, note: Note = warn) -> Iterator[AnyRecord]:
        """Read the units as dialogues of which only the ratings are known."""
        yield from dialogues_of(self.table(path, note), bare_stem(path))


def score_table_format(path: Path) -> ScoreTableFormat | None:
    """The format of a table of scores; None if a file is none."""
    try:
        table = read_table(path, ParseReport(str(path), lambda _: None))
    except (DataError, ValueError):
        return None
    columns = guess_scores(table.columns, table.rows)
    proposed = propose(table, bare_stem(path))
    if columns is None or (proposed is not None and not proposed.is_of_answers):  # conversations in unknown columns
        return None
    return ScoreTableFormat(columns)
