"""Figure of a history: versions from top to bottom, each with its interval, against the baseline."""

from collections.abc import Callable

from trialogue.render.measures import DIRECTIONS
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.render.text import slug
from trialogue.subjects.board.records import History, HistoryPoint


def history_figure(history: History, verdict: Callable[[HistoryPoint], str], *, narrow: bool = False) -> Figure | None:
    """Values of the versions with intervals; None if none has a value.

    Marks differ by shape, not only by color: a diamond is the baseline, filled circles are compared with it, hollow ones are
    not comparable with it or have no interval.

    Args:
        history: what it shows.
        verdict: what the table says of a version against the baseline; long reasons are left to the table.
        narrow: whether it stands beside a table, without numbers and verdicts.
    """
    points, measure = history.points, history.measure
    if all(point.estimate.value is None for point in points):
        return None
    return estimates_figure(
        [
            Row(
                point.version,
                point.estimate,
                shape="diamond" if point.is_baseline else "circle",
                hollow=not _is_compared(point) or point.estimate.interval is None,
                joins=_is_compared(point),
                strong=point.is_baseline,
                color="s0",
                notes=[SHORT.get(text, text)] if (text := verdict(point)) and _is_compared(point) else ["not compared"],
            )
            for point in points
        ],
        Axis(
            f"{measure.title}: {measure.unit}, {DIRECTIONS[measure.better]}",
            next((point.estimate.value for point in points if point.is_baseline), None),
            within=(measure.bounds.low, measure.bounds.high) if measure.bounds is not None else (None, None),
        ),
        name="glance" if narrow else f"history-{slug(history.system)}-{slug(measure.name)}"[:100],
        section="history",
        title=f"{measure.title} of {history.system} by version",
        caption=_caption(history),
        note_heads=["against the baseline"],
        narrow=narrow,
    )


SHORT = {
    "not significantly different": "no difference",
    "better, conditional": "better (cond.)",
    "worse, conditional": "worse (cond.)",
}
"""Verdicts where there is little room; the caption writes them out."""


def _is_compared(point: HistoryPoint) -> bool:
    return point.is_baseline or point.contrast is not None


def _caption(history: History) -> str:
    base = next((point.version for point in history.points if point.is_baseline), None)
    runs = [point.runs for point in history.points]
    parts = [f"{history.measure.title} of {history.system}, versions in the order given, with 95% intervals."]
    if base is not None:
        parts.append(f"Diamond and dashed line: the baseline {base}.")
    if not all(map(_is_compared, history.points)):
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
