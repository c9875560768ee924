"""Directions of the published comparisons: of systems by a measure, and of simulators with one another and with people."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from trialogue.reproduce.kdd2020.cells import Cell, Reproduction
from trialogue.reproduce.kdd2020.paper_values import DS_KL, METHODS, REAL, REWARD, SUCCESS, SYSTEMS, TURNS

COMPARED = (TURNS, DS_KL, REWARD, SUCCESS)
"""Measures with differences: user shares are nearly all the same."""


@dataclass(frozen=True)
class Direction:
    """One published comparison of two cells."""

    first: Cell
    """The cell with the higher published value."""
    second: Cell
    """The other one."""

    @property
    def is_missed(self) -> bool:
        """Whether our values are in the other order."""
        return (self.first.value or 0.0) < (self.second.value or 0.0)

    @property
    def is_surely_missed(self) -> bool:
        """Whether our 95% intervals are, too: they do not overlap."""
        high, low = self.first.high, self.second.low
        return self.is_missed and high is not None and low is not None and high < low

    @property
    def text(self) -> str:
        """The comparison, such as ``Reward of CIR6-PKG: A above B``."""
        first, second = self.first, self.second
        if first.letter == second.letter:
            return f"{first.measure} on {first.letter}: {first.method} above {second.method}"
        return f"{first.measure} of {first.method}: {first.letter} above {second.letter}"


def directions(found: Reproduction) -> tuple[Direction, ...]:
    """Every published comparison within a column or a row of Tables 4 and 5 that has a direction."""
    return tuple(
        Direction(*sorted(pair, key=lambda cell: -(cell.published or 0.0)))
        for pair in _pairs(found)
        if pair[0].published is not None and pair[1].published is not None and pair[0].published != pair[1].published
    )


def _pairs(found: Reproduction) -> Iterator[tuple[Cell, Cell]]:
    for name in COMPARED:
        rows = {method: [found.cell(name, method, letter) for letter in SYSTEMS] for method in (REAL, *METHODS)}
        groups = [*zip(*rows.values(), strict=True), *(rows.values() if name in (REWARD, SUCCESS) else ())]
        for cells in groups:
            yield from combinations([cell for cell in cells if cell is not None], 2)
