"""Histograms of unit values (dialogues or replies), one row per system."""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from trialogue.findings import League
from trialogue.render.drawing.marks import SIZE, Box, Dot, Drawing, Line, TextMark
from trialogue.render.drawing.scale import Scale, draw_axis
from trialogue.render.measures import pooled_note, units_of
from trialogue.render.numbers import column_decimals, number
from trialogue.render.plots.base import Figure, label, label_width, rows_behind
from trialogue.render.plots.panels import name_figures, panels, parts_of, with_parts
from trialogue.render.plots.shares import shares
from trialogue.render.text import describe_rows, slug

TALL = 32.0  # height of a row
SMALL = 22.0
FEWEST = 7  # different values up to which their shares are stacked
FEW = 12  # different values up to which each gets its own bar
BINS = 28


@dataclass(frozen=True)
class Bins:
    """Histogram bins: centers and half width."""

    centers: tuple[float, ...]
    half: float

    @property
    def low(self) -> float:
        """Left end of the first bin."""
        return self.centers[0] - self.half

    @property
    def high(self) -> float:
        """Right end of the last bin."""
        return self.centers[-1] + self.half

    def shares(self, values: Sequence[float]) -> list[float]:
        """Share of the values in each bin."""
        borders = [(a + b) / 2 for a, b in pairwise(self.centers)]
        counts = [0] * len(self.centers)
        for value in values:
            counts[bisect(borders, value)] += 1
        return [count / len(values) for count in counts]


def bins_of(values: Sequence[float]) -> Bins:
    """One bin per distinct value if there are few, else bins of equal width over the range."""
    different = sorted(set(values))
    if len(different) == 1:
        return Bins((different[0],), 0.5)
    low, high = different[0], different[-1]
    if len(different) <= FEW:
        gap = min(b - a for a, b in pairwise(different))
        if gap >= (high - low) / 24:
            return Bins(tuple(different), 0.45 * gap)
    step = (high - low) / BINS
    return Bins(tuple(low + step * (place + 0.5) for place in range(BINS)), step / 2)


def histogram(league: League, systems: Sequence[str], colors: Mapping[str, str]) -> Figure | None:
    """Histogram of one measure; None without unit values."""
    shown = [system for system in systems if league.values.get(system)]
    if not shown:
        return None
    if len({value for system in shown for value in league.values[system]}) <= FEWEST:
        return shares(league, shown, colors)
    bottom = 24 + TALL * len(shown)
    drawing = Drawing(height=bottom + 42)
    left, right = label_width(shown), drawing.width - 118
    drawing.add(TextMark(right + 58, 12, "n", size=SIZE - 1, color="muted", anchor="end"))
    drawing.add(TextMark(drawing.width, 12, "mean", size=SIZE - 1, color="muted", anchor="end"))
    decimals = column_decimals(standing.estimate for standing in league.standings)
    for place, system in enumerate(shown):
        y = 24 + TALL * (place + 0.5)
        values = league.values[system]
        drawing.add(TextMark(0, y + 6, label(system), href=rows_behind(league, system)))
        drawing.add(TextMark(right + 58, y + 6, f"{len(values):,}", color="muted", anchor="end"))
        drawing.add(TextMark(drawing.width, y + 6, number(sum(values) / len(values), decimals), anchor="end"))
    _rows(drawing, league, shown, colors, left=left, right=right, top=24, row=TALL)
    axis_title = f"{league.measure.title} of one {'reply' if units_of(league) == 'replies' else 'dialogue'}"
    drawing.add(TextMark((left + right) / 2, bottom + 30, axis_title, color="muted", anchor="middle"))
    return Figure(
        name=f"spread-{slug(league.measure.name)}",
        section="spread",
        title=f"{league.measure.title}: distribution",
        caption=(
            f"Distribution of {league.measure.title.lower()} over individual {units_of(league)}. Height of a bar: share of "
            f"a system's {units_of(league)}; dot: their mean.{pooled_note([league])}"
        ),
        alt=_describe(league, shown),
        drawing=drawing,
    )


