"""Figure record and the row layout shared by most figures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from trialogue.findings import League
from trialogue.render.drawing.by_matplotlib import matplotlib_figure, matplotlib_pdf, matplotlib_png
from trialogue.render.drawing.marks import SIZE, Dot, Drawing, Line, TextMark, widest
from trialogue.render.drawing.svg import inline_svg, svg_file
from trialogue.render.explorer.links import link
from trialogue.render.text import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

NARROW = 400.0  # pixels: two fifths of a page of 1200
ROW = 25.0  # height of a row of a figure that stands alone
LONGEST_LABEL = 26  # columns of text; longer names are cut in the middle, and whole in the tables
MAX_LABEL = 190.0  # pixels


FigureFormat = Literal["png", "pdf"]
"""Formats of figures beside SVG, drawn by matplotlib on request."""
FIGURE_FORMATS: tuple[FigureFormat, ...] = ("png", "pdf")


@dataclass(frozen=True)
class Figure:
    """A figure with caption and description, drawn on demand."""

    name: str
    """File name without suffix."""
    section: str
    """Page section: ``"league"``, ``"votes"``, ``"spread"``, ``"metrics"`` or ``"variants"``."""
    title: str
    """Short title."""
    caption: str
    """Caption that explains the figure."""
    alt: str
    """Text alternative for screen readers."""
    drawing: Drawing

    @cached_property
    def svg(self) -> str:
        """Standalone SVG in light colors."""
        return svg_file(self.drawing, title=self.title, description=self.alt)

    @cached_property
    def png(self) -> bytes:
        """PNG, 1992 pixels wide."""
        return matplotlib_png(self.drawing)

    @cached_property
    def pdf(self) -> bytes:
        """PDF with selectable text."""
        return matplotlib_pdf(self.drawing)

    def files(self, formats: Sequence[FigureFormat] = ()) -> dict[str, bytes]:
        """Content of its files by name: SVG always, the others on request."""
        made = {"svg": self.svg.encode("utf-8")} | {name: getattr(self, name) for name in formats}
        return {f"{self.name}.{suffix}": content for suffix, content in made.items()}

    def matplotlib(self) -> "MatplotlibFigure":
        """Editable matplotlib figure."""
        return matplotlib_figure(self.drawing)

    @property
    def inline(self) -> str:
        """``svg`` element for the page."""
        return inline_svg(self.drawing, name=self.name, title=self.title, description=self.alt)

    @property
    def linked(self) -> str:
        """The same with links to the explorer, for a page that has one beside it."""
        return inline_svg(self.drawing, name=self.name, title=self.title, description=self.alt, links=True)

    def rename(self, name: str) -> "Figure":
        """Copy with another name."""
        return replace(self, name=name)


def label_width(systems: Sequence[str], *, size: float = SIZE) -> float:
    """Width of the column of system names."""
    return min(MAX_LABEL, widest([label(system) for system in systems], size=size)) + 14


def rows_behind(league: League, system: str, *, low: float | None = None, high: float | None = None) -> str:
    """The address in the explorer of a system's dialogues with a value of a measure, or a value in a range."""
    measure = league.measure
    return link(systems=[system], part=measure.users or "", measure=measure.name, low=low, high=high)


def rows_of_pair(league: League, a: str, b: str) -> str:
    """The address in the explorer of two systems' dialogues side by side, by a measure."""
    measure = league.measure
    return link(systems=[a, b], part=measure.users or "", measure=measure.name)


def label(system: str) -> str:
    """System name, shortened for a figure."""
    return shorten(system, LONGEST_LABEL)


def row_lines(drawing: Drawing, rows: int, *, top: float, row: float, left: float, right: float) -> None:
    """Draw hairlines between rows."""
    for index in range(rows + 1):
        drawing.add(Line(left, top + index * row, right, top + index * row, width=0.75))


def legend(drawing: Drawing, entries: Sequence[tuple[Dot, str]], *, x: float, y: float) -> None:
    """Draw marks with their meaning, side by side."""
    for dot, meaning in entries:
        drawing.add(replace(dot, x=x + 5, y=y), TextMark(x + 15, y, meaning, size=SIZE - 1, color="muted"))
        x += 15 + widest([meaning], size=SIZE - 1) + 18
