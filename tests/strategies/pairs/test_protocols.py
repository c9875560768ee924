"""Classifiers of pairs under the same protocols."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import UsageError
from trialogue.strategies.base import Floats
from trialogue.strategies.pairs.protocols import PairSet, evaluate_pairs, training_pairs

FEW = ("credibility", "experience_inquiry", "similarity", "encouragement")
GIVEN = examples(45, classes=FEW, dialogues=30)


@dataclass(frozen=True)
class Groups:
    """Remembers which sentences were said to be alike, and whether a sentence asks something."""

    group: dict[str, int]
    origin: str = "groups|v1"

    def same_probability(self, left: list[str], right: list[str]) -> Floats:
        return np.array([self._one(one, other) for one, other in zip(left, right, strict=True)])

    def _one(self, one: str, other: str) -> float:
        if one in self.group and other in self.group:
            return float(self.group[one] == self.group[other])
        return 0.6 if one.endswith("?") == other.endswith("?") else 0.1


def fit(pairs: PairSet) -> Groups:
    """Sentences linked by pairs with one strategy are one group."""
    group = {example.text: place for place, example in enumerate(pairs.examples)}
    for one, other, same in pairs.rows():
        if same and group[one.text] != group[other.text]:
            low, high = sorted((group[one.text], group[other.text]))
            group = {text: low if place == high else place for text, place in group.items()}
    trained = {example.text for row in pairs.rows() for example in row[:2]}
    return Groups({text: place for text, place in group.items() if text in trained})


def test_by_pair_it_seems_perfect_on_true_and_on_permuted_labels() -> None:
    found = evaluate_pairs(fit, GIVEN, classes=FEW, protocol="pairs", train_pairs=1_500, resamples=20)  # type: ignore[arg-type]
    assert found.labels is None
    assert (found.pairs.by_cluster.accuracy.value or 0) > 0.98
    assert found.leak is not None
    assert found.leak.pair_accuracy > 0.95
    assert (found.model, found.folds, found.pairs.n) == ("fit", 5, 3_000)


def test_by_dialogue_only_what_it_learned_remains() -> None:
    found = evaluate_pairs(fit, GIVEN, classes=FEW, train_pairs=1_500, pairs=1_000, resamples=20)  # type: ignore[arg-type]
    assert found.leak is not None
    assert found.leak.pair_accuracy == pytest.approx(0.5, abs=0.06)
    accuracy = found.pairs.by_cluster.accuracy.value or 0
    assert 0.55 < accuracy < 0.9  # question or not


def test_transfer_asks_about_the_other_corpus() -> None:
    found = evaluate_pairs(
        fit,  # type: ignore[arg-type]
        GIVEN,
        classes=FEW,
        protocol="transfer",
        test=examples(60, classes=FEW)[::2],
        train_pairs=1_500,
        resamples=20,
        leak_test=False,
    )
    assert found.folds is None
    assert found.trained_on is not None
    assert found.leak is None


def test_hard_negatives_are_a_fifth_of_the_different_pairs_at_most() -> None:
    pairs = training_pairs(
        GIVEN, rng=np.random.default_rng(0), count=1_000, hard={"similarity": "encouragement"}, hard_pairs=10_000
    )
    assert (len(pairs), int(pairs.hard.sum())) == (2_000, 200)


def test_a_protocol_without_its_data_is_refused() -> None:
    with pytest.raises(UsageError, match="transfer requires other data"):
        evaluate_pairs(fit, GIVEN, protocol="transfer")  # type: ignore[arg-type]
