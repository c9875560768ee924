"""Hard strategies are measured on the sentences that pairs are made of, and on no others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import UsageError
from trialogue.strategies.base import Context, Example, Floats, StrategyClassifier
from trialogue.strategies.evaluation.protocols import permute_labels
from trialogue.strategies.pairs.protocols import (
    PairSet,
    evaluate_pairs,
    measure,
    measure_hard_strategies,
    training_pairs,
)


@dataclass(frozen=True)
class Says:
    """Says of a sentence what stands behind its last space."""

    classes: tuple[str, ...] = ("encouragement", "similarity", "transparency")
    name: str = "says"
    origin: str = "says|v1|data:none"
    uses_context: bool = False

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        return np.array([[float(text.endswith(name)) for name in self.classes] for text in texts])


def says(_examples: Sequence[Example]) -> StrategyClassifier:
    return Says()


def made(label: str, *answers: str) -> list[Example]:
    return [
        Example(text=f"{label} {number} {said}", label=label, dialogue_id=f"d{number}")
        for number, said in enumerate(answers)
    ]


S, E, T = "similarity", "encouragement", "transparency"
GIVEN = [*made(E, *[E] * 7, *[T] * 3), *made(S, *[S] * 6, T, E, E, E), *made(T, *[S] * 5, *[E] * 5)]


def test_a_strategy_that_is_found_in_less_than_seven_of_ten_is_hard() -> None:
    # encouragement 7 of 10: not below .7; similarity 6 of 10, three times encouragement; transparency never, a tie
    assert measure_hard_strategies(GIVEN, fit=says) == {S: E, T: E}
    assert measure_hard_strategies(GIVEN, fit=says, below=0.6) == {T: E}


def test_where_nothing_is_hard_that_is_said() -> None:
    with pytest.raises(UsageError, match="none of the 3 strategies is hard"):
        measure_hard_strategies(GIVEN, fit=says, below=0.0)


def test_pairs_are_made_hard_by_what_their_own_sentences_show() -> None:
    asked: list[Sequence[Example]] = []

    def find(given: Sequence[Example]) -> dict[str, str]:
        asked.append(given)
        return {S: E}

    pairs = training_pairs(GIVEN, rng=np.random.default_rng(0), count=50, hard=find)
    assert asked == [GIVEN]
    hard = [row for row, is_hard in zip(pairs.rows(), pairs.hard.tolist(), strict=True) if is_hard]
    assert {(one.label, other.label) for one, other, _ in hard} == {(S, E)}
    assert len(hard) == 10


def test_in_a_cross_validation_the_tested_dialogues_are_not_asked() -> None:
    asked: list[set[str | None]] = []

    def find(given: Sequence[Example]) -> dict[str, str]:
        asked.append({example.dialogue_id for example in given})
        return {S: E}

    class Half:
        origin = "half"

        def same_probability(self, left: Sequence[str], right: Sequence[str]) -> Floats:
            return np.full(len(left), 0.5)

    def fit(_pairs: PairSet) -> Half:
        return Half()

    evaluate_pairs(fit, GIVEN, folds=5, hard=find, pairs=20, resamples=20, leak_test=False)
    assert [len(dialogues) for dialogues in asked] == [8] * 5  # of 10 dialogues two are tested
    assert len({frozenset(dialogues) for dialogues in asked}) == 5


def test_the_same_seed_finds_the_same() -> None:
    given = permute_labels(examples(4, dialogues=10), rng=np.random.default_rng(0))
    assert measure(seed=1)(given) == measure(seed=1)(given)
