"""Compare systems by people's ratings: models, tests, pairs and verdicts of one table."""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from trialogue.findings.people.models import (
    Effects,
    effects_of,
    fit,
    log_odds,
    omnibus,
    orient_pairs,
    result_of_test,
    verdict_of,
)
from trialogue.findings.people.records import (
    PairFindings,
    SensitivityRow,
    TestResult,
    Verdict,
)
from trialogue.findings.people.table import RatingTable
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.seeds import rng_for
from trialogue.stats import (
    Pairwise,
    Test,
    dominance,
    friedman,
    lmm,
    odds_ratio,
    wilcoxon_pairs,
)
from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.clmm import Clmm

RESAMPLES = 2_000


class RatingComparison:
    """Main analysis of a rating table, shared by report, sensitivity analysis and power simulation.

    Args:
        table: the ratings.
        order: systems; the first of a pair is the one that stands first here.
        higher: whether a higher rating is better.
        alpha: significance level.
        seed: random seed for the intervals that are drawn; verdicts need none.
    """

    def __init__(self, table: RatingTable, order: Sequence[str], higher: bool, alpha: float, seed: int) -> None:
        self.table, self.order, self.higher, self.alpha, self.seed = table, list(order), higher, alpha, seed
        self.effects: Effects = effects_of(table)
        self.model: Clmm = fit(table, self.effects, confidence=1 - alpha)
        self.linear = lmm(table.ratings, self.effects.fixed, self.effects.random, confidence=1 - alpha)
        self.ordinal_pairs = orient_pairs(self.model.pairs("system", freedom=self.linear.freedom), order)
        self.units, self.means = table.means(self.order)

    @cached_property
    def linear_test(self) -> Test:
        """Omnibus test of systems by the linear model."""
        return self.linear.f_test("system")

    @cached_property
    def omnibus(self) -> Test:
        """Main omnibus test."""
        return omnibus(self.model, self.linear_test, "system")

    @cached_property
    def linear_pairs(self) -> list[Pairwise]:
        """Pairwise contrasts of the linear model."""
        return orient_pairs(self.linear.pairs("system"), self.order)

    @property
    def deciding_pairs(self) -> list[Pairwise]:
        """Pairwise contrasts that verdicts rest on."""
        return self.ordinal_pairs if self.model.converged else self.linear_pairs

    def verdicts(self) -> tuple[Verdict, ...]:
        """Verdict of every pair."""
        return tuple(verdict_of(pair, alpha=self.alpha, higher=self.higher) for pair in self.deciding_pairs)

    def tests(self) -> tuple[TestResult, ...]:
        """All tests, the main one first, including the one that must not be used."""
        table = self.table
        ratings = f"{len(table.rows):,} ratings"
        fitted = self.model.converged
        return (
            result_of_test(
                self.omnibus,
                name="likelihood ratio, as F",
                basis=f"cumulative-link mixed model, {ratings}",
                main=fitted,
            ),
            result_of_test(
                self.linear_test,
                name="F (Satterthwaite)",
                basis=f"linear mixed model, {ratings}",
                main=not fitted,
            ),
            rank_test(table, self.means),
            self._naive(),
        )

    def _naive(self) -> TestResult:
        """Kruskal and Wallis's test of single ratings: made where everybody gave one, refused otherwise."""
        table, name = self.table, "Kruskal-Wallis"
        basis = f"{len(table.rows):,} single ratings"
        if not table.independent:
            why = Reason.of(ReasonCode.RATINGS_NOT_INDEPENDENT, ratings=len(table.rows), people=table.raters)
            return TestResult(name=name, basis=basis, why=why)
        from scipy.stats import kruskal

        groups = [[row.rating for row in table.rows if row.system == system] for system in self.order]
        found = kruskal(*groups)
        freedom = (len(groups) - 1.0,)
        return TestResult(
            name=name, basis=basis, statistic=float(found.statistic), freedom=freedom, p=float(found.pvalue)
        )

    def pairs(self) -> tuple[PairFindings, ...]:
        """Every pair with all effect sizes."""
        by_means = {
            (one.pair.a, one.pair.b): one
            for one in wilcoxon_pairs(self.means, self.order, rng=rng_for(self.seed, "wilcoxon"), resamples=RESAMPLES)
        }
        found = []
        for ordinal, linear, verdict in zip(self.ordinal_pairs, self.linear_pairs, self.verdicts(), strict=True):
            means = by_means[ordinal.a, ordinal.b]
            found.append(
                PairFindings(
                    a=ordinal.a,
                    b=ordinal.b,
                    odds_ratio=odds_ratio(ordinal.difference),
                    p_adjusted=ordinal.p_adjusted,
                    difference=linear.difference,
                    difference_p_adjusted=linear.p_adjusted,
                    wilcoxon_p_adjusted=None if self.table.share_items else means.pair.p_adjusted,
                    rank_biserial=self._of_means(means.ranks.rank_biserial),
                    superiority=self._superiority(ordinal.a, ordinal.b),
                    verdict=verdict,
                )
            )
        return tuple(found)

    def _of_means(self, effect: Estimate) -> Estimate:
        """An effect size of the units' means; its interval draws units, and says nothing where these share replies."""
        if not self.table.share_items or effect.interval is None:
            return effect
        return effect.model_copy(update={"interval": None, "p": None, "why": _reason_without_means(self.table)})

    def _superiority(self, a: str, b: str) -> Estimate:
        rows = {name: [row for row in self.table.rows if row.system == name] for name in (a, b)}
        return dominance(
            [row.rating for row in rows[a]],
            [row.rating for row in rows[b]],
            clusters_a=[getattr(row, self.table.unit) for row in rows[a]],
            clusters_b=[getattr(row, self.table.unit) for row in rows[b]],
            rng=rng_for(self.seed, "superiority", a, b),
            resamples=RESAMPLES,
        )

    def warnings(self) -> Iterable[str]:
        """Limitations of the comparison."""
        if not self.model.converged:
            yield f"The ordinal model could not be fitted ({self.model.why}); verdicts rest on the linear one."
        partial_units = int(np.isnan(self.means).any(axis=1).sum())
        if partial_units:
            yield f"{partial_units:,} of {len(self.units):,} {self.table.units_are} lack ratings of some system."

    def row(self, name: str, *, main: bool = False) -> SensitivityRow:
        """This analysis as a row of the sensitivity table."""
        test = self.omnibus if self.model.converged else self.linear_test
        return SensitivityRow(
            name=name,
            participants=self.table.raters,
            ratings=len(self.table.rows),
            p=test.p,
            why=test.why,
            pairs=log_odds(self.ordinal_pairs),
            verdicts=self.verdicts(),
            main=main,
        )


def rank_test(table: RatingTable, means: Floats) -> TestResult:
    """Friedman test of the units' means, which are independent only if no two units judged the same item.

    Args:
        table: the ratings.
        means: mean rating of each system by each unit, shape (units, systems).
    """
    rank = friedman(means)
    basis = f"means of {rank.n:,} {table.units_are}{_w(rank.concordance)}"
    if table.share_items:
        return TestResult(name=rank.test.name, basis=basis, why=_reason_without_means(table))
    return result_of_test(rank.test, name=rank.test.name, basis=basis)


def _reason_without_means(table: RatingTable) -> Reason:
    return Reason.of(ReasonCode.MEANS_NOT_INDEPENDENT, people=table.raters, items=len(set(table.column("item"))))


def _w(concordance: Estimate) -> str:
    return "" if concordance.value is None else f", Kendall's W {concordance.value:.2f}"
