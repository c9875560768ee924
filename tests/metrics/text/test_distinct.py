"""Distinct-n: every formula by hand, and the shuffles of LAPS."""

import math
import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.metrics.replies import PAIRS, of, reply, scores, value, why
from trialogue.errors import UnknownNameError, UsageError
from trialogue.metrics import get_metric
from trialogue.metrics.text.distinct import Distinct, laps_distinct

TWO = [reply("A film . A good film"), reply("a film")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("distinct(n=1)@ratio", 5 / 8),  # A, film, ., good, a of 6 + 2 words
        ("distinct(n=2)@ratio", 6 / 6),  # A film, film ., . A, A good, good film; a film
        ("distinct(n=1)@per_response", 5 / 2),
        ("distinct(n=1)@chars", 11 / 2),  # A, space, f, i, l, m, ., g, o, d, a
        ("distinct(n=1)@laps", 3 / 7),  # a, film, good of 5 + 2 words, the full stop being gone
        ("distinct(n=2)@laps", 4 / 5),  # a film, film a, a good, good film; a film
        ("distinct(n=1)@music_crs", 4 / 8),  # a, film, ., good
        ("distinct(n=1)@mese", 3 / 2),  # film a good film -> film, a, good; film
        ("distinct(n=1)@intra", (4 / 6 + 2 / 2) / 2),
    ],
)
def test_two_replies_by_hand(name: str, expected: float) -> None:
    assert value(name, TWO) == pytest.approx(expected)


def test_ead_divides_by_the_number_expected_of_an_even_draw() -> None:
    # 5 distinct of 8 words; 100 (1 - .99^8) = 7.7255 expected of a vocabulary of 100
    assert value("distinct(n=1,vocabulary=100)@ead", TWO) == pytest.approx(5 / (100 * (1 - 0.99**8)))


def test_ead_does_not_fall_with_length_for_an_even_draw() -> None:
    drawn = np.random.default_rng(5).integers(0, 50, size=4000)
    short, long = (" ".join(map(str, drawn[:size])) for size in (40, 4000))
    assert of("distinct(n=1)@ratio", short) > 10 * of("distinct(n=1)@ratio", long)
    assert of("distinct(n=1,vocabulary=50)@ead", short) == pytest.approx(1, abs=0.15)
    assert of("distinct(n=1,vocabulary=50)@ead", long) == pytest.approx(1, abs=0.01)


def test_mese_leaves_long_replies_out_of_the_numerator_only() -> None:
    long = " ".join(f"w{number}" for number in range(100))
    assert value("distinct(n=1)@mese", [reply("x one two"), reply(long)]) == 2 / 2
    shorter = " ".join(f"w{number}" for number in range(99))
    assert value("distinct(n=1)@mese", [reply("x one two"), reply(shorter)]) == (2 + 98) / 2


def test_a_blank_reply_is_left_out_unless_it_is_mese() -> None:
    assert why("distinct@per_response", " ") == "the reply is empty"
    assert value("distinct(n=1)@per_response", [reply("a b"), reply("")]) == 2
    assert value("distinct(n=1)@mese", [reply("x a b"), reply("")]) == 1


def test_a_reply_shorter_than_the_ngram_counts_as_a_reply() -> None:
    assert value("distinct(n=2)@per_response", [reply("a b"), reply("c")]) == 0.5
    assert value("distinct(n=2)@ratio", [reply("a b"), reply("c")]) == 1.0
    assert scores("distinct(n=2)@ratio", [reply("c")])[0].value is None
    assert why("distinct(n=2)@intra", "c") == "the reply has fewer words than an n-gram of 2"


def test_other_alphabets_are_words_too() -> None:
    assert of("distinct(n=1)@ratio", "千と千尋 千と千尋 🙂") == pytest.approx(2 / 3)
    assert of("distinct(n=1)@chars", "神神") == 1


def test_the_name_has_n_and_for_ead_the_vocabulary() -> None:
    assert get_metric("distinct").measure == "distinct(n=2)@ratio|v1"
    assert get_metric("distinct(n=1)@ead").measure == "distinct(n=1,vocabulary=30522)@ead|v1"


def test_a_vocabulary_is_for_ead_only() -> None:
    with pytest.raises(UsageError, match="Only distinct@ead has a vocabulary"):
        get_metric("distinct(vocabulary=10)@chars")
    with pytest.raises(UsageError, match="vocabulary must be a whole number"):
        get_metric("distinct(vocabulary=0)@ead")


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_an_impossible_n_is_refused(n: int) -> None:
    with pytest.raises(UsageError, match="n must be a whole number of at least 1"):
        Distinct(n=n)


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'ratio'"):
        Distinct(variant="ration")


def words_of_the_tool(text: str) -> list[str]:
    """LAPS, DistinctNgrams._tokenize."""
    return list(filter(None, text.lower().replace(".", "").replace("\n", "").split(" ")))


