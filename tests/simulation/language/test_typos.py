import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.made import rng
from trialogue.errors import UsageError
from trialogue.simulation.language.styles import add_typos, check_rate


@given(text=st.text(max_size=60), seed=st.integers(0, 2**32))
def test_no_typos_change_nothing_and_any_are_drawn_from_the_random_source(text: str, seed: int) -> None:
    assert add_typos(text, 0.0, rng(seed)) == text
    assert add_typos(text, 0.7, rng(seed)) == add_typos(text, 0.7, rng(seed))


@given(words=st.lists(st.from_regex(r"[a-z]{1,9}", fullmatch=True), max_size=8), seed=st.integers(0, 2**32))
def test_a_slip_keeps_words_apart_short_ones_whole_and_first_letters(words: list[str], seed: int) -> None:
    slipped = add_typos(" ".join(words), 1.0, rng(seed)).split(" ") if words else []
    assert len(slipped) == len(words)
    for before, after in zip(words, slipped, strict=True):
        assert after[0] == before[0]
        assert abs(len(after) - len(before)) <= 1
        assert len(before) >= 4 or after == before


def test_the_rate_is_a_share_of_words() -> None:
    text = "wonderful " * 2000
    slips = sum(word != "wonderful" for word in add_typos(text, 0.1, rng(1)).split())
    assert 140 < slips < 260  # 200 by expectation; a swap of equal letters leaves no trace, so rather fewer


def test_rates_beyond_a_share_are_refused() -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        check_rate(-0.1)
