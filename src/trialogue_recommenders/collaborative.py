"""Collaborative filtering: item vectors from a truncated SVD of the ratings (PureSVD), and item popularity.

Rows are users, columns items; a rating weighs ``0.5 + its relative position on the scale``, so that having chosen an item
counts for it and having liked it counts for more. The right singular vectors times the root of their singular values,
at unit length, are the items. Cremonesi, Koren and Turrin (RecSys 2010), "Performance of Recommender Algorithms on
Top-N Recommendation Tasks", sec. 3.2. The solver is ARPACK with a fixed start: the same ratings give the same vectors.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trialogue.catalogue import Ratings
from trialogue.seeds import rng_for
from trialogue_recommenders.content import Scores, best

DIMENSIONS = 32
SHRINK = 50.0  # ratings of an item from which its likeness to others counts half; of few, it is mostly chance
DISLIKE = 0.5  # a stated dislike says less than a stated like
PRIOR = 5.0  # ratings of average value that every item gets before its mean counts
DECIMALS = 5  # of scores: what another number of threads may change is behind them


class Collaborative:
    """Item vectors from people's ratings.

    >>> rows = [(user, item, 5.0) for user, items in (("a", "12"), ("b", "12"), ("c", "34"), ("d", "34")) for item in items]
    >>> from trialogue.catalogue import Scale
    >>> model = Collaborative("1234", Ratings.from_rows(rows, scale=Scale(1, 5, 1)))
    >>> model.similar("1", n=1), model.recommend(["3"], n=1)
    (('2',), ('4',))
    """

    def __init__(self, ids: Sequence[str], ratings: Ratings | None) -> None:
        """Fit the vectors.

        Args:
            ids: the items, in the order of all arrays; those without ratings are like nothing and not popular.
            ratings: ratings of these or other items; None, or none at all, makes every score 0.
        """
        self.ids = tuple(ids)
        self._place = {item_id: place for place, item_id in enumerate(self.ids)}
        self.vectors, self.popularity = _vectors(self.ids, ratings), popularity_of(self.ids, ratings)
        counts = {} if ratings is None else ratings.popularity()
        self.support = np.array([counts.get(item_id, 0) / (counts.get(item_id, 0) + SHRINK) for item_id in self.ids])

    def similar(self, item_id: str, *, n: int = 10) -> tuple[str, ...]:
        """Ids of the items liked by the same people, closest first; () for an item without ratings.

        Raises:
            KeyError: there is no such item.
        """
        scores = self.scores({self._place[item_id]: 1.0}).copy()
        scores[self._place[item_id]] = 0.0
        return tuple(self.ids[place] for place in best(scores, n))

    def recommend(
        self, liked: Iterable[str], disliked: Iterable[str] = (), *, n: int = 10, without: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Ids of the items recommended for likes and dislikes, best first, without the named ones.

        Somebody of whom nothing is known is recommended what is popular. Items the catalogue lacks are passed over.
        """
        opinions = {place: 1.0 for item_id in liked if (place := self._place.get(item_id)) is not None}
        opinions |= {place: -DISLIKE for item_id in disliked if (place := self._place.get(item_id)) is not None}
        scores = (self.scores(opinions) if opinions else self.popularity).copy()
        scores[[*opinions, *(self._place[item_id] for item_id in without if item_id in self._place)]] = 0.0
        return tuple(self.ids[place] for place in best(scores, n))

    def scores(self, opinions: dict[int, float]) -> Scores:
        """Similarity of every item to the liked minus the disliked ones, from -1 to 1, shape (n_items,).

        It is the weighted mean of the cosines with these items, each times n / (n + 50) for the ratings of the one and of
        the other item; after the shrunk correlation of Koren (KDD 2008), "Factorization Meets the Neighborhood", who counts
        common raters.

        Args:
            opinions: weight by place of the item, above 0 where liked; {} scores 0 throughout.
        """
        wanted = np.zeros(self.vectors.shape[1], dtype=np.float64)
        for place, weight in opinions.items():
            wanted += weight * self.support[place] * self.vectors[place]
        total = sum(map(abs, opinions.values())) or 1.0
        return np.asarray(np.round(self.support * (self.vectors @ wanted) / total, DECIMALS), dtype=np.float32)


def popularity_of(ids: tuple[str, ...], ratings: Ratings | None) -> Scores:
    """Popularity of each item, from 0 (never rated) to 1 (the most popular), shape (n_items,).

    It goes with how often the item was rated, in logarithms, times its mean rating, shrunk to the mean of all.
    """
    known, places = _places(ids, ratings)
    if ratings is None or not known.any():
        return np.zeros(len(ids), dtype=np.float32)
    values = (ratings.values[known].astype(np.float64) - ratings.scale.low) / (ratings.scale.high - ratings.scale.low)
    counts = np.bincount(places[known], minlength=len(ids))
    sums = np.bincount(places[known], weights=values, minlength=len(ids))
    means = (sums + PRIOR * values.mean()) / (counts + PRIOR)
    popularity = means * np.log1p(counts)
    return np.asarray(np.round(popularity / max(popularity.max(), 1e-9), DECIMALS), dtype=np.float32)


def _vectors(ids: tuple[str, ...], ratings: Ratings | None) -> NDArray[np.float64]:
    """One unit vector for every item, 0 without ratings; shape (n_items, dimensions)."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import svds

    known, places = _places(ids, ratings)
    vectors = np.zeros((len(ids), 1))
    if ratings is None or not known.any():
        return vectors
    scale = ratings.scale
    weights = 0.5 + (ratings.values[known].astype(np.float64) - scale.low) / (scale.high - scale.low)
    shape = (len(ratings.users), len(ids))
    table = csr_array((weights, (ratings.user_codes[known], places[known])), shape=shape)
    dimensions = min(DIMENSIONS, min(shape) - 1)
    if dimensions < 1:
        return vectors
    start = rng_for(0, "truncated SVD").uniform(-1, 1, min(shape))
    _, singular, components = svds(table, k=dimensions, v0=start)
    vectors = np.asarray(components.T * np.sqrt(singular), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(lengths > 1e-9, vectors / np.maximum(lengths, 1e-9), 0.0)


def _places(ids: tuple[str, ...], ratings: Ratings | None) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """(which ratings are of these items, the place of each rating's item among them)."""
    if ratings is None:
        return np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64)
    place = {item_id: number for number, item_id in enumerate(ids)}
    places = np.array([place.get(item_id, -1) for item_id in ratings.items], dtype=np.int64)[ratings.item_codes]
    return places >= 0, places
