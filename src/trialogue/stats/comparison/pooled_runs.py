"""Pool several runs of one system (other seeds, other prompts of users), with the variance between runs.

The estimand is the mean over runs like these, each with equal weight. Runs and units (users, situations) are two random
factors. Where every run holds every unit, the variance of the mean is that of crossed factors, var(runs) / K + var(units) /
U + var(rest) / KU, estimated by mean squares (Searle, Casella and McCulloch 1992, ch. 4); where no unit is in two runs, the
runs' means alone determine it; in between, the variances by runs and by units are added, which is too much rather than too
little. Degrees of freedom are Satterthwaite's. With few runs the interval is wide: few runs say little of other ones.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.stats.arrays import Floats
from trialogue.stats.student_t import t_quantile, two_sided_p

RunValues = Sequence[tuple[Hashable, float]]
"""(unit, value) of one run; a unit may have several values."""


@dataclass(frozen=True)
class PooledRuns:
    """A mean over runs, or a difference of two such means."""

    value: float
    """The mean of the runs' means."""
    low: float | None
    """Lower end; None: the runs do not vary at all."""
    high: float | None
    """Upper end."""
    p: float | None
    """Two-sided p-value of the test that the value is zero."""
    between: float
    """Standard deviation between runs, without what the sample of units explains; 0 where they explain it all."""
    freedom: float
    """Degrees of freedom behind the interval."""
    is_crossed: bool
    """Whether every run holds every unit."""


def pool_means(runs: Sequence[RunValues], *, confidence: float = 0.95) -> PooledRuns:
    """Mean over at least two runs that all hold values.

    >>> pool_means([[("u1", 1.0), ("u2", 0.0)], [("u1", 1.0), ("u2", 1.0)]]).value
    0.75
    """
    return _pool([_center_run(run) for run in runs], confidence)


def pool_differences(runs: Sequence[tuple[RunValues, RunValues]], *, confidence: float = 0.95) -> PooledRuns:
    """Mean over at least two runs of (first side minus second side); units that both sides hold are compared within.

    >>> pool_differences([([("u", 1.0)], [("u", 0.0)]), ([("u", 0.5)], [("u", 0.5)])]).value
    0.5
    """
    sides = []
    for a, b in runs:
        (mean_a, parts_a), (mean_b, parts_b) = _center_run(a), _center_run(b)
        parts = {unit: parts_a.get(unit, 0.0) - parts_b.get(unit, 0.0) for unit in dict.fromkeys([*parts_a, *parts_b])}
        sides.append((mean_a - mean_b, parts))
    return _pool(sides, confidence)


def _center_run(run: RunValues) -> tuple[float, dict[Hashable, float]]:
    """The mean, and what each unit contributes to it beyond an average one; contributions sum to zero."""
    mean = sum(value for _, value in run) / len(run)
    parts: defaultdict[Hashable, float] = defaultdict(float)
    for unit, value in run:
        parts[unit] += (value - mean) / len(run)
    return mean, dict(parts)


def _pool(runs: Sequence[tuple[float, Mapping[Hashable, float]]], confidence: float) -> PooledRuns:
    count = len(runs)
    means = np.array([mean for mean, _ in runs])
    units = sorted({unit for _, parts in runs for unit in parts}, key=str)
    place = {unit: index for index, unit in enumerate(units)}
    parts = np.zeros((count, len(units)))
    held = np.zeros((count, len(units)), dtype=bool)
    for row, (_, own) in enumerate(runs):
        for unit, part in own.items():
            parts[row, place[unit]], held[row, place[unit]] = part, True
    value = float(means.mean())
    by_runs = float(means.var(ddof=1)) / count
    crossed, nested = bool(held.all()), bool((held.sum(axis=0) == 1).all())
    by_units, by_cells = _unit_variances(parts, crossed=crossed, nested=nested)
    variance = max(by_runs + by_units - by_cells, by_runs, by_units)
    within = _within_variance(parts, held)
    between = float(np.sqrt(max(0.0, by_runs - (by_cells if crossed else within)) * count))
    freedom = _satterthwaite(variance, [(by_runs, count - 1), (by_units, len(units) - 1)], by_cells, count, len(units))
    if variance <= 0:
        return PooledRuns(value, None, None, None, between, freedom, crossed)
    error = float(np.sqrt(variance))
    half = t_quantile((1 + confidence) / 2, freedom) * error
    p = two_sided_p(value / error, freedom)
    return PooledRuns(value, value - half, value + half, p, between, freedom, crossed)


def _unit_variances(parts: Floats, *, crossed: bool, nested: bool) -> tuple[float, float]:
    """Variance of the mean by its sample of units, and by what is left (0 where it cannot be separated).

    Where each unit is in one run, the runs' means contain it already.
    """
    count, units = parts.shape
    if nested or units < 2:
        return 0.0, 0.0
    over_runs = parts.mean(axis=0)
    by_units = float((over_runs**2).sum()) * units / (units - 1)
    if not crossed:
        return by_units, 0.0
    rest = parts - over_runs  # parts are centered within runs, so that both margins are gone
    by_cells = float((rest**2).sum()) * units / ((units - 1) * (count - 1)) / count
    return by_units, by_cells


def _within_variance(parts: Floats, held: np.ndarray) -> float:
    """Mean variance of a run's mean by its own units, over the number of runs."""
    count = len(parts)
    sizes = held.sum(axis=1)
    factors = np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 0.0)
    return float(((parts**2).sum(axis=1) * factors).mean() / count)


def _satterthwaite(
    variance: float, components: Sequence[tuple[float, int]], cells: float, runs: int, units: int
) -> float:
    """Degrees of freedom of a sum of mean squares; at least those of the runs where these are all there is."""
    spread = sum(part**2 / freedom for part, freedom in components if freedom > 0)
    if cells:
        spread += cells**2 / ((runs - 1) * (units - 1))
    return max(variance**2 / spread, 1.0) if spread > 0 else float(runs - 1)
