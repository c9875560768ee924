"""Users who describe what they look for by facts that hold for it alone."""

import pytest

from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.facts import FactIndex
from trialogue.metrics.gates.descriptions import description_in
from trialogue.metrics.gates.detect import gates_in
from trialogue.records import Constraint, Dialogue, Mention, Need, Utterance
from trialogue.records.kinds.suspicions import Gate


def film(item_id: str, year: int, description: str = "", **attributes: tuple[str, ...]) -> Item:
    return Item(id=item_id, title=item_id.title(), year=year, attributes=attributes, description=description or None)


FILMS = Catalogue.from_items(
    [
        film("ryan", 1998, "A squad lands.", actor=("Tom Hanks", "Matt Damon"), director=("Steven Spielberg",)),
        film("terminal", 2004, "Stuck at an airport.", actor=("Tom Hanks",), director=("Steven Spielberg",)),
        film("gump", 1994, "A runner on a bench tells of shrimps.", actor=("Tom Hanks", "Robin Wright")),
        film("martian", 2015, "A botanist grows potatoes.", actor=("Matt Damon", "Jessica Chastain")),
        film("heat", 1995, "A robber.", actor=("Al Pacino", "Val Kilmer"), director=("Michael Mann",)),
    ]
)
INDEX = FactIndex(FILMS)
NEED = Need(
    id="n",
    constraints=(Constraint(attribute="decade", values=("1990s",)),),
    targets=("ryan",),
    acceptable=("ryan", "gump"),
    known=("martian",),
)


def said(speaker: str, text: str, *items: str, **meta: list[str]) -> Utterance:
    mentions = tuple(Mention(title=item, item_id=item) for item in items)
    return Utterance.model_validate({"speaker": speaker, "text": text, "mentions": mentions, "meta": meta})


def dialogue(*utterances: Utterance | str, need: Need = NEED) -> Dialogue:
    turns = tuple(said("user", each) if isinstance(each, str) else each for each in utterances)
    return Dialogue(id="d", utterances=turns, need=need)


def described(*utterances: Utterance | str, need: Need = NEED) -> str | None:
    found = description_in(dialogue(*utterances, need=need), INDEX)
    return None if found is None else found.item_id


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("The one with Tom Hanks and Matt Damon", "ryan"),
        ("the one with tom hanks and matt damon", "ryan"),
        ("Damon, directed by Spielberg", "ryan"),
        ("Tom Hanks, 1998", "ryan"),
        ("Tom Hanks on a bench with shrimps", "gump"),
        ("Hanks and Spielberg", None),  # there are two
        ("Something with Tom Hanks", None),  # one fact
        ("Tom Hanks on a bench", None),
        ("a runner on a bench tells of shrimps, 1994", None),  # nobody is named
        ("Tom Hanks, 1995", None),  # does not hold
        ("Al Pacino and Val Kilmer", None),  # does not satisfy the need
        ("I like Tom Hanks, Matt Damon, Al Pacino and Val Kilmer", None),  # a list
        ("Tom Hanks, Tom Hanks", None),
        ("A film of the 1990s", None),
    ],
)
def test_two_facts_that_hold_for_one_item_describe_it(text: str, item: str | None) -> None:
    assert described(text) == item


def test_several_messages_of_one_turn_are_one_and_turns_are_not_added_up() -> None:
    assert described("With Tom Hanks", "and with Matt Damon") == "ryan"
    assert described("With Tom Hanks", said("system", "Hm."), "and with Matt Damon") is None


@pytest.mark.parametrize(
    "question",
    [
        "Which actors do you like?",
        "Who should be in it?",
        "Any favourite stars?",
        "Tom Hanks and Matt Damon, or others?",
    ],
)
def test_answers_to_questions_are_no_descriptions(question: str) -> None:
    assert described(said("system", question), "Tom Hanks and Matt Damon") is None


def test_other_questions_and_earlier_ones_do_not_excuse_a_description() -> None:
    text = "Tom Hanks and Matt Damon"
    assert described(said("system", "Which genre?"), text) == "ryan"
    assert described(said("system", "Which director?"), text) == "ryan"
    assert described(said("system", "Which actors?"), "Any.", said("system", "I see."), text) == "ryan"
    assert described(said("system", "Which year?"), "1998, Tom Hanks") is None
    assert described(said("system", "When?"), "1998, Tom Hanks") is None


def test_what_was_answered_before_stays_an_answer() -> None:
    earlier = (said("system", "Which actors?"), "Tom Hanks", said("system", "I see."))
    assert described(*earlier, "Tom Hanks and 1998") is None
    assert described(*earlier, "Tom Hanks and Matt Damon by Spielberg") == "ryan"  # two facts are new


def test_users_who_were_heard_to_be_asked_by_an_option_answer() -> None:
    text = "Tom Hanks and Matt Damon"
    assert described(said("system", "B"), said("user", text, asked=["actor"])) is None
    assert described(said("system", "B"), said("user", text, asked=["genre"])) == "ryan"
    assert described(said("system", "B"), said("user", "Tom Hanks, 1998", asked=["decade"])) is None


