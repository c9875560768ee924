"""The item-centred recommender, act by act."""

import pytest

from tests.recommenders.material import film_expert, film_ratings, films, intents, named, said, talk_to
from trialogue.agents import Turn
from trialogue_recommenders import ItemCentredAgent

AGENT = ItemCentredAgent(films(), film_ratings(), expert=film_expert())


def after(*texts: str) -> Turn:
    return talk_to(AGENT, *texts)[-1]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["hi"], ["Elicit"]),
        (["help"], ["Elicit"]),
        (["recommend me something"], ["Elicit"]),
        (["surprise me"], ["List"]),
        (["Heat"], ["Show"]),
        (["it"], ["Show"]),
        (["harry pottter"], ["Show"]),
        (["I loved Titanic"], ["Show"]),
        (["lord of the rings"], ["Clarify"]),
        (["lord of the rings", "2"], ["Show"]),
        (["lord of the rings", "9"], ["Clarify"]),
        (["lord of the rings", "none of these"], ["Elicit"]),
        (["lord of the rings", "Heat"], ["Show"]),
        (["Xyzzy Plugh"], ["Elicit"]),
        (["Heat", "genre"], ["Repeat"]),
        (["Heat", "who directed it and when?", "and the year?"], ["Repeat"]),
        (["Heat", "who directed it and what year is it?"], ["Repeat", "Repeat"]),
        (["Heat", "budget"], ["Elicit"]),
        (["Heat", "tell me more"], ["Repeat"]),
        (["Heat", "is it a comedy?"], ["Repeat"]),
        (["who directed Heat?"], ["Repeat"]),
        (["Heat", "recommend similar films"], ["List"]),
        (["Heat", "recommend similar films", "more"], ["Similar"]),
        (["Heat", "recommend similar films", "others please"], ["Similar"]),
        (["something like Heat"], ["List"]),
        (["Heat", "similar", "1"], ["Subset"]),
        (["Heat", "similar", "the last one"], ["Subset"]),
        (["Heat", "similar", "who directed number 2?"], ["Repeat"]),
        (["Heat", "similar", "0"], ["Clarify"]),
        (["Heat", "I like it"], ["Record"]),
        (["Heat", "I'll watch it"], ["Record"]),
        (["Heat", "similar", "I like them"], ["Record"]),
        (["Heat", "I don't like it"], ["List"]),
        (["Heat", "similar", "none of them"], ["List"]),
        (["Heat", "no"], ["Elicit"]),
        (["not Heat"], ["List"]),
        (["Heat", "is there a horror film?"], ["List"]),
        (["a film with Tom Hanks"], ["List"]),
        (["Heat", "similar", "show them again"], ["List"]),
        (["Heat", "new search"], ["Elicit"]),
        (["Heat", "thanks"], ["End"]),
        (["Heat", "ok, thanks"], ["Record"]),
        (["Heat", "ok, thanks", "thanks"], ["End"]),
        (["bye"], ["End"]),
    ],
)
def test_each_act_of_the_user_has_its_answer(texts: list[str], expected: list[str]) -> None:
    assert intents(after(*texts)) == expected


def test_a_number_opens_what_stands_behind_it() -> None:
    listed, opened = talk_to(AGENT, "something like Heat", "2")
    assert named(opened) == [[item_id for item_id in named(listed) if item_id != "heat-1995"][1]]


def test_a_title_of_the_list_opens_it_too() -> None:
    (listed,) = talk_to(AGENT, "something like Heat")
    title = films()[named(listed)[-1]].title
    assert intents(after("something like Heat", title)) == ["Subset"]


def test_similar_films_are_three_and_like_the_one_that_is_open() -> None:
    turn = after("Toy Story", "similar films please")
    similar = [item_id for item_id in named(turn) if item_id != "toy-story-1995"]
    assert len(similar) == 3
    assert "toy-story-2-1999" in similar


def test_wishes_are_kept_to() -> None:
    turn = after("a scary film from the 80s")
    for item_id in named(turn):
        assert "Horror" in films()[item_id].attributes["genre"]
        assert 1980 <= (films()[item_id].year or 0) <= 1989


def test_telling_more_goes_through_all_that_is_known_and_then_says_so() -> None:
    turns = talk_to(AGENT, "Heat", *["tell me more"] * 8)
    messages = [said(turn) for turn in turns[1:]]
    assert any("Michael Mann" in text for text in messages)
    assert any("1995" in text for text in messages)
    assert intents(turns[-1]) == ["Elicit"]


def test_answers_are_about_the_film_that_is_asked_about() -> None:
    assert "Michael Mann" in said(after("Titanic", "who directed Heat?"))
    assert "James Cameron" in said(after("Titanic", "who directed it?"))
