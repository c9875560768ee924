"""Reliability of ratings in unbalanced designs: intraclass correlations from variance components."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.lmm import Lmm, lmm


@dataclass(frozen=True)
class Reliability:
    """Variance components, and the reliabilities derived from them."""

    single: Estimate
    """One rating, raters standing for others like them: ICC(2,1), absolute agreement."""
    mean: Estimate
    """The mean of ``raters`` ratings: ICC(2,k)."""
    raters: float
    """Ratings an item has, as the harmonic mean over items."""
    within_rater: Estimate
    """Correlation of two ratings of different items by one rater: how far ratings are *not* independent."""
    within_rater_one_way: Estimate
    """The same without regard to items: ICC(1,1) with raters as the groups, as a multilevel model of raters alone has it."""
    design_effect: float | None
    """1 + (m - 1) ``within_rater_one_way``, with m ratings of a rater on average; None where that is undefined."""
    shares: dict[str, float]
    """Share of the variance by ``item``, ``rater`` and ``noise``; empty where undefined."""


def reliability(
    ratings: Sequence[float] | Floats, items: Sequence[Any], raters: Sequence[Any], *, confidence: float = 0.95
) -> Reliability:
    """Intraclass correlations of crossed or nested ratings, complete or incomplete.

    Args:
        ratings: numbers, shape (n,).
        items: what was rated.
        raters: who rated it.
        confidence: confidence level of the intervals.

    Components are REML estimates of rating = mean + item + rater + noise; on complete tables they are those of the analysis
    of variance, wherever these are not negative, and so is the ICC (``icc(form="2,1")``). Intervals are normal in the logit
    of the correlation, by the delta method. An item needs no fixed number of ratings, but somebody must have rated two
    items and some item must have two ratings.

    >>> ratings = [9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7]     # Shrout & Fleiss (1979)
    >>> found = reliability(ratings, [i // 4 for i in range(24)], [i % 4 for i in range(24)])
    >>> round(found.single.value, 2), round(found.mean.value, 2)
    (0.29, 0.62)
    """
    distinct, counts = np.unique([str(item) for item in items], return_counts=True)
    each = float(len(distinct) / np.sum(1 / counts)) if len(distinct) else 0.0
    why: Reason | None = None
    if len(distinct) < 2 or len(set(raters)) < 2:
        why = Reason.of(ReasonCode.TOO_FEW_ITEMS_OR_RATERS, items=len(distinct), raters=len(set(raters)))
    elif counts.max() < 2:
        why = Reason.of(ReasonCode.NO_ITEM_RATED_TWICE)
    elif len(set(raters)) == len(list(raters)):
        why = Reason.of(ReasonCode.NO_RATER_RATED_TWICE)
    model = None if why else lmm(ratings, {}, {"item": items, "rater": raters})
    why = why or (model.why if model else None)
    if model is None or model.noise is None or why:
        nothing = Estimate(
            value=None, n=len(items), clusters=len(distinct), why=why or Reason.of(ReasonCode.STATISTIC_UNDEFINED)
        )
        return Reliability(nothing, nothing, each, nothing, nothing, None, {})
    parts = {"item": model.spreads["item"] ** 2, "rater": model.spreads["rater"] ** 2, "noise": model.noise**2}
    total = sum(parts.values())

    def share(of: str, divisor: float) -> Estimate:
        return _share(model, of, divisor, len(items), len(distinct), confidence)

    one_way = _one_way(ratings, raters, confidence)
    return Reliability(
        single=share("item", 1.0),
        mean=share("item", each),
        raters=each,
        within_rater=share("rater", 1.0),
        within_rater_one_way=one_way,
        design_effect=None if one_way.value is None else 1 + (len(items) / len(set(raters)) - 1) * one_way.value,
        shares={name: part / total for name, part in parts.items()},
    )


def _one_way(ratings: Sequence[float] | Floats, raters: Sequence[Any], confidence: float) -> Estimate:
    """One-way random effects of raters: share of their variance in that of raters and residual."""
    model = lmm(ratings, {}, {"rater": raters})
    if model.noise is None:
        return Estimate(value=None, n=len(raters), why=model.why or Reason.of(ReasonCode.STATISTIC_UNDEFINED))
    return _share(model, "rater", 1.0, len(raters), len(set(raters)), confidence)


def _share(model: Lmm, of: str, divisor: float, n: int, clusters: int, confidence: float) -> Estimate:
    """A component's share of the variance, the others divided (by the number of ratings in a mean)."""
    from scipy.special import expit, logit, ndtri

    form = model.form
    assert form is not None
    order = list(form.crossing.names)

    def value_at(ratios: Floats) -> float:
        squares = dict(zip(order, (ratios**2).tolist(), strict=True))
        own = squares.pop(of)
        return float(own / (own + (sum(squares.values()) + 1) / divisor))

    value = value_at(form.ratios)
    counted = {"n": n, "clusters": clusters}
    if value <= 1e-6:
        return Estimate(value=0.0, why=Reason.of(ReasonCode.COMPONENT_AT_ZERO), **counted)
    covariance, free = form.variances
    slope = np.zeros(len(free))
    for place, index in enumerate(free[:-1]):
        move = np.zeros(len(order))
        move[index] = 1e-5
        slope[place] = (value_at(form.ratios + move) - value_at(form.ratios - move)) / 2e-5
    error = float(slope @ covariance @ slope) ** 0.5 / (value * (1 - value))
    reach = float(ndtri((1 + confidence) / 2)) * error
    middle = float(logit(value))
    low, high = float(expit(middle - reach)), float(expit(middle + reach))
    method = "REML, delta method on the logit"
    return Estimate(value=value, interval=Interval(low=low, high=high, confidence=confidence, method=method), **counted)
