"""Random-effects matrix of mixed models with crossed random intercepts: its sparsity, and the order of its elimination.

Every observation belongs to one level of each factor (its worker, its item, ...), and the levels' effects are
``scale * v`` with v standard normal. Given weights w of the observations, a Newton step needs

    H = I + S Z'WZ S,    S = the scales on a diagonal,  Z = which observation belongs to which level.

Levels of one factor never share an observation, so each factor's own block is diagonal. A chain of nested factors (replies
within items, items within dialogues) can be eliminated one after another without fill-in: eliminating replies leaves the
block of their items diagonal. What is left (Schur's complement) has the size of the other factors together and is
factorised densely (``factorisation``): with 540 replies to 180 items, rated by 60 workers with 180 tastes, a matrix of 240
instead of 960. The chain is the one that leaves the smallest matrix. Davis (2006), "Direct Methods for Sparse Linear
Systems".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints, Values, as_floats
from trialogue.stats.resampling.clusters import codes_of


def validate_ratings(ratings: Values, factors: Mapping[str, Sequence[Any]]) -> Floats:
    """Validated ratings as numbers, shape (n,).

    Raises:
        UsageError: one is missing, or a factor has another number of values.
    """
    values = as_floats(ratings, "ratings")
    if np.isnan(values).any():
        raise UsageError("ratings contain missing values. Remove these rows, and report how many.")
    for name, levels in factors.items():
        if len(levels) != len(values):
            raise UsageError(
                f"{name} has {len(levels)} values for {len(values)} ratings; there must be one per rating."
            )
    return values


@dataclass(frozen=True, eq=False)
class LevelPairs:
    """Pairs of levels of two factors that share observations."""

    first: Ints
    second: Ints
    of_row: Ints
    """Shape (n,): which pair an observation belongs to."""

    def sums(self, weights: Floats) -> Floats:
        """Weights summed over the observations of each pair, shape (pairs,)."""
        return np.bincount(self.of_row, weights, minlength=len(self.first)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Border:
    """Sparsity pattern of an eliminated factor's block against the dense factors, in compressed rows."""

    rows: Ints
    """Level of the eliminated factor, shape (entries,)."""
    columns: Ints
    """Level of the dense factors, counted from the first of them, shape (entries,)."""
    pointers: Ints
    """Where each row begins, and the end, shape (levels + 1,)."""
    sorting: Ints
    """Order in which the pairs' sums, joined over the dense factors, are entries, shape (entries,)."""
    fill_targets: dict[str, Ints]
    """For each later factor of the chain: which entry of its border an entry of this one adds to when eliminated."""


