"""Inter-rater agreement: percent agreement and Fleiss' kappa.

Which coefficient: Krippendorff's alpha (``alpha``) for any number of raters with gaps, on any scale; Cohen's kappa
(``kappa``) for two raters of labels; Fleiss' kappa for comparison with papers that report it; ICC (``icc``) for the
reliability of numeric ratings and of their mean.

Intraclass correlations: reliability of one rater's number, and of the mean of k raters.

From the analysis of variance of a complete table (items x raters), after Shrout & Fleiss (1979), "Intraclass
Correlations: Uses in Assessing Rater Reliability"; intervals also in McGraw & Wong (1996), table 7.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ints, Ratings, as_floats, check_confidence, check_same_length
from trialogue.stats.raters.alpha import krippendorff_alpha
from trialogue.stats.raters.kappa import cohen_kappa
from trialogue.stats.raters.labels import encode_table, label_counts
from trialogue.stats.resampling.bootstrap import bootstrap_sums, mean_of
from trialogue.stats.resampling.clusters import cluster_sums, select_keys

__all__ = ["cohen_kappa", "fleiss_kappa", "icc", "krippendorff_alpha", "percent_agreement", "spearman_brown"]

Form: TypeAlias = Literal["1,1", "1,k", "2,1", "2,k", "3,1", "3,k"]


@dataclass(frozen=True)
class _Squares:
    """Mean squares of a two-way table, and its size."""

    items: float
    raters: float
    error: float
    within: float
    n: int
    k: int


def icc(
    ratings: Ratings, *, form: Form, missing: Literal["raise", "drop"] = "raise", confidence: float = 0.95
) -> Estimate:
    """Intraclass correlation of ratings of shape (n_items, n_raters), with its F interval.

    Args:
        ratings: numbers, one row per item.
        form: first what the raters are: ``1`` each item was rated by other people; ``2`` the same people rated all
            items and stand for others like them (absolute agreement); ``3`` these very people, and a constant offset of
            one of them does not count (consistency). Then of what: ``1`` a single rating, ``k`` the mean of all k.
        missing: the table must be complete: ``raise`` if it is not, or ``drop`` items with a missing rating (``n`` says
            how many remain). Krippendorff's alpha takes gaps without dropping.
        confidence: confidence level of the interval.

    Returns:
        The estimate. Undefined with fewer than two items or raters, or if all ratings are equal. It can be negative,
        and the mean forms then even below -1. No interval, and why, if raters agree perfectly. Intervals assume normal
        ratings.

    >>> found = icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], form="2,1")
    >>> round(found.value, 2), round(found.interval.low, 2), round(found.interval.high, 2)     # their example
    (0.29, 0.02, 0.76)
    """
    check_confidence(confidence)
    if form not in get_args(Form):
        raise UsageError(f"There is no form {form!r} of the ICC. Known: {', '.join(get_args(Form))}.")
    table = as_floats(ratings, "ratings", ndim=2)
    complete = ~np.isnan(table).any(axis=1)
    if missing == "raise" and not complete.all():
        raise UsageError(
            f"{int((~complete).sum())} of {len(table)} items lack a rating and the ICC needs a complete table. "
            "Use missing='drop' to leave them out, or krippendorff_alpha(..., level='interval')."
        )
    table = table[complete]
    n, k = table.shape
    if n < 2 or k < 2:
        return Estimate(
            value=None, n=n, clusters=n, why=Reason.of(ReasonCode.TOO_FEW_ITEMS_OR_RATERS, items=n, raters=k)
        )
    squares = _mean_squares(table)
    value = _value(squares, form)
    if value is None:
        return Estimate(value=None, n=n, clusters=n, why=Reason.of(ReasonCode.RATINGS_VARY_TOO_LITTLE))
    interval = _interval(squares, form, confidence)
    why = None if interval else Reason.of(ReasonCode.RATERS_AGREE_PERFECTLY)
    return Estimate(value=value, interval=interval, n=n, clusters=n, why=why)


def spearman_brown(reliability: float, times: float) -> float:
    """Spearman-Brown reliability of the mean of ``times`` as many ratings; ``times`` below 1 inverts it.

    Spearman (1910); Brown (1910).

    >>> spearman_brown(0.5, 3)     # 3 * .5 / (1 + 2 * .5)
    0.75

    Raises:
        UsageError: if the reliability is not a number from -1 to 1, or there is no reliability for that many.
    """
    scale = 1 + (times - 1) * reliability
    if times <= 0 or not -1 <= reliability <= 1 or scale <= 0:
        raise UsageError(f"A reliability of {reliability} cannot be converted to one of {times} times as many ratings.")
    return times * reliability / scale


def _mean_squares(table: Floats) -> _Squares:
    n, k = table.shape
    gaps = table - table.mean()
    total, items = float(np.sum(gaps**2)), float(k * np.sum(gaps.mean(axis=1) ** 2))
    raters = float(n * np.sum(gaps.mean(axis=0) ** 2))
    floor = 1e-12 * total  # sums of squares below this are rounding error of zero
    error, within = _no_noise(total - items - raters, floor), _no_noise(total - items, floor)
    items, raters = _no_noise(items, floor), _no_noise(raters, floor)
    return _Squares(items / (n - 1), raters / (k - 1), error / ((n - 1) * (k - 1)), within / (n * (k - 1)), n, k)


def _no_noise(square: float, floor: float) -> float:
    return square if square > floor else 0.0


def _value(s: _Squares, form: Form) -> float | None:
    above, below = {
        "1,1": (s.items - s.within, s.items + (s.k - 1) * s.within),
        "1,k": (s.items - s.within, s.items),
        "2,1": (s.items - s.error, s.items + (s.k - 1) * s.error + s.k * (s.raters - s.error) / s.n),
        "2,k": (s.items - s.error, s.items + (s.raters - s.error) / s.n),
        "3,1": (s.items - s.error, s.items + (s.k - 1) * s.error),
        "3,k": (s.items - s.error, s.items),
    }[form]
    return above / below if below > 0 else None


def _interval(s: _Squares, form: Form, confidence: float) -> Interval | None:
    if (s.within if form[0] == "1" else s.error) <= 0 or s.items <= 0:
        return None
    single = _two_way_ends(s, confidence) if form[0] == "2" else _ratio_ends(s, form, confidence)
    ends = [end if form.endswith("1") else s.k * end / (1 + (s.k - 1) * end) for end in single]  # Spearman-Brown
    return Interval(low=ends[0], high=ends[1], confidence=confidence, method="F (Shrout & Fleiss 1979)")


def _ratio_ends(s: _Squares, form: Form, confidence: float) -> list[float]:
    """Ends for a single rating in forms 1 and 3: (F - 1) / (F + k - 1) at F divided and multiplied by an F quantile."""
    tail = (1 + confidence) / 2
    items, error = (s.n - 1), s.n * (s.k - 1) if form[0] == "1" else (s.n - 1) * (s.k - 1)
    ratio = s.items / (s.within if form[0] == "1" else s.error)
    low, high = ratio / _f_quantile(items, error, tail), ratio * _f_quantile(error, items, tail)
    return [(f - 1) / (f + s.k - 1) for f in (low, high)]


def _two_way_ends(s: _Squares, confidence: float) -> list[float]:
    """Ends for a single rating in form 2, with Satterthwaite's degrees of freedom for raters and error together."""
    value = _value(s, "2,1")
    assert value is not None  # items > 0 and error > 0 make the denominator positive
    a = s.k * value / (s.n * (1 - value))
    b = 1 + s.k * value * (s.n - 1) / (s.n * (1 - value))
    noise = (a * s.raters) ** 2 / (s.k - 1) + (b * s.error) ** 2 / ((s.n - 1) * (s.k - 1))
    freedom = (a * s.raters + b * s.error) ** 2 / noise
    tail = (1 + confidence) / 2
    up, down = _f_quantile(s.n - 1, freedom, tail), _f_quantile(freedom, s.n - 1, tail)
    spread = s.k * s.raters + (s.k * s.n - s.k - s.n) * s.error
    low = s.n * (s.items - up * s.error) / (up * spread + s.n * s.items)
    high = s.n * (down * s.items - s.error) / (spread + s.n * down * s.items)
    return [low, high]


