"""Finding titles where a corpus says they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets.corpora.mentions import find_quoted_titles, forms, locate, locate_titles, tidy_title


def test_the_exact_form_comes_before_the_form_without_year() -> None:
    text = "Tin Moon or Tin Moon (1987)?"
    assert locate("Tin Moon (1987)", text) == (12, 27)
    assert locate("Tin Moon (1999)", text) == (0, 8)


def test_the_same_case_comes_before_any_other() -> None:
    assert locate("It (1990)", "it was It") == (7, 9)
    assert locate("It (1990)", "it was fun") == (0, 2)


def test_titles_are_whole_words() -> None:
    assert locate("Elf (2003)", "find yourself") is None
    assert locate("Elf (2003)", "(elf)") == (1, 4)
    assert locate("Shazam! (2019)", "Shazam!!") == (0, 7)


def test_years_of_any_kind_and_other_titles_may_be_missing_in_the_text() -> None:
    assert list(forms("Night Ferry (2003 film)")) == ["Night Ferry (2003 film)", "Night Ferry"]
    assert list(forms("Office ()")) == ["Office ()", "Office"]
    assert list(forms("(1987)")) == ["(1987)"]  # nothing would be left


def test_letters_that_grow_when_lowered_do_not_shift_offsets() -> None:
    text = "İİİ tin moon"  # each İ is two characters in lower case
    span = locate("tin moon", text)
    assert span == (4, 12)
    assert locate("Tin Moon", text) is None  # only found in another case, where offsets would be wrong


def test_mentions_keep_the_title_as_the_corpus_writes_it() -> None:
    [mention] = locate_titles(["Tin Moon (1987)"], "tin moon!")
    assert (mention.title, mention.start, mention.end, mention.item_id) == ("Tin Moon (1987)", 0, 8, None)


def test_quoted_titles_are_found_with_and_without_year_and_closing_quote() -> None:
    text = '"Tin Moon(1987)" and "Night Ferry " and @Harbour (2001)" and "so-so" and "Lost (1999) maybe'
    assert [mention.title for mention in find_quoted_titles(text)] == [
        "Tin Moon (1987)",
        "Night Ferry",
        "Harbour (2001)",
        "Lost (1999)",
    ]
    assert find_quoted_titles("") == find_quoted_titles('"') == find_quoted_titles('""') == ()


@given(st.text(alphabet='aB "@()19', max_size=30))
def test_offsets_are_within_the_text_and_hold_the_title(text: str) -> None:
    for mention in find_quoted_titles(text):
        assert mention.start is not None
        assert tidy_title(text[mention.start : mention.end]) == mention.title


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_a_title_between_spaces_is_always_found(before: str, title: str, after: str) -> None:
    if title.strip():
        span = locate(title.strip(), f"{before} {title.strip()} {after}")
        assert span is not None


@pytest.mark.parametrize("written", ["Ame\u0301lie", "Am\u00e9lie", "Ame\u0301\u200blie", "AME\u0301LIE"])
def test_a_title_is_located_however_its_accents_are_written(written: str) -> None:
    text = f"Have you seen {written}? I saw {written}."
    first = locate("Am\u00e9lie (2001)", text)
    assert first is not None
    assert text[slice(*first)] == written
    second = locate("Ame\u0301lie (2001)", text, start=first[1])
    assert second is not None
    assert text[slice(*second)] == written
    assert second[0] > first[1]
