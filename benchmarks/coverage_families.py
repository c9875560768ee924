"""Families of systems: any false finding among all pairs, and the share of true differences that is found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from benchmarks.coverage_cells import ARRANGEMENTS, LEVEL, generator, mean_of
from benchmarks.coverage_outcomes import OUTCOMES, Outcome, drawn, tastes
from trialogue.stats import bonferroni
from trialogue.stats.comparison.families import FamilyMethod, PairTest, single_step
from trialogue.stats.comparison.two_sides import SMALLER_SIDE, STANDARD_ERROR, ComparisonSettings, compare_samples
from trialogue.stats.resampling.clusters import ClusterSums

FAMILIES = 200


@dataclass(frozen=True)
class FamilyDesign:
    """Several systems that are compared with each other."""

    name: str
    """In words."""
    outcome: str
    """A key of ``OUTCOMES``."""
    clusters: tuple[int, ...]
    """Of each system, one unit each."""
    is_paired: bool = False
    """Whether all systems have the same clusters."""
    better_by: Mapping[int, float] = field(default_factory=dict)
    """By how much the systems at some places are truly better; the others are equal."""


@dataclass(frozen=True)
class Family:
    """What a correction makes of many families of one design."""

    design: FamilyDesign
    """The design."""
    called: float
    """Share of families with any false finding."""
    called_by_bonferroni: float
    """The same with Bonferroni's correction."""
    power: float
    """Mean share of the true differences that are found."""
    power_of_bonferroni: float
    """The same with Bonferroni's correction."""
    drawn_together: float
    """Share of the families whose dependence was drawn (max-T); the others are corrected by Bonferroni's method."""
    simulated: int = FAMILIES
    """Families."""

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the share with a false finding."""
        return float((max(self.called, 1 / self.simulated) * (1 - self.called) / self.simulated) ** 0.5)


def family(design: FamilyDesign, *, families: int = FAMILIES) -> Family:
    """Simulate families of a design, and correct the p-values of all their pairs."""
    rng = generator("family", design.name)
    pairs = list(combinations(range(len(design.clusters)), 2))
    equal = np.array([design.better_by.get(i, 0.0) == design.better_by.get(j, 0.0) for i, j in pairs])
    found = np.zeros((families, 2, len(pairs)), dtype=bool)
    together = 0
    for place in range(families):
        sides = _sides(design, rng)
        is_share = OUTCOMES[design.outcome].is_share
        tests = [_tested(sides, i, j, is_share=is_share) for i, j in pairs]
        corrected = single_step(tests)
        together += corrected.method is FamilyMethod.MAX_T
        for row, adjusted in enumerate((corrected.adjusted, bonferroni([test.p for test in tests]))):
            found[place, row] = [p is not None and p < LEVEL for p in adjusted]
    called, called_by_bonferroni = found[:, :, equal].any(axis=2).mean(axis=0).tolist()
    power, of_bonferroni = (0.0, 0.0) if equal.all() else found[:, :, ~equal].mean(axis=(0, 2)).tolist()
    return Family(design, called, called_by_bonferroni, power, of_bonferroni, together / families, families)


def _sides(design: FamilyDesign, rng: np.random.Generator) -> list[ClusterSums]:
    shared = tastes(max(design.clusters), rng)
    sides = []
    for place, clusters in enumerate(design.clusters):
        outcome, lead = OUTCOMES[design.outcome], design.better_by.get(place, 0.0)
        if outcome.is_share:
            outcome = Outcome(outcome.name, outcome.truth + lead, is_share=True)
        taste = shared if design.is_paired else tastes(clusters, rng)
        side = drawn(outcome, np.ones(clusters), taste, rng, start=0 if design.is_paired else 10_000 * place)
        moved = side.sums + ([0.0, 0.0] if outcome.is_share else [lead, 0.0])
        sides.append(ClusterSums(side.keys, moved, side.n))
    return sides


def _tested(sides: Sequence[ClusterSums], i: int, j: int, *, is_share: bool) -> PairTest:
    how = ComparisonSettings(is_share=is_share, permutations=ARRANGEMENTS)
    found = compare_samples(sides[i], sides[j], mean_of, how)
    return PairTest(i, j, found.p, found.facts.get(STANDARD_ERROR), found.facts.get(SMALLER_SIDE))


DESIGNS = (
    FamilyDesign("share .1, 15 and 4 x 100 (the issue's)", "share .1", (15, 100, 100, 100, 100)),
    FamilyDesign(
        "share .1, 15 and 4 x 100, one truly better", "share .1", (100, 15, 100, 100, 100), better_by={0: 0.4}
    ),
    FamilyDesign("share .1, 25 and 4 x 100", "share .1", (25, 100, 100, 100, 100)),
    FamilyDesign("share .1, 3 x 20", "share .1", (20,) * 3),
    FamilyDesign("ordinal, 3 x 20", "ordinal", (20,) * 3),
    FamilyDesign("ordinal, 5 x 20", "ordinal", (20,) * 5),
    FamilyDesign("ordinal, 5 x 20, one truly better", "ordinal", (20,) * 5, better_by={0: 1.0}),
    FamilyDesign("lognormal 1, 10 and 4 x 40", "lognormal 1", (10, 40, 40, 40, 40)),
    FamilyDesign("lognormal 1, 20 and 4 x 40", "lognormal 1", (20, 40, 40, 40, 40)),
    FamilyDesign("ordinal, 5 on 30 shared situations", "ordinal", (30,) * 5, is_paired=True),
    FamilyDesign("share .5, 9 on 20 shared situations", "share .5", (20,) * 9, is_paired=True),
    FamilyDesign("ordinal, 9 x 20", "ordinal", (20,) * 9),
    FamilyDesign("ordinal, 9 x 20, two truly better", "ordinal", (20,) * 9, better_by={0: 1.0, 1: 1.0}),
)


def families() -> list[Family]:
    return [family(design) for design in DESIGNS]
