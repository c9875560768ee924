"""BLEU-k: what each formula does at its edges; agreement with NLTK and sacreBLEU is in test_text_metrics.py."""

import math

import numpy as np
import pytest

from tests.metrics.replies import PAIRS, of, replies, value, why
from trialogue.errors import UsageError
from trialogue.metrics import get_card, get_metric
from trialogue.metrics.text.bleu import Bleu, brevity, corpus_bleu

VARIANTS = tuple(each for each in get_card("bleu").variants if "mecab" not in each)


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_empty_reply_scores_zero_or_is_left_out_as_the_peer_does(variant: str) -> None:
    if variant in ("crslab", "unicrs"):
        assert why(f"bleu@{variant}", "", "some reference") == "the reply is empty"
    else:
        assert of(f"bleu@{variant}", "", "some reference") == 0.0


def test_unicrs_splits_at_any_white_space_and_leaves_out_blank_replies_and_crslab_does_neither() -> None:
    # four words for UniCRS, two for CRSLab
    assert of("bleu(k=1)@unicrs", "a\tb c\nd", "a b c d") == 1.0
    assert of("bleu(k=1)@crslab", "a\tb c\nd", "a b c d") == 0.0
    assert why("bleu(k=1)@unicrs", " \t", "a b") == "the reply is empty"
    assert of("bleu(k=1)@crslab", " \t", "a b") == 0.0


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_empty_reference_matches_nothing(variant: str) -> None:
    assert of(f"bleu@{variant}", "some good reply indeed", "") == 0.0


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_reply_equal_to_its_reference_scores_one_except_by_method_7(variant: str) -> None:
    score = of(f"bleu@{variant}", "you will like this film a lot", "you will like this film a lot")
    if variant == "mese":  # p = 1 throughout: (2+1+1)/3, then (4/3+1+1)/3, (10/9+2)/3, (28/27+2)/3
        assert score == pytest.approx((4 / 3 * 10 / 9 * 28 / 27 * 82 / 81) ** 0.25)
        assert get_metric("bleu@mese").card.high is None
    else:
        assert score == pytest.approx(1.0)


def test_individual_precision_is_not_a_mean_over_orders() -> None:
    # 4-grams of 5 words: 2, one of which matches; the reply is no shorter than the reference
    assert of("bleu(k=4)@crslab", "a b c d x", "a b c d y") == 1 / 2
    # cumulative: (4/5 * 3/4 * 2/3 * 1/2) ** (1/4)
    assert of("bleu(k=4)@nltk_corpus", "a b c d x", "a b c d y") == pytest.approx(0.2**0.25)


def test_two_spaces_make_an_empty_word_for_crslab_only() -> None:
    assert of("bleu(k=1)@crslab", "a  b", "a b") == pytest.approx(2 / 3)
    assert of("bleu(k=1)@nltk_method1", "a  b", "a b") == 1.0


def test_no_matching_order_is_zero_tiny_or_smoothed() -> None:
    pair = "you should see Heat tonight", "you should watch Heat"
    assert of("bleu@nltk_corpus", *pair) == 0.0
    assert 0 < of("bleu@kbrd", *pair) < 1e-3
    assert of("bleu@nltk_method1", *pair) > 0.05


def test_corpus_formulas_pool_counts_and_the_others_take_the_mean() -> None:
    pairs = [("a b c d e", "a b c d e"), ("x", "y z")]
    assert value("bleu(k=1)@nltk_method1", replies(pairs)) == 1 / 2  # no word matches: 0
    assert value("bleu(k=1)@nltk_corpus", replies(pairs)) == pytest.approx(5 / 6 * math.exp(1 - 7 / 6))


def test_mese_drops_the_first_word_of_both_sides() -> None:
    assert of("bleu@mese", "Hey do see it", "Well, do see it") == of("bleu@mese", "do do see it", "do do see it")


def test_brevity_penalty() -> None:
    assert brevity(5, 4) == 1.0
    assert brevity(4, 4) == 1.0
    assert brevity(2, 4) == pytest.approx(math.exp(-1))
    assert brevity(0, 4) == 0.0


def test_corpus_bleu_takes_sums_of_any_shape() -> None:
    metric = Bleu(k=2)
    rows = np.array([metric.statistics(unit) for unit in replies()], dtype=float)
    found = metric.combine(rows)
    assert found.shape == (len(PAIRS),)
    assert metric.combine(rows[None, :, :]).shape == (1, len(PAIRS))
    assert found[0] == pytest.approx(float(metric.combine(rows[0])))


def test_corpus_bleu_of_no_words_at_all_is_zero() -> None:
    assert corpus_bleu(np.zeros(10), 4, halving=True) == 0.0


@pytest.mark.parametrize("k", [5, 6])
def test_longer_ngrams_than_usual_are_counted(k: int) -> None:
    text = "one two three four five six"
    assert of(f"bleu(k={k})@sacrebleu", text, text) == pytest.approx(1.0)
    assert of(f"bleu(k={k})@nltk_corpus", text, text) == pytest.approx(1.0)


def test_other_alphabets_match_between_spaces() -> None:
    assert of("bleu(k=1)@sacrebleu", "千と千尋 🙂", "千と千尋 🙂") == 1.0


def test_an_impossible_k_is_refused() -> None:
    with pytest.raises(UsageError, match="k must be a whole number of at least 1"):
        Bleu(k=0)


def test_names_tell_the_formulas_apart() -> None:
    assert get_metric("bleu").measure == "bleu(k=4)@sacrebleu|v1"
    assert get_metric("bleu(k=2)@mese").measure == "bleu(k=2)@mese|v1"
