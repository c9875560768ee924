"""Figure of a history: versions from top to bottom, each with its interval, against the baseline."""

from trialogue.findings.board.records import History, HistoryPoint
from trialogue.report.board.tables import verdict_text
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, Path, TextMark
from trialogue.report.drawing.scale import Scale, draw_axis, ends, extent
from trialogue.report.measures import DIRECTIONS
from trialogue.report.numbers import bounds, column_decimals, number, render_estimate
from trialogue.report.plots.base import ROW, Figure, label, label_width, row_lines
from trialogue.report.text import describe_rows, shorten, slug

TOP = 26.0


def history_figure(history: History) -> Figure | None:
    """Values of the versions with intervals; None if none has a value.

    Marks differ by shape, not only by color: a diamond is the baseline, filled circles are compared with it, hollow ones are
    not comparable with it or have no interval.
    """
    points = history.points
    if all(point.estimate.value is None for point in points):
        return None
    measure = history.measure
    bottom = TOP + ROW * len(points)
    drawing = Drawing(height=bottom + 40)
    left = label_width([point.version for point in points])
    right = drawing.width - 250
    within = (measure.bounds.low, measure.bounds.high) if measure.bounds is not None else (None, None)
    scale = Scale(*extent(ends(point.estimate for point in points), within=within), left + 6, right - 6)
    row_lines(drawing, len(points), top=TOP, row=ROW, left=0, right=drawing.width)
    draw_axis(drawing, scale, top=TOP, bottom=bottom)
    drawing.add(TextMark(right + 14, 14, "value [interval]", size=SIZE - 1, color="muted"))
    drawing.add(TextMark(drawing.width, 14, "against the baseline", size=SIZE - 1, color="muted", anchor="end"))
    title = shorten(f"{measure.title}: {measure.unit}, {DIRECTIONS[measure.better]}", 70)
    drawing.add(TextMark((left + right) / 2, bottom + 29, title, color="muted", anchor="middle"))
    _draw_baseline(drawing, history, scale, bottom)
    _draw_course(drawing, history, scale)
    decimals = column_decimals([point.estimate for point in points])
    for place, point in enumerate(points):
        _draw_point(drawing, point, scale, TOP + ROW * (place + 0.5), right, decimals)
    return Figure(
        name=f"history-{slug(history.system)}-{slug(measure.name)}"[:100],
        section="history",
        title=f"{measure.title} of {history.system} by version",
        caption=_caption(history),
        alt=describe_history(history),
        drawing=drawing,
    )


def _draw_baseline(drawing: Drawing, history: History, scale: Scale, bottom: float) -> None:
    base = next((point.estimate.value for point in history.points if point.is_baseline), None)
    if base is not None:
        drawing.add(Line(scale(base), TOP, scale(base), bottom, "muted", dashed=True))


def _draw_course(drawing: Drawing, history: History, scale: Scale) -> None:
    """A thin line through versions that are comparable with the baseline; a gap is where one is not."""
    stretch: list[tuple[float, float]] = []
    for place, point in enumerate(history.points):
        value = point.estimate.value
        if value is not None and (point.is_baseline or point.contrast is not None):
            stretch.append((scale(value), TOP + ROW * (place + 0.5)))
        else:
            _add_path(drawing, stretch)
            stretch = []
    _add_path(drawing, stretch)


def _add_path(drawing: Drawing, stretch: list[tuple[float, float]]) -> None:
    if len(stretch) > 1:
        drawing.add(Path(tuple(stretch), "muted", 1.2))


def _draw_point(drawing: Drawing, point: HistoryPoint, scale: Scale, y: float, right: float, decimals: int) -> None:
    drawing.add(TextMark(0, y, label(point.version), bold=point.is_baseline))
    estimate = point.estimate
    if estimate.value is None:
        drawing.add(TextMark(right + 14, y, "undefined", color="muted"))
        return
    tip = f"{point.version}: {render_estimate(estimate, decimals)}"
    if estimate.interval is not None:
        low, high = scale(estimate.interval.low), scale(estimate.interval.high)
        drawing.add(Line(low, y, high, y, "s0", 2.4, tip=tip))
    compared = point.is_baseline or point.contrast is not None
    hollow = not compared or estimate.interval is None
    drawing.add(
        Dot(scale(estimate.value), y, "s0", shape="diamond" if point.is_baseline else "circle", hollow=hollow, tip=tip)
    )
    value = number(estimate.value, decimals)
    drawing.add(TextMark(right + 14, y, value, bold=True))
    if estimate.interval is not None:
        offset = 14 + len(value) * SIZE * 0.66 + 4
        drawing.add(TextMark(right + offset, y, bounds(estimate.interval, decimals), size=SIZE - 1, color="muted"))
    drawing.add(
        TextMark(drawing.width, y, SHORT.get(verdict_text(point), verdict_text(point)), anchor="end", size=SIZE - 1)
    )


SHORT = {
    "not significantly different": "no difference",
    "better, conditional": "better (cond.)",
    "worse, conditional": "worse (cond.)",
}
"""Verdicts where there is little room; the caption writes them out."""


def _caption(history: History) -> str:
    base = next((point.version for point in history.points if point.is_baseline), None)
    runs = [point.runs for point in history.points]
    parts = [f"{history.measure.title} of {history.system}, versions in the order given, with 95% intervals."]
    if base is not None:
        parts.append(f"Diamond and dashed line: the baseline {base}.")
    if any(not point.is_baseline and point.contrast is None for point in history.points):
        parts.append("Hollow: not comparable with the baseline; the table says why.")
    if max(runs) > 1:
        spread = str(max(runs)) if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
        parts.append(
            f"Each value is the mean of {spread} runs; intervals of several runs include the variance between runs."
        )
    parts.append(
        "No difference: none that is significant after correction across all pairs of the leaderboard; cond.: "
        "conditional on a threat."
    )
    return " ".join(parts)


def describe_history(history: History) -> str:
    """Text description of the figure."""
    decimals = column_decimals([point.estimate for point in history.points])
    rows = [
        f"{point.version} {render_estimate(point.estimate, decimals)}, {verdict_text(point)}"
        for point in history.points
    ]
    return f"{history.measure.title}, {DIRECTIONS[history.measure.better]}: {describe_rows(rows)}."
