import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strategies.made import examples
from tests.strategies.tiny import WIDTH
from trialogue.errors import DataError, MissingExtraError, UsageError
from trialogue.strategies.base import CLASSES, Example
from trialogue.strategies.classifiers.finetuned import (
    ARRAYS,
    Finetuned,
    FinetunedFit,
    Member,
    definition_examples,
    drop_general,
)
from trialogue.strategies.classifiers.finetuning import Training, batches, class_weights, rate_at
from trialogue.strategies.encoders.bert_numpy import Bert, Shape
from trialogue.strategies.encoders.encoder import SentenceEncoder, Tokenizer, find_encoder, read_weights
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import load_model, recipe, save_model
from trialogue.strategies.taxonomy import bundled_examples, general_examples, habitual_examples

TEXTS = ["Have you seen it ?", "I loved it .", "Me too !", "qqq", ""]
QUICK: dict[str, Any] = {"epochs": 1, "longest": 16}


def needs_torch() -> None:
    pytest.importorskip("torch", reason="torch is not installed: networks cannot be trained here, only used")
    pytest.importorskip("transformers")


def made(folder: Path, *, members: int = 2, uses_context: bool = False) -> Finetuned:
    """A model as training would make it, with random linear layers: no torch is needed."""
    encoder, rng = find_encoder(str(folder)), np.random.default_rng(5)
    kept = {name: value.astype(np.float16) for name, value in read_weights(encoder.weights).items()}
    words = Tokenizer.from_source(encoder.tokenizer.read_text(), 32)
    bert = SentenceEncoder(Bert.from_weights(Shape.from_config(encoder.config), kept), words, normalized=False)

    def head() -> tuple[Any, Any]:
        drawn = rng.normal(size=(WIDTH, 3)).astype(np.float32), rng.normal(size=3).astype(np.float32)
        return drawn[0].astype(np.float64), drawn[1].astype(np.float64)

    classes = ("credibility", "similarity", "no_strategy")
    networks = tuple(Member(bert, *head(), kept) for _ in range(members))
    return Finetuned(classes, networks, encoder.config, uses_context, "finetuned|v1|data:abc|with:def")


