"""Run many participants concurrently on a simulated clock, so that hours pass in seconds and leases expire as in reality."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

from trialogue.study.bots.walking import Walk

GAP_S = 60.0  # between two arrivals, on average
TRIES = 6  # times that somebody who is turned away comes back


@dataclass
class Clock:
    """The time in a simulated study."""

    start: datetime = field(default_factory=lambda: datetime(2026, 1, 5, 9, tzinfo=UTC))
    seconds: float = 0.0

    def now(self) -> datetime:
        """The environment that Django is given."""
        return self.start + timedelta(seconds=self.seconds)


@contextmanager
def patched_time(clock: Clock) -> Iterator[None]:
    """Let Django and the rate limits of this process take the time from the clock: hours pass in seconds."""
    seconds = SimpleNamespace(time=lambda: clock.now().timestamp())
    with patch("django.utils.timezone.now", clock.now), patch("trialogue.study.web.throttle.time", seconds):
        yield


def walk_all(
    walks: Sequence[Walk],
    *,
    clock: Clock,
    lease: float,
    rng: np.random.Generator,
    done: Callable[[int], None] = lambda number: None,
) -> None:
    """Let all participants walk, page by page in order of time, until all are done, gone or turned away for good.

    Args:
        walks: one for each participant; they arrive in this order.
        clock: clock that is set to the time of each page.
        lease: seconds after which a participant who was turned away tries again: slots of drop-outs are free by then.
        rng: random generator for the arrivals.
        done: called after each participant with the number of those who have finished.
    """
    arrivals = np.cumsum(rng.exponential(GAP_S, size=len(walks))).tolist()
    coming = [(at, number, 0) for number, at in enumerate(arrivals)]
    heapq.heapify(coming)
    through = 0
    while coming:
        clock.seconds, number, tries = heapq.heappop(coming)
        walk = walks[number]
        if walk.step():
            heapq.heappush(coming, (clock.seconds + walk.pause(), number, tries))
        elif walk.state == "turned_away" and tries < TRIES:
            walk.restart()
            heapq.heappush(coming, (clock.seconds + lease, number, tries + 1))
        else:
            through += 1
            done(through)
