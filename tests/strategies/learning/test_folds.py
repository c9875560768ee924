"""Cross-validation: whole groups, balanced labels, the same result in any number of processes."""

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import UsageError
from trialogue.strategies.base import CLASSES, Example
from trialogue.strategies.classifiers.tfidf import TfidfFit
from trialogue.strategies.learning.folds import (
    align_classes,
    fold_of_each,
    groups_of,
    normalise_words,
    out_of_fold,
    places_of,
)


def test_groups_stay_whole_and_labels_are_spread() -> None:
    given = examples(30, dialogues=40)
    labels, groups = [example.label for example in given], groups_of(given, "dialogue")
    folds = fold_of_each(labels, groups, folds=5, rng=np.random.default_rng(0))
    assert {len(set(folds[np.array(groups) == group])) for group in set(groups)} == {1}
    for label in CLASSES:
        counts = np.bincount(folds[np.array(labels) == label], minlength=5)
        assert counts.sum() == 30
        assert counts.max() <= 10  # 6 is even; groups of 10 or 11 sentences cannot be split


def test_single_sentences_are_spread_evenly() -> None:
    labels = ["a"] * 50 + ["b"] * 10
    folds = fold_of_each(labels, list(range(60)), folds=5, rng=np.random.default_rng(0))
    assert np.bincount(folds[:50]).tolist() == [10] * 5
    assert np.bincount(folds[50:]).tolist() == [2] * 5


def test_the_seed_decides() -> None:
    labels, groups = ["a", "b"] * 30, list(range(60))
    same = [fold_of_each(labels, groups, folds=3, rng=np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


@pytest.mark.parametrize(("folds", "groups"), [(1, 9), (5, 3)])
def test_too_few_groups_or_folds_are_refused(folds: int, groups: int) -> None:
    with pytest.raises(UsageError, match=f"got {groups} groups"):
        fold_of_each(["a"] * 9, [place % groups for place in range(9)], folds=folds, rng=np.random.default_rng(0))


def test_texts_are_the_same_without_case_and_punctuation() -> None:
    given = [Example(text=text, label="similarity", dialogue_id="d") for text in ("Me, too!", "me too", "I too", "!!")]
    assert places_of(groups_of(given, "text")).tolist() == [0, 0, 1, 2]
    assert groups_of(given, "dialogue") == ["dialogue:d"] * 4
    assert normalise_words("Don’t") == normalise_words("dont")


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(UsageError, match="split must be 'dialogue' or 'text'"):
        groups_of([], "pair")  # type: ignore[arg-type]


def test_classes_that_a_model_does_not_know_get_nothing() -> None:
    rows = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 1.0]])
    # of .5 and .3 remains 5/8 and 3/8; a row with nothing left is uniform
    assert align_classes(rows, ["a", "b", "c"], ["b", "a", "z"]).tolist() == [
        pytest.approx([0.375, 0.625, 0]),
        pytest.approx([1 / 3] * 3),
    ]


def test_a_sentence_is_never_judged_by_a_model_that_saw_its_dialogue() -> None:
    given = examples(4)
    groups = groups_of(given, "dialogue")
    folds = fold_of_each([example.label for example in given], groups, folds=4, rng=np.random.default_rng(0))
    seen: list[set[str | None]] = []

    class Spy:
        name = origin = "spy"
        classes = CLASSES
        uses_context = False

        def probabilities(self, texts: list[str], contexts: object = None) -> np.ndarray:
            tested = {example.dialogue_id for example in given if example.text in texts}
            assert not tested & seen[-1]
            return np.full((len(texts), 14), 1 / 14)

    def fit(train: object) -> Spy:
        seen.append({example.dialogue_id for example in train})  # type: ignore[attr-defined]
        return Spy()

    assert out_of_fold(fit, given, folds, CLASSES).shape == (len(given), 14)  # type: ignore[arg-type]
    assert len(seen) == 4


@pytest.mark.slow
def test_the_number_of_processes_does_not_matter() -> None:
    given = examples(12)
    folds = fold_of_each(
        [example.label for example in given], groups_of(given, "dialogue"), folds=3, rng=np.random.default_rng(0)
    )
    alone, together = (out_of_fold(TfidfFit(), given, folds, CLASSES, n_jobs=n) for n in (1, 2))
    assert (alone == together).all()
