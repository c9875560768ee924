"""Long work: lines on how far it is, several uses of one pass, and fewer looks for garbage while many records are in memory.

Records are trees without reference cycles, so reference counting frees them immediately.
"""

import gc
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import chain, islice
from threading import Semaphore, Thread
from typing import Any, Generic, TypeVar
from weakref import KeyedRef

Progress = Callable[[str], None]
"""Takes a line on how far long work is."""
T = TypeVar("T")
R = TypeVar("R")

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
        if before[0] < OFTEN and not gc.get_freeze_count():
            gc.freeze()  # what is new counts as old without being looked at
            gc.unfreeze()
        gc.set_threshold(*before)


def with_progress(
    items: Iterable[T],
    tell: Callable[[str], None],
    what: str,
    total: int | Callable[[], int | None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[T]:
    """The items, with a line every two seconds of how many were taken, and the time to go at the pace so far.

    Work of less than two seconds says nothing.

    Args:
        items: what is worked on, one after the other.
        tell: called with a line.
        what: the items, in the plural, and what is done with them.
        total: how many there are, or what finds it out for the first line; None: nobody knows, and no time to go is given.
        clock: seconds.

    >>> lines, seconds = [], iter([0, 1, 2, 3, 4])
    >>> list(with_progress("abcd", lines.append, "dialogues read", lambda: 4, lambda: next(seconds)))
    ['a', 'b', 'c', 'd']
    >>> lines
    ['2 of 4 dialogues read, 2 s to go', '4 of 4 dialogues read, 0 s to go']
    """
    start = last = clock()
    for done, item in enumerate(items, 1):
        yield item
        if (now := clock()) - last >= EVERY_S:
            last = now
            total = total() if callable(total) else total
            to_go = "" if total is None else f", {(now - start) / done * max(0, total - done):.0f} s to go"
            tell(f"{done:,}{'' if total is None else f' of {total:,}'} {what}{to_go}")


class PerObject(Generic[T, R]):
    """What a function makes of objects, once for each of those that came lately: utterances of a file share their records.

    Objects are known by their identity: to compare them would take as long as to look at them again. What was made of a
    record goes with it; objects that cannot say when they go, such as tuples, are kept alive.

    >>> length = PerObject(len)
    >>> length(said := ["a", "b"]), length(said)
    (2, 2)
    """

    def __init__(self, function: Callable[[T], R], most: int = 1 << 15) -> None:
        """``most``: objects that are remembered, with what was made of them."""
        self._function, self._most = function, most
        self._known: dict[int, tuple[object, R]] = {}

    def __call__(self, one: T) -> R:
        """What was made of an object."""
        known = self._known.get(id(one))
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            made = self._function(one)
            held: object
            try:
                held = KeyedRef(one, self._forget, id(one))
            except TypeError:
                held = one
            known = self._known[id(one)] = held, made
        return known[1]

    def _forget(self, gone: "KeyedRef[int, T]") -> None:
        self._known.pop(gone.key, None)


AT_ONCE = 64  # items that are handed on together


class OnePass(Generic[T]):
    """Several uses of items, in one pass over them.

    Every use is a function of an iterable, called in a thread of its own. They take turns, a few items at a time: only one
    runs at once, so few items are alive, and what one finds in an item the next need not look for again.

    >>> with OnePass(iter("abca")) as once:
    ...     size, letters = once.use(lambda items: sum(1 for _ in items)), once.use(set)
    >>> size.result(), sorted(letters.result())
    (4, ['a', 'b', 'c'])
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._items = items
        self._uses: list[tuple[Callable[[Iterable[T]], Any], Future[Any]]] = []

    def use(self, function: Callable[[Iterable[T]], R]) -> "Future[R]":
        """What a function of the items returns, once the ``with`` statement has ended; its error ends the pass."""
        found: Future[R] = Future()
        self._uses.append((function, found))
        return found

    def __enter__(self) -> "OnePass[T]":
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is not None:
            return
        if len(self._uses) == 1:  # needs nobody to take turns with
            function, found = self._uses[0]
            found.set_result(function(self._items))
            return
        readers = [_Reader(function, found) for function, found in self._uses]
        try:
            stream = iter(self._items if readers else ())
            while group := list(islice(stream, AT_ONCE)):
                for reader in readers:
                    reader.put(group)
                self._raise_any()
        except BaseException:
            for reader in readers:
                reader.is_over = True
            raise
        finally:
            for reader in readers:
                reader.close()
        self._raise_any()

    def _raise_any(self) -> None:
        """Raise the error of a use that has failed."""
        for _, found in self._uses:
            if found.done() and (error := found.exception()) is not None:
                raise error


class _OverError(BaseException):
    """Ends a use whose items failed or whose user interrupted it: what it would make of some, nobody asks for."""


class _Reader:
    """A thread that uses what it is given, while it is its turn."""

    def __init__(self, function: Callable[[Iterable[Any]], Any], found: "Future[Any]") -> None:
        self._group: list[Any] | None = None
        self._is_gone = self.is_over = False
        """Whether it ends without a result."""
        self._mine, self._others = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._run, args=(function, found), daemon=True)
        self._thread.start()
        self._others.acquire()

    def put(self, group: "list[Any] | None") -> None:
        """Let it use some items, and wait until it wants more."""
        if self._is_gone:
            return
        self._group = group
        self._mine.release()
        self._others.acquire()

    def close(self) -> None:
        """Let it end."""
        self.put(None)
        self._thread.join()

    def _run(self, function: Callable[[Iterable[Any]], Any], found: "Future[Any]") -> None:
        stream = chain.from_iterable(self._items())
        try:
            found.set_result(function(stream))
            deque(stream, maxlen=0)  # what it did not look at
        except BaseException as error:  # noqa: BLE001  # raised by the pass
            if not found.done():
                found.set_exception(error)
        finally:
            self._is_gone = True
            self._others.release()

    def _items(self) -> Iterator[list[Any]]:
        while True:
            self._others.release()
            self._mine.acquire()
            if self.is_over:
                raise _OverError
            if self._group is None:
                return
            yield self._group