def _f_quantile(first: float, second: float, share: float) -> float:
    from scipy.special import betaincinv

    beta = float(betaincinv(second / 2, first / 2, 1 - share))  # fdtri differs between scipy 1.16 and 1.17
    return second * (1 - beta) / (first * beta)


def percent_agreement(
    ratings: Ratings,
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Share of equal pairs of ratings of the same item, 0 to 1, with a bootstrap interval over items.

    Args:
        ratings: labels of shape (n_items, n_raters), None or NaN where a rater skipped.
        clusters: cluster of each item; whole clusters are resampled.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Pairs are pooled over items, so an item with more ratings counts more. ``n`` counts the items with two ratings or
    more; undefined without any. Not corrected for chance.

    >>> percent_agreement([["a", "a", "a"], ["a", "b", None]]).value     # 3 of 3 pairs and 0 of 1
    0.75
    """
    counts, groups = _label_counts(ratings, clusters)
    size = counts.sum(axis=1)
    keep = np.flatnonzero(size >= 2)
    pairs, equal = size[keep] * (size[keep] - 1), (counts[keep] * (counts[keep] - 1)).sum(axis=1)
    data = cluster_sums(np.column_stack([equal, pairs]), select_keys(groups, keep) or [])
    if not data.n:
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_ITEM_RATED_TWICE))
    return bootstrap_sums(data, mean_of, rng=rng, resamples=resamples, confidence=confidence)


def fleiss_kappa(
    ratings: Ratings,
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> Estimate:
    """Fleiss' kappa of labels by an equal number of raters per item, with a bootstrap interval over items.

    Args:
        ratings: labels of shape (n_items, n_raters); None or NaN where a rater did not rate that item, but every item
            needs the same number of ratings. Which rater gave which does not matter.
        clusters: cluster of each item; whole clusters are resampled.
        rng: source of randomness; None: no interval.
        resamples: bootstrap replicates.
        confidence: confidence level of the interval.

    Returns:
        The estimate; undefined if all labels are the same.

    Raises:
        UsageError: if items have different numbers of ratings, or fewer than two; use alpha for those.

    Fleiss (1971), "Measuring Nominal Scale Agreement among Many Raters".

    >>> fleiss_kappa([["a", "a"], ["a", "b"]]).value     # P = (1 + 0)/2, P_e = (3/4)^2 + (1/4)^2 = 5/8
    -0.3333333333333333
    """
    counts, groups = _label_counts(ratings, clusters)
    if not len(counts):
        return Estimate(value=None, n=0, clusters=0, why=Reason.of(ReasonCode.NO_DATA))
    size = counts.sum(axis=1)
    if size.min() != size.max() or size[0] < 2:
        raise UsageError(
            "Fleiss' kappa needs the same number of ratings, at least two, for every item; here it is "
            f"{int(size.min())} to {int(size.max())}. For incomplete data, use krippendorff_alpha(..., level='nominal')."
        )
    raters = size[0]
    equal = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))

    def kappa(sums: Floats) -> Floats:
        items = sums[..., 1]
        chance = ((sums[..., 2:] / (items * raters)[..., None]) ** 2).sum(axis=-1)
        return np.where(chance < 1 - 1e-12, (sums[..., 0] / items - chance) / (1 - chance), np.nan)

    data = cluster_sums(np.column_stack([equal, np.ones(len(equal)), counts]), groups)
    why = Reason.of(ReasonCode.LABELS_ALL_EQUAL)
    return bootstrap_sums(
        data, kappa, rng=rng, resamples=resamples, confidence=confidence, undefined=why, ends=(-1.0, 1.0)
    )


def _label_counts(ratings: Any, clusters: Sequence[Hashable] | None) -> tuple[Ints, Sequence[Hashable]]:
    """Label counts of each item, shape (n_items, n_labels), and the cluster of each item."""
    names, codes = encode_table(ratings)
    check_same_length(ratings=codes, clusters=clusters)
    return label_counts(codes, len(names)), clusters if clusters is not None else range(len(codes))
