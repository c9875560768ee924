"""Folders of models: refused with a hint, and named by their content."""

from pathlib import Path

import pytest

from trialogue.errors import UsageError
from trialogue.metrics import get_metric
from trialogue.metrics.text.neural import model_folder


def made(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


@pytest.mark.parametrize("metric", ["perplexity", "bertscore"])
def test_a_metric_that_needs_a_model_says_how_to_give_one(metric: str) -> None:
    with pytest.raises(UsageError, match=rf"Write {metric}\(model=FOLDER\)"):
        get_metric(metric)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(
            UsageError, match=r"There is no model in .* config\.json and weights .* Nothing is downloaded"
        ):
            model_folder(str(folder), metric="perplexity")


def test_weights_without_a_configuration_are_no_model(tmp_path: Path) -> None:
    folder = made(tmp_path / "model")
    (folder / "config.json").unlink()
    with pytest.raises(UsageError, match="There is no model"):
        model_folder(str(folder), metric="perplexity")


def test_the_same_model_has_the_same_name_wherever_it_lies(tmp_path: Path) -> None:
    here, there = made(tmp_path / "here" / "tiny"), made(tmp_path / "there" / "tiny")
    (there / "notes.md").write_text("downloaded on a Monday")
    names = {model_folder(str(folder), metric="bertscore").name for folder in (here, there)}
    assert len(names) == 1
    assert names.pop().startswith("tiny-")


def test_other_weights_are_another_model(tmp_path: Path) -> None:
    one, other = made(tmp_path / "1" / "tiny"), made(tmp_path / "2" / "tiny", b"other weights")
    assert model_folder(str(one), metric="bertscore").name != model_folder(str(other), metric="bertscore").name
