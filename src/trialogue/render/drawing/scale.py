"""Axis scales: map values to pixels, with ticks at round numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trialogue.findings import League
from trialogue.records import Estimate
from trialogue.render.drawing.marks import SIZE, Drawing, Line, TextMark
from trialogue.render.numbers import number


@dataclass(frozen=True)
class Scale:
    """Linear map from values in ``low`` to ``high`` to pixels from ``left`` to ``right``."""

    low: float
    high: float
    left: float
    right: float

    def __call__(self, value: float) -> float:
        """Pixel of a value; the middle if the scale has no width."""
        if self.high == self.low:
            return (self.left + self.right) / 2
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def extent(values: Iterable[float], *, within: tuple[float | None, float | None] = (None, None)) -> tuple[float, float]:
    """Range of values with a 4% margin on either side, clipped to the possible range.

    One value alone gets room around it; (0, 1) if there are none.
    """
    found = list(values)
    if not found:
        return 0.0, 1.0
    low, high = min(found), max(found)
    room = 0.04 * (high - low) or 0.1 * abs(low) or 0.5
    lowest, highest = within
    return (
        low - room if lowest is None else max(low - room, min(lowest, low)),
        high + room if highest is None else min(high + room, max(highest, high)),
    )


def ends(estimates: Iterable[Estimate]) -> list[float]:
    """All values and interval ends."""
    found: list[float] = []
    for estimate in estimates:
        if estimate.value is not None:
            found.append(estimate.value)
            found.extend([estimate.interval.low, estimate.interval.high] if estimate.interval else [])
    return found


def league_extent(league: League) -> tuple[float, float]:
    """Axis range of a league: its values and intervals, baselines included."""
    card = league.measure.card
    within = (card.low, card.high) if card else (None, None)
    return extent(ends(standing.estimate for standing in (*league.standings, *league.baselines)), within=within)


def reach_of(difference: Estimate) -> float:
    """Half width of a difference's scale: its farthest end plus a margin."""
    return 1.08 * max(map(abs, ends([difference])), default=0.0) or 1.0


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten apart) between two values, at most ``most``.

    >>> ticks(0.03, 0.52, 6)
    [0.1, 0.2, 0.3, 0.4, 0.5]
    """
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            break
    decimals = max(0, -math.floor(math.log10(step)))
    return [round(index * step, decimals) for index in range(first, last + 1)]


def tick_labels(places: Sequence[float]) -> list[str]:
    """Format ticks with a common number of decimals.

    >>> tick_labels([0.0, 0.25, 0.5])
    ['0.00', '0.25', '0.50']
    """
    decimals = max((_decimals(place) for place in places), default=0)
    labels = [number(place, decimals) for place in places]
    if len(set(labels)) < len(labels):  # powers of ten that are too coarse
        return [f"{place:,.{decimals}f}".replace("-", "−") for place in places]
    return labels


def _decimals(value: float) -> int:
    return next((digits for digits in range(12) if abs(value - round(value, digits)) < 1e-12 * max(1, abs(value))), 12)


def draw_axis(
    drawing: Drawing, scale: Scale, *, top: float, bottom: float, most: int = 6, size: float = SIZE - 1
) -> None:
    """Draw grid lines from top to bottom with their values beneath."""
    places = ticks(scale.low, scale.high, most)
    for place, label in zip(places, tick_labels(places), strict=True):
        x = scale(place)
        drawing.add(Line(x, top, x, bottom))
        drawing.add(TextMark(x, bottom + 11, label, size=size, color="muted", anchor="middle"))
