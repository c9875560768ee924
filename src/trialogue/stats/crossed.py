"""Crossed random intercepts: the matrix that mixed models of ratings have to factorise at every step.

Every observation belongs to one level of each factor (its worker, its item, ...), and the levels' effects are
``scale * v`` with v standard normal. Given weights w of the observations, a Newton step needs

    H = I + S Z'WZ S,    S = the scales on a diagonal,  Z = which observation belongs to which level.

Levels of one factor never share an observation, so the block of the factor with the most levels is diagonal. It is
eliminated; what is left (Schur's complement) has the size of the other factors together and is factorised densely. With
540 responses, 180 items and 60 workers that is a matrix of 240 instead of 780.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints, Values, as_floats
from trialogue.stats.clusters import codes_of


def crossed_ratings(ratings: Values, random: Mapping[str, Sequence[Any]]) -> Floats:
    """The ratings as numbers, shape (n,).

    Raises:
        UsageError: one is missing, or a factor has another number of values.
    """
    values = as_floats(ratings, "ratings")
    if np.isnan(values).any():
        raise UsageError("ratings hold a missing one; leave it out and say how many.")
    for name, levels in random.items():
        if len(levels) != len(values):
            raise UsageError(
                f"{name} has {len(levels)} values for {len(values)} ratings; they belong together row by row."
            )
    return values


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of levels of two factors that share observations."""

    first: Ints
    second: Ints
    of_row: Ints
    """Shape (n,): which pair an observation belongs to."""

    def sums(self, weights: Floats) -> Floats:
        """Weights summed over the observations of each pair."""
        return np.bincount(self.of_row, weights, minlength=len(self.first)).astype(np.float64)


class Crossing:
    """Which observation belongs to which level of which factor.

    Args:
        factors: for each factor the level of every observation, all of one length.
    """

    def __init__(self, factors: Mapping[str, Sequence[Any]]) -> None:
        coded = {name: codes_of(list(levels)) for name, levels in factors.items()}
        self.names = tuple(coded)
        self.sizes = {name: len(levels) for name, (levels, _) in coded.items()}
        order = sorted(self.names, key=lambda name: -self.sizes[name])
        self.order = tuple(order)
        self.codes = {name: codes for name, (_, codes) in coded.items()}
        starts = np.cumsum([0, *(self.sizes[name] for name in order)])
        self.starts = dict(zip(order, starts.tolist(), strict=False))
        self.levels = int(starts[-1])
        self.first = self.sizes[order[0]] if order else 0
        self.rest = self.levels - self.first
        self._pairs = {
            (a, b): _pairs(self.codes[a], self.codes[b], self.sizes[b])
            for place, a in enumerate(order)
            for b in order[place + 1 :]
        }

    def span(self, name: str) -> slice:
        """Where the effects of a factor's levels are in a vector of all effects."""
        return slice(self.starts[name], self.starts[name] + self.sizes[name])

    def spread(self, scales: Mapping[str, float], effects: Floats) -> Floats:
        """Z S v: what the effects add to each observation, shape (n,)."""
        return sum(
            (scales[name] * effects[self.span(name)][self.codes[name]] for name in self.order), start=np.zeros(1)
        )

    def gathered(self, values: Floats) -> Floats:
        """Z' x: values summed over the observations of each level, shape (levels,)."""
        if not self.order:
            return np.zeros(0)
        return np.concatenate(
            [np.bincount(self.codes[name], values, minlength=self.sizes[name]) for name in self.order]
        )

    def scaled(self, scales: Mapping[str, float]) -> Floats:
        """The scale of each level's factor, shape (levels,)."""
        if not self.order:
            return np.zeros(0)
        return np.concatenate([np.full(self.sizes[name], scales[name]) for name in self.order])

    def factorised(self, weights: Floats, scales: Mapping[str, float]) -> "Factor":
        """H at these weights and scales, ready to solve."""
        return Factor(self, weights, scales)

    def pairs(self, a: str, b: str) -> _Pairs:
        """Pairs of levels of two factors, the earlier one in ``order`` first."""
        return self._pairs[a, b]


