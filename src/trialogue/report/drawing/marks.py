"""Drawings as lists of marks in pixels from the top left corner; ``svg`` and ``png`` render them.

Colors are roles of the theme, so that one drawing serves light pages, dark pages and print. A mark may lead somewhere
(``href``), which only a page takes up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from trialogue.report.text import columns

WIDTH = 640.0  # of every figure: text of 11 px is 9 pt in a page of 180 mm
SIZE = 11.0  # of text
MARGIN = 12.0  # around a picture that is a file of its own


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
    """A circle or a diamond; a hollow one is filled with paper."""

    x: float
    y: float
    color: str
    radius: float = 4.5
    shape: Literal["circle", "diamond"] = "circle"
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
