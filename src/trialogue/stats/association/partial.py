"""Partial slope of one column on another, given a third that is measured with error, with an interval over clusters."""

from collections.abc import Hashable, Sequence

import numpy as np

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, Values, as_floats, check_confidence, check_same_length
from trialogue.stats.resampling.clusters import codes_of

MIN_CLUSTERS = 20
"""Clusters below which there is no slope: with 10, noise leaves no value in half of the draws (benchmarks/JUDGING.md)."""
VARIES = 1e-9  # share of a variance below which a column does not vary, or is another one


def partial_slope(
    y: Values,
    x: Values,
    given: Values,
    *,
    groups: Sequence[Hashable],
    clusters: Sequence[Hashable],
    noise: float = 0.0,
    confidence: float = 0.95,
) -> Estimate:
    """Slope of ``y`` on ``x`` at equal ``given``, within groups.

    All three are taken as deviations from their group's mean. ``given`` holds the truth plus an error of variance ``noise``,
    which is subtracted from its variance (Fuller 1987, "Measurement Error Models", sec. 2.2): otherwise a part of the truth
    that goes with ``x`` would be taken for an effect of ``x``.

    Args:
        y: shape (n,).
        x: shape (n,).
        given: shape (n,).
        groups: whose means are taken out.
        clusters: independent units; the interval is t with the delete-one-cluster jackknife's error.
        noise: mean error variance of ``given``; 0: it is the truth.
        confidence: confidence level of the interval.

    Returns:
        The estimate in units of ``y`` per unit of ``x``; without a value, and why, with fewer than 20 clusters, where ``x``
        does not vary within groups, or where ``given`` varies by its error alone.

    Raises:
        UsageError: columns of different lengths.
    """
    check_confidence(confidence)
    columns = [as_floats(each, name) for each, name in ((y, "y"), (x, "x"), (given, "given"))]
    check_same_length(y=columns[0], x=columns[1], given=columns[2], groups=groups, clusters=clusters)
    n = len(columns[0])
    _, group_of = codes_of(groups)
    keys, cluster_of = codes_of(clusters)
    if len(keys) < MIN_CLUSTERS:
        why = Reason.of(ReasonCode.CARD_TOO_FEW_LABELS, labels=len(keys), least=MIN_CLUSTERS)
        return Estimate(value=None, n=n, clusters=len(keys), why=why)
    rows = np.stack(columns, axis=1)
    value = _slope(rows, group_of, noise)
    kept = [_slope(rows[own], group_of[own], noise) for own in (cluster_of != each for each in range(len(keys)))]
    if value is None or None in kept:
        return Estimate(value=None, n=n, clusters=len(keys), why=Reason.of(ReasonCode.STATISTIC_UNDEFINED))
    low, high, error = _interval(value, np.array(kept, dtype=np.float64), confidence)
    interval = Interval(
        low=low,
        high=high,
        confidence=confidence,
        method="t, jackknife of clusters",
        facts={"freedom": len(keys) - 1, "error": error},
    )
    return Estimate(value=value, interval=interval, n=n, clusters=len(keys))


def _interval(value: float, kept: Floats, confidence: float) -> tuple[float, float, float]:
    """(low, high, standard error)."""
    from scipy.special import stdtrit

    count = len(kept)
    error = float(((count - 1) / count * np.sum((kept - kept.mean()) ** 2)) ** 0.5)
    reach = float(stdtrit(count - 1, (1 + confidence) / 2)) * error
    return value - reach, value + reach, error


def _slope(rows: Floats, group_of: np.ndarray[tuple[int], np.dtype[np.int64]], noise: float) -> float | None:
    """From moments within groups; the noise of ``given`` is lost with the groups' means, too."""
    counts = np.bincount(group_of)
    means = np.stack([np.bincount(group_of, column) / np.maximum(counts, 1) for column in rows.T], axis=1)
    centred = rows - means[group_of]
    moments = centred.T @ centred
    (_, y_x, y_g), (_, x_x, x_g), (_, _, raw) = moments
    g_g = raw - noise * float(np.sum(np.maximum(counts - 1, 0)))
    whole = float(np.sum((rows[:, 1] - rows[:, 1].mean()) ** 2))
    if x_x <= VARIES * max(whole, VARIES) or g_g <= VARIES * max(raw, VARIES):
        return None
    left = x_x * g_g - x_g**2
    return None if left <= VARIES * x_x * g_g else float((y_x * g_g - y_g * x_g) / left)
