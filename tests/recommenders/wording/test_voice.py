import ast
import re
from importlib.resources import files
from string import Formatter

import numpy as np
import pytest

from tests.recommenders.material import RESTAURANT, film_expert, films
from trialogue.catalogue import Catalogue, Item
from trialogue.records import SlotValue
from trialogue_recommenders.expert import Facts
from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.vocabulary import Feature
from trialogue_recommenders.voice import DECLARED, Fact, Numbered, Voice
from trialogue_recommenders.wording import FILMS

HEAT, ALIEN = films()["heat-1995"], films()["alien-1979"]


def voice(lines: str = "guided", seed: int = 0) -> Voice:
    return Voice(lines, FILMS, np.random.default_rng(seed))


def test_an_item_that_is_filled_in_is_a_mention_and_a_slot_with_its_place() -> None:
    utterance = voice().say("pick bare", "List", title=HEAT, ranking=["heat-1995"])
    assert utterance.speaker == "system"
    assert utterance.ranking == ("heat-1995",)
    (mention,), (act,) = utterance.mentions or (), utterance.acts or ()
    assert utterance.text[mention.start : mention.end] == "Heat (1995)" == mention.title
    assert (mention.item_id, mention.origin) == ("heat-1995", DECLARED)
    assert act.intent == "List"
    assert act.slots == (SlotValue(slot="TITLE", value="Heat (1995)", start=mention.start, end=mention.end),)


def test_a_title_may_be_short_and_is_the_same_item() -> None:
    (mention,) = voice("genre_led").say("review", "Elicit-review", title=HEAT).mentions or ()
    assert mention.title == "Heat (1995)"
    assert mention.end is not None
    assert mention.start is not None
    assert mention.end - mention.start == len("Heat")


def test_several_items_are_joined_or_numbered_each_with_its_place() -> None:
    joined = voice().say("again", "List", titles=[HEAT, ALIEN, HEAT])
    assert "Heat (1995), Alien (1979) and Heat (1995)" in joined.text
    numbered = voice("item_centred").say("again", "List", list=Numbered([HEAT, ALIEN]))
    assert "\n1. Heat (1995)\n2. Alien (1979)\n" in numbered.text
    for utterance in (joined, numbered):
        for mention in utterance.mentions or ():
            assert utterance.text[mention.start : mention.end] == mention.title


def test_a_fact_is_reported_with_slots_of_its_values() -> None:
    fact = film_expert().facts.fact_of(HEAT, "actor")
    assert fact is not None
    utterance = voice("genre_led").say("fact", "Repeat", title=HEAT, fact=fact)
    slots = [slot for act in utterance.acts or () for slot in act.slots if slot.slot == "ACTOR"]
    assert [slot.value for slot in slots] == list(HEAT.attributes["actor"])
    assert all(utterance.text[slot.start : slot.end] == slot.value for slot in slots)


def test_what_is_asked_for_is_a_slot_without_a_value() -> None:
    utterance = voice().say("hello", "Elicit", asks=["TITLE"])
    assert [act.slots for act in utterance.acts or ()] == [(SlotValue(slot="TITLE"),)]
    assert utterance.mentions == ()


def test_no_line_comes_twice_before_all_have() -> None:
    speaker = voice(seed=3)
    count = len(sections_of("guided")["film"])
    texts = [speaker.say("film", "Elicit").text for _ in range(2 * count)]
    assert len(set(texts[:count])) == count
    assert texts[:count] == texts[count:]


def test_the_seed_says_which_line_comes_first() -> None:
    firsts = {voice(seed=seed).say("film", "Elicit").text for seed in range(30)}
    assert len(firsts) == len(sections_of("guided")["film"])


def test_what_a_user_said_is_never_read_as_a_line() -> None:
    assert "{title}" in voice().say("unknown", "Elicit", query="{title} {0} {").text


WORDS = {"noun", "nouns", "a_noun", "called", "use", "used", "kind", "kinds"}
FILES = ["guided", "item_centred", "genre_led", "item_lists"]


@pytest.mark.parametrize("name", FILES)
def test_no_line_comes_twice_in_a_section_or_speaks_of_one_domain(name: str) -> None:
    for section, lines in sections_of(name).items():
        assert len(set(lines)) == len(lines) > 0, section
        for line in lines:
            assert not re.search(r"\b(?:films?|movies?|watch\w*|seen|genres?|titles?)\b", _without_fields(line)), line


def _without_fields(line: str) -> str:
    return "".join(literal for literal, *_ in Formatter().parse(line))


def words_of(node: ast.expr) -> list[str]:
    if isinstance(node, ast.IfExp):
        return words_of(node.body) + words_of(node.orelse)
    return [str(node.value)] if isinstance(node, ast.Constant) else []


def said_in(name: str) -> dict[str, set[str]]:
    """What the code of an agent says: names of the fields that it always fills in, by section."""
    sections: dict[str, set[str]] = {}
    for module in (name, "policy"):
        tree = ast.parse(files("trialogue_recommenders").joinpath(f"{module}.py").read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            if function in ("say", "_say", "tell", "_elicit"):
                messages = {"title", "fact"} if function == "tell" else set()
                filled = messages | {keyword.arg for keyword in call.keywords if keyword.arg}
                for word in words_of(call.args[0]):
                    sections[word] = sections.get(word, filled) & filled
    return sections


@pytest.mark.parametrize("name", FILES)
def test_every_line_has_only_fields_that_are_filled_in_where_it_is_said(name: str) -> None:
    said = said_in(name)
    for section, lines in sections_of(name).items():
        for line in lines:
            fields = {field for _, field, _, _ in Formatter().parse(line) if field} - WORDS
            # sections that are chosen before they are said are those of an item or of a list
            assert fields <= said.get(section, {"title", "fact", "known", "list", "examples"}), (section, line)


def test_rarest_common_ground_is_what_two_items_share() -> None:
    catalogue = Catalogue.from_items(
        [
            Item(id="a", title="A", attributes={"genre": ("Drama",), "director": ("One",)}),
            Item(id="b", title="B", attributes={"genre": ("Drama",), "director": ("One",)}),
            Item(id="c", title="C", attributes={"genre": ("Drama",), "director": ("Two",)}),
            Item(id="d", title="D"),
        ]
    )
    facts = Facts(catalogue, None, FILMS)
    shared = facts.shared_fact(catalogue["a"], catalogue["b"])
    assert shared is not None
    assert shared.value == Feature("director", "One")
    kind = facts.shared_fact(catalogue["a"], catalogue["c"])
    assert kind is not None
    assert kind.value == Feature("genre", "Drama")
    assert facts.shared_fact(catalogue["a"], catalogue["d"]) is None
    assert facts.all_of(catalogue["d"]) == ()


def test_an_attribute_without_words_of_its_own_is_reported_by_its_name() -> None:
    catalogue = Catalogue.from_items([Item(id="a", title="A", attributes={"area": ("Harbor",)})])
    fact = Facts(catalogue, None, RESTAURANT).fact_of(catalogue["a"], "area")
    assert fact == Fact("area", (Feature("area", "Harbor"),), ("The {attribute}: {value}.",))
    assert fact is not None
    assert (
        "The area: Harbor."
        in Voice("item_centred", RESTAURANT, np.random.default_rng(0))
        .say("fact", "Repeat", title=catalogue["a"], fact=fact)
        .text
    )
