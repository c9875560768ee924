"""Power of the tests of differences, beside the best valid test known of each design."""

from dataclasses import dataclass

import numpy as np

from benchmarks.coverage_cells import ARRANGEMENTS, LEVEL, generator, mean_of
from trialogue.stats.comparison.two_sides import ComparisonSettings, compare_samples
from trialogue.stats.resampling.clusters import ClusterSums


@dataclass(frozen=True)
class Power:
    """One design: ours, and the best valid test known for it."""

    design: str
    ours: float
    other: float
    best: str
    simulated: int | None
    """Data sets; None: enumerated."""


def power_of_shares(n: int, m: int, p: float, q: float) -> Power:
    """Against Boschloo's exact unconditional test, by enumeration of all tables."""
    from scipy.stats import binom, boschloo_exact

    ours = other = 0.0
    for x in range(n + 1):
        for y in range(m + 1):
            chance = float(binom.pmf(x, n, p) * binom.pmf(y, m, q))
            if chance < 1e-6:
                continue
            sides = [
                ClusterSums(
                    tuple(range(start, start + size)),
                    np.column_stack([np.arange(size) < hits, np.ones(size)]).astype(np.float64),
                    size,
                )
                for hits, size, start in ((x, n, 0), (y, m, n))
            ]
            found = compare_samples(sides[0], sides[1], mean_of, ComparisonSettings(is_share=True))
            ours += chance * ((found.p or 0.0) < LEVEL)
            other += chance * (boschloo_exact([[x, y], [n - x, m - y]], n=16).pvalue < LEVEL)
    return Power(f"shares {p:g} of {n}, {q:g} of {m}", ours, other, "Boschloo's exact test", None)


def power_of_means(n: int, m: int, shift: float, *, paired: bool, data_sets: int = 1_500) -> Power:
    """Against Student's t test, which is the most powerful one of normal values of equal variance."""
    from scipy.stats import ttest_ind, ttest_rel

    rng = generator("power", n, m, paired)
    ours = other = 0
    for _ in range(data_sets):
        a, b = rng.normal(size=n) + shift, rng.normal(size=m)
        sides = [
            ClusterSums(tuple(range(start, start + len(each))), np.column_stack([each, np.ones(len(each))]), len(each))
            for each, start in ((a, 0), (b, 0 if paired else n))
        ]
        ours += (
            compare_samples(sides[0], sides[1], mean_of, ComparisonSettings(permutations=ARRANGEMENTS)).p or 0
        ) < LEVEL
        other += float(ttest_rel(a, b).pvalue if paired else ttest_ind(a, b).pvalue) < LEVEL
    kind = f"{n} pairs" if paired else f"{n} and {m}"
    best = "paired t test" if paired else "Student's t test"
    return Power(f"normal values, {kind}, shift {shift:g} SD", ours / data_sets, other / data_sets, best, data_sets)


def powers() -> list[Power]:
    return [
        power_of_shares(20, 60, 0.1, 0.4),
        power_of_shares(20, 60, 0.4, 0.1),
        power_of_shares(30, 30, 0.3, 0.6),
        power_of_means(10, 10, 1.3, paired=False),
        power_of_means(10, 40, 1.0, paired=False),
        power_of_means(20, 20, 0.9, paired=False),
        power_of_means(10, 10, 1.4, paired=True),
        power_of_means(20, 20, 0.9, paired=True),
    ]
