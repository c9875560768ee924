"""The title linker: what it finds, which item it chooses, and what always holds."""

import gc
import time
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.linker_card import LINKER_CARD
from hypothesis import example, given
from hypothesis import strategies as st

from tests.untraced import untraced
from trialogue.catalogue import OTHER_TITLES, Catalogue, Item, TitleLinker
from trialogue.catalogue.linking.titles import split_year, tokens
from trialogue.catalogue.linking.variants import variants
from trialogue.datasets.corpora.movielens import read_movielens
from trialogue.records import Dialogue, Mention, Speaker, Utterance

FILMS = Catalogue.from_items(
    Item(id=f"{number}", title=title, year=year, attributes={OTHER_TITLES: others} if others else {})
    for number, (title, year, *others) in enumerate(
        [
            ("The Matrix", 1999),
            ("The Lord of the Rings: The Fellowship of the Ring", 2001),
            ("Halloween", 1978),
            ("Halloween", 2018),
            ("It", 2017),
            ("Amélie", 2001, "Le Fabuleux Destin d'Amélie Poulain"),
            ("Fast & Furious", 2009),
            ("Rocky II", 1979),
            ("Rocky", 1976),
            ("Spider-Man: Into the Spider-Verse", 2018),
            ("Star Wars: Episode IV - A New Hope", 1977),
            ("Star Wars: Episode V - The Empire Strikes Back", 1980),
            ("...", 2000),
            ("Insidious", 2010),
            ("WALL·E", 2008),
            ("千と千尋の神隠し", 2001),
            ("Up", 2009),
            ("What's Eating Gilbert Grape", 1993),
            ("The Hunger Games: Catching Fire", 2013),
            ("The Hunger Games: Mockingjay", 2014),
        ]
    )
)
LINKER = TitleLinker(FILMS)


def found(text: str, *, context: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.title) for m in LINKER.find(text, context=context)]


RINGS = "The Lord of the Rings: The Fellowship of the Ring (2001)"
SPIDER = "Spider-Man: Into the Spider-Verse (2018)"


@pytest.mark.parametrize(
    ("before", "words", "behind", "title"),
    [
        ("I saw ", "The Matrix (1999)", " again.", "The Matrix (1999)"),
        ("I liked ", "matrix", "", "The Matrix (1999)"),
        ("", "Matrix", ", The (1999)", "The Matrix (1999)"),
        ("have you seen ", "the matrix 1999", "?", "The Matrix (1999)"),
        ("try ", "THE MATRIX", "!", "The Matrix (1999)"),
        ("We saw ", "The Fellowship of the Ring", "", RINGS),
        ("", "the lord of the rings, the fellowship of the ring", "", RINGS),
        ("a movie called ", "amelie", "", "Amélie (2001)"),
        ("", "Le fabuleux destin d'Amelie Poulain", " is great", "Amélie (2001)"),
        ("Have you seen ", "Fast and Furious", "?", "Fast & Furious (2009)"),
        ("", "Rocky 2", " was better", "Rocky II (1979)"),
        ("I love ", "rocky two", "", "Rocky II (1979)"),
        ("i recommend ", "spiderman into the spider verse", "", SPIDER),
        ("is it like ", "incidious", "?", "Insidious (2010)"),
        ("I watched ", "Wall-E", " yesterday", "WALL·E (2008)"),
        ("", "whats eating gilbert grape", "", "What's Eating Gilbert Grape (1993)"),
        ("看过", "千と千尋の神隠し", "吗", "千と千尋の神隠し (2001)"),
        ('The movie "', "It", '" is scary.', "It (2017)"),
        ("I just saw '", "It", "'.", "It (2017)"),
        ("", "Up (2009)", "", "Up (2009)"),
        ("We saw ", "Up[2009]", "", "Up (2009)"),
        ("", "A New Hope", " is the best", "Star Wars: Episode IV - A New Hope (1977)"),
    ],
)
def test_titles_are_found_in_the_ways_people_write_them(before: str, words: str, behind: str, title: str) -> None:
    assert found(before + words + behind) == [(words, title)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "...",
        "What do you think of it?",
        "It is up to you.",
        "I looked it up",
        "The Matrix (2021)",  # another film, which the catalogue lacks
        "Have you seen Rocky 4?",
        "The Matrix: Resurrections is new",
        "all the Hunger Games movies",  # a series: every title goes on
        "🎬🎬🎬",
        "\x00\ud800",
    ],
)
def test_nothing_is_found_where_no_title_is_meant(text: str) -> None:
    assert found(text) == []


