"""The learned estimator of satisfaction: its features, its fit, and that it never judges a system it has seen."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.satisfaction_training import fit, left_out, train
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import DataError
from trialogue.metrics import Undefined, get_metric
from trialogue.metrics.satisfaction.features import FEATURES, features_of
from trialogue.metrics.satisfaction.fit import MIN_DIALOGUES, unseen_mask
from trialogue.metrics.satisfaction.learned import TRAINING_DATA, write_model
from trialogue.metrics.satisfaction.metric import Satisfaction, load_bundled_weights, read_satisfaction
from trialogue.records import Dialogue, Rating, Utterance
from trialogue.stats import auc


def talk(*texts: str, system: str = "s", user: str = "u", satisfied: float | None = None, name: str = "d") -> Dialogue:
    said = tuple(
        Utterance(speaker="user" if place % 2 == 0 else "system", text=text) for place, text in enumerate(texts)
    )
    ratings = () if satisfied is None else (Rating(name="satisfaction", value=satisfied, rater="user", low=0, high=1),)
    return Dialogue(id=name, utterances=said, system=system, user=user, ratings=ratings)


def share(metric: Satisfaction, dialogue: Dialogue) -> float:
    found = metric.statistics(dialogue)
    assert not isinstance(found, Undefined)
    return found[0]


def value_of(name: str, dialogue: Dialogue) -> float:
    return dict(zip(FEATURES, features_of(dialogue), strict=True))[name]


def corpus(per_system: int = 24) -> list[Dialogue]:
    """Three systems; users thank in the dialogues that satisfy them, half of each system's."""
    return [
        talk(
            "a film please",
            f"Try {system} number {place}.",
            "thanks, great" if place % 2 else "that is wrong",
            "Bye.",
            system=system,
            user=f"{system}-{place}",
            satisfied=float(place % 2),
            name=f"{system}-{place}",
        )
        for system in ("a", "b", "c")
        for place in range(per_system)
    ]


def test_features_count_what_they_say() -> None:
    dialogue = talk("a comedy please", "1: Up\n2: Up", "no, that is wrong", "Up up and away.", "THANKS A LOT")
    assert value_of("listed", dialogue) == pytest.approx(np.log1p(1))  # two lines in the first of two replies
    assert value_of("stutters", dialogue) == 0.5  # "Up up"
    assert value_of("user_displeased", dialogue) == 0.5  # one of two later turns
    assert value_of("user_pleased_last", dialogue) == 1
    assert value_of("user_says_no", dialogue) == pytest.approx(1 / 3)
    assert value_of("user_shouts", dialogue) == pytest.approx(1 / 3)
    assert value_of("takes_up", talk("a comedy with cats", "a comedy for you")) == 0.5  # comedy, but not cats


@given(st.lists(st.text(max_size=20), max_size=6))
def test_features_of_any_dialogue_are_finite(texts: list[str]) -> None:
    found = features_of(talk(*texts))
    assert len(found) == len(FEATURES)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("gap", ["\n" * 200_000, " " * 200_000])
def test_items_of_lists_are_counted_in_time_linear_in_gaps(gap: str) -> None:
    """Each newline was once tried with all of the rest: an hour for 200,000."""
    found = value_of("listed", talk("a film please", f"Try{gap}\n 1. Heat{gap}\n2) Ronin{gap}.", "ok", "Bye."))
    assert found == pytest.approx(np.log1p(1))  # two in the first of two replies


def test_weights_never_leave_their_declared_side() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, len(FEATURES)))
    satisfied = (rows.sum(axis=1) + rng.normal(size=200) > 0).astype(float)  # every feature counts upwards
    for name, weight in zip(FEATURES, fit(rows, satisfied).weights, strict=True):
        assert weight * FEATURES[name].sign >= 0, name


