"""Ratings of several systems: who is rated higher, how sure that is, and what it depends on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise as pairwise_of
from typing import Literal

import numpy as np

from trialogue.findings.people.agreement import numeric_agreement
from trialogue.findings.people.exclusions import PLANNED, repeat_analyses
from trialogue.findings.people.models import (
    MOST_POINTS,
    Effects,
    effects_of,
    fit,
    log_odds,
    model_findings,
    omnibus,
    orient_pairs,
    position_findings,
    result_of_test,
    verdict_of,
)
from trialogue.findings.people.participants import Participant, Presentation, Rules, countable_participants
from trialogue.findings.people.records import (
    PairFindings,
    RatingFindings,
    SensitivityRow,
    SystemRatings,
    TestResult,
    Verdict,
)
from trialogue.findings.people.table import Key, RatingTable, table_of
from trialogue.records import Estimate, MeasureName, Reason, ReasonCode, Score
from trialogue.records.kinds.origins import kinds_of, with_raters
from trialogue.seeds import rng_for
from trialogue.stats import (
    Pairwise,
    Test,
    cluster_sums,
    dominance,
    estimate_of_sums,
    friedman,
    lmm,
    odds_ratio,
    wilcoxon_pairs,
)
from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.clmm import Clmm
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.threads import one_blas_thread

RESAMPLES = 2_000
MOST_SHOWN, BARS = 21, 10  # points told one by one; classes of a finer scale
FEW_UNITS = 10  # fewer independent people (or situations) make every test a guess


@dataclass(frozen=True)
class Scale:
    """What a criterion is called, and its points."""

    title: str
    better: Literal["higher", "lower"] = "higher"
    labels: Mapping[float, str] = field(default_factory=dict)
    """Every point with its words; empty: the points that occur."""
    question: str = ""


@one_blas_thread()
def analyse_ratings(
    scores: Iterable[Score],
    *,
    measure: str | None = None,
    scale: Scale | None = None,
    people: Sequence[Participant] = (),
    rules: Rules | None = None,
    presentations: Mapping[Key, Presentation] | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    progress: Callable[[str], None] | None = None,
) -> RatingFindings:
    """Everything about one criterion.

    Args:
        scores: its ratings (``Score`` with rater and system).
        measure: its name; None: that of the first score.
        scale: title, direction and points.
        people: participants; none: everybody's ratings count, and there is no sensitivity analysis.
        rules: planned exclusion rules; None: every flag excludes.
        presentations: where things were shown.
        seed: of the bootstrap.
        alpha: level at which differences are called.
        progress: told what is being computed.

    Returns:
        The findings. With one system, or raters who are not known, nothing is tested, and the reasons are given.

    Raises:
        DataError: ratings given twice, or of no system.
    """
    say = progress or (lambda _: None)
    scores = list(scores)
    name = measure or (scores[0].measure if scores else "human:rating")
    scale = scale or Scale(MeasureName(name).prose.capitalize())
    raters = kinds_of(score.raters for score in scores)
    everything, skipped = table_of(scores, presentations)
    main = everything.select_raters(countable_participants(people, rules))
    say(f"{scale.title}: distributions and agreement")
    points = _points(everything, scale)
    systems = _systems(main, scale, points)
    findings = RatingFindings(
        measure=name,
        title=with_raters(scale.title, raters),
        raters=raters,
        better=scale.better,
        points=points,
        labels={f"{point:g}": words for point, words in scale.labels.items()},
        systems=systems,
        coverage=main.coverage(),
        agreement=numeric_agreement(main.group_by_thing(), main.groups(), rng=rng_for(seed, name, "agreement"))
        if main.rows and main.known_raters
        else (),
        warnings=tuple(_warnings(main, everything, people, skipped)),
    )
    why = reason_without_tests(main)
    if why:
        refused = TestResult(name="comparison", basis="", why=why, main=True)
        return findings.model_copy(update={"tests": (refused,)})
    order = [each.system for each in systems]
    say(f"{scale.title}: comparison of systems")
    compared = RatingComparison(main, order, scale.better == "higher", alpha, seed)
    say(f"{scale.title}: sensitivity to exclusions")
    return findings.model_copy(
        update={
            "model": model_findings(main, compared.effects, compared.model),
            "tests": compared.tests(),
            "pairs": compared.pairs(),
            "position": position_findings(main, compared.model, compared.linear),
            "sensitivity": _sensitivity(everything, people, rules, compared),
            "warnings": (*findings.warnings, *compared.warnings()),
        }
    )


def _points(table: RatingTable, scale: Scale) -> tuple[float, ...]:
    """Points of the scale; of a slider with many places the middles of ten classes."""
    found = sorted({*scale.labels, *table.ratings})
    if len(found) <= MOST_SHOWN:
        return tuple(found)
    width = (found[-1] - found[0]) / BARS
    return tuple(found[0] + width * (place + 0.5) for place in range(BARS))


def _counts(ratings: Floats, points: Sequence[float]) -> tuple[int, ...]:
    """Ratings nearest to each point."""
    if not points:
        return ()
    edges = [(low + high) / 2 for low, high in pairwise_of(points)]
    return tuple(np.bincount(np.searchsorted(edges, ratings), minlength=len(points)).tolist())


def _systems(table: RatingTable, scale: Scale, points: Sequence[float]) -> tuple[SystemRatings, ...]:
    found = []
    for system in table.systems:
        rows = [row for row in table.rows if row.system == system]
        ratings = np.array([row.rating for row in rows])
        data = cluster_sums(np.column_stack([ratings, np.ones(len(rows))]), [getattr(row, table.unit) for row in rows])
        mean = estimate_of_sums(data, mean_of, scale=(points[0], points[-1]) if scale.labels else (None, None))
        found.append(
            SystemRatings(
                system=system,
                counts=_counts(ratings, points),
                mean=mean,
                ratings=len(rows),
                raters=len({row.rater for row in rows}),
                items=len({row.thing for row in rows}),
            )
        )
    sign = -1 if scale.better == "higher" else 1
    return tuple(sorted(found, key=lambda one: (sign * (one.mean.value or 0.0), one.system)))


def reason_without_tests(table: RatingTable) -> Reason | None:
    """Why systems cannot be compared by these ratings; None where they can."""
    if not table.rows:
        return Reason.of(ReasonCode.NO_RATINGS_LEFT)
    if len(table.systems) < 2:
        return Reason.of(ReasonCode.ONE_SYSTEM, system=table.systems[0])
    if not table.known_raters:
        return Reason.of(ReasonCode.RATERS_UNKNOWN)
    if len(set(table.ratings)) < 2:
        return Reason.of(ReasonCode.EVERY_RATING_EQUAL)
    return None


def _warnings(
    table: RatingTable, everything: RatingTable, people: Sequence[Participant], skipped: int
) -> Iterable[str]:
    if len(set(table.ratings)) > MOST_POINTS:
        yield (
            f"Ratings have {len(set(table.ratings)):,} different values: distributions are shown in ten "
            "classes, and the ordinal model uses twenty of about equal size."
        )
    if skipped:
        yield f"{skipped:,} ratings without a value (skipped questions) are left out."
    known = {person.participant for person in people}
    strangers = {row.rater for row in everything.rows} - known
    if people and strangers:
        yield (
            f"{len(strangers)} raters are not in the table of participants; their ratings are left out: "
            f"{', '.join(sorted(strangers)[:5])}{' ...' if len(strangers) > 5 else ''}."
        )
    units = len(set(table.column(table.unit)))
    if table.rows and units < FEW_UNITS:
        yield (
            f"{units} independent {table.units_are}: with fewer than {FEW_UNITS}, every interval and p-value "
            "is a rough guess."
        )
    if table.rows and table.unit == "group":
        yield (
            f"{table.raters} people rated, and the results hold for these people: whether others would agree "
            "is open. Dialogues are the independent units."
        )


class RatingComparison:
    """The main analysis of a table: what the report says of it, the sensitivity analysis repeats, and a plan simulates.

    Args:
        table: the ratings.
        order: systems; the first of a pair is the one that stands first here.
        higher: whether a higher rating is better.
        alpha: level at which differences are called.
        seed: of the intervals that are drawn; verdicts need none.
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
        """Whether systems matter at all, by the linear model."""
        return self.linear.f_test("system")

    @cached_property
    def omnibus(self) -> Test:
        """The main test."""
        return omnibus(self.model, self.linear_test, "system")

    @cached_property
    def linear_pairs(self) -> list[Pairwise]:
        """Its pairs."""
        return orient_pairs(self.linear.pairs("system"), self.order)

    @property
    def deciding_pairs(self) -> list[Pairwise]:
        """The pairs that verdicts rest on."""
        return self.ordinal_pairs if self.model.converged else self.linear_pairs

    def verdicts(self) -> tuple[Verdict, ...]:
        """Of every pair."""
        return tuple(verdict_of(pair, alpha=self.alpha, higher=self.higher) for pair in self.deciding_pairs)

    def tests(self) -> tuple[TestResult, ...]:
        """The main one first, then others beside it, and the one that must not be made."""
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
        """Every pair with every effect size."""
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
        """What limits the comparison."""
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
    """Friedman's test of the units' means, which are independent only if no two units judged the same item.

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


def _sensitivity(
    everything: RatingTable, people: Sequence[Participant], rules: Rules | None, main: RatingComparison
) -> tuple[SensitivityRow, ...]:
    """The comparison under every other exclusion."""
    return repeat_analyses(
        people,
        rules,
        everything.column("rater"),
        main.row(PLANNED, main=True),
        lambda raters: _repeat_comparison(everything.select_raters(raters), main),
    )


def _repeat_comparison(table: RatingTable, main: RatingComparison) -> SensitivityRow:
    why = reason_without_tests(table)
    if why is None and set(table.systems) != set(main.order):
        why = Reason.of(ReasonCode.SYSTEM_WITHOUT_RATINGS_LEFT)
    if why:
        return SensitivityRow(name="", participants=table.raters, ratings=len(table.rows), p=None, why=why)
    again = partial(RatingComparison, higher=main.higher, alpha=main.alpha, seed=main.seed)
    return again(table, main.order).row("")
