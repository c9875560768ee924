"""Score files in parts, in several processes if requested, and merge the totals."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from trialogue.datasets import AnyRecord
from trialogue.datasets.formats.trialogue_jsonl import FORMAT
from trialogue.errors import DataError, Problem
from trialogue.findings.languages import LanguageSurvey
from trialogue.long_work import few_collections
from trialogue.metrics import Settings, conversations_of, get_metrics
from trialogue.metrics.engine.engine import BATCH, Measurement, Sink
from trialogue.metrics.engine.unit_scores import ColumnSink
from trialogue.metrics.engine.unit_table import UnitTable
from trialogue.records import Dialogue, Response, Situation
from trialogue.records.files.jsonl import Note, Part, parts_of
from trialogue.records.files.plain import PlainDialogue
from trialogue.workflows.inputs.locations import Input, reader_of
from trialogue.workflows.inputs.memory import InMemory
from trialogue.workflows.inputs.plain_inputs import plain_records, read_only_texts

PIECES = 4  # of a file for each process: what is slow to start, or has the longer dialogues, takes fewer
COMPRESSED = frozenset({".gz", ".zst"})


@dataclass(frozen=True)
class Piece:
    """An input, or a range of lines of a record file."""

    input: Input | InMemory
    part: Part | None = None


@dataclass(frozen=True)
class Task:
    """Measuring task."""

    metrics: tuple[str, ...]
    """Names of metrics."""
    settings: Settings | None
    data_hash: str
    keeps_units: bool = False
    """Whether scores of units are wanted."""


@dataclass
class PieceResult:
    """Measured dialogues and other records of pieces."""

    measurement: Measurement
    """Totals of dialogues."""
    survey: LanguageSurvey = field(default_factory=LanguageSurvey)
    situations: list[Situation] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    dialogues: dict[tuple[str | None, str], None] = field(default_factory=dict)
    """Systems and ids of the dialogues."""
    units: UnitTable = field(default_factory=UnitTable)
    """Unit scores, if the task requires them and no sink has consumed them."""
    problems: list[Problem] = field(default_factory=list)
    """Repairs that were not reported yet."""

    def merge(self, other: "PieceResult", given: str) -> None:
        """Add the content of other pieces.

        Raises:
            DataError: a dialogue is in both.
        """
        for key in other.dialogues:
            if key in self.dialogues:
                raise DataError(_duplicate_problem(key, given))
        self.dialogues |= other.dialogues
        self.measurement.merge(other.measurement)
        self.survey.merge(other.survey)
        self.situations += other.situations
        self.responses += other.responses
        self.units.extend(other.units)
        self.problems += other.problems


def pieces_of(inputs: Sequence[Input | InMemory], jobs: int, note: Note) -> list[Piece]:
    """Split inputs into pieces for several processes: uncompressed record files are cut, others stay whole."""
    pieces: list[Piece] = []
    for item in inputs:
        if isinstance(item, InMemory):
            pieces.append(Piece(item))
            continue
        is_cut = item.corpus is None and item.path.is_file() and item.path.suffix not in COMPRESSED
        if jobs == 1 or not is_cut or (item.reader or reader_of(item.path, note)) is not FORMAT:
            pieces.append(Piece(item))
        else:
            parts = parts_of(item.path, PIECES * jobs, lines=BATCH)
            pieces += [Piece(replace(item, reader=FORMAT), part) for part in parts]
    return pieces


def measure_pieces(pieces: Sequence[Piece], task: Task, *, jobs: int, note: Note, sink: Sink | None) -> PieceResult:
    """Measure pieces; the result does not depend on the number of processes.

    Raises:
        DataError: unreadable input, every mistake at once, or a dialogue that occurs twice.
    """
    if jobs == 1 or len(pieces) < 2:
        return _measure(pieces, task, note, sink)
    from loky import ProcessPoolExecutor

    env = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    whole = PieceResult(Measurement(get_metrics(task.metrics), settings=task.settings, data_hash=task.data_hash))
    problems: list[Problem] = []
    with ProcessPoolExecutor(min(jobs, len(pieces)) - 1, env=env) as executor:
        futures = [executor.submit(_measure_in_process, piece, task) for piece in pieces]
        own: dict[int, PieceResult | list[Problem]] = {}
        for place in reversed(range(len(pieces))):  # this process works, too: from the end, until it meets the others
            if not futures[place].cancel():
                break
            own[place] = _measure_in_process(pieces[place], task)
        for place, piece in enumerate(pieces):
            found = own.pop(place) if place in own else futures[place].result()
            if isinstance(found, PieceResult):
                whole.merge(found, piece.input.given)
            else:
                problems += found
    if problems:
        raise DataError(problems)
    for problem in whole.problems:
        note(problem)
    if sink is not None:
        for score in whole.units:
            sink(score)
    return whole


@few_collections()
def _measure_in_process(piece: Piece, task: Task) -> PieceResult | list[Problem]:
    """Result of one piece from a worker process; errors are returned, so that those of all pieces are reported together."""
    problems: list[Problem] = []
    units = UnitTable()
    try:
        found = _measure([piece], task, problems.append, units if task.keeps_units else None)
    except DataError as error:
        return list(error.problems)
    found.problems, found.units = problems, units
    return found


def _measure(pieces: Sequence[Piece], task: Task, note: Note, sink: Sink | ColumnSink | None) -> PieceResult:
    metrics = get_metrics(task.metrics)
    found = PieceResult(Measurement(metrics, settings=task.settings, data_hash=task.data_hash))
    dialogues = _dialogues(pieces, found, note, are_plain=sink is None and read_only_texts(metrics))
    if metrics:
        found.measurement.add(found.survey.watch(conversations_of(dialogues)), sink)
    else:
        for _ in dialogues:
            pass
    return found


def _dialogues(
    pieces: Sequence[Piece], found: PieceResult, note: Note, *, are_plain: bool
) -> Iterator[Dialogue | PlainDialogue]:
    """Dialogues as they are read; situations and responses are put aside."""
    for piece in pieces:
        for record in _records(piece, note, are_plain=are_plain):
            match record:
                case Dialogue() | PlainDialogue():
                    key = (record.system, record.id)
                    if key in found.dialogues:
                        raise DataError(_duplicate_problem(key, piece.input.given))
                    found.dialogues[key] = None
                    yield record
                case Situation():
                    found.situations.append(record)
                case Response():
                    found.responses.append(record)
                case _:
                    continue


def _records(piece: Piece, note: Note, *, are_plain: bool) -> Iterable[AnyRecord | PlainDialogue]:
    if isinstance(piece.input, InMemory):
        return piece.input.records(note)
    read = plain_records if are_plain else Input.records
    return read(piece.input, note, part=piece.part)


def _duplicate_problem(key: tuple[str | None, str], given: str) -> Problem:
    return Problem(
        f"dialogue {key[1]!r} of system {key[0]!r} occurs twice.",
        file=given,
        hint="Ids must be unique within a system. To keep two versions apart: NAME=FILE.",
    )
