"""The cache of answers: what is asked again, and what never is."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.talk import said_to, texts, user
from trialogue.agents.llm import LlmSpec
from trialogue.errors import UsageError
from trialogue.llm import Cache
from trialogue.llm.cache import key_of
from trialogue.transport.retry import Retries


def said(endpoint: str, cache: Path, *messages: str, path: str = "cached", **options: Any) -> tuple[Any, int]:
    """(what was said, requests that the endpoint answered)."""
    where = {key: options.pop(key) for key in ("dialogue_id", "seed") if key in options}
    given = {"url": f"{endpoint}/{path}", "model": "tiny", "retries": Retries(most=0), "cache": cache, **options}
    agent = LlmSpec(**given).make()
    words = said_to(agent, *messages, **where)
    agent.close()
    return words, agent.usage().calls


def test_the_same_trial_is_answered_without_a_request_and_the_same(endpoint: str, tmp_path: Path) -> None:
    first, calls = said(endpoint, tmp_path, "a", "b")
    again, more = said(endpoint, tmp_path, "a", "b")
    assert (calls, more) == (2, 0)
    assert again == first


def test_turns_from_the_cache_are_equal_but_for_their_latency(endpoint: str, tmp_path: Path) -> None:
    turns = []
    for _ in range(2):
        agent = LlmSpec(url=f"{endpoint}/equal", model="tiny", cache=tmp_path).make()
        with agent.open("d", seed=0) as session:
            turns.append(session.reply([user("hi")]))
        agent.close()
    assert agent.usage().cached == 1
    assert (turns[0].utterances, turns[0].meta) == (turns[1].utterances, turns[1].meta)


@pytest.mark.parametrize(
    "change",
    [
        {"dialogue_id": "another trial"},
        {"seed": 1},
        {"temperature": 0.5},
        {"max_tokens": 10},
        {"more": {"top_p": 0.5}},
        {"stop": ("x",)},
        {"model": "small"},
        {"path": "cached-elsewhere"},
        {"prompt": "Recommend."},
    ],
)
def test_whatever_could_change_the_answer_is_asked_anew(endpoint: str, tmp_path: Path, change: dict[str, Any]) -> None:
    said(endpoint, tmp_path, "a")
    assert said(endpoint, tmp_path, "a", **change)[1] == 1


def test_what_cannot_change_it_is_not(endpoint: str, tmp_path: Path) -> None:
    said(endpoint, tmp_path, "a")
    assert said(endpoint, tmp_path, "a", timeout_s=7, name="other", requests_at_once=1)[1] == 0


def test_failures_are_not_kept(endpoint: str, tmp_path: Path) -> None:
    for _ in range(2):
        agent = LlmSpec(url=f"{endpoint}/null", model="tiny", cache=tmp_path).make()
        with agent.open("d", seed=0) as session, pytest.raises(Exception, match="without text"):
            session.reply([user("hi")])
        agent.close()
        assert agent.usage().calls == 1
    assert not list(tmp_path.rglob("*.json"))


def test_a_lost_answer_is_asked_for_once_more_and_a_damaged_one_too(endpoint: str, tmp_path: Path) -> None:
    said(endpoint, tmp_path, "a", "b", "c", path="lost")
    first, second, _ = sorted(tmp_path.rglob("*.json"))
    first.unlink()
    second.write_text('{"answer": ')
    assert said(endpoint, tmp_path, "a", "b", "c", path="lost")[1] >= 1
    damaged = [path for path in tmp_path.rglob("*.json") if not path.read_text().endswith("}")]
    assert len(damaged) <= 1


def test_deleting_one_line_reissues_exactly_one_call(endpoint: str, tmp_path: Path) -> None:
    said(endpoint, tmp_path, "a", path="one")
    (only,) = tmp_path.rglob("*.json")
    only.unlink()
    assert said(endpoint, tmp_path, "a", path="one")[1] == 1


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be"):
        Cache(tmp_path / "file").put("ab" * 32, {}, model="m")
    assert Cache(tmp_path / "file").get("ab" * 32) is None


@given(st.text(), st.text(), st.text())
def test_keys_differ_where_anything_does_and_only_there(one: str, other: str, trial: str) -> None:
    assert (key_of(one, {"a": 1, "b": 2}, trial) == key_of(other, {"b": 2, "a": 1}, trial)) == (one == other)
    assert (key_of("u", {"t": one}, trial) == key_of("u", {"t": other}, trial)) == (one == other)
    assert (key_of("u", {}, one) == key_of("u", {}, other)) == (one == other)


def test_two_trials_of_one_dialogue_do_not_share_their_draws(endpoint: str, tmp_path: Path) -> None:
    one = said(endpoint, tmp_path, "a", path="draws", dialogue_id="d#1")[0]
    other = said(endpoint, tmp_path, "a", path="draws", dialogue_id="d#2")[0]
    assert (texts, one[1], other[1]) == (texts, ["a #1"], ["a #2"])


def test_of_two_answers_to_one_question_the_first_is_kept_and_both_go_on_with_it(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), key_of("u", {"a": 1}, "t")
    assert cache.put(key, {"n": 1}, model="m") == {"n": 1}
    assert cache.put(key, {"n": 2}, model="m") == {"n": 1}
    assert cache.get(key) == {"n": 1}
    (tmp_path / key[:2] / f"{key[2:]}.json").write_text("damaged")
    assert cache.put(key, {"n": 3}, model="m") == {"n": 3} == cache.get(key)
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]
