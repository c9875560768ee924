"""Texts from another corpus than a model's calibration data are recognised, and others are not."""

from collections.abc import Sequence

import numpy as np
import pytest

from trialogue.records.kinds.shifts import CorpusShift, TransferError
from trialogue.strategies.learning.corpus_profile import (
    TOO_FAR,
    TOO_WEAK,
    CorpusProfile,
    TextTally,
    profile_of,
    words_of,
)

CLASSES = ("credibility", "opinion_inquiry")
ERROR = TransferError(none_match=0.001, both=0.0, all_match=0.01, of_system=0.0)


def corpus(
    seed: int, *, dialogues: int = 60, first: float = 0.6, strange: float = 0.1
) -> tuple[list[str], np.ndarray, list[int]]:
    """Sentences of five words, of which a share occurs in no other sentence, and beliefs whose mean is about ``first``."""
    rng = np.random.default_rng(seed)
    texts, groups = [], []
    for place in range(5 * dialogues):
        words = [
            f"new{'abcdefghij'[seed]}{'x' * place}q{'y' * number}"
            if rng.random() < strange
            else str(rng.choice(COMMON))
            for number in range(5)
        ]
        texts.append(" ".join(words))
        groups.append(place // 5)
    chance = rng.beta(8 * first, 8 * (1 - first), size=len(texts))
    return texts, np.column_stack([chance, 1 - chance]), groups


COMMON = ["film", "good", "actor", "like", "watch", "tonight", "funny", "plot"]


def beliefs(probabilities: np.ndarray) -> list[dict[str, float]]:
    return [dict(zip(CLASSES, row, strict=True)) for row in probabilities.tolist()]


@pytest.fixture(scope="module")
def profile() -> CorpusProfile:
    texts, probabilities, groups = corpus(0)
    return profile_of(texts, probabilities, CLASSES, groups, doubt=0.1, rng=np.random.default_rng(0))


def shift(profile: CorpusProfile, texts: Sequence[str], probabilities: np.ndarray) -> CorpusShift | None:
    tally = TextTally()
    for text, belief in zip(texts, beliefs(probabilities), strict=True):
        tally.add(profile, text, belief)
    return tally.shift_from(profile, error=ERROR)


def test_few_samples_of_the_same_corpus_seem_to_be_from_elsewhere(profile: CorpusProfile) -> None:
    texts, probabilities, _ = corpus(0, dialogues=2_000)
    rng = np.random.default_rng(1)
    flagged = 0
    for _ in range(200):
        chosen = rng.choice(np.arange(300, len(texts)), 150, replace=False)
        flagged += shift(profile, [texts[place] for place in chosen], probabilities[chosen]) is not None
    assert flagged <= 34  # two tests of 5% each: binomial(200, .0975) exceeds 34 in less than 1% of runs


def test_other_words_and_another_mix_are_each_recognised(profile: CorpusProfile) -> None:
    same = corpus(1)
    assert shift(profile, *same[:2]) is None
    words = shift(profile, *corpus(2, strange=0.2)[:2])
    assert words is not None
    assert words.unknown_words > words.unknown_words_limit
    assert words.mix_distance <= words.mix_distance_limit
    assert words.error == ERROR
    mix = shift(profile, *corpus(3, first=0.3)[:2])
    assert mix is not None
    assert mix.unknown_words <= mix.unknown_words_limit
    assert mix.mix_distance == pytest.approx(0.3, abs=0.05)  # .6 to .3 of one of two classes


def test_texts_that_are_too_far_have_no_error(profile: CorpusProfile) -> None:
    found = shift(profile, *corpus(4, strange=0.1 * (TOO_FAR + 2))[:2])
    assert found is not None
    assert found.error is None
    near = shift(profile, *corpus(4, strange=0.1 * (TOO_FAR - 1))[:2])
    assert near is not None
    assert near.error == ERROR


def test_a_model_that_can_hardly_tell_has_no_error_elsewhere() -> None:
    texts, probabilities, groups = corpus(0)
    other = corpus(3, first=0.3)
    for doubt, sensitivity in ((0.1, 1 / 6), (0.22, 11 / 6)):  # .1 / (1 - .4), .22 / (1 - .88)
        weak = profile_of(texts, probabilities, CLASSES, groups, doubt=doubt, rng=np.random.default_rng(0))
        assert weak.sensitivity == pytest.approx(sensitivity)
        found = shift(weak, *other[:2])
        assert found is not None
        assert (found.error is None) == (sensitivity > TOO_WEAK)
        assert shift(weak, *corpus(1)[:2]) is None


def test_the_profile_counts_words_that_no_other_dialogue_has() -> None:
    one = np.full((3, 2), 0.5)
    found = profile_of(
        ["heat heat", "heat drama", "Drama!"], one, CLASSES, ["a", "b", "c"], doubt=0.1, rng=np.random.default_rng(0)
    )
    assert (found.words, found.sentences) == (5, 3)
    assert found.unknown_words == 0  # both words are in two dialogues
    lonely = profile_of(["heat heat", "drama"], one[:2], CLASSES, ["a", "b"], doubt=0.1, rng=np.random.default_rng(0))
    assert lonely.unknown_words == 1
    assert len(lonely.vocabulary.split()) == 2
    assert "heat" not in lonely.vocabulary


def test_without_texts_there_is_no_shift(profile: CorpusProfile) -> None:
    assert TextTally().shift_from(profile, error=ERROR) is None
    assert shift(profile, ["42"], np.full((1, len(CLASSES)), 0.5)) is None  # no words at all


def test_numbers_are_no_words() -> None:
    assert words_of("Heat (1995), l’Avventura") == ["heat", "l'avventura"]
