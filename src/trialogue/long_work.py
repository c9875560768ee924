"""Long work: lines on how far it is, and fewer looks for garbage while many records are in memory.

Records are trees without reference cycles, so reference counting frees them immediately.
"""

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

EVERY_S = 2.0  # between two lines
OFTEN, SELDOM, RARELY = 200_000, 20, 10
"""Objects made before the youngest are looked at, and how many such looks before the older and the oldest are: all after 40
million, so that a server that runs for weeks does not grow."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Context manager that raises the garbage collector's thresholds and restores them.

    Its collector goes through *all* living objects whenever their number has grown by a quarter. With 100,000 replies in
    memory that is a sixth of the time of measuring them, and finds nothing: records do not refer back to what holds
    them. The command line runs within it; functions of Python use it as a decorator (generators cannot).
    """
    before = gc.get_threshold()
    gc.set_threshold(OFTEN, SELDOM, RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def with_progress(
    items: Iterable[T],
    tell: Callable[[str], None],
    what: str,
    total: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[T]:
    """The items, with a line every two seconds of how many were taken, and the time to go at the pace so far.

    Work of less than two seconds says nothing.

    Args:
        items: what is worked on, one after the other.
        tell: called with a line.
        what: the items, in the plural, and what is done with them.
        total: how many there are; None: nobody knows, and no time to go is given.
        clock: seconds.

    >>> lines, seconds = [], iter([0, 1, 2, 3, 4])
    >>> list(with_progress("abcd", lines.append, "dialogues read", 4, lambda: next(seconds)))
    ['a', 'b', 'c', 'd']
    >>> lines
    ['2 of 4 dialogues read, 2 s to go', '4 of 4 dialogues read, 0 s to go']
    """
    start = last = clock()
    for done, item in enumerate(items, 1):
        yield item
        if (now := clock()) - last >= EVERY_S:
            last = now
            to_go = "" if total is None else f", {(now - start) / done * max(0, total - done):.0f} s to go"
            tell(f"{done:,}{'' if total is None else f' of {total:,}'} {what}{to_go}")
