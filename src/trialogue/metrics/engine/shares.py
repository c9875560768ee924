"""Totals that grow with the data, taken out of what a piece of the data gave, and merged in partitions through files.

What a process would have to hold of all the data is divided in two ways. Clusters are divided by ranges of their names, so
that every range has all the sums of its clusters, and a number in the order of all names stands for a name. Distinct things
are divided by their hashes, so that a process counts in how many clusters each of its own things occurs; how many things
of a cluster occur in so many clusters are then sums over these processes, again by ranges of clusters.

Every step is a function of files that writes a file (``by_cluster``, ``by_thing``, ``entries``), and the last one
(``take_back``) puts what the files hold into totals: the same bits as totals that were never divided.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.base import Array
from trialogue.metrics.engine.distinct_totals import CountedTotals, Incidence
from trialogue.metrics.engine.engine import Measurement
from trialogue.metrics.engine.sum_totals import SummedTotals
from trialogue.records.files.arrays import Numbers, StoredArray, StoredArrays
from trialogue.stats.resampling.clusters import NumberedKeys, sums_by_code
from trialogue.stats.resampling.rarefaction import BLOCK, Block, Occurrences

BUCKETS = 256  # of hashes, by their highest bits: so many partitions at most
SAMPLE = 64  # names of a piece from which the ranges of names are chosen
KEY_BYTES = 16  # of a dialogue's hash: of a billion, two have the same one with a probability of 1e-21

Codes = NDArray[np.int32]
Dialogue = tuple[str | None, str]
"""System and id."""


@dataclass(frozen=True)
class Column:
    """Totals of one metric for one system."""

    system: str
    place: int
    """Of the metric."""
    is_counted: bool
    """Whether distinct things are counted."""

    def key(self, what: str) -> str:
        """Name of one of its arrays in a file."""
        return f"{what} {self.place} {self.system}"


@dataclass(frozen=True)
class Share:
    """What is known of a file of a piece, without reading it."""

    names: int
    """Clusters in it."""
    sample: tuple[bytes, ...]
    """Some of their names, evenly spread in their order."""
    pairs: int
    """Pairs of a distinct thing and a cluster, or dialogues if they are more."""


def columns_of(measurement: Measurement) -> list[Column]:
    """Totals that are divided; fits, single ratings, courses and rows of silent units are few, and stay together."""
    return [column for column, _ in _divided_totals(measurement)]


def _divided_totals(measurement: Measurement) -> Iterator[tuple[Column, CountedTotals | SummedTotals]]:
    for system, place, totals in measurement.by_place():
        if isinstance(totals, CountedTotals) or (type(totals) is SummedTotals and totals.are_sums_alone):
            yield Column(system, place, isinstance(totals, CountedTotals)), totals


def take_out(measurement: Measurement, dialogues: Sequence[Dialogue]) -> tuple[dict[str, Numbers], Share]:
    """Take what grows with the data out of the totals of a piece, as arrays.

    Args:
        measurement: changed in place; counts of units and reasons stay.
        dialogues: systems and ids of the piece's dialogues, in order.
    """
    taken = [(column, *_taken_out(totals)) for column, totals in _divided_totals(measurement)]
    held = sorted({name for _, clusters, _, _ in taken for name in clusters}, key=_encode)
    code = {name: number for number, name in enumerate(held)}
    names = [_encode(name) for name in held]
    arrays: dict[str, Numbers] = {
        "names": np.frombuffer(b"".join(names), dtype=np.uint8),
        "ends": np.fromiter(accumulate(map(len, names), initial=0), np.int64, len(names) + 1),
    }
    pairs = len(dialogues)
    for column, clusters, rows, incidence in taken:
        own = np.fromiter(map(code.__getitem__, clusters), np.int32, len(clusters))
        order = np.argsort(own, kind="stable")
        arrays[column.key("codes")], arrays[column.key("rows")] = own[order], rows[order]
        if incidence is not None:
            hashes, holders = incidence.pairs()
            place, ends = _by_bucket(hashes)
            arrays[column.key("hashes")], arrays[column.key("holders")] = hashes[place], own[holders[place]]
            arrays[column.key("ends")] = ends
            pairs = max(pairs, len(hashes))
    keys = np.frombuffer(b"".join(map(_key_of, dialogues)), dtype=np.uint64).reshape(-1, 2)
    place, ends = _by_bucket(keys[:, 0])
    arrays |= {"dialogues": keys[place], "places": place.astype(np.int32), "dialogue ends": ends}
    spread = np.linspace(0, len(names) - 1, min(SAMPLE, len(names))).astype(int).tolist()
    return arrays, Share(len(names), tuple(names[each] for each in spread), pairs)


def _taken_out(totals: CountedTotals | SummedTotals) -> tuple[list[str], Array, Incidence | None]:
    if isinstance(totals, CountedTotals):
        return totals.take_out()
    return *totals.take_out(), None


def _encode(name: str) -> bytes:
    """In the order of names: that of UTF-8 is that of its characters."""
    return name.encode("utf-8", "surrogatepass")


def _key_of(dialogue: Dialogue) -> bytes:
    system, own = dialogue
    text = f"-{own}" if system is None else f"{len(system)}:{system}{own}"
    return blake2b(_encode(text), digest_size=KEY_BYTES).digest()


def _by_bucket(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places in the order of buckets, and where each bucket begins and the last ends."""
    bucket = (hashes >> np.uint64(56)).astype(np.uint8)
    counts = np.bincount(bucket, minlength=BUCKETS)
    return np.argsort(bucket, kind="stable"), np.concatenate([[0], np.cumsum(counts)])


