"""Factorised random-effects matrix H of a crossed design: its determinant, its inverse times a vector, and parts of it.

See ``crossed`` for the matrix and why the chain of nested factors is eliminated first. With D the diagonal of the chain and
C its border, the blocks of the chain are eliminated as L D L', and what they leave of the dense block (its Schur complement)
by Cholesky.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.crossed import CrossedDesign


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
