"""Users of a shop, from a table without ratings: needs of several attributes, answers to questions, natural words."""

import csv
import re
from itertools import product
from pathlib import Path

import pytest

from trialogue.agents.base import Turn
from trialogue.catalogue import Catalogue, Item
from trialogue.errors import DataError
from trialogue.records import Dialogue, NeedSource, Utterance, read_records
from trialogue.simulating.simulate import simulate
from trialogue.simulation import load_users
from trialogue.simulation.batch.simulation_file import study_of
from trialogue.simulation.users.needs import satisfied_share
from trialogue.simulation.users.user import AgendaUser, Stop
from trialogue.simulation.users.world import World

QUESTIONS = {
    "type": "What kind of product are you looking for?",
    "colour": "Which color would you like?",
    "brand": "Do you prefer a brand?",
    "price range": "What is your budget?",
}
FILM_WORDS = re.compile(r"\b(?:films?|movies?|watch\w*|seen|actors?|directors?|genres?|story|boring|evening)\b", re.I)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.csv"
    kinds = product(("tent", "stove", "boots"), ("red", "blue", "green", "grey"), ("Altea", "Norrvik", "Tarn"))
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", "type", "colour", "brand", "price"])
        for number, (kind, colour, brand) in enumerate([*kinds] * 3):
            writer.writerow(
                [f"{brand} {kind.title()} {number}", kind, colour, brand, f"${10 + 7 * (number * 37 % 101)}"]
            )
    return path


@pytest.fixture(scope="module")
def dialogues(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Dialogue]:
    agents = ["reference:guided", "reference:genre-led", "reference:item-centred", "reference:popular"]
    fields = {"agents": agents, "users": "cir6-pkg", "catalogue": str(shop), "n": 40, "baselines": 0}
    batch = simulate(study_of({**fields, "out": str(tmp_path_factory.mktemp("run"))}))
    return list(read_records(batch.dialogues, Dialogue))


def test_needs_have_two_to_four_constraints_that_their_items_satisfy(shop: Path, dialogues: list[Dialogue]) -> None:
    catalogue = Catalogue.read(shop)
    needs = {dialogue.need.id: dialogue.need for dialogue in dialogues if dialogue.need is not None}
    assert len(needs) >= 35  # of 40 users
    for need in needs.values():
        assert need.source is NeedSource.CATALOGUE
        assert 2 <= len(need.constraints) <= 4
        assert {each.attribute for each in need.constraints} <= {"type", "colour", "brand", "price range"}
        assert need.acceptable
        assert not {*need.acceptable} & {*need.known}
        assert all(satisfied_share(need, catalogue[item]) == 1 for item in need.acceptable)


def test_nobody_speaks_of_films_and_values_are_those_of_the_catalogue(shop: Path, dialogues: list[Dialogue]) -> None:
    said = [each for dialogue in dialogues for each in dialogue.utterances if each.speaker == "user"]
    assert not [each.text for each in said if FILM_WORDS.search(each.text)]
    catalogue = Catalogue.read(shop)
    slots = [
        (slot.slot, slot.value) for each in said for act in each.acts or () for slot in act.slots if slot.slot != "item"
    ]
    assert {name for name, _ in slots} == {"type", "colour", "brand", "price range"}
    assert all(value in catalogue.values_of(name) for name, value in slots)


def test_bundled_recommenders_speak_of_products(dialogues: list[Dialogue]) -> None:
    texts = " ".join(each.text for dialogue in dialogues for each in dialogue.utterances if each.speaker == "system")
    assert "product" in texts
    assert not re.search(r"\bfilms?\b|\bmovies?\b", texts)
    assert not any(dialogue.fault for dialogue in dialogues)


@pytest.mark.parametrize("attribute", QUESTIONS)
def test_a_question_is_answered_by_the_need_or_by_no_preference(shop: Path, attribute: str) -> None:
    users = load_users("cir6-pkg").settle(World(Catalogue.read(shop)))
    wished = free = 0
    for case in map(str, range(1, 101)):
        user = users.new(case, seed=0)
        assert isinstance(user, AgendaUser)
        assert user.need is not None
        user.start()
        said = user.answer(Turn((Utterance(speaker="system", text=QUESTIONS[attribute]),)))
        if isinstance(said, Stop) or not said.acts or said.acts[0].intent not in users.model.interaction.space.informs:
            continue
        wanted = {value for each in user.need.constraints if each.attribute == attribute for value in each.values}
        assert {slot.value for slot in said.acts[0].slots if slot.slot == attribute} == wanted, said.text
        wished, free = wished + bool(wanted), free + (not wanted)
    assert wished >= 5
    assert free >= 1


def test_the_same_case_and_seed_give_the_same_user(shop: Path) -> None:
    users = load_users("cir6-pkg").settle(World(Catalogue.read(shop)))
    for case in ("1", "2", "3"):
        one, two = (users.new(case, seed=7) for _ in range(2))
        assert one.need == two.need
        assert one.start() == two.start()


@pytest.mark.parametrize("column", [["x"] * 20, [f"S{number}" for number in range(20)]])
def test_attributes_that_tell_no_items_apart_are_refused(column: list[str]) -> None:
    items = [Item(id=str(at), title=f"t{at}", attributes={"sku": (value,)}) for at, value in enumerate(column)]
    with pytest.raises(DataError, match="add a column such as type, brand, colour or price"):
        load_users("cir6-pkg").settle(World(Catalogue.from_items(items)))
