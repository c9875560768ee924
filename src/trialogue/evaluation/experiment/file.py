"""An experiment in a file, checked whole before anything is begun.

title: Which of my recommenders is better?
out: runs/mine
seed: 1
simulate:                                  # simulated users talk to agents, as in a file for trialogue simulate
  agents: {guided: reference:guided, mine: {agent: "http://localhost:5001", protocol: moviebot}}
  users: [cir6-pkg]
  n: 100
dialogues: [talks.jsonl]                   # conversations with people: corpora and files, as for trialogue evaluate
human: [study/export]                      # what people said of them, where it is in files of its own
link: demo                                 # a catalogue whose items are found in replies
label: default                             # a model of strategies
metrics: [turns, "distinct(n=2)@ratio"]    # default: all that the data allow
align: {situations: [demo], responses: [replies.jsonl]}
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from trialogue.errors import DataError, Problem, TrialogueError, UsageError
from trialogue.evaluation.align import model_named
from trialogue.evaluation.knowledge import knowledge_named
from trialogue.evaluation.material import resolve
from trialogue.metrics import get_metric
from trialogue.records import JsonValue, Record
from trialogue.records.yaml_file import lines_of, problem_of, read_fields
from trialogue.simulation.study import Study, study_of

HINT = "It has lines such as 'dialogues: [a.jsonl]' or 'simulate: {agents: [reference:guided], users: [cir6-pkg]}'."


def _listed(given: object) -> object:
    return [given] if isinstance(given, str) else given


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Alignment(Record):
    """Which replies to which situations are aligned with what human recommenders did."""

    situations: Names
    """Corpora and files with situations and human references."""
    responses: Names = ()
    """Files with the systems' replies, where they are not in the same files."""
    model: str | None = None
    """Folder of a model of strategies; null: the bundled one."""


class Experiment(Record):
    """What is done."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    title: str | None = None
    """Heading of the report."""
    out: Path = Path("runs/experiment")
    """The folder of the report and of all stages."""
    seed: Annotated[int, Field(strict=True)] = 0
    """Seed of everything random."""
    simulate: dict[str, JsonValue] | None = None
    """Agents, users, n and the other fields of a study of trialogue simulate, without out."""
    dialogues: Names = ()
    """Corpora and files with conversations (or replies to situations)."""
    human: Names = ()
    """Files with people's ratings and votes."""
    link: str | None = None
    """A catalogue whose items are found in replies that nobody annotated."""
    label: str | None = None
    """A model of strategies (a folder, or default) that labels what nobody labelled."""
    metrics: Names = ()
    """Metrics; by default all that the data allow."""
    align: Alignment | None = None
    """What is aligned with human recommenders."""
    resamples: Annotated[int, Field(strict=True, ge=100)] = 10_000
    """Bootstrap resamples."""
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Level at which differences are called."""

    @property
    def study(self) -> Study | None:
        """The simulation; None where nothing is simulated."""
        if self.simulate is None:
            return None
        return study_of({"seed": self.seed, **self.simulate})


def read_experiment(path: Path | str) -> Experiment:
    """The experiment that a YAML file describes. Files in it are looked for beside where the command runs.

    Raises:
        DataError: with every mistake at once: unknown fields, wrong values, missing files, unknown metrics and agents.
    """
    path = Path(path)
    return experiment_of(read_fields(path, hint=HINT), file=str(path), lines=lines_of(path))


def experiment_of(data: Mapping[str, Any], *, file: str = "", lines: Mapping[str, int] | None = None) -> Experiment:
    """The experiment that fields describe.

    Args:
        data: the fields.
        file: named in mistakes.
        lines: the line of each field in it.

    Raises:
        DataError: as ``read_experiment``.
    """
    lines = lines or {}
    problems: list[Problem] = []
    experiment: Experiment | None = None
    try:
        experiment = Experiment.model_validate(dict(data))
    except ValidationError as error:
        details = error.errors(include_url=False)
        problems = list(dict.fromkeys(problem_of(each, Experiment, file, lines) for each in details))
    problems += _simulation_wrong(data.get("simulate"), file, lines)
    if experiment is not None:
        problems += _wrong_names(experiment, file, lines)
        if not (experiment.simulate or experiment.dialogues or experiment.align):
            what = "there is nothing to do: it has none of simulate, dialogues, align."
            problems.append(Problem(what, file, hint=HINT))
    if experiment is None or problems:
        raise DataError(problems)
    return experiment


def _simulation_wrong(given: object, file: str, lines: Mapping[str, int]) -> list[Problem]:
    """What is wrong with the simulation, told at its field."""
    if not isinstance(given, dict):
        return []
    fields = {str(key): value for key, value in given.items() if key != "out"}
    line = lines.get("simulate")
    if "out" in given:
        what = "a simulation in an experiment has no folder of its own."
        return [Problem(what, file, line, "simulate.out", hint="Say out: FOLDER for the whole experiment.")]
    try:
        study_of(fields)
    except DataError as error:
        return [Problem(each.what, file, line, f"simulate.{each.field}", each.hint) for each in error.problems]
    except TrialogueError as error:
        return [Problem(str(error), file, line, "simulate")]
    return []


def _wrong_names(experiment: Experiment, file: str, lines: Mapping[str, int]) -> list[Problem]:
    """Inputs, metrics, catalogues and models that there are not, and what nothing would read."""
    named = [(field, name) for field in ("dialogues", "human") for name in getattr(experiment, field)]
    if experiment.align is not None:
        named += [("align", name) for name in (*experiment.align.situations, *experiment.align.responses)]
    problems = []
    if experiment.align is not None and not experiment.align.situations:
        problems.append(Problem("it names no situations.", file, lines.get("align"), "align.situations"))
    for field, name in named:
        try:
            resolve(name)
        except TrialogueError as error:
            problems.append(Problem(str(error), file, lines.get(field), field))
    for name in experiment.metrics:
        try:
            get_metric(name)
        except TrialogueError as error:
            problems.append(Problem(str(error), file, lines.get("metrics"), "metrics"))
    return problems + _wrong_helpers(experiment, file, lines)


def _wrong_helpers(experiment: Experiment, file: str, lines: Mapping[str, int]) -> list[Problem]:
    """Catalogues and models that there are not; ratings and a catalogue without conversations to use them on."""
    model = experiment.align.model if experiment.align else None
    asked: list[tuple[str, Callable[[str], object], str | None]] = [
        ("link", knowledge_named, experiment.link),
        ("label", _model, experiment.label),
        ("align", _model, model),
    ]
    problems = []
    for field, get, name in asked:
        try:
            _ = name is None or get(name)
        except TrialogueError as error:
            problems.append(Problem(str(error), file, lines.get(field), field))
    for field, of_use in (("human", "ratings and votes are read"), ("link", "a catalogue is read")):
        if getattr(experiment, field) and not experiment.dialogues:
            what = f"{of_use} only beside conversations with people, and there are no dialogues."
            problems.append(Problem(what, file, lines.get(field), field, "Name them with dialogues: [FILE]."))
    return problems


def _model(name: str) -> object:
    if name != "default" and not Path(name).is_dir():
        raise UsageError(f"there is no folder {name!r} with a model of strategies. 'default' is the bundled one.")
    return model_named(name)
