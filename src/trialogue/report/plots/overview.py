"""Small forest plot of the primary measure, shown on the first screen."""

from collections.abc import Mapping, Sequence

from trialogue.findings import League, Standing
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, TextMark
from trialogue.report.drawing.scale import Scale, draw_axis, league_extent
from trialogue.report.measures import DIRECTIONS, is_ranked
from trialogue.report.numbers import column_decimals, render_estimate
from trialogue.report.plots.base import NARROW, ROW, Figure, label, label_width, row_lines, rows_behind
from trialogue.report.plots.forest import confidence, describe
from trialogue.report.text import shorten

TOP = 8.0


def glance(league: League, systems: Sequence[str], colors: Mapping[str, str]) -> Figure | None:
    """Forest plot of some systems with the best baseline as a dashed line; None without values."""
    held = {standing.system: standing for standing in league.standings}
    shown = [held[name] for name in systems if name in held and held[name].estimate.value is not None]
    if not shown:
        return None
    bottom = TOP + ROW * len(shown)
    drawing = Drawing(height=bottom + 40, width=NARROW)
    left = label_width([standing.system for standing in shown])
    scale = Scale(*league_extent(league), left + 6, NARROW - 8)
    row_lines(drawing, len(shown), top=TOP, row=ROW, left=0, right=NARROW)
    draw_axis(drawing, scale, top=TOP, bottom=bottom, most=5)
    best = next((each for each in league.baselines if each.estimate.value is not None), None)
    if best is not None and best.estimate.value is not None:
        drawing.add(Line(scale(best.estimate.value), TOP, scale(best.estimate.value), bottom, "muted", dashed=True))
    direction = f", {DIRECTIONS[league.measure.better]}" if is_ranked(league) else ""
    axis = shorten(f"{league.measure.unit}{direction}", 58)
    drawing.add(TextMark(NARROW / 2, bottom + 31, axis, size=SIZE - 1, color="muted", anchor="middle"))
    decimals = column_decimals(standing.estimate for standing in shown)
    for place, standing in enumerate(shown):
        _row(
            drawing, league, standing, scale, TOP + ROW * (place + 0.5), colors.get(standing.system, "accent"), decimals
        )
    dashed = f" Dashed: the best baseline, {best.system}." if best is not None else ""
    return Figure(
        name="glance",
        section="glance",
        title=league.measure.title,
        caption=f"Values with {confidence(league)} intervals.{dashed}",
        alt=describe(league.model_copy(update={"standings": tuple(shown)})),
        drawing=drawing,
    )


def _row(
    drawing: Drawing, league: League, standing: Standing, scale: Scale, y: float, color: str, decimals: int
) -> None:
    estimate = standing.estimate
    tip = f"{standing.system}: {render_estimate(estimate, decimals)}"
    href = rows_behind(league, standing.system)
    drawing.add(TextMark(0, y, label(standing.system), href=href))
    if estimate.interval:
        drawing.add(
            Line(scale(estimate.interval.low), y, scale(estimate.interval.high), y, color, 2.4, tip=tip, href=href)
        )
    drawing.add(Dot(scale(estimate.value or 0.0), y, color, hollow=estimate.interval is None, tip=tip, href=href))
