"""Run a sealed run again, and say whether the results are the same, to the byte or by how much they differ."""

import importlib
import inspect
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from trialogue.analysis.calls import decode, digest_of
from trialogue.errors import DataError, Problem, UsageError
from trialogue.long_work import Progress
from trialogue.records import Manifest
from trialogue.records.runs import StoredFiles, open_run
from trialogue.render.explorer.links import PAGE as EXPLORER
from trialogue.render.plots.base import FIGURE_FORMATS, FigureFormat
from trialogue.subjects.evaluation.pages.write import FINDINGS, read_findings, write_report

if TYPE_CHECKING:
    from trialogue.workflows.experiment.file import Experiment

Repeat = Callable[[Path, Progress], None]
EXPERIMENT = "run"
PAGE = "report.html"
HINT = "Give the file, or a folder that holds it, with --data."
COMMANDS = {
    "evaluate": ("trialogue.subjects.evaluation.commands.evaluate", "evaluate"),
    "align": ("trialogue.subjects.alignment.commands.align", "align"),
    "compare": ("trialogue.subjects.comparison.commands.compare", "compare"),
    "board": ("trialogue.subjects.board.commands.board", "board"),
    "agree": ("trialogue.subjects.agreement.commands.agree", "agree"),
    "agree --benchmark": ("trialogue.subjects.agreement.commands.benchmark", "agree_benchmark"),
    "agree --real --simulated": ("trialogue.subjects.simulated_users.commands.realism", "realism"),
    "judge": ("trialogue.subjects.judging.commands.judge", "judge"),
    "users passport": ("trialogue.subjects.simulated_users.commands.passport", "passport"),
    "study report": ("trialogue.subjects.people.commands.report", "study_findings"),
}
"""The function of each command that can be run again."""
RECORDS = {
    "settings": ("trialogue.subjects.judging.conclude", "JudgeSettings"),
    "plan": ("trialogue.subjects.simulated_users.commands.simulated_sample", "PassportPlan"),
}
"""Types of arguments that are no plain values."""
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class FileDifference:
    """A file that differs."""

    name: str
    what: str
    """How it differs: by how much, where only numbers do."""


@dataclass(frozen=True)
class Rerun:
    """Result of running a run again."""

    same: int
    """Files that are the same to the byte."""
    differences: tuple[FileDifference, ...]
    """Files that differ, or that one side lacks."""
    notes: tuple[str, ...]
    """What is not as it was, such as versions of packages."""


def rerun(folder: Path | str, *, data: Sequence[Path | str] = (), progress: Progress | None = None) -> Rerun:
    """Run a sealed run again into a temporary folder, and compare every file.

    Args:
        folder: the run.
        data: files it was made of, or folders that hold them; the working folder, the run and its folder are searched, too.
        progress: called with progress lines.

    Raises:
        DataError: the run is not what was sealed, or data are missing or differ; all of them at once.
        UsageError: it cannot be run again, with the reason.
    """
    stored = open_run(folder)
    stored.check()
    places = [*map(Path, data), Path(), Path(folder).resolve().parent, Path(folder)]
    repeats = [_prepare(part, stored.folder, places) for part in stored.manifest.parts]
    with tempfile.TemporaryDirectory(prefix="trialogue-rerun-") as temporary:
        out = Path(temporary) / Path(folder).resolve().name
        for repeat in repeats:
            repeat(out, progress or (lambda _line: None))
        again = open_run(out)
        if len(repeats) > 1 and again.hashes.get(PAGE) != stored.hashes.get(PAGE) and FINDINGS in again:
            # Drawn again after something was added, a report shows it (trialogue report).
            write_report(read_findings(out), out, formats=_formats(stored.manifest))
            again = open_run(out)
        same = sum(again.hashes.get(name) == digest for name, digest in stored.hashes.items())
        pairs = zip(stored.manifest.parts, again.manifest.parts, strict=False)
        notes = dict.fromkeys(note for before, after in pairs for note in _notes(before, after))
        return Rerun(same, tuple(_differences(stored, again)), tuple(notes))


def _prepare(part: Manifest, folder: Path, places: Sequence[Path]) -> Repeat:
    """What runs a command again and writes its results to a folder; its data are there, and the same."""
    if part.command == EXPERIMENT:
        return _experiment(part, places)
    if part.command not in COMMANDS:
        known = ", ".join([*COMMANDS, EXPERIMENT])
        raise UsageError(
            f"a run of trialogue {part.command} cannot be run again from its manifest; these can: {known}."
        )
    if "model" in part.call:
        raise UsageError("a language model judged in this run; it cannot be run again from its manifest.")
    if not part.call:
        raise UsageError("the manifest does not hold the arguments of the command; it cannot be run again.")
    problems: list[Problem] = []

    def find(name: str, digest: str) -> Path:
        found = list(dict.fromkeys(_candidates(name, folder, places)))
        fitting = [path for path in found if digest_of(path) == digest]
        if not fitting:
            what = (
                f"this file has changed: its sha256 is {digest_of(found[0])}, and was {digest} when the run read it."
                if found
                else f"not found; the run read it (sha256 {digest})."
            )
            problems.append(Problem(what, str(found[0]) if found else name, hint=HINT))
        return fitting[0] if fitting else Path(name)

    try:
        arguments = {
            name: decode(value, find, is_text=_takes_text(part.command, name)) for name, value in part.call.items()
        }
    except LookupError as error:
        raise UsageError(f"the run read data in memory ({error}); it cannot be run again.") from error
    if problems:
        raise DataError(problems)
    return lambda out, progress: _repeat(part, arguments, out, progress)


