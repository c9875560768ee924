"""Training the estimator of satisfaction on several corpora."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from trialogue.errors import DataError
from trialogue.metrics.satisfaction.corpora import (
    fit_corpora,
    languages_of_corpora,
    leave_corpora_out,
    rated_corpus,
    train_on_corpora,
)
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import domain_of
from trialogue.metrics.satisfaction.learned import write_model
from trialogue.metrics.satisfaction.metric import Satisfaction, read_satisfaction
from trialogue.records import Dialogue, Rating, Utterance


def talks(name: str, count: int, *, low: float, high: float, start: int = 0, longer: int = 0) -> list[Dialogue]:
    """Users are satisfied where the system says something new each time; scale, level and length are the corpus' own."""
    made = []
    for number in range(start, start + count):
        varied = number % 2 == 0
        texts = [
            f"I would like film number {number} {'please ' * longer}",
            f"Perhaps a story about {number if varied else 'nothing'}, with ships and {number * 7 if varied else 'ships'}?",
            "no" if not varied else "yes great",
            f"Then try the one with {number * 3} captains and a storm."
            if varied
            else "Perhaps a story about nothing, with ships and ships? " * 2,
        ]
        said = tuple(Utterance(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts))
        value = (high if varied else low) - (0.1 * (high - low) if number % 5 == 0 and varied else 0)
        rating = Rating(name="satisfaction", value=value, low=low, high=high, rater=f"{name}-{number}")
        made.append(Dialogue(id=f"{name}-{number}", system=f"{name}-{number % 3}", utterances=said, ratings=(rating,)))
    return made


def chinese(name: str, count: int, *, start: int = 0) -> list[Dialogue]:
    """The same in Chinese; invented."""
    made, same = [], "可以看看那个故事，里面有船，有船。"
    for number in range(start, start + count):
        varied = number % 2 == 0
        texts = [
            f"我想看第{number}部电影，请推荐一部。",
            f"可以看看第{number}个故事，里面有船，有风暴，有{number}位船长。" if varied else same,
            "好的，谢谢你的建议。" if varied else "不对，我不喜欢这种电影。",
            f"那么试试有{number * 3}位船长的那部，很精彩，节奏也快。" if varied else same,
        ]
        said = tuple(Utterance(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts))
        rating = Rating(
            name="satisfaction", value=4 if varied else 2 - number % 3 / 2, low=1, high=5, rater=f"r{number}"
        )
        made.append(Dialogue(id=f"{name}-{number}", system=f"{name}-{number % 3}", utterances=said, ratings=(rating,)))
    return made


def corpora() -> list[list[Dialogue]]:
    return [
        talks("arena", 40, low=0, high=1),
        talks("ccpe", 60, low=1, high=5, start=100, longer=5),
        talks("sgd", 120, low=1, high=7, start=200, longer=20),
    ]


def test_what_is_learned_on_some_corpora_orders_another() -> None:
    rated = [rated_corpus(name, own) for name, own in zip("abc", corpora(), strict=True)]
    found = leave_corpora_out(rated, resamples=200)
    assert [each.corpus for each in found] == ["a", "b", "c"]
    for each in found:
        assert each.learned.value is not None
        assert each.learned.value > 0.8
        assert each.learned.interval is not None
        assert each.length.value is not None
        assert each.length.value < each.learned.value
    assert found == leave_corpora_out(rated, resamples=200)


def test_scale_and_level_of_a_corpus_do_not_matter_and_its_size_neither() -> None:
    arena, ccpe, _ = corpora()
    one = fit_corpora([rated_corpus("a", arena), rated_corpus("b", ccpe)])
    rescaled = [
        each.model_copy(
            update={
                "ratings": tuple(
                    rating.model_copy(update={"value": 10 * rating.value + 3, "low": 13.0, "high": 53.0})
                    for rating in each.ratings
                )
            }
        )
        for each in ccpe
    ]
    assert fit_corpora([rated_corpus("a", arena), rated_corpus("b", rescaled)]) == one
    twice = [*ccpe, *(each.model_copy(update={"id": f"{each.id}-again"}) for each in ccpe)]
    other = fit_corpora([rated_corpus("a", arena), rated_corpus("b", twice)])
    assert np.allclose(other.weights, one.weights, atol=2e-3)


def test_weights_have_their_declared_signs() -> None:
    fitted = fit_corpora([rated_corpus("a", corpora()[0])])
    assert all(weight * feature.sign >= 0 for weight, feature in zip(fitted.weights, FEATURES.values(), strict=True))


