"""BLEU from counts of matching n-grams: the formulas of NLTK, sacreBLEU and of those who called them.

A reply's counts are ``Counts``; every formula here is checked against the library it reproduces.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from trialogue.metrics.base import Array
from trialogue.metrics.text.overlap import matches
from trialogue.metrics.text.tokens import REMEMBERED, Tokeniser, Words

SHARED_ORDER = 5  # counts are made once for all formulas up to this order; method 7 of BLEU-4 needs 5-grams


class Counts(NamedTuple):
    """What BLEU knows of a reply and its reference."""

    hits: Sequence[int]
    """n-grams of the reply that are in the reference, for n = 1, 2, ..."""
    length: int
    """Words of the reply."""
    reference: int
    """Words of the reference."""

    def total(self, n: int) -> int:
        """n-grams of the reply."""
        return max(self.length - n + 1, 0)

    def precision(self, n: int) -> float:
        """Share of the reply's n-grams that are in the reference; 0 if it has none."""
        return self.hits[n - 1] / max(self.total(n), 1)


def counts(tokenise: Tokeniser, reply: str, reference: str, order: int) -> Counts:
    """Counts of two texts up to an order."""
    return _counts(tokenise(reply), tokenise(reference), order)


@lru_cache(REMEMBERED)
def _counts(ours: Words, theirs: Words, order: int) -> Counts:
    """Remembered for the other values of k, and for the other rules that cut these texts into the same words."""
    return Counts(matches(ours, theirs, order), len(ours), len(theirs))


def brevity(length: int, reference: int) -> float:
    """Brevity penalty: 1 for a reply longer than its reference, exp(1 - reference / length) else, 0 for an empty one."""
    if length > reference:
        return 1.0
    return math.exp(1 - reference / length) if length else 0.0


def individual(found: Counts, order: int) -> float:
    """BLEU of one order alone, without smoothing: brevity penalty times the precision of n-grams of that length."""
    return brevity(found.length, found.reference) * found.precision(order)


def with_floor(found: Counts, order: int, *, epsilon: float) -> float:
    """Cumulative BLEU with ``epsilon`` matches where there are none: method 1 of Chen & Cherry (WMT 2014), sec. 3.

    0 if not even a word matches, as in NLTK.
    """
    if not found.hits[0]:
        return 0.0
    logs = [math.log((found.hits[n - 1] or epsilon) / max(found.total(n), 1)) for n in range(1, order + 1)]
    return brevity(found.length, found.reference) * math.exp(math.fsum(logs) / order)


def with_neighbours(found: Counts, order: int) -> float:
    """Cumulative BLEU by method 7 of Chen & Cherry (WMT 2014), sec. 3: method 4, then averages of neighbouring orders.

    As in NLTK: k = 5 in method 4, and the last order's upper neighbour is always the precision of 5-grams. It is not
    bounded by 1: a reply that equals its reference exceeds it. 0 if not even a word matches.
    """
    if not found.hits[0]:
        return 0.0
    precisions = _for_short_replies(found, order)
    upper = [*precisions[1:], found.precision(5)]
    before, logs = precisions[0] + 1, []
    for own, above in zip(precisions, upper, strict=True):
        before = (before + own + above) / 3
        logs.append(math.log(before))
    return brevity(found.length, found.reference) * math.exp(math.fsum(logs) / order)


def _for_short_replies(found: Counts, order: int, *, k: float = 5.0) -> list[float]:
    """Precisions by method 4: the i-th order without a match gets ln(length) / (2^i k) matches."""
    precisions, missing = [], 0
    for n in range(1, order + 1):
        precision = found.precision(n)
        if not precision and found.length > 1:
            missing += 1
            precision = math.log(found.length) / (2**missing * k) / max(found.total(n), 1)
        precisions.append(precision)
    return precisions


def corpus_statistics(found: Counts, order: int, *, at_least: int = 0) -> tuple[float, ...]:
    """What corpus BLEU sums: matches and n-grams by order, then words of replies and of references.

    Args:
        found: counts of one reply.
        order: longest n-gram.
        at_least: the n-grams of a reply that is too short for any; NLTK has 1 here, which lowers every score a little.
    """
    totals = (max(found.total(n), at_least) for n in range(1, order + 1))
    return (*map(float, found.hits[:order]), *map(float, totals), float(found.length), float(found.reference))


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
