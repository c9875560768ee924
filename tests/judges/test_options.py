"""Judges as they are given: a model's name, a file of options, or both."""

from pathlib import Path

import pytest

from trialogue.errors import DataError, UsageError
from trialogue.judges import JudgeOptions, judge_options
from trialogue.judges.options import OPENAI_KEY, OPENAI_URL


def test_a_model_alone_is_at_openai_and_needs_its_key() -> None:
    found = judge_options("openai:gpt-x")
    assert isinstance(found, JudgeOptions)
    assert (found.model, found.url, found.api_key_env) == ("gpt-x", OPENAI_URL, OPENAI_KEY)
    assert (found.temperature, found.samples) == (0.0, 1)


def test_another_endpoint_is_sent_no_key_unless_one_is_named() -> None:
    found = judge_options("openai:meta/llama:8b", {"url": "http://localhost:8000/v1"})
    assert isinstance(found, JudgeOptions)
    assert (found.model, found.api_key_env) == ("meta/llama:8b", None)
    other = judge_options("openai:m", {"url": "http://h/v1", "api_key_env": "MINE"})
    assert isinstance(other, JudgeOptions)
    assert other.api_key_env == "MINE"


def test_a_file_holds_options_and_others_override_it(tmp_path: Path) -> None:
    path = tmp_path / "judge.yaml"
    path.write_text("url: http://localhost:8000/v1\nmodel: m\ntemperature: 0.5\nsamples: 3\n")
    assert judge_options(path).samples == 3
    assert judge_options(str(path), {"samples": 5}).samples == 5


def test_all_mistakes_of_a_file_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "judge.yaml"
    path.write_text("url: http://localhost:8000/v1\nsamples: 0\ntop: 3\n")
    with pytest.raises(DataError) as caught:
        judge_options(path)
    assert {(each.field, each.line) for each in caught.value.problems} >= {("samples", 2), ("top", 3)}
    assert "model" in str(caught.value)


@pytest.mark.parametrize("given", ["gpt-x", "openai:", "other:m"])
def test_anything_else_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="openai:MODEL"):
        judge_options(given)


def test_fields_that_judges_send_themselves_are_refused_among_others() -> None:
    with pytest.raises(ValueError, match="'more' cannot contain n, response_format"):
        JudgeOptions(url="http://h/v1", model="m", more={"n": 2, "response_format": {}})