def test_a_training_dialogue_is_scored_without_its_system() -> None:
    own = corpora()
    model = train_on_corpora([rated_corpus(name, each) for name, each in zip("abc", own, strict=True)], origin="three")
    metric = Satisfaction(model=model)
    assert metric.part_for(own[0][0]) == model.without["arena-0"]
    stranger = talks("new", 1, low=0, high=1, start=900)[0]
    assert metric.part_for(stranger) == model.everything
    assert 0 < metric.statistics(stranger)[0] < 1  # type: ignore[index]
    assert "model" in str(metric.measure)


def test_ratings_of_replies_stand_for_the_dialogue_where_there_are_no_others() -> None:
    own = [
        each.model_copy(
            update={
                "ratings": (),
                "utterances": (*each.utterances[:-1], each.utterances[-1].model_copy(update={"ratings": each.ratings})),
            }
        )
        for each in corpora()[1]
    ]
    assert np.array_equal(rated_corpus("b", own).answers, rated_corpus("b", corpora()[1]).answers)


@pytest.mark.parametrize(
    ("dialogues", "part"),
    [
        (talks("a", 10, low=1, high=5), "10 dialogues have satisfaction ratings, with 3 different values"),
        ([each.model_copy(update={"ratings": ()}) for each in talks("a", 30, low=1, high=5)], "0 dialogues have"),
        (
            [
                each.model_copy(update={"ratings": (Rating(name="satisfaction", value=4),)})
                for each in talks("a", 30, low=1, high=5)
            ],
            "30 dialogues, such as 'a-0', have satisfaction ratings without a scale",
        ),
        (
            [
                each.model_copy(update={"ratings": (Rating(name="satisfaction", value=1),)})
                for each in talks("a", 30, low=1, high=5)
            ],
            "with 1 different values",
        ),
    ],
)
def test_corpora_that_teach_nothing_are_refused(dialogues: list[Dialogue], part: str) -> None:
    with pytest.raises(DataError, match=part):
        rated_corpus("a", dialogues)


def test_one_corpus_alone_has_no_agreement_elsewhere() -> None:
    (found,) = leave_corpora_out([rated_corpus("a", corpora()[0])], resamples=100)
    assert found.learned.value is None
    assert found.length.value is not None


def test_a_judge_knows_the_languages_of_its_corpora_and_its_card_names_them() -> None:
    english, other = rated_corpus("a", corpora()[0]), rated_corpus("b", chinese("b", 40))
    for given, languages in (([english], ("en",)), ([other], ("zh",)), ([english, other], ("en", "zh"))):
        model = train_on_corpora(given, origin="invented")
        assert model.languages == languages
        text = Satisfaction(model=model).card.text
        assert text is not None
        assert (text.languages, text.speakers) == (languages, ("system", "user"))
    assert any("English" in each for each in Satisfaction(model=model).card.caveats)
    assert not any(
        "English" in each for each in Satisfaction(model=train_on_corpora([english], origin="x")).card.caveats
    )


def test_of_a_corpus_in_two_languages_both_are_named_and_a_few_texts_in_another_are_not() -> None:
    """A language needs a fifth of the words; a Chinese dialogue has twice as many characters as an English one has words."""
    mixed = [*chinese("m", 40), *talks("m", 80, low=1, high=5, start=200)]
    assert languages_of_corpora([rated_corpus("m", mixed)]) == ("en", "zh")
    few = [*chinese("m", 80), *talks("m", 10, low=1, high=5, start=200)]
    assert languages_of_corpora([rated_corpus("m", few)]) == ("zh",)


def test_texts_whose_language_cannot_be_told_are_taken_for_english() -> None:
    said = (Utterance(speaker="user", text="Heat?"), Utterance(speaker="system", text="Ok"))
    short = [each.model_copy(update={"utterances": said}) for each in talks("s", 40, low=1, high=5)]
    assert languages_of_corpora([rated_corpus("s", short)]) == ("en",)


def test_a_file_is_read_as_it_was_written_and_a_name_says_which_judge(tmp_path: Path) -> None:
    model = train_on_corpora([rated_corpus("b", chinese("b", 40))], origin="invented")
    write_model(model, tmp_path / "new.json")
    assert read_satisfaction(tmp_path / "new.json") == model
    digest = hashlib.sha256(model.model_dump_json().encode()).hexdigest()[:8]
    assert digest in str(Satisfaction(model=model).measure)


def test_the_words_of_a_domain_are_characters_where_there_are_no_spaces() -> None:
    """20 characters and marks in the first text, of which each counts; the number between them counts as one."""
    domain = domain_of(chinese("b", 40))
    assert 8 < domain.user_words[0] <= domain.user_words[1] < 20
    assert 12 < domain.reply_words[0] <= domain.reply_words[1] < 30
    assert domain.departures(chinese("b", 1, start=30)[0]) == ()