def bounds_of(shares: Sequence[Share], size: int) -> list[bytes]:
    """Names at which ranges begin, but for the first range: about ``size`` clusters of pieces are in each."""
    weighted = sorted((name, share.names / len(share.sample)) for share in shares for name in share.sample)
    found: list[bytes] = []
    before = 0.0
    for name, weight in weighted:
        before += weight
        if before >= size and (not found or name > found[-1]):
            found.append(name)
            before = 0.0
    return found


class _Names(Sequence[bytes]):
    """Sorted names in a file."""

    def __init__(self, stored: StoredArrays) -> None:
        self._bytes, self._ends = stored["names"], stored["ends"]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        start, end = self._ends[place : place + 2].tolist()
        return self._bytes[start:end].tobytes()

    def names_between(self, low: bytes | None, high: bytes | None) -> tuple[int, list[bytes]]:
        """Number of names before a range, and those in it."""
        first = 0 if low is None else bisect_left(self, low)
        last = len(self) if high is None else bisect_left(self, high)
        ends = self._ends[first : last + 1].tolist()
        data = self._bytes[ends[0] : ends[-1]].tobytes()
        return first, [data[start - ends[0] : end - ends[0]] for start, end in pairwise(ends)]


def by_cluster(
    pieces: Sequence[Path], columns: Sequence[Column], low: bytes | None, high: bytes | None
) -> tuple[dict[str, Numbers], int, bool]:
    """Sums of the clusters of a range of names.

    Args:
        pieces: files of ``take_out``, in order.
        columns: the totals.
        low: first name of the range; None: it is the first range.
        high: first name of the next one; None: it is the last range.

    Returns:
        Arrays; the number of clusters; and whether one of them is in several pieces.
    """
    firsts, names = [], []
    for path in pieces:
        with StoredArrays(path) as stored:
            first, own = _Names(stored).names_between(low, high)
        firsts.append(first)
        names.append(own)
    distinct = sorted(set().union(*names))
    number = {name: place for place, name in enumerate(distinct)}
    maps = [np.fromiter(map(number.__getitem__, own), np.int32, len(own)) for own in names]
    arrays: dict[str, Numbers] = {f"map {place}": each for place, each in enumerate(maps)}
    repeats = sum(map(len, names)) > len(distinct)
    codes: dict[Column, list[Codes]] = {each: [] for each in columns}
    rows: dict[Column, list[Array]] = {each: [] for each in columns}
    for path, first, numbers in zip(pieces, firsts, maps, strict=True):
        with StoredArrays(path) as stored:
            for column in columns if len(numbers) else ():
                if column.key("codes") in stored:
                    here = stored[column.key("codes")]
                    place = slice(bisect_left(here, first), bisect_left(here, first + len(numbers)))
                    codes[column].append(numbers[here[place] - first])
                    rows[column].append(stored[column.key("rows")][place])
    for column in columns:
        if any(map(len, rows[column])):
            found, sums = sums_by_code(
                np.concatenate([each for each in rows[column] if len(each)]), np.concatenate(codes[column])
            )
            arrays[column.key("keys")], arrays[column.key("sums")] = found.astype(np.int32), sums
    return arrays, len(distinct), repeats


