"""Participants by a clock of their own."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import numpy as np
from django.utils import timezone

from trialogue.study.bots.__main__ import TRIES, Clock, patched_time, walk_all
from trialogue.study.bots.walking import Walk
from trialogue.study.web import throttle


@dataclass
class Scripted:
    """A walk of so many pages, which is turned away so often before."""

    clock: Clock
    pages: int
    full: int = 0
    state: str = "walking"
    times: list[float] = field(default_factory=list)

    def step(self) -> bool:
        self.times.append(self.clock.seconds)
        if self.full:
            self.full -= 1
            self.state = "turned_away"
        elif self.pages == len(self.times):
            self.state = "over"
        return self.state == "walking"

    def pause(self) -> float:
        return 10.0

    def restart(self) -> None:
        self.state, self.times = "walking", []


def walked(*walks: Scripted) -> list[int]:
    done: list[int] = []
    walk_all(
        cast(list[Walk], list(walks)),
        clock=walks[0].clock,
        lease=1000.0,
        rng=np.random.default_rng(0),
        done=done.append,
    )
    return done


def test_django_and_rate_limits_follow_the_clock() -> None:
    clock: Any = Clock()
    limited: Any = throttle
    with patched_time(clock):
        before, limit = timezone.now(), limited.time.time()
        clock.seconds = 3600.0
        assert timezone.now() - before == timedelta(hours=1)
        assert limited.time.time() - limit == 3600
    assert timezone.now().year >= 2026


def test_everybody_takes_their_own_time_for_each_page() -> None:
    clock = Clock()
    walks = [Scripted(clock, 3), Scripted(clock, 2)]
    assert walked(*walks) == [1, 2]
    assert [np.diff(walk.times).tolist() for walk in walks] == [[10.0, 10.0], [10.0]]


def test_who_is_turned_away_comes_back_after_a_lease_and_gives_up_in_the_end() -> None:
    clock = Clock()
    patient, hopeless = Scripted(clock, 1, full=2), Scripted(clock, 1, full=99)
    assert walked(patient, hopeless) == [1, 2]
    assert (patient.state, hopeless.state) == ("over", "turned_away")
    assert hopeless.full == 99 - 1 - TRIES
    assert patient.times[0] > 2000