def _pairs(first: Ints, second: Ints, size: int) -> _Pairs:
    keys, of_row = np.unique(first * size + second, return_inverse=True)
    return _Pairs(keys // size, keys % size, of_row.ravel().astype(np.int64))


class Factor:
    """H, with its largest block eliminated and the rest in Cholesky's form."""

    def __init__(self, crossing: Crossing, weights: Floats, scales: Mapping[str, float]) -> None:
        from scipy.linalg import cholesky

        self.crossing, self.scales = crossing, scales
        own = {
            name: 1 + scales[name] ** 2 * np.bincount(crossing.codes[name], weights, minlength=crossing.sizes[name])
            for name in crossing.order
        }
        self.diagonal = own[crossing.order[0]] if crossing.order else np.zeros(0)
        self.cross = self._cross(weights)
        left = np.zeros((crossing.rest, crossing.rest))
        for name in crossing.order[1:]:
            at = np.arange(crossing.sizes[name]) + crossing.starts[name] - crossing.first
            left[at, at] = own[name]
        for (a, b), pairs in crossing._pairs.items():
            if a != crossing.order[0]:
                sums = scales[a] * scales[b] * pairs.sums(weights)
                rows, columns = (
                    pairs.first + crossing.starts[a] - crossing.first,
                    pairs.second + crossing.starts[b] - crossing.first,
                )
                left[rows, columns] = sums
                left[columns, rows] = sums
        if crossing.rest:
            self.reduced = self.cross.multiply(1 / self.diagonal[:, None]).tocsr()
            left -= (self.reduced.T @ self.cross).toarray()
        self.lower: Floats = cholesky(left, lower=True, check_finite=False) if crossing.rest else left

    def _cross(self, weights: Floats) -> Any:
        """The block between the eliminated factor and the others, sparse."""
        from scipy.sparse import csr_array

        crossing = self.crossing
        if not crossing.rest:
            return None
        head = crossing.order[0]
        rows, columns, sums = [], [], []
        for name in crossing.order[1:]:
            pairs = crossing.pairs(head, name)
            rows.append(pairs.first)
            columns.append(pairs.second + crossing.starts[name] - crossing.first)
            sums.append(self.scales[head] * self.scales[name] * pairs.sums(weights))
        places = (np.concatenate(rows), np.concatenate(columns))
        return csr_array((np.concatenate(sums), places), shape=(crossing.first, crossing.rest))

    @property
    def log_determinant(self) -> float:
        """log |H|."""
        return float(np.sum(np.log(self.diagonal)) + 2 * np.sum(np.log(np.diag(self.lower))))

    def solve(self, right: Floats) -> Floats:
        """H^-1 b for b of shape (levels,) or (levels, k)."""
        from scipy.linalg import cho_solve

        first = self.crossing.first
        top = right[:first]
        diagonal = self.diagonal if right.ndim == 1 else self.diagonal[:, None]
        if not self.crossing.rest:
            return np.asarray(top / diagonal)
        bottom = cho_solve((self.lower, True), right[first:] - self.reduced.T @ top, check_finite=False)
        return np.concatenate([(top - self.cross @ bottom) / diagonal, bottom])

    def leverages(self) -> dict[str, Floats]:
        """For each factor f the sums over factors g of scale_g * H^-1[level of f, level of g], shape (n,) each.

        Times scale_f and summed over f, that is the posterior variance of each observation's linear predictor.
        """
        from scipy.linalg import cho_solve

        crossing, scales = self.crossing, self.scales
        if not crossing.order:
            return {}
        head, others = crossing.order[0], crossing.order[1:]
        inverse = 1 / self.diagonal
        found = {name: np.zeros(len(crossing.codes[name])) for name in crossing.order}
        if others:
            rest = cho_solve((self.lower, True), np.eye(crossing.rest), check_finite=False)
            middle = self.reduced @ rest
            inverse = inverse + np.asarray(self.reduced.multiply(middle).sum(axis=1)).ravel()
            at = {name: crossing.codes[name] + crossing.starts[name] - crossing.first for name in others}
            for a in others:
                between = -middle[crossing.codes[head], at[a]]
                found[head] += scales[a] * between
                found[a] += scales[head] * between
                for b in others:
                    found[a] += scales[b] * rest[at[a], at[b]]
        found[head] += scales[head] * inverse[crossing.codes[head]]
        return found
