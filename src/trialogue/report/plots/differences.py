"""Figure of the difference of two systems on every measure, each on its own scale, zero in the middle."""

from collections.abc import Mapping, Sequence

from trialogue.findings import Contrast, League
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, TextMark
from trialogue.report.drawing.scale import Scale, reach_of
from trialogue.report.measures import is_ranked, labels
from trialogue.report.numbers import column_decimals, level, p_value, render_estimate
from trialogue.report.plots.base import Figure, label, row_lines
from trialogue.report.text import describe_rows, shorten

TALL = 28.0
TOP = 32.0


def differences(
    leagues: Sequence[League], systems: Sequence[str], colors: Mapping[str, str], *, alpha: float, correction: str
) -> Figure | None:
    """Difference of the first and second system, oriented so that right favours the first; None without comparisons."""
    a, b = systems
    rows = [(league, contrast) for league in leagues if (contrast := league.between(a, b)) is not None]
    rows = [(league, contrast) for league, contrast in rows if contrast.difference.value is not None]
    if not rows:
        return None
    drawing = Drawing(height=TOP + TALL * len(rows) + 10)
    left, right = 196.0, drawing.width - 196
    row_lines(drawing, len(rows), top=TOP, row=TALL, left=0, right=drawing.width)
    middle = (left + right) / 2
    drawing.add(Line(middle, TOP - 4, middle, TOP + TALL * len(rows), "muted", dashed=True))
    drawing.add(TextMark(middle - 10, 16, f"← {label(b)} better", anchor="end", color="muted", size=SIZE - 1))
    drawing.add(TextMark(middle + 10, 16, f"{label(a)} better →", color="muted", size=SIZE - 1))
    drawing.add(TextMark(drawing.width, 16, "p", anchor="end", color="muted", size=SIZE - 1))
    names = labels([league for league, _ in rows])
    for place, (league, contrast) in enumerate(rows):
        y = TOP + TALL * (place + 0.5)
        drawing.add(TextMark(0, y, shorten(names[league.measure.name], 30)))
        color = {"a": colors.get(a, "accent"), "b": colors.get(b, "accent")}.get(contrast.verdict, "muted")
        _row(drawing, league, contrast, y, left, right, color)
    return Figure(
        name="differences",
        section="league",
        title=f"{a} against {b}",
        caption=(
            f"{a} minus {b} with intervals, each measure on its own scale, oriented so that right always "
            f"means that {a} is better. Thick and in color: the difference is significant at α = {level(alpha)}. "
            "Hollow: the measure has no direction."
        ),
        alt=_describe(rows, a, b),
        drawing=drawing,
    )


def _row(drawing: Drawing, league: League, contrast: Contrast, y: float, left: float, right: float, color: str) -> None:
    difference = contrast.difference
    reach, sign = reach_of(difference), -1 if league.measure.better == "lower" else 1
    scale = Scale(-reach, reach, left, right)
    decimals = column_decimals([difference])
    tip = render_estimate(difference, decimals, sign=True)
    if difference.interval:
        x1, x2 = scale(sign * difference.interval.low), scale(sign * difference.interval.high)
        thick = 2.4 if contrast.verdict in ("a", "b") else 1.2  # in grey copies, too
        drawing.add(Line(min(x1, x2), y, max(x1, x2), y, color, thick, tip=tip))
    drawing.add(Dot(scale(sign * (difference.value or 0.0)), y, color, hollow=not is_ranked(league), tip=tip))
    drawing.add(TextMark(right + 8, y, render_estimate(difference, decimals, sign=True), size=SIZE - 0.5))
    text = p_value(contrast.p_adjusted).removeprefix("= ")
    drawing.add(TextMark(drawing.width, y, text, anchor="end", size=SIZE - 1, color="muted"))


def _describe(rows: Sequence[tuple[League, Contrast]], a: str, b: str) -> str:
    said = []
    for league, contrast in rows:
        decimals = column_decimals([contrast.difference])
        winner = {"a": f"{a} is better", "b": f"{b} is better", "undefined": "not tested"}.get(
            contrast.verdict, "inconclusive"
        )
        said.append(f"{league.measure.title} {render_estimate(contrast.difference, decimals, sign=True)}, {winner}")
    return f"{a} minus {b}: {describe_rows(said)}."
