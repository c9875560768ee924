import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.strategies.classifiers.ensemble import Ensemble, EnsembleFit, average_models
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import load_model, recipe, save_model

TEXTS = ["Have you seen it?", "I loved it.", "Me too!"]
LIGHT: dict[str, Any] = {"members": ["tfidf", "majority"]}


def test_probabilities_are_the_geometric_mean_of_the_members() -> None:
    given = examples(10)
    both = EnsembleFit(**LIGHT, weights=[3, 1])(given).probabilities(TEXTS)
    parts = [recipe(kind)(given).probabilities(TEXTS) for kind in ("tfidf", "majority")]
    powers = np.maximum(parts[0], 1e-6) ** 0.75 * np.maximum(parts[1], 1e-6) ** 0.25
    np.testing.assert_allclose(both, powers / powers.sum(axis=1, keepdims=True))


def test_or_the_arithmetic_one() -> None:
    given = examples(10)
    both = EnsembleFit(**LIGHT, mean="arithmetic")(given)
    parts = [recipe(kind)(given).probabilities(TEXTS) for kind in ("tfidf", "majority")]
    np.testing.assert_allclose(both.probabilities(TEXTS), (parts[0] + parts[1]) / 2)
    assert both.name == "ensemble(arithmetic):tfidf+majority"


def test_members_that_are_too_sure_are_flattened_first() -> None:
    given = examples(10)
    settings: dict[str, Any] = {"members": ["tfidf"], "mean": "arithmetic", "temperatures": [2.0]}
    flat = EnsembleFit(**settings)(given)
    powers = recipe("tfidf")(given).probabilities(TEXTS) ** 0.5
    np.testing.assert_allclose(flat.probabilities(TEXTS), powers / powers.sum(axis=1, keepdims=True))
    assert flat.name == "ensemble(arithmetic):tfidf^1/2"


def test_what_one_member_rules_out_is_ruled_out() -> None:
    one = recipe("majority")(examples(3, classes=("similarity", "credibility")))
    other = recipe("majority")(examples(3, classes=("similarity", "no_strategy")))
    both = average_models([("majority", one), ("majority", other)], [1, 1], "o|v2|data:x", mean="geometric")
    # sqrt(.5 * .5) of similarity, sqrt(.5 * 1e-6) of the two that only one of them knows
    rare = (0.5 * 1e-6) ** 0.5
    expected = np.array([[rare, 0.5, rare]]) / (0.5 + 2 * rare)
    np.testing.assert_allclose(both.probabilities(["x"]), expected)


def test_members_that_know_other_classes_are_aligned_by_name() -> None:
    one = recipe("majority")(examples(3, classes=("similarity", "credibility")))
    other = recipe("majority")(examples(3, classes=("similarity", "no_strategy")))
    both = average_models([("majority", one), ("majority", other)], [1, 1], "o|v1|data:x")
    assert both.classes == ("credibility", "similarity", "no_strategy")
    # .5 of each of two classes on either side: similarity has .5 twice, the others .5 once
    np.testing.assert_allclose(both.probabilities(["x"]), [[0.25, 0.5, 0.25]])


def test_a_trained_ensemble_is_calibrated_saved_and_read_again(tmp_path: Path) -> None:
    model = train(examples(12), kind="ensemble", settings=LIGHT, folds=2)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_allclose(again.probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-6)
    assert again.origin.startswith("ensemble:tfidf+majority|v2|data:")
    assert not again.uses_context
    assert again.card.calibration.temperature != 1


def test_ensembles_whose_members_were_trained_otherwise_have_other_origins() -> None:
    origins = {
        EnsembleFit(members=["tfidf", "majority"], settings=settings)(examples(5)).origin
        for settings in ({}, {"tfidf": {"strength": 1.0}})
    }
    assert len(origins) == 2


def test_a_member_with_context_makes_the_ensemble_use_it() -> None:
    fit = EnsembleFit(members=["tfidf", "tfidf+context"])
    model = fit(examples(5))
    assert model.uses_context
    assert [one.name for _, one in model.members] == ["tfidf", "tfidf+context"]
    assert not EnsembleFit(**LIGHT)(examples(5)).uses_context


