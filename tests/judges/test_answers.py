"""Points in answers, and expected points from the probabilities of tokens."""

import math
from typing import Any

import pytest

from tests.judges.conftest import options
from trialogue.errors import UsageError
from trialogue.judges import LlmJudge, Rubric, load_rubric
from trialogue.judges.answers import expected_point, read_points
from trialogue.llm.tokens import Token, tokens_of
from trialogue.records.reasons.codes import ReasonCode

OVERALL = load_rubric("overall")
(ASPECT,) = OVERALL.aspects


def token(text: str, chance: float, **others: float) -> Token:
    return Token(
        text=text, log_probability=math.log(chance), others=tuple((name, math.log(p)) for name, p in others.items())
    )


def test_the_expected_point_is_taken_where_the_field_stands_and_not_in_the_reason() -> None:
    text = '{"reason": "4 of 4", "dialogue_overall": 2}'
    tokens = [token(text[:-2], 0.9), Token(text="2", log_probability=math.log(0.5), others=(("4", math.log(0.5)),))]
    assert read_points(OVERALL, text, [*tokens, token("}", 1.0)]).values == {"dialogue_overall": pytest.approx(3.0)}


def test_a_number_that_is_no_token_of_its_own_or_improbable_has_no_expected_point() -> None:
    assert expected_point(OVERALL, ASPECT, [token('": 2', 1.0)], 3) is None
    unsure = Token(text="2", log_probability=math.log(0.3), others=(("x", math.log(0.7)),))
    assert expected_point(OVERALL, ASPECT, [unsure], 0) is None
    assert expected_point(OVERALL, ASPECT, [], 0) is None
    found = read_points(OVERALL, "2", [unsure])
    assert found.whys["dialogue_overall"].code is ReasonCode.JUDGE_NO_PROBABILITIES


def test_a_scale_of_two_digits_has_no_expected_points(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = OVERALL.model_dump(mode="json") | {"scale": {"low": 0, "high": 10, "anchors": {0: "bad", 10: "good"}}}
    with pytest.raises(UsageError, match="may be the beginning of 10"):
        LlmJudge(Rubric.model_validate(fields), options("http://localhost:1", expected=True))


@pytest.mark.parametrize(
    "given",
    [
        None,
        {"content": None},
        {"content": [{"token": "4"}]},
        {"content": [{"token": 4, "logprob": -1}]},
        {"content": [{"token": "4", "logprob": True}]},
        {"content": ["4"]},
    ],
)
def test_log_probabilities_in_another_form_are_none(given: Any) -> None:
    assert tokens_of({"logprobs": given}) == ()


def test_a_rubric_of_several_aspects_is_read_aspect_by_aspect() -> None:
    rubric = load_rubric("strategies")
    found = read_points(rubric, '{"acknowledgment": 1, "credibility": 2, "encouragement": null}')
    assert found.values == {"acknowledgment": 1.0}
    assert found.whys["credibility"].code is ReasonCode.JUDGE_OFF_SCALE
    assert found.whys["encouragement"].code is ReasonCode.JUDGE_NOT_APPLICABLE
    assert found.whys["similarity"].code is ReasonCode.JUDGE_UNREADABLE
    assert not read_points(rubric, "1").values  # a bare number says nothing about fourteen aspects
