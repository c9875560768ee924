"""Unit scores of a whole run as columns: eight bytes per value."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from trialogue.records.measure_name import MeasureName
from trialogue.records.reasons.reason import Reason
from trialogue.records.score import Score
from trialogue.records.scores.score_block import Gap, ScoreBlock, ScoreColumn

Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Values:
    """Values of units; NaN, with a reason, where missing."""

    numbers: Array
    """Shape (n,)."""
    gaps: Mapping[Reason, Places] = field(default_factory=dict)
    """Ascending places of those that are NaN, by the reason."""

    def __iter__(self) -> Iterator[float | Reason]:
        """Iterate over values, or the reason where missing."""
        found: list[float | Reason] = self.numbers.tolist()
        for why, places in self.gaps.items():
            for place in places.tolist():
                found[place] = why
        return iter(found)


@dataclass(frozen=True, eq=False)
class Column:
    """Unit values of one measure in a block."""

    measure: str
    replies: Values | None
    dialogues: Values | None


@dataclass(frozen=True, eq=False)
class Block:
    """Conversations of one system, with the values of all measures."""

    system: str
    dialogues: tuple[str | None, ...]
    replies: tuple[int, ...]
    utterances: tuple[int | None, ...]
    situations: tuple[str | None, ...]
    """(): none of the replies is to a situation."""
    columns: list[Column] = field(default_factory=list)

    def record(self) -> ScoreBlock:
        """Convert to a file record."""
        return ScoreBlock(
            system=self.system,
            dialogues=self.dialogues,
            replies=self.replies,
            utterances=self.utterances if any(each is not None for each in self.utterances) else (),
            situations=self.situations,
            columns=tuple(map(_column_record, self.columns)),
        )


class ScoreTable(Sequence[Score]):
    """Unit scores in order of arrival; as a sequence, single records that are created on access.

    The metrics fill it; what comes after them, up to the file, reads it.
    """

    def __init__(self) -> None:
        self._blocks: list[Block] = []

    def extend(self, other: "ScoreTable") -> None:
        """Append the scores of another table."""
        self._blocks += other._blocks

    def drop(self, left_out: Collection[tuple[str, str]]) -> "ScoreTable":
        """Copy without some (measure, system)."""
        kept = ScoreTable()
        kept._blocks = [
            replace(block, columns=[each for each in block.columns if (each.measure, block.system) not in left_out])
            for block in self._blocks
        ]
        return kept

    def of_measures(self, measures: Collection[str]) -> "ScoreTable":
        """The scores of some measures."""
        kept = ScoreTable()
        kept._blocks = [
            replace(block, columns=[each for each in block.columns if each.measure in measures])
            for block in self._blocks
        ]
        return kept

    def blocks(self) -> Iterator[ScoreBlock]:
        """Iterate over file records."""
        return (block.record() for block in self._blocks if block.columns)

    def of_dialogues(self, measure: str) -> dict[str, Array]:
        """Defined dialogue values by system, each of shape (dialogues,), in order."""
        found: dict[str, list[Array]] = {}
        for block in self._blocks:
            for column in block.columns:
                if column.measure == measure and column.dialogues is not None:
                    found.setdefault(block.system, []).append(_values_with_id(block, column.dialogues))
        values = {system: np.concatenate(parts) for system, parts in found.items()}
        return {system: own[np.isfinite(own)] for system, own in values.items()}

    def dialogue_values(
        self,
        *,
        measures: Collection[str] | None = None,
        systems: Collection[str] | None = None,
        about: Collection[tuple[str, str]] | None = None,
    ) -> Iterator[tuple[str, str, str, float]]:
        """(system, dialogue, measure, value) of every dialogue with a value.

        Args:
            measures: full names of the measures that are wanted; None: all.
            systems: names of the systems that are wanted; None: all.
            about: (system, dialogue) that are wanted; None: all.
        """
        for block in self._blocks:
            if systems is not None and block.system not in systems:
                continue
            if about is not None and not any((block.system, str(name)) in about for name in block.dialogues):
                continue
            for column in block.columns:
                if measures is not None and column.measure not in measures:
                    continue
                for place, value in enumerate(() if column.dialogues is None else column.dialogues.numbers.tolist()):
                    name = block.dialogues[place]
                    if name is not None and value == value and (about is None or (block.system, name) in about):
                        yield block.system, name, column.measure, value

    def __iter__(self) -> Iterator[Score]:
        for block in self.blocks():
            yield from block.records()

    def __len__(self) -> int:
        return sum(
            _count(column.replies, None) + _count(column.dialogues, block.dialogues)
            for block in self._blocks
            for column in block.columns
        )

    @overload
    def __getitem__(self, place: int) -> Score: ...

    @overload
    def __getitem__(self, place: slice) -> list[Score]: ...

    def __getitem__(self, place: int | slice) -> Score | list[Score]:
        """One score or a slice; creates all records first."""
        return list(self)[place]


def _values_with_id(block: Block, values: Values) -> Array:
    """Values of the dialogues that have an id."""
    return values.numbers[[name is not None for name in block.dialogues]]


def _count(values: Values | None, names: Sequence[str | None] | None) -> int:
    """Scores among values: those that are defined, or say why they are not; of dialogues, those with an id."""
    if values is None:
        return 0
    places = np.concatenate([np.flatnonzero(np.isfinite(values.numbers)), *values.gaps.values()])
    return len(places) if names is None else sum(names[place] is not None for place in places.tolist())


def _column_record(column: Column) -> ScoreColumn:
    replies, dialogues = column.replies, column.dialogues
    gaps: dict[Reason, tuple[list[int], list[int]]] = {}
    for side, values in enumerate((replies, dialogues)):
        for why, places in sorted(() if values is None else values.gaps.items(), key=lambda gap: int(gap[1][0])):
            gaps.setdefault(why, ([], []))[side].extend(places.tolist())
    return ScoreColumn(
        measure=MeasureName(column.measure),
        replies=_finite_values(replies),
        dialogues=_finite_values(dialogues),
        gaps=tuple(Gap(why=why, replies=tuple(a), dialogues=tuple(b)) for why, (a, b) in gaps.items()),
    )


def _finite_values(values: Values | None) -> tuple[float | None, ...]:
    """Values with None for undefined ones; () if there are none at all."""
    if values is None or not (np.isfinite(values.numbers).any() or values.gaps):
        return ()
    return tuple(value if value == value else None for value in values.numbers.tolist())