def test_what_separates_other_systems_is_learned() -> None:
    dialogues = corpus()
    points = left_out(dialogues, [["a"], ["b"], ["c"]])
    assert auc(points, [dialogue.ratings[0].value for dialogue in dialogues]).value == 1.0


def test_people_who_talked_with_a_system_are_left_out_with_it() -> None:
    dialogues = [talk("x", "y", system=system, user=user) for system, user in (("a", "1"), ("b", "1"), ("b", "2"))]
    assert unseen_mask(dialogues, ["a"]).tolist() == [False, False, True]


def test_a_system_of_the_training_data_is_scored_by_weights_that_never_saw_it() -> None:
    dialogues = corpus()
    turned = [
        each.model_copy(update={"ratings": (each.ratings[0].model_copy(update={"value": 1 - each.ratings[0].value}),)})
        if each.system == "a"
        else each
        for each in dialogues
    ]
    mine = [each for each in dialogues if each.system == "a"]
    before, after = (train(data, origin="test") for data in (dialogues, turned))
    assert before.without["a"] == after.without["a"]  # what people said of system a changes nothing for a
    assert before.without["b"] != after.without["b"]
    changed = (Satisfaction(model=model).part_for(mine[0]) for model in (before, after))
    assert [*changed] == [before.without["a"]] * 2


def test_an_unknown_dialogue_is_scored_by_all_weights_whatever_its_system_is_called() -> None:
    model = train(corpus(), origin="test")
    metric = Satisfaction(model=model)
    pleased, displeased = (talk("a film", "Try.", reaction, "Bye.", system="a") for reaction in ("great", "wrong"))
    assert metric.part_for(pleased) == model.everything
    assert share(metric, pleased) > share(metric, displeased)


def test_a_training_dialogue_is_scored_by_weights_without_it_whatever_its_system_is_called() -> None:
    dialogues = corpus()
    model = train(dialogues, origin="test")
    metric = Satisfaction(model=model)
    for name in ("a", "b", "mine", None):
        renamed = dialogues[0].model_copy(update={"system": name, "id": "x", "user": None})
        assert metric.part_for(renamed) == model.without["a"] != model.everything
        assert share(metric, renamed) == share(metric, dialogues[0])


def test_a_training_dialogue_without_weights_that_never_saw_it_has_no_value() -> None:
    dialogues = [each for each in corpus() if each.system == "a"]  # of one system: nothing is left without it
    metric = Satisfaction(model=train(dialogues, origin="test"))
    renamed = [each.model_copy(update={"system": "mine"}) for each in dialogues]
    assert metric.statistics(renamed[0]) == Undefined(TRAINING_DATA)
    assert isinstance(metric.statistics(talk("another film", "Heat?", system="a")), tuple)


def test_which_dialogues_an_estimator_was_trained_on_is_counted_by_system() -> None:
    dialogues = corpus()
    renamed = [
        *(each.model_copy(update={"system": "mine"}) for each in dialogues if each.system == "b"),
        talk("new", "New.", system="mine"),
        talk("new", "New.", system="yours"),
    ]
    metric = Satisfaction(model=train(dialogues, origin="test"))
    (found,) = metric.training_exposure(renamed) or ()
    assert (found.measure, found.system, found.dialogues, found.recognised) == (metric.measure, "mine", 25, 24)
    assert (found.out_of_fold, found.excluded_count) == (24, 0)
    alone = Satisfaction(model=train([each for each in dialogues if each.system == "b"], origin="test"))
    (found,) = alone.training_exposure(renamed) or ()
    assert (found.recognised, found.out_of_fold, found.excluded_count) == (24, 0, 24)


def test_a_dialogue_of_one_speaker_has_no_value() -> None:
    assert isinstance(Satisfaction().statistics(talk("hello")), Undefined)


def test_too_few_dialogues_of_a_kind_are_refused() -> None:
    with pytest.raises(DataError, match=f"at least {MIN_DIALOGUES}"):
        train([talk("a", "b", satisfied=1.0, name=str(i)) for i in range(30)], origin="test")
    with pytest.raises(DataError, match="no rating 'satisfaction'"):
        train([talk("a", "b")], origin="test")


