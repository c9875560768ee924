"""Judges in several processes and on a cluster: the same answers, one budget, and nothing asked twice."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.judges.conftest import OPEN, options, talk
from trialogue.dask_cluster import LOCAL, Workers
from trialogue.errors import Problem, UsageError
from trialogue.judges import LlmJudge, LlmPairJudge, asking, load_rubric
from trialogue.judges.asking import Answers, Asking, Questions, answers_to
from trialogue.judges.judgement import JudgingProgress
from trialogue.llm import Budget, LimitReached, Limits, use_budget

MANY = [talk(f"d{number}", "hi", f"good {number}", system=("kbrd", "barcor")[number % 2]) for number in range(24)]
LIVES = "TRIALOGUE_TEST_LIVES"  # names a file: the process that can remove it is killed


def judge_with(endpoint: str, workers: Workers, name: str = "plain", **more: Any) -> LlmJudge:
    made = LlmJudge(
        load_rubric("overall"), options(endpoint, name, **more), systems=["kbrd", "barcor"], workers=workers
    )
    OPEN.append(made)
    return made


def answers_or_death(batch: Questions, task: Asking) -> Answers | list[Problem]:
    """Answers of a process that is killed after it has them, once."""
    found = answers_to(batch, task)
    try:
        Path(os.environ[LIVES]).unlink()
    except FileNotFoundError:
        return found
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.parametrize(
    ("name", "workers"), [("plain", Workers(3)), ("no-schema", Workers(2)), ("halves", Workers(2))]
)
def test_any_number_of_processes_says_and_counts_the_same(
    endpoint: str, tmp_path: Path, name: str, workers: Workers
) -> None:
    alone = judge_with(endpoint, Workers(), name, cache=tmp_path / "alone")
    judge = judge_with(endpoint, workers, name, cache=tmp_path / "together")
    seen: list[JudgingProgress] = []
    assert judge.judge(MANY, watch=seen.append) == alone.judge(MANY)
    assert judge.usage() == alone.usage()
    assert seen[-1].done == seen[-1].total == 24
    assert sorted(each.done for each in seen) == [each.done for each in seen]
    rerun = judge_with(endpoint, workers, name, cache=tmp_path / "together")
    assert rerun.judge(MANY) == alone.judge(MANY)
    assert (rerun.usage().calls, rerun.usage().cached) == (0, 24)


def test_a_cluster_says_the_same_and_pairs_are_asked_there_too(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="extra 'cluster'")
    monkeypatch.chdir(tmp_path)
    there = judge_with(endpoint, Workers(2, LOCAL), cache=Path("answers"))
    assert there.judge(MANY) == judge_with(endpoint, Workers()).judge(MANY)
    assert len(list((tmp_path / "answers").rglob("*.json"))) == 24
    pairs = list(zip(MANY[::2], MANY[1::2], strict=True))
    both = [
        LlmPairJudge(load_rubric("overall"), options(endpoint, "first"), workers=workers)
        for workers in (Workers(2), Workers())
    ]
    OPEN.extend(both)
    assert both[0].compare(pairs) == both[1].compare(pairs)
    assert both[0].usage() == both[1].usage()


def test_a_limit_holds_over_all_processes_and_the_same_command_goes_on(endpoint: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"cache": tmp_path / "answers", "structured": False}
    budget = tmp_path / "budget.json"
    with use_budget(Budget(Limits(max_calls=10), budget)):
        with pytest.raises(LimitReached, match="max_calls 10"):
            judge_with(endpoint, Workers(3), **given).judge(MANY)
        assert Budget(Limits(), budget).spent().calls == 10
    with use_budget(Budget(Limits(max_calls=24), budget)):
        judge = judge_with(endpoint, Workers(3), **given)
        assert len(judge.judge(MANY)) == 24
        assert (judge.usage().calls, judge.usage().cached) == (14, 10)
        assert Budget(Limits(), budget).spent().calls == 24


def test_a_killed_process_costs_time_and_no_answer_that_it_had(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives = tmp_path / "one life"
    lives.touch()
    monkeypatch.setenv(LIVES, str(lives))
    monkeypatch.setattr(asking, "answers_to", answers_or_death)
    # this process would be killed as well if it answered before the other one
    monkeypatch.setattr(Workers, "map", lambda self, *given, **more: _all_elsewhere(*given, **more))
    judge = judge_with(endpoint, Workers(2), cache=tmp_path / "answers")
    assert judge.judge(MANY) == judge_with(endpoint, Workers()).judge(MANY)
    assert not lives.exists()
    assert len(list((tmp_path / "answers").rglob("*.json"))) == 24


def _all_elsewhere(function: Any, pieces: Any, task: Any, *, purpose: str) -> Any:
    from trialogue import dask_cluster

    for piece in pieces:
        yield piece, dask_cluster._result_of_own_process(function, piece, task)


def test_a_batch_that_nobody_can_ask_is_an_error_and_not_a_missing_score(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def map_nothing(self: Workers, function: Any, pieces: Any, task: Any, *, purpose: str) -> Any:
        return ((each, [Problem("every process was killed.", file=each.given)]) for each in pieces)

    monkeypatch.setattr(Workers, "map", map_nothing)
    with pytest.raises(UsageError, match="begins with question 1: every process was killed"):
        judge_with(endpoint, Workers(2)).judge(MANY)


def test_a_refused_key_and_a_missing_server_stop_every_process(endpoint: str) -> None:
    with pytest.raises(UsageError, match="no credit left"):
        judge_with(endpoint, Workers(2), "no-credit").judge(MANY)
    with pytest.raises(UsageError, match="The judge cannot be asked"):
        judge_with("http://127.0.0.1:9", Workers(2)).judge(MANY)


def test_a_server_is_asked_no_more_at_once_by_several_processes_than_by_one(endpoint: str) -> None:
    asked: list[Asking] = []

    def shares(workers: Workers, **more: Any) -> tuple[int | None, float | None]:
        task = judge_with(endpoint, workers, **more)._asker._task()
        asked.append(task)
        found = task.options
        assert not hasattr(found, "folder")
        return found.requests_at_once, found.requests_per_minute

    assert shares(Workers(4), requests_per_minute=60) == (2, 15.0)
    assert shares(Workers(16)) == (1, None)
    assert shares(Workers(cluster="tcp://host:1"), requests_per_minute=60) == (8, 60.0)
    assert shares(Workers(2), requests_at_once=None) == (8, None)


def test_threads_of_one_worker_share_what_asks_and_each_batch_says_what_it_took(endpoint: str) -> None:
    task = judge_with(endpoint, Workers(2))._asker._task()
    units = judge_with(endpoint, Workers()).units(MANY)
    batches = [Questions(tuple((unit.text, 0) for unit in units[first::3]), first) for first in range(3)]
    found: list[Any] = []
    threads = [threading.Thread(target=lambda each=each: found.append(answers_to(each, task))) for each in batches]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(each.usage.calls for each in found) == 24
        assert len(asking._ASKERS) == 1
    finally:
        for _, asker in asking._ASKERS.values():
            asker.close()
        asking._ASKERS.clear()
