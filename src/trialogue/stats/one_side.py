"""The interval of one system's statistic of sums: a score interval of shares, else one that allows for skewness."""

from dataclasses import dataclass

import numpy as np

from trialogue.stats.clusters import ClusterSums
from trialogue.stats.contributions import Combine, contributions
from trialogue.stats.shares import Share, are_counts, share_interval, share_of
from trialogue.stats.skewed_mean import skewed_mean
from trialogue.stats.two_sides import Limit


@dataclass(frozen=True)
class OneSide:
    """A statistic with what is known of its error."""

    value: float
    """The statistic."""
    low: float | None = None
    """Lower end; None: there is no interval."""
    high: float | None = None
    """Upper end."""
    method: str = ""
    """How it was made."""
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
) -> OneSide:
    """A statistic that has a value, with its interval.

    Args:
        data: sums of its clusters.
        combine: sums of shape (..., k) to values of shape (...).
        is_share: whether the value is a share of units, so that sums are (successes, units).
        scale: ends of the scale, where the interval is cut off; None: no end.
        confidence: of the interval.
    """
    if is_share and are_counts(data):
        share = share_of(data)
        if share.clusters < 2:
            return OneSide(share.value, limit=Limit.ONE_CLUSTER)
        found = share_interval(share, confidence=confidence)
        return OneSide(share.value, found.low, found.high, share_method(share))
    parts = contributions(data, combine)
    if len(parts.each) < 2:
        return OneSide(parts.value, limit=Limit.ONE_CLUSTER)
    if not parts.are_defined:
        return OneSide(parts.value, limit=Limit.UNDEFINED_WITHOUT_A_CLUSTER)
    mean = skewed_mean(parts.each, alike=parts.alike, confidence=confidence)
    if mean is None:
        return OneSide(parts.value, limit=Limit.NO_VARIATION)
    lowest = -np.inf if scale[0] is None else scale[0]
    highest = np.inf if scale[1] is None else scale[1]
    return OneSide(
        value=parts.value,
        low=min(max(mean.low, lowest), parts.value),
        high=max(min(mean.high, highest), parts.value),
        method=f"Student's t with {mean.freedom:.1f} degrees of freedom, corrected for skewness",
        is_unsafe=mean.is_unsafe,
    )


def share_method(share: Share) -> str:
    """How the interval of a share was made; clusters, their sizes and correlation where units are clustered."""
    if not share.is_clustered:
        return "Wilson score"
    sizes = f"{share.smallest:g}" if share.smallest == share.largest else f"{share.smallest:g} to {share.largest:g}"
    correlation = "" if share.correlation is None else f", intraclass correlation {share.correlation:.2f}"
    return (
        f"Wilson score of {share.effective:.1f} effective units in {share.clusters} clusters of {sizes}{correlation}, "
        f"t with {share.freedom:.1f} degrees of freedom"
    )
