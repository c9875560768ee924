"""What is observed around words that could be a title, and that it is worth something."""

import pickle

import pytest

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.linking.evidence import CERTAIN, POINTS, THRESHOLD, WEAK_KINDS, points_of
from trialogue.catalogue.linking.ordinary import is_ordinary, kind_of, word_list

TITLES = ("It", "Her", "Emma", "Heat", "Frozen", "Zombieland", "Toy Story", "The Notebook", "300", "Marvel", "Get Out")
LINKER = TitleLinker(Catalogue.from_items(Item(id=title, title=title) for title in TITLES))


def observed(text: str, title: str) -> set[str]:
    found = [candidate for candidate in LINKER.explain(text) if candidate.item_ids == (title,)]
    assert len(found) == 1
    return set(found[0].observations)


@pytest.mark.parametrize(
    ("forms", "kind"),
    [
        (("it",), "function word"),
        (("the", "help"), "function word"),
        (("heat",), "ordinary word"),
        (("runners",), "ordinary word"),  # run, with two endings
        (("emma",), "name"),
        (("marvel",), "maker"),
        (("zombieland",), "rare word"),
        (("300",), "digits"),
        (("toy", "story"), "2 ordinary words"),
        (("last", "night"), "stock phrase"),
        (("kevin", "hart"), "2 words with a name"),
        (("once", "upon", "a", "time", "in", "hollywood"), "4 words with a name"),
        (("back", "to", "the", "future"), "4 ordinary words"),
        (("pulp", "zorblax"), "words with a rare one"),
    ],
)
def test_words_are_distinguished_by_how_easily_they_are_something_else(forms: tuple[str, ...], kind: str) -> None:
    assert kind_of(forms) == kind


def test_every_kind_and_every_weak_kind_has_points() -> None:
    assert POINTS.keys() >= WEAK_KINDS
    assert CERTAIN.keys().isdisjoint(POINTS)


@pytest.mark.parametrize("name", ["ordinary_words", "function_words", "proper_names", "makers", "stock_phrases"])
def test_our_lists_are_in_small_letters_and_in_order(name: str) -> None:
    words = word_list(name)
    assert words
    assert all(word == word.lower().strip() for word in words)


def test_short_words_are_ordinary() -> None:
    assert is_ordinary("ip")
    assert not is_ordinary("akira")


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("We saw Heat twice", "Heat", {"capital of an ordinary word", "after seen", "odd capital after a cue"}),
        ("Heat is good", "Heat", {"capital of a sentence", "before is"}),
        ("The heat is on", "Heat", {"small letters"}),
        ("the heat is on", "Heat", {"no capitals anywhere", "after the"} - {"after the"}),
        ('I liked "Her".', "Her", {"quoted", "capital of a function word", "after like"}),
        ("Was IT good", "It", {"all in capitals"}),
        ("WAS IT GOOD", "It", {"function word"}),
        ("It", "It", {"nothing else"}),
        ("a film with Emma Stone", "Emma", {"capital of a name", "before a capital", "after and"}),
        ("see Heat of Ice", "Heat", {"in a longer name", "before of"}),
        ("see Heat's Fire", "Heat", {"in a longer name", "apostrophe"}),
        ("a pre-Frozen time", "Frozen", {"hyphen"}),
        ("Toy story, maybe", "Toy Story", {"capital of a sentence"}),
        ("I saw Toy story", "Toy Story", {"some capitals"}),
        ("I saw toystory", "Toy Story", {"split otherwise", "small letters"} - {"small letters"}),
        ("a notebook", "The Notebook", {"no article"}),
        ("Joker, Zombieland (really)", "Zombieland", {"after a mark", "before a bracket"}),
        ("Zombieland movies and more", "Zombieland", {"before movie"}),
        ("Frozen 2 is out", "Frozen", {"title goes on"}),
        ("Frozen: Part One", "Frozen", {"title goes on"}),
        ("Zombieland 2049 is out", "Zombieland", {"title goes on"}),
        ("1. Heat\n2. Her", "Heat", {"fills a slot", "nothing else"}),
        ("1. Heat: Part Two\n2. Her", "Heat", {"title goes on"}),
        ("1. Heat - a crime film", "Heat", {"fills a slot"}),
        ("I love **Heat**, really", "Heat", {"emphasised", "quoted"}),
        ("Heat, Zombieland and Toy Story", "Heat", {"in a long row of titles"}),
        ("Heat and Zombieland", "Heat", {"in a row of titles"}),
        ("Heat and Emma", "Heat", {"in a row of weak words"}),
        ("I loved The Heat", "Heat", {"another title's article"}),
        ("I loved The Zombieland", "Zombieland", {"article before it"}),
        ("Try 300.", "300", {"digits", "number after a cue"}),
        ("Emma is a lovely film", "Emma", {"said to be a film"}),
        ("Emma, a lovely film", "Emma", {"said to be a film"}),
        ("Emma is lovely", "Emma", {"praised"}),
    ],
)
def test_observations(text: str, title: str, expected: set[str]) -> None:
    assert expected <= observed(text, title)


@pytest.mark.parametrize("text", ["Frozen 2 times", "Frozen 1 again", "Frozen 1999", "Frozen - 2", "Frozen, 2 of us"])
def test_not_every_number_behind_a_title_is_a_sequel(text: str) -> None:
    goes_on = "title goes on" in observed(text, "Frozen")
    assert goes_on == (text == "Frozen - 2")


def test_points_add_up_and_cross_the_threshold() -> None:
    bare = points_of(["ordinary word"])
    assert points_of(["ordinary word", "quoted"]) == pytest.approx(bare + POINTS["quoted"][0])
    assert points_of(["function word", "its year behind it"]) > THRESHOLD
    assert points_of(["words with a rare one", "title goes on"]) < THRESHOLD


def test_a_linker_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(LINKER))
    assert sent.find("Have you seen Zombieland?") == LINKER.find("Have you seen Zombieland?")
