"""The genre-led recommender, act by act."""

from functools import cache

import pytest

from tests.recommenders.material import film_expert, film_ratings, films, intents, named, said, talk_to
from trialogue.agents import Turn
from trialogue_recommenders import GenreLedAgent


@cache
def agent() -> GenreLedAgent:
    return GenreLedAgent(films(), film_ratings(), expert=film_expert())


def after(*texts: str) -> Turn:
    return talk_to(agent(), *texts)[-1]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["hi"], ["Elicit"]),
        (["yes"], ["Elicit"]),
        (["help"], ["Show"]),
        (["recommend me something"], ["Elicit"]),
        (["recommend me something", "any film"], ["List"]),
        (["recommend me something", "what should I watch?"], ["List"]),
        (["surprise me"], ["List"]),
        (["horror"], ["List"]),
        (["something scary"], ["List"]),
        (["with Tom Hanks"], ["List"]),
        (["from the 80s"], ["List"]),
        (["I loved Titanic"], ["List"]),
        (["I like the dark night"], ["List"]),
        (["a film about samurai"], ["List"]),
        (["Xyzzy Plugh"], ["Elicit"]),
        (["horror", "yes"], ["Elicit-review"]),
        (["horror", "I have seen it"], ["Elicit-review"]),
        (["horror", "yes", "8"], ["List"]),
        (["horror", "yes", "it was boring"], ["List"]),
        (["horror", "yes", "I forgot"], ["Similar"]),
        (["horror", "yes", "who directed it?"], ["Repeat"]),
        (["horror", "seen it, loved it"], ["List"]),
        (["horror", "no"], ["Repeat"]),
        (["horror", "no", "no"], ["Repeat"]),
        (["horror", "never seen it. What is it about?"], ["Repeat"]),
        (["horror", "who directed it?"], ["Repeat"]),
        (["horror", "budget"], ["Fail"]),
        (["horror", "tell me more"], ["Repeat"]),
        (["horror", "what else"], ["More"]),
        (["horror", *["tell me more"] * 7], ["More"]),
        (["horror", "another"], ["Similar"]),
        (["horror", "anything else?"], ["Similar"]),
        (["horror", "I don't like it"], ["List"]),
        (["horror", "no horror"], ["List"]),
        (["horror", "comedy"], ["List"]),
        (["horror", "I'll watch it"], ["Repeat"]),
        (["horror", "sounds good", "ok"], ["Repeat"]),
        (["horror", "sounds good", "thanks"], ["End"]),
        (["horror", "start over"], ["Elicit"]),
        (["horror", "why so blue?"], ["Fail"]),
        (["bye"], ["End"]),
    ],
)
def test_each_act_of_the_user_has_its_answer(texts: list[str], expected: list[str]) -> None:
    assert intents(after(*texts)) == expected


def test_one_film_at_a_time_and_of_the_genre() -> None:
    for turn in talk_to(agent(), "western", "another", "another"):
        (item_id,) = named(turn)
        assert "Western" in films()[item_id].attributes["genre"]


def test_a_new_genre_takes_the_place_of_the_old_one_and_also_adds_one() -> None:
    (changed,) = named(after("western", "comedy"))
    assert "Comedy" in films()[changed].attributes["genre"]
    (both,) = named(after("comedy", "I also like romance"))
    assert {"Comedy", "Romance"} <= set(films()[both].attributes["genre"])


def test_a_genre_and_a_name_go_together() -> None:
    (item_id,) = named(after("comedy", "with Tom Hanks"))
    attributes = films()[item_id].attributes
    assert "Comedy" in attributes["genre"]
    assert "Tom Hanks" in attributes["actor"]


def test_reviews_change_what_comes_next() -> None:
    liked = recommended_after("I loved it")
    disliked = recommended_after("I hated it")
    assert liked != disliked


def recommended_after(review: str) -> tuple[str, ...]:
    (utterance,) = after("horror", "yes", review).utterances
    return utterance.ranking or ()


def test_an_acceptance_sums_up_the_film_that_was_chosen() -> None:
    offered, chosen = talk_to(agent(), "western", "I'll watch it")
    assert named(chosen) == named(offered)
    item = films()[named(offered)[0]]
    assert item.description is not None
    assert item.description in said(chosen)
