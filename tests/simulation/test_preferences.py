import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.made import film_ratings, films, rng
from trialogue.catalogue import Catalogue, Item
from trialogue.errors import UnknownNameError
from trialogue.simulation.preferences import KnowledgeGraph, SingleItem, preferences
from trialogue.simulation.profiles import DISLIKED, LIKED, NEUTRAL, Profile, Profiles

MIXED = Catalogue.from_items(
    Item(id=item, title=item.upper(), attributes={"genre": tuple(genres)})
    for item, genres in {
        "a": ["good"],
        "b": ["good", "bad"],
        "c": ["bad"],
        "new good": ["good"],
        "new bad": ["bad"],
        "new both": ["good", "bad"],
        "new strange": ["other"],
        "new bare": [],
    }.items()
)
PROFILE = Profile("ann", {"a": 5.0, "b": 4.0, "c": 0.5}, MIXED)  # good: (5+4)/2 = 4.5, bad: (4+0.5)/2 = 2.25


def graph(rule: str = "mean") -> KnowledgeGraph:
    return KnowledgeGraph(PROFILE, MIXED, unseen=rule)  # type: ignore[arg-type]


def test_what_is_in_the_profile_is_seen_and_nothing_else() -> None:
    for model in (SingleItem(PROFILE), graph()):
        assert [item for item in MIXED if model.has_seen(item)] == ["a", "b", "c"]


def test_a_single_item_user_tosses_a_coin_each_time() -> None:
    model, drawn = SingleItem(PROFILE), rng(2)
    opinions = [model.opinion("a", drawn) for _ in range(400)]
    assert set(opinions) == {LIKED, DISLIKED}
    assert abs(opinions.count(LIKED) - 200) < 50  # five binomial deviations of 10
    assert not model.decides


def test_a_knowledge_graph_judges_known_items_by_their_rating() -> None:
    assert [graph().opinion(item, rng()) for item in "abc"] == [LIKED, LIKED, DISLIKED]


def test_it_judges_other_items_by_the_mean_of_their_known_attribute_values() -> None:
    opinions = {item: graph().opinion(item, rng()) for item in MIXED if item.startswith("new")}
    assert opinions == {
        "new good": LIKED,  # 4.5
        "new bad": NEUTRAL,  # 2.25 is above 2
        "new both": NEUTRAL,  # (4.5 + 2.25) / 2 = 3.375
        "new strange": NEUTRAL,  # nothing known
        "new bare": NEUTRAL,
    }
    assert graph().opinion("not in the catalogue", rng()) == NEUTRAL


def test_the_released_rule_takes_not_knowing_for_liking() -> None:
    rule = graph("sum")
    assert {rule.opinion(item, rng()) for item in ("new good", "new bad", "new strange", "nowhere")} == {LIKED}
    sour = KnowledgeGraph(Profile("bob", {"c": 1.0, "a": 5.0}, MIXED), MIXED, unseen="sum")
    assert sour.opinion("new bad", rng()) == DISLIKED
    assert sour.opinion("new both", rng()) == LIKED  # one liked, one disliked: the sum is 0


@given(seed=st.integers(0, 2**32), rule=st.sampled_from(["mean", "sum"]))
def test_opinions_of_a_knowledge_graph_never_change(seed: int, rule: str) -> None:
    profile = Profiles(film_ratings(), films()).sample(rng(seed))
    model = KnowledgeGraph(profile, films(), unseen=rule)  # type: ignore[arg-type]
    items = list(films())[seed % 400 :][:20]
    first = [model.opinion(item, rng(1)) for item in items]
    assert [model.opinion(item, rng(2)) for item in items] == first


def test_wanted_items_are_liked_ones_and_rather_new_ones() -> None:
    for model in (SingleItem(PROFILE), graph()):
        assert {model.wanted_item(rng(seed)) for seed in range(30)} == {"a", "b"}
        assert {model.wanted_item(rng(seed), but={"a"}) for seed in range(30)} == {"b"}
        assert model.wanted_item(rng(), but={"a", "b"}) in {"a", "b"}


def test_somebody_who_likes_nothing_names_the_best_they_rated() -> None:
    assert SingleItem(Profile("u", {"a": 2.5, "c": 3.0}, MIXED)).wanted_item(rng()) == "c"
    assert SingleItem(Profile("u", {}, MIXED)).wanted_item(rng()) is None
    assert SingleItem(Profile("u", {}, MIXED)).value("genre", rng()) is None
    assert KnowledgeGraph(Profile("u", {}, MIXED), MIXED).value("genre", rng()) is None


def test_values_to_ask_for_are_liked_ones_only_for_a_knowledge_graph() -> None:
    assert {SingleItem(PROFILE).value("genre", rng(seed)) for seed in range(30)} == {"good", "bad"}
    assert {graph().value("genre", rng(seed)) for seed in range(30)} == {"good"}
    assert graph().value("genre", rng(), liked=False) == "bad"  # 2.25 is not disliked, but nearest to it


def test_unknown_models_and_rules_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="pkg"):
        preferences("pgk", PROFILE, MIXED, attributes=("genre",))
    with pytest.raises(UnknownNameError, match="mean"):
        graph("median")
