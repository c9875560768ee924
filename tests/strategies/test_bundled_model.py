"""The model that needs no download."""

import subprocess
import sys
from pathlib import Path

import pytest

from trialogue.cache import cache_folder
from trialogue.strategies import bundled_model
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.card import card_lines
from trialogue.strategies.models import Model, load_model

TEXTS = ["Have you seen Coco?", "It stars Tom Hanks.", "Me too!", "You should watch it!", "Hello, how are you?"]
EXPECTED = ["experience_inquiry", "credibility", "similarity", "encouragement", "no_strategy"]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, bundled: Model) -> list[str]:
    """Training takes no time, and is counted; nothing is remembered from other tests."""
    trained: list[str] = []

    def instead() -> Model:
        trained.append("now")
        return bundled

    monkeypatch.setattr(bundled_model, "train_default", instead)
    bundled_model._model.cache_clear()
    return trained


def test_it_knows_what_is_easy(bundled: Model) -> None:
    rows = bundled.probabilities(TEXTS)
    assert [bundled.classes[column] for column in rows.argmax(axis=1)] == EXPECTED


def test_its_card_says_how_good_it_is_on_inspired_and_how_to_get_a_better_one(bundled: Model) -> None:
    text = "\n".join(card_lines(bundled.card))
    assert "On INSPIRED test" in text, "the examples have changed since: run benchmarks/strategies.py"
    assert "trialogue strategies train --data inspired" in text
    assert "Calibrated on INSPIRED dev" in text, "the examples have changed since: run benchmarks/strategies.py"
    assert "include the calibration's own error" in text


def test_it_is_trained_once_and_then_read(cache: Path, counted: list[str]) -> None:
    first = default_model()
    bundled_model._model.cache_clear()
    again = default_model()
    assert counted == ["now"]
    assert (first.probabilities(TEXTS) == again.probabilities(TEXTS)).all()
    assert cache_folder() == cache
    (folder,) = (cache / "strategies").iterdir()
    assert load_model(folder).card == first.card


def test_what_is_said_of_better_models_is_not_that_of_an_older_version(
    cache: Path, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    default_model()
    bundled_model._model.cache_clear()
    monkeypatch.setattr(bundled_model, "upgrade_commands", lambda _kind: "there is a better one")
    again = default_model()
    assert counted == ["now"]
    assert again.card.better == "there is a better one"


def test_a_damaged_copy_is_replaced(cache: Path, counted: list[str]) -> None:
    default_model()
    (folder,) = (cache / "strategies").iterdir()
    (folder / "tfidf.npz").write_bytes(b"damaged")
    bundled_model._model.cache_clear()
    default_model()
    assert counted == ["now", "now"]
    assert load_model(folder).origin
    assert [path.name for path in (cache / "strategies").iterdir()] == [folder.name]


def test_a_cache_that_cannot_be_written_costs_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: list[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TRIALOGUE_CACHE", str(tmp_path / "file"))
    assert default_model().origin
    assert counted == ["now"]


def test_another_process_that_was_quicker_wins(cache: Path, counted: list[str], bundled: Model) -> None:
    folder = cache / "strategies" / "m"
    bundled_model._keep(bundled, folder)
    before = (folder / "model.json").stat().st_ino
    bundled_model._keep(bundled, folder)
    assert (folder / "model.json").stat().st_ino == before
    assert [path.name for path in folder.parent.iterdir()] == ["m"]


@pytest.mark.slow
def test_two_processes_at_once_both_get_the_model(cache: Path) -> None:
    code = (
        "from tests.strategies.made import examples; from trialogue.strategies import bundled_model;"
        "from trialogue.strategies.learning import training;"
        "bundled_model.train_default = lambda: training.train(examples(8));"  # in place of all that is bundled
        f"rows = bundled_model.default_model().probabilities({TEXTS!r}); print(rows.tobytes().hex())"
    )
    command = [sys.executable, "-c", code]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) for _ in range(2)]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert said[0] == said[1] != b""
    assert len(list((cache / "strategies").iterdir())) == 1


def test_a_home_folder_is_meant_by_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TRIALOGUE_CACHE", "~/here")
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("TRIALOGUE_CACHE")
    assert "trialogue" in str(cache_folder())


def test_numbers_of_other_examples_are_not_shown() -> None:
    assert bundled_model.published_card("tfidf|v1|data:000000") is None
