"""Read what a board shows: runs with the names of their versions, and rows of others with all mistakes of all files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.analysis.saved_results import FINDINGS, SCORES, StoredRun, holds_run, read_run
from trialogue.analysis.stage_measures import experiment_run, is_experiment
from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import open_bytes
from trialogue.records.files.validation import Mistake, dotted_path, mistakes_of
from trialogue.subjects.board.reported import ReportedRow, ReportedRows
from trialogue.subjects.evaluation.commands.evaluate import Run

HINT = "trialogue list schemas rows prints the schema."


@dataclass(frozen=True)
class VersionRun:
    """One run of a version."""

    version: str
    name: str
    """What the run is called; unique on the board."""
    stored: StoredRun
    digest: str
    """Hash of its findings: equal ones are copies of a folder."""


def read_versions(given: Sequence[str | Path | Run]) -> list[VersionRun]:
    """Runs with the names of their versions: ``NAME=FOLDER``, else the folder's name.

    Raises:
        UsageError: no runs, or two folders of one name of which it is unclear whether they are one version.
        DataError: folders that hold no run, or one that is not what was sealed; all of them at once.
    """
    if not given:
        raise UsageError("a board needs at least one run: give folders written by trialogue evaluate or run.")
    named = _with_names([_name(one) for one in given])
    problems: list[Problem] = []
    runs: list[VersionRun] = []
    taken: dict[str, int] = {}
    for version, what in named:
        try:
            stored, digest = _read(what)
        except DataError as error:
            problems += error.problems
            continue
        taken[stored.name] = taken.get(stored.name, 0) + 1
        name = stored.name if taken[stored.name] == 1 else f"{stored.name} #{taken[stored.name]}"
        runs.append(VersionRun(version, name, stored, digest))
    if problems:
        raise DataError(problems)
    return runs


def _name(given: str | Path | Run) -> tuple[str | None, Path | Run]:
    """(Version as given, run); None: it is the folder's name."""
    if isinstance(given, Run):
        return given.findings.title, given
    if isinstance(given, Path) or holds_run(Path(given)):
        return None, Path(given)
    name, equals, folder = given.partition("=")
    if equals and not name.strip():
        raise UsageError(f"{given!r} names no version before the '='. Write NAME=FOLDER.")
    return (name.strip(), Path(folder)) if equals else (None, Path(given))


def _with_names(named: Sequence[tuple[str | None, Path | Run]]) -> list[tuple[str, Path | Run]]:
    """Give unnamed folders their own names; two of one name might be one version or two."""
    places: dict[str, list[Path]] = {}
    found: list[tuple[str, Path | Run]] = []
    for version, what in named:
        if version is None and isinstance(what, Path):
            places.setdefault(what.resolve().name, []).append(what)
        found.append((version if version is not None else Path(str(what)).resolve().name, what))
    twice = {name: folders for name, folders in places.items() if len({each.resolve() for each in folders}) > 1}
    if twice:
        name, folders = next(iter(twice.items()))
        raise UsageError(
            f"{len(folders)} folders are called {name!r}: {', '.join(map(str, folders))}. Name the version of each: "
            f"{name}={folders[0]} pools them as one version, other names keep them apart."
        )
    return found


def _read(what: Path | Run) -> tuple[StoredRun, str]:
    if isinstance(what, Run):
        stored = what.to_stored()
        return stored, stored.concluded.model_dump_json()
    if not holds_run(what):
        hint = (
            "Give a folder written by trialogue evaluate, align or run, or a .json file (trialogue list schemas rows)."
        )
        raise DataError(Problem("there is no run in this folder.", file=str(what), hint=hint))
    stored = experiment_run(what) if is_experiment(what) else read_run(what)
    if not stored.scores:
        raise DataError(
            Problem("it contains no scores.", file=str(what / SCORES), hint="It may be a run of votes alone.")
        )
    return stored, stored.inputs[FINDINGS]


def read_reported(paths: Sequence[Path]) -> list[tuple[Path, ReportedRow]]:
    """Rows of files, in order.

    Raises:
        DataError: files that are no JSON or do not fit the schema; every mistake with its file, row and field.
    """
    problems: list[Problem] = []
    rows: list[tuple[Path, ReportedRow]] = []
    for path in paths:
        try:
            found = _rows_of(path)
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


def _rows_of(path: Path) -> ReportedRows:
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
