"""Sparse factorisation of the random-effects matrix of mixed models with crossed random intercepts.

Every observation belongs to one level of each factor (its worker, its item, ...), and the levels' effects are
``scale * v`` with v standard normal. Given weights w of the observations, a Newton step needs

    H = I + S Z'WZ S,    S = the scales on a diagonal,  Z = which observation belongs to which level.

Levels of one factor never share an observation, so each factor's own block is diagonal. A chain of nested factors (replies
within items, items within dialogues) can be eliminated one after another without fill-in: eliminating replies
leaves the block of their items diagonal. What is left (Schur's complement) has the size of the other factors together and
is factorised densely: with 540 replies to 180 items, rated by 60 workers with 180 tastes, a matrix of 240 instead of 960.
The chain is the one that leaves the smallest matrix. Davis (2006), "Direct Methods for Sparse Linear Systems".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints, Values, as_floats
from trialogue.stats.resampling.clusters import codes_of


def crossed_ratings(ratings: Values, random: Mapping[str, Sequence[Any]]) -> Floats:
    """Validated ratings as numbers, shape (n,).

    Raises:
        UsageError: one is missing, or a factor has another number of values.
    """
    values = as_floats(ratings, "ratings")
    if np.isnan(values).any():
        raise UsageError("ratings contain a missing value; remove it and report the number.")
    for name, levels in random.items():
        if len(levels) != len(values):
            raise UsageError(
                f"{name} has {len(levels)} values for {len(values)} ratings; there must be one per rating."
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


@dataclass(frozen=True, eq=False)
class _Border:
    """Sparsity pattern of an eliminated factor's block against the rest, in compressed rows."""

    rows: Ints
    columns: Ints
    pointers: Ints
    sorting: Ints
    """Order of the pairs' sums, joined over the other factors, that makes them compressed rows."""
    passed_on: dict[str, Ints]
    """For each later factor of the chain: which entry of its border an entry of this one adds to when eliminated."""


class Crossing:
    """Levels of each factor by observation.

    Args:
        factors: for each factor the level of every observation, all of one length.
    """

    def __init__(self, factors: Mapping[str, Sequence[Any]]) -> None:
        coded = {name: codes_of(list(levels)) for name, levels in factors.items()}
        self.names = tuple(coded)
        self.sizes = {name: len(levels) for name, (levels, _) in coded.items()}
        self.codes = {name: codes for name, (_, codes) in coded.items()}
        # The largest factor first: eliminating what has the most levels leaves the smallest dense matrix to factorise.
        by_size = sorted(self.names, key=lambda name: -self.sizes[name])
        self._pairs = {
            (a, b): _pairs(self.codes[a], self.codes[b], self.sizes[b])
            for place, a in enumerate(by_size)
            for b in by_size[place + 1 :]
        }
        self.chain = self._longest_chain(by_size)
        """Factors that are eliminated, each nested in the next."""
        self.others = tuple(name for name in by_size if name not in self.chain)
        order = self.order = (*self.chain, *self.others)
        starts = np.cumsum([0, *(self.sizes[name] for name in order)])
        self.starts = dict(zip(order, starts.tolist(), strict=False))
        self.levels = int(starts[-1])
        self.first = sum(self.sizes[name] for name in self.chain)
        self.rest = self.levels - self.first
        self.outer = {
            (inner, outer): self._outer_levels(inner, outer)
            for place, inner in enumerate(self.chain)
            for outer in self.chain[place + 1 :]
        }
        """The level of a later factor of the chain that each level of an earlier one lies in."""
        self.borders = self._borders()

    def _longest_chain(self, by_size: Sequence[str]) -> tuple[str, ...]:
        """The chain of nested factors with the most levels in all."""

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

    def _borders(self) -> dict[str, _Border]:
        """The pattern of each eliminated factor against the others: it never changes, only the numbers do."""
        found: dict[str, _Border] = {}
        if not self.others:
            return found
        keys: dict[str, Ints] = {}
        for name in reversed(self.chain):
            pairs = [self.pairs(name, other) for other in self.others]
            rows = np.concatenate([pair.first for pair in pairs])
            columns = np.concatenate(
                [pair.second + self.starts[other] - self.first for pair, other in zip(pairs, self.others, strict=True)]
            )
            sorting = np.lexsort((columns, rows))
            rows, columns = rows[sorting], columns[sorting]
            keys[name] = rows * self.rest + columns
            passed_on = {
                outer: np.searchsorted(keys[outer], self.outer[name, outer][rows] * self.rest + columns)
                for outer in self.chain[self.chain.index(name) + 1 :]
            }
            found[name] = _Border(
                rows, columns, np.searchsorted(rows, np.arange(self.sizes[name] + 1)), sorting, passed_on
            )
        return found

    def span(self, name: str) -> slice:
        """Slice of a factor's levels in the vector of all effects."""
        return slice(self.starts[name], self.starts[name] + self.sizes[name])

    def spread(self, scales: Mapping[str, float], effects: Floats) -> Floats:
        """Z S v: contributions of the effects to each observation, shape (n,)."""
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

    def factorise(self, weights: Floats, scales: Mapping[str, float]) -> "Factor":
        """Factorise H at these weights and scales."""
        return Factor(self, weights, scales)

    def pairs(self, a: str, b: str) -> _Pairs:
        """Pairs of levels of two factors."""
        if (a, b) in self._pairs:
            return self._pairs[a, b]
        turned = self._pairs[b, a]
        return _Pairs(turned.second, turned.first, turned.of_row)


