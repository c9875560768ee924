"""Weights that are kept are those that were fitted, to the last bit."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from tests.simulation.language.test_nlu import SOME
from trialogue.errors import DataError
from trialogue.simulation.language import nlu_linear as module
from trialogue.simulation.language.nlu import Example
from trialogue.simulation.language.nlu_linear import Weights, cached_weights, fitted_weights


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIALOGUE_CACHE", str(tmp_path))
    return tmp_path / "understanding"


def forget() -> None:
    module._load_or_fit.cache_clear()


def assert_equal(one: Weights, other: Weights) -> None:
    for field in fields(Weights):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.flags.c_contiguous == theirs.flags.c_contiguous  # sums over it are made in the same order
            np.testing.assert_array_equal(mine, theirs, strict=True)
        else:
            assert mine == theirs


@pytest.mark.parametrize("context", [True, False])
@pytest.mark.parametrize("number", [1, 2, 5])  # of one, two and three labels
def test_what_comes_back_is_what_was_fitted(
    context: bool, number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = [*SOME[2 : 2 + number], *SOME[: max(0, number - 3)]]
    fitted = fitted_weights(examples, context=context)
    forget()
    assert_equal(cached_weights(examples, context=context), fitted)
    forget()
    monkeypatch.setattr(module, "fitted_weights", None)  # not called again
    assert_equal(cached_weights(examples, context=context), fitted)


def test_other_examples_or_features_have_weights_of_their_own(folder: Path) -> None:
    for examples in (SOME, [*SOME[:-1], Example("Sorry, I do not understand.", "Elicit", before="Repeat")], SOME[:-1]):
        for context in (True, False):
            forget()
            assert_equal(cached_weights(examples, context=context), fitted_weights(examples, context=context))
    assert len(list(folder.iterdir())) == 6


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"nonsense"])
def test_a_damaged_file_is_fitted_again(damage: bytes, folder: Path) -> None:
    forget()
    cached_weights(SOME)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage or whole[: len(whole) // 2])
    forget()
    assert_equal(cached_weights(SOME), fitted_weights(SOME))
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_seconds_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRIALOGUE_CACHE", str(tmp_path / "file"))
    forget()
    assert_equal(cached_weights(SOME), fitted_weights(SOME))


def test_only_the_newest_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILES", 2)
    for number in range(4):
        forget()
        cached_weights(SOME[: 2 + number % 4])
    assert len(list(folder.iterdir())) == 2


def test_nothing_to_learn_from_is_refused_and_not_kept(folder: Path) -> None:
    forget()
    with pytest.raises(DataError, match="no annotated agent utterance"):
        cached_weights([])
    assert not folder.exists()
