"""Length of replies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.replies import TEXT, of, reply, value
from trialogue.errors import UnknownNameError
from trialogue.metrics import get_metric


def test_words_and_characters_by_hand() -> None:
    assert of("length", "It's a  film .") == 4
    assert of("length@characters", "It's a  film .") == 14


def test_an_empty_reply_has_length_zero() -> None:
    assert of("length", "") == 0
    assert value("length", [reply(""), reply("one two three")]) == 1.5


def test_characters_are_those_of_unicode() -> None:
    assert of("length@characters", "神é🙂") == 3
    assert of("length", "千と 千尋") == 2


@given(texts=st.lists(TEXT, min_size=1, max_size=5))
def test_the_mean_is_that_of_a_loop_in_any_order(texts: list[str]) -> None:
    lengths = [len(text.split()) for text in texts]
    assert value("length", [reply(text) for text in texts]) == pytest.approx(sum(lengths) / len(texts))
    assert value("length", [reply(text) for text in texts[::-1]]) == pytest.approx(sum(lengths) / len(texts))


def test_neither_long_nor_short_is_better() -> None:
    assert get_metric("length").card.better == "neither"


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'words'"):
        get_metric("length@word")