def test_several_titles_are_found_in_their_order() -> None:
    text = "Insidious, The Matrix and Amélie"
    assert [words for words, _ in found(text)] == ["Insidious", "The Matrix", "Amélie"]


def test_the_year_behind_a_title_tells_items_apart_within_one_year() -> None:
    assert found("Halloween (1978)") == [("Halloween (1978)", "Halloween (1978)")]
    assert found("Halloween (2019)") == [("Halloween (2019)", "Halloween (2018)")]


def test_a_year_elsewhere_in_the_text_tells_items_apart() -> None:
    assert found("the 1978 movie Halloween")[0][1] == "Halloween (1978)"


def test_the_item_named_last_is_meant_again() -> None:
    assert found("I loved the movie Halloween", context=("3", "2", "0"))[0][1] == "Halloween (1978)"


def test_without_other_signs_the_most_popular_and_then_the_latest_item_is_meant() -> None:
    text = "I loved the movie Halloween"
    assert found(text)[0][1] == "Halloween (2018)"
    popular = TitleLinker(FILMS, popularity={"2": 100, "3": 50, "0": 80})
    assert popular.find(text)[0].title == "Halloween (1978)"


def test_the_context_tells_which_film_of_a_series_is_meant() -> None:
    assert found("I love The Hunger Games", context=("18", "0"))[0][1] == "The Hunger Games: Catching Fire (2013)"
    assert found("I love The Hunger Games (2014)")[0][1] == "The Hunger Games: Mockingjay (2014)"


def test_mentions_say_who_found_them() -> None:
    mention = LINKER.find("The Matrix (1999)")[0]
    assert mention.origin == LINKER.signature == f"linker(v2,catalogue={FILMS.fingerprint})"
    assert TitleLinker(FILMS, typos=False).signature.startswith("linker(v2,typos=no,")
    assert TitleLinker(FILMS, popularity={"1": 2}).signature.startswith("linker(v2,popularity,")


def test_slips_are_let_be_without_typos() -> None:
    assert TitleLinker(FILMS, typos=False).find("is it like incidious?") == ()


def test_it_explains_what_it_did_not_link() -> None:
    explained = LINKER.explain("We looked Up and saw Rocky 4")
    assert {candidate.item_ids: candidate.chosen for candidate in explained} == {("16",): None, ("8",): None}
    assert "title goes on" in explained[1].observations


def talk(*texts: str, mentions: tuple[Mention, ...] | None = None) -> Dialogue:
    speakers: tuple[Speaker, Speaker] = ("user", "system")
    said = [Utterance(speaker=speakers[n % 2], text=text, mentions=mentions) for n, text in enumerate(texts)]
    return Dialogue(id="d", utterances=tuple(said))


def titles_of(dialogue: Dialogue) -> list[list[str]]:
    return [[mention.title for mention in utterance.mentions or ()] for utterance in dialogue.utterances]


def test_a_dialogue_is_linked_with_what_was_named_before() -> None:
    linked = LINKER.link(talk("I saw Halloween (1978).", "Did you like the movie Halloween?", "Yes!"))
    assert titles_of(linked) == [["Halloween (1978)"], ["Halloween (1978)"], []]
    assert linked.utterances[2].mentions == ()


