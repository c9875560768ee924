"""Retry policy with jittered back-off, and limits on concurrent requests and requests per minute."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, TypeVar

import numpy as np
from pydantic import Field

from trialogue.records import Record, RetryCost
from trialogue.transport.failures import PassingFailure

Result = TypeVar("Result")
Sleep = Callable[[float], None]


class Retries(Record):
    """Number of retries, and the waits between them."""

    most: Annotated[int, Field(ge=0, le=100)] = 4
    """Further tries after the first."""
    first_wait_s: Annotated[float, Field(ge=0)] = 0.5
    """The longest wait before the first further try; it doubles with each."""
    longest_wait_s: Annotated[float, Field(ge=0)] = 60
    """The longest wait at all. A server that asks for more is not asked again."""


Seconds = Annotated[float, Field(gt=0, le=86_400)]
"""A time-out: more than nothing, at most a day."""
AtOnce = Annotated[int, Field(ge=1)]
"""Maximum number of concurrent requests."""


class RetryPolicy:
    """Executes requests with retries and rate limits; thread-safe."""

    def __init__(
        self,
        retries: Retries,
        *,
        at_once: int | None = None,
        per_minute: float | None = None,
        sleep: Sleep = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: np.random.Generator | None = None,
    ) -> None:
        """Create the policy with all slots free.

        Args:
            retries: how often and when to ask again.
            at_once: requests at the same time; None: any number.
            per_minute: requests a minute, evenly spaced; None: any number.
            sleep: waits so many seconds.
            clock: seconds from any start.
            rng: draws the jitter, which changes no result.
        """
        self._retries, self._sleep, self._clock = retries, sleep, clock
        self._rng = rng or np.random.default_rng()
        self._slots = threading.BoundedSemaphore(at_once) if at_once else None
        self._spacing_s = 60 / per_minute if per_minute else 0.0
        self._next = clock()
        self._lock = threading.Lock()

    def ask(
        self,
        request: Callable[[], Result],
        *,
        repeatable: bool,
        note: Callable[[RetryCost], None] = lambda cost: None,
    ) -> Result:
        """Execute a request until it succeeds or retries are exhausted.

        Args:
            request: raises ``PassingFailure`` where another try may help.
            repeatable: whether the same message may be heard twice; if not, only what was not heard is sent again.
            note: called before every further try with what that one costs.

        Raises:
            AgentFailure: the last one, with what all further tries cost.
        """
        cost = RetryCost()
        for tried in range(self._retries.most + 1):
            try:
                with self._slot():
                    return request()
            except PassingFailure as failure:
                wait_s = self._wait_s(tried, failure)
                if tried == self._retries.most or wait_s is None or (failure.heard and not repeatable):
                    failure.retries = cost
                    raise
                again = RetryCost(count=1, waited_s=round(wait_s, 3))
                cost += again
                note(again)
                if failure.after_s is not None:
                    self._hold(failure.after_s)
                self._sleep(wait_s)
        raise AssertionError("the last try returns or raises")

    def _wait_s(self, tried: int, failure: PassingFailure) -> float | None:
        """Seconds before the next try: as the server asks, else drawn; None if the server asks for too much."""
        if failure.after_s is not None:
            return failure.after_s if failure.after_s <= self._retries.longest_wait_s else None
        most = min(self._retries.longest_wait_s, self._retries.first_wait_s * 2**tried)
        return float(self._rng.uniform(most / 2, most)) if most else 0.0

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if self._slots is not None:
            self._slots.acquire()
        try:
            self._wait_for_turn()
            yield
        finally:
            if self._slots is not None:
                self._slots.release()

    def _wait_for_turn(self) -> None:
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._spacing_s
        if start > now:
            self._sleep(start - now)

    def _hold(self, seconds: float) -> None:
        """Delay all requests until the time that the server has set."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


def retry_after_s(header: str | None, *, now: datetime | None = None) -> float | None:
    """Seconds in a Retry-After header, given as seconds or as a date; None if missing or invalid.

    >>> retry_after_s("2.5"), retry_after_s("-1"), retry_after_s("soon")
    (2.5, 0.0, None)
    """
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    since = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (since - (now or datetime.now(UTC))).total_seconds())
