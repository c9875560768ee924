"""Interval of one system's statistic of sums: a score interval for shares, otherwise one that allows for skewness."""

from dataclasses import dataclass, field

import numpy as np

from trialogue.stats.comparison.shares import Share, are_counts, share_interval, share_of
from trialogue.stats.comparison.skewed_mean import skewed_mean
from trialogue.stats.comparison.two_sides import Limit
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.stats.resampling.contributions import Combine, contributions


@dataclass(frozen=True)
class OneSample:
    """A statistic with its error."""

    value: float
    """The statistic."""
    low: float | None = None
    """Lower end; None: there is no interval."""
    high: float | None = None
    """Upper end."""
    method: str = ""
    """Method."""
    facts: dict[str, float] = field(default_factory=dict)
    """Numbers behind it."""
    limit: Limit | None = None
    """Why there is none."""
    is_unsafe: bool = False
    """Whether clusters are so skewed that the interval may be too narrow."""


def interval_of(
    data: ClusterSums,
    combine: Combine,
    *,
    is_share: bool = False,
    scale: tuple[float | None, float | None] = (None, None),
    confidence: float = 0.95,
) -> OneSample:
    """Interval of a defined statistic.

    Args:
        data: sums of its clusters.
        combine: sums of shape (..., k) to values of shape (...).
        is_share: whether the value is a share of units, so that sums are (successes, units).
        scale: ends of the scale, where the interval is cut off; None: no end.
        confidence: confidence level of the interval.
    """
    if is_share and are_counts(data):
        share = share_of(data)
        if share.clusters < 2:
            return OneSample(share.value, limit=Limit.ONE_CLUSTER)
        found = share_interval(share, confidence=confidence)
        return OneSample(share.value, found.low, found.high, share_method(share), share_facts(share))
    parts = contributions(data, combine)
    if len(parts.each) < 2:
        return OneSample(parts.value, limit=Limit.ONE_CLUSTER)
    if not parts.are_defined:
        return OneSample(parts.value, limit=Limit.UNDEFINED_WITHOUT_A_CLUSTER)
    mean = skewed_mean(parts.each, alike=parts.alike, confidence=confidence)
    if mean is None:
        return OneSample(parts.value, limit=Limit.NO_VARIATION)
    lowest = -np.inf if scale[0] is None else scale[0]
    highest = np.inf if scale[1] is None else scale[1]
    return OneSample(
        value=parts.value,
        low=min(max(mean.low, lowest), parts.value),
        high=max(min(mean.high, highest), parts.value),
        method="Student's t, corrected for skewness",
        facts={"freedom": mean.freedom, "skewness": mean.skewness},
        is_unsafe=mean.is_unsafe,
    )


def share_method(share: Share) -> str:
    """Description of the interval method for a share."""
    return "Wilson score of effective units, t" if share.is_clustered else "Wilson score"


def share_facts(share: Share) -> dict[str, float]:
    """For clustered units: effective size, cluster sizes, and intraclass correlation."""
    if not share.is_clustered:
        return {}
    facts = {
        "effective_units": share.effective,
        "freedom": share.freedom,
        "smallest_cluster": share.smallest,
        "largest_cluster": share.largest,
    }
    return facts if share.correlation is None else {**facts, "correlation": share.correlation}
