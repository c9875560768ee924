"""Retries and rate limits, on a clock of their own."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from trialogue.agents import AgentFailure
from trialogue.records import RetryCost
from trialogue.transport.failures import PassingFailure
from trialogue.transport.retry import Retries, RetryPolicy, retry_after_s


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def retry_policy(self, retries: Retries, **limits: float) -> RetryPolicy:
        return RetryPolicy(
            retries,
            at_once=int(limits["at_once"]) if "at_once" in limits else None,
            per_minute=limits.get("per_minute"),
            sleep=self.sleep,
            clock=lambda: self.now,
            rng=np.random.default_rng(0),
        )


def failing(*failures: AgentFailure) -> Callable[[], str]:
    left = list(failures)

    def request() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return request


BUSY = PassingFailure("error", "busy", heard=False)
LOST = PassingFailure("timeout", "slow", heard=True)


def test_waits_double_with_jitter_between_half_and_all() -> None:
    clock = Clock()
    retry_policy = clock.retry_policy(Retries(most=5, first_wait_s=1, longest_wait_s=4))
    assert retry_policy.ask(failing(*[BUSY] * 5), repeatable=False) == "done"
    for slept, most in zip(clock.slept, (1, 2, 4, 4, 4), strict=True):
        assert most / 2 <= slept <= most
    assert len({slept / most for slept, most in zip(clock.slept, (1, 2, 4, 4, 4), strict=True)}) == 5


def test_the_last_failure_is_raised_when_patience_is_over() -> None:
    clock = Clock()
    noted: list[RetryCost] = []
    with pytest.raises(AgentFailure, match="busy") as raised:
        clock.retry_policy(Retries(most=2)).ask(failing(*[BUSY] * 3), repeatable=True, note=noted.append)
    assert raised.value.retries == noted[0] + noted[1]
    assert len(clock.slept) == len(noted) == 2
    assert [round(slept, 3) for slept in clock.slept] == [cost.waited_s for cost in noted]


def test_other_failures_are_not_tried_again() -> None:
    clock = Clock()
    with pytest.raises(AgentFailure, match="wrong"):
        clock.retry_policy(Retries()).ask(failing(AgentFailure("malformed", "wrong")), repeatable=True)
    assert clock.slept == []


def test_a_message_that_may_have_been_heard_is_said_again_only_where_that_does_no_harm() -> None:
    clock = Clock()
    assert clock.retry_policy(Retries()).ask(failing(LOST), repeatable=True) == "done"
    with pytest.raises(AgentFailure, match="slow"):
        clock.retry_policy(Retries()).ask(failing(LOST), repeatable=False)


def test_a_server_is_asked_again_when_it_wants_to_be() -> None:
    clock = Clock()
    later = PassingFailure("error", "busy", heard=False, after_s=7)
    assert clock.retry_policy(Retries(first_wait_s=0.1)).ask(failing(later), repeatable=False) == "done"
    assert clock.slept == [7]


def test_a_server_that_wants_too_long_a_pause_is_given_up() -> None:
    clock = Clock()
    later = PassingFailure("error", "come back tomorrow", heard=False, after_s=86_400)
    with pytest.raises(AgentFailure, match="tomorrow"):
        clock.retry_policy(Retries(longest_wait_s=60)).ask(failing(later), repeatable=False)
    assert clock.slept == []


def test_requests_of_a_minute_are_spaced_evenly() -> None:
    clock = Clock()
    retry_policy = clock.retry_policy(Retries(), per_minute=120)
    for _ in range(4):
        retry_policy.ask(failing(), repeatable=False)
    assert clock.now == pytest.approx(1.5)  # at 0, .5, 1 and 1.5 seconds


def test_a_pause_that_a_server_asks_for_is_kept_by_everybody() -> None:
    clock = Clock()
    retry_policy = clock.retry_policy(Retries(most=0))
    with pytest.raises(AgentFailure):
        retry_policy.ask(failing(PassingFailure("error", "busy", heard=False, after_s=5)), repeatable=False)
    assert retry_policy.ask(failing(), repeatable=False) == "done"
    assert clock.slept in ([5], [])  # given up at once: nobody is held


def test_no_more_requests_than_allowed_are_made_at_once() -> None:
    retry_policy = RetryPolicy(Retries(), at_once=2)
    inside, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2)

    def request() -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        both.wait(5)  # two are in at the same time ...
        with lock:
            inside -= 1

    threads = [
        threading.Thread(target=retry_policy.ask, args=(request,), kwargs={"repeatable": False}) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert most == 2  # ... and never three


def test_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
    assert retry_after_s("3") == 3
    assert retry_after_s("Sat, 21 Nov 2026 12:00:30 GMT", now=now) == 30
    assert retry_after_s("Sat, 21 Nov 2026 11:00:00 GMT", now=now) == 0
    assert retry_after_s("Sat, 21 Nov 2026 12:00:30", now=now) == 30
    assert retry_after_s("soon") is None
    assert retry_after_s(None) is None


def refused(after_s: float | None = None) -> PassingFailure:
    return PassingFailure("rate_limited", "slow down", heard=False, after_s=after_s)


def test_requests_slow_down_with_each_refusal_and_recover_with_each_success() -> None:
    clock = Clock()
    policy = clock.retry_policy(Retries(most=3, first_wait_s=0))
    starts: list[float] = []

    def noted(request: Callable[[], str]) -> Callable[[], str]:
        def noting() -> str:
            starts.append(clock.now)
            return request()

        return noting

    policy.ask(noted(failing(refused(), refused())), repeatable=True)
    assert np.diff(starts).tolist() == pytest.approx([0.0, 0.1])  # a slot was reserved before the first refusal
    for _ in range(30):
        policy.ask(noted(failing()), repeatable=True)
    gaps = np.diff(starts[2:])
    assert gaps[0] == pytest.approx(0.2)  # twice refused: twice the first spacing, reserved before the success
    assert gaps[1:6].tolist() == pytest.approx([0.2 * 0.9**power for power in range(1, 6)])
    assert gaps[-1] == 0.0  # the old rate again


def test_refusals_of_requests_that_were_under_way_together_count_once() -> None:
    clock = Clock()
    policy = clock.retry_policy(Retries(most=0))

    def nested(depth: int) -> str:
        if depth:
            with pytest.raises(PassingFailure):
                policy.ask(lambda: nested(depth - 1), repeatable=True)
        clock.now += 0.01
        raise refused()

    with pytest.raises(PassingFailure):
        policy.ask(lambda: nested(3), repeatable=True)
    assert policy._spacing_s == 0.1


def test_a_server_that_refuses_everything_is_soon_asked_once_by_each_request_until_it_answers() -> None:
    """Ten dialogues in a row that fail end a simulation: with all retries they would take an hour."""
    clock = Clock()
    retry_policy = clock.retry_policy(Retries())
    asked = 0

    def refuse() -> str:
        nonlocal asked
        asked += 1
        raise refused()

    counts = []
    for _ in range(10):
        before = asked
        with pytest.raises(PassingFailure):
            retry_policy.ask(refuse, repeatable=True)
        counts.append(asked - before)
    assert counts[0] == 5
    assert counts[-5:] == [1] * 5
    assert clock.now < 240
    assert retry_policy.ask(failing(), repeatable=True) == "done"
    assert retry_policy.ask(failing(*[refused()] * 4), repeatable=True) == "done"  # patient again
