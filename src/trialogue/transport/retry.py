"""Retry policy with jittered back-off, and limits on concurrent requests and requests per minute.

The rate adapts to the server: each refusal with status 429 doubles the time between the requests of all threads, and each
success shortens it, so that dialogues that run concurrently do not storm a server that has just refused one of them. A
server that has refused everything for two minutes is asked once by each further request, so that a limit on failures is soon
reached.
"""

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

FIRST_SPACING_S = 0.1  # between requests after the first refusal: ten a second
RECOVERY = 0.1  # a tenth shorter with each success: seven successes undo one refusal
NO_COST = RetryCost()
PATIENCE_S = 120.0  # of refusals without a success, after which nothing is tried again until one succeeds
Result = TypeVar("Result")
Sleep = Callable[[float], None]


class Retries(Record):
    """Number of retries, and the waits between them."""

    most: Annotated[int, Field(ge=0, le=100)] = 4
    """Maximum number of retries."""
    first_wait_s: Annotated[float, Field(ge=0)] = 0.5
    """Longest wait before the first retry; it doubles with each."""
    longest_wait_s: Annotated[float, Field(ge=0)] = 60
    """Longest wait before any retry. A request is given up if the server asks for a longer one."""


Seconds = Annotated[float, Field(gt=0, le=86_400)]
"""A timeout in seconds, at most a day."""
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
            retries: number of retries, and the waits between them.
            at_once: maximum number of concurrent requests; None: unlimited.
            per_minute: maximum number of requests per minute, evenly spaced; None: unlimited.
            sleep: sleeps for a number of seconds.
            clock: returns seconds since any fixed time.
            rng: draws the jitter, which changes no result.
        """
        self._retries, self._sleep, self._clock = retries, sleep, clock
        self._rng = rng or np.random.default_rng()
        self._slots = threading.BoundedSemaphore(at_once) if at_once else None
        self._least_spacing_s = self._spacing_s = 60 / per_minute if per_minute else 0.0
        self._next = self._slowed_at = clock()
        self._refused_since: float | None = None
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
            request: the request; raises ``PassingFailure`` if a retry may help.
            repeatable: whether the server may receive the message twice; if not, it is sent again only if it was not
                received.
            note: called before every retry with its cost.

        Raises:
            AgentFailure: that of the last try, with the cost of all retries.
        """
        cost = NO_COST
        for n_retries in range(self._retries.most + 1):
            start = self._clock()
            try:
                with self._slot():
                    start = self._clock()
                    found = request()
                self._speed_up()
                return found
            except PassingFailure as failure:
                if failure.kind == "rate_limited":
                    self._slow_down(start)
                wait_s = self._wait_s(n_retries, failure)
                is_last = n_retries == self._retries.most or self._is_hopeless()
                if is_last or wait_s is None or (failure.heard and not repeatable):
                    failure.retries = cost
                    raise
                retry_cost = RetryCost(count=1, waited_s=round(wait_s, 3))
                cost += retry_cost
                note(retry_cost)
                if failure.after_s is not None:
                    self._hold(failure.after_s)
                self._sleep(wait_s)
        raise AssertionError("the last try returns or raises")

    def _wait_s(self, n_retries: int, failure: PassingFailure) -> float | None:
        """Seconds before the next try: as the server asks, else drawn; None if the server asks for too much."""
        if failure.after_s is not None:
            return failure.after_s if failure.after_s <= self._retries.longest_wait_s else None
        longest = min(self._retries.longest_wait_s, self._retries.first_wait_s * 2**n_retries)
        return float(self._rng.uniform(longest / 2, longest)) if longest else 0.0

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
            self._next = start + (self._least_spacing_s if self._is_hopeless() else self._spacing_s)
        if start > now:
            self._sleep(start - now)

    def _slow_down(self, sent_at: float) -> None:
        """Double the time between requests, once for all requests that were sent at the rate that was too high."""
        with self._lock:
            if self._refused_since is None:
                self._refused_since = sent_at
            if sent_at >= self._slowed_at and not self._is_hopeless():
                longest = max(self._retries.longest_wait_s, self._least_spacing_s)
                self._spacing_s = min(longest, max(2 * self._spacing_s, FIRST_SPACING_S))
                self._slowed_at = self._clock()

    def _speed_up(self) -> None:
        """Shorten the time between requests after a success, down to the one that was set."""
        if self._is_hopeless():  # it was away, and not asked too often
            self._spacing_s = max(FIRST_SPACING_S, self._least_spacing_s)
        self._refused_since = None
        if self._spacing_s > self._least_spacing_s:
            with self._lock:
                shorter = self._spacing_s * (1 - RECOVERY)
                self._spacing_s = (
                    self._least_spacing_s if shorter < FIRST_SPACING_S / 4 else max(shorter, self._least_spacing_s)
                )

    def _is_hopeless(self) -> bool:
        """Whether the server has refused all requests for longer than anybody should wait."""
        return self._refused_since is not None and self._clock() - self._refused_since > PATIENCE_S

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
    utc_date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (utc_date - (now or datetime.now(UTC))).total_seconds())
