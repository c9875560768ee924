"""Text from elsewhere, made fit to show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.records import MeasureName
from trialogue.render.measures import labels, pieces
from trialogue.render.text import columns, one_line, printable, shorten, slug

ANY = st.text(st.characters(exclude_categories=()))  # lone surrogates and control characters included


@given(ANY)
def test_printable_text_can_always_be_encoded_and_keeps_its_length(text: str) -> None:
    clean = printable(text)
    clean.encode()
    assert len(clean) == len(text)
    assert "\x1b" not in clean


@given(ANY, st.integers(4, 40))
def test_shortened_text_fits(text: str, longest: int) -> None:
    assert columns(shorten(text, longest)) <= longest


@given(ANY)
def test_a_line_is_one_line_that_nothing_turns_around(text: str) -> None:
    assert not set(one_line(text)) & set("\n\r\u2028\u202e\u2067")


@given(ANY)
def test_a_slug_is_a_file_name(text: str) -> None:
    assert slug(text).replace("-", "").isalnum()
    assert slug(text).isascii()


@given(ANY)
def test_pieces_of_a_name_make_the_name_and_are_short(name: str) -> None:
    found = pieces(name)
    assert "".join(found) == name.expandtabs() or any(char.isspace() for char in name)
    assert all(len(piece) <= 20 for piece in found)


def test_wide_characters_count_two_columns_and_combining_ones_none() -> None:
    assert columns("系统") == 4
    assert columns("e\u0301") == 1


def test_variants_of_one_title_are_distinguished() -> None:
    from tests.render.made import nine

    found = labels(nine().leagues)
    assert found["distinct(n=2)@ratio|v1"] == "Distinct-n (ratio)"
    assert found["distinct(n=2)@per_response|v1"] == "Distinct-n (per response)"
    assert found["human:satisfaction"] == "Satisfaction"
    assert len(set(found.values())) == len(found)
    assert MeasureName("bleu(n=4)@crslab|v2").detail == "n = 4, crslab"


@pytest.mark.parametrize("mark", ["\u202a", "\u202b", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"])
def test_a_mark_that_would_turn_the_numbers_after_a_name_has_no_effect(mark: str) -> None:
    """In the tooltips of figures, where no element isolates a name, evil: 9.00 was shown as 00.9 :live."""
    assert printable(f"{mark}evil: 9.00") == "\u2060evil: 9.00"


def test_isolates_that_are_closed_stay() -> None:
    closed = "\u2068\u05e9\u05dc\u05d5\u05dd\u2069: 9.00"
    assert printable(closed) == closed
    assert printable(f"\u2067 {closed}") == f"\u2060 {closed}"
