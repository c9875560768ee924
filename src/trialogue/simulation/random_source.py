"""Fast random sampling: uniform numbers drawn in blocks from one generator, and tables of weighted labels."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np

from trialogue.errors import UsageError

BLOCK = 64  # numbers fetched at a time: a dialogue needs some fifty, and one by one they cost ten times as much

Thing = TypeVar("Thing")


def _numbers(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(BLOCK).tolist()


class RandomSource:
    """Random decisions from one generator, which must not be used elsewhere."""

    __slots__ = ("share",)

    def __init__(self, rng: np.random.Generator) -> None:
        self.share = _numbers(rng).__next__
        """Random number in [0, 1)."""

    def draw_below(self, bound: int) -> int:
        """Random integer from 0 to ``bound`` - 1; ``bound`` is at least 1."""
        return int(self.share() * bound)

    def pick(self, things: Sequence[Thing]) -> Thing:
        """Random element of a non-empty sequence."""
        return things[int(self.share() * len(things))]

    def sample(self, things: Sequence[Thing], count: int) -> list[Thing]:
        """Random sample of ``count`` elements, or all if there are fewer, without replacement and in random order."""
        pool, share = list(things), self.share
        size = len(pool)
        for place in range(min(count, size)):
            other = place + int(share() * (size - place))
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:count]


class Weighted(Generic[Thing]):
    """Weighted elements, sampled by the inverse distribution function in the given order.

    >>> Weighted({"a": 1, "b": 3}).draw(RandomSource(np.random.default_rng(0)))        # 0.64 of 4 is beyond the first 1
    'b'
    """

    __slots__ = ("_bounds", "things", "total")

    def __init__(self, weights: Mapping[Thing, float]) -> None:
        kept = {thing: weight for thing, weight in weights.items() if weight > 0}
        if not kept:
            raise UsageError(f"There is nothing to sample from: none of {len(weights)} options has a weight above 0.")
        self.things = tuple(kept)
        self._bounds = tuple(accumulate(kept.values()))
        self.total = self._bounds[-1]

    def draw(self, rng: RandomSource) -> Thing:
        """Sample one element."""
        place = bisect_right(self._bounds, rng.share() * self.total)
        return self.things[place] if place < len(self.things) else self.things[-1]  # rounding of fractional weights
