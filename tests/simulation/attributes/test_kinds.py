"""The kind of users who answer questions about attributes: name, options, needs, and refusals."""

import pytest

from tests.simulation.made import book_ratings, books, film_ratings, films
from trialogue.agents.registry import OptionsError, make_agent
from trialogue.catalogue import Catalogue, Item
from trialogue.errors import DataError, UnknownNameError
from trialogue.simulation.attributes.kinds import AttributeKind, AttributeUsers, askable_attributes
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import UserKind, kind_mistakes, load_kind
from trialogue.simulation.users.world import World

WORLD = World(films(), film_ratings())


def test_the_kind_is_registered_beside_the_language_model_that_knows_its_target() -> None:
    kind = load_kind("target-item:attributes", turns=3)
    assert isinstance(kind, UserKind)
    assert (kind.name, kind.settle(WORLD).options.turns) == ("target-item:attributes", 3)  # type: ignore[attr-defined]
    with pytest.raises(UnknownNameError, match="llm:target-item"):
        load_kind("target-item:chat")
    with pytest.raises(UnknownNameError, match="target-item:attributes"):
        load_kind("target-item")


def test_a_case_has_the_need_of_the_language_model_that_knows_its_target() -> None:
    model = load_kind("llm:target-item", url="http://localhost:1", model="m").settle(WORLD)
    users = AttributeKind().settle(WORLD)
    for case in "123":
        user = users.new(case, seed=4)
        assert user.need == model.new(case, seed=4).need  # type: ignore[attr-defined]
        assert user.need.acceptable == user.need.targets
        assert len(user.need.targets) == 1


def test_attributes_are_in_the_order_of_the_published_options() -> None:
    assert AttributeKind().settle(WORLD).attributes == ("genre", "actor", "director")
    item = Item(id="1", title="x", attributes=dict.fromkeys(("age", "writer", "stars", "other title", "genre"), ("v",)))
    assert askable_attributes(Catalogue.from_items([item])) == ("genre", "stars", "writer", "age")
    assert AttributeKind({"attributes": "actor", "opening": "genre"}).settle(WORLD).attributes == ("actor",)
    assert AttributeKind({"attributes": ["decade", "genre"]}).settle(WORLD).attributes == ("decade", "genre")


def test_a_catalogue_without_attributes_or_without_the_one_that_is_named_is_refused() -> None:
    bare = Catalogue.from_items([Item(id="1", title="Heat", attributes={"other title": ("Hot",)})])
    with pytest.raises(DataError, match="none of the 1 items has an attribute"):
        AttributeKind().settle(World(bare))
    with pytest.raises(DataError, match="none of the 1 items has an attribute to ask about"):
        askable_attributes(bare)
    for option in ("attributes", "opening"):
        for name in ("mood", "other title"):
            with pytest.raises(UnknownNameError, match="attribute of the catalogue"):
                AttributeKind({option: [name]}).settle(WORLD)
    with pytest.raises(UnknownNameError, match="decade"):
        AttributeKind({"attributes": ["decade"]}).settle(World(books(), book_ratings()))


def test_wrong_options_are_refused_all_at_once() -> None:
    wrong = {"turn": 3, "titles": 0, "ranked": -1, "attributes": ["genre", "genre"], "domain": " "}
    with pytest.raises(OptionsError) as error:
        AttributeKind().with_options(**wrong)
    assert len(error.value.mistakes) == 5
    assert "each attribute must be named once, got genre, genre" in str(error.value)
    assert {option for option, _ in kind_mistakes("target-item:attributes", wrong)} == set(wrong)
    with pytest.raises(OptionsError):
        AttributeKind(wrong).settle(WORLD)
    with pytest.raises(OptionsError):
        AttributeKind({"attributes": []}).settle(WORLD)


def test_dialogues_are_the_same_each_time_and_have_need_and_signature() -> None:
    def dialogues() -> list[str]:
        users: AttributeUsers = AttributeKind().settle(WORLD)
        plan = Plan(("reference:genre-led",), ("target-item:attributes",), 6, seed=3)
        agent = make_agent("reference:genre-led")
        return [DialogueRunner()(agent, users, task).model_dump_json() for task in plan]

    first = dialogues()
    assert first == dialogues()
    assert all('"user_signature":"target-item:attributes|v1|' in each for each in first)
    assert any('"ended_by":"user_ended"' in each for each in first)


def test_another_domain_has_its_own_noun_and_needs_no_ratings() -> None:
    user = AttributeKind({"domain": "books about {things}"}).settle(World(books())).new("1", seed=1)
    assert user.start().text == "Hello, I am looking for books about {things}."  # type: ignore[union-attr]