def laps_as_the_tool_has_it(texts: list[str], n: int, *, budget: int = 7_012, shuffles: int = 100) -> float:
    """LAPS, calculate_truncated_distinct_n: what it does, in other words; 0 where it has no n-gram."""
    random.seed(42)
    shares = []
    for _ in range(shuffles):
        left, grams = budget, []
        for text in random.sample(texts, len(texts)):
            pieces = text.split()
            own = words_of_the_tool(text if len(pieces) <= left else " ".join(pieces[:left]))
            grams += [tuple(own[at : at + n]) for at in range(len(own) - n + 1)]
            if len(pieces) > left:
                break
            left -= len(pieces)
        shares.append(len(set(grams)) / len(grams) if grams else 0.0)
    return sum(shares) / shuffles


SPACED = st.text("ab.\n\t \u00a0\rB", max_size=12)


@given(texts=st.lists(SPACED, min_size=1, max_size=6), n=st.integers(1, 3), budget=st.integers(1, 9))
@example(texts=["a b\nb a"], n=1, budget=7_012)  # a, bb, a: 2/3
@example(texts=["a\tb a"], n=1, budget=7_012)  # "a\tb" is one word
def test_laps_is_the_tool_to_the_last_digit(texts: list[str], n: int, budget: int) -> None:
    shuffled = laps_distinct(texts, n=n, budget=budget)
    assert (shuffled or 0.0) == pytest.approx(laps_as_the_tool_has_it(texts, n, budget=budget), rel=1e-12)
    if any(not text.strip() and words_of_the_tool(text) for text in texts):
        return  # a tab alone is a word in the tool; in one pass a blank reply is no reply
    streamed = scores(f"distinct(n={n})@laps", [reply(text) for text in texts])[0].value
    assert (streamed or 0.0) == pytest.approx(laps_as_the_tool_has_it(texts, n), rel=1e-12)


def test_laps_of_newlines_and_tabs_in_one_pass_is_the_tool_s() -> None:
    texts = ["a b\nb a", "a\tb", "a b"]
    assert value("distinct(n=1)@laps", [reply(texts[0])]) == pytest.approx(2 / 3)
    for n in (1, 2):
        assert value(f"distinct(n={n})@laps", [reply(text) for text in texts]) == pytest.approx(
            laps_as_the_tool_has_it(texts, n)
        )


def test_laps_beyond_its_budget_is_undefined_in_one_pass_and_has_variants_of_its_own() -> None:
    texts = [" ".join(f"w{(number * 7 + place) % 900}" for place in range(10)) for number in range(702)]
    many = [reply(text) for text in texts]
    assert scores("distinct(n=1)@laps", many[:701])[0].value is not None  # 7,010 words
    beyond = scores("distinct(n=1)@laps", many)[0]  # 7,020 words
    assert beyond.value is None
    assert "distinct@laps_all" in str(beyond.why)
    assert value("distinct(n=1)@laps_all", many) == pytest.approx(900 / 7_020)
    assert laps_distinct(texts, n=1, shuffles=3) == pytest.approx(laps_as_the_tool_has_it(texts, 1, shuffles=3))


def test_the_budget_of_laps_counts_what_is_between_white_space() -> None:
    # 3,506 replies of "a ." have 7,012 pieces and 3,506 words; one more is beyond
    assert scores("distinct(n=1)@laps", [reply("a .")] * 3_506)[0].value == pytest.approx(1 / 3_506)
    assert scores("distinct(n=1)@laps", [reply("a .")] * 3_507)[0].value is None


def test_laps_shuffles_cut_the_last_reply_at_the_budget() -> None:
    # budget 3: one reply whole and one word of the other, whichever comes first: {a, b, c} or {c, d, a}
    assert laps_distinct(["a b", "c d"], n=1, budget=3) == 1.0
    # n=2: a b, or c d; a single word of the second reply has no bigram
    assert laps_distinct(["a b", "c d"], n=2, budget=3) == 1.0
    # budget 3 of "a a" and "b b": {a, b} of 3 tokens in either order
    assert laps_distinct(["a a", "b b"], n=1, budget=3) == pytest.approx(2 / 3)


def test_laps_shuffles_need_no_luck() -> None:
    # one word a reply; 30 of 60 drawn, 2 of each kind: a kind is missed with probability 29/118, so 30 (89/118) expected
    texts = [f"w{number % 30}" for number in range(60)]
    found = laps_distinct(texts, n=1, seed=1, budget=30, shuffles=2000)
    assert found == pytest.approx(89 / 118, abs=0.005)


def test_laps_of_nothing_is_none() -> None:
    assert laps_distinct([], n=1) is None
    assert laps_distinct(["one"], n=2) is None


def test_shares_say_so_and_verbosity_has_no_upper_end() -> None:
    assert get_metric("distinct@ratio").card.high == 1
    assert get_metric("distinct@per_response").card.high is None
    assert get_metric("distinct@per_response").card.unit == "distinct n-grams per reply"
    assert math.isclose(value("distinct(n=1)@chars", [reply(text) for text, _ in PAIRS]), 58 / 17, rel_tol=1e-9)


def test_marks_are_words_of_their_own_and_a_blank_reply_is_a_reply() -> None:
    # "it's up!" is it ' s up !: four bigrams, all different; over two replies, one of them blank.
    replies = [reply("It's up!"), reply(" ")]
    assert value("distinct(n=2)@per_response_marks", replies) == 4 / 2
    assert value("distinct(n=2)@ratio_marks", replies) == 1.0
    assert value("distinct(n=2)@per_response", replies) == 1.0  # "It's up!" alone