def test_a_model_is_used_and_read_again_without_torch(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    model = made(tiny_encoder)
    found = model.probabilities(TEXTS)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    model.save(tmp_path)
    again = Finetuned.load(tmp_path)
    assert (again.classes, again.origin, again.name) == (model.classes, model.origin, "finetuned")
    np.testing.assert_allclose(again.probabilities(TEXTS), found, atol=1e-6)


def test_probabilities_are_the_mean_over_networks(tiny_encoder: Path) -> None:
    model = made(tiny_encoder, members=3)
    each = [member.probabilities(TEXTS, None) for member in model.members]
    np.testing.assert_allclose(model.probabilities(TEXTS), sum(each) / 3)


def test_the_words_are_saved_once_for_all_networks(tiny_encoder: Path, tmp_path: Path) -> None:
    made(tiny_encoder, members=3).save(tmp_path)
    names = read_weights(tmp_path / ARRAYS)
    assert sum("word_embeddings" in name for name in names) == 1
    assert sum("position_embeddings" in name for name in names) == 3


def test_the_last_message_of_the_user_counts_where_the_model_uses_context(tiny_encoder: Path) -> None:
    said = [(("user", "I like comedies ."), ("system", "ok"))] * len(TEXTS)
    deaf, hearing = made(tiny_encoder), made(tiny_encoder, uses_context=True)
    np.testing.assert_array_equal(deaf.probabilities(TEXTS, said), deaf.probabilities(TEXTS))  # type: ignore[arg-type]
    assert np.abs(hearing.probabilities(TEXTS, said) - hearing.probabilities(TEXTS)).max() > 1e-4  # type: ignore[arg-type]
    np.testing.assert_allclose(hearing.probabilities(TEXTS, [()] * len(TEXTS)), hearing.probabilities(TEXTS), atol=1e-6)


@pytest.mark.parametrize("damage", ["parts", "head", "missing", "shape"])
def test_a_damaged_model_is_an_error_of_ours(tiny_encoder: Path, tmp_path: Path, damage: str) -> None:
    made(tiny_encoder).save(tmp_path)
    files = pytest.importorskip("safetensors.numpy")
    arrays = read_weights(tmp_path / ARRAYS)
    if damage == "parts":
        (tmp_path / "finetuned.json").write_text("[]")
    elif damage == "head":
        files.save_file(arrays | {"0.head": np.zeros((2, 3), dtype=np.float32)}, tmp_path / ARRAYS)
    elif damage == "missing":
        files.save_file({name: value for name, value in arrays.items() if "layer.1" not in name}, tmp_path / ARRAYS)
    else:
        parts = json.loads((tmp_path / "finetuned.json").read_text())
        parts["config"]["hidden_size"] = 32
        (tmp_path / "finetuned.json").write_text(json.dumps(parts))
    with pytest.raises(DataError, match="cannot be read"):
        Finetuned.load(tmp_path)


def test_training_without_torch_says_what_to_install(tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"trialogue\[neural\]"):
        FinetunedFit(encoder=str(tiny_encoder))(examples(2))


@pytest.mark.parametrize(
    "settings",
    [{"seeds": 0}, {"epochs": 0}, {"rate": 0}, {"smoothing": 1}, {"balance": 2}, {"layer_decay": 0}, {"depth": 1}],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        recipe("finetuned", settings)


def test_rare_classes_weigh_more_and_the_sentences_one_on_average() -> None:
    labels = np.array([0] * 90 + [1] * 10)
    found = class_weights(labels, 2, 0.5)
    assert found[1] / found[0] == pytest.approx(3)  # sqrt(90 / 10)
    assert found[labels].mean() == pytest.approx(1)
    np.testing.assert_allclose(class_weights(labels, 2, 0.0), 1)


def test_an_epoch_takes_every_row_once() -> None:
    lengths = np.arange(100) % 7
    taken = list(batches(lengths, 8, np.random.default_rng(0)))
    assert sorted(np.concatenate(taken).tolist()) == list(range(100))
    assert max(len(part) for part in taken) == 8


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(step, 50) for step in range(50)]
    assert max(rates) == 1
    assert rates[0] == pytest.approx(0.2)  # the first of five steps
    assert rates[-1] == pytest.approx(1 / 45)
    assert rate_at(0, 1) == 1


def test_definitions_become_sentences_of_their_strategy() -> None:
    found = definition_examples(("similarity", "no_strategy"))
    assert {each.label for each in found} == {"similarity", "no_strategy"}
    assert any(each.text == "Me too" for each in found)
    assert all(each.text for each in found)


def test_a_network_learns_what_words_tell(tiny_encoder: Path) -> None:
    needs_torch()
    given = [
        Example(text=f"{word} {tail}", label=label)
        for word, label in (("have you", "credibility"), ("i loved", "similarity"))
        for tail in ("it .", "the movie .", "a comedy ?", "this film", "that", "all", "them", "him", "her", "you")
    ]
    model = FinetunedFit(encoder=str(tiny_encoder), epochs=12, rate=3e-3, batch=4, longest=16)(given)
    found = model.probabilities(["have you the", "i loved the"])
    assert found.argmax(axis=1).tolist() == [0, 1]
    assert Training().epochs >= 1


def test_training_saving_and_reading_give_one_model(tiny_encoder: Path, tmp_path: Path) -> None:
    needs_torch()
    settings = {"encoder": str(tiny_encoder), "seeds": 2, "definitions": True, **QUICK}
    model = train(examples(6), kind="finetuned", settings=settings, folds=2)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_allclose(again.probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-6)
    assert set(again.classes) == set(CLASSES)


def test_the_same_seed_gives_the_same_network_and_another_another(tiny_encoder: Path) -> None:
    needs_torch()
    given = examples(3)
    first, again, other = (
        FinetunedFit(encoder=str(tiny_encoder), seed=seed, **QUICK)(given).probabilities(TEXTS) for seed in (0, 0, 1)
    )
    np.testing.assert_allclose(first, again, atol=1e-5)
    assert np.abs(first - other).max() > 1e-3


def test_other_architectures_are_trained_and_read_by_torch(tmp_path: Path, tiny_encoder: Path) -> None:
    needs_torch()
    import transformers

    folder = tmp_path / "distil"
    config = transformers.DistilBertConfig(
        vocab_size=400, dim=16, hidden_dim=32, n_layers=1, n_heads=2, max_position_embeddings=32
    )
    transformers.DistilBertModel(config).save_pretrained(str(folder))
    shutil.copy(tiny_encoder / "tokenizer.json", folder)
    model = FinetunedFit(encoder=str(folder), **QUICK)(examples(2))
    (tmp_path / "m").mkdir()
    model.save(tmp_path / "m")
    np.testing.assert_allclose(
        Finetuned.load(tmp_path / "m").probabilities(TEXTS), model.probabilities(TEXTS), atol=1e-5
    )


def test_networks_leave_out_sentences_that_were_written_without_sight_of_a_corpus() -> None:
    mine = Example(text="Is it on tonight?", label="preference_confirmation", source="mine")
    assert drop_general([mine, *bundled_examples()]) == [mine, *habitual_examples()]


def test_general_sentences_stay_where_a_class_has_no_others() -> None:
    mine = [each for each in habitual_examples() if each.label != "similarity"]
    assert drop_general([*mine, *general_examples()]) == [*mine, *general_examples()]
