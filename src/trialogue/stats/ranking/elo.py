"""Elo ratings, for comparison with publications, and their dependence on the order of the battles.

Elo updates after each battle, so the same battles in another order give other ratings. If all battles are known
beforehand there is no reason to use it; ``bradley_terry`` has no order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.stats.arrays import CELLS, Floats, Ints, check_count
from trialogue.stats.ranking.battles import Battle, Tally, tally


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
