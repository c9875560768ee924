"""Wins, losses and ties between two sides: shares, and tests clustered by rater or item.

Three people judging one pair of dialogues, or one person judging ten pairs, give correlated judgements, and a binomial
test of all of them finds differences that do not exist. It is included because papers report it; the clustered one
decides.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import Floats, check_confidence, check_same_length
from trialogue.stats.mixed_models.fixed_effects import Test
from trialogue.stats.ranking.battles import Choice
from trialogue.stats.resampling.bootstrap import bootstrap_sums, cluster_sums
from trialogue.stats.resampling.clusters import codes_of

FLIPS = 10_000  # sign flips of the permutation test where there are too many clusters to try all
ALL_FLIPS_UP_TO = 14  # clusters: 16,384 sign patterns


@dataclass(frozen=True)
class WinLoseTie:
    """Wins, losses and ties of one side against the other."""

    wins: int
    losses: int
    ties: int
    shares: dict[str, Estimate]
    """Share of ``win``, ``lose`` and ``tie`` among all judgements, with clustered bootstrap intervals."""
    decisive: Estimate
    """Share of wins among judgements that are no tie, with clustered bootstrap interval; 0.5 means neither."""
    exact: Estimate
    """The same with the exact (Clopper-Pearson) interval and binomial p, which take judgements for independent."""
    clustered: Test
    """Whether wins and losses differ, clusters being independent."""
    clusters: int


def win_lose_tie(
    choices: Sequence[Choice],
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: np.random.Generator,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> WinLoseTie:
    """Count wins, losses and ties of a, with intervals and tests.

    Args:
        choices: ``a``, ``b`` or ``tie``.
        clusters: which judgements belong together (their pair of dialogues, or their rater); None: all independent.
        rng: source of randomness.
        resamples: bootstrap replicates.
        confidence: confidence level of the intervals.

    The clustered test flips the sign of (wins - losses) of whole clusters: under no preference either sign is as likely.
    p counts patterns with a total as large; all patterns up to 14 clusters, else 10,000 random ones. Dwass (1957).

    >>> found = win_lose_tie(["a"] * 6 + ["b"] * 2, rng=np.random.default_rng(0))
    >>> found.exact.value, round(found.exact.p, 4)     # 2 * (1 + 8 + 28) / 2^8
    (0.75, 0.2891)
    """
    check_confidence(confidence)
    check_same_length(choices=list(choices), clusters=clusters)
    flags = np.array([[choice == each for each in ("a", "b", "tie")] for choice in choices], dtype=np.float64)
    flags = flags.reshape(len(choices), 3)
    keys = list(clusters) if clusters is not None else list(range(len(choices)))
    wins, losses, ties = (int(count) for count in flags.sum(axis=0))
    data = cluster_sums(flags, keys)

    def share(place: int) -> Estimate:
        return bootstrap_sums(
            data, lambda sums: sums[..., place] / sums.sum(axis=-1), rng=rng, resamples=resamples, confidence=confidence
        )

    decisive = bootstrap_sums(
        data,
        lambda sums: sums[..., 0] / (sums[..., 0] + sums[..., 1]),
        rng=rng,
        resamples=resamples,
        confidence=confidence,
        undefined=Reason.of(ReasonCode.ALL_TIES),
    )
    return WinLoseTie(
        wins=wins,
        losses=losses,
        ties=ties,
        shares={name: share(place) for place, name in enumerate(("win", "lose", "tie"))},
        decisive=decisive.model_copy(update={"n": wins + losses}),
        exact=binomial(wins, wins + losses, confidence=confidence),
        clustered=_sign_flip_test(flags[:, 0] - flags[:, 1], keys, rng),
        clusters=len(data.keys),
    )


def binomial(successes: int, n: int, *, confidence: float = 0.95) -> Estimate:
    """Share with its exact interval and two-sided p-value against one half; units are assumed independent.

    Clopper & Pearson (1934); the sign test.

    >>> found = binomial(61, 176)     # KDD 2020, table 6: QRFA-Single
    >>> round(found.value, 2), round(found.interval.low, 2), round(found.interval.high, 2), round(found.p, 4)
    (0.35, 0.28, 0.42, 0.0001)
    """
    from scipy.special import betaincinv
    from scipy.stats import binom

    if n == 0:
        return Estimate(value=None, n=0, why=Reason.of(ReasonCode.NO_DECISIVE_JUDGEMENT))
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    p = min(1.0, 2 * float(binom.cdf(min(successes, n - successes), n, 0.5)))
    interval = Interval(low=low, high=high, confidence=confidence, method="exact (Clopper & Pearson 1934)")
    return Estimate(value=successes / n, interval=interval, n=n, p=p)


def _sign_flip_test(leads: Floats, keys: Sequence[Hashable], rng: np.random.Generator) -> Test:
    name = "sign flips of clusters"
    known, codes = codes_of(list(keys))
    totals = np.bincount(codes, leads, minlength=len(known)) if len(codes) else np.zeros(0)
    totals = totals[totals != 0]
    if not len(totals):
        return Test(name, None, why=Reason.of(ReasonCode.WINS_BALANCE_LOSSES))
    observed = abs(float(totals.sum()))
    if len(totals) <= ALL_FLIPS_UP_TO:
        patterns = (np.arange(2 ** len(totals))[:, None] >> np.arange(len(totals))) & 1
        drawn = np.abs((2.0 * patterns - 1) @ totals)
        return Test(name, observed, p=float(np.mean(drawn >= observed - 1e-9)))
    size = np.abs(totals)
    values, counts = np.unique(size, return_counts=True)  # flips of equal totals are one binomial draw
    drawn = np.abs(
        sum(
            value * (2.0 * rng.binomial(count, 0.5, FLIPS) - count) for value, count in zip(values, counts, strict=True)
        )
    )
    return Test(name, observed, p=float((1 + np.sum(drawn >= observed - 1e-9)) / (1 + FLIPS)))
