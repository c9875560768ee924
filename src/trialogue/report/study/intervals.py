"""Intervals on a shared axis, linear or odds, with a line at no difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from trialogue.records import Estimate
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, TextMark, widest
from trialogue.report.drawing.scale import Scale, draw_axis, ends, extent
from trialogue.report.numbers import MISSING, column_decimals, render_estimate
from trialogue.report.plots.base import ROW, Figure, row_lines
from trialogue.report.text import describe_rows, shorten

ODDS = (
    1.0,
    2.0,
    0.5,
    5.0,
    0.2,
    10.0,
    0.1,
    20.0,
    0.05,
    50.0,
    0.02,
    1.5,
    0.7,
    3.0,
    0.3,
    1.2,
    0.8,
    0.9,
    1.1,
    0.6,
    4.0,
    7.0,
)
"""Places on an axis of odds, the most wanted first."""
APART = 34.0  # pixels between two of them at least
WIDEST_ODDS = 4.0  # logits an axis of odds spans at most to either side: intervals beyond are cut
TOP = 26.0


@dataclass(frozen=True)
class Row:
    """One line of the figure."""

    label: str
    estimate: Estimate
    color: str = "accent"
    note: str = ""
    """Short text at the far right: a p-value."""
    strong: bool = False
    """Whether the label is bold."""


def intervals_figure(
    rows: Sequence[Row],
    *,
    name: str,
    section: str,
    title: str,
    caption: str,
    axis: str,
    reference: float | None = None,
    odds: bool = False,
    note_head: str = "",
) -> Figure:
    """A forest plot.

    Args:
        rows: rows from top to bottom; undefined ones get a dash.
        name: file name.
        section: where it stands on the page.
        title: what it shows.
        caption: how to read it.
        axis: what the axis measures.
        reference: value at which nothing differs; None: there is none.
        odds: whether values are odds ratios, drawn on a logarithmic axis.
        note_head: heading of the notes.
    """
    left = min(240.0, widest([shorten(row.label, 36) for row in rows])) + 14
    values_at = 486.0 if note_head else 520.0
    bottom = TOP + ROW * len(rows)
    drawing = Drawing(height=bottom + 40)
    right = values_at - 14
    scale = _scale(rows, reference, left + 6, right - 6, odds=odds)
    row_lines(drawing, len(rows), top=TOP, row=ROW, left=0, right=drawing.width)
    if odds:
        _odds_axis(drawing, scale, bottom)
    else:
        draw_axis(drawing, scale, top=TOP, bottom=bottom)
    if reference is not None:
        x = scale(log(reference) if odds else reference)
        drawing.add(Line(x, TOP - 4, x, bottom, "ink", 1.2, dashed=True))
    drawing.add(TextMark((left + right) / 2, bottom + 29, shorten(axis, 80), color="muted", anchor="middle"))
    drawing.add(TextMark(values_at, 14, "value [interval]", size=SIZE - 1, color="muted"))
    if note_head:
        drawing.add(TextMark(drawing.width, 14, note_head, size=SIZE - 1, color="muted", anchor="end"))
    decimals = min(3, column_decimals(row.estimate for row in rows))
    decimals = max(decimals, 2) if odds else decimals
    for index, row in enumerate(rows):
        _row(drawing, row, scale, TOP + ROW * (index + 0.5), left, values_at, decimals, odds=odds)
    words = [f"{row.label} {render_estimate(row.estimate, decimals)}" for row in rows]
    return Figure(name, section, title, caption, f"{title}: {describe_rows(words)}.", drawing)


def _scale(rows: Sequence[Row], reference: float | None, left: float, right: float, *, odds: bool) -> Scale:
    places = ends(row.estimate for row in rows) + ([] if reference is None else [reference])
    if odds:
        places = [min(WIDEST_ODDS, max(-WIDEST_ODDS, log(max(1e-9, place)))) for place in places]
    return Scale(*extent(places), left, right)


def _odds_axis(drawing: Drawing, scale: Scale, bottom: float) -> None:
    shown: list[float] = []
    for place in ODDS:
        inside = scale.low <= log(place) <= scale.high
        if inside and all(abs(scale(log(place)) - scale(log(other))) >= APART for other in shown):
            shown.append(place)
    for place in shown:
        x = scale(log(place))
        drawing.add(Line(x, TOP, x, bottom))
        drawing.add(TextMark(x, bottom + 11, f"{place:g}", size=SIZE - 1, color="muted", anchor="middle"))


def _row(
    drawing: Drawing, row: Row, scale: Scale, y: float, left: float, values_at: float, decimals: int, *, odds: bool
) -> None:
    drawing.add(TextMark(0, y, shorten(row.label, 36), bold=row.strong))
    estimate = row.estimate
    if estimate.value is None:
        drawing.add(TextMark((left + values_at) / 2, y, MISSING, color="muted", anchor="middle"))
        return

    def at(value: float) -> float:
        return scale(log(max(1e-9, value)) if odds else value)

    text = render_estimate(estimate, decimals)
    tip = f"{row.label}: {text}"
    if estimate.interval:
        drawing.add(Line(at(estimate.interval.low), y, at(estimate.interval.high), y, row.color, 2.4, tip=tip))
    drawing.add(Dot(at(estimate.value), y, row.color, hollow=estimate.interval is None, tip=tip))
    drawing.add(TextMark(values_at, y, text, size=SIZE - 1))
    if row.note:
        drawing.add(TextMark(drawing.width, y, row.note, size=SIZE - 1, anchor="end"))
