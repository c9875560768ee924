"""Forest plot of estimates on a shared axis, linear or odds, with a dashed line at chance or at no difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from math import log

from trialogue.records import Estimate
from trialogue.render.drawing.marks import SIZE, WIDTH, Dot, Drawing, Line, Path, Shape, TextMark, text_width, widest
from trialogue.render.drawing.scale import Scale, draw_axis, ends, extent
from trialogue.render.numbers import MISSING, bounds, column_decimals, number, render_estimate
from trialogue.render.plots.base import LONGEST_LABEL, NARROW, ROW, Figure, legend, row_lines
from trialogue.render.text import describe_rows, shorten

ODDS = (1.0, 2, 0.5, 5, 0.2, 10, 0.1, 20, 0.05, 50, 0.02, 1.5, 0.7, 3, 0.3, 1.2, 0.8, 0.9, 1.1, 0.6, 4, 7)
"""Places on an axis of odds, the most wanted first."""
APART = 34.0  # pixels between two of them at least
WIDEST_ODDS = 4.0  # logits an axis of odds spans at most to either side: intervals beyond are cut
TALL_ROW = 30.0  # of two marks
TOP, TOP_NARROW, TOP_OF_LEGEND = 26.0, 8.0, 44.0
NOTE = 48.0  # pixels of a column of notes
LONGEST = 38  # columns of a label; of a narrow figure, those of a system


@dataclass(frozen=True)
class Row:
    """One line of the figure."""

    label: str
    estimate: Estimate
    second: Estimate | None = None
    """Drawn below it as a grey diamond; None: there is none."""
    hollow: bool = False
    """Whether the marks are hollow, for what is only there to compare with."""
    shape: Shape = "circle"
    """The mark of the value."""
    width: float = 2.3
    """Of the line of its interval."""
    text: str = ""
    """Its numbers, where the axis has others; "": those of the estimate."""
    joins: bool = False
    """Whether a thin line leads from the value to that of the row above, if that joins, too."""
    color: str = "accent"
    notes: Sequence[str] = ()
    """Short texts at the far right: a p-value, or letters and ranks."""
    strong: bool = False
    """Whether the label is bold."""
    href: str = ""
    """Where a click on it leads; "": nowhere."""


@dataclass(frozen=True)
class Axis:
    """What all rows share."""

    title: str
    """What it measures."""
    reference: float | None = None
    """Value of chance, or of no difference, dashed; None: there is none."""
    ceiling: float | None = None
    """What cannot be exceeded, dashed; None: unknown."""
    odds: bool = False
    """Whether values are odds ratios, on a logarithmic axis."""
    is_relative: bool = False
    """Whether each row has a scale of its own, so that no numbers stand below them."""
    within: tuple[float | None, float | None] = (None, None)
    """Bounds of the values; None: there is none."""

    def place(self, value: float) -> float:
        """Where a value stands on a linear scale."""
        return log(max(1e-9, value)) if self.odds else value

    def scale(self, rows: Sequence[Row], left: float, right: float) -> Scale:
        """The scale that holds every value, interval and line."""
        lines = [value for value in (self.reference, self.ceiling) if value is not None]
        places = [self.place(value) for value in (*ends(_estimates(rows)), *lines)]
        if self.odds:
            places = [min(WIDEST_ODDS, max(-WIDEST_ODDS, place)) for place in places]
        return Scale(*extent(places, within=self.within), left, right)


def estimates_figure(
    rows: Sequence[Row],
    axis: Axis,
    *,
    name: str,
    title: str,
    caption: str,
    section: str = "",
    alt: str = "",
    note_heads: Sequence[str] = (),
    below_rule: int = 0,
    marks: Sequence[tuple[Dot, str]] = (),
    narrow: bool = False,
) -> Figure | None:
    """A forest plot; None without rows.

    Args:
        rows: rows from top to bottom; undefined ones get a dash.
        axis: what they share.
        name: file name without suffix.
        title: what it shows.
        caption: how to read it.
        section: where it stands on the page.
        alt: description for those who cannot see it; "": title and rows.
        note_heads: headings of the notes.
        below_rule: rows at the bottom below a rule, in grey, for what is only there to compare with.
        marks: legend of the marks.
        narrow: draw it without numbers, beside a table that has them.
    """
    if not rows:
        return None
    row_height = TALL_ROW if any(row.second for row in rows) else ROW
    top = TOP_OF_LEGEND if marks else TOP_NARROW if narrow else TOP
    bottom = top + row_height * len(rows)
    drawing = Drawing(height=bottom + 40, width=NARROW if narrow else WIDTH)
    labels = [shorten(row.label, LONGEST_LABEL if narrow else LONGEST) for row in rows]
    left = min(240.0, widest(labels)) + 14
    widths = [] if narrow else _note_widths([note_heads, *(row.notes for row in rows)])
    numbers = [text_width(row.text, size=SIZE - 0.5) for row in rows]
    numbers_at = drawing.width - max(108, *numbers) - sum(widths)
    right = drawing.width - 8 if narrow else numbers_at - 14
    scale = axis.scale(rows, left + 6, right - 6)
    legend(drawing, marks, x=0, y=12)
    row_lines(drawing, len(rows), top=top, row=row_height, left=0, right=drawing.width)
    _axis(drawing, axis, scale, top, bottom)
    drawing.add(TextMark((left + right) / 2, bottom + 29, shorten(axis.title, 80), color="muted", anchor="middle"))
    if not narrow:
        drawing.add(TextMark(numbers_at, top - 12, "value [interval]", size=SIZE - 1, color="muted"))
    _notes(drawing, note_heads, widths, top - 12, color="muted")
    _course(drawing, rows, axis, scale, top + row_height / 2, row_height)
    decimals = min(3, column_decimals(_estimates(rows)))
    decimals = max(decimals, 2) if axis.odds else decimals
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        y = top + row_height * (place + 0.5)
        is_below = place >= len(rows) - below_rule
        drawing.add(TextMark(0, y, label, bold=row.strong, color="muted" if is_below else "ink", href=row.href))
        draw_row(drawing, row, axis, scale, y, decimals)
        _notes(drawing, row.notes, widths, y, color="ink")
        if not narrow:
            _numbers(drawing, row, numbers_at, y, decimals)
    if below_rule:
        rule = bottom - row_height * below_rule
        drawing.add(Line(0, rule, drawing.width, rule, "muted", 1.5))
    words = describe_rows([f"{row.label} {render_estimate(row.estimate, decimals)}" for row in rows])
    return Figure(name, section, title, caption, alt or f"{title}: {words}.", drawing)


def _estimates(rows: Sequence[Row]) -> list[Estimate]:
    return [each for row in rows for each in (row.estimate, row.second) if each is not None]


def _axis(drawing: Drawing, axis: Axis, scale: Scale, top: float, bottom: float) -> None:
    if axis.odds:
        _odds_axis(drawing, scale, top, bottom)
    elif not axis.is_relative:
        draw_axis(drawing, scale, top=top, bottom=bottom)
    for value, color, tip in ((axis.reference, "muted", "reference"), (axis.ceiling, "better", "ceiling")):
        if value is not None:
            x = scale(axis.place(value))
            drawing.add(Line(x, top - 6, x, bottom, color, 1.4, dashed=True, tip=f"{tip}: {value:g}"))


def _odds_axis(drawing: Drawing, scale: Scale, top: float, bottom: float) -> None:
    shown: list[float] = []
    for place in ODDS:
        inside = scale.low <= log(place) <= scale.high
        if inside and all(abs(scale(log(place)) - scale(log(other))) >= APART for other in shown):
            shown.append(place)
    for place in shown:
        x = scale(log(place))
        drawing.add(Line(x, top, x, bottom))
        drawing.add(TextMark(x, bottom + 11, f"{place:g}", size=SIZE - 1, color="muted", anchor="middle"))


def _note_widths(lines: Sequence[Sequence[str]]) -> list[float]:
    """Width of each column of notes, heads included."""
    columns = zip_longest(*lines, fillvalue="")
    return [max(NOTE, widest(texts, size=SIZE - 1) + 10) for texts in columns]


def _notes(drawing: Drawing, notes: Sequence[str], widths: Sequence[float], y: float, *, color: str) -> None:
    """Texts at the far right, the last one at the edge."""
    for place, text in enumerate(notes[: len(widths)]):
        if text:
            x = drawing.width - sum(widths[place + 1 :])
            drawing.add(TextMark(x, y, text, size=SIZE - 1, color=color, anchor="end"))


def _course(drawing: Drawing, rows: Sequence[Row], axis: Axis, scale: Scale, y: float, height: float) -> None:
    """A thin line through neighbouring rows that join; a gap is where one does not."""
    places = [
        (scale(axis.place(row.estimate.value)), y + height * place)
        for place, row in enumerate(rows)
        if row.joins and row.estimate.value is not None
    ]
    for start, end in pairwise(places):
        if end[1] - start[1] <= height:
            drawing.add(Path((start, end), "muted", 1.2))


def draw_row(drawing: Drawing, row: Row, axis: Axis, scale: Scale, y: float, decimals: int) -> None:
    """Draw the marks of a row with their intervals; a dash where it is undefined."""
    if row.estimate.value is None:
        drawing.add(TextMark((scale.left + scale.right) / 2, y, MISSING, color="muted", anchor="middle"))
        return
    apart = 5.5 if row.second else 0.0
    drawn: list[tuple[Estimate | None, str, Shape, float]] = [
        (row.estimate, row.color, row.shape, -apart),
        (row.second, "muted", "diamond", apart),
    ]
    for estimate, color, shape, at in drawn:
        if estimate is None or estimate.value is None:
            continue
        tip = f"{row.label}: {row.text or render_estimate(estimate, decimals)}"
        if estimate.interval:
            low, high = (scale(axis.place(end)) for end in (estimate.interval.low, estimate.interval.high))
            drawing.add(Line(low, y + at, high, y + at, color, row.width, tip=tip, href=row.href))
        x = scale(axis.place(estimate.value))
        drawing.add(Dot(x, y + at, color, radius=4, shape=shape, hollow=row.hollow, tip=tip, href=row.href))


def _numbers(drawing: Drawing, row: Row, x: float, y: float, decimals: int) -> None:
    """The value, with its interval after it."""
    estimate = row.estimate
    if row.text:
        drawing.add(TextMark(x, y, row.text, size=SIZE - 0.5))
    if estimate.value is None or row.text:
        return
    value = number(estimate.value, decimals)
    drawing.add(TextMark(x, y, value, bold=True))
    if estimate.interval:
        text = bounds(estimate.interval, decimals)
        drawing.add(TextMark(x + 4 + len(value) * SIZE * 0.66, y, text, size=SIZE - 1, color="muted"))