class CrossedDesign:
    """Levels of each factor by observation, and the order in which they are eliminated.

    Args:
        factors: for each factor the level of every observation, all of one length.
    """

    def __init__(self, factors: Mapping[str, Sequence[Any]]) -> None:
        coded = {name: codes_of(list(levels)) for name, levels in factors.items()}
        self.names = tuple(coded)
        self.sizes = {name: len(levels) for name, (levels, _) in coded.items()}
        """Number of levels of each factor."""
        self.codes = {name: codes for name, (_, codes) in coded.items()}
        """Level of each observation, as a number from 0, shape (n,), by factor."""
        # The largest factor first: eliminating what has the most levels leaves the smallest dense matrix to factorise.
        by_size = sorted(self.names, key=lambda name: -self.sizes[name])
        self._pairs = {
            (a, b): _find_pairs(self.codes[a], self.codes[b], self.sizes[b])
            for place, a in enumerate(by_size)
            for b in by_size[place + 1 :]
        }
        self.chain = self._largest_chain(by_size)
        """Factors that are eliminated, each nested in the next."""
        self.others = tuple(name for name in by_size if name not in self.chain)
        """Factors whose block is factorised densely."""
        self._lay_out()
        self.outer_level_of = {
            (inner, outer): self._outer_levels(inner, outer)
            for place, inner in enumerate(self.chain)
            for outer in self.chain[place + 1 :]
        }
        """The level of a later factor of the chain that each level of an earlier one lies in."""
        self.borders = self._borders()

    def _lay_out(self) -> None:
        """Give each level its place in the vector of all effects: the chain's first, then the others'."""
        order = self.order = (*self.chain, *self.others)
        starts = np.cumsum([0, *(self.sizes[name] for name in order)])
        self.starts = dict(zip(order, starts.tolist(), strict=False))
        self.n_levels = int(starts[-1])
        self.n_chain_levels = sum(self.sizes[name] for name in self.chain)
        self.n_dense_levels = self.n_levels - self.n_chain_levels

    def _largest_chain(self, by_size: Sequence[str]) -> tuple[str, ...]:
        """The chain of nested factors with the most levels in all, so that the dense block is smallest."""

        def grow(chain: tuple[str, ...]) -> tuple[str, ...]:
            after = by_size[by_size.index(chain[-1]) + 1 :]
            longer = [grow((*chain, name)) for name in after if self._is_nested(chain[-1], name)]
            return max([chain, *longer], key=total)

        def total(chain: tuple[str, ...]) -> int:
            return sum(self.sizes[name] for name in chain)

        return max((grow((name,)) for name in by_size), key=total, default=())

    def _is_nested(self, inner: str, outer: str) -> bool:
        """Whether each level of one factor shares observations with one level of the other only."""
        return len(self.pairs(inner, outer).first) == self.sizes[inner]

    def _outer_levels(self, inner: str, outer: str) -> Ints:
        pairs = self.pairs(inner, outer)
        levels = np.zeros(self.sizes[inner], dtype=np.int64)
        levels[pairs.first] = pairs.second
        return levels

    def _borders(self) -> dict[str, Border]:
        """The pattern of each eliminated factor against the dense ones: it never changes, only the numbers do."""
        borders: dict[str, Border] = {}
        if not self.others:
            return borders
        keys: dict[str, Ints] = {}
        for name in reversed(self.chain):
            pairs = [self.pairs(name, other) for other in self.others]
            rows = np.concatenate([pair.first for pair in pairs])
            columns = np.concatenate(
                [
                    pair.second + self.starts[other] - self.n_chain_levels
                    for pair, other in zip(pairs, self.others, strict=True)
                ]
            )
            sorting = np.lexsort((columns, rows))
            rows, columns = rows[sorting], columns[sorting]
            keys[name] = rows * self.n_dense_levels + columns
            fill_targets = {
                outer: np.searchsorted(
                    keys[outer], self.outer_level_of[name, outer][rows] * self.n_dense_levels + columns
                )
                for outer in self.chain[self.chain.index(name) + 1 :]
            }
            borders[name] = Border(
                rows, columns, np.searchsorted(rows, np.arange(self.sizes[name] + 1)), sorting, fill_targets
            )
        return borders

    def span(self, name: str) -> slice:
        """Slice of a factor's levels in the vector of all effects."""
        return slice(self.starts[name], self.starts[name] + self.sizes[name])

    def spread(self, scales: Mapping[str, float], effects: Floats) -> Floats:
        """Z S v: contributions of the effects to each observation, shape (n,).

        Without factors it is a zero of shape (1,), to be broadcast: the number of observations is not known then.
        """
        return sum(
            (scales[name] * effects[self.span(name)][self.codes[name]] for name in self.order), start=np.zeros(1)
        )

    def gather(self, values: Floats) -> Floats:
        """Z' x: sums over the observations of each level, shape (levels,)."""
        if not self.order:
            return np.zeros(0)
        return np.concatenate(
            [np.bincount(self.codes[name], values, minlength=self.sizes[name]) for name in self.order]
        )

    def level_scales(self, scales: Mapping[str, float]) -> Floats:
        """Scale of each level's factor, shape (levels,)."""
        if not self.order:
            return np.zeros(0)
        return np.concatenate([np.full(self.sizes[name], scales[name]) for name in self.order])

    def pairs(self, a: str, b: str) -> LevelPairs:
        """Pairs of levels of two factors."""
        if (a, b) in self._pairs:
            return self._pairs[a, b]
        swapped = self._pairs[b, a]
        return LevelPairs(swapped.second, swapped.first, swapped.of_row)


def _find_pairs(first: Ints, second: Ints, size: int) -> LevelPairs:
    keys, of_row = np.unique(first * size + second, return_inverse=True)
    return LevelPairs(keys // size, keys % size, of_row.ravel().astype(np.int64))
