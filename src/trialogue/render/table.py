"""Tables of cells that pages, terminals and papers share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from trialogue.records import Estimate
from trialogue.render.drawing.scale import Scale


@dataclass(frozen=True)
class Bar:
    """An interval on a scale, in percent of its width."""

    left: float
    width: float
    dot: float
    color: str = ""
    """Role of the theme; "": ink."""
    is_centered: bool = False
    """Whether the middle of the scale is marked, for a difference."""

    @classmethod
    def of(cls, estimate: Estimate, scale: Scale, *, color: str = "", is_centered: bool = False) -> "Bar | None":
        """An estimate as a bar; None if undefined."""
        if estimate.value is None:
            return None
        low = scale(estimate.interval.low if estimate.interval else estimate.value)
        high = scale(estimate.interval.high if estimate.interval else estimate.value)
        return cls(round(low, 2), round(high - low, 2), round(scale(estimate.value), 2), color, is_centered)


@dataclass(frozen=True)
class Cell:
    """A cell that is more than its text."""

    text: str
    """The value, or a name."""
    interval: str = ""
    """Small, below it."""
    letters: str = ""
    """Raised: systems that share one do not differ significantly."""
    ranks: str = ""
    """Range of ranks, on pages."""
    leads: bool = False
    """Whether it may be the best: bold, or shaded."""
    note: str = ""
    """Said below the table, under a number that equal notes share."""
    number: int | None = None
    """That number, given by the table."""
    bar: Bar | None = None
    """Drawn below it on pages."""
    tip: str = ""
    """Shown beside a pointer."""
    href: str = ""
    """Where it leads on a page."""
    what: str = ""
    """What is there, for those who cannot see it."""
    swatch: str = ""
    """Color of a system, as a role of the theme."""

    def __str__(self) -> str:
        """The cell in lines of plain text."""
        mark = f"({self.number})" if self.number is not None else ""
        first = " ".join(part for part in (self.text, self.letters, mark) if part)
        return f"{first}\n{self.interval}" if self.interval else first


AnyCell: TypeAlias = "str | Cell"


@dataclass(frozen=True)
class Table:
    """Column heads, and rows that start with their subject."""

    heads: tuple[str, ...]
    """One for each column."""
    rows: tuple[tuple[AnyCell, ...], ...]
    """Cells, as many in each row as there are heads."""
    strong: frozenset[int] = frozenset()
    """Rows that stand out, by their place."""
    units: tuple[str, ...] = ()
    """Second lines of the heads on pages; () for none."""
    feet: tuple[str, ...] = ()
    """A last row on pages; () for none."""
    below_rule: int = 0
    """Rows at the bottom below a rule."""
    notes: tuple[str, ...] = ()
    """Notes of cells, by their number from 1."""

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The rows in plain text."""
        return [tuple(map(str, row)) for row in self.rows]

    def number_notes(self) -> "Table":
        """The table with a number at each cell that has a note."""
        notes = list(
            dict.fromkeys(cell.note for row in self.rows for cell in row if isinstance(cell, Cell) and cell.note)
        )
        rows = [tuple(_number_cell(cell, notes) for cell in row) for row in self.rows]
        return replace(self, rows=tuple(rows), notes=tuple(notes))

    def columns(self, places: Sequence[int]) -> "Table":
        """The table with some of its columns."""

        def pick(line: Sequence[str]) -> tuple[str, ...]:
            return tuple(line[place] for place in places) if line else ()

        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return replace(self, heads=pick(self.heads), rows=rows, units=pick(self.units), feet=pick(self.feet))


def _number_cell(cell: AnyCell, notes: Sequence[str]) -> AnyCell:
    return replace(cell, number=notes.index(cell.note) + 1) if isinstance(cell, Cell) and cell.note else cell


@dataclass(frozen=True)
class Insert:
    """A part of pages that a template of its own renders."""

    template: str
    content: Mapping[str, Any]
