import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.strategies.tiny import WIDTH, write_encoder
from trialogue.errors import DataError, MissingDataError, MissingExtraError, UsageError
from trialogue.strategies.encoders import encoder as module
from trialogue.strategies.encoders.bert_numpy import Floats32, Pooling, Tokens
from trialogue.strategies.encoders.encoder import (
    MINILM,
    VARIABLE,
    SentenceEncoder,
    Tokenizer,
    encoders_folder,
    find_encoder,
    open_encoder,
)


def opened(folder: Path) -> SentenceEncoder:
    return open_encoder(find_encoder(str(folder)))


def test_vectors_have_length_one_and_follow_the_words(tiny_encoder: Path) -> None:
    found = opened(tiny_encoder).vectors(["Have you seen it ?", "have you seen it ?", "I loved it ."])
    assert found.shape == (3, WIDTH)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)  # the tokenizer of this encoder ignores case
    assert np.abs(found[0] - found[2]).max() > 0.01


def test_a_second_segment_changes_the_vector(tiny_encoder: Path) -> None:
    encoder = opened(tiny_encoder)
    alone, after = encoder.vectors(["I loved it ."]), encoder.vectors(["I loved it ."], ["have you seen it ?"])
    assert np.abs(alone - after).max() > 0.001


def test_each_different_sentence_is_encoded_once(tiny_encoder: Path) -> None:
    encoder, asked = opened(tiny_encoder), []
    inner = encoder.backbone

    class Counting:
        width, longest = inner.width, inner.longest

        def pool(self, rows: list[Tokens], pooling: Pooling = "mean") -> Floats32:
            asked.append(len(rows))
            return inner.pool(rows, pooling)

    counted = SentenceEncoder(Counting(), encoder.tokenizer)  # type: ignore[arg-type]
    counted.vectors(["you", "you", "it"])
    counted.vectors(["it", "you", "a"])
    assert asked == [2, 1]


def test_what_is_remembered_is_bounded_and_changes_nothing(tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REMEMBERED", 3)
    encoder, texts = opened(tiny_encoder), ["you", "it", "a", "the", "movie"]
    first = encoder.vectors(texts)
    np.testing.assert_allclose(encoder.vectors(texts[::-1])[::-1], first, atol=1e-6)
    assert len(encoder._known) <= 3


@pytest.mark.parametrize("text", ["", " ", "\ud83d", "😀" * 500, "word " * 5000, "نعم شاهدته"])
def test_any_text_has_a_vector(tiny_encoder: Path, text: str) -> None:
    assert np.isfinite(opened(tiny_encoder).vectors([text])).all()


def test_no_sentences_have_no_vectors(tiny_encoder: Path) -> None:
    assert opened(tiny_encoder).vectors([]).shape == (0, WIDTH)


def test_without_a_name_it_is_what_the_variable_says_or_what_was_got(
    tiny_encoder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(MissingDataError, match="trialogue data get minilm"):
        find_encoder()
    shutil.copytree(tiny_encoder, encoders_folder() / MINILM)
    assert find_encoder().path == cache / "encoders" / MINILM
    monkeypatch.setenv(VARIABLE, str(tiny_encoder))
    assert find_encoder().path == tiny_encoder


def test_a_folder_that_is_not_there_is_said_with_the_way_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no such folder.*data get minilm"):
        find_encoder(str(tmp_path / "nowhere"))


def test_a_name_that_the_hub_cannot_give_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="the extra 'encoder' is not installed")

    def refuse(*_: object, **__: object) -> str:
        raise OSError("no network\nand a long story")

    monkeypatch.setattr(hub, "snapshot_download", refuse)
    with pytest.raises(UsageError, match="the Hugging Face Hub did not provide it: no network"):
        find_encoder("nobody/nothing")


def test_missing_files_are_named(tiny_encoder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny_encoder, tmp_path / "copy"))
    (copy / "tokenizer.json").unlink()
    (copy / "model.safetensors").unlink()
    with pytest.raises(DataError, match=r"lacks tokenizer.json, model.safetensors"):
        find_encoder(str(copy))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_damaged_files_are_errors_of_ours(tiny_encoder: Path, tmp_path: Path, name: str) -> None:
    copy = Path(shutil.copytree(tiny_encoder, tmp_path / "copy"))
    (copy / name).write_text("{")
    with pytest.raises((DataError, UsageError)):
        opened(copy)


def test_another_architecture_needs_torch_and_says_so(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copytree(tiny_encoder, tmp_path / "copy"))
    (copy / "config.json").write_text(json.dumps({"model_type": "mpnet"}))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"'mpnet'.*trialogue\[neural\]"):
        opened(copy)


def test_torch_runs_what_numpy_cannot_with_the_same_result(tiny_encoder: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers")
    from trialogue.strategies.encoders.encoder import TorchBackbone

    folder = find_encoder(str(tiny_encoder))
    words = Tokenizer.from_source(folder.tokenizer.read_text(), 32)
    by_torch = SentenceEncoder(TorchBackbone.from_folder(folder), words)
    texts, seconds = ["Have you seen it ?", "I loved it .", "you"], ["a movie", "", "the"]
    np.testing.assert_allclose(by_torch.vectors(texts), opened(tiny_encoder).vectors(texts), atol=1e-5)
    np.testing.assert_allclose(
        by_torch.vectors(texts, seconds), opened(tiny_encoder).vectors(texts, seconds), atol=1e-5
    )


def test_the_fingerprint_tells_encoders_apart(tiny_encoder: Path, tmp_path: Path) -> None:
    first, other = find_encoder(str(tiny_encoder)), find_encoder(str(write_encoder(tmp_path / "other", seed=1)))
    copy = Path(shutil.copytree(tiny_encoder, tmp_path / "copy"))
    assert first.fingerprint() == find_encoder(str(copy)).fingerprint() != other.fingerprint()


def test_the_pooling_of_the_folder_is_kept(tiny_encoder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny_encoder, tmp_path / "copy"))
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert find_encoder(str(copy)).pooling == "cls"
    assert np.abs(opened(copy).vectors(["you"]) - opened(tiny_encoder).vectors(["you"])).max() > 0.001
