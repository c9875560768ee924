"""Read files of rows that others report, with all mistakes of all files at once."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.files.opening import open_bytes
from trialogue.records.files.validation import Mistake, dotted_path, mistakes_of
from trialogue.subjects.board.reported import ReportedRow, ReportedRows

HINT = "trialogue list schemas rows prints the schema."


def read_reported(paths: Sequence[Path]) -> list[tuple[Path, ReportedRow]]:
    """Rows of files, in order.

    Raises:
        DataError: files that are no JSON or do not fit the schema; every mistake with its file, row and field.
    """
    problems: list[Problem] = []
    rows: list[tuple[Path, ReportedRow]] = []
    for path in paths:
        try:
            found = _read(path)
        except DataError as error:
            problems += error.problems
            continue
        rows += [(path, row) for row in found.rows]
    if problems:
        raise DataError(problems, hint=HINT)
    return rows


def problems_of_rows(paths: Sequence[Path]) -> list[Problem]:
    """Every mistake in files of rows; [] without any."""
    try:
        read_reported(paths)
    except DataError as error:
        return error.problems
    return []


def _read(path: Path) -> ReportedRows:
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        data = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant, object_pairs_hook=_unique_fields)
    except UnicodeDecodeError as error:
        raise DataError(Problem("this file is not UTF-8. Save it as UTF-8.", file=str(path))) from error
    except json.JSONDecodeError as error:
        raise DataError(Problem(f"not valid JSON ({error.msg}).", file=str(path), line=error.lineno)) from error
    except (ValueError, RecursionError) as error:
        raise DataError(Problem(f"not valid JSON ({error}).", file=str(path))) from error
    try:
        return ReportedRows.model_validate(data)
    except ValidationError as error:
        mistakes = mistakes_of(error, data, ReportedRows)
        raise DataError([_problem(each, data, str(path)) for each in mistakes]) from error


def _problem(mistake: Mistake, data: object, file: str) -> Problem:
    """With the number of the row, and its system where it names one."""
    row = _row_of(mistake.place, data)
    return Problem(f"{row}{mistake.what}", file, None, dotted_path(mistake.place), mistake.hint)


def _row_of(place: Sequence[str | int], data: object) -> str:
    if len(place) < 2 or place[0] != "rows" or not isinstance(place[1], int) or not isinstance(data, dict):
        return ""
    row = data["rows"][place[1]]
    system = row.get("system") if isinstance(row, dict) else None
    named = f" ({system})" if isinstance(system, str) and system else ""
    return f"row {place[1] + 1}{named}: "


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number in JSON")


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Fields of an object; a field given twice would silently lose its first value."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the field {name!r} is given twice in one object")
        found[name] = value
    return found
