"""Pairwise battles and win rates: two contestants, and a rater who prefers one of them or declares a tie.

``bradley_terry`` turns battles into strengths that do not depend on the pairing of contestants; ``elo`` is there for
comparison.

Elo ratings, for comparison with publications, and their dependence on the order of the battles.

Elo updates after each battle, so the same battles in another order give other ratings. If all battles are known
beforehand there is no reason to use it; ``bradley_terry`` has no order.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate
from trialogue.stats.arrays import CELLS, Floats, Ints, check_count
from trialogue.stats.comparison.inference import wilson

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
    """One contestant."""
    b: str
    """The other."""
    choice: Choice
    """Preferred contestant."""
    rater: str | None = None
    """Rater."""


@dataclass(frozen=True)
class WinRate:
    """Win rate of one contestant."""

    name: str
    """The contestant."""
    wins: int
    """Battles it won."""
    ties: int
    """Battles without a winner."""
    losses: int
    """Battles it lost."""
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
    """The contestant."""
    rating: float
    """In Elo points."""
    battles: int
    """Battles it took part in."""


@dataclass(frozen=True)
class EloSpread:
    """Variation of one contestant's rating over orders of the battles."""

    name: str
    """The contestant."""
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