def test_a_member_may_learn_from_general_sentences_too() -> None:
    fits = EnsembleFit(members=["finetuned", "finetuned+general"])._fits()
    assert [getattr(fit, "general", None) for _, fit in fits] == [False, True]


def test_the_encoder_goes_to_the_members_that_have_one(tiny_encoder: Path) -> None:
    model = EnsembleFit(members=["tfidf", "encoder"], encoder=str(tiny_encoder))(examples(6))
    assert [kind for kind, _ in model.members] == ["tfidf", "encoder"]
    assert model.name == "ensemble:tfidf+encoder"


def test_a_second_network_of_a_kind_has_seeds_of_its_own() -> None:
    fits = EnsembleFit(members=["finetuned", "finetuned"], settings={"finetuned": {"seeds": 2, "seed": 5}})._fits()
    assert [getattr(fit, "seed", None) for _, fit in fits] == [5, 7]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"members": []}, "at least one member"),
        ({"members": "tfidf"}, "must be kinds"),
        ({"members": ["ensemble"]}, "other than ensembles"),
        ({"members": ["tfidf"], "weights": [1, 2]}, "one positive weight per member"),
        ({"members": ["tfidf"], "weights": [0]}, "positive"),
        ({"members": ["tfidf"], "settings": {"encoder": {}}}, "no such members"),
        ({"members": ["tfidf"], "settings": {"tfidf": {"depth": 2}}}, "depth"),
        ({"weight": 3}, "weight"),
        ({"members": ["tfidf"], "mean": "harmonic"}, "geometric or arithmetic"),
        ({"members": ["tfidf"], "temperatures": [0]}, "positive temperature"),
        ({"members": ["tfidf"], "temperatures": [1, 2]}, "positive temperature"),
        ({"members": ["tfidf+contxt"]}, r"unknown variant \+contxt; known: \+context and \+general"),
        ({"members": ["tfidf+general"]}, "general"),
    ],
)
def test_settings_that_make_no_sense_are_refused_before_training(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        recipe("ensemble", settings)


def test_an_unknown_member_is_named() -> None:
    with pytest.raises(UnknownNameError, match="tfdif"):
        recipe("ensemble", {"members": ["tfdif"]})


def test_a_damaged_ensemble_is_an_error_of_ours(tmp_path: Path) -> None:
    EnsembleFit(**LIGHT)(examples(4)).save(tmp_path)
    (tmp_path / "ensemble.json").write_text(json.dumps({"members": ["tfidf"], "weights": [], "origin": "x"}))
    with pytest.raises(DataError, match="cannot be read"):
        Ensemble.load(tmp_path)
    (tmp_path / "ensemble.json").unlink()
    with pytest.raises(DataError, match="cannot be read"):
        Ensemble.load(tmp_path)


def test_networks_are_too_sure_unless_their_labels_were_smoothed() -> None:
    assert list(EnsembleFit()._temperatures()) == [1.5, 1.5, 1.5, 1, 1]
    assert list(EnsembleFit()._weights()) == [1, 1, 1, 1, 1]
    smoothed = EnsembleFit(members=["finetuned", "tfidf"], settings={"finetuned": {"smoothing": 0.1}})
    assert list(smoothed._temperatures()) == [1, 1]


def test_an_ensemble_of_the_first_version_is_as_it_was(tmp_path: Path) -> None:
    model = EnsembleFit(**LIGHT, mean="arithmetic")(examples(6))
    model.save(tmp_path)
    stored = json.loads((tmp_path / "ensemble.json").read_text())
    old = {name: stored[name] for name in ("members", "weights", "origin")}
    (tmp_path / "ensemble.json").write_text(json.dumps(old))
    np.testing.assert_allclose(Ensemble.load(tmp_path).probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-6)


def test_mean_and_temperatures_are_read_again(tmp_path: Path) -> None:
    model = EnsembleFit(**LIGHT, temperatures=[1.5, 1])(examples(6))
    model.save(tmp_path)
    again = Ensemble.load(tmp_path)
    assert (again.mean, again.temperatures) == ("geometric", (1.5, 1.0))
    np.testing.assert_allclose(again.probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-6)
