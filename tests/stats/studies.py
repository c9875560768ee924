"""Ratings with known effects, and published ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ratings:
    """Ratings in a row each."""

    rating: list[float]
    worker: list[int]
    item: list[int]
    system: list[str]

    @property
    def taste(self) -> list[str]:
        return [f"{worker}:{system}" for worker, system in zip(self.worker, self.system, strict=True)]

    def reordered(self, order: Sequence[int]) -> "Ratings":
        return Ratings(
            [self.rating[i] for i in order],
            [self.worker[i] for i in order],
            [self.item[i] for i in order],
            [self.system[i] for i in order],
        )


def ratings_of(
    rng: np.random.Generator,
    *,
    workers: int,
    step: float,
    situations: int = 9,
    systems: int = 3,
    pool: int = 60,
    worker: float = 0.8,
    item: float = 0.6,
    taste: float = 0.0,
) -> Ratings:
    """Workers rate all systems in some of a pool of situations, on 5 points; effects in logits."""
    own, height = rng.normal(0, worker, workers), rng.normal(0, item, pool)
    tastes = rng.normal(0, taste, (workers, systems))
    rows = []
    for w in range(workers):
        for i in rng.choice(pool, situations, replace=False):
            for s in range(systems):
                eta = own[w] + height[i] + tastes[w, s] + step * s + rng.logistic()
                rows.append((1.0 + int(np.searchsorted([-2, -0.7, 0.7, 2], eta)), w, int(i), f"s{s}"))
    ratings, people, items, names = zip(*rows, strict=True)
    return Ratings(list(ratings), list(people), list(items), list(names))


@dataclass(frozen=True)
class Wine:
    """Bitterness of wines, 1 to 5, by nine judges (Randall 1989)."""

    rating: list[float]
    fixed: dict[str, list[str]]
    rater: list[int]


_BOTTLES = (  # temperature, contact, ratings of judges 1 to 9; two bottles each
    ("cold", "no", "212323121"),
    ("cold", "no", "323232122"),
    ("cold", "yes", "313343223"),
    ("cold", "yes", "432232232"),
    ("warm", "no", "425332233"),
    ("warm", "no", "435234332"),
    ("warm", "yes", "554535234"),
    ("warm", "yes", "544334344"),
)
_ROWS = [
    (float(rating), temperature, contact, judge)
    for temperature, contact, ratings in _BOTTLES
    for judge, rating in enumerate(ratings)
]
WINE = Wine(
    [row[0] for row in _ROWS],
    {"temp": [row[1] for row in _ROWS], "contact": [row[2] for row in _ROWS]},
    [row[3] for row in _ROWS],
)
