"""Means, differences and ranks of systems: by the judge, by labels alone, and by the judge corrected with the labels.

Labels alone are analysed in the same way (finite populations, strata, clusters, t), so that the two widths can be compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.arrays import Floats, check_confidence, check_count
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.correction.intervals import Estimator, difference_of, mean_of
from trialogue.stats.correction.table import Estimand, JudgedTable, RaterError, pool_table, rater_error
from trialogue.stats.correction.weights import Parts, constant, cross_fitted, parts_of
from trialogue.stats.ranking.order import RankInterval

MIN_LABELS = 10
"""Labels of a system below which it gets no estimate: even of normal labels the spread is then hardly known."""


@dataclass(frozen=True)
class Correction:
    """One quantity estimated three ways."""

    judge: float
    """By the judge alone, uncorrected."""
    alone: Estimate
    """By the labels alone."""
    corrected: Estimate
    """By both."""
    weight: float
    """The judge's weight: labels per unit of its scores; 0: it was not used."""
    raw: Estimate | None = None
    """By the judge alone, with the error of the choice of units, where there are no labels."""

    @property
    def leading(self) -> Estimate:
        """What verdicts rest on: the corrected estimate; where there are no labels, the judge's own."""
        return self.corrected if self.raw is None else self.raw

    @property
    def width_ratio(self) -> float | None:
        """Width of the corrected interval relative to labels alone; None where undefined."""
        ours, theirs = self.corrected.interval, self.alone.interval
        if ours is None or theirs is None or theirs.high <= theirs.low:
            return None
        return (ours.high - ours.low) / (theirs.high - theirs.low)


