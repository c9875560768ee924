"""Parts of replies: sentences and slots, with offsets into the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue.layout import Layout, filling_of, layout_of, plain_text


def slots(text: str) -> list[tuple[str, str]]:
    laid_out = layout_of(plain_text(text).text)
    return [(part.layout.value, laid_out.text[slice(*filling_of(laid_out.text, part))]) for part in laid_out.slots]


@pytest.mark.parametrize(
    "mark", ["1.", "1)", "(1)", "#1", "1 -", "1:", "①", "1️⃣", "-", "*", "•", "–", "🎬", "**1.**", "Option 1:"]
)
def test_a_mark_makes_an_item_of_its_line(mark: str) -> None:
    assert slots(f"Try this:\n{mark} Qux Quux (1999) - a tale") == [("list item", "Qux Quux")]


@pytest.mark.parametrize(
    "text",
    [
        "1. Qux 2. Quux",
        "See: 1) Qux, 2) Quux",
        "(1) Qux (2) Quux",
        "• Qux • Quux",
        "a) Qux b) Quux",
        "1. Qux\n2. Quux",
        "1. Qux\n\n   Quite short.\n\n2. Quux",
        "- **Qux**\n- *Quux*",
        "<ol><li>Qux</li><li>Quux</li></ol>",
        "### Qux\n### Quux",
    ],
)
def test_lists_on_one_line_or_on_many_have_the_same_items(text: str) -> None:
    assert [slot for slot in slots(text) if slot[0] == "list item"] == [("list item", "Qux"), ("list item", "Quux")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"title": "Qux", "genre": "Quux"}', [("value", "Qux")]),
        ("['Qux', \"It's Quux\"]", [("value", "Qux"), ("value", "It's Quux")]),
        ('{"films": ["Qux", {"name": "Quux"}', [("value", "Qux"), ("value", "Quux")]),  # cut off
        ("| Film | Genre |\n|---|---|\n| Qux | Quux |", [("table cell", "Qux")]),
        ("Title: Qux\nGenre: Quux", [("value", "Qux")]),
        ("Qux\nQuux", [("line", "Qux"), ("line", "Quux")]),
    ],
)
def test_labels_tell_which_slots_can_hold_titles(text: str, expected: list[tuple[str, str]]) -> None:
    assert slots(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Qux is fine.",
        "2012. What a year!",
        "At 3:10 pm, 9/10",
        "I saw 1. Qux",
        "Is it (a) Qux or (c) Quux?",
        "Qux: Quux",
    ],
)
def test_sentences_have_no_slots(text: str) -> None:
    assert slots(text) == []


@given(st.text(alphabet="\n|*_`<>[]{}\"':,.-0123456789#() aQuxli•①\u20e3", max_size=80))
def test_parts_are_in_order_and_apart_and_no_character_moves(text: str) -> None:
    laid_out = layout_of(text)
    assert len(laid_out.text) == len(text)
    for part in laid_out.parts:
        start, end = filling_of(laid_out.text, part)
        assert 0 <= part.start <= start <= end <= part.end <= len(text)
    assert all(before.end <= after.start for before, after in pairwise(laid_out.parts))


def test_a_row_is_the_line_or_the_object() -> None:
    text = '[{"title": "Qux", "year": 1999}, {"title": "Quux", "year": 2001}]'
    rows = [text[slice(*part.row)] for part in layout_of(text).slots]
    assert rows == ['{"title": "Qux", "year": 1999}', '{"title": "Quux", "year": 2001}']


def test_prose_is_one_part() -> None:
    [part] = layout_of("Qux is fine.").parts
    assert (part.layout, part.start, part.end) == (Layout.PROSE, 0, 12)
