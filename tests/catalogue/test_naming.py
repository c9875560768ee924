"""How titles are named: a recommendation, a question, a warning or a comparison."""

import pytest

from trialogue.catalogue.naming import Naming, namings_in
from trialogue.records import Mention


def naming(text: str, title: str = "Heat", *others: str) -> str:
    places = [
        Mention(title=each, start=text.index(each), end=text.index(each) + len(each)) for each in (title, *others)
    ]
    return namings_in(text, places)[0].value


@pytest.mark.parametrize(
    "text",
    [
        "Heat",
        "How about Heat?",
        "What about Heat?",
        "There is Heat. Have you seen it?",
        "Why not try Heat?",
        "You can't go wrong with Heat!",
        "Would you like to watch Heat tonight?",
        "You might like Heat.",
        "I think you will love Heat.",
        "Here is what I have:\n1. Alien\n2. Heat\nPick a number.",
        "My tip: Heat. Not everybody knows it.",
        "If you have not seen Heat, do it now.",
        "If you like crime, Heat is for you.",
    ],
)
def test_what_is_put_forward_is_recommended(text: str) -> None:
    assert naming(text) == Naming.RECOMMENDED


@pytest.mark.parametrize(
    "text",
    [
        "Have you seen Heat?",
        "Have you already watched Heat (1995)?",
        "Did you like Heat?",
        "Do you know Heat?",
        "What did you think of Heat?",
        "Do you mean Heat?",
        "Which one do you mean?\n1. Alien\n2. Heat",
        "What is it that you like about Heat?",
    ],
)
def test_what_the_other_one_is_asked_about_is_not(text: str) -> None:
    assert naming(text) == Naming.ASKED


@pytest.mark.parametrize(
    "text",
    ["Not Heat, please.", "I would never recommend Heat.", "Avoid Heat.", "Don't watch Heat.", "Anything except Heat"],
)
def test_what_is_spoken_against_is_not(text: str) -> None:
    assert naming(text) == Naming.AGAINST


@pytest.mark.parametrize(
    "text",
    [
        "Since you liked Heat, try something else.",
        "Films like Heat are rare.",
        "This is similar to Heat.",
        "People who like Heat also like trains.",
        "It is better than Heat.",
        "From the director of Heat.",
    ],
)
def test_what_something_is_compared_with_is_not(text: str) -> None:
    assert naming(text) == Naming.COMPARED


def test_punctuation_inside_of_titles_ends_no_sentence() -> None:
    text = "Have you seen Who? What! or Heat?"
    assert naming(text, "Heat", "Who? What!") == Naming.ASKED
    assert naming("Not Who? What! but Heat.", "Heat") == Naming.RECOMMENDED


def test_without_a_place_an_item_counts_as_recommended() -> None:
    assert namings_in("Have you seen Heat?", [Mention(title="Heat")]) == [Naming.RECOMMENDED]
    assert namings_in("", [Mention(title="Heat", start=3, end=9)]) == [Naming.RECOMMENDED]


def test_a_text_of_marks_takes_time_by_its_length_alone() -> None:
    """A hundred thousand marks took minutes as long as every mark began a search for the end of its run."""
    text = "?" * 100_000 + " Try Heat."
    start = text.index("Heat")
    assert namings_in(text, [Mention(title="Heat", start=start, end=start + 4)]) == [Naming.RECOMMENDED]
