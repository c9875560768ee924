"""Random-effects matrix of mixed models with crossed random intercepts: its sparsity, and the order of its elimination.

Every observation belongs to one level of each factor (its worker, its item, ...), and the levels' effects are
``scale * v`` with v standard normal. Given weights w of the observations, a Newton step needs

    H = I + S Z'WZ S,    S = the scales on a diagonal,  Z = which observation belongs to which level.

Levels of one factor never share an observation, so each factor's own block is diagonal. A chain of nested factors (replies
within items, items within dialogues) can be eliminated one after another without fill-in: eliminating replies leaves the
block of their items diagonal. What is left (Schur's complement) has the size of the other factors together and is
factorised densely: with 540 replies to 180 items, rated by 60 workers with 180 tastes, a matrix of 240
instead of 960. The chain is the one that leaves the smallest matrix. Davis (2006), "Direct Methods for Sparse Linear
Systems".

Factorised random-effects matrix H of a crossed design: its determinant, its inverse times a vector, and parts of it.

See ``crossed`` for the matrix and why the chain of nested factors is eliminated first. With D the diagonal of the chain and
C its border, the blocks of the chain are eliminated as L D L', and what they leave of the dense block (its Schur complement)
by Cholesky.
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


@dataclass
class _Blocks:
    """Blocks of H, changed in place as the chain is eliminated."""

    diagonals: dict[str, Floats]
    """Diagonal of each factor's own block, shape (levels of it,)."""
    nested: dict[tuple[str, str], Floats]
    """Entries of a factor of the chain with a later one, shape (levels of the inner one,): each lies in one outer level."""
    border: dict[str, Floats]
    """Entries of a factor of the chain with the dense factors, as ``CrossedDesign.borders`` lists them."""
    schur: Floats
    """Block of the dense factors, shape (n_dense_levels, n_dense_levels)."""