def test_annotated_mentions_stay_unless_they_are_to_be_replaced() -> None:
    mine = (Mention(title="Mine (2016)"),)
    annotated = talk("The Matrix (1999)", mentions=mine)
    assert LINKER.link(annotated) == annotated
    assert titles_of(LINKER.link(annotated, replace=True)) == [["The Matrix (1999)"]]


def test_an_utterance_annotated_as_naming_nothing_stays_so() -> None:
    none = talk("The Matrix (1999)", mentions=())
    assert LINKER.link(none) == none


def test_another_linkers_mentions_are_found_anew() -> None:
    other = Catalogue.from_items([Item(id="m", title="Matrix", year=1999)])
    once = TitleLinker(other).link(talk("The Matrix (1999)"))
    assert LINKER.link(once).utterances[0].mentions == LINKER.find("The Matrix (1999)")


def test_an_annotated_title_is_context_for_what_follows_and_its_foreign_id_is_not() -> None:
    for title, expected in (("Halloween (1978)", "Halloween (1978)"), ("Jaws", "Halloween (2018)")):
        named = Utterance(speaker="user", text="that one", mentions=(Mention(title=title, item_id="2"),))
        said = Utterance(speaker="system", text="The movie Halloween?")
        linked = LINKER.link(Dialogue(id="d", utterances=(named, said)))
        assert titles_of(linked)[1] == [expected]


WRITTEN = """
The Matrix|matrix|Rocky|II|2|(1978)|Halloween|halloween|1978|It|IT|it|"|'|(|)|:|,|.| - |the|movie|Star Wars|seen|I|&|and|
Spider-Man|Into the Spider-Verse|Insidious|insidous|Amélie|Fast|Furious|up|Up|WALL·E|...|é|千と千尋の神隠し
"""
PIECES = st.sampled_from([*WRITTEN.split("|"), "\n"])
talks = st.one_of(st.text(), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES, max_size=14).map("".join))
FORMS = {item.id: {"".join(variant.forms) for variant in variants(item)} for item in FILMS.values()}


@given(talks)
@example("Halloween (1978) (1978)")
@example("Halloween1978")
def test_every_mention_lies_in_the_text_and_is_a_form_of_its_title(text: str) -> None:
    mentions = TitleLinker(FILMS, typos=False).find(text)
    for mention in mentions:
        assert mention.start is not None
        assert mention.end is not None
        words = text[mention.start : mention.end]
        assert words == words.strip()
        forms = ["".join(token.form for token in tokens(part)) for part in (words, *_without_year(words))]
        assert not FORMS[mention.item_id or ""].isdisjoint(forms)
    assert all((before.end or 0) <= (after.start or 0) for before, after in pairwise(mentions))


def _without_year(words: str) -> list[str]:
    return [split_year(words.replace("[", "(").replace("]", ")"))[0], words[:-4]]


BEFORE = (
    "",
    "the ",
    "The ",
    "is ",
    "not with Will and The ",
    '"',
    "- ",
    "1. ",
    "Title: ",
    "Lots of ",
    "It's ",
    "I saw x-",
)
BEHIND = ("", "?", " of Thrones", ": The Return", '" and', " 2", "s are", " | 7.5", "'s")


@given(st.sampled_from(BEFORE), st.sampled_from(list(FILMS)), st.sampled_from(BEHIND), st.booleans(), talks)
def test_what_is_found_is_what_is_explained(before: str, film: str, behind: str, is_small: bool, more: str) -> None:
    title = FILMS[film].title_with_year
    text = f"{before}{title.lower() if is_small else title}{behind} {more}"
    explained = [each for each in LINKER.explain(text) if each.chosen is not None]
    expected: list[tuple[str | None, int | None, int | None]] = []
    for each in sorted(explained, key=lambda each: (each.start, -each.end)):
        if not expected or each.start >= (expected[-1][2] or 0):
            expected.append((each.chosen, each.start, each.end))
    assert [(each.item_id, each.start, each.end) for each in LINKER.find(text)] == expected


@given(talks)
def test_linking_is_deterministic(text: str) -> None:
    assert TitleLinker(FILMS).find(text) == LINKER.find(text)


