"""BLEU formulas on n-gram match counts: NLTK's, sacreBLEU's and those of code that called them.

``Counts`` hold many replies at once; every formula here is checked against the library it reproduces.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.metrics.base import Array
from trialogue.metrics.text.overlap import matches, matches_in_any
from trialogue.metrics.text.tokens import Words


@dataclass(frozen=True, eq=False)
class Counts:
    """n-gram counts of replies and their references."""

    hits: Callable[[int], Array]
    """n-grams of each reply that are in its reference, shape (replies,), for n = 1, 2, ..."""
    length: Array
    """Shape (replies,): words of the replies."""
    reference: Array
    """Shape (replies,): words of the references."""

    def total(self, n: int) -> Array:
        """Number of n-grams of the replies, shape (replies,)."""
        return np.maximum(self.length - (n - 1), 0.0)

    def precision(self, n: int) -> Array:
        """Share of each reply's n-grams that occur in its reference; 0 without n-grams."""
        return self.hits(n) / np.maximum(self.total(n), 1.0)


def counts(reply: Words, references: Sequence[Words], order: int) -> Counts:
    """Counts of one reply up to an order.

    Of several references, n-grams may come from any, and the length is that of the one nearest in length, the shorter one of
    two (Papineni et al. 2002, sec. 2.2).
    """
    first = references[0]
    found = matches(reply, first, order) if len(references) == 1 else matches_in_any(reply, references, order)
    nearest = min(map(len, references), key=lambda length: (abs(length - len(reply)), length))
    return Counts(lambda n: np.array([float(found[n - 1])]), np.array([float(len(reply))]), np.array([float(nearest)]))


def brevity(length: npt.ArrayLike, reference: npt.ArrayLike) -> Array:
    """Brevity penalty: 1 for a reply longer than its reference, exp(1 - reference / length) else, 0 for an empty one."""
    ours, theirs = np.asarray(length, dtype=float), np.asarray(reference, dtype=float)
    short = np.where(ours > 0, np.exp(1 - theirs / np.maximum(ours, 1.0)), 0.0)
    penalty: Array = np.where(ours > theirs, 1.0, short)
    return penalty


def individual(found: Counts, order: int) -> Array:
    """BLEU of a single order, without smoothing: brevity penalty times n-gram precision."""
    return brevity(found.length, found.reference) * found.precision(order)


def with_floor(found: Counts, order: int, *, epsilon: float) -> Array:
    """Cumulative BLEU with ``epsilon`` in place of zero matches: method 1 of Chen & Cherry (WMT 2014), sec. 3.

    0 if not even a word matches, as in NLTK.
    """
    logs = np.zeros(len(found.length))
    for n in range(1, order + 1):
        hits = found.hits(n)
        logs += np.log(np.where(hits > 0, hits, epsilon) / np.maximum(found.total(n), 1.0))
    return np.where(found.hits(1) > 0, brevity(found.length, found.reference) * np.exp(logs / order), 0.0)


def with_neighbours(found: Counts, order: int) -> Array:
    """Cumulative BLEU by method 7 of Chen & Cherry (WMT 2014), sec. 3: method 4, then averages of neighbouring orders.

    As in NLTK: k = 5 in method 4, and the last order's upper neighbour is always the precision of 5-grams. It is not
    bounded by 1: a reply that equals its reference exceeds it. 0 if not even a word matches.
    """
    precisions = _for_short_replies(found, order)
    upper = [*precisions[1:], found.precision(5)]
    before, logs = precisions[0] + 1, np.zeros(len(found.length))
    for own, above in zip(precisions, upper, strict=True):
        before = (before + own + above) / 3
        logs += np.log(before)
    return np.where(found.hits(1) > 0, brevity(found.length, found.reference) * np.exp(logs / order), 0.0)


def _for_short_replies(found: Counts, order: int, *, k: float = 5.0) -> list[Array]:
    """Precisions by method 4: the i-th order without a match gets ln(length) / (2^i k) matches."""
    precisions = []
    missing = np.zeros(len(found.length))
    instead = np.log(np.maximum(found.length, 1.0)) / k
    for n in range(1, order + 1):
        precision = found.precision(n)
        none = (precision == 0) & (found.length > 1)
        missing = missing + none
        precisions.append(np.where(none, instead / 2.0**missing / np.maximum(found.total(n), 1.0), precision))
    return precisions


def corpus_statistics(found: Counts, order: int, *, at_least: int = 0) -> Array:
    """Sums for corpus BLEU, shape (replies, 2 order + 2): matches and n-grams by order, then words of replies and of
    references.

    Args:
        found: counts of some replies.
        order: longest n-gram.
        at_least: the n-grams of a reply that is too short for any; NLTK has 1 here, which lowers every score a little.
    """
    orders = range(1, order + 1)
    totals = [np.maximum(found.total(n), float(at_least)) for n in orders]
    return np.column_stack([*map(found.hits, orders), *totals, found.length, found.reference])


def corpus_bleu(sums: Array, order: int, *, halving: bool) -> Array:
    """Corpus BLEU of shape (...) from sums of ``corpus_statistics`` of shape (..., 2 order + 2).

    Args:
        sums: summed statistics.
        order: longest n-gram.
        halving: take 1/2, 1/4, ... matches for the first, second, ... order without any (sacreBLEU's "exp", method 3 of
            Chen & Cherry); else such an order makes the score 0.
    """
    hits, totals = sums[..., :order], sums[..., order : 2 * order]
    replies, references = sums[..., -2], sums[..., -1]
    none = hits == 0
    smoothed = 0.5 ** np.cumsum(none, axis=-1) if halving else np.zeros_like(hits)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(none, smoothed, hits) / totals)
        penalty = np.where(replies < references, 1 - references / replies, 0.0)
        score = np.exp(logs.mean(axis=-1) + penalty)
    defined = hits.any(axis=-1) & (totals > 0).all(axis=-1)
    value: Array = np.where(defined, score, 0.0)
    return value
