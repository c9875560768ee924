"""The guided recommender, act by act."""

import pytest

from tests.recommenders.material import film_expert, film_ratings, films, intents, named, said, talk_to
from trialogue.agents import Turn
from trialogue_recommenders import GuidedAgent

AGENT = GuidedAgent(films(), film_ratings(), expert=film_expert())
BURST = ["Show", "List", "List", "Suggest"]


def after(*texts: str) -> Turn:
    return talk_to(AGENT, *texts)[-1]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["hi"], ["Elicit"]),
        (["ok"], ["Elicit"]),
        (["help"], ["Inquire"]),
        (["The Matrix"], ["Elicit"]),
        (["The Matrix", "the robots"], BURST),
        (["The Matrix", "I don't know"], BURST),
        (["The Matrix, because of the robots"], BURST),
        (["I liked the dark night because of the acting"], BURST),
        (["a thriller"], BURST),
        (["a thriller", "from the 90s"], BURST),
        (["a thriller", "another"], ["Similar", "List", "List", "Suggest"]),
        (["a thriller", "I have seen both"], ["Similar", "List", "List", "Suggest"]),
        (["a thriller", "not for me"], ["List", "List", "Suggest"]),
        (["a thriller", "no violence, no horror"], ["List", "List", "Suggest"]),
        (["a thriller", "the second one"], ["Record"]),
        (["a thriller", "I like it"], ["Record"]),
        (["a thriller", "friday evening"], ["Record"]),
        (["a thriller", "yes"], ["Record"]),
        (["a thriller", "no"], ["Elicit"]),
        (["a thriller", "Let's go with Titanic"], ["Record"]),
        (["a thriller", "I love Titanic"], ["Elicit"]),
        (["a thriller", "what were they again?"], ["List"]),
        (["a thriller", "who directed the first one?"], ["More"]),
        (["a thriller", "tell me more"], ["More"]),
        (["a thriller", "how long is it?"], ["Fail"]),
        (["a thriller", "you took me wrong"], ["Back"]),
        (["a thriller", "start over"], ["Back"]),
        (["a thriller", "I'll take it, bye"], ["Record", "End"]),
        (["a thriller", "thanks"], ["End"]),
        (["bye"], ["End"]),
        (["recommend me something"], ["Elicit"]),
        (["recommend me something", "any film"], ["List", "List", "Suggest"]),
        (["Xyzzy Plugh"], ["Elicit"]),
        (["why?"], ["Fail"]),
    ],
)
def test_each_act_of_the_user_has_its_answer(texts: list[str], expected: list[str]) -> None:
    assert intents(after(*texts)) == expected


def test_it_recommends_what_is_like_the_liked_film_and_its_reason() -> None:
    turn = after("Alien, because it is scary")
    for item_id in named(turn):
        assert "Horror" in films()[item_id].attributes["genre"]
    assert "alien-1979" not in named(turn)


def test_what_is_not_wanted_stays_unwanted_whatever_film_comes_next() -> None:
    turns = talk_to(AGENT, "a thriller", "no horror please", "I like Alien because it is tense", "more", "more", "more")
    offered = [item_id for turn in turns[1:] for item_id in named(turn)]
    assert len(offered) >= 8
    assert not [item_id for item_id in offered if "Horror" in films()[item_id].attributes["genre"]]


def test_a_burst_names_two_films_each_with_what_is_behind_it() -> None:
    turn = after("a western")
    first, second = (utterance for utterance in turn.utterances if utterance.ranking is not None)
    assert (first.ranking or ())[1:] == (second.ranking or ())
    assert len(first.ranking or ()) == 20
    assert len(named(turn)) == 2


def test_the_record_says_what_and_when() -> None:
    turns = talk_to(AGENT, "a western", "the last one, on friday evening")
    assert "on Friday evening" in said(turns[-1])
    assert named(turns[-1]) == named(turns[0])[-1:]


def test_what_they_have_seen_and_liked_counts() -> None:
    first, second = talk_to(AGENT, "a western", "I have seen both, I loved them")
    assert not set(named(first)) & set(named(second))


def test_it_says_so_when_nothing_is_all_that_is_wanted() -> None:
    assert any(said(turn) for turn in [after("a western with Meryl Streep from the 30s")])
    text = said(after("a western with Meryl Streep from the 30s"))
    assert "closest" in text or "bend the rules" in text


def test_an_unknown_title_is_repeated_to_the_user_if_it_is_short() -> None:
    assert '"Xyzzy Plugh"' in said(after("I like Xyzzy Plugh"))
    assert "plugh" not in said(after("xyzzy " + "plugh " * 30))
