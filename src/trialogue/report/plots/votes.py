"""Figure of Bradley-Terry strengths with intervals and rank ranges, with Elo for comparison."""

from collections.abc import Mapping

from trialogue.findings import Strength, Votes
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, TextMark
from trialogue.report.drawing.scale import Scale, draw_axis, ends, extent
from trialogue.report.explorer.links import link
from trialogue.report.numbers import MISSING, column_decimals, number, ranks, render_estimate
from trialogue.report.plots.base import ROW, Figure, label, label_width, legend, row_lines
from trialogue.report.text import describe_rows

TOP = 30.0


def votes(found: Votes, colors: Mapping[str, str]) -> Figure | None:
    """Strengths of systems, strongest first; None without any."""
    if not found.strengths:
        return None
    bottom = TOP + ROW * len(found.strengths)
    drawing = Drawing(height=bottom + 58)
    left, right = label_width([each.system for each in found.strengths]), drawing.width - 234
    span = extent([*ends(each.strength for each in found.strengths), *(each.elo for each in found.strengths)])
    scale = Scale(*span, left + 6, right - 6)
    row_lines(drawing, len(found.strengths), top=TOP, row=ROW, left=0, right=drawing.width)
    draw_axis(drawing, scale, top=TOP, bottom=bottom)
    _headings(drawing)
    for place, strength in enumerate(found.strengths):
        y = TOP + ROW * (place + 0.5)
        drawing.add(TextMark(0, y, label(strength.system), href=link(systems=[strength.system])))
        _row(drawing, strength, scale, y, colors.get(strength.system, "accent"))
        _numbers(drawing, strength, y)
    entries = [
        (Dot(0, 0, "ink"), "Bradley–Terry strength with interval"),
        (Dot(0, 0, "muted", radius=3.4, shape="diamond", hollow=True), "Elo, votes in file order"),
    ]
    legend(drawing, entries, x=left, y=bottom + 38)
    return Figure(
        name="votes",
        section="votes",
        title="Strength in votes",
        caption=(
            "Bradley–Terry strength does not depend on the order of the votes; Elo does, and is shown for "
            "comparison with published tables. Rank ranges are for each system individually: those in 95% "
            "of resamples for Bradley–Terry, those over shuffled orders for Elo. They are not corrected, so "
            "they may be narrower than the ranges of other measures, which hold for all systems "
            "simultaneously."
        ),
        alt=_describe(found),
        drawing=drawing,
    )


def _headings(drawing: Drawing) -> None:
    right = drawing.width
    for x, text in ((right - 176, "strength"), (right - 134, "rank"), (right - 88, "Elo"), (right - 52, "rank")):
        drawing.add(TextMark(x, 16, text, size=SIZE - 1, color="muted", anchor="end"))
    drawing.add(TextMark(right, 16, "wins", size=SIZE - 1, color="muted", anchor="end"))


def _row(drawing: Drawing, strength: Strength, scale: Scale, y: float, color: str) -> None:
    estimate, href = strength.strength, link(systems=[strength.system])
    if estimate.value is not None:
        tip = f"{strength.system}: {render_estimate(estimate, 0)}"
        if estimate.interval:
            low, high = scale(estimate.interval.low), scale(estimate.interval.high)
            drawing.add(Line(low, y, high, y, color, 2.4, tip=tip, href=href))
        drawing.add(Dot(scale(estimate.value), y, color, hollow=estimate.interval is None, tip=tip, href=href))
    tip = f"{strength.system}: Elo {number(strength.elo, 0)}"
    drawing.add(Dot(scale(strength.elo), y, "muted", radius=3.4, shape="diamond", hollow=True, tip=tip))


def _numbers(drawing: Drawing, strength: Strength, y: float) -> None:
    right = drawing.width
    value, rate = strength.strength.value, strength.win_rate.value
    cells = (
        (right - 176, MISSING if value is None else number(value, 0), "ink", True),
        (right - 134, ranks(strength.rank_low, strength.rank_high) or MISSING, "ink", False),
        (right - 88, number(strength.elo, 0), "muted", False),
        (right - 52, ranks(strength.elo_rank_low, strength.elo_rank_high), "muted", False),
        (right, MISSING if rate is None else f"{100 * rate:.0f}%", "ink", False),
    )
    for x, text, color, bold in cells:
        drawing.add(TextMark(x, y, text, color=color, anchor="end", bold=bold))


def _describe(found: Votes) -> str:
    decimals = min(1, column_decimals(each.strength for each in found.strengths))
    rows = [
        f"{each.system} {render_estimate(each.strength, decimals)}, "
        f"rank {ranks(each.rank_low, each.rank_high) or 'unknown'}, Elo {number(each.elo, 0)}"
        for each in found.strengths
    ]
    return f"Bradley–Terry strengths: {describe_rows(rows)}."
