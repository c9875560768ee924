"""Simulated outcomes of clusters with a known truth: what ``benchmarks/coverage.py`` and the suite draw."""

from dataclasses import dataclass
from math import exp
from typing import Literal

import numpy as np

from trialogue.stats.arrays import Floats
from trialogue.stats.resampling.clusters import ClusterSums

Sizes = Literal["one", "equal", "skewed"]
"""Units in a cluster: one; five; or rounded-up lognormal ones (median e, standard deviation of the logarithm 1)."""

ORDINAL = np.array([0.05, 0.10, 0.15, 0.30, 0.40])  # chances of 1 to 5 points: satisfied users
WITHIN = 0.3  # share of the variance that lies between clusters, on the scale where the outcome is made


@dataclass(frozen=True)
class Outcome:
    """A kind of outcome."""

    name: str
    """As in the tables."""
    truth: float
    """Its mean."""
    is_share: bool = False
    """Whether units are 0 or 1."""


OUTCOMES = {
    "share .02": Outcome("share .02", 0.02, is_share=True),
    "share .1": Outcome("share .1", 0.1, is_share=True),
    "share .5": Outcome("share .5", 0.5, is_share=True),
    "ordinal": Outcome("ordinal", float(ORDINAL @ np.arange(1, 6))),
    "count": Outcome("count", 2.0),
    "lognormal 1": Outcome("lognormal 1", exp(0.5)),
    "lognormal 1.5": Outcome("lognormal 1.5", exp(1.125)),
    "normal": Outcome("normal", 0.0),
}


def cluster_sizes(sizes: Sizes, clusters: int, rng: np.random.Generator) -> Floats:
    """Units of each cluster."""
    if sizes == "one":
        return np.ones(clusters)
    if sizes == "equal":
        return np.full(clusters, 5.0)
    return np.ceil(np.exp(rng.normal(1.0, 1.0, clusters)))


def tastes(clusters: int, rng: np.random.Generator) -> Floats:
    """What the units of a cluster, and of the same cluster on the other side, have in common: standard normal."""
    return rng.normal(size=clusters)


def drawn(outcome: Outcome, units: Floats, taste: Floats, rng: np.random.Generator, *, start: int = 0) -> ClusterSums:
    """The sums of clusters with so many units and such tastes.

    Units are made of normal numbers that share ``WITHIN`` of their variance within a cluster, by a copula: their own
    distribution is the outcome's exactly, whatever the sizes.
    """
    from scipy.special import ndtr

    owner = np.repeat(np.arange(len(units)), units.astype(int))
    normal = WITHIN**0.5 * taste[owner] + (1 - WITHIN) ** 0.5 * rng.normal(size=len(owner))
    values = _valued(outcome, normal, ndtr(normal))
    sums = np.column_stack([np.bincount(owner, values, minlength=len(units)), units])
    return ClusterSums(tuple(range(start, start + len(units))), sums, len(owner))


def _valued(outcome: Outcome, normal: Floats, uniform: Floats) -> Floats:
    if outcome.is_share:
        return np.asarray(uniform < outcome.truth, dtype=np.float64)
    if outcome.name == "ordinal":
        return np.searchsorted(np.cumsum(ORDINAL)[:-1], uniform).astype(np.float64) + 1
    if outcome.name == "count":
        from scipy.stats import nbinom

        return np.searchsorted(nbinom.cdf(np.arange(60), 0.5, 0.2), uniform).astype(np.float64)  # mean .5 * .8 / .2
    if outcome.name.startswith("lognormal"):
        return np.exp(float(outcome.name.split()[1]) * normal)
    return normal