def histogram_panels(leagues: Sequence[League], systems: Sequence[str], colors: Mapping[str, str]) -> list[Figure]:
    """Histograms of several measures side by side over the same systems."""
    known = [league for league in leagues if any(league.values.get(system) for system in systems)]
    parts = enumerate(parts_of(known, systems), start=1)
    return with_parts([_panels(part, rows, colors, page) for page, (part, rows) in parts])


def _panels(leagues: Sequence[League], systems: Sequence[str], colors: Mapping[str, str], page: int) -> Figure:
    def draw(drawing: Drawing, league: League, x: float, top: float, width: float) -> None:
        _rows(drawing, league, systems, colors, left=x, right=x + width - 8, top=top, row=SMALL)

    return Figure(
        **name_figures("spread-metrics", "Metrics: distributions", page, leagues),
        section="metrics",
        caption=(
            "Distribution of each metric over individual dialogues. Height: share of a system's dialogues; dot: "
            f"their mean.{pooled_note(leagues)}"
        ),
        alt=" ".join(_describe(league, systems) for league in leagues),
        drawing=panels(leagues, systems, draw, row=SMALL, names_lower=4),
    )


def _rows(
    drawing: Drawing,
    league: League,
    systems: Sequence[str],
    colors: Mapping[str, str],
    *,
    left: float,
    right: float,
    top: float,
    row: float,
) -> None:
    """Bars of every system on one axis; all rows share one scale of heights."""
    known = {system: league.values[system] for system in systems if league.values.get(system)}
    bins = bins_of([value for values in known.values() for value in values])
    scale = Scale(bins.low, bins.high, left + 8, right - 6)
    small = row < TALL
    bottom = top + row * len(systems)
    draw_axis(drawing, scale, top=top, bottom=bottom, most=4 if small else 8, size=SIZE - (2 if small else 1))
    shares = {system: bins.shares(values) for system, values in known.items()}
    tallest = max(max(each) for each in shares.values())
    for place, system in enumerate(systems):
        base = top + row * (place + 1) - 3
        drawing.add(Line(left + 2, base, right, base, width=0.75))
        if system in known:
            color = colors.get(system, "accent")
            for box, low, high in _bars(bins, shares[system], scale, color, base=base, height=(row - 7) / tallest):
                drawing.add(replace(box, href=rows_behind(league, system, low=low, high=high)))
            mean = sum(known[system]) / len(known[system])
            drawing.add(Dot(scale(mean), base, color, radius=3 if small else 4, tip=f"{system}: mean {mean:.4g}"))


def _bars(
    bins: Bins, shares: Sequence[float], scale: Scale, color: str, *, base: float, height: float
) -> Iterator[tuple[Box, float, float]]:
    """Each bar that is not empty, with the lowest and the highest value in it."""
    for center, share in zip(bins.centers, shares, strict=True):
        if share > 0:
            x, end = scale(center - bins.half), scale(center + bins.half)
            width = min(end - x, 26.0)
            tip = f"{center:.4g}: {100 * share:.0f}%"
            left, wide = (x + end - width) / 2, max(width - 0.6, 0.8)
            box = Box(left, base - height * share, wide, height * share, color, opacity=0.62, tip=tip)
            yield box, center - bins.half, center + bins.half


def _describe(league: League, systems: Sequence[str]) -> str:
    decimals = column_decimals(standing.estimate for standing in league.standings)
    rows = []
    for system in systems:
        values = sorted(league.values.get(system, ()))
        if values:
            low, middle, high = (
                number(values[int(share * (len(values) - 1))], decimals) for share in (0.25, 0.5, 0.75)
            )
            rows.append(f"{system}: median {middle}, quartiles {low} and {high}, {len(values)} values")
    return f"{league.measure.title}. {describe_rows(rows)}."
