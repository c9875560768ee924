"""Token F1 at its edges; a second implementation is in test_text_metrics.py."""

import pytest

from tests.metrics.replies import of, why


def test_by_hand() -> None:
    # it, is, great of 4 words and 5: 2 * 3 / 9
    assert of("token_f1@crslab", "it is so great", "it is a great film") == pytest.approx(6 / 9)
    # the article is gone on one side: 2 * 3 / 8
    assert of("token_f1@parlai", "it is so great", "It is a great film!") == pytest.approx(6 / 8)


def test_crslab_sees_case_and_punctuation() -> None:
    assert of("token_f1@crslab", "Heat!", "heat") == 0.0
    assert of("token_f1@parlai", "Heat!", "the heat") == 1.0


def test_a_word_matches_as_often_as_the_reference_has_it() -> None:
    assert of("token_f1", "no no no", "no") == pytest.approx(2 * 1 / (3 + 1))


def test_an_empty_reply_is_left_out_by_crslab_and_scores_zero_by_parlai() -> None:
    assert why("token_f1@crslab", "", "words") == "the reply is empty"
    assert of("token_f1@parlai", "", "words") == 0.0
    assert of("token_f1@parlai", "the", "a") == 0.0  # nothing is left on either side


def test_other_alphabets_match() -> None:
    assert of("token_f1", "千と千尋 です", "千と千尋 🙂") == pytest.approx(1 / 2)
