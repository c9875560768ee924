"""The default labeller: trained, saved, read, asked."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import DataError, UsageError
from trialogue.strategies.base import CLASSES, Context, Example, StrategyClassifier
from trialogue.strategies.classifiers.tfidf import Tfidf, TfidfFit

TEXTS = ["Have you seen Coco?", "It stars Tom Hanks.", "Me too!", "", "日本語", "hello hello hello"]


@pytest.fixture(scope="module")
def model() -> Tfidf:
    return TfidfFit()(examples(30))


def test_it_is_a_labeller_of_the_classes_of_its_data(model: Tfidf) -> None:
    assert isinstance(model, StrategyClassifier)
    assert model.classes == CLASSES
    assert model.origin.startswith("tfidf|v2|data:")
    assert "|set:" not in model.origin


def test_a_model_trained_with_other_settings_has_another_origin(model: Tfidf) -> None:
    others = [TfidfFit(strength=strength)(examples(30)).origin for strength in (1.0, 2.0)]
    assert len({model.origin, *others}) == 3
    assert all(other.startswith(model.origin + "|set:") for other in others)


def test_it_knows_what_is_easy(model: Tfidf) -> None:
    rows = model.probabilities(TEXTS)
    assert [model.classes[column] for column in rows.argmax(axis=1)[:3]] == [
        "experience_inquiry",
        "credibility",
        "similarity",
    ]
    assert np.allclose(rows.sum(axis=1), 1)


def test_a_row_depends_on_its_own_sentence_only(model: Tfidf) -> None:
    together = model.probabilities(TEXTS)
    alone = np.vstack([model.probabilities([text]) for text in TEXTS])
    assert (together == alone).all()
    assert (model.probabilities(TEXTS[::-1])[::-1] == together).all()


def test_no_sentences_give_no_rows(model: Tfidf) -> None:
    assert model.probabilities([]).shape == (0, 14)


def test_the_same_examples_give_the_same_model(model: Tfidf) -> None:
    again = TfidfFit()(examples(30))
    assert again.origin == model.origin
    assert (again.weights == model.weights).all()


def test_a_saved_model_says_the_same_to_the_last_bit(model: Tfidf, tmp_path: Path) -> None:
    model.save(tmp_path)
    read = Tfidf.load(tmp_path)
    assert (read.probabilities(TEXTS) == model.probabilities(TEXTS)).all()
    assert (read.classes, read.origin, read.uses_context) == (model.classes, model.origin, False)


def test_saving_twice_writes_the_same_bytes(model: Tfidf, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        model.save(tmp_path / name)
    for file in ("tfidf.json", "tfidf.npz"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_labelling_needs_no_scikit_learn(model: Tfidf, tmp_path: Path) -> None:
    model.save(tmp_path)
    code = (
        "import sys, pathlib; from trialogue.strategies.classifiers.tfidf import Tfidf;"
        f"Tfidf.load(pathlib.Path({str(tmp_path)!r})).probabilities(['Hi']); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_context_counts_where_it_is_asked_for() -> None:
    asked: Context = (("user", "Have you seen it?"),)
    messages: Context = (("user", "What genre do you like?"),)
    given = [
        Example(text=text, label=label, context=context)
        for text in ("yes", "yes sure", "no", "well yes")
        for label, context in (("personal_experience", asked), ("acknowledgment", messages))
    ]
    model = TfidfFit(use_context=True)(given)
    assert model.uses_context
    assert model.name == "tfidf+context"
    rows = model.probabilities(["yes", "yes"], [asked, messages])
    assert [model.classes[column] for column in rows.argmax(axis=1)] == ["personal_experience", "acknowledgment"]
    assert model.probabilities(["yes"]).shape == (1, 2)  # no context: the beginning of a dialogue
    without = TfidfFit()(given)
    assert (without.probabilities(["yes", "yes"], [asked, messages])[0] == without.probabilities(["yes"])[0]).all()


def test_a_model_with_context_survives_saving(tmp_path: Path) -> None:
    context: Context = (("user", "Hi"), ("system", "Hello"))
    given = [example.model_copy(update={"context": context}) for example in examples(5)]
    model = TfidfFit(use_context=True)(given)
    model.save(tmp_path)
    read = Tfidf.load(tmp_path)
    assert (read.probabilities(["Me too"], [context]) == model.probabilities(["Me too"], [context])).all()


def test_two_classes_are_enough() -> None:
    model = TfidfFit()(examples(20, classes=["similarity", "credibility"]))
    rows = model.probabilities(["Me too!", "It was directed by Spielberg."])
    assert rows.shape == (2, 2)
    assert [model.classes[column] for column in rows.argmax(axis=1)] == ["similarity", "credibility"]


def test_one_class_is_not() -> None:
    with pytest.raises(UsageError, match="at least 2"):
        TfidfFit()(examples(3, classes=["similarity"]))


@pytest.mark.parametrize("damage", ["missing", "no JSON", "another model", "no array"])
def test_a_damaged_model_is_refused(model: Tfidf, tmp_path: Path, damage: str) -> None:
    model.save(tmp_path)
    if damage == "missing":
        (tmp_path / "tfidf.npz").unlink()
    elif damage == "no JSON":
        (tmp_path / "tfidf.json").write_text("{")
    elif damage == "another model":
        (tmp_path / "other").mkdir()
        TfidfFit()(examples(3)).save(tmp_path / "other")
        (tmp_path / "other" / "tfidf.json").replace(tmp_path / "tfidf.json")
    else:
        np.savez(tmp_path / "tfidf.npz", weights=np.zeros(3))
    with pytest.raises(DataError):
        Tfidf.load(tmp_path)


def test_arrays_with_objects_are_not_unpickled(model: Tfidf, tmp_path: Path) -> None:
    model.save(tmp_path)
    np.savez(tmp_path / "tfidf.npz", weights=np.array([{"a": 1}], dtype=object), bias=np.zeros(14))
    with pytest.raises(DataError, match="allow_pickle"):
        Tfidf.load(tmp_path)
