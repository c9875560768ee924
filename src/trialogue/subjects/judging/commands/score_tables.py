"""Judge scores and labels from tables: CSV files, ``FILE:COLUMN``, rows and data frames."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.rows import Table, in_points, read_table
from trialogue.datasets.tables.scores import ScoreTable, guess_scores, score_table
from trialogue.errors import DataError, Problem
from trialogue.inputs.frames import is_frame, table_of_frame, table_of_rows
from trialogue.records import MeasureName, Rating, Scale, Score
from trialogue.records.files.jsonl import Note
from trialogue.records.score import AGGREGATE


def split_column(given: Any) -> tuple[Any, str | None]:
    """(A file, its column) of ``FILE:COLUMN``; anything else has no column.

    >>> split_column("missing.csv:gpt4o")
    ('missing.csv:gpt4o', None)
    """
    if not isinstance(given, str | Path) or Path(given).exists():
        return given, None
    file, colon, column = str(given).rpartition(":")
    return (Path(file), column) if colon and Path(file).is_file() else (given, None)


def table_in(given: Any, note: Note) -> ScoreTable | None:
    """The table of scores in a file, rows or a data frame; None if it is in another form, such as records.

    Raises:
        DataError: there is no such column, or the table has mistakes.
    """
    file, column = split_column(given)
    table, name = _rows_of(file, note)
    if table is None or "kind" in table.columns:  # lines of records say their kind
        return None
    report = ParseReport(name, note)
    if column is not None and column not in table.columns:
        raise DataError(
            Problem(f"there is no column {column!r}.", name, hint=f"There are: {', '.join(table.columns)}.")
        )
    table = in_points(table, report)
    columns = guess_scores(table.columns, table.rows, values=() if column is None else (column,))
    return None if columns is None else score_table(table, columns, name, report)


def _rows_of(given: Any, note: Note) -> tuple[Table | None, str]:
    if is_frame(given):
        return table_of_frame(given), "scores"
    if isinstance(given, str | Path):
        path = Path(given)
        if not path.is_file():
            return None, str(path)
        try:
            return read_table(path, ParseReport(str(path), note)), str(path)
        except DataError:  # reported by the reader of records
            return None, str(path)
    if isinstance(given, Sequence) and given and all(isinstance(row, Mapping) for row in given):
        return table_of_rows(given), "scores"
    return None, ""


def questions_in(table: ScoreTable) -> list[str]:
    """Names of the columns or questions of a table, in order."""
    return list(dict.fromkeys(rating.name for row in table.rows for rating in row.ratings))


def scores_in(table: ScoreTable, dialogues: Container[str], *, question: str | None = None) -> list[Score]:
    """Scores of dialogues: of a judge if a question is given that they predict, else people's answers.

    Args:
        table: the table.
        dialogues: ids of the dialogues, by which the column of ids is found.
        question: question to people that the judge's scores predict; None: the values are answers themselves.
    """
    column = _unit_column(table, dialogues)
    return [
        _score(rating, row.system, table.unit(row, column), row.line, question)
        for row in table.rows
        for rating in row.ratings
    ]


def _unit_column(table: ScoreTable, dialogues: Container[str]) -> str:
    def known_ids(column: str) -> int:
        return sum(table.unit(row, column) in dialogues for row in table.rows)

    return max(table.columns.units, key=known_ids)


def _score(rating: Rating, system: str, unit: str, line: int, question: str | None) -> Score:
    is_answer = question is None
    return Score(
        measure=MeasureName.of_question(rating.name) if is_answer else _judge_name(rating.name, question),
        level="dialogue",
        value=rating.value,
        system=system or None,
        dialogue_id=unit or f"line {line}",
        rater=(rating.rater or AGGREGATE) if is_answer else None,
        raters=rating.raters,
        scale=Scale.of(rating.low, rating.high),
    )


def _judge_name(column: str, question: str | None) -> MeasureName:
    name = MeasureName(column)
    return name.with_aspect(question) if question and column != question and not name.aspect else name


def single_name(names: Iterable[str]) -> str | None:
    """The only one of some names; None of none or several."""
    found: Iterator[str] = iter(dict.fromkeys(names))
    first = next(found, None)
    return first if next(found, None) is None else None
