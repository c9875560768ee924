import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.strategies.made import examples
from tests.strategies.tiny import write_encoder
from trialogue.errors import DataError, MissingDataError, UsageError
from trialogue.strategies.classifiers.encoder_linear import ARRAYS, EncoderFit
from trialogue.strategies.encoders.encoder import VARIABLE
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import load_model, recipe, save_model

TEXTS = ["Have you seen it ?", "I loved it .", "Me too !", "qqq"]


def test_a_trained_model_is_read_again_with_its_encoder(tiny_encoder: Path, tmp_path: Path) -> None:
    model = train(examples(12), kind="encoder", settings={"encoder": str(tiny_encoder)}, folds=2)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_allclose(again.probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-6)
    np.testing.assert_allclose(model.probabilities(TEXTS).sum(axis=1), 1)
    assert again.origin.startswith("encoder|v1|data:")
    assert again.card.settings == {"encoder": str(tiny_encoder)}


def test_the_encoder_makes_a_difference(tiny_encoder: Path) -> None:
    given = examples(10)
    without = recipe("tfidf")(given).probabilities(TEXTS)
    assert np.abs(EncoderFit(encoder=str(tiny_encoder))(given).probabilities(TEXTS) - without).max() > 0.001


def test_context_counts_where_it_is_asked_for(tiny_encoder: Path, tmp_path: Path) -> None:
    given = [
        each.model_copy(update={"context": (("user", each.text if place % 2 else "hello"),)})
        for place, each in enumerate(examples(8))
    ]
    model = EncoderFit(encoder=str(tiny_encoder), use_context=True)(given)
    assert model.uses_context
    assert model.name == "encoder+context"
    alone, after = model.probabilities(TEXTS[:1]), model.probabilities(TEXTS[:1], [(("user", "I like comedies ."),)])
    assert np.abs(alone - after).max() > 1e-4
    model.save(tmp_path)
    np.testing.assert_allclose(type(model).load(tmp_path).probabilities(TEXTS[:1]), alone, atol=1e-6)


def test_two_classes_are_enough(tiny_encoder: Path) -> None:
    given = examples(6, classes=("similarity", "no_strategy"))
    found = EncoderFit(encoder=str(tiny_encoder))(given).probabilities([each.text for each in given])
    assert (found.argmax(axis=1) == [0] * 6 + [1] * 6).all()


def test_a_model_whose_encoder_moved_takes_the_usual_one_if_it_is_the_same(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    moved = Path(shutil.copytree(tiny_encoder, tmp_path / "here"))
    model = EncoderFit(encoder=str(moved))(examples(6))
    folder = tmp_path / "m"
    folder.mkdir()
    model.save(folder)
    shutil.rmtree(moved)
    with pytest.raises(MissingDataError):
        type(model).load(folder)
    monkeypatch.setenv(VARIABLE, str(tiny_encoder))
    np.testing.assert_allclose(type(model).load(folder).probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-6)
    monkeypatch.setenv(VARIABLE, str(write_encoder(tmp_path / "other", seed=1)))
    with pytest.raises(DataError, match="it was trained with encoder"):
        type(model).load(folder)


def test_a_damaged_model_is_an_error_of_ours(tiny_encoder: Path, tmp_path: Path) -> None:
    model = EncoderFit(encoder=str(tiny_encoder))(examples(6))
    model.save(tmp_path)
    np.savez(tmp_path / ARRAYS, weights=np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(DataError, match="shape"):
        type(model).load(tmp_path)
    (tmp_path / "encoder.json").write_text("[]")
    with pytest.raises(DataError, match="cannot be read"):
        type(model).load(tmp_path)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(UsageError, match="depth"):
        recipe("encoder", {"depth": 3})
