"""Cells of the atlas: how often intervals of simulated data hold the truth, and tests find what is not there."""

from dataclasses import dataclass

import numpy as np

from benchmarks.coverage_outcomes import OUTCOMES, Outcome, Sizes, cluster_sizes, drawn, tastes
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.inference import interval_of
from trialogue.stats.comparison.two_sides import ComparisonSettings, compare_samples

DATA_SETS, PAIRS_OF_DATA_SETS = 1_000, 250
ARRANGEMENTS = 499
LEVEL = 0.05


@dataclass(frozen=True)
class TwoSystems:
    """A design that compares two equal systems."""

    outcome: str
    """A key of ``OUTCOMES``."""
    sizes: Sizes
    """Of the clusters."""
    clusters: int
    """Of the first system."""
    balance: int = 1
    """How many times as many the second one has."""
    is_paired: bool = False
    """Whether both have the same clusters."""


@dataclass(frozen=True)
class Cell:
    """One kind of data, simulated many times."""

    name: str
    """Outcome, sizes and design."""
    clusters: int
    """Of the (smaller) group."""
    covered: float
    """Share of the intervals that hold the truth."""
    width: float
    """Median width, relative to the interval of a normal estimate whose error is known."""
    missing: float = 0.0
    """Share of data sets that get no interval (no variation, too few clusters)."""
    warned: float = 0.0
    """Share whose interval is marked as unsafe (skewed clusters)."""
    called: float = 0.0
    """Share of tests of no difference with p below .05."""
    simulated: int = DATA_SETS
    """Data sets."""
    design: TwoSystems | None = None
    """Of a comparison: what was simulated, to simulate it again."""

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the coverage."""
        return float((self.covered * (1 - self.covered) / max(self.simulated * (1 - self.missing), 1)) ** 0.5)


def mean_of(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def generator(*names: object) -> np.random.Generator:
    from trialogue.seeds import rng_for

    return rng_for(20_261_122, *map(str, names))


def one_system(outcome: Outcome, sizes: Sizes, clusters: int, data_sets: int = DATA_SETS) -> Cell:
    """Intervals of one system's mean or share."""
    rng = generator("one", outcome.name, sizes, clusters)
    held, widths, values, warned, missing = 0, [], [], 0, 0
    for _ in range(data_sets):
        data = drawn(outcome, cluster_sizes(sizes, clusters, rng), tastes(clusters, rng), rng)
        found = interval_of(data, mean_of, is_share=outcome.is_share)
        values.append(found.value)
        warned += found.is_unsafe
        if found.low is None or found.high is None:
            missing += 1
            continue
        held += found.low <= outcome.truth <= found.high
        widths.append(found.high - found.low)
    return Cell(
        name=f"{outcome.name}, {sizes}",
        clusters=clusters,
        covered=held / max(data_sets - missing, 1),
        width=float(np.median(widths)) / (2 * 1.96 * float(np.std(values))) if widths else float("nan"),
        missing=missing / data_sets,
        warned=warned / data_sets,
        simulated=data_sets,
    )


def two_systems(design: TwoSystems, *, data_sets: int = PAIRS_OF_DATA_SETS, seed: str = "") -> Cell:
    """Differences of two equal systems: an interval that leaves out zero is a false finding."""
    outcome, sizes, clusters, paired = OUTCOMES[design.outcome], design.sizes, design.clusters, design.is_paired
    rng = generator("two", outcome.name, sizes, clusters, design.balance, paired, *([seed] if seed else []))
    how = ComparisonSettings(is_share=outcome.is_share, permutations=ARRANGEMENTS)
    called, widths, values, missing = 0, [], [], 0
    for _ in range(data_sets):
        units, taste = cluster_sizes(sizes, clusters, rng), tastes(clusters, rng)
        a = drawn(outcome, units, taste, rng)
        if not paired:
            other = design.balance * clusters
            units, taste = cluster_sizes(sizes, other, rng), tastes(other, rng)
        b = drawn(outcome, units, taste, rng, start=0 if paired else clusters)
        found = compare_samples(a, b, mean_of, how)
        values.append(found.value)
        if found.p is None:
            missing += 1
            continue
        called += found.p < LEVEL
        if found.low is not None and found.high is not None:
            widths.append(found.high - found.low)
    share = called / max(data_sets - missing, 1)
    return Cell(
        name=f"{outcome.name}, {sizes}",
        clusters=clusters,
        covered=1 - share,
        called=share,
        width=float(np.median(widths)) / (2 * 1.96 * float(np.std(values)))
        if widths and np.std(values)
        else float("nan"),
        missing=missing / data_sets,
        simulated=data_sets,
        design=design,
    )
