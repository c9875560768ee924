"""Titles that a text presents, whether anybody has them or not."""

import random

import pytest

from trialogue.catalogue.presenting.presented import Sign, presented_titles

FIRST = ("Midnight", "Silver", "Crimson", "Hollow", "Paper", "Velvet", "Broken", "Zodiac", "Winter", "Quiet")
SECOND = ("Harbor", "Lantern", "Kings", "Orchard", "Ledger", "Mirror", "Sparrow", "Station", "Riddle", "Anthem")
FORMS = (
    "I would recommend {0}.",
    "Have you seen {0} or {1}?",
    'You could try "{0}" or "{1}".',
    "1. {0}\n2. {1}\n3. {2}",
    "Here are some ideas:\n- **{0}**: a slow drama\n- **{1}**: a comedy",
    "If you like noir, check out {0} ({year}).",
    "How about {0}, {1} and {2}?",
    "{0} ({year}) is a great choice, and so is {1} ({year}).",
    '[{{"title": "{0}"}}, {{"title": "{1}"}}]',
    '["{0}", "{1}"]',
    "| Title | Year |\n|---|---|\n| {0} | {year} |\n| {1} | {year} |",
    "Je vous conseille « {0} ».",
    "Then you'll love *{0}*, a film by Ann Lee.",
)


@pytest.mark.parametrize("form", FORMS)
def test_invented_titles_are_found_in_every_form(form: str) -> None:
    rng = random.Random(7)
    for _ in range(40):
        names = [f"{rng.choice(('', 'The '))}{a} {rng.choice(SECOND)}" for a in rng.sample(FIRST, 3)]
        year = rng.randint(1950, 2020)
        text = form.format(*names, year=year)
        found = presented_titles(text)
        assert [each.title for each in found] == [name for place, name in enumerate(names) if f"{{{place}}}" in form]
        assert all(text[each.start : each.end] == each.title for each in found)
        dated = "({year})" in form
        assert {each.year for each in found} == {year if dated else None}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello! What kind of films do you like? Action, Comedy or Drama?",
        "I love movies with Tom Hanks and Brad Pitt.",
        "It stars Emma Thompson and was directed by Christopher Nolan.",
        "Do you like Science Fiction movies?",
        "My name is Anna, and I live in New York.",
        "You can watch it on Netflix or Amazon Prime.",
        "1. Action\n2. Comedy\n3. Drama",
        "1. Open the app\n2. Choose a film\n3. Enjoy it",
        '{"genre": "Silent Comedy", "director": "Anna Lee"}',
        "WHAT ABOUT ACTION MOVIES HAVE YOU SEEN ANY",
        "I have seen it 3 times, in the 80s and for 3.99.",
        'She said "I will be back" and left.',
        "Great! Thanks. Enjoy the movie! Goodbye.",
    ],
)
def test_what_is_no_title_is_left_alone(text: str) -> None:
    assert presented_titles(text) == ()


def test_books_in_chinese_and_japanese_marks_are_titles() -> None:
    found = presented_titles("我推荐《流浪地球》和《三体》。")
    assert [(each.title, each.sign) for each in found] == [("流浪地球", Sign.QUOTED), ("三体", Sign.QUOTED)]


def test_offsets_are_those_of_the_text_as_it_was_written() -> None:
    text = "Try\u00a0the film \u201cMidnight\u200b Harbor\u201d &amp; enjoy."
    (found,) = presented_titles(text)
    assert found.title == "Midnight Harbor"
    assert text[found.start : found.end] == "Midnight\u200b Harbor"


def test_what_the_caller_knows_to_be_no_title_is_left_out() -> None:
    text = "I recommend Space Opera."
    assert [each.title for each in presented_titles(text)] == ["Space Opera"]
    assert presented_titles(text, is_no_title=lambda words: words == "space opera") == ()


def test_long_words_behind_a_title_are_read_once() -> None:
    behind = " ".join(5 * ["honorificabilitudinitatibus"])  # 27 letters: going back into each would take 27**5 steps
    text = f"Here is one that you may like and that all of us have seen. Glass Harbor is {behind}"
    assert [each.title for each in presented_titles(f"{text} film.")] == ["Glass Harbor"]
    assert [each.title for each in presented_titles(f"{text} thing.")] == ["Glass Harbor"]
