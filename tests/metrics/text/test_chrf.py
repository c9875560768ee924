"""chrF at its edges; agreement with sacreBLEU is in test_text_metrics.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from sacrebleu.metrics.chrf import CHRF

from tests.metrics.replies import PAIRS, TEXT, of, replies
from trialogue.metrics.text.chrf import ChrF


def test_by_hand() -> None:
    # "ab" / "ac": 1-grams 1 of 2 and 2, bigrams 0 of 1 and 1; precision = recall = (1/2 + 0) / 2
    assert of("chrf", "ab", "ac") == pytest.approx(0.25)


@pytest.mark.parametrize("variant", ["sacrebleu", "plusplus"])
def test_an_empty_side_matches_nothing(variant: str) -> None:
    assert of(f"chrf@{variant}", "", "words") == 0.0
    assert of(f"chrf@{variant}", "words", "") == 0.0
    assert of(f"chrf@{variant}", "", "") == 0.0


@pytest.mark.parametrize("variant", ["sacrebleu", "plusplus"])
def test_equal_texts_score_one_in_any_alphabet_whatever_the_spaces(variant: str) -> None:
    assert of(f"chrf@{variant}", "千と千尋の神隠し  🙂", "千と千尋の神隠し 🙂") == pytest.approx(1.0)


def test_recall_counts_more_than_precision() -> None:
    assert of("chrf", "abcdefgh", "abcd") > of("chrf", "abcd", "abcdefgh")


@pytest.mark.parametrize("variant", ["sacrebleu", "plusplus"])
@given(text=TEXT, reference=TEXT)
@settings(max_examples=50)
def test_the_statistics_of_one_reply_are_those_of_sacrebleu(variant: str, text: str, reference: str) -> None:
    peer = CHRF(word_order=2 if variant == "plusplus" else 0)
    expected = peer._extract_corpus_statistics([text], [[reference]])[0]
    assert ChrF(variant=variant).statistics(replies([(text, reference)])[0]) == tuple(expected)


def test_sums_of_any_shape_are_combined() -> None:
    metric = ChrF()
    rows = np.array([metric.statistics(unit) for unit in replies()], dtype=float)
    assert metric.combine(rows[None]).shape == (1, len(PAIRS))
