"""Stacked bars for measures with few distinct values (binary or 5-point): one row per system."""

from collections import Counter
from collections.abc import Mapping, Sequence

from trialogue.findings import League
from trialogue.render.drawing.marks import SIZE, Box, Drawing, TextMark, text_width
from trialogue.render.measures import pooled_note, units_of
from trialogue.render.numbers import column_decimals, number
from trialogue.render.plots.base import Figure, label, label_width, rows_behind
from trialogue.render.text import describe_rows, slug

TALL = 26.0
TOP = 42.0
FAINTEST, STRONGEST = 0.1, 0.45  # opacity of the worst and the best value: text stays readable on either


def shares(league: League, systems: Sequence[str], colors: Mapping[str, str]) -> Figure:
    """Stacked bars of systems with values, in the given order; the best value is at the left, for comparison."""
    values = sorted({value for system in systems for value in league.values[system]})
    if league.measure.better != "lower":
        values.reverse()
    drawing = Drawing(height=TOP + TALL * len(systems) + 8)
    left, right = label_width(systems), drawing.width - 108
    _head(drawing, values, left)
    decimals = column_decimals(standing.estimate for standing in league.standings)
    for place, system in enumerate(systems):
        y = TOP + TALL * (place + 0.5)
        found = league.values[system]
        drawing.add(TextMark(0, y, label(system), href=rows_behind(league, system)))
        hrefs = {value: rows_behind(league, system, low=value, high=value) for value in values}
        _row(drawing, found, hrefs, colors.get(system, "accent"), left=left, right=right, y=y)
        drawing.add(TextMark(right + 48, y, f"{len(found):,}", color="muted", anchor="end"))
        drawing.add(TextMark(drawing.width, y, number(sum(found) / len(found), decimals), anchor="end"))
    units = units_of(league)
    return Figure(
        name=f"spread-{slug(league.measure.name)}",
        section="spread",
        title=f"{league.measure.title}: distribution",
        caption=(
            f"Share of a system's {units} with each value of {league.measure.title.lower()}, the best value on the left."
            f"{pooled_note([league])}"
        ),
        alt=_describe(league, systems, values),
        drawing=drawing,
    )


def plain(value: float) -> str:
    """Format a value with at most three digits below 100.

    >>> plain(1.0), plain(2 / 3), plain(-0.5)
    ('1', '0.667', '−0.5')
    """
    text = f"{value:.3g}" if abs(value) < 100 else f"{value:g}"
    return text.replace("-", "−")


def _opacity(place: int, number_of: int) -> float:
    return STRONGEST if number_of == 1 else STRONGEST - (STRONGEST - FAINTEST) * place / (number_of - 1)


def _head(drawing: Drawing, values: Sequence[float], left: float) -> None:
    """Names of the columns, and which shade is which value."""
    drawing.add(TextMark(drawing.width - 60, TOP - 12, "n", size=SIZE - 1, color="muted", anchor="end"))
    drawing.add(TextMark(drawing.width, TOP - 12, "mean", size=SIZE - 1, color="muted", anchor="end"))
    x = left
    for place, value in enumerate(values):
        text = plain(value)
        drawing.add(Box(x, 9, 12, 12, "muted", opacity=_opacity(place, len(values))))
        drawing.add(TextMark(x + 17, 15, text, size=SIZE - 1, color="muted"))
        x += 17 + text_width(text) + 16


def _row(
    drawing: Drawing,
    found: Sequence[float],
    hrefs: Mapping[float, str],
    color: str,
    *,
    left: float,
    right: float,
    y: float,
) -> None:
    """The shares of a system's values, in the order of those that lead somewhere."""
    counts = Counter(found)
    x = left
    for place, (value, href) in enumerate(hrefs.items()):
        share = counts[value] / len(found)
        width = share * (right - left)
        if width > 0:
            tip = f"{plain(value)}: {counts[value]:,} of {len(found):,}"
            opacity = _opacity(place, len(hrefs))
            drawing.add(Box(x, y - 9, max(width - 1, 0.5), 18, color, opacity=opacity, tip=tip, href=href))
            if width > 34:
                drawing.add(TextMark(x + 6, y, f"{100 * share:.0f}%", size=SIZE - 1))
        x += width


def _describe(league: League, systems: Sequence[str], values: Sequence[float]) -> str:
    rows = []
    for system in systems:
        found = league.values[system]
        counts = Counter(found)
        parts = [f"{100 * counts[value] / len(found):.0f}% {plain(value)}" for value in values if counts[value]]
        rows.append(f"{system}: {', '.join(parts)} of {len(found)}")
    return f"{league.measure.title}. {describe_rows(rows)}."
