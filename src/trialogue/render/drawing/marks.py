"""Drawings as lists of marks in pixels from the top left corner; ``svg`` and ``png`` render them.

Colors are roles of the theme, so that one drawing serves light pages, dark pages and print. A mark may lead somewhere
(``href``), which only a page takes up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trialogue.render.text import columns

WIDTH = 640.0  # of every figure: text of 11 px is 9 pt in a page of 180 mm
SIZE = 11.0  # of text
MARGIN = 12.0  # around a picture that is a file of its own


Shape = Literal["circle", "diamond", "square", "triangle", "wedge", "cross"]


@dataclass(frozen=True)
class Polygon:
    """Corners of a shape."""

    corners: tuple[tuple[float, float], ...]
    """Clockwise, y downwards, in units of ``size``."""
    size: float
    """In radii of the circle that looks as large."""
    miter: float
    """By how much the outer corners move outwards where an edge is one wide on each side."""

    def place(self, x: float, y: float, radius: float, edge: float = 0.0) -> tuple[tuple[float, float], ...]:
        """Corners around a point; ``edge``: how far an edge reaches beyond the shape (or, below 0, into it)."""
        reach = self.size * radius + self.miter * edge
        return tuple((x + reach * across, y + reach * down) for across, down in self.corners)


_SIN, _ARM = 3**0.5 / 2, 0.38
POLYGONS: Mapping[Shape, Polygon] = {
    "diamond": Polygon(((0, -1), (1, 0), (0, 1), (-1, 0)), 1.2, 2**0.5),
    "square": Polygon(((-1, -1), (1, -1), (1, 1), (-1, 1)), 0.88, 1.0),
    "triangle": Polygon(((0, -1), (_SIN, 0.5), (-_SIN, 0.5)), 1.4, 2.0),
    "wedge": Polygon(((0, 1), (-_SIN, -0.5), (_SIN, -0.5)), 1.4, 2.0),
    "cross": Polygon(
        (
            *((-_ARM, -1.0), (_ARM, -1.0), (_ARM, -_ARM), (1.0, -_ARM), (1.0, _ARM), (_ARM, _ARM)),
            *((_ARM, 1.0), (-_ARM, 1.0), (-_ARM, _ARM), (-1.0, _ARM), (-1.0, -_ARM), (-_ARM, -_ARM)),
        ),
        1.12,
        1.0,
    ),
}
SERIES_SHAPES: tuple[Shape, ...] = ("circle", "square", "triangle", "wedge", "cross")


def series_marks(names: Iterable[str]) -> dict[str, tuple[Shape, bool]]:
    """(shape, hollow) of each series in alphabetical order, so that none is known by its color alone.

    Ten differ; with more, all are circles, as they all have one color.

    >>> series_marks(["b", "a"])
    {'a': ('circle', False), 'b': ('square', False)}
    """
    ordered = sorted(set(names))
    marks = [(shape, hollow) for hollow in (False, True) for shape in SERIES_SHAPES]
    return dict(zip(ordered, marks if len(ordered) <= len(marks) else [marks[0]] * len(ordered), strict=False))


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    color: str = "line"
    width: float = 1.0
    dashed: bool = False
    tip: str = ""
    href: str = ""


@dataclass(frozen=True)
class Path:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    color: str
    width: float = 2.0
    dashes: tuple[float, ...] = ()
    """Lengths of a dash and of the gap behind it; (): solid."""
    tip: str = ""


@dataclass(frozen=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    color: str
    opacity: float = 1.0
    tip: str = ""
    href: str = ""


@dataclass(frozen=True)
class Dot:
    """A mark of one of several shapes; a hollow one is filled with paper."""

    x: float
    y: float
    color: str
    radius: float = 4.5
    shape: Shape = "circle"
    hollow: bool = False
    halo: bool = True
    """Whether a hair of paper sets it off from what lies beneath."""
    tip: str = ""
    href: str = ""


@dataclass(frozen=True)
class TextMark:
    """A line of text; ``y`` is its middle or, if rotated (degrees, counter-clockwise), its starting point."""

    x: float
    y: float
    text: str
    size: float = SIZE
    color: str = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    turn: float = 0.0
    tip: str = ""
    href: str = ""


Mark = Line | Path | Box | Dot | TextMark


@dataclass
class Drawing:
    """Marks on a canvas, painted in order."""

    height: float
    width: float = WIDTH
    marks: list[Mark] = field(default_factory=list)

    def add(self, *marks: Mark) -> None:
        """Append marks on top."""
        self.marks.extend(marks)


def text_width(text: str, *, size: float = SIZE) -> float:
    """Approximate upper bound of a text's width in sans-serif fonts of browsers and matplotlib."""
    return columns(text) * size * 0.6


def widest(texts: Sequence[str], *, size: float = SIZE) -> float:
    """Approximate width of the widest text."""
    return max((text_width(text, size=size) for text in texts), default=0.0)
