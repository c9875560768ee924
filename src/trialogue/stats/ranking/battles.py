"""Battles of two contestants, and what they say: win rates, Elo, and wins, losses and ties per pair.

``bradley_terry`` turns battles into strengths that do not depend on the pairing of contestants; ``elo`` is there for
comparison.

Elo ratings, for comparison with publications, and their dependence on the order of the battles.

Elo updates after each battle, so the same battles in another order give other ratings. If all battles are known
beforehand there is no reason to use it; ``bradley_terry`` has no order.

Wins, losses and ties between two sides: shares, and tests clustered by rater or item.

Three people judging one pair of dialogues, or one person judging ten pairs, give correlated judgements, and a binomial
test of all of them finds differences that do not exist. It is included because papers report it; the clustered one
decides.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.arrays import CELLS, Floats, Ints, check_confidence, check_count, check_same_length
from trialogue.stats.comparison.inference import wilson
from trialogue.stats.mixed_models.fixed_effects import Test
from trialogue.stats.resampling.bootstrap import bootstrap_sums, cluster_sums
from trialogue.stats.resampling.clusters import codes_of

Choice: TypeAlias = Literal["a", "b", "tie"]
TieRule: TypeAlias = Literal["half", "drop"]


class Battle(Protocol):
    """Protocol of battles; any object with these four attributes will do."""

    @property
    def a(self) -> str:
        """First contestant."""
        ...

    @property
    def b(self) -> str:
        """Second contestant."""
        ...

    @property
    def choice(self) -> Choice:
        """The preferred side, or a tie."""
        ...

    @property
    def rater(self) -> str | None:
        """The rater; battles of one rater are resampled together. None: a different rater every time."""
        ...


@dataclass(frozen=True)
class Vote:
    """A battle."""

    a: str
    """Name of one contestant."""
    b: str
    """Name of the other contestant."""
    choice: Choice
    """The side that is preferred, or ``tie``."""
    rater: str | None = None
    """Code of the rater, whose battles are resampled together; None: a different rater every time."""


@dataclass(frozen=True)
class WinRate:
    """Win rate of one contestant."""

    name: str
    """Name of the contestant."""
    wins: int
    """Number of battles it won."""
    ties: int
    """Battles without a winner."""
    losses: int
    """Number of battles it lost."""
    rate: Estimate
    """Its win rate with Wilson interval; undefined without battles that count."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Battles as arrays."""

    names: tuple[str, ...]
    """Contestants, sorted."""
    a: Ints
    """Index of one contestant, shape (n,)."""
    b: Ints
    """Index of the other, shape (n,)."""
    score: Floats
    """1 if a won, 0 if b did, 1/2 for a tie, shape (n,)."""
    raters: tuple[Hashable, ...]
    """Cluster of each battle."""


def tally(battles: Sequence[Battle]) -> Tally:
    """Convert battles to arrays, in order.

    Raises:
        UsageError: if a contestant meets itself, or a choice is none of a, b and tie.
    """
    scores = {"a": 1.0, "b": 0.0, "tie": 0.5}
    for number, battle in enumerate(battles):
        if battle.a == battle.b:
            raise UsageError(
                f"battle {number} pits {battle.a!r} against itself; a battle needs two different contestants."
            )
        if battle.choice not in scores:
            raise UsageError(f"battle {number} has the choice {battle.choice!r}; known: a, b, tie.")
    names = tuple(sorted({name for battle in battles for name in (battle.a, battle.b)}))
    index = {name: place for place, name in enumerate(names)}
    return Tally(
        names,
        np.array([index[battle.a] for battle in battles], dtype=np.int64),
        np.array([index[battle.b] for battle in battles], dtype=np.int64),
        np.array([scores[battle.choice] for battle in battles], dtype=np.float64),
        tuple(("battle", i) if battle.rater is None else ("rater", battle.rater) for i, battle in enumerate(battles)),
    )


def win_rates(battles: Sequence[Battle], *, ties: TieRule = "half", confidence: float = 0.95) -> tuple[WinRate, ...]:
    """Share of battles won by each contestant, best first, ties by name.

    Args:
        battles: in any order.
        ties: ``half``: a tie is half a win (the published win rates of CRSArena-Dial count so: .764 is 27.5 of 36);
            ``drop``: ties are left out.
        confidence: confidence level of the Wilson intervals, which take battles for independent.

    A win rate depends on the opponents; see ``bradley_terry``.

    >>> best, worst = win_rates([Vote("x", "y", "a"), Vote("y", "x", "tie")])
    >>> best.name, best.rate.value, worst.rate.value
    ('x', 0.75, 0.25)
    """
    if ties not in get_args(TieRule):
        raise UsageError(f"There is no rule {ties!r} for ties. Known: {', '.join(get_args(TieRule))}.")
    table = tally(battles)
    found = [_win_rate(table, place, ties, confidence) for place in range(len(table.names))]
    return tuple(sorted(found, key=lambda one: (-1.0 if one.rate.value is None else -one.rate.value, one.name)))