@dataclass(frozen=True)
class Corrections:
    """All corrected estimates of a table."""

    systems: Mapping[str, Correction]
    """Mean of each system."""
    overall: Correction
    """Mean over all rows."""
    differences: Mapping[tuple[str, str], Correction]
    """First minus second, of systems that both have an estimate; p-values are adjusted by Bonferroni's method."""
    ranks: Mapping[str, RankInterval]
    """Ranks of the corrected means; intervals hold for all of them together."""
    raters: RaterError
    """Error contributions of raters."""
    is_share: bool
    """Whether labels are 0 and 1, so that means are shares."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """Labelled rows of each system."""


def corrected_means(
    table: JudgedTable,
    *,
    estimand: Estimand = Estimand.THESE,
    raters: Estimand = Estimand.THESE,
    drawn_overall: bool = False,
    scale: tuple[float | None, float | None] = (None, None),
    confidence: float = 0.95,
    looks: int = 1,
    weight: float | None = None,
    higher_is_better: bool = True,
) -> Corrections:
    """Corrected means of systems, their differences and ranks.

    The estimate is the difference estimator with a cross-fitted, shrunk weight of the judge (see ``weights``), with the
    two-phase variance of its influence values, t with Satterthwaite's degrees of freedom, and for shares Wilson's interval
    at the effective number of labels; differences of shares are put together from those (Zou & Donner 2008).

    Args:
        table: judged rows, labelled in part.
        estimand: what is estimated; it decides whether labelling everything leaves an error.
        raters: for labels by several raters: whether the truth is what these raters say on average (their noise
            counts, and their leniency as far as they labelled unequal shares), or what other raters would say, too
            (their leniency counts as a whole, with as many degrees of freedom as there are raters, less one).
        drawn_overall: labels were drawn at random over all systems together, not so many of each. The mean over all rows
            then takes them as one sample where a system has fewer than 10.
        scale: ends of the scale of labels, where intervals are cut off.
        confidence: confidence level of each interval.
        looks: how often the result will be looked at, at most, while labels are added. Each interval then has the confidence
            1 - (1 - ``confidence``) / looks (Bonferroni), so that stopping at a width one likes is no deception.
        weight: weight of the judge, fixed beforehand; None: fitted.
        higher_is_better: for ranks.

    Returns:
        Systems with fewer than 10 labels, or a stratum with fewer than two, have an estimate without a value, and why.

    Raises:
        UsageError: an impossible confidence, ``looks`` below 1 or no labels at all.
    """
    check_confidence(confidence)
    check_count(looks, "looks")
    if not len(table.labelled):
        raise UsageError("There are no labels; a judge can only be corrected with human labels.")
    level = 1 - (1 - confidence) / looks
    error = rater_error(table.rater_labels)
    is_share = table.is_share
    ends = (0.0, 1.0) if is_share else scale
    how = _How(estimand, raters, error, weight)
    sides = _sides(table, how)
    systems: dict[str, Correction] = {}
    good: list[int] = []
    for index, name in enumerate(table.systems):
        refusal = _refusal(table, sides[0].parts, index)
        contrast = np.eye(len(table.systems))[index]
        if refusal is None:
            good.append(index)
        systems[name] = _mean(table, sides, contrast, is_share, ends, level, refusal)
    overall = _overall(table, how, sides, good, drawn_overall, is_share, ends, level)
    differences: dict[tuple[str, str], Correction] = {}
    for a, b in combinations(good, 2):
        contrast = np.eye(len(table.systems))[a] - np.eye(len(table.systems))[b]
        pair = [difference_of(side, table, a, b, is_share=is_share, confidence=level) for side in sides]
        judge = _judge(table, contrast)
        differences[table.systems[a], table.systems[b]] = Correction(
            judge, pair[0], pair[1], sides[1].weight_of(table, a, b)
        )
    return Corrections(
        systems=systems,
        overall=overall,
        differences=differences,
        ranks=_ranks(systems, differences, 1 - level, higher_is_better),
        raters=error,
        is_share=is_share,
        labels={name: table.labels_in(index) for index, name in enumerate(table.systems)},
    )


@dataclass(frozen=True)
class _How:
    estimand: Estimand
    raters: Estimand
    error: RaterError
    weight: float | None


def _sides(table: JudgedTable, how: _How) -> tuple[Estimator, Estimator]:
    """Labels alone, and corrected."""
    none = constant(table, 0.0)
    fitted = cross_fitted(table, table.judge, table.labels) if how.weight is None else constant(table, how.weight)
    alone = parts_of(table, none, how.error, estimand=how.estimand, raters=how.raters, judge_used=False)
    both = parts_of(table, fitted, how.error, estimand=how.estimand, raters=how.raters, judge_used=True)
    return Estimator(alone, none, None), Estimator(both, fitted, alone)


def _mean(
    table: JudgedTable,
    sides: Sequence[Estimator],
    contrast: Floats,
    is_share: bool,
    ends: tuple[float | None, float | None],
    level: float,
    refusal: Reason | None,
) -> Correction:
    judge = _judge(table, contrast)
    rows = int(np.isin(table.system_of[table.labelled], np.flatnonzero(contrast)).sum())
    if refusal is not None:
        missing = Estimate(value=None, n=rows, why=refusal)
        return Correction(judge, missing, missing, 0.0)
    estimates = [
        mean_of(side, table, contrast, is_share=is_share, ends=ends, confidence=level, n=rows) for side in sides
    ]
    return Correction(judge, estimates[0], estimates[1], sides[1].weight_of(table, *np.flatnonzero(contrast).tolist()))


def _overall(
    table: JudgedTable,
    how: _How,
    sides: Sequence[Estimator],
    good: Sequence[int],
    drawn_overall: bool,
    is_share: bool,
    ends: tuple[float | None, float | None],
    level: float,
) -> Correction:
    """Over all rows: of the systems' means where each has one, of one sample where labels were drawn so."""
    if len(good) == len(table.systems):
        shares = np.bincount(table.system_of) / len(table.judge)
        return _mean(table, sides, shares, is_share, ends, level, None)
    if drawn_overall:
        one = pool_table(table)
        whole = _sides(one, how)
        return _mean(one, whole, np.ones(1), is_share, ends, level, _refusal(one, whole[0].parts, 0))
    without = [table.systems[index] for index in range(len(table.systems)) if index not in good]
    missing = Estimate(
        value=None, n=len(table.labelled), why=Reason.of(ReasonCode.SYSTEMS_WITHOUT_ESTIMATE, systems=without)
    )
    return Correction(float(table.judge.mean()), missing, missing, 0.0)


def _refusal(table: JudgedTable, parts: Parts, system: int) -> Reason | None:
    labels = table.labels_in(system)
    if labels < MIN_LABELS:
        return Reason.of(ReasonCode.TOO_FEW_LABELS, labels=labels, least=MIN_LABELS)
    if np.isnan(parts.values[system]):
        return Reason.of(ReasonCode.STRATUM_TOO_FEW_LABELS)
    return None


