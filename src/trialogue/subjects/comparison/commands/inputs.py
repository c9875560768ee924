"""Load the two sides of a comparison: runs or evaluated conversations, and their names."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from trialogue.analysis.saved_results import SCORES, StoredRun, holds_run, read_run
from trialogue.analysis.stage_measures import experiment_run, is_experiment
from trialogue.datasets import AnyRecord
from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.findings import Findings
from trialogue.findings.protocol import DecisionProtocol
from trialogue.inputs.locations import Input, Named
from trialogue.inputs.memory import Data, InMemory, in_memory
from trialogue.long_work import Progress
from trialogue.records import Dialogue
from trialogue.records.files.opening import path_uncompressed
from trialogue.subjects.comparison.commands.measures import is_metric
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate

Given: TypeAlias = Named | Run | InMemory
"""One side of a comparison."""


def version_in_memory(given: str | Path | Run | Data, name: str, mapping: Columns | None = None) -> Given:
    """One side of a comparison; in-memory data become records with a name."""
    if isinstance(given, Run | str | Path | Input | InMemory):
        return given
    return in_memory(given, side=name, mapping=mapping)


def are_same(before: Given, after: Given) -> bool:
    """Whether both sides are the same run, file or corpus, under whatever names."""
    if isinstance(before, Run) or isinstance(after, Run):
        return before is after
    if isinstance(before, InMemory) or isinstance(after, InMemory):
        return isinstance(before, InMemory) and isinstance(after, InMemory) and _drop_ids(before) == _drop_ids(after)
    return _place(before) == _place(after)


def _drop_ids(given: InMemory) -> list[AnyRecord]:
    """Description of in-memory data without dialogue ids, which may have been generated to separate the two versions."""
    return [one.model_copy(update={"id": ""}) if isinstance(one, Dialogue) else one for one in given.held]


def _place(given: Named) -> str:
    """Absolute path; texts that name no file (possibly too long for a path) are returned unchanged."""
    for text in (str(given), str(given).partition("=")[2]):
        try:
            if text and Path(text).exists():
                return str(Path(text).resolve())
        except OSError:
            break
    return str(given)


def refuse_itself(names: Sequence[str], *, same: bool, known: Sequence[str]) -> None:
    """Raise an error if a system of a run is compared with itself.

    Raises:
        UsageError: both are the same system of the same run.
    """
    if same and names[0] == names[1]:
        others = [name for name in known if name != names[0]]
        do = (
            f"Name the other system with a second --system ({', '.join(others[:8])}), or give another run."
            if others
            else "Give another run."
        )
        raise UsageError(f"{names[0]} is compared with itself: the same run is given twice. {do}")


def read_version(
    given: Given,
    on: Sequence[str],
    seed: int,
    resamples: int,
    progress: Progress | None,
    *,
    any_language: bool,
    mapping: Columns | None = None,
    protocol: DecisionProtocol | None = None,
) -> StoredRun:
    """Load a run; conversations are evaluated, on the named metrics if any, without what a protocol excludes."""
    if isinstance(given, Run):
        return given.to_stored()
    folder = _folder(given)
    if isinstance(given, InMemory) or not holds_run(folder):
        metrics = [name for name in on if is_metric(name)]
        rules = DecisionProtocol(measure=protocol.measure, exclude=protocol.exclude) if protocol is not None else None
        run = evaluate(
            given,
            metrics=metrics or None,
            decide=rules if rules is not None and rules.exclude else None,
            seed=seed,
            resamples=resamples,
            any_language=any_language,
            mapping=mapping,
            progress=progress,
        )
        return run.to_stored()
    stored = experiment_run(folder) if is_experiment(folder) else read_run(folder)
    if not stored.scores:
        hint = "It may be a run of votes alone. Evaluate conversations or scores."
        raise DataError(Problem("it contains no scores.", file=str(folder / SCORES), hint=hint))
    return stored


def system_of(findings: Findings, wanted: Sequence[str], given: Given) -> str:
    """Name of the compared system in a run.

    Raises:
        UsageError: the run has none of the wanted name, or several and none is named.
    """
    known = [facts.system for facts in findings.systems]
    if wanted and (wanted[0] in known):
        return wanted[0]
    if wanted:
        raise UnknownNameError("system", wanted[0], known)
    if len(known) != 1:
        raise UsageError(
            f"{stem_of(given)} has {len(known)} systems ({', '.join(known[:8])}): choose one with --system."
        )
    return known[0]


def stem_of(given: Given) -> str:
    """Fallback name of a version: a folder's name, or a file's stem."""
    if isinstance(given, Run):
        return given.findings.title
    if isinstance(given, InMemory):
        return given.given
    name, equals, _ = str(given).partition("=")
    path = Path(str(given))
    return name if equals else (path.name if holds_run(path) else path_uncompressed(path).stem) or str(given)


def labels_of(names: Sequence[str], stems: Sequence[str]) -> tuple[str, str]:
    """Names of the two versions: by system, else by input, else before and after."""
    for one, other in (names, stems):
        if one != other:
            return one, other
    return "before", "after"


def _folder(given: Named | InMemory) -> Path:
    """The folder of a run that may have a name of its own: ``NAME=FOLDER``."""
    folder = Path(str(given))
    return (
        folder
        if isinstance(given, InMemory) or holds_run(folder) or "=" not in str(given)
        else Path(str(given).partition("=")[2])
    )
