"""Which attributes a turn asks about: by option, by acts, by words."""

import pytest

from tests.simulation.made import agent, books, films, turn
from trialogue.agents.base import Turn
from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.item import names_of
from trialogue.records import DialogueAct, Mention, SlotValue, Utterance
from trialogue.simulation.attributes.questions import Question, QuestionParser
from trialogue.simulation.users.world import World

ATTRIBUTES = ("genre", "actor", "director")
WORLD = World(films())
PARSER = QuestionParser(films(), ATTRIBUTES, main="genre")


def question(said: Turn | str, parser: QuestionParser = PARSER) -> Question:
    given = turn(agent(said)) if isinstance(said, str) else said
    return parser.question_in(given, [each.mentions or WORLD.linker.find(each.text) for each in given.utterances])


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("Which genre do you like?", ("genre",)),
        ("What kind of film are you after?", ("genre",)),
        ("Who is your favourite star?", ("actor",)),
        ("Any actresses you enjoy?", ("actor",)),
        ("Tell me a director.", ("director",)),
        ("Please specify the genre", ("genre",)),
        ("WHICH DIRECTOR OR GENRE?", ("genre", "director")),
        ("Do you like comedies or thrillers?", ("genre",)),
        ("Something with Tom Hanks?", ("actor",)),
        ("Steven Spielberg, perhaps? And what genre?", ("genre", "director")),
        ("Which language should it be in?", ()),
        ("How are you today?", ()),
        ("I like comedies.", ()),
        ("The director of the museum closes early.", ()),
        ("Welches Genre mögen Sie?", ("genre",)),
        ("¿Quién es tu actriz favorita?", ()),
        ("你喜欢什么类型的电影？", ()),
        ("", ()),
        ("???", ()),
    ],
)
def test_words_ask_about_attributes_by_their_names_and_values(text: str, attributes: tuple[str, ...]) -> None:
    assert question(text) == Question(attributes)


def test_a_sentence_with_a_title_asks_about_the_item() -> None:
    item = next(each for each in films().values() if each.title == "Jurassic Park")
    assert question(f"How about {item.title_with_year}, by director Steven Spielberg?") == Question()
    assert question(f"I thought of {item.title_with_year}. Which genre do you like?") == Question(("genre",))


def test_slots_of_asking_acts_come_before_words_and_other_known_acts_ask_nothing() -> None:
    def says(text: str, intent: str, *slots: str) -> Turn:
        act = DialogueAct(intent=intent, slots=tuple(SlotValue(slot=slot) for slot in slots))
        return turn(Utterance(speaker="system", text=text, acts=(act,)))

    assert question(says("Which actor?", "Elicit", "GENRE")) == Question(("genre",))
    assert question(says("Hm?", "INQUIRE.ELICIT", "ACTOR", "DIRECTOR")) == Question(("actor", "director"))
    assert question(says("Which genre?", "Elicit", "TITLE")) == Question()
    assert question(says("Which genre?", "Elicit")) == Question(("genre",))  # the act does not say what is asked
    assert question(says("Which genre?", "List")) == Question()
    assert question(says("Which genre?", "ASK_SOMETHING", "GENRE")) == Question(("genre",))  # an unknown act: words


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("A", Question(("genre",))),
        ("b", Question(("actor",))),
        (" C ", Question(("director",))),
        ("director", Question(("director",))),
        ("D", Question(is_recommendation=True)),
        ("recommend", Question(is_recommendation=True)),
        ("E", Question()),
        ("mood", Question()),
    ],
)
def test_a_declared_option_comes_first(option: str, expected: Question) -> None:
    text = "Which genre do you like?"
    assert question(Turn((agent(text),), meta={"option": option})) == expected
    assert question(turn(Utterance(speaker="system", text=text, meta={"option": option}))) == expected


@pytest.mark.parametrize("option", ["", None, 3, ["A"]])
def test_what_is_no_option_is_not_one(option: object) -> None:
    said = Turn((agent("Which director?"),), meta={"option": option})  # type: ignore[dict-item]
    assert question(said) == Question(("director",))


def test_a_reply_that_is_a_letter_is_an_option_unless_it_is_a_title() -> None:
    assert question("B") == question("(b).") == Question(("actor",))
    assert question("d") == Question(is_recommendation=True)
    assert question("Z") == Question()
    film = Utterance(speaker="system", text="D", mentions=(Mention(title="D", item_id="d"),))
    assert question(turn(film)) == Question()
    assert question("A Bug") == Question()
    assert question("Genre:") == question("**genre**") == Question(("genre",))
    assert question("RECOMMEND") == Question(is_recommendation=True)


def test_a_burst_asks_for_what_any_of_its_messages_asks() -> None:
    assert question(turn(agent("Which director?"), agent("Or a genre?"))) == Question(("genre", "director"))


def test_names_and_values_of_other_domains_and_scripts_are_known() -> None:
    parser = QuestionParser(books(), ("subject",), main="subject")
    assert question("Which subject?", parser) == question("What kind of book?", parser) == Question(("subject",))
    assert question("Is it whales?", parser) == Question(("subject",))
    chinese = Catalogue.from_items([Item(id="1", title="活着", attributes={"类型": ("剧情",)})])
    parser = QuestionParser(chinese, ("类型",), main="类型")
    assert question("你喜欢什么类型的电影？", parser) == question("剧情片？", parser) == Question(("类型",))


def test_words_for_an_attribute_are_those_of_its_family() -> None:
    assert "actor" in names_of("star")
    assert "star" in names_of("Actors")
    assert names_of("country") == ("countries", "country", "countrys")