def test_a_model_is_the_same_after_a_trip_through_a_file(tmp_path: Path) -> None:
    model = train(corpus(), origin="test")
    write_model(model, tmp_path / "model.json")
    assert read_satisfaction(tmp_path / "model.json") == model
    named = get_metric(f"satisfaction(model={tmp_path / 'model.json'})")
    assert named.measure == Satisfaction(model=model).measure != Satisfaction().measure


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    content = json.loads(load_bundled_weights().model_dump_json()) | {"features": ["length"]}
    (tmp_path / "model.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(DataError, match="other features"):
        read_satisfaction(tmp_path / "model.json")
    (tmp_path / "model.json").write_text("{}", "utf-8")
    with pytest.raises(DataError, match=r"features: this field is required(?s:.*)not a satisfaction estimator"):
        read_satisfaction(tmp_path / "model.json")


def test_the_bundled_model_has_part_for_each_system_it_was_fitted_on() -> None:
    model = load_bundled_weights()
    assert len(model.without) == 9
    assert all(weights.dialogues < model.everything.dialogues for weights in model.without.values())
    assert get_metric("satisfaction").measure == "satisfaction@linear|v1"


@pytest.mark.mirror
def test_the_bundled_weights_are_those_that_the_corpus_gives(mirror: Path) -> None:
    from trialogue.datasets import get_corpus

    corpus = get_corpus("crsarena-dial")
    dialogues = [
        record for record in corpus.read(mirror / "crsarena_dial", note=lambda _: None) if isinstance(record, Dialogue)
    ]
    fitted = train(dialogues, origin=load_bundled_weights().origin)
    np.testing.assert_allclose(fitted.everything.weights, load_bundled_weights().everything.weights, atol=1e-4)
    points = left_out(dialogues, [[system] for system in sorted(load_bundled_weights().without)])
    rated = [dialogue.ratings[0].value for dialogue in dialogues]
    systems = [dialogue.system for dialogue in dialogues]
    assert fitted.fingerprints == load_bundled_weights().fingerprints
    assert fitted.domain == load_bundled_weights().domain
    assert auc(points, rated).value == pytest.approx(0.847, abs=5e-4)
    assert auc(points, rated, groups=systems, method="percentile").value == pytest.approx(0.766, abs=5e-4)


@pytest.mark.mirror
def test_the_training_corpus_under_other_names_has_the_same_agreement_as_under_its_own(mirror: Path) -> None:
    """With weights chosen by the system's name, renaming gave AUC .871: weights that had seen the dialogues."""
    from trialogue.datasets import get_corpus

    corpus = get_corpus("crsarena-dial")
    dialogues = [
        record for record in corpus.read(mirror / "crsarena_dial", note=lambda _: None) if isinstance(record, Dialogue)
    ]
    aliases = {
        name: f"system {place}" for place, name in enumerate(sorted(load_bundled_weights().without, reverse=True))
    }
    renamed = [
        each.model_copy(update={"id": f"d{place}", "system": aliases[each.system or ""], "user": None})
        for place, each in enumerate(reversed(dialogues))
    ]
    metric = Satisfaction()
    values = [[metric.statistics(each) for each in given] for given in (dialogues, reversed(renamed))]
    assert values[0] == values[1]
    known = [
        (found[0], each.ratings[0].value)
        for found, each in zip(values[1], dialogues, strict=True)
        if not isinstance(found, Undefined)
    ]
    assert auc([value for value, _ in known], [rated for _, rated in known]).value == pytest.approx(0.847, abs=1e-3)
    exposed = metric.training_exposure(renamed) or ()
    assert sum(one.recognised for one in exposed) == sum(one.out_of_fold for one in exposed) == 472  # two are one-sided
    assert {one.system for one in exposed} == set(aliases.values())