class Factorisation:
    """Factorised H at some weights and scales.

    Args:
        crossing: the design.
        weights: weights of the observations, shape (n,), not negative.
        scales: scales of the factors.

    Raises:
        LinAlgError: H is not positive definite in floating-point numbers.
    """

    def __init__(self, crossing: CrossedDesign, weights: Floats, scales: Mapping[str, float]) -> None:
        self.crossing, self.scales = crossing, scales
        self.multipliers: dict[tuple[str, str], Floats] = {}
        """L: entries of an eliminated factor with a later one over its diagonal, shape (levels of the inner one,)."""
        self.scaled_border: dict[str, Any] = {}
        """D^-1 C: entries of an eliminated factor with the dense ones over its diagonal, a sparse matrix."""
        blocks = self._assemble(weights)
        self._eliminate_chain(blocks)
        self.diagonal = np.concatenate([np.zeros(0), *(blocks.diagonals[name] for name in crossing.chain)])
        """D, shape (n_chain_levels,)."""
        self.cholesky = _cholesky(blocks.schur)
        """Lower triangle of the Schur complement's factor, shape (n_dense_levels, n_dense_levels)."""

    def _assemble(self, weights: Floats) -> _Blocks:
        """H = I + S Z' W Z S, by blocks."""
        crossing, scales = self.crossing, self.scales
        sums = {
            name: np.bincount(crossing.codes[name], weights, minlength=crossing.sizes[name]).astype(np.float64)
            for name in crossing.order
        }
        diagonals = {name: 1 + scales[name] ** 2 * sums[name] for name in crossing.order}
        nested = {
            (inner, outer): scales[inner] * scales[outer] * sums[inner] for inner, outer in crossing.outer_level_of
        }
        border = {name: self._border_sums(name, weights) for name in crossing.borders}
        return _Blocks(diagonals, nested, border, self._dense_block(diagonals, weights))

    def _border_sums(self, name: str, weights: Floats) -> Floats:
        crossing, scales = self.crossing, self.scales
        sums = [scales[name] * scales[other] * crossing.pairs(name, other).sums(weights) for other in crossing.others]
        return np.concatenate(sums)[crossing.borders[name].sorting]

    def _dense_block(self, diagonals: Mapping[str, Floats], weights: Floats) -> Floats:
        crossing, scales = self.crossing, self.scales
        block = np.zeros((crossing.n_dense_levels, crossing.n_dense_levels), order="F")
        for place, a in enumerate(crossing.others):
            start = crossing.starts[a] - crossing.n_chain_levels
            own = np.arange(crossing.sizes[a]) + start
            block[own, own] = diagonals[a]
            for b in crossing.others[place + 1 :]:
                pairs = crossing.pairs(a, b)
                rows, columns = pairs.first + start, pairs.second + crossing.starts[b] - crossing.n_chain_levels
                block[rows, columns] = block[columns, rows] = scales[a] * scales[b] * pairs.sums(weights)
        return block

    def _eliminate_chain(self, blocks: _Blocks) -> None:
        """Innermost factor first: each of its levels touches one level of every outer factor, so elimination adds no new
        entries within the chain, and costs one pass over the levels."""
        crossing, diagonals, nested = self.crossing, blocks.diagonals, blocks.nested
        for place, name in enumerate(crossing.chain):
            later = crossing.chain[place + 1 :]
            for position, outer in enumerate(later, start=1):
                multiplier = self.multipliers[name, outer] = nested[name, outer] / diagonals[name]
                parent, size = crossing.outer_level_of[name, outer], crossing.sizes[outer]
                diagonals[outer] = diagonals[outer] - np.bincount(parent, multiplier * nested[name, outer], size)
                for further in later[position:]:
                    fill = np.bincount(parent, multiplier * nested[name, further], size)
                    nested[outer, further] = nested[outer, further] - fill
            if blocks.border:
                self._eliminate_border(name, blocks)

    def _eliminate_border(self, name: str, blocks: _Blocks) -> None:
        """Subtract what an eliminated factor leaves on the borders of the later ones, and on the dense block."""
        from scipy.sparse import csr_array

        crossing, pattern, border = self.crossing, self.crossing.borders[name], blocks.border
        for outer, targets in pattern.fill_targets.items():
            fill = self.multipliers[name, outer][pattern.rows] * border[name]
            border[outer] = border[outer] - np.bincount(targets, fill, len(border[outer]))
        shape = (crossing.sizes[name], crossing.n_dense_levels)
        block = csr_array((border[name], pattern.columns, pattern.pointers), shape=shape)
        scaled = border[name] / blocks.diagonals[name][pattern.rows]
        self.scaled_border[name] = csr_array((scaled, pattern.columns, pattern.pointers), shape=shape)
        product = (self.scaled_border[name].T @ block).tocoo()
        blocks.schur[product.row, product.col] -= product.data

    @property
    def log_determinant(self) -> float:
        """log |H|."""
        return float(np.sum(np.log(self.diagonal)) + 2 * np.sum(np.log(np.diag(self.cholesky))))

    def solve(self, right: Floats) -> Floats:
        """H^-1 b for b of shape (n_levels,) or (n_levels, k)."""
        from scipy.linalg import cho_solve

        if right.ndim == 2:
            return np.column_stack([self.solve(column) for column in right.T])
        crossing = self.crossing
        parts = {name: right[crossing.span(name)].copy() for name in crossing.chain}
        for (inner, outer), multiplier in self.multipliers.items():  # inner factors come first
            parent = crossing.outer_level_of[inner, outer]
            parts[outer] -= np.bincount(parent, multiplier * parts[inner], crossing.sizes[outer])
        dense = right[crossing.n_chain_levels :]
        if crossing.n_dense_levels:
            from_chain = sum(self.scaled_border[name].T @ parts[name] for name in crossing.chain)
            dense = cho_solve((self.cholesky, True), dense - from_chain, check_finite=False)
        for place in reversed(range(len(crossing.chain))):
            name = crossing.chain[place]
            parts[name] = parts[name] / self.diagonal[crossing.span(name)]
            if crossing.n_dense_levels:
                parts[name] -= self.scaled_border[name] @ dense
            for outer in crossing.chain[place + 1 :]:
                parts[name] -= self.multipliers[name, outer] * parts[outer][crossing.outer_level_of[name, outer]]
        return np.concatenate([*(parts[name] for name in crossing.chain), dense])

    def posterior_covariances(self) -> dict[str, Floats]:
        """For each factor f the sums over factors g of scale_g * H^-1[level of f, level of g], shape (n,) each.

        That is the posterior covariance of the observation's own effect of f and its linear predictor. Times scale_f and
        summed over f, it is the posterior variance of the linear predictor.
        """
        crossing, scales = self.crossing, self.scales
        if not crossing.order:
            return {}
        inverse = self._dense_inverse()
        negated_cross = self._negated_cross_inverse(inverse)
        covariances = {name: np.zeros(len(crossing.codes[name])) for name in crossing.order}
        # Blocks of H^-1 within the chain, then between chain and dense factors, then within those; off-diagonal blocks
        # count once for each of their two factors.
        for (a, b), block in self._chain_inverse(negated_cross).items():
            values = block[crossing.codes[a]]
            covariances[a] += scales[b] * values
            if a != b:
                covariances[b] += scales[a] * values
        at = {name: crossing.codes[name] + crossing.starts[name] - crossing.n_chain_levels for name in crossing.others}
        for a in crossing.others:
            for name, block in negated_cross.items():
                values = block[crossing.codes[name], at[a]]
                covariances[name] -= scales[a] * values
                covariances[a] -= scales[name] * values
            for b in crossing.others:
                covariances[a] += scales[b] * inverse[at[a], at[b]]
        return covariances

    def _dense_inverse(self) -> Floats:
        """H^-1 of the dense factors: the inverse of the Schur complement, shape (n_dense_levels, n_dense_levels)."""
        from scipy.linalg.lapack import dpotri

        if not self.crossing.n_dense_levels:
            return self.cholesky
        inverse, _ = dpotri(self.cholesky, lower=1)
        lower: Floats = np.tril(inverse)
        return np.asarray(lower + np.tril(lower, -1).T)

    def _negated_cross_inverse(self, inverse: Floats) -> dict[str, Floats]:
        """- H^-1 between each eliminated factor and the dense ones, shape (levels of it, n_dense_levels)."""
        crossing = self.crossing
        blocks: dict[str, Floats] = {}
        if not crossing.n_dense_levels:
            return blocks
        for place in reversed(range(len(crossing.chain))):
            name = crossing.chain[place]
            block = self.scaled_border[name] @ inverse
            for outer in crossing.chain[place + 1 :]:
                block -= self.multipliers[name, outer][:, None] * blocks[outer][crossing.outer_level_of[name, outer]]
            blocks[name] = block
        return blocks

    def _chain_inverse(self, negated_cross: Mapping[str, Floats]) -> dict[tuple[str, str], Floats]:
        """H^-1 between each level of an eliminated factor and the level of a later one (or its own) that it lies in.

        From the outermost factor inwards, since each block rests on those of the outer factors (Takahashi's equations).
        """
        chain, outer_level_of = self.crossing.chain, self.crossing.outer_level_of
        inverse: dict[tuple[str, str], Floats] = {}
        for place in reversed(range(len(chain))):
            a = chain[place]
            for b in reversed(chain[place:]):
                value = 1 / self.diagonal[self.crossing.span(a)] if a == b else np.zeros(self.crossing.sizes[a])
                if negated_cross:
                    value = value + self._border_products(a, b, negated_cross[b])
                for m in chain[place + 1 :]:
                    inner, outer = (m, b) if chain.index(m) <= chain.index(b) else (b, m)
                    entry = inverse[inner, outer]
                    value = value - self.multipliers[a, m] * (entry if inner == a else entry[outer_level_of[a, inner]])
                inverse[a, b] = value
        return inverse

    def _border_products(self, a: str, b: str, negated_cross: Floats) -> Floats:
        """For each level of a, its row of D^-1 C times the row of ``negated_cross`` of the level of b that it lies in."""
        border = self.crossing.borders[a]
        levels = border.rows if a == b else self.crossing.outer_level_of[a, b][border.rows]
        products = self.scaled_border[a].data * negated_cross[levels, border.columns]
        return np.bincount(border.rows, products, self.crossing.sizes[a]).astype(np.float64)


def _cholesky(matrix: Floats) -> Floats:
    from scipy.linalg.lapack import dpotrf

    if not len(matrix):
        return matrix
    lower, info = dpotrf(matrix, lower=1, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError("the matrix of the random effects is not positive definite")
    return np.asarray(lower)
