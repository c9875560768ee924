"""Experiment files, validated completely before anything runs. Paths are relative to the file's folder.

title: Which of my recommenders is better?
out: runs/mine
seed: 1
simulate:                                  # simulated users talk to agents, as in a file for trialogue simulate
  agents: {guided: reference:guided, mine: {agent: "http://localhost:5001", protocol: moviebot}}
  users: [cir6-pkg]
  n: 100
dialogues: [talks.jsonl]                   # conversations with people: corpora and files, as for trialogue evaluate
mapping: columns.yaml                      # columns of tables that are not recognised automatically
human: [study/export]                      # human judgements of them, if they are in separate files
catalogue: demo                               # a catalogue whose items are found in replies
known: films.txt                           # a list of real items: titles in neither are not recognised
label: default                             # a model of strategies
metrics: [turns, "distinct(n=2)@ratio"]    # default: all that the data allow
align: {situations: [demo], responses: [replies.jsonl]}
decide: {measure: turns, users: cir6-pkg}  # the decision protocol: what decides, written down before there are data

An input may be an object: {file: turns.csv, system: mine, mapping: {dialogue: id, speaker: who, text: what}}.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationError

from trialogue.catalogue.presenting.real_items import read_real_items
from trialogue.errors import DataError, Problem, TrialogueError, UsageError
from trialogue.findings.protocol import DecisionProtocol
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics import get_metric
from trialogue.options import Alpha, CatalogueDate, Resamples, Seed
from trialogue.records import JsonValue, Record
from trialogue.records.files.validation import Mistake, Place
from trialogue.records.files.yaml_file import Lines, lines_of, problems_of_fields, read_fields
from trialogue.simulation.batch.simulation_file import SimulationFile, study_of
from trialogue.simulation.relative_paths import resolve_path
from trialogue.subjects.alignment.commands.align import find_model
from trialogue.workflows.experiment.decide import decide_mistakes, protocol_of
from trialogue.workflows.experiment.inputs import Columns, NameContext, Names, as_list

HINT = "It has lines such as 'dialogues: [a.jsonl]' or 'simulate: {agents: [reference:guided], users: [cir6-pkg]}'."


Texts = Annotated[tuple[str, ...], BeforeValidator(as_list)]


class Alignment(Record):
    """Situations and responses to align with human recommenders."""

    situations: Names
    """Corpora and files with situations and human references."""
    responses: Names = ()
    """Files with the systems' replies, where they are not in the same files."""
    model: str | None = None
    """Folder of a model of strategies; null: the bundled one."""


class Experiment(Record):
    """Parsed experiment file."""

    title: str | None = None
    """Heading of the report."""
    out: Path = Path("runs/experiment")
    """The folder of the report and of all stages."""
    seed: Annotated[Seed, Field(strict=True)] = 0
    """Random seed; also of the simulation, unless ``simulate`` states its own."""
    simulate: dict[str, JsonValue] | None = None
    """Agents, users, n and the other fields of a study of trialogue simulate, without out."""
    dialogues: Names = ()
    """Corpora and files with conversations (or replies to situations)."""
    mapping: Columns | None = None
    """Column mapping of unrecognised tables without a mapping of their own."""
    human: Names = ()
    """Files with human ratings and votes."""
    catalogue: str | None = None
    """Catalogue for linking items in unannotated replies."""
    known: str | None = None
    """List of real items beside the catalogue."""
    catalogue_date: Annotated[CatalogueDate, Field(strict=True)] | None = None
    """Year up to which the catalogue has items; null: that of its latest item."""
    label: str | None = None
    """Strategy model (a folder, or default) for unlabelled utterances."""
    metrics: Texts = ()
    """Metrics; by default all that the data allow."""
    any_language: Annotated[bool, Field(strict=True)] = False
    """Keep measures that are not made for the language of a system."""
    align: Alignment | None = None
    """Data for alignment with human recommenders."""
    realism: Annotated[bool, Field(strict=True)] = True
    """Compare simulated users with the people in the dialogues, if there are both; false for invented people."""
    passport: Annotated[bool, Field(strict=True)] = True
    """Write the passport of each kind of simulated users, where they are compared with people."""
    resamples: Annotated[Resamples, Field(strict=True)] = 10_000
    """Number of bootstrap resamples and permutations."""
    alpha: Alpha = 0.05
    """Significance level of the verdicts, after correction for multiple comparisons."""
    decide: DecisionProtocol | None = None
    """The decision protocol: primary measure, family, margins, exclusions, blocking threats, planned dialogues."""

    _folder: Path = PrivateAttr(default=Path())

    @property
    def folder(self) -> Path:
        """Base folder of relative paths, except ``out``, which is relative to the working directory."""
        return self._folder

    @property
    def surroundings(self) -> NameContext:
        """Base folder and mappings for resolving input names."""
        return NameContext(self.folder, self.mapping)

    @property
    def study(self) -> SimulationFile | None:
        """The simulation; None without one."""
        if self.simulate is None:
            return None
        return study_of({"seed": self.seed, **self.simulate}, folder=self.folder)

    def path(self, name: str) -> str:
        """Resolved catalogue or model of a field."""
        return resolve_path(self.folder, name)

    def relative_to(self, folder: Path) -> "Experiment":
        """Copy with paths relative to a folder, including ``out``."""
        experiment = self.model_copy(update={"out": resolve_path(folder, self.out)})
        experiment._folder = folder
        return experiment


