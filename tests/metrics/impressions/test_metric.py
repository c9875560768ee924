"""The learned judges of impressions: they learn, do not see what they score, and give failures no advantage."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import DataError, UsageError
from trialogue.metrics import Undefined, get_metric
from trialogue.metrics.base import replies_of
from trialogue.metrics.failure_policy import with_failure_policy
from trialogue.metrics.impressions.features import WITH_REACTION, dialogue_rows, reply_features
from trialogue.metrics.impressions.fit import ImpressionModel, train_impressions
from trialogue.metrics.impressions.metric import Impression, ReplyImpression, read_impressions
from trialogue.metrics.satisfaction.learned import write_model
from trialogue.records import Dialogue, Ending, ReasonCode, Score, Utterance
from trialogue.stats import spearman

GOOD, BAD = "Try {} (1999), it is about a heist.", "i i do not know {}"


def talk(*texts: str, system: str = "s", user: str = "u", name: str = "d", ended: Ending | None = None) -> Dialogue:
    said = tuple(
        Utterance(speaker="user" if place % 2 == 0 else "system", text=text) for place, text in enumerate(texts)
    )
    return Dialogue(id=name, utterances=said, system=system, user=user, ended_by=ended)


def corpus() -> tuple[list[Dialogue], list[Score]]:
    """Four systems of 20 dialogues with two replies; in half of each, replies are good and people say so."""
    dialogues, scores = [], []
    for system in "abcd":
        for number in range(20):
            good = number % 2
            text, title, name = (GOOD if good else BAD), f"{system.upper()}x{number}", f"{system}{number}"
            dialogues.append(
                talk(
                    f"recommend a heist film number {number} of {system}",
                    text.format(title),
                    "thanks, great" if good else "that is wrong, recommend a heist film",
                    text.format(title + "y"),
                    system=system,
                    user=name,
                    name=name,
                )
            )
            answer = {"dialogue_id": name, "system": system, "rater": "p"}
            for place in (1, 3):
                scores.append(
                    Score(measure="relevance", level="utterance", utterance=place, value=2.0 * good, **answer)
                )
            scores.append(Score(measure="overall", level="dialogue", value=4.0 * good, **answer))
    return dialogues, scores


@cache
def model() -> ImpressionModel:
    return train_impressions(*corpus(), origin="invented")


def value(metric: Impression | ReplyImpression, unit: object) -> float:
    found = metric.statistics(unit)  # type: ignore[arg-type]
    assert not isinstance(found, Undefined)
    return found[0]


def test_features_count_what_they_say() -> None:
    said = talk("a heist film, please", "Heat (1995) and Heat (1995)").utterances
    found = reply_features(said, "Heat (1995)?", Utterance(speaker="user", text="no, a heist"))
    assert tuple(found) == WITH_REACTION
    assert found["titles"] == pytest.approx(np.log(2))
    assert found["new_titles"] == 0  # Heat was named before
    assert found["asks"] == 1
    assert found["no_after"] == 1
    assert found["repeats_after"] == 1  # "heist" alone is a word of content
    assert found["request_met_by_title"] == 1
    assert reply_features(said, "Heat", None)["no_reaction"] == 1


@given(st.lists(st.text(max_size=20), max_size=6))
def test_features_of_any_dialogue_are_finite(texts: list[str]) -> None:
    rows = dialogue_rows(talk(*texts))
    assert all(len(row) == len(WITH_REACTION) and np.isfinite(row).all() for row in rows)


def test_a_very_long_utterance_is_read_in_part() -> None:
    assert reply_features((), "Big Red Car " * 10_000)["log_words"] < np.log1p(1_400)  # 4,000 characters


def test_what_separates_other_systems_is_learned() -> None:
    dialogues, scores = corpus()
    truth = [score.value for score in scores if score.utterance is None]
    metric = Impression(model=model(), aspect="overall")
    found = spearman([value(metric, each) for each in dialogues], truth).value
    assert found is not None
    assert found > 0.8  # half of the pairs are ties in truth: a perfect order has .87


def test_labels_of_a_system_change_nothing_about_its_own_scores() -> None:
    dialogues, scores = corpus()
    turned = [
        each.model_copy(update={"value": (4.0 if each.utterance is None else 2.0) - (each.value or 0)})
        if each.system == "a"
        else each
        for each in scores
    ]
    other = train_impressions(dialogues, turned, origin="invented")
    assert other.without["a"] == model().without["a"]
    assert other.without["b"] != model().without["b"]


def test_a_renamed_training_dialogue_is_recognised() -> None:
    dialogue = corpus()[0][0]
    metric = Impression(model=model(), aspect="overall")
    assert metric.part_for(dialogue.model_copy(update={"system": "new", "id": "x"})) == model().without["a"]
    assert metric.part_for(talk("tell me of a film with cats", "Cats (2019) is about cats.")) == model().everything


def test_a_judge_with_nothing_but_the_training_data_has_no_value_for_them() -> None:
    lonely = model().model_copy(update={"without": {}})
    found = Impression(model=lonely, aspect="overall").statistics(corpus()[0][0])
    assert isinstance(found, Undefined)
    assert found.why.code is ReasonCode.TRAINED_ON


def test_values_stay_on_the_scale_of_the_labels() -> None:
    metric = Impression(model=model(), aspect="overall")
    for text in ("", "a", "Try A (1999). " * 200, "我推荐您看这部电影"):
        found = metric.statistics(talk("a film", "ok", "and", text or "."))
        assert not isinstance(found, Undefined)
        assert 0 <= found[0] <= 4


@pytest.mark.parametrize("texts", [(), ("a film",), ("a film", ""), ("", "Heat")])
def test_a_dialogue_of_one_speaker_has_no_value(texts: tuple[str, ...]) -> None:
    found = Impression(model=model(), aspect="overall").statistics(talk(*texts))
    assert isinstance(found, Undefined)
    assert found.why.code is ReasonCode.ONE_SPEAKER_ONLY


@pytest.mark.parametrize("texts", [(), ("a film",), ("recommend a film", GOOD, "thanks, great")])
def test_a_dialogue_that_its_system_failed_has_the_worst_value(texts: tuple[str, ...]) -> None:
    metric = Impression(model=model(), aspect="overall")
    row = with_failure_policy(metric, talk(*texts, ended=Ending.AGENT_ERROR))
    assert not isinstance(row, Undefined)
    assert metric.combine(np.array([row]))[0] == 0


def test_a_reply_is_judged_in_its_context_and_an_empty_one_is_not() -> None:
    metric = ReplyImpression(model=model(), aspect="relevance")
    good, bad = (replies_of(talk("recommend a film with cats", text.format("Cats")), "s")[0] for text in (GOOD, BAD))
    assert value(metric, good) > value(metric, bad) + 1  # of a scale from 0 to 2
    found = metric.statistics(replies_of(talk("recommend a film", " "), "s")[0])
    assert isinstance(found, Undefined)
    assert found.why.code is ReasonCode.REPLY_EMPTY


def test_a_file_gives_the_same_judge(tmp_path: Path) -> None:
    write_model(model(), tmp_path / "judge.json")
    assert read_impressions(tmp_path / "judge.json") == model()
    named = get_metric(f"impression(model={tmp_path / 'judge.json'},aspect=overall)")
    assert named.measure == Impression(model=model(), aspect="overall").measure
    assert (named.card.low, named.card.high) == (0, 4)


def test_training_twice_gives_the_same_file() -> None:
    assert train_impressions(*corpus(), origin="invented").model_dump_json() == model().model_dump_json()


def test_what_is_no_judge_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"origin": 1}', encoding="utf-8")
    with pytest.raises(DataError, match="not a file written by 'trialogue judge train'"):
        read_impressions(tmp_path / "x.json")
    write_model(model().model_copy(update={"features": ("a",)}), tmp_path / "y.json")
    with pytest.raises(DataError, match="other features"):
        read_impressions(tmp_path / "y.json")


def test_without_a_model_or_with_an_unknown_aspect_it_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="trialogue judge train"):
        Impression()
    with pytest.raises(UsageError, match="It predicts: overall"):
        Impression(model=model(), aspect="taste")


def test_every_shortage_of_labels_is_named_at_once() -> None:
    dialogues, _ = corpus()
    with pytest.raises(DataError) as caught:
        train_impressions(dialogues[:20], [], origin="x")
    for words in ("no reply has a human label", "no dialogue has a human label", "dialogues with 1 systems"):
        assert words in str(caught.value)
