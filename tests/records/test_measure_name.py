"""A measure's name knows its parts, and is text everywhere else."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.records import VOTES, MeasureKind, MeasureName, Score


@given(st.text(), st.sampled_from(["dialogue", "response"]))
def test_a_question_of_any_name_keeps_its_level_and_its_words(question: str, level: str) -> None:
    name = MeasureName.of_question(question, level=level)  # type: ignore[arg-type]
    assert (name.kind, name.question, name.level) == (MeasureKind.RATING, question, level)
    assert MeasureName(str(name)).question == question


@pytest.mark.parametrize("question", ["votes", "satisfaction@response", "100%40", "x|v1", "a:b"])
def test_a_question_cannot_pass_for_votes_or_for_another_level(question: str) -> None:
    name = MeasureName.of_question(question)
    assert name != VOTES
    assert (name.kind, name.level) == (MeasureKind.RATING, "dialogue")


@pytest.mark.parametrize(
    ("text", "metric", "parameters", "variant", "version", "aspect"),
    [
        ("distinct(n=2)@ratio|v1", "distinct", "n=2", "ratio", 1, None),
        ("ds_kl(reference=a,b@c|v1)@smoothed|v2", "ds_kl", "reference=a,b@c|v1", "smoothed", 2, None),
        ("FACE:relevance", "FACE", "", None, None, "relevance"),
        ("length@words|v1:relevance", "length", "", "words", 1, "relevance"),
        ("a:b:relevance", "a:b", "", None, None, "relevance"),
        ("", "", "", None, None, None),
    ],
)
def test_a_metric_s_name_has_its_parts(
    text: str, metric: str, parameters: str, variant: str | None, version: int | None, aspect: str | None
) -> None:
    name = MeasureName(text)
    assert name.kind is MeasureKind.METRIC
    assert (name.metric, name.parameters, name.variant, name.version, name.aspect) == (
        metric,
        parameters,
        variant,
        version,
        aspect,
    )


@given(st.text())
def test_any_text_is_a_name_that_reads_as_it_was_written(text: str) -> None:
    name = MeasureName(text)
    assert name == text
    assert str(name) == text
    assert pickle.loads(pickle.dumps(name)) == text
    assert json.loads(json.dumps({name: name})) == {text: text}


def test_a_score_s_measure_knows_its_parts_and_is_written_as_text() -> None:
    score = Score(measure="human:satisfaction", level="system", value=1.0)
    assert score.measure.is_judgement
    assert score.to_json()["measure"] == "human:satisfaction"
    assert type(score.to_json()["measure"]) is str


def test_in_prose_a_question_is_words_and_a_metric_its_name() -> None:
    assert MeasureName("human:overall_quality").prose == "overall quality"
    assert MeasureName("need_met(turns=10)@named|v1").prose == "need met"