def _pairs(first: Ints, second: Ints, size: int) -> _Pairs:
    keys, of_row = np.unique(first * size + second, return_inverse=True)
    return _Pairs(keys // size, keys % size, of_row.ravel().astype(np.int64))


class Factor:
    """Factorised H: nested blocks eliminated (L D L'), the rest by Cholesky."""

    def __init__(self, crossing: Crossing, weights: Floats, scales: Mapping[str, float]) -> None:
        from scipy.linalg.lapack import dpotrf

        self.crossing, self.scales = crossing, scales
        own: dict[str, Floats] = {}
        for name in crossing.order:
            gathered = np.bincount(crossing.codes[name], weights, minlength=crossing.sizes[name])
            own[name] = np.asarray(1 + scales[name] ** 2 * gathered, dtype=np.float64)
        # H = I + S Z' W Z S. `own` is its diagonal by factor, `between` the entries of a nested factor with the one it
        # lies in (one per inner level), `border` those of the chain with the factors that are crossed with it.
        between = {
            (inner, outer): scales[inner] * scales[outer] * self._nested_sums(inner, outer, weights)
            for inner, outer in crossing.outer
        }
        border = {name: self._border_sums(name, weights) for name in crossing.borders}
        self.shares: dict[tuple[str, str], Floats] = {}
        """L: what an eliminated level passes on to the level that it lies in."""
        self.reduced: dict[str, Any] = {}
        left = self._remaining_block(own, weights)
        # Innermost factor first: each of its levels touches one level of every outer factor, so elimination adds no
        # new entries within the chain, and costs one pass over the levels.
        for place, name in enumerate(crossing.chain):
            diagonal, later = own[name], crossing.chain[place + 1 :]
            for outer in later:
                share = self.shares[name, outer] = between[name, outer] / diagonal
                up = crossing.outer[name, outer]
                own[outer] = own[outer] - np.bincount(up, share * between[name, outer], minlength=len(own[outer]))
                for further in later[later.index(outer) + 1 :]:
                    both = np.bincount(up, share * between[name, further], minlength=len(own[outer]))
                    between[outer, further] = between[outer, further] - both
            if border:
                left = self._eliminate(name, border, diagonal, left)
        self.diagonal = np.concatenate([own[name] for name in crossing.chain]) if crossing.chain else np.zeros(0)
        self.lower: Floats = left
        if crossing.rest:
            self.lower, info = dpotrf(left, lower=1, overwrite_a=1)
            if info:
                raise np.linalg.LinAlgError("the matrix of the random effects is not positive definite")

    def _nested_sums(self, inner: str, outer: str, weights: Floats) -> Floats:
        """Weights by level of the inner factor: each of them lies in one level of the outer one."""
        return np.bincount(self.crossing.codes[inner], weights, minlength=self.crossing.sizes[inner]).astype(np.float64)

    def _border_sums(self, name: str, weights: Floats) -> Floats:
        """Entries of an eliminated factor's block against the rest, as the border lists them."""
        crossing, scales = self.crossing, self.scales
        sums = [scales[name] * scales[other] * crossing.pairs(name, other).sums(weights) for other in crossing.others]
        return np.concatenate(sums)[crossing.borders[name].sorting]

    def _remaining_block(self, own: Mapping[str, Floats], weights: Floats) -> Floats:
        """The block of the factors that are not eliminated, shape (rest, rest)."""
        crossing, scales = self.crossing, self.scales
        left = np.zeros((crossing.rest, crossing.rest), order="F")
        for place, a in enumerate(crossing.others):
            start = crossing.starts[a] - crossing.first
            at = np.arange(crossing.sizes[a]) + start
            left[at, at] = own[a]
            for b in crossing.others[place + 1 :]:
                pairs = crossing.pairs(a, b)
                rows, columns = pairs.first + start, pairs.second + crossing.starts[b] - crossing.first
                left[rows, columns] = left[columns, rows] = scales[a] * scales[b] * pairs.sums(weights)
        return left

    def _eliminate(self, name: str, border: dict[str, Floats], diagonal: Floats, left: Floats) -> Floats:
        """The rest after elimination of a factor; what it shares with later factors of the chain goes to their borders."""
        from scipy.sparse import csr_array

        crossing, shape = self.crossing, self.crossing.borders[name]
        for outer, entry in shape.passed_on.items():
            given = self.shares[name, outer][shape.rows] * border[name]
            border[outer] = border[outer] - np.bincount(entry, given, minlength=len(border[outer]))
        size = (crossing.sizes[name], crossing.rest)
        block = csr_array((border[name], shape.columns, shape.pointers), shape=size)
        self.reduced[name] = csr_array((border[name] / diagonal[shape.rows], shape.columns, shape.pointers), shape=size)
        taken = (self.reduced[name].T @ block).tocoo()
        left[taken.row, taken.col] -= taken.data
        return left

    @property
    def log_determinant(self) -> float:
        """log |H|."""
        return float(np.sum(np.log(self.diagonal)) + 2 * np.sum(np.log(np.diag(self.lower))))

    def solve(self, right: Floats) -> Floats:
        """H^-1 b for b of shape (levels,) or (levels, k)."""
        from scipy.linalg import cho_solve

        if right.ndim == 2:
            return np.column_stack([self.solve(column) for column in right.T])
        crossing = self.crossing
        parts = {name: right[crossing.span(name)].copy() for name in crossing.chain}
        for (inner, outer), share in self.shares.items():  # inner factors come first
            up = crossing.outer[inner, outer]
            parts[outer] -= np.bincount(up, share * parts[inner], minlength=len(parts[outer]))
        bottom = right[crossing.first :]
        if crossing.rest:
            taken = sum(self.reduced[name].T @ parts[name] for name in crossing.chain)
            bottom = cho_solve((self.lower, True), bottom - taken, check_finite=False)
        for place in reversed(range(len(crossing.chain))):
            name = crossing.chain[place]
            span = crossing.span(name)
            parts[name] = parts[name] / self.diagonal[span]
            if crossing.rest:
                parts[name] -= self.reduced[name] @ bottom
            for outer in crossing.chain[place + 1 :]:
                parts[name] -= self.shares[name, outer] * parts[outer][crossing.outer[name, outer]]
        return np.concatenate([*(parts[name] for name in crossing.chain), bottom])

    def leverages(self) -> dict[str, Floats]:
        """For each factor f the sums over factors g of scale_g * H^-1[level of f, level of g], shape (n,) each.

        Times scale_f and summed over f, that is the posterior variance of each observation's linear predictor.
        """
        crossing, scales = self.crossing, self.scales
        if not crossing.order:
            return {}
        inverse = self._inverse_of_rest()
        middles = self._middles(inverse)
        found = {name: np.zeros(len(crossing.codes[name])) for name in crossing.order}
        # Blocks of H^-1 within the chain, then between chain and rest, then within the rest; off-diagonal blocks count
        # once for each of their two factors.
        for (a, b), block in self._chain_covariances(middles).items():
            values = block[crossing.codes[a]]
            found[a] += scales[b] * values
            if a != b:
                found[b] += scales[a] * values
        at = {name: crossing.codes[name] + crossing.starts[name] - crossing.first for name in crossing.others}
        for a in crossing.others:
            for name, middle in middles.items():
                values = middle[crossing.codes[name], at[a]]
                found[name] -= scales[a] * values
                found[a] -= scales[name] * values
            for b in crossing.others:
                found[a] += scales[b] * inverse[at[a], at[b]]
        return found

    def _inverse_of_rest(self) -> Floats:
        from scipy.linalg.lapack import dpotri

        if not self.crossing.rest:
            return self.lower
        lower, _ = dpotri(self.lower, lower=1)
        half: Floats = np.tril(lower)
        return np.asarray(half + np.tril(half, -1).T)

    def _middles(self, inverse: Floats) -> dict[str, Floats]:
        """For each eliminated factor - H^-1 against the rest, shape (levels of it, rest)."""
        crossing = self.crossing
        found: dict[str, Floats] = {}
        if not crossing.rest:
            return found
        for place in reversed(range(len(crossing.chain))):
            name = crossing.chain[place]
            middle = self.reduced[name] @ inverse
            for outer in crossing.chain[place + 1 :]:
                middle -= self.shares[name, outer][:, None] * found[outer][crossing.outer[name, outer]]
            found[name] = middle
        return found

    def _chain_covariances(self, middles: Mapping[str, Floats]) -> dict[tuple[str, str], Floats]:
        """H^-1 between each level of an eliminated factor and the level of a later one (or its own) that it lies in."""
        chain, outer = self.crossing.chain, self.crossing.outer
        found: dict[tuple[str, str], Floats] = {}
        for place in reversed(range(len(chain))):
            a = chain[place]
            for b in reversed(chain[place:]):
                value = 1 / self.diagonal[self.crossing.span(a)] if a == b else np.zeros(self.crossing.sizes[a])
                if middles:
                    value = value + self._against_border(a, b, middles[b])
                for m in chain[place + 1 :]:
                    inner, further = (m, b) if chain.index(m) <= chain.index(b) else (b, m)
                    known = found[inner, further]
                    value = value - self.shares[a, m] * (known if inner == a else known[outer[a, inner]])
                found[a, b] = value
        return found

    def _against_border(self, a: str, b: str, middle: Floats) -> Floats:
        """Sums over the border of a of its entries times the middle of the level of b that a's level lies in."""
        border = self.crossing.borders[a]
        levels = border.rows if a == b else self.crossing.outer[a, b][border.rows]
        values = self.reduced[a].data * middle[levels, border.columns]
        return np.bincount(border.rows, values, minlength=self.crossing.sizes[a]).astype(np.float64)