def test_what_the_need_asks_for_is_no_description() -> None:
    wish = Constraint(attribute="actor", values=("Tom Hanks",))
    assert described("Tom Hanks, 1998", need=NEED.model_copy(update={"constraints": (wish,)})) is None
    year = Constraint(attribute="year", values=("1998",))
    assert described("Tom Hanks, 1998", need=NEED.model_copy(update={"constraints": (year,)})) is None


def test_who_names_it_first_decides() -> None:
    text = "Tom Hanks and Matt Damon"
    assert described(said("system", "Ryan?", "ryan"), text) is None
    assert described(text, said("system", "Ryan?", "ryan")) == "ryan"
    assert described(said("system", "The Martian?", "martian"), "no, with Tom Hanks and Matt Damon") == "ryan"


def test_what_is_true_of_a_title_in_the_turn_is_no_description() -> None:
    assert described(said("user", "I loved Matt Damon in The Martian, and Tom Hanks", "martian")) is None
    title = Mention(title="Tom Hanks", start=0, end=9)
    utterance = Utterance(speaker="user", text="Tom Hanks, with Matt Damon", mentions=(title,))
    assert described(utterance) is None  # the name is a title


def test_the_gate_needs_the_facts_and_linked_items() -> None:
    talk = dialogue("The one with Tom Hanks and Matt Damon")
    assert gates_in(talk)[Gate.TARGET_LEAKED] is False
    assert gates_in(talk, None, INDEX)[Gate.TARGET_LEAKED] is True
    nobody_looked = talk.model_copy(update={"utterances": (talk.utterances[0].model_copy(update={"mentions": None}),)})
    assert gates_in(nobody_looked, None, INDEX)[Gate.TARGET_LEAKED] is None
    without = talk.model_copy(update={"need": None})
    assert gates_in(without, None, INDEX)[Gate.TARGET_LEAKED] is None
    assert description_in(without, INDEX) is None


def test_items_of_another_catalogue_cannot_be_described() -> None:
    assert described("Tom Hanks and Matt Damon", need=Need(id="n", acceptable=("elsewhere",))) is None


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("Just Ryan, please.", True),
        ('is it called "ryan"?', True),
        ("Anything like Ryan or so?", True),
        ("something with ryan in it", False),  # a word, or a name
        ("Ryan is my brother's name.", False),  # the capital is the sentence's
        ("Anything with Ryan Gosling?", False),  # part of a name
        ("I liked Martian.", False),  # what they know
    ],
)
def test_a_title_of_one_word_counts_where_it_is_written_as_one(text: str, leaks: bool) -> None:
    assert gates_in(dialogue(text), {}, INDEX)[Gate.TARGET_LEAKED] is leaks


def test_a_title_of_three_words_counts_in_any_case_until_the_agent_names_it() -> None:
    films = Catalogue.from_items([Item(id="ryan", title="Saving Private Ryan", year=1998)])
    index, text = FactIndex(films), "the one called saving private ryan i think"
    assert gates_in(dialogue(text), {}, index)[Gate.TARGET_LEAKED]
    assert not gates_in(dialogue(said("system", "Try Saving Private Ryan."), text), {}, index)[Gate.TARGET_LEAKED]
    assert not gates_in(dialogue(said("system", "Try this one.", "ryan"), text), {}, index)[Gate.TARGET_LEAKED]


LONG = Catalogue.from_items(
    [
        Item(id="rose", title="The Name of the Rose"),
        Item(id="eternal", title="Eternal Sunshine of the Spotless Mind"),
        Item(id="gladiator", title="Gladiator"),
        Item(id="runner", title="Blade Runner", year=1982),
        Item(id="sleep", title="The Big Sleep"),
        Item(id="twister", title="The Twister"),
        Item(id="back", title="Back to the Future"),
    ]
)


@pytest.mark.parametrize(
    ("text", "item", "leaks"),
    [
        ("name of rose comes to mind", "rose", True),
        ("a rose of that name", "rose", False),
        ("maybe eternel sunshne of the spotles mind", "eternal", True),
        ("I like the sunshine of a spotless mind", "eternal", False),
        ("do you have gladeator?", "gladiator", True),
        ("something on gladiators", "gladiator", False),  # a plural is no slip
        ("like blade runnr, say", "runner", True),
        ("like blade runnr (1982), say", "runner", True),
        ("like blade runnr 2049, say", "runner", False),  # another title
        ("a blade 7 runner", "runner", False),
        ("I need a big sleep", "sleep", False),
        ("something like twisterr", "twister", True),
        ("the twisterr in my street", "twister", False),  # of seven letters, and nothing is named
        ("maybe twistir?", "twister", True),
        ("maybe twisters?", "twister", False),
        ("what is back in the future", "back", False),
    ],
)
def test_a_long_title_may_lack_articles_or_be_misspelt(text: str, item: str, leaks: bool) -> None:
    talk = dialogue(text, need=Need(id="n", targets=(item,), acceptable=(item,)))
    assert (gates_in(talk, None, FactIndex(LONG))[Gate.TARGET_LEAKED] is True) is leaks


