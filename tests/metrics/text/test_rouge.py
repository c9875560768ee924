"""ROUGE-L at its edges; agreement with rouge_score is in test_text_metrics.py."""

import sys

import pytest

from tests.metrics.replies import of
from trialogue.errors import MissingExtraError
from trialogue.metrics import get_metric
from trialogue.metrics.text.word_overlap import RougeL


def test_by_hand() -> None:
    # the film is great / the great film: longest common subsequence 2, of 4 and 3 words
    assert of("rouge_l@f1", "The film is great", "the great film!") == pytest.approx(2 * 2 / (4 + 3))
    assert of("rouge_l@recall", "The film is great", "the great film!") == pytest.approx(2 / 3)


@pytest.mark.parametrize("variant", ["f1", "recall", "f1_stem"])
def test_a_side_without_a_word_scores_zero(variant: str) -> None:
    assert of(f"rouge_l@{variant}", "", "some words") == 0.0
    assert of(f"rouge_l@{variant}", "some words", "?!") == 0.0
    assert of(f"rouge_l@{variant}", "千と千尋", "千と千尋") == 0.0  # its tokeniser knows a-z and 0-9 only


def test_stems_match_where_words_do_not() -> None:
    assert of("rouge_l@f1", "recommended films", "recommending film") == 0.0
    assert of("rouge_l@f1_stem", "recommended films", "recommending film") == 1.0


def test_words_of_three_letters_are_not_stemmed() -> None:
    assert of("rouge_l@f1_stem", "its", "it") == 0.0


def test_only_the_stemmed_variant_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    assert get_metric("rouge_l@f1").card.extra is None
    assert get_metric("rouge_l@f1_stem").card.extra == "text"
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'trialogue\[text\]'"):
        RougeL(variant="f1_stem")
    assert of("rouge_l", "a film", "a film") == 1.0
