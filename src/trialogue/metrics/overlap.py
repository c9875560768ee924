"""How much two sequences have in common: kernels that the metrics with a reference share."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache

from trialogue.metrics.tokens import REMEMBERED, Words, ngrams


@lru_cache(REMEMBERED)
def matches(reply: Words, reference: Words, order: int) -> tuple[int, ...]:
    """How many n-grams of a reply are in its reference, for n = 1 to ``order``; a reference's n-gram matches only once.

    The clipped counts of Papineni et al. (2002), sec. 2.1.

    >>> matches(("the", "the", "cat"), ("the", "cat", "sat"), 3)     # the, cat; the cat; none
    (2, 1, 0)
    """
    counts = []
    for n in range(1, order + 1):
        count = common(ngrams(reply, n), ngrams(reference, n))
        counts.append(count)
        if not count:  # then no longer n-gram can match
            break
    return tuple(counts) + (0,) * (order - len(counts))


def common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Size of the intersection of two multisets.

    >>> common("aab", "abb")
    2
    """
    left, right = set(first), set(second)
    shared = left & right
    if not shared or (len(left) == len(first) or len(right) == len(second)):
        return len(shared)
    return _clipped(shared, Counter(first), Counter(second))


def _clipped(keys: Iterable[Hashable], first: Counter[Hashable], second: Counter[Hashable]) -> int:
    return sum(min(first[key], second[key]) for key in keys)


def longest_common_subsequence(first: Words, second: Words) -> int:
    """Length of the longest common subsequence, with the columns of the usual table as the bits of one integer.

    Time is len(first) operations on integers of len(second) bits. Hyyrö (2004), "Bit-parallel LCS-length computation
    revisited".

    >>> longest_common_subsequence(("a", "b", "c", "d"), ("b", "x", "d"))
    2
    """
    places: dict[str, int] = {}
    for place, word in enumerate(second):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(second)) - 1
    row = full  # zeros mark the columns where the table grows by one
    for word in first:
        if here := places.get(word):
            hits = row & here
            row = (row + hits | row - hits) & full
    return len(second) - row.bit_count()


def f1(hits: float, first: float, second: float) -> float:
    """Harmonic mean of ``hits / first`` and ``hits / second``; 0 for no hit."""
    return 2 * hits / (first + second) if hits else 0.0
