"""Ratings without a declared scale that seem to be on several: of each system, or of each source, on one of its own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from trialogue.findings.comparison.sample_changes import Changed, Sides, of_means
from trialogue.findings.comparison.strata import sources_of_rows
from trialogue.findings.standings import Measure

ENDS = ((0, 1), (0, 4), (1, 5), (1, 7), (1, 10), (0, 10), (0, 100), (1, 100))
"""Scales that people use, by their lengths. On shorter ones, three ratings out of five would be a scale."""
FEWEST = 30  # ratings of a group, from which its ends are those of its scale
LONGER = 1.4  # times: a scale that holds another one and is so much longer is another one


@dataclass(frozen=True)
class _Ends:
    low: int
    high: int
    are_reached: bool

    @property
    def length(self) -> int:
        return self.high - self.low


@of_means
def on_one_scale(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Ratings of each group less the lowest value of its scale, in its lengths, where groups seem to be on different scales.

    A group is a source, or else a system. Its scale is known if its values reach both ends of one that people use.
    """
    if measure.by != "people" or measure.scale is not None:
        return {}
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    groups = {system: sources_of_rows(sides[system], own) for system, own in rows.items()}
    if len({each for own in groups.values() for each in own}) < 2:
        groups = {system: [system] * len(own.units) for system, own in rows.items()}
    scales = _scales(
        (group, value)
        for system, own in rows.items()
        for group, value in zip(groups[system], own.sums[:, 0].tolist(), strict=True)
    )
    if not any(_differ(one, other) for one in scales.values() for other in scales.values()):
        return {}
    changed = {}
    for system, own in rows.items():
        pairs = zip(own.sums[:, 0].tolist(), (scales[group] for group in groups[system]), strict=True)
        values = [(value - ends.low) / ends.length for value, ends in pairs]
        changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), len(values)
    return changed


def _scales(values: Iterable[tuple[str, float]]) -> Mapping[str, _Ends]:
    """The shortest scale that holds a group's values; {} where one has too few, or values that lie on none."""
    by_group: defaultdict[str, list[float]] = defaultdict(list)
    for group, value in values:
        by_group[group].append(value)
    found = {}
    for group, own in by_group.items():
        lowest, highest = min(own), max(own)
        held = next(((low, high) for low, high in ENDS if low <= lowest and highest <= high), None)
        if held is None or len(own) < FEWEST:
            return {}
        found[group] = _Ends(*held, held == (lowest, highest))
    return found


def _differ(one: _Ends, other: _Ends) -> bool:
    """Whether two groups can hardly be on one scale: each fills its own, and neither holds the other or one is longer."""
    inner, outer = sorted((one, other), key=lambda ends: ends.length)
    is_held = outer.low <= inner.low and inner.high <= outer.high
    if (inner.low, inner.high) == (outer.low, outer.high) or not inner.are_reached:
        return False
    return outer.length >= LONGER * inner.length if is_held else outer.are_reached
