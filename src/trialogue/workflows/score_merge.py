"""Measure pieces of data in one process, in several or on a Dask cluster, and merge what they give: the same bytes.

Each of several processes, or one process that measures more than 256 MiB, puts what grows with the data into a file of
a folder, and further steps merge these files in partitions (``metrics.engine.shares``), so that no process ever holds all of
it. The folder is a temporary one of this process. A worker that does not see it, because it runs on another machine and the
folder is on no disk that both share, sends back what it would have written, and this process merges.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeVar
from uuid import uuid4

import numpy as np

from trialogue.dask_cluster import ALONE, Map, Workers
from trialogue.errors import DataError, Problem
from trialogue.long_work import few_collections, with_progress
from trialogue.metrics import get_metrics
from trialogue.metrics.engine.engine import Measurement, Sink
from trialogue.metrics.engine.shares import (
    BUCKETS,
    Column,
    Share,
    bounds_of,
    by_cluster,
    by_thing,
    columns_of,
    entries,
    take_back,
    take_out,
)
from trialogue.metrics.engine.unit_scores import UnitTable
from trialogue.records.files.arrays import write_arrays
from trialogue.records.files.jsonl import Note
from trialogue.workflows.score_parts import Piece, PieceResult, Task, are_large, duplicate_of, measure_here

Tell = Callable[[str], None]
Fill = Callable[[IO[bytes]], object]
"""Writes what a file holds."""
S = TypeVar("S")
CLUSTERS = 100_000  # of a range, of pieces; some 100 MB while they are merged
RANGES = 64  # at most: every step that counts things opens all of them
PAIRS = 1_000_000  # of things and clusters that are counted at a time; some 150 MB


@contextmanager
def measured_pieces(
    pieces: Sequence[Piece],
    task: Task,
    *,
    jobs: int,
    cluster: str | None = None,
    note: Note,
    sink: Sink | None,
    tell: Tell = lambda _line: None,
) -> Iterator[PieceResult]:
    """Measure pieces; the result does not depend on the number of processes, nor on where they run.

    A part of it may be in files that are there until the context ends.

    Raises:
        DataError: unreadable input, every mistake at once, or a dialogue that occurs twice; a piece that no worker could
            measure.
        UsageError: the cluster does not answer.
    """
    if cluster is None and (len(pieces) < 2 or (jobs == 1 and not are_large(pieces))):
        yield measure_here(pieces, task, note, sink)
        return
    placed = pieces if cluster is None else [piece.absolute() for piece in pieces]
    with TemporaryDirectory(prefix="trialogue-") as name:
        folder = Path(name)
        with Workers(jobs, cluster).start(purpose="score on a Dask cluster") as do, ALONE.start(purpose="") as do_here:
            found, shares, are_seen = _measure_all(placed, replace(task, folder=folder), do, tell)
            merge = _Merge(folder, len(pieces), tuple(columns_of(found.measurement)))
            _merge_all(merge, found.measurement, shares, placed, do if are_seen else do_here, tell)
        for problem in found.problems:
            note(problem)
        if sink is not None:
            for score in _units(folder, len(pieces)):
                sink(score)
        yield found


@dataclass
class _Measured:
    """What a piece gave, and what of it is to be put into the folder, if its worker could not."""

    result: PieceResult
    share: Share
    files: dict[str, bytes] = field(default_factory=dict)


def _measure_all(pieces: Sequence[Piece], task: Task, do: Map, tell: Tell) -> tuple[PieceResult, list[Share], bool]:
    """What the pieces gave together but for what is in the folder, the shares, and whether all workers see the folder."""
    whole = PieceResult(Measurement(get_metrics(task.metrics), settings=task.settings))
    problems: list[Problem] = []
    shares: list[Share] = []
    are_seen = True
    for _, found in with_progress(do(_measure_in_process, pieces, task), tell, "parts measured", len(pieces)):
        if not isinstance(found, _Measured):
            problems += found
        elif not problems:
            assert task.folder is not None
            for name, data in found.files.items():
                _put(task.folder / name, partial(_write_bytes, data))
                are_seen = False
            whole.merge(found.result)
            shares.append(found.share)
    if problems:
        raise DataError(problems)
    return whole, shares, are_seen


@few_collections()
def _measure_in_process(piece: Piece, task: Task) -> _Measured | list[Problem]:
    """Result of one piece from a worker process; errors are returned, so that those of all pieces are reported together."""
    problems: list[Problem] = []
    units = UnitTable()
    try:
        with piece.at_hand() as here:
            found = measure_here([here], task, problems.append, units if task.keeps_units else None)
    except DataError as error:
        return list(error.problems)
    found.problems = problems
    arrays, share = take_out(found.measurement, list(found.dialogues))
    found.dialogues = {}
    files: dict[str, Fill] = {_name("piece", piece.number): partial(write_arrays, arrays=arrays)}
    if task.keeps_units:
        files[_name("units", piece.number)] = partial(pickle.dump, units)
    if task.folder is None or not task.folder.is_dir():
        return _Measured(found, share, {name: _bytes_of(fill) for name, fill in files.items()})
    for name, fill in files.items():
        _put(task.folder / name, fill)
    return _Measured(found, share)


def _name(what: str, number: int) -> str:
    return f"{what}-{number}"


def _bytes_of(fill: Fill) -> bytes:
    stream = BytesIO()
    fill(stream)
    return stream.getvalue()


def _write_bytes(data: bytes, stream: IO[bytes]) -> None:
    stream.write(data)


def _put(path: Path, fill: Fill) -> None:
    """Write a file, and name it when it is whole: a piece may be done twice, if its worker seemed to be lost.

    Raises:
        DataError: the disk is full, or does not answer.
    """
    unfinished = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        with unfinished.open("wb") as stream:
            fill(stream)
        unfinished.replace(path)
    except OSError as error:
        hint = "It holds what processes exchange. Set TMPDIR to a folder with more room."
        raise DataError(
            Problem(f"this folder cannot be written ({error.strerror}).", str(path.parent), hint=hint)
        ) from error


def _units(folder: Path, pieces: int) -> Iterator[Any]:
    for number in range(pieces):
        yield from pickle.loads((folder / _name("units", number)).read_bytes())


@dataclass(frozen=True)
class _Merge:
    """What all steps of a merge know."""

    folder: Path
    pieces: int
    columns: tuple[Column, ...]
    firsts: tuple[int, ...] = ()
    """Number of the first cluster of each range, and of all clusters."""
    repeats: bool = False
    """Whether a cluster is in several pieces."""
    steps: int = 0
    """In which things are counted."""

    def files(self, what: str, count: int) -> list[Path]:
        return [self.folder / _name(what, number) for number in range(count)]

    @property
    def ranges(self) -> list[Path]:
        return self.files("clusters", len(self.firsts) - 1)


@dataclass(frozen=True)
class _Range:
    """A step: clusters with names from ``low`` to before ``high``."""

    number: int
    low: bytes | None
    high: bytes | None

    @property
    def given(self) -> str:
        return f"range {self.number + 1} of clusters"


@dataclass(frozen=True)
class _Buckets:
    """A step: things whose hashes are in some buckets."""

    number: int
    start: int
    stop: int

    @property
    def given(self) -> str:
        return f"part {self.number + 1} of distinct things"


def _merge_all(
    merge: _Merge, measurement: Measurement, shares: Sequence[Share], pieces: Sequence[Piece], do: Map, tell: Tell
) -> None:
    """Merge what is in the folder, and put it into the totals.

    Raises:
        DataError: a dialogue occurs twice, or no worker could do a step.
    """
    names, pairs = sum(each.names for each in shares), sum(each.pairs for each in shares)
    bounds = bounds_of(shares, max(CLUSTERS, -(-names // RANGES)))
    ranges = [_Range(number, *edges) for number, edges in enumerate(pairwise([None, *bounds, None]))]
    steps = min(BUCKETS, max(1, -(-pairs // PAIRS)))
    edges = np.linspace(0, BUCKETS, steps + 1).astype(int).tolist()
    buckets = [_Buckets(number, *each) for number, each in enumerate(pairwise(edges))]

    def do_steps(
        function: Callable[[Any, _Merge], S | list[Problem] | None], of: Sequence[Any], known: _Merge
    ) -> list[S]:
        return _collect(with_progress(do(function, of, known), tell, "parts merged", len(of)), function, known)

    sizes = do_steps(_sum_clusters, ranges, merge)
    firsts = tuple(accumulate((size for size, _ in sizes), initial=0))
    merge = replace(merge, firsts=firsts, repeats=any(again for _, again in sizes), steps=steps)
    again = [place for (place,) in do_steps(_count_things, buckets, merge) if place is not None]
    if again:
        piece, place = min(again)
        raise DataError(duplicate_of(pieces[piece], place))
    do_steps(_hold_things, ranges, merge)
    take_back(measurement, merge.ranges, merge.firsts, merge.files("things", steps), merge.files("held", len(ranges)))


def _collect(
    results: Iterator[tuple[Any, S | list[Problem] | None]],
    function: Callable[[Any, _Merge], S | list[Problem] | None],
    merge: _Merge,
) -> list[S]:
    """Results of steps; those of workers that do not see the folder are done here.

    Raises:
        DataError: no worker could do a step.
    """
    found: list[S] = []
    problems: list[Problem] = []
    for step, own in results:
        result = function(step, merge) if own is None else own
        if isinstance(result, list):
            problems += result
        elif result is not None:
            found.append(result)
    if problems:
        raise DataError(problems)
    return found


def _sum_clusters(step: _Range, merge: _Merge) -> tuple[int, bool] | None:
    if not merge.folder.is_dir():
        return None
    arrays, size, repeats = by_cluster(merge.files("piece", merge.pieces), merge.columns, step.low, step.high)
    _put(merge.folder / _name("clusters", step.number), partial(write_arrays, arrays=arrays))
    return size, repeats


def _count_things(step: _Buckets, merge: _Merge) -> tuple[tuple[int, int] | None] | None:
    if not merge.folder.is_dir():
        return None
    arrays, again = by_thing(
        merge.files("piece", merge.pieces),
        merge.ranges,
        merge.firsts,
        merge.columns,
        slice(step.start, step.stop),
        repeats=merge.repeats,
    )
    _put(merge.folder / _name("things", step.number), partial(write_arrays, arrays=arrays))
    return (again,)


def _hold_things(step: _Range, merge: _Merge) -> tuple[()] | None:
    if not merge.folder.is_dir():
        return None
    own = slice(merge.firsts[step.number], merge.firsts[step.number + 1])
    arrays = entries(merge.ranges[step.number], merge.files("things", merge.steps), merge.columns, own)
    _put(merge.folder / _name("held", step.number), partial(write_arrays, arrays=arrays))
    return ()