def by_thing(
    pieces: Sequence[Path],
    ranges: Sequence[Path],
    firsts: Sequence[int],
    columns: Sequence[Column],
    buckets: slice,
    *,
    repeats: bool,
) -> tuple[dict[str, Numbers], tuple[int, int] | None]:
    """In how many clusters things occur, of the things of some buckets.

    Args:
        pieces: files of ``take_out``.
        ranges: files of ``by_cluster``.
        firsts: number of the first cluster of each range, and of all clusters.
        columns: the totals.
        buckets: which buckets.
        repeats: whether a cluster is in several pieces.

    Returns:
        Arrays; and the first dialogue that occurred before, as places of its piece and within it.
    """
    incidences = {column: Incidence() for column in columns if column.is_counted}
    with ExitStack() as opened:
        numbered = [opened.enter_context(StoredArrays(path)) for path in ranges]
        for piece, path in enumerate(pieces):
            parts = [
                stored[f"map {piece}"][:] + np.int32(first) for stored, first in zip(numbered, firsts, strict=False)
            ]
            numbers = np.concatenate(parts)
            with StoredArrays(path) as stored:
                for column, incidence in incidences.items():
                    if column.key("ends") in stored:
                        place = _of_buckets(stored[column.key("ends")], buckets)
                        hashes, holders = stored[column.key("hashes")][place], stored[column.key("holders")][place]
                        incidence.add_pairs(hashes, numbers[holders], are_new=not repeats)
    arrays: dict[str, Numbers] = {}
    for column in list(incidences):
        counts = incidences.pop(column).occurrences(firsts[-1])
        arrays[column.key("occurrences")], arrays[column.key("types")] = counts.occurrences, counts.types
        arrays[column.key("clusters")] = counts.cluster.astype(np.int32)
        arrays[column.key("times")] = counts.occurrences[counts.place].astype(np.int32)
        arrays[column.key("held")] = counts.held.astype(np.int32)
    return arrays, _first_repeated(pieces, buckets)


def _of_buckets(ends: StoredArray, buckets: slice) -> slice:
    start, *_, end = ends[buckets.start : buckets.stop + 1].tolist()
    return slice(start, end)


def _first_repeated(pieces: Sequence[Path], buckets: slice) -> tuple[int, int] | None:
    """Place of the piece, and within it, of the first dialogue whose key is a former one's."""
    keys, places = [], []
    for number, path in enumerate(pieces):
        with StoredArrays(path) as stored:
            own = _of_buckets(stored["dialogue ends"], buckets)
            keys.append(stored["dialogues"][own])
            within = stored["places"][own]
        places.append(np.column_stack([np.full(len(within), number), within]))
    key, place = np.concatenate(keys), np.concatenate(places)
    order = np.lexsort((place[:, 1], place[:, 0], key[:, 1], key[:, 0]))
    key, place = key[order], place[order]
    again = place[1:][(key[1:] == key[:-1]).all(axis=1)].tolist()
    first = min(again, default=None)
    return None if first is None else (first[0], first[1])


def entries(own: Path, things: Sequence[Path], columns: Sequence[Column], clusters: slice) -> dict[str, Numbers]:
    """How many things of each cluster of a range occur in how many clusters.

    Args:
        own: file of ``by_cluster`` of the range.
        things: files of ``by_thing``.
        columns: the totals.
        clusters: numbers of the range.
    """
    arrays: dict[str, Numbers] = {}
    with StoredArrays(own) as sums:
        for column in columns:
            if not column.is_counted or column.key("keys") not in sums:
                continue
            occurrences, keys = _histogram(things, column)[0], sums[column.key("keys")][:] + np.int32(clusters.start)
            blocks = [
                _block(things, column, keys[start : start + BLOCK], occurrences) for start in range(0, len(keys), BLOCK)
            ]
            for what, parts in zip(("clusters", "places", "held"), zip(*blocks, strict=True), strict=True):
                arrays[column.key(what)] = np.concatenate(parts)
            arrays[column.key("clusters")] += np.repeat(
                np.arange(len(blocks), dtype=np.int32) * BLOCK, [len(cluster) for cluster, _, _ in blocks]
            )
    return arrays


