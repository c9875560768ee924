"""Cut files into pieces, and measure pieces in one process."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from trialogue.datasets import AnyRecord
from trialogue.datasets.door.admission import Admission
from trialogue.datasets.formats.trialogue_jsonl import FORMAT, read_plain
from trialogue.errors import DataError, Problem
from trialogue.findings.languages import LanguageSurvey
from trialogue.inputs.locations import Input, name_system, reader_of
from trialogue.inputs.memory import InMemory
from trialogue.metrics import Settings, conversations_of, get_metrics
from trialogue.metrics.engine.engine import BATCH, Measurement, Sink
from trialogue.metrics.engine.text_batches import read_only_texts
from trialogue.metrics.engine.unit_scores import ColumnSink
from trialogue.records import Dialogue, Response, Situation
from trialogue.records.files.jsonl import Note, Part, parts_of
from trialogue.records.files.opening import COMPRESSED, fetch
from trialogue.records.files.plain import PlainDialogue

AnyDialogue = PlainDialogue | Dialogue  # the plain one first: pydantic takes long to say that something is no record


def plain_records(
    given: Input, note: Note, *, part: Part | None = None
) -> Iterator[Sequence[AnyRecord | PlainDialogue]]:
    """Read records as ``Input.records`` does, many at a time; dialogues of plain texts in Trialogue's own format as such."""
    if given.corpus is not None or (given.reader or reader_of(given.path, note)) != FORMAT:
        yield from _in_lists(given.records(note, part=part))
        return
    admission = Admission(str(given.path))
    for records in read_plain(given.path, part, note):
        plain = [record for record in records if isinstance(record, PlainDialogue)]
        for record in plain:
            if given.system or record.system is None:
                record.system = given.default_system
        if len(plain) == len(records):
            yield admission.plain(plain)
            continue
        admitted = iter(admission.plain(plain))
        yield [
            next(admitted)
            if isinstance(record, PlainDialogue)
            else admission.record(name_system(record, given.system, given.default_system))
            for record in records
        ]
    admission.settle(note)


def _in_lists(records: Iterable[AnyRecord]) -> Iterator[list[AnyRecord]]:
    stream = iter(records)
    while some := list(islice(stream, BATCH)):
        yield some


PIECES = 4  # of a file for each process: what is slow to start, or has the longer dialogues, takes fewer
PIECE_BYTES = 128 << 20  # of a file of which several processes measure parts, or that is large; larger ones are cut
LARGE = 1 << 28  # bytes from which one process, too, keeps of a piece only what does not grow with the data


@dataclass(frozen=True)
class Piece:
    """An input, or a range of lines of a record file."""

    input: Input | InMemory
    part: Part | None = None
    number: int = 0
    """Its place among all pieces."""

    @property
    def given(self) -> str:
        """Its file, as it was given."""
        return self.input.given

    @contextmanager
    def at_hand(self) -> "Iterator[Piece]":
        """The piece with its file on this machine: of a store, a copy, which is removed again."""
        if isinstance(self.input, InMemory) or self.input.url is None or self.input.path.exists():
            yield self
            return
        with TemporaryDirectory(prefix="trialogue-") as folder:
            yield replace(self, input=replace(self.input, path=fetch(self.input.url, Path(folder))))

    def absolute(self) -> "Piece":
        """The piece with the absolute path of its file, for workers that run in another folder."""
        if isinstance(self.input, InMemory):
            return self
        return replace(self, input=replace(self.input, path=self.input.path.resolve()))


@dataclass(frozen=True)
class Task:
    """Measuring task."""

    metrics: tuple[str, ...]
    """Names of metrics."""
    settings: Settings | None
    keeps_units: bool = False
    """Whether scores of units are wanted."""
    folder: Path | None = None
    """Where totals that grow with the data are put; None: they stay in the result."""


@dataclass
class PieceResult:
    """Measured dialogues and other records of pieces."""

    measurement: Measurement
    """Totals of dialogues."""
    survey: LanguageSurvey = field(default_factory=LanguageSurvey)
    situations: list[Situation] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    dialogues: dict[tuple[str | None, str], None] = field(default_factory=dict)
    """Systems and ids of the dialogues; empty where they were put into the folder of the task."""
    has_dialogues: bool = False
    """Whether there are any."""
    digests: list[str] = field(default_factory=list)
    """sha256 of the files, in order: those of an input are with its first piece."""
    problems: list[Problem] = field(default_factory=list)
    """Repairs that were not reported yet."""

    def merge(self, other: "PieceResult") -> None:
        """Add the content of other pieces, but for what was put into a folder."""
        self.has_dialogues = self.has_dialogues or other.has_dialogues
        self.measurement.merge(other.measurement)
        self.survey.merge(other.survey)
        self.situations += other.situations
        self.responses += other.responses
        self.digests += other.digests
        self.problems += other.problems