def _judge(table: JudgedTable, contrast: Floats) -> float:
    means = np.bincount(table.system_of, table.judge) / np.bincount(table.system_of)
    return float(contrast @ means)


def _ranks(
    systems: Mapping[str, Correction],
    differences: Mapping[tuple[str, str], Correction],
    alpha: float,
    higher_is_better: bool,
) -> dict[str, RankInterval]:
    """Rank of each system; the interval counts those that are significantly better and worse, all pairs by Bonferroni.

    Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for Ranks": as the family-wise error of all pairs is alpha, these
    intervals hold for all systems at once with 1 - alpha.
    """
    sign = -1.0 if higher_is_better else 1.0
    values = {name: each.corrected.value for name, each in systems.items()}
    adjusted = dict(zip(differences, bonferroni([each.corrected.p for each in differences.values()]), strict=True))
    better = dict.fromkeys(systems, 0)
    worse = dict.fromkeys(systems, 0)
    for (a, b), p in adjusted.items():
        gap = differences[a, b].corrected.value
        if p is None or gap is None or p > alpha or gap == 0:
            continue
        first, second = (a, b) if sign * gap < 0 else (b, a)
        better[second] += 1
        worse[first] += 1
    known = {name: sign * value for name, value in values.items() if value is not None}
    return {
        name: RankInterval(None)
        if name not in known
        else RankInterval(
            1 + sum(other < known[name] for other in known.values()), 1 + better[name], len(known) - worse[name]
        )
        for name in systems
    }


@dataclass(frozen=True)
class LabelNeed:
    """Labels needed for one system."""

    system: str
    judged: int
    """Units of the system, labelled or not."""
    labels: int
    """Current number of labelled units."""
    needed: int | None
    """Labels in all for the width; None: not even labels of all units give it."""


def labels_needed(
    table: JudgedTable, width: float, *, estimand: Estimand = Estimand.THESE, confidence: float = 0.95
) -> tuple[LabelNeed, ...]:
    """Labels needed per system for a target width of every difference, or of the mean of a single system.

    A system's error with n of N labels is s^2 (1/n - 1/N), with s^2 from its labels so far; the estimand ``POPULATION`` adds
    var(labels) / N. Systems without 10 labels take the largest s^2 of the others. What it says is as good as these
    variances: from 10 labels they are off by a third. Both systems of a difference get half of its variance.

    Args:
        table: table with at least one system of 10 labels or more.
        width: width of the interval, from end to end.
        estimand: estimand of the intervals to come.
        confidence: confidence level of the intervals to come.

    Returns:
        The needs, at least 10 each. Where no system has 10 labels nothing is known, and 10 of each are needed first.
    """
    check_confidence(confidence)
    found = corrected_means(table)
    sizes = {name: int((table.system_of == index).sum()) for index, name in enumerate(table.systems)}
    spreads: dict[str, tuple[float, float]] = {}
    for name, each in found.systems.items():
        n, size = found.labels[name], sizes[name]
        errors = [one.interval.facts["error"] for one in (each.corrected, each.alone) if one.interval is not None]
        if len(errors) == 2 and n < size:
            left = 1 / n - 1 / size
            spreads[name] = (errors[0] ** 2 / left, errors[1] ** 2 / left)
    needs = []
    for name, size in sizes.items():
        known = spreads.get(name) or max(spreads.values(), default=None)
        needed: int | None = min(MIN_LABELS, size)
        if found.labels[name] == size:
            needed = size
        elif known is not None:
            fixed = known[1] / size if estimand is Estimand.POPULATION else 0.0
            needed = _fewest(known[0], fixed, size, width, confidence, of_pair=len(sizes) > 1)
        needs.append(LabelNeed(name, size, found.labels[name], needed))
    return tuple(needs)


def _fewest(variance: float, fixed: float, size: int, width: float, confidence: float, *, of_pair: bool) -> int | None:
    from scipy.special import stdtrit

    sides = 2 if of_pair else 1
    for labels in range(min(MIN_LABELS, size), size + 1):
        error = (sides * (variance * (1 / labels - 1 / size) + fixed)) ** 0.5
        quantile = float(stdtrit(max(sides * (labels - 1), 1), (1 + confidence) / 2))
        if 2 * quantile * error <= width:
            return labels
    return None
