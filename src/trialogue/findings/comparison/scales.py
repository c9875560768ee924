"""Ratings without a declared scale that seem to be on several: of each system, or of each source, on one of its own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from trialogue.findings.comparison.sample_changes import Changed, Sides, of_means
from trialogue.findings.comparison.strata import sources_of_rows
from trialogue.findings.standings import Measure

ENDS = frozenset(
    ((0, 1), (0, 2), (1, 3), (0, 3), (1, 4), (0, 4), (1, 5), (0, 5), (1, 6), (1, 7), (0, 6), (1, 9), (0, 10), (1, 10),
     (1, 11), (0, 20), (0, 100), (1, 100), (-1, 1), (-2, 2), (-3, 3))
)  # fmt: skip
"""Scales that people use."""
FEWEST = 10  # ratings of a group, from which its ends are those of its scale
MUCH_LONGER = 1.9  # times: a scale that holds another one and is so much longer is another one


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
        ends = [scales.get(group, (0, 1)) for group in groups[system]]
        values = [
            (value - low) / (high - low) for value, (low, high) in zip(own.sums[:, 0].tolist(), ends, strict=True)
        ]
        changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), len(values)
    return changed


def _scales(values: Iterable[tuple[str, float]]) -> Mapping[str, tuple[int, int]]:
    """The scale of each group whose values reach both of its ends."""
    by_group: defaultdict[str, list[float]] = defaultdict(list)
    for group, value in values:
        by_group[group].append(value)
    ends = {group: (min(own), max(own)) for group, own in by_group.items() if len(own) >= FEWEST}
    return {group: (int(low), int(high)) for group, (low, high) in ends.items() if (low, high) in ENDS}


def _differ(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two groups can hardly be on one scale: neither holds the other, or one is much longer."""
    if one == other:
        return False
    inner, outer = sorted((one, other), key=lambda ends: ends[1] - ends[0])
    is_held = outer[0] <= inner[0] and inner[1] <= outer[1]
    return not is_held or outer[1] - outer[0] >= MUCH_LONGER * (inner[1] - inner[0])
