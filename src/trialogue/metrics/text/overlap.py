"""Overlap of two token sequences: kernels shared by the reference-based metrics."""

from collections import Counter
from collections.abc import Hashable, Sequence

from trialogue.metrics.text.tokens import Words, ngrams


def matches(reply: Sequence[str], reference: Sequence[str], order: int) -> tuple[int, ...]:
    """Number of a reply's n-grams matched in its reference, for n = 1 to ``order``, with clipping.

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
        left, right = _cut(reply, ours, n), _cut(reference, theirs, n)
        shared = set(left).intersection(right)
        if not shared:  # then no longer n-gram can match
            break
        # a longer match begins where a match of this length does
        ours = [start for start, gram in zip(ours, left, strict=True) if gram in shared]
        theirs = [start for start, gram in zip(theirs, right, strict=True) if gram in shared]
        if len(shared) in (len(ours), len(theirs)):  # each occurs once on one side, so no count can exceed 1
            counts.append(len(shared))
        elif n == 1:
            counts.append(sum(map(min, map(reply.count, shared), map(reference.count, shared))))
        else:
            counts.append(_intersection_size(_cut(reply, ours, n), _cut(reference, theirs, n)))
        ours, theirs = _starts_before(ours, len(reply) - n), _starts_before(theirs, len(reference) - n)
    return tuple(counts) + (0,) * (order - len(counts))


def matches_in_any(reply: Words, references: Sequence[Words], order: int) -> tuple[int, ...]:
    """As ``matches`` with several references: an n-gram is clipped by the reference that has it most often.

    >>> matches_in_any(("the", "the", "cat"), [("the",), ("the", "the")], 2)
    (2, 1)
    """
    counts = []
    for n in range(1, order + 1):
        theirs: Counter[Hashable] = Counter()
        for reference in references:
            theirs |= Counter(ngrams(reference, n))
        counts.append((Counter(ngrams(reply, n)) & theirs).total())
    return tuple(counts)


def _cut(units: Sequence[str], starts: Sequence[int], n: int) -> Sequence[Hashable]:
    """The n-grams at some places; ``units`` themselves for n = 1, where a search begins at all of them."""
    return units if n == 1 else [units[start : start + n] for start in starts]


def _starts_before(starts: list[int], end: int) -> list[int]:
    """Starts of n-grams, except the one that ends its text: nothing longer begins there."""
    if starts[-1] == end:
        starts.pop()
    return starts


def common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Size of the intersection of two multisets.

    >>> common("aab", "abb")
    2
    """
    shared = set(first).intersection(second)
    left = [thing for thing in first if thing in shared]
    right = [thing for thing in second if thing in shared]
    return len(shared) if len(shared) in (len(left), len(right)) else _intersection_size(left, right)


def _intersection_size(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Size of the intersection of two multisets that have the same things in them."""
    ours, theirs = Counter(first), Counter(second)
    return sum(map(min, ours.values(), map(theirs.__getitem__, ours)))


def longest_common_subsequence(first: Words, second: Words) -> int:
    """Length of the longest common subsequence, by a bit-parallel algorithm.

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
    """Harmonic mean of ``hits / first`` and ``hits / second``; 0 without hits."""
    return 2 * hits / (first + second) if hits else 0.0
