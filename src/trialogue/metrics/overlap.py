"""How much two sequences have in common: kernels that the metrics with a reference share."""

from collections import Counter
from collections.abc import Hashable, Sequence, Set

from trialogue.metrics.tokens import Words


def matches(reply: Sequence[str], reference: Sequence[str], order: int) -> tuple[int, ...]:
    """How many n-grams of a reply are in its reference, for n = 1 to ``order``; a reference's n-gram matches only once.

    N-grams are of words, or of characters where both sides are texts. The clipped counts of Papineni et al. (2002),
    sec. 2.1.

    >>> matches(("the", "the", "cat"), ("the", "cat", "sat"), 3)     # the, cat; the cat; none
    (2, 1, 0)
    >>> matches("aab", "abb", 2)
    (2, 1)
    """
    ours: Sequence[int] = range(len(reply))
    theirs: Sequence[int] = range(len(reference))
    counts = []
    for n in range(1, order + 1):
        left = [reply[start : start + n] for start in ours]
        right = [reference[start : start + n] for start in theirs]
        shared = set(left).intersection(right)
        if not shared:  # then no longer n-gram can match
            break
        counts.append(_clipped(shared, left, right))
        # a longer match begins where a match of this length does
        ours = _followed(ours, left, shared, len(reply) - n)
        theirs = _followed(theirs, right, shared, len(reference) - n)
    return tuple(counts) + (0,) * (order - len(counts))


def _followed(starts: Sequence[int], grams: Sequence[Hashable], shared: Set[Hashable], end: int) -> Sequence[int]:
    """Starts of shared n-grams, except the one that ends its text."""
    found = [start for start, gram in zip(starts, grams, strict=True) if gram in shared]
    if found and found[-1] == end:
        found.pop()
    return found


def common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Size of the intersection of two multisets.

    >>> common("aab", "abb")
    2
    """
    return _clipped(set(first).intersection(second), first, second)


def _clipped(shared: Set[Hashable], first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    left = [thing for thing in first if thing in shared]
    if len(left) == len(shared):  # each occurs once on this side, so no count can exceed 1
        return len(shared)
    right = [thing for thing in second if thing in shared]
    if len(right) == len(shared):
        return len(shared)
    ours, theirs = Counter(left), Counter(right)
    return sum(min(ours[thing], theirs[thing]) for thing in shared)


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