def _win_rate(table: Tally, place: int, ties: TieRule, confidence: float) -> WinRate:
    own = np.concatenate([table.score[table.a == place], 1 - table.score[table.b == place]])
    wins, drawn, losses = (int(np.sum(own == score)) for score in (1.0, 0.5, 0.0))
    rate = wilson(wins + drawn / 2, len(own), confidence=confidence)
    if ties == "drop":
        rate = wilson(wins, wins + losses, confidence=confidence)
    return WinRate(table.names[place], wins, drawn, losses, rate)


@dataclass(frozen=True)
class EloRating:
    """One contestant's final Elo rating."""

    name: str
    """Name of the contestant."""
    rating: float
    """In Elo points."""
    battles: int
    """Battles it took part in."""


@dataclass(frozen=True)
class EloSpread:
    """Variation of one contestant's rating over orders of the battles."""

    name: str
    """Name of the contestant."""
    rating: float
    """With the battles in the order given."""
    mean: float
    """Mean over shuffled orders."""
    sd: float
    """Standard deviation over shuffled orders."""
    rank: int
    """With the battles in the order given; 1 for the best."""
    rank_low: int
    """Best rank in any shuffled order."""
    rank_high: int
    """Worst rank in any shuffled order."""


def elo(
    battles: Sequence[Battle], *, k: float = 16, initial: float = 1000, scale: float = 400
) -> tuple[EloRating, ...]:
    """Elo ratings after the battles in the given order, best first, ties by name.

    Args:
        battles: in the order they happened.
        k: points at stake in each battle.
        initial: rating before the first battle.
        scale: a lead of this much means odds of 10 to 1.

    After a battle a gains k * (score - 1 / (1 + 10^((b - a) / scale))), and b loses as much; a tie scores 1/2. Elo
    (1978), "The Rating of Chessplayers, Past and Present".

    The ratings published with CRSArena-Dial (WSDM 2025) come out to the unit with these defaults over all 185 votes,
    the doubled one included, in the order of the files: the open study's first, then the crowdsourced one's.

    >>> from trialogue.stats.ranking.battles import Vote
    >>> [(one.name, one.rating) for one in elo([Vote("x", "y", "a")])]
    [('x', 1008.0), ('y', 992.0)]
    """
    table = tally(battles)
    ratings = _ratings(table, np.arange(len(table.a))[None], k=k, initial=initial, scale=scale)[0]
    taking_part = np.bincount(np.concatenate([table.a, table.b]), minlength=len(table.names))
    found = [EloRating(*one) for one in zip(table.names, ratings.tolist(), taking_part.tolist(), strict=True)]
    return tuple(sorted(found, key=lambda one: (-one.rating, one.name)))


def elo_order_dependence(
    battles: Sequence[Battle],
    *,
    rng: np.random.Generator,
    shuffles: int = 1_000,
    k: float = 16,
    initial: float = 1000,
    scale: float = 400,
) -> tuple[EloSpread, ...]:
    """Variation of ratings and ranks over random orders of the same battles; best first in the given order.

    Arguments as for ``elo``; all ``shuffles`` orders are rated at once.
    """
    check_count(shuffles, "shuffles", least=2)
    table = tally(battles)
    given = _ratings(table, np.arange(len(table.a))[None], k=k, initial=initial, scale=scale)
    rows = max(1, CELLS // max(1, len(table.a)))
    sizes = [min(rows, shuffles - start) for start in range(0, shuffles, rows)]
    orders = (rng.permuted(np.tile(np.arange(len(table.a)), (size, 1)), axis=1) for size in sizes)
    shuffled = np.concatenate([_ratings(table, order, k=k, initial=initial, scale=scale) for order in orders])
    ranks, rank = _ranks(shuffled), _ranks(given)[0]
    found = [
        EloSpread(
            name,
            rating=float(given[0, i]),
            mean=float(shuffled[:, i].mean()),
            sd=float(shuffled[:, i].std(ddof=1)),
            rank=int(rank[i]),
            rank_low=int(ranks[:, i].min()),
            rank_high=int(ranks[:, i].max()),
        )
        for i, name in enumerate(table.names)
    ]
    return tuple(sorted(found, key=lambda one: (-one.rating, one.name)))


def _ratings(table: Tally, orders: Ints, *, k: float, initial: float, scale: float) -> Floats:
    """Final ratings, shape (orders, contestants), of several orders of the battles, shape (orders, battles)."""
    ratings = np.full((len(orders), len(table.names)), float(initial))
    row = np.arange(len(orders))
    for battle in orders.T:
        a, b = table.a[battle], table.b[battle]
        expected = 1 / (1 + 10 ** ((ratings[row, b] - ratings[row, a]) / scale))
        gain = k * (table.score[battle] - expected)
        ratings[row, a] += gain
        ratings[row, b] -= gain
    return ratings


def _ranks(ratings: Floats) -> Ints:
    """Ranks in each row, 1 for the highest."""
    higher: Ints = (ratings[:, None, :] > ratings[:, :, None]).sum(axis=2)
    return 1 + higher


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
