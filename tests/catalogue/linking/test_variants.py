"""Forms of titles: what people leave out, and what is no title any more."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue import OTHER_TITLES, Item
from trialogue.catalogue.linking.titles import tokens
from trialogue.catalogue.linking.variants import ARTICLES, FULL, OTHER, PART, variants


def forms(title: str, *others: str) -> dict[str, int]:
    item = Item(id="1", title=title, attributes={OTHER_TITLES: others} if others else {})
    found: dict[str, int] = {}
    for variant in variants(item):
        found.setdefault(" ".join(variant.forms), variant.kind)
    return found


def test_the_article_may_be_left_out() -> None:
    assert forms("The Matrix") == {"the matrix": FULL, "matrix": FULL}
    assert forms("The") == {"the": FULL}


def test_what_stands_before_and_behind_a_colon_may_stand_alone() -> None:
    found = forms("The Lord of the Rings: The Two Towers")
    assert found["the lord of the rings the 2 towers"] == FULL
    assert {name for name, kind in found.items() if kind == PART} == {
        "the lord of the rings", "lord of the rings", "the 2 towers", "2 towers",
    }  # fmt: skip


def test_of_three_pieces_the_middle_one_may_be_left_out() -> None:
    assert forms("Star Wars: Episode IV - A New Hope")["star wars a new hope"] == PART


def test_a_piece_that_says_nothing_is_no_form() -> None:
    assert set(forms("Alien: The Movie")) == {"alien the movie", "alien"}
    assert set(forms("Alien: Part II")) == {"alien part 2", "alien 2", "alien"}


def test_the_word_that_counts_may_be_left_out_before_a_number() -> None:
    assert "it 2" in forms("It: Chapter Two")
    assert set(forms("Part II")) == {"part 2"}  # nothing would be left


def test_a_letter_at_the_end_may_be_a_roman_number() -> None:
    assert {"rocky v", "rocky 5"} == set(forms("Rocky V"))
    assert {"malcolm x", "malcolm 10"} == set(forms("Malcolm X"))
    assert {"v for vendetta"} == set(forms("V for Vendetta"))


def test_an_or_before_the_subtitle_is_left_out() -> None:
    assert "dr strangelove" in forms("Dr. Strangelove or: How I Learned to Stop Worrying")


def test_other_titles_and_those_in_brackets_have_forms() -> None:
    assert forms("Amélie (Le Fabuleux Destin)", "Amelie from Montmartre") == {
        "amelie": FULL, "le fabuleux destin": OTHER, "amelie from montmartre": OTHER,
    }  # fmt: skip


@pytest.mark.parametrize("title", ["", "...", "!?", "word " * 61])
def test_a_title_without_words_or_with_too_many_has_no_form(title: str) -> None:
    assert forms(title) == {}


@given(st.text())
def test_the_first_form_is_all_words_of_the_title(title: str) -> None:
    found = list(variants(Item(id="1", title=title)))
    words = tuple(token.form for token in tokens(title))
    if found and "(" not in title and "or" not in words and not title.endswith("'") and "," not in title:
        assert found[0].forms == words
    assert all(variant.forms and all(variant.forms) for variant in found)
    two_articles = any({one, other} <= ARTICLES for one, other in pairwise(words))  # "the the": a name, not an article
    assert two_articles or all(variant.forms[0] not in ARTICLES or not variant.bare for variant in found)
