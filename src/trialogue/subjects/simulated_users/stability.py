"""Stability of simulated users over seeds, prompts and models, compared with the sampling error of dialogues.

Shares of variance come from the usual mean squares of two crossed random factors (Searle, Casella and McCulloch 1992,
balanced cells; unequal ones enter by the harmonic mean of their sizes), what is negative counts as zero; intervals come
from leaving out one level at a time. Below five levels a variance between levels has too few degrees of freedom, so the
range stands alone.
"""

from collections.abc import Mapping

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.student_t import t_quantile
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.simulated_users.ranking import Outcomes
from trialogue.subjects.simulated_users.records import Factor, Sample, Stability, SystemSpread, VarianceShares

MIN_LEVELS = 5
DRAWN = 4_000  # normal samples for the range that chance alone makes; its error is below 1% of the range


def stability_of(
    factor: Factor, measure: str, levels: Mapping[str, Outcomes], resampling: Resampling
) -> Stability | None:
    """One outcome at all levels of a factor, of the systems that every level met; None with one level or no such system.

    Args:
        factor: what was varied.
        measure: full name of the outcome.
        levels: the outcomes by level.
        resampling: seed and confidence.
    """
    systems = sorted(set.intersection(*(set(each.systems) for each in levels.values()))) if levels else []
    if len(levels) < 2 or not systems:
        return None
    cells = [[given.of_systems([system]).values for system in systems] for given in levels.values()]
    means = np.array([[cell.mean() for cell in row] for row in cells])
    few = len(levels) < MIN_LEVELS
    return Stability(
        factor=factor,
        measure=measure,
        levels=tuple(levels),
        spreads=tuple(
            _spread(system, list(levels), [row[place] for row in cells], resampling)
            for place, system in enumerate(systems)
        ),
        orders=len({tuple(np.argsort(-row, kind="stable").tolist()) for row in means}),
        shares=None if few else _variance_shares(cells, resampling.confidence),
        why=Reason.of(ReasonCode.TOO_FEW_LEVELS, levels=len(levels), least=MIN_LEVELS) if few else None,
        sample=Sample(
            simulated=sum(len(cell) for row in cells for cell in row),
            cases=sum(len(set(given.clusters)) for given in levels.values()),
        ),
    )


def _spread(system: str, levels: list[str], cells: list[Floats], resampling: Resampling) -> SystemSpread:
    """The range of a system's means, and the expected range of normal means with these standard errors."""
    means = [float(cell.mean()) for cell in cells]
    errors = np.array([cell.std(ddof=1) / len(cell) ** 0.5 if len(cell) > 1 else 0.0 for cell in cells])
    rng = resampling.rng("passport", "range by chance")
    by_chance = float(np.ptp(rng.standard_normal((DRAWN, len(cells))) * errors, axis=1).mean())
    return SystemSpread(
        system=system,
        values=dict(zip(levels, means, strict=True)),
        spread=max(means) - min(means),
        by_chance=by_chance,
    )


def _variance_shares(cells: list[list[Floats]], confidence: float) -> VarianceShares:
    whole = _components(cells)
    without = np.array(
        [_components([row for place, row in enumerate(cells) if place != left]) for left in range(len(cells))]
    )
    count = len(cells)
    errors = np.sqrt((count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    dialogues = sum(len(cell) for row in cells for cell in row)
    names = ("systems", "levels", "both", "rest")
    return VarianceShares(
        **{
            name: _share(float(value), float(error), count, dialogues, confidence)
            for name, value, error in zip(names, whole, errors, strict=True)
        }
    )


def _share(value: float, error: float, levels: int, dialogues: int, confidence: float) -> Estimate:
    half = t_quantile((1 + confidence) / 2, levels - 1) * error
    interval = Interval(
        low=max(0.0, value - half),
        high=min(1.0, value + half),
        confidence=confidence,
        method="jackknife over levels, t",
        facts={"freedom": float(levels - 1)},
    )
    return Estimate(value=value, interval=interval, n=dialogues, clusters=levels)


def _components(cells: list[list[Floats]]) -> Floats:
    """Shares of (systems, levels, systems x levels, dialogues) of the variance of a dialogue; 0 to 1, summing to 1.

    >>> level = [np.array([0.0, 0.0]), np.array([1.0, 1.0])]      # two systems, always 0 and always 1
    >>> _components([level, level, level]).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    means = np.array([[cell.mean() for cell in row] for row in cells])
    sizes = np.array([[len(cell) for cell in row] for row in cells])
    levels, systems = means.shape
    freedom = float((sizes - 1).sum())
    rest = sum(float(((cell - cell.mean()) ** 2).sum()) for row in cells for cell in row) / freedom if freedom else 0.0
    of_mean = rest / (sizes.size / (1 / sizes).sum())  # variance of a cell's mean by its dialogues, harmonic mean size
    grand = means.mean()
    by_level, by_system = means.mean(axis=1) - grand, means.mean(axis=0) - grand
    inner = means - grand - by_level[:, None] - by_system[None, :]
    crossed = (inner**2).sum() / ((levels - 1) * (systems - 1)) if systems > 1 else of_mean
    both = max(0.0, crossed - of_mean)
    of_levels = max(0.0, float(np.var(means.mean(axis=1), ddof=1)) - crossed / systems)
    of_systems = max(0.0, float(np.var(means.mean(axis=0), ddof=1)) - crossed / levels) if systems > 1 else 0.0
    parts = np.array([of_systems, of_levels, both, rest])
    total = float(parts.sum())
    found: Floats = parts / total if total > 0 else np.array([0.0, 0.0, 0.0, 1.0])
    return found