def _experiment(part: Manifest, places: Sequence[Path]) -> Repeat:
    """The same for an experiment, whose fields are in the manifest, with paths relative to its file."""
    from trialogue.workflows.experiment.file import experiment_of
    from trialogue.workflows.experiment.stages import plan_of

    described = part.config["experiment"]
    assert isinstance(described, dict)
    problems: list[Problem] = []
    for place in places:
        try:
            given = experiment_of(described, folder=place)
            inputs = {
                f"{each.name}/{name}": digest for each in plan_of(given).stages for name, digest in each.inputs.items()
            }
        except DataError as error:
            problems = problems or list(error.problems)
            continue
        if inputs == part.inputs:
            return lambda out, progress: _run(given, out, progress, explorer=EXPLORER in part.outputs)
        wrong = sorted(name for name in {*inputs, *part.inputs} if inputs.get(name) != part.inputs.get(name))
        problems = [
            Problem(
                f"these inputs differ from those that the experiment read: {', '.join(wrong)}.", str(place), hint=HINT
            )
        ]
    raise DataError(problems, hint=HINT)


def _run(given: "Experiment", out: Path, progress: Progress, *, explorer: bool) -> None:
    from trialogue.workflows.experiment.run import run_experiment

    run_experiment(given.model_copy(update={"out": out}), explorer=explorer, progress=progress)


def _candidates(name: str, folder: Path, places: Sequence[Path]) -> Iterator[Path]:
    """Files or folders of a name."""
    if folder.resolve().name == name:
        yield folder
    for place in places:
        if place.resolve().name == name and place.exists():
            yield place
        if place.is_dir() and (place / name).exists():
            yield place / name
    for place in places[:-3]:  # what was named with --data
        yield from sorted(place.rglob(name)) if place.is_dir() else ()


def _repeat(part: Manifest, arguments: Mapping[str, Any], out: Path, progress: Progress) -> None:
    function = _load(COMMANDS[part.command])
    signature = inspect.signature(function)
    many = next((name for name, each in signature.parameters.items() if each.kind is each.VAR_POSITIONAL), None)
    named = {
        name: TypeAdapter(_load(RECORDS[name])).validate_python(value) if name in RECORDS else value
        for name, value in arguments.items()
        if name != many
    }
    if "out" in signature.parameters:
        named["out"] = out
    made = function(*arguments.get(many or "", ()), **named, progress=progress)
    _write(made, part, out)


def _write(made: Any, part: Manifest, out: Path) -> None:
    """Write results with the options of which the files tell."""
    from trialogue.subjects.evaluation.commands.evaluate import Run
    from trialogue.workflows.write_findings import write_findings

    if isinstance(made, Run):
        made.write(out, parquet="scores.parquet" in part.outputs, explorer=EXPLORER in part.outputs)
        if formats := _formats(part):
            write_report(read_findings(out), out, formats=formats)
    elif hasattr(made, "write"):
        made.write(out)
    else:
        write_findings(made, out)


def _formats(part: Manifest) -> tuple[FigureFormat, ...]:
    """Formats of figures beside SVG that the run has."""
    found = {Path(name).suffix for name in part.outputs}
    return tuple(name for name in FIGURE_FORMATS if f".{name}" in found)


def _takes_text(command: str, name: str) -> bool:
    """Whether a parameter takes the name of a file as a text."""
    return "str" in str(inspect.signature(_load(COMMANDS[command])).parameters[name].annotation)


def _load(name: tuple[str, str]) -> Any:
    module, attribute = name
    return getattr(importlib.import_module(module), attribute)


def _notes(before: Manifest, after: Manifest) -> Iterator[str]:
    """Versions and inputs that differ."""
    for what, one, other in (("version", before.versions, after.versions), ("input", before.inputs, after.inputs)):
        for name in sorted({*one, *other}):
            if one.get(name) != other.get(name):
                yield f"{what} of {name}: {one.get(name, 'none')} in the run, {other.get(name, 'none')} here"


def _differences(stored: StoredFiles, again: StoredFiles) -> Iterator[FileDifference]:
    for name in sorted({*stored.hashes, *again.hashes}):
        if name not in again:
            yield FileDifference(name, "is not made")
        elif name not in stored:
            yield FileDifference(name, "is made, and is not in the run")
        elif stored.hashes[name] != again.hashes[name]:
            yield _difference(name, stored.read(name), again.read(name))


def _difference(name: str, before: bytes, after: bytes) -> FileDifference:
    """How two contents differ: by numbers alone, or otherwise."""
    if NUMBER.split(before) != NUMBER.split(after):
        return FileDifference(name, "differs in more than numbers")
    pairs = [
        (float(one), float(other))
        for one, other in zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
        if one != other
    ]
    largest = max((abs(other - one) for one, other in pairs), default=0.0)
    return FileDifference(name, f"{len(pairs):,} numbers differ, by at most {largest:.3g}")
