"""Ratings without a declared scale that seem to be on several: of each system, or of each source, on one of its own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trialogue.findings.comparison.sample_changes import Changed, Sides, of_means, rows_at
from trialogue.findings.comparison.strata import sources_of_rows
from trialogue.findings.comparison.system_sample import Rows, SystemSample
from trialogue.findings.sample.records import CHANCE
from trialogue.findings.standings import Measure
from trialogue.stats.fisher import fisher_p

ENDS = ((0, 1), (0, 4), (1, 5), (1, 7), (1, 10), (0, 10), (0, 100), (1, 100))
"""Scales that people use, by their lengths. On shorter ones, three ratings out of five would be a scale."""
FEWEST = 30  # ratings of a group, from which its ends are those of its scale
SHORT_SHARE = 0.3  # of all values, from which those of a short scale may be on one of their own
POINTS = 0.8  # of a short scale's points that occur, from which it is one
LONG = 20  # different values, from which a scale is a long one
STRAYS = 0.35  # of all values, up to which those beyond a scale are strays
MOST_STRAYS = 6  # different ones
FEWEST_PAIRS = 15  # ratings of dialogues that are also rated otherwise
REVERSED = 0.3  # correlation from which a rater or source agrees with others, or runs against them
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
    if measure.by != "people":
        return {}
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    apart = _by_group(sides, rows) if measure.scale is None else {}
    return apart or _of_mixture(rows, measure) or _upright(sides, rows, measure)


def _by_group(sides: Sides, rows: Mapping[str, Rows]) -> dict[str, Changed]:
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


def _of_mixture(rows: Mapping[str, Rows], measure: Measure) -> dict[str, Changed]:
    """Ratings of a short scale among those of one twice as long as shares of either; or without strays beyond it.

    The short one holds a third of all values, on nearly all its points, and next to none lie as far beyond it again.
    """
    every = np.concatenate([own.sums[:, 0] for own in rows.values()])
    for low, high in ENDS[1:]:
        is_inside = (every >= low) & (every <= high)
        far, points = every[~is_inside], set(every[is_inside].tolist()) & set(range(low, high + 1))
        least = LONG if high >= LONG else (high - low + 1) * POINTS
        if not len(far) or is_inside.mean() < SHORT_SHARE or len(points) < least:
            continue
        are_many, near = len(set(far.tolist())) > MOST_STRAYS, ((every > high) & (every <= 2 * high)).sum()
        if are_many and far.min() >= 0 and far.max() > 2 * high and near <= 0.2 * len(far):
            return {
                system: (_as_shares(own, low, high, float(far.max())), len(own.units)) for system, own in rows.items()
            }
        beyond = (every < low) | (every > high + 1)
        if (beyond == ~is_inside).all() and len(far) <= STRAYS * len(every) and not are_many:
            return _without_strays(rows, measure, low, high)
    return {}


def _without_strays(rows: Mapping[str, Rows], measure: Measure, low: int, high: int) -> dict[str, Changed]:
    """Ratings on a scale alone; but where the better system has more strays, these may stand for poor ratings."""
    is_up = measure.better == "higher"
    strays = {s: (own.sums[:, 0] < low) | (own.sums[:, 0] > high) for s, own in rows.items()}
    ahead, behind = sorted(rows, key=lambda s: float(rows[s].sums[:, 0].mean()), reverse=is_up)
    within = np.concatenate([own.sums[~strays[s], 0] for s, own in rows.items()])
    worst = float(within.min() if is_up else within.max())
    counts = [number for s in (ahead, behind) for number in (int(strays[s].sum()), len(strays[s]))]
    has_more = counts[0] * counts[3] > counts[2] * counts[1] and fisher_p(*counts) < CHANCE
    changed = {}
    for system, own in rows.items():
        if system == ahead and has_more:
            values = np.where(strays[system], worst, own.sums[:, 0])
            changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), counts[0]
        else:
            kept = np.flatnonzero(~strays[system]).tolist()
            changed[system] = rows_at(own, kept, own.sums[kept]), len(own.units) - len(kept)
    return changed


def _as_shares(rows: Rows, low: int, high: int, longest: float) -> Rows:
    values = rows.sums[:, 0]
    shares = np.where((values >= low) & (values <= high), (values - low) / (high - low), values / longest)
    return replace(rows, sums=np.column_stack([shares, np.ones(len(shares))]))


def _upright(sides: Sides, rows: Mapping[str, Rows], measure: Measure) -> dict[str, Changed]:
    """Ratings with those of raters or sources turned round that run against the other ratings of the same dialogues."""
    beside = {system: _ratings_beside(side, measure) for system, side in sides.items()}
    by = {
        s: [each or "" for each in own.raters] if any(own.raters) else sources_of_rows(sides[s], own)
        for s, own in rows.items()
    }
    pairs: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for system, own in rows.items():
        for group, unit, value in zip(by[system], own.dialogues, own.sums[:, 0].tolist(), strict=True):
            total, number = beside[system].get(unit, {}).get("", (0.0, 0))
            if any(own.raters):
                total, number = beside[system].get(unit, {}).get(measure.name, (value, 1))
                total, number = total - value, number - 1
            if number:
                pairs[group].append((value, total / number))
    agree = {group: _correlation(each) for group, each in pairs.items() if len(each) >= FEWEST_PAIRS}
    against = {group for group, each in agree.items() if each < -REVERSED}
    if not against or not any(each > REVERSED for each in agree.values()):
        return {}
    every = np.concatenate([own.sums[:, 0] for own in rows.values()])
    ends = float(every.min() + every.max())
    changed = {}
    for system, own in rows.items():
        is_against = np.array([each in against for each in by[system]])
        values = np.where(is_against, ends - own.sums[:, 0], own.sums[:, 0])
        changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), int(is_against.sum())
    return changed


def _ratings_beside(side: SystemSample, measure: Measure) -> dict[str, dict[str, tuple[float, int]]]:
    """By dialogue: sum and number of its ratings of this measure, and under "" those of other questions to people."""
    found: defaultdict[str, dict[str, tuple[float, int]]] = defaultdict(dict)
    for name, own in side.rows.items():
        if side.measures[name].by != "people" or not own.values:
            continue
        scaled = (
            own.sums[:, 0]
            if name == measure.name
            else (own.sums[:, 0] - own.sums[:, 0].mean()) / (own.sums[:, 0].std() or 1)
        )
        key = name if name == measure.name else ""
        for unit, value in zip(own.dialogues, scaled.tolist(), strict=True):
            total, number = found[unit].get(key, (0.0, 0))
            found[unit][key] = total + value, number + 1
    return found


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    one, other = np.array(pairs).T
    return float(np.corrcoef(one, other)[0, 1]) if one.std() and other.std() else 0.0


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
