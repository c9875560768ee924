"""Read the runs of a board: names of versions, and copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.analysis.saved_results import FINDINGS, SCORES, StoredRun, holds_run, read_run
from trialogue.analysis.stage_measures import experiment_run, is_experiment
from trialogue.errors import DataError, Problem, UsageError
from trialogue.subjects.evaluation.commands.evaluate import Run


@dataclass(frozen=True)
class VersionRun:
    """One run of a version."""

    version: str
    """The version."""
    name: str
    """What the run is called; unique on the board."""
    stored: StoredRun
    """What it holds."""
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