@given(st.lists(talks, max_size=4))
def test_linking_twice_is_linking_once(texts: list[str]) -> None:
    once = LINKER.link(talk(*texts))
    assert LINKER.link(once) == once


@given(st.lists(st.text(max_size=20), max_size=8), st.text())
def test_any_titles_can_be_a_catalogue(titles: list[str], text: str) -> None:
    films = Catalogue.from_items(Item(id=str(number), title=title) for number, title in enumerate(titles))
    linker = TitleLinker(films)
    for mention in linker.find(" ".join((text, *titles))):
        assert mention.item_id in films


@untraced()
def grows_with_the_text_only(linker: TitleLinker, words: str, length: int = 8_000) -> bool:
    """Whether ten times the text takes some ten times as long on any machine; a square would take a hundred times."""

    def spent(times: int) -> float:
        start = time.process_time()
        linker.find(words * times)
        return time.process_time() - start

    short = length // len(words)
    spent(10)
    gc.disable()  # or a collection that falls into one of the two looks at all that other tests have left
    try:
        return spent(10 * short) < 30 * max(spent(short), spent(short), 0.005)
    finally:
        gc.enable()


REPEATED = ("Matrix ", "Matrix (", "it's ", "ax", "a.", '("', "Star Wars: ", "1999 ", "天", "A-")
LISTED = (
    "1. Rocky\n",
    "Rocky, ",
    "| Rocky |\n",
    '["Rocky", ',
    "*Rocky* ",
    "[Rocky](a.b) ",
    "<li>Rocky",
    "300 or ",
    "&amp;",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "word", ["Matrix ", "Matrix (", "it's ", "ax", "a.", '("', "Star Wars: ", "1999 ", "天", "A-", *LISTED]
)
def test_a_text_that_says_one_thing_again_and_again_takes_time_in_proportion(word: str) -> None:
    assert grows_with_the_text_only(LINKER, word)


def test_time_grows_with_the_length_of_the_text_only() -> None:
    assert grows_with_the_text_only(LINKER, "have you seen the matrix or rocky 2 ")


@pytest.mark.slow
def test_a_catalogue_of_endless_titles_does_not_stall() -> None:
    films = TitleLinker(Catalogue.from_items(Item(id=str(n), title="a " * n) for n in range(1, 200)))
    assert grows_with_the_text_only(films, "a ", 400)


def test_the_card_names_this_version() -> None:
    assert LINKER.signature.startswith(LINKER_CARD.name.removesuffix(")"))
    for measured in LINKER_CARD.measured:
        for value, low, high in (measured.precision, measured.recall):
            assert 0 < low < value < high < 1


def test_the_cards_figures_are_those_that_were_measured() -> None:
    written = Path(__file__).parents[3] / "benchmarks" / "LINKER.md"
    if not written.exists():
        pytest.skip("benchmarks/LINKER.md is not in this copy of the project")
    text = written.read_text(encoding="utf-8")
    for measured in LINKER_CARD.measured:
        cells = [
            f"{100 * v:.1f} ({100 * low:.1f}–{100 * high:.1f})"
            for v, low, high in (measured.precision, measured.recall)
        ]
        assert f"| {measured.n} | {cells[0]} | {cells[1]} |" in text


@pytest.mark.mirror
def test_the_examples_of_movielens_are_found(mirror: Path) -> None:
    films = read_movielens(mirror / "movielens" / "ml-latest-small", note=lambda problem: None)
    linker = TitleLinker(films.catalogue, popularity=films.ratings.popularity())
    text = "I loved Pulp Fiction, se7en and The Empire Strikes Back. Have you seen City of Lost Children?"
    assert [mention.title for mention in linker.find(text)] == [
        "Pulp Fiction (1994)",
        "Seven (1995)",
        "Star Wars: Episode V - The Empire Strikes Back (1980)",
        "The City of Lost Children (1995)",
    ]
