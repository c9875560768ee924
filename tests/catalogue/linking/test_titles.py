"""Titles: taking printed ones apart, and the form in which they are compared."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue.linking.titles import ParsedTitle, article_first, parse_title, split_year, title_key, tokens


@pytest.mark.parametrize(
    ("printed", "title", "year", "others"),
    [
        ("Toy Story (1995)", "Toy Story", 1995, ()),
        ("The Shining  (1980)", "The Shining", 1980, ()),
        ("The Patriot(2000)", "The Patriot", 2000, ()),
        ("Runaway Brain (1995) ", "Runaway Brain", 1995, ()),
        ("Death Note: Desu nôto (2006–2007)", "Death Note: Desu nôto", 2006, ()),
        ("Some Series (2006- )", "Some Series", 2006, ()),
        ("Babylon 5", "Babylon 5", None, ()),
        ("1984 (1956)", "1984", 1956, ()),
        ("(1984)", "(1984)", None, ()),
        ("Room (2149)", "Room (2149)", None, ()),
        ("Postman, The (Postino, Il) (1994)", "The Postman", 1994, ("Il Postino",)),
        ("Vitelloni, I (a.k.a. The Young) (1953)", "Vitelloni, I", 1953, ("The Young",)),
        ("Last Man, The (Ultimo uomo, L') (1964)", "The Last Man", 1964, ("L'Ultimo uomo",)),
        ("Crow, The: Wicked Prayer (2005)", "The Crow: Wicked Prayer", 2005, ()),
        ("(500) Days of Summer (2009)", "(500) Days of Summer", 2009, ()),
        ("Evangelion: 1.0 You Are (Not) Alone (2007)", "Evangelion: 1.0 You Are (Not) Alone", 2007, ()),
        ("Birdman: Or (The Unexpected Virtue) (2014)", "Birdman: Or (The Unexpected Virtue)", 2014, ()),
        ("Supercop (Police Story 3) (Jing cha) (1992)", "Supercop", 1992, ("Police Story 3", "Jing cha")),
        ("The Woman in Black (2012 film)", "The Woman in Black", 2012, ()),
        ("Akira ()", "Akira ()", None, ()),
        ("", "", None, ()),
        ("...", "...", None, ()),
    ],
)  # fmt: skip
def test_printed_titles_are_taken_apart(printed: str, title: str, year: int | None, others: tuple[str, ...]) -> None:
    assert parse_title(printed) == ParsedTitle(title, year, others)


def test_an_english_title_that_ends_in_a_foreign_article_stays() -> None:
    assert article_first("Ciao, I") == "Ciao, I"
    assert article_first("Vitelloni, I", foreign=True) == "I Vitelloni"


def test_a_year_is_split_off_and_brackets_before_it_are_not() -> None:
    assert split_year("Amelie (Amélie) (2001)") == ("Amelie (Amélie)", 2001)


@pytest.mark.parametrize(
    "same",
    [
        ("WALL·E", "Wall-E", "wall e"),
        ("Amélie", "AMELIE", "Ame\u0301lie"),
        ("Fast & Furious", "fast and furious"),
        ("Rocky II", "Rocky 2", "rocky two"),
        ("What's Up, Doc?", "whats up doc", "What’s up Doc"),
        ("Dr. Strangelove", "Doctor Strangelove"),
        ("E.T. the Extra-Terrestrial", "ET the extra terrestrial"),
        ("The Fifth Element", "the 5th element"),
        ("Alien³", "alien3"),
        ("Ørnen", "ornen"),
        ("under_score", "under score"),
    ],
)
def test_ways_of_writing_a_title_come_to_the_same(same: tuple[str, ...]) -> None:
    assert len({title_key(title).replace(" ", "") for title in same}) == 1


def test_letters_that_are_roman_numbers_too_stay_letters() -> None:
    assert title_key("I, Robot") != title_key("1 Robot")
    assert title_key("Malcolm X") == "malcolm x"


def test_chinese_japanese_and_korean_characters_are_words() -> None:
    assert [token.form for token in tokens("看过千与千寻吗")] == list("看过千与千寻吗")


def test_a_title_of_punctuation_is_its_own_key() -> None:
    assert title_key(" !!! ") == "!!!"
    assert list(tokens("!!! ... –")) == []


@given(st.text())
def test_tokens_lie_in_order_and_do_not_overlap(text: str) -> None:
    found = list(tokens(text))
    assert all(0 <= token.start < token.end <= len(text) and token.form for token in found)
    assert all(before.end <= after.start for before, after in pairwise(found))


@given(st.text())
def test_a_parsed_title_is_parsed_again_into_itself(text: str) -> None:
    once = parse_title(text)
    if once.title == text.strip():
        assert parse_title(once.title) == once


@given(st.text())
def test_a_key_is_the_key_of_itself(text: str) -> None:
    key = title_key(text)
    assert title_key(key).replace(" ", "") == key.replace(" ", "")  # two ligatures of kana come apart the second time


@pytest.mark.parametrize("text", ["(" * 1_000_000, "a" + "(b) " * 200_000, ", The" * 200_000, " " * 1_000_000 + "x"])
def test_endless_titles_are_parsed_at_once(text: str) -> None:
    start = time.process_time()
    parse_title(text)
    title_key(text)
    assert time.process_time() - start < 5
