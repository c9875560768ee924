"""Trials: what the user says, tools and their errors, and bounds."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tasks.test_outcomes import CATALOGUE, TASK, offer
from trialogue.agents.tools.toolbox import ToolError
from trialogue.catalogue.catalogue import RESULTS, Search
from trialogue.errors import UsageError
from trialogue.tasks import Ends, Task, Trial, Wish, tool_schemas
from trialogue.tasks.environment import TrialEnding
from trialogue.tasks.task import Catalogue, Op, Reveal

WISHES = tuple(
    Wish(field="year", op=op, value=value, reveal=reveal)
    for op, value, reveal in (
        (Op.AT_LEAST, 2000, Reveal.VOLUNTEER),
        (Op.AT_MOST, 2005, Reveal.ON_ASK),
        (Op.UNEQUAL, 2001, Reveal.HIDDEN),
    )
)
ASKED = Task(id="t", wishes=WISHES, user="ann", watched=("seen",))


def test_the_user_says_what_is_volunteered_then_what_is_asked_about_and_hints_only_after_a_rejection() -> None:
    trial = Trial(ASKED, CATALOGUE, ends=Ends.ACCEPTED)
    assert trial.opening.wishes == WISHES[:1]
    assert trial.say("What genre?", asks=["genres"]).wishes == ()
    assert trial.say("Which years?", asks=["year"]).wishes == WISHES[1:2]
    rejected: Any = trial.call(*offer("seen")).result
    assert rejected == {"recommended": "seen", "accepted": False, "hint": WISHES[2].to_json()}
    assert trial.turns_left > 0
    assert trial.call(*offer("good")).result == {"recommended": "good", "accepted": True}
    assert trial.ending is TrialEnding.ACCEPTED
    assert trial.outcome().reward is True


def test_the_first_recommendation_ends_a_trial_whatever_the_user_thinks() -> None:
    trial = Trial(ASKED, CATALOGUE)
    assert trial.call(*offer("old")).result == {"recommended": "old"}
    assert (trial.ending, trial.outcome().reward) == (TrialEnding.RECOMMENDED, False)
    with pytest.raises(UsageError, match="over"):
        trial.say("And this one?")
    assert str(trial.call(*offer("good")).error).startswith(ToolError.TRIAL_OVER.value)
    assert trial.outcome().calls == 1  # what comes after the end is not part of the trial


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("delete_catalog", {}, ToolError.UNKNOWN_TOOL),
        ("search_catalog", {}, ToolError.INVALID_ARGUMENTS),
        ("search_catalog", None, ToolError.INVALID_ARGUMENTS),
        ("search_catalog", {"query": 7}, ToolError.INVALID_ARGUMENTS),
        ("search_catalog", {"query": "x", "limit": 3}, ToolError.INVALID_ARGUMENTS),
        ("get_metadata", ["good"], ToolError.INVALID_ARGUMENTS),
        ("get_metadata", {"item_id": "GOOD"}, ToolError.NO_SUCH_ITEM),
        ("check_availability", {"item_id": "good", "services": "one"}, ToolError.INVALID_ARGUMENTS),
        ("get_user_history", {"user_id": "bob"}, ToolError.NO_SUCH_USER),
        ("recommend", {"item_id": "ghost"}, ToolError.NO_SUCH_ITEM),
    ],
)
def test_errors_are_typed_results_and_end_nothing(name: str, arguments: Any, error: ToolError) -> None:
    trial = Trial(ASKED, CATALOGUE)
    made = trial.call(name, arguments)
    assert made.error is not None
    assert made.error.startswith(f"{error.value}: ")
    assert (made.result, made.arguments, trial.ending) == (None, arguments, None)
    assert trial.outcome().calls == 1


def test_tools_say_what_the_catalogue_and_the_task_hold() -> None:
    trial = Trial(ASKED, CATALOGUE)
    assert trial.call("search_catalog", {"query": "GOOD old"}).result == [
        {"id": "good", "title": "Good"},
        {"id": "old", "title": "Old"},
    ]
    assert trial.call("get_metadata", {"item_id": "away"}).result == CATALOGUE.items["away"]
    assert trial.call("check_availability", {"item_id": "good", "services": ["two", "one"]}).result == {
        "available": True,
        "services": ["one"],
    }
    assert trial.call("get_user_history", {"user_id": "ann"}).result == {"watched": ["seen"]}
    ratings = [trial.call("check_content_preference", {"content_rating": each}).result for each in ("R", "PG-13")]
    assert [each["age_restricted"] for each in ratings if isinstance(each, dict)] == [True, False]
    assert trial.call("recommend", {}).result == {"recommended": None}
    assert trial.ending is TrialEnding.ABSTAINED


def test_turns_and_calls_are_bounded() -> None:
    trial = Trial(ASKED, CATALOGUE, max_turns=3, max_calls=2)
    errors = [trial.call("search_catalog", {"query": "good"}).error for _ in range(3)]
    assert errors[:2] == [None, None]
    assert str(errors[2]).startswith(ToolError.TOO_MANY_CALLS.value)
    for _ in range(3):
        trial.say("Hm.")
    assert (trial.ending, trial.turns_left, trial.outcome().turns) == (TrialEnding.TIMEOUT, 0, 3)


def test_a_played_trial_cannot_be_one_that_was_recorded() -> None:
    with pytest.raises(UsageError, match="recommend"):
        Trial(TASK, CATALOGUE, ends=Ends.RECORDED)


def test_schemas_of_tools_are_those_that_are_enforced() -> None:
    functions = {each["function"]["name"]: each["function"]["parameters"] for each in tool_schemas()}
    assert len(functions) == 6
    assert functions["check_availability"]["required"] == ["item_id", "services"]
    assert all(each["additionalProperties"] is False for each in functions.values())


def test_search_ranks_rare_words_first_and_keeps_the_order_of_equals() -> None:
    items: list[Any] = [{"id": f"i{number}", "title": "the night", "genres": ["Drama"]} for number in range(30)]
    items += [{"id": "rare", "title": "the zebra", "genres": ["Drama"]}]
    search = Search(Catalogue.of(items).items)
    assert search.best("zebra night")[:3] == ["rare", "i0", "i1"]
    assert len(search.best("the")) == RESULTS
    short, long = {"id": "short", "title": "owl"}, {"id": "long", "title": "owl", "overview": "in a wood at night"}
    assert Search(Catalogue.of([long, short]).items).best("owl") == ["short", "long"]  # a word of few weighs more
    assert search.best("unheard of") == search.best("") == []
    # BM25 of one document in 31: log(1 + 30.5 / 1.5) against log(1 + 0.5 / 30.5) for a word of all
    assert search.best("THE zebra")[0] == "rare"
    assert Search(Catalogue.of([]).items).best("x") == []


@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=9), min_size=1, max_size=9), st.sampled_from("abc")
)
def test_search_orders_as_the_formula_of_bm25_does(texts: list[list[str]], word: str) -> None:
    items: list[Any] = [{"id": str(number), "title": " ".join(words)} for number, words in enumerate(texts)]
    holding, mean = sum(word in words for words in texts), sum(map(len, texts)) / len(texts)

    def weight(words: list[str]) -> float:
        times = words.count(word)
        rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        return rarity * times * 2.5 / (times + 1.5 * (0.25 + 0.75 * len(words) / mean))

    ranked = sorted(
        (number for number, words in enumerate(texts) if word in words), key=lambda n: -round(weight(texts[n]), 9)
    )
    found = [round(weight(texts[int(name)]), 9) for name in Search(Catalogue.of(items).items).best(word)]
    assert found == [round(weight(texts[number]), 9) for number in ranked]