def read_experiment(path: Path | str) -> Experiment:
    """Read an experiment from a YAML file. Paths in it are relative to its folder.

    Raises:
        DataError: with every mistake at once: unknown fields, wrong values, missing files, unknown metrics, models, agents,
            users, catalogues and mappings.
    """
    path = Path(path)
    return experiment_of(read_fields(path, hint=HINT), file=str(path), lines=lines_of(path), folder=path.parent)


def experiment_of(
    data: Mapping[str, Any], *, file: str = "", lines: Lines | None = None, folder: Path = Path()
) -> Experiment:
    """Parse an experiment from fields.

    Args:
        data: the fields.
        file: named in mistakes.
        lines: the line of each place in it.
        folder: what paths in the fields are relative to.

    Raises:
        DataError: as ``read_experiment``.
    """
    lines = lines or Lines()
    problems: list[Problem] = []
    experiment: Experiment | None = None
    try:
        experiment = Experiment.model_validate(dict(data)).relative_to(folder)
    except ValidationError as error:
        problems = problems_of_fields(error, data, Experiment, file=file, lines=lines)
    problems += _wrong_simulation(data.get("simulate"), file, lines, folder)
    problems += [mistake.problem(file, lines) for mistake in _wrong_names(data, folder)]
    if not any(data.get(field) for field in ("simulate", "dialogues", "align")):
        what = "there is nothing to do: it has none of the fields simulate, dialogues, align."
        problems.append(Problem(what, file, hint=HINT))
    if experiment is None or problems:
        raise DataError(sorted(problems, key=lambda problem: problem.line or 0))
    return _with_protocol(experiment, data)


def _with_protocol(experiment: Experiment, data: Mapping[str, Any]) -> Experiment:
    """The experiment with its protocol in full, whose level is the experiment's."""
    protocol = protocol_of(data, alpha=experiment.alpha, study=experiment.study)
    if protocol is None:
        return experiment
    return experiment.model_copy(update={"decide": protocol, "alpha": protocol.alpha})


def _wrong_simulation(given: object, file: str, lines: Lines, folder: Path) -> list[Problem]:
    """Mistakes in the simulation settings."""
    if not isinstance(given, dict):
        return []
    problems = []
    if "out" in given:
        what = "a simulation in an experiment cannot have a folder of its own."
        hint = "Give out: FOLDER for the whole experiment."
        problems = [Problem(what, file, lines(("simulate", "out")), "simulate.out", hint)]
    fields = {str(name): value for name, value in given.items() if name != "out"}
    try:
        study_of(fields, file=file, lines=lines, under=("simulate",), folder=folder)
    except DataError as error:
        problems += error.problems
    return problems


def _wrong_names(data: Mapping[str, Any], folder: Path) -> Iterator[Mistake]:
    """Inputs, mappings, metrics, catalogues and models that there are not, and what nothing would read.

    It looks at the fields as they stand, so that a mistake in one hides none in another.
    """
    around = NameContext(folder)
    wrong_columns = around.wrong_columns(data.get("mapping"), ("mapping",))
    yield from wrong_columns
    if not wrong_columns:
        around = NameContext(folder, data.get("mapping"))
    for field in INPUTS:
        for place, given in _entries(data, field):
            yield from around.mistakes(given, place)
    checks: list[tuple[Place, Callable[[str], object]]] = [
        (("metrics",), get_metric),
        (("catalogue",), lambda name: load_catalogue(resolve_path(folder, name))),
        (("known",), lambda name: read_real_items(resolve_path(folder, name))),
        (("label",), lambda name: _model(resolve_path(folder, name))),
        (("align", "model"), lambda name: _model(resolve_path(folder, name))),
    ]
    for field, get in checks:
        for place, given in _entries(data, field):
            try:
                _ = isinstance(given, str) and get(given)
            except TrialogueError as error:
                yield Mistake(place, str(error))
    yield from decide_mistakes(data)
    yield from _unread(data)


INPUTS: Sequence[Place] = (("dialogues",), ("human",), ("align", "situations"), ("align", "responses"))
"""Fields that name inputs."""


def _entries(data: Mapping[str, Any], field: Place) -> Iterator[tuple[Place, object]]:
    """Entries of a field, each with its location."""
    given: object = data
    for name in field:
        given = given.get(name) if isinstance(given, Mapping) else None
    if isinstance(given, list | tuple):
        yield from (((*field, number), entry) for number, entry in enumerate(given))
    elif given is not None:
        yield field, given


def _unread(data: Mapping[str, Any]) -> Iterator[Mistake]:
    """Ratings, a catalogue and a mapping without conversations to use them on; an alignment without situations."""
    align = data.get("align")
    if isinstance(align, Mapping) and "situations" in align and not align["situations"]:
        yield Mistake(("align", "situations"), "it names no situations.")
    for field in ("known", "catalogue_date"):
        if data.get(field) and not data.get("catalogue"):
            yield Mistake(
                (field,), "it is read only together with a catalogue, but there is none.", "Name it: catalogue: FILE."
            )
    for field, of_use in (("human", "ratings and votes are read"), ("catalogue", "a catalogue is read")):
        if data.get(field) and not data.get("dialogues"):
            what = f"{of_use} only together with conversations with people, but there are no dialogues."
            yield Mistake((field,), what, "Name them with dialogues: [FILE].")


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:  # a text that is too long for a path
        return False


def _model(name: str) -> object:
    if name != "default" and not _is_folder(name):
        raise UsageError(f"there is no folder {name!r} with a strategy model. 'default' is the bundled one.")
    return find_model(name)