SHOP = Catalogue.from_items(
    [
        Item(id="phone", title="Norvik QX-4000"),
        Item(id="other phone", title="Norvik QX-3000"),
        Item(id="pro", title="Lumio 15 Pro"),
        Item(id="boots", title="Dr. Halley 1460"),
        Item(id="shoes", title="Zephyra Air Max 90"),
        Item(id="harbour", title="The Midnight Harbour: A Memoir", year=1994),
        Item(id="fury", title="Mad Max: Fury Road", year=2015),
        Item(id="year", title="Nineteen Eighty-Four"),
        Item(id="hour", title="The Rogan Hour"),
        Item(id="toy", title="Puppet Story 2"),
        Item(id="bike", title="Birkel Lone Peak"),
        Item(id="museum", title="Museo Galileo"),
        Item(id="pride", title="Pride", year=2014),
        Item(id="rose", title="Harry Zimble and the Chamber of Echoes"),
    ]
)


@pytest.mark.parametrize(
    ("text", "item", "leaks"),
    [
        ("hi, do you sell the QX-4000?", "phone", True),
        ("hi, do you sell the QX-3000?", "phone", False),
        ("Anything by Norvik?", "phone", False),
        ("So only the 15 Pro has this?", "pro", True),
        ("a pro of 15 years", "pro", False),
        ("the 1460s basically", "boots", True),
        ("I have 1460 of them", "boots", False),
        ("zam90 or am90s if you have them", "shoes", True),
        ("isn't there one called midnight harbour?", "harbour", True),
        ("a midnight harbour by day", "harbour", False),
        ("that memoir, TMH", "harbour", True),
        ("The Midnigt Harbor", "harbour", True),
        ("a harbor at midnight", "harbour", False),
        ("that memoir, tmh", "harbour", False),
        ("I like Mad Max a lot", "fury", False),  # a series
        ("What about Fury Road?", "fury", True),
        ("can i just take 1984 like everybody else", "year", True),
        ("something from 1984", "year", False),
        ("Nineteen eighty-four, please", "year", True),
        ("just put on rogan", "hour", True),
        ("Rogan, perhaps?", "hour", True),
        ("my uncle Rogan says hello", "hour", False),
        ("Puppet Story", "toy", False),
        ("Puppet Story 3?", "toy", False),
        ("like puppet story two", "toy", True),
        ("The Lone Peak fits me best.", "bike", True),
        ("a lone peak in the mist", "bike", False),
        ("Some museum has Galileo's fingers.", "museum", False),
        ("I'm a fan of Pride and Prejudice.", "pride", False),
        ("I'm a fan of Pride and like to cry.", "pride", True),
        ("the chamber of echoes one", "rose", True),
        ("#Pride tonight", "pride", True),
    ],
)
def test_an_item_is_named_by_what_a_reader_knows_it_by(text: str, item: str, leaks: bool) -> None:
    talk = dialogue(text, need=Need(id="n", targets=(item,), acceptable=(item,)))
    assert gates_in(talk, None, FactIndex(SHOP))[Gate.TARGET_LEAKED] is leaks


def test_what_the_agent_called_an_item_the_user_may_call_it() -> None:
    need = Need(id="n", targets=("phone",), acceptable=("phone",))
    for first, leaks in (("We have the QX-4000.", False), ("QX-4000?", False), ("We have the QX-3000.", True)):
        talk = dialogue(said("system", first), "Then the QX-4000.", need=need)
        assert gates_in(talk, None, FactIndex(SHOP))[Gate.TARGET_LEAKED] is leaks


def test_a_value_of_the_need_is_no_name_of_an_item() -> None:
    wish = Constraint(attribute="author", values=("Rogan",))
    need = Need(id="n", targets=("hour",), acceptable=("hour",), constraints=(wish,))
    assert gates_in(dialogue("Just put on Rogan.", need=need), None, FactIndex(SHOP))[Gate.TARGET_LEAKED] is False


def test_a_misspelt_title_that_another_was_found_in_or_the_agent_named_is_no_leak() -> None:
    need = Need(id="n", targets=("gladiator",), acceptable=("gladiator",))
    other = Mention(title="Gladeators", item_id="other", start=5, end=15)
    inside = Utterance(speaker="user", text="Like Gladeator?", mentions=(other,))
    agent = said("system", "Gladiator", "gladiator")
    for turns in ((inside,), (agent, said("user", "gladeator then"))):
        assert gates_in(dialogue(*turns, need=need), None, FactIndex(LONG))[Gate.TARGET_LEAKED] is False
