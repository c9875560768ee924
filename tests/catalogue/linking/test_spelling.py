"""Mending one slip of the pen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue.linking.variants import SHORTEST_MENDED, Spelling

WORDS = Spelling(["insidious", "phillips", "jungle", "avatar", "matilda", "fences", "number7"])


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("incidious", "insidious"),  # a wrong letter
        ("insiduous", "insidious"),
        ("philips", "phillips"),  # one too few
        ("junggle", "jungle"),  # one too many
        ("avatra", "avatar"),  # two swapped
        ("matlida", "matilda"),
    ],
)
def test_one_slip_is_mended(slip: str, meant: str) -> None:
    assert WORDS.correct(slip) == meant


@pytest.mark.parametrize(
    "word", ["insidious", "inciduous", "fence", "fencess", "avata7", "number8", "", "x" * 1_000_000]
)
def test_known_words_two_slips_plurals_and_numbers_are_let_be(word: str) -> None:
    assert WORDS.correct(word) is None


def test_nothing_is_mended_where_two_words_could_be_meant() -> None:
    assert Spelling(["parade", "pirade"]).correct("perade") is None


def test_an_empty_vocabulary_mends_nothing() -> None:
    assert Spelling([]).correct("insidious") is None


letters = st.text("abcdef", min_size=SHORTEST_MENDED, max_size=9)


@given(letters, st.data())
def test_every_single_slip_of_the_only_word_is_mended_unless_it_is_a_plural(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    slip = data.draw(st.sampled_from([word[:place] + word[place + 1 :], word[:place] + "z" + word[place + 1 :]]))
    assert Spelling([word]).correct(slip) == word
