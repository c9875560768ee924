"""Distances between simulated and real users: acts, vocabulary, lengths, turns, endings, copied messages.

Distances between samples of counts depend on how much there is on either side, so the yardstick (one half of the real users
against the other) and the value (the same half against as many simulated dialogues) are computed on equal amounts. Random
halves of whole clusters give both, and the spread over halves is their standard error (Shao and Wu 1989: the delete-d
jackknife with half of the clusters deleted; with fewer than half of a side it is larger, never smaller).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.simulated_users.records import Distance
from trialogue.subjects.simulated_users.user_sample import DRAWS, Halves, UserSample, count_tables, halves_of

MIN_PEOPLE = 10  # clusters on each side; with fewer, halves hold four or less and say nothing

Compare = Callable[[Floats, Floats], Floats]
"""From summed counts of two sides, shape (draws, keys) each, to distances of shape (draws,)."""


class Aspect(StrEnum):
    """In which respect users are compared."""

    ACTS = "acts"
    VOCABULARY = "vocabulary"
    LENGTHS = "lengths"
    TURNS = "turns"
    ENDINGS = "endings"
    COPYING = "copying"


@dataclass(frozen=True)
class _Kind:
    title: str
    compare: Compare


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """Jensen-Shannon divergence in bits of counts, 0 to 1; NaN where a side has none.

    >>> jensen_shannon(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 3.0], [4.0, 4.0]])).tolist()
    [1.0, 0.0]
    """
    p, q = _shares(p), _shares(q)
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(side > 0, side * np.log2(side / middle), 0.0).sum(axis=1) for side in (p, q)]
    found: Floats = np.clip((parts[0] + parts[1]) / 2, 0.0, 1.0)
    return np.where(np.isnan(p).any(axis=1) | np.isnan(q).any(axis=1), np.nan, found)


def kolmogorov(p: Floats, q: Floats) -> Floats:
    """Largest difference of two cumulative distributions; keys are in rising order.

    >>> kolmogorov(np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 1.0]])).tolist()
    [0.5]
    """
    found: Floats = np.abs(np.cumsum(_shares(p), axis=1) - np.cumsum(_shares(q), axis=1)).max(axis=1)
    return found


def total_variation(p: Floats, q: Floats) -> Floats:
    """Half of the summed differences of shares.

    >>> total_variation(np.array([[3.0, 1.0]]), np.array([[1.0, 1.0]])).tolist()
    [0.25]
    """
    found: Floats = np.abs(_shares(p) - _shares(q)).sum(axis=1) / 2
    return found


def unseen_less(p: Floats, q: Floats) -> Floats:
    """Share of the second side's entries that the first one has, too: messages that were said word for word.

    >>> unseen_less(np.array([[1.0, 0.0]]), np.array([[1.0, 3.0]])).tolist()
    [0.25]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(p > 0, q, 0.0).sum(axis=1) / q.sum(axis=1)
    return found


def _shares(counts: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = counts / counts.sum(axis=1, keepdims=True)
    return found


_KINDS = {
    Aspect.ACTS: _Kind("acts (Jensen-Shannon divergence)", jensen_shannon),
    Aspect.VOCABULARY: _Kind("words (Jensen-Shannon divergence)", jensen_shannon),
    Aspect.LENGTHS: _Kind("words per message (Kolmogorov-Smirnov)", kolmogorov),
    Aspect.TURNS: _Kind("messages per dialogue (Kolmogorov-Smirnov)", kolmogorov),
    Aspect.ENDINGS: _Kind("who ends the dialogue (total variation)", total_variation),
    Aspect.COPYING: _Kind(
        "messages of five words or more that another real user wrote word for word (share)", unseen_less
    ),
}


def distances_of(real: UserSample, simulated: UserSample, resampling: Resampling) -> tuple[Distance, ...]:
    """Every distance; undefined ones have a reason.

    Args:
        real: sample of real users; one with fewer than ten clusters has no halves to measure by.
        simulated: sample of simulated users.
        resampling: seed and confidence.
    """
    few = min(real.people, simulated.people)
    if few < MIN_PEOPLE:
        why = Reason.of(ReasonCode.TOO_FEW_USERS_FOR_HALVES, users=few, least=MIN_PEOPLE)
        return tuple(_unknown_distance(respect, why, real, simulated) for respect in Aspect)
    halves = halves_of(real, simulated, lambda name: resampling.rng("passport", name))
    return tuple(_distance(respect, real, simulated, halves, resampling) for respect in Aspect)


def _distance(
    respect: Aspect, real: UserSample, simulated: UserSample, halves: Halves, resampling: Resampling
) -> Distance:
    counts = [side.counts.get(respect, ()) for side in (real, simulated)]
    for name, side in zip(("real", "simulated"), counts, strict=True):
        if not any(side):
            why = Reason.of(ReasonCode.NOTHING_TO_COUNT, side=name)
            return _unknown_distance(respect, why, real, simulated)
    first, second, own = _sums(counts[0], counts[1], halves)
    compare = _KINDS[respect].compare
    value, yardstick = compare(first, own), compare(first, second)
    n = {"n": len(real) + len(simulated), "clusters": real.people + simulated.people}
    return Distance(
        name=respect.value,
        title=_KINDS[respect].title,
        value=_estimate(value, resampling, n),
        yardstick=_estimate(yardstick, resampling, {"n": len(real), "clusters": real.people}),
        excess=_estimate(value - yardstick, resampling, n),
    )


def _sums(
    real: Sequence[Mapping[Hashable, int]], simulated: Sequence[Mapping[Hashable, int]], halves: Halves
) -> tuple[Floats, Floats, Floats]:
    one, other = count_tables([real, simulated])
    return (
        np.asarray(halves.real @ one),
        np.asarray(halves.others @ one),
        np.asarray(halves.simulated @ other),
    )


def _estimate(drawn: Floats, resampling: Resampling, n: dict[str, int]) -> Estimate:
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < 0.95 * len(drawn):
        return Estimate(value=None, why=Reason.of(ReasonCode.HALVES_WITHOUT_COUNTS), **n)
    tail = (1 - resampling.confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    method = f"percentiles over {DRAWS} random halves of the users"
    interval = Interval(low=float(low), high=float(high), confidence=resampling.confidence, method=method)
    return Estimate(value=float(defined.mean()), interval=interval, **n)


def _unknown_distance(respect: Aspect, why: Reason, real: UserSample, simulated: UserSample) -> Distance:
    nothing = Estimate(value=None, why=why, n=len(real) + len(simulated), clusters=real.people + simulated.people)
    return Distance(name=respect.value, title=_KINDS[respect].title, value=nothing, yardstick=nothing, excess=nothing)
