"""BERTScore with a tiny random encoder, where torch is installed."""

import sys
from pathlib import Path

import pytest

from tests.metrics import tiny_models
from tests.metrics.replies import of, replies, value, why
from trialogue.errors import MissingExtraError, UsageError
from trialogue.metrics.text.neural import BertScore, Match

PAIRS = [("a good film", "a fine film"), ("what do you like?", "hello"), ("see it.", "you must see it!")]


def test_f1_is_the_harmonic_mean_and_never_divides_by_zero() -> None:
    assert Match(0.5, 0.25).f1 == pytest.approx(1 / 3)
    assert Match(0.0, 0.0).f1 == 0.0
    assert Match(-0.5, 0.5).f1 == 0.0


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"torch is needed to compute BERTScore, .* 'trialogue\[neural\]'"):
        BertScore(model=str(tmp_path))


@pytest.fixture
def model(tmp_path: Path) -> str:
    return tiny_models.encoder(tmp_path)


@pytest.mark.parametrize("variant", ["f1", "precision", "recall"])
def test_a_reply_equal_to_its_reference_scores_one(model: str, variant: str) -> None:
    assert of(BertScore(model=model, variant=variant), "A good film.", "a good film.") == pytest.approx(1, abs=1e-5)


def test_precision_of_one_side_is_recall_of_the_other(model: str) -> None:
    precision, recall = (BertScore(model=model, variant=variant) for variant in ("precision", "recall"))
    for text, reference in PAIRS:
        assert of(precision, text, reference) == pytest.approx(of(recall, reference, text))
        assert -1 <= of(precision, text, reference) <= 1


def test_by_hand_with_the_vectors_of_transformers(model: str) -> None:
    import torch
    from transformers import AutoModel

    letters = "abcdefghijklmnopqrstuvwxyz .,?!"
    reader = AutoModel.from_pretrained(model)

    def vectors(text: str) -> "torch.Tensor":
        ids = [1, *(4 + letters.index(letter) for letter in text), 2]  # between [CLS] and [SEP]
        with torch.inference_mode():
            found = reader(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[1][0]
        return found / found.norm(dim=1, keepdim=True)

    ours, theirs = vectors("film"), vectors("a film")
    best = [
        max(float(our @ their) for their in theirs) for our in ours[1:-1]
    ]  # the two marks are not matched themselves
    assert of(BertScore(model=model, variant="precision", layer=1), "film", "a film") == pytest.approx(
        sum(best) / 4, abs=1e-5
    )


def test_an_empty_side_scores_zero_and_a_missing_reference_is_left_out(model: str) -> None:
    metric = BertScore(model=model)
    assert of(metric, "", "words") == 0.0
    assert of(metric, "words", " ") == 0.0
    assert why(metric, "words") == "there is no reference reply"


def test_long_and_foreign_texts_are_read_as_far_as_the_model_goes(model: str) -> None:
    metric = BertScore(model=model)
    assert of(metric, "a" * 100, "a" * 200) == pytest.approx(1, abs=1e-5)  # the first 22 letters of both
    assert -1 <= of(metric, "神 🙂", "é") <= 1


def test_order_does_not_matter(model: str) -> None:
    metric = BertScore(model=model)
    assert value(metric, replies(PAIRS)) == pytest.approx(value(metric, replies(PAIRS[::-1])))


def test_the_layer_is_in_the_name_and_must_exist(model: str) -> None:
    assert "layer=1,model=" in BertScore(model=model, layer=1).measure
    assert of(BertScore(model=model, layer=2), *PAIRS[0]) == pytest.approx(of(BertScore(model=model), *PAIRS[0]))
    with pytest.raises(UsageError, match="has layers 0 to 2, got layer=3"):
        BertScore(model=model, layer=3)


def test_bert_score_agrees(model: str) -> None:
    bert_score = pytest.importorskip("bert_score", reason="the package bert-score is not installed")
    candidates, references = [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS]
    found = bert_score.score(candidates, references, model_type=model, num_layers=2)
    for variant, peer in zip(("precision", "recall", "f1"), found, strict=True):
        assert value(BertScore(model=model, variant=variant, layer=2), replies(PAIRS)) == pytest.approx(
            float(peer.mean()), abs=1e-5
        )
