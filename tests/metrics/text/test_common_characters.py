"""Character n-grams in common, of all lengths at once: the same as counted one text and one length at a time."""

from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics.text.common_characters import AT_ONCE, common_characters
from trialogue.metrics.text.overlap import matches

LONGEST = 6
HAN = [chr(0x4E00 + place) for place in range(3000)]  # an alphabet of which six characters do not fit one number
PAIRS = st.lists(st.tuples(st.text("ab"), st.text("abc\ud800é")), max_size=6)


@given(PAIRS)
def test_counts_are_those_of_one_text_after_the_other(pairs: list[tuple[str, str]]) -> None:
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    found = common_characters(left, right, LONGEST)
    assert found.shape == (LONGEST, len(pairs))
    assert found.T.tolist() == [list(matches(a, b, LONGEST)) for a, b in pairs]


def test_an_alphabet_of_thousands_of_characters_and_more_texts_than_are_taken_at_once() -> None:
    texts = ["".join(HAN[(place * step) % len(HAN)] for place in range(200)) for step in range(1, AT_ONCE + 20)]
    found = common_characters(texts, [*texts[3:], "", "", ""], LONGEST)
    assert found.T.tolist() == [
        list(matches(a, b, LONGEST)) for a, b in zip(texts, [*texts[3:], "", "", ""], strict=True)
    ]
    assert len({*"".join(texts)}) > 1 << 10