def _block(
    things: Sequence[Path], column: Column, keys: Codes, occurrences: NDArray[np.int64]
) -> tuple[Codes, Codes, Codes]:
    """Places of clusters among these, places of numbers of clusters, and how many things occur in so many."""
    codes, counts = [], []
    for path in things:
        with StoredArrays(path) as stored:
            clusters = stored[column.key("clusters")]
            here = slice(bisect_left(clusters, keys[0]), bisect_right(clusters, keys[-1]))
            cluster, times = np.searchsorted(keys, clusters[here]), stored[column.key("times")][here]
            codes.append(cluster * len(occurrences) + np.searchsorted(occurrences, times))
            counts.append(stored[column.key("held")][here])
    code, held = _sums_of_counts(np.concatenate(codes), np.concatenate(counts))
    own, place = np.divmod(code, max(len(occurrences), 1))
    return own.astype(np.int32), place.astype(np.int32), held.astype(np.int32)


def _histogram(things: Sequence[Path], column: Column) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of clusters that some thing occurs in, ascending, and how many things occur in so many."""
    found = []
    for path in things:
        with StoredArrays(path) as stored:
            found.append([stored[column.key(what)][:] for what in ("occurrences", "types")])
    return _sums_of_counts(*(np.concatenate(each) for each in zip(*found, strict=True)))


def _sums_of_counts(codes: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes that occur, ascending, and the sums of their counts."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.concatenate([[len(ordered) > 0], ordered[1:] != ordered[:-1]]))
    sums = np.add.reduceat(counts[order], starts) if len(starts) else counts
    return ordered[starts], sums.astype(np.int64)


def take_back(
    measurement: Measurement,
    ranges: Sequence[Path],
    firsts: Sequence[int],
    things: Sequence[Path],
    held: Sequence[Path],
) -> None:
    """Put into totals what was made of all that was taken out of them.

    Args:
        measurement: totals of all pieces, merged.
        ranges: files of ``by_cluster``.
        firsts: number of the first cluster of each range, and of all clusters.
        things: files of ``by_thing``.
        held: files of ``entries``, one for each range, which are read when scores are asked for.
    """
    for column, totals in _divided_totals(measurement):
        keys, sums, sizes = [], [], []
        for path, first in zip(ranges, firsts, strict=False):
            with StoredArrays(path) as stored:
                if column.key("keys") in stored:
                    keys.append(stored[column.key("keys")][:] + np.int32(first))
                    sums.append(stored[column.key("sums")][:])
                sizes.append(len(keys[-1]) if column.key("keys") in stored else 0)
        if not keys:
            continue
        numbers, rows = NumberedKeys(np.concatenate(keys)), np.concatenate(sums)
        if isinstance(totals, SummedTotals):
            totals.take_back(numbers, rows)
            continue
        files = tuple((path, own) for path, own in zip(held, sizes, strict=True) if own)
        none = np.zeros(0, dtype=np.int32)
        occurrences, types = _histogram(things, column)
        counts = StoredOccurrences(len(numbers), occurrences, types, none, none, none, column, files)
        totals.take_back(numbers, rows, counts)


@dataclass(frozen=True)
class StoredOccurrences(Occurrences):
    """Occurrences of which what clusters hold is read from files whenever it is asked for."""

    column: Column
    files: tuple[tuple[Path, int], ...]
    """Files of ``entries``, and how many clusters each has."""

    def blocks(self) -> Iterator[Block]:
        """What the clusters hold, some clusters at a time."""
        before = 0
        for path, size in self.files:
            with StoredArrays(path) as stored:
                arrays = [stored[self.column.key(what)] for what in ("clusters", "places", "held")]
                for first, last in pairwise([*range(0, size, BLOCK), size]):
                    here = slice(bisect_left(arrays[0], first), bisect_left(arrays[0], last))
                    cluster, place, held = (array[here] for array in arrays)
                    yield Block(slice(before + first, before + last), cluster - np.int32(first), place, held)
            before += size