def pieces_of(inputs: Sequence[Input | InMemory], jobs: int, note: Note, *, on_cluster: bool = False) -> list[Piece]:
    """Split inputs into pieces for several processes: uncompressed record files are cut, others stay whole."""
    pieces: list[Piece] = []
    whole = sum(_size_of(item) for item in inputs)
    for item in inputs:
        count = 1 if isinstance(item, InMemory) else _count_of_parts(item, whole, jobs, note, on_cluster=on_cluster)
        if isinstance(item, InMemory) or count == 1:
            pieces.append(Piece(item))
        else:
            parts = parts_of(item.path, count, lines=BATCH)
            pieces += [Piece(replace(item, reader=FORMAT), part) for part in parts]
    return [replace(piece, number=number) for number, piece in enumerate(pieces)]


def _count_of_parts(item: Input, whole: int, jobs: int, note: Note, *, on_cluster: bool) -> int:
    """Parts that a file is cut into: for each process several of all files, and so many that none has too many bytes."""
    size = _size_of(item)
    count = -(-PIECES * jobs * size // max(whole, 1)) if jobs > 1 else 1
    if jobs > 1 or on_cluster or whole > LARGE:
        count = max(count, -(-size // PIECE_BYTES))
    return count if size and count > 1 and (item.reader or reader_of(item.path, note)) is FORMAT else 1


def are_large(pieces: Sequence[Piece]) -> bool:
    """Whether pieces have so many bytes that the totals of all should not be in memory at once."""
    inputs = (piece.input for piece in pieces if piece.part is None or piece.part.start == 0)
    return sum(map(_size_of, inputs)) > LARGE


def _size_of(item: Input | InMemory) -> int:
    """Bytes of a file that can be cut; 0 of anything else."""
    if isinstance(item, InMemory) or item.corpus is not None or item.path.suffix in COMPRESSED:
        return 0
    return item.path.stat().st_size if item.path.is_file() else 0


def measure_here(pieces: Sequence[Piece], task: Task, note: Note, sink: Sink | ColumnSink | None) -> PieceResult:
    """Measure pieces in this process.

    Raises:
        DataError: unreadable input, or a dialogue that occurs twice.
    """
    metrics = get_metrics(task.metrics)
    found = PieceResult(Measurement(metrics, settings=task.settings))
    for piece in pieces:
        if piece.part is None or piece.part.start == 0:
            found.digests += piece.input.digests().values()
    are_texts = sink is None and read_only_texts(metrics)
    dialogues = _dialogues(pieces, found, note, are_plain=are_texts)
    if not metrics:
        for _ in dialogues:
            pass
    elif are_texts:
        for some in dialogues:
            for batch in found.measurement.add_texts(some):
                found.survey.add_texts(batch.system, "system", batch.texts())
                found.survey.add_texts(batch.system, "user", batch.user_texts)
    else:
        records = (each for some in dialogues for each in some if isinstance(each, Dialogue))
        found.measurement.add(found.survey.watch(conversations_of(records)), sink)
    return found


def _dialogues(
    pieces: Sequence[Piece], found: PieceResult, note: Note, *, are_plain: bool
) -> Iterator[Sequence[AnyDialogue]]:
    """Dialogues as they are read, many at a time; situations and responses are put aside."""
    for piece in pieces:
        for records in _records(piece, note, are_plain=are_plain):
            dialogues = [record for record in records if isinstance(record, AnyDialogue)]
            known = len(found.dialogues)
            found.dialogues.update(dict.fromkeys([(record.system, record.id) for record in dialogues]))
            if len(found.dialogues) < known + len(dialogues):
                raise DataError(
                    _duplicate_problem(_first_repeat(dialogues, list(found.dialogues)[:known]), piece.input.given)
                )
            found.has_dialogues |= bool(dialogues)
            if len(dialogues) < len(records):
                found.situations += [record for record in records if isinstance(record, Situation)]
                found.responses += [record for record in records if isinstance(record, Response)]
            yield dialogues


def _first_repeat(dialogues: Iterable[AnyDialogue], before: Iterable[tuple[str | None, str]]) -> tuple[str | None, str]:
    """The first dialogue that is among those before it."""
    keys, known = [(each.system, each.id) for each in dialogues], set(before)
    return next(key for place, key in enumerate(keys) if key in known or keys.index(key) < place)


def _records(piece: Piece, note: Note, *, are_plain: bool) -> Iterator[Sequence[AnyRecord | PlainDialogue]]:
    if isinstance(piece.input, InMemory):
        yield from _in_lists(piece.input.records(note))
    elif not are_plain:
        yield from _in_lists(piece.input.records(note, part=piece.part))
    else:
        given = piece.input
        yield from given.with_address(lambda tell: plain_records(given, tell, part=piece.part), note)


def duplicate_of(piece: Piece, place: int) -> Problem:
    """The mistake that a dialogue, by its place in a piece, has the id of another piece's."""
    with piece.at_hand() as here:
        records = chain.from_iterable(_records(here, lambda _: None, are_plain=True))
        dialogues = (each for each in records if isinstance(each, AnyDialogue))
        dialogue = next(islice(dialogues, place, None))
    return _duplicate_problem((dialogue.system, dialogue.id), piece.given)


def _duplicate_problem(key: tuple[str | None, str], given: str) -> Problem:
    return Problem(
        f"dialogue {key[1]!r} of system {key[0]!r} occurs twice.",
        file=given,
        hint="Ids must be unique within a system. To keep two versions apart: NAME=FILE.",
    )
