"""Intraclass correlations: reliability of one rater's number, and of the mean of k raters.

From the analysis of variance of a complete table (items x raters), after Shrout & Fleiss (1979), "Intraclass
Correlations: Uses in Assessing Rater Reliability"; intervals also in McGraw & Wong (1996), table 7.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Ratings, as_floats, check_confidence

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
    from scipy.special import fdtri

    return float(fdtri(first, second, share))
