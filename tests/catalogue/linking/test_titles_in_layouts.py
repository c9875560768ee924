"""Titles in lists: the layout of a reply changes neither which titles are found nor where."""

import unicodedata
from collections.abc import Callable
from random import Random

import pytest
from benchmarks.title_layouts import LAYOUTS
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue import Catalogue, Item, TitleLinker

TELLING = (
    "The Matrix", "Amélie", "12 Monkeys", "Pulp Fiction", "Mission: Impossible", "Zoolander", "What's Up, Doc?",
    "Star Wars: Episode IV - A New Hope", "The Good, the Bad and the Ugly", "Fast & Furious", "Rocky II", "Spider-Man",
    "M*A*S*H", "Dr. Strangelove", "3:10 to Yuma", "Monsters, Inc.", "The Godfather", "Léon: The Professional",
)  # fmt: skip
WEAK = ("It", "Up", "Her", "Heat", "300", "1917", "Joker", "Frozen", "Emma", "The Help", "Airplane!", "Get Out", "9")
FILMS = Catalogue.from_items(
    Item(id=title, title=title, year=1980 + place, attributes={"genre": ("Drama", "Comedy")})
    for place, title in enumerate((*TELLING, *WEAK, "Rocky", "Drama", "Yes"))
)
LINKER = TitleLinker(FILMS)


def found(text: str) -> list[str]:
    return [mention.item_id or "" for mention in LINKER.find(text)]


def places(text: str) -> list[str]:
    return [text[mention.start : mention.end] for mention in LINKER.find(text)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dated", [False, True], ids=["no years", "years"])
def test_titles_are_found_in_every_layout(layout: str, *, dated: bool) -> None:
    for start in range(5):
        titles = [*TELLING[start::5], *WEAK[start::5]]
        written = [f"{title} ({FILMS[title].year})" if dated else title for title in titles]
        assert found(LAYOUTS[layout](written)) == titles


@given(
    st.lists(st.sampled_from(TELLING), min_size=2, max_size=5, unique=True),
    st.lists(st.sampled_from(WEAK), max_size=3, unique=True),
    st.randoms(use_true_random=False),
    st.sampled_from(sorted(LAYOUTS)),
)
def test_a_layout_changes_nothing(telling: list[str], weak: list[str], random: Random, layout: str) -> None:
    titles = [*telling, *weak]
    random.shuffle(titles)
    assert found(LAYOUTS[layout](titles)) == titles


@pytest.mark.parametrize("titles", [("It", "Up", "Her"), ("300", "1917", "9"), ("Joker", "Heat", "Emma", "Frozen")])
@pytest.mark.parametrize(
    "layout", ["1. Heat", "- Heat", "① Heat", "bare lines", "table", "JSON list", "1. Heat 2. Joker"]
)
def test_slots_are_trusted_where_words_in_a_sentence_are_not(layout: str, titles: tuple[str, ...]) -> None:
    assert found(LAYOUTS[layout](titles)) == list(titles)


@pytest.mark.parametrize(
    "text",
    [
        "- Yes\n- No",
        "What are you in the mood for?\n1. Drama\n2. Comedy\n3. Horror",
        "**Drama**: stories of people",
        "1. It depends.\n2. Up to you.",
        "I'd give it a 9/10, at 3:10 pm",
        "My rule: 1. Joke less 2. Yes to drama",
        "1. The Heat\n2. The Joker",  # other films than "Heat" and "Joker", for all that the catalogue knows
        "I loved The Heat. The Heat is fun.",
        "1. Frozen: The Return\n2. Zorblax",
        "- Spider-Woman\n- Heat Wave\n- Up Close",
        '{"genre": "Drama", "year": "1917", "director": "Emma"}',
        "| Genre | Rating |\n|---|---|\n| Drama | 9 |",
        "It was made in 1917. I saw 300 films.",
    ],
)
def test_not_every_item_of_a_list_is_a_title(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Amélie is a lovely French film.", ["Amélie"]),
        ("Amélie, a French comedy, is my pick.", ["Amélie"]),
        ("I recommend 300.", ["300"]),
        ("Try 1917", ["1917"]),
        ("I suggest 1917 or 300.", ["1917", "300"]),
        ("1. Rocky II 2. Joker", ["Rocky II", "Joker"]),
        ("1. Rocky 2. Joker", ["Rocky", "Joker"]),
        ("1. Rocky\n2. Joker", ["Rocky", "Joker"]),
        ("1. Heat: Crime, Thriller\n2. Up: Animation", ["Heat", "Up"]),
        ("1. Heat starring Al Pacino\n2. Up by Pixar", ["Heat", "Up"]),
        ("- Matrix, The (1980)\n- Heat", ["The Matrix", "Heat"]),
        ("3. Heat\n4. Up\n5. Her", ["Heat", "Up", "Her"]),
        ("Recommendation 1: Heat\nRecommendation 2: Up", ["Heat", "Up"]),
        ('{"reply": "1. Heat\\n2. Up"}', ["Heat", "Up"]),
        ('["Am\\u00e9lie", "Up"]', ["Amélie", "Up"]),
        ("['Heat', \"What's Up, Doc?\"]", ["Heat", "What's Up, Doc?"]),
        ("<ul><li>Fast &amp; Furious</li><li>Up</li></ul>", ["Fast & Furious", "Up"]),
        ("I think **Her** or *Up* would suit you.", ["Her", "Up"]),
        ("| Film | Genre |\n|---|---|\n| Heat | Drama |\n| Up | Comedy |", ["Heat", "Up"]),
        ("1. heat\n2. zoolander\n3. up", ["Heat", "Zoolander", "Up"]),
    ],
)
def test_what_replies_write(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("layout", ["1. Heat", "Heat, Joker and Alien", "JSON in a fence", "table", "1. Heat 2. Joker"])
@pytest.mark.parametrize(
    "write",
    [
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace("Pulp ", "Pulp\u00a0"),
        lambda text: text.replace("Pulp ", "Pulp\u200b"),
        lambda text: text.replace("Pulp", "Pu\u200blp"),
        lambda text: text.replace("e", "e\u200d"),
    ],
    ids=["NFD", "no-break space", "zero-width space for a space", "zero-width space in a word", "zero-width joiners"],
)
def test_what_nobody_sees_changes_nothing(layout: str, write: Callable[[str], str]) -> None:
    titles = ["Amélie", "Pulp Fiction", "Léon: The Professional", "Heat"]
    text = write(LAYOUTS[layout](titles))
    assert found(text) == titles
    assert [place.rstrip("\u200d") for place in places(text)] == [write(title).rstrip("\u200d") for title in titles]


def test_the_year_of_its_row_tells_items_apart() -> None:
    pairs = [(title, year) for title in ("Halloween", "Carrie") for year in (1978, 2018)]
    films = Catalogue.from_items(Item(id=f"{title}{year}", title=title, year=year) for title, year in pairs)
    text = '[{"title": "Halloween", "year": 1978}, {"title": "Carrie", "year": 2018}]'
    table = "| Film | Year |\n|---|---|\n| Halloween | 1978 |\n| Carrie | 2018 |"
    for each in (text, table, "1. Halloween 1978\n2. Carrie, from 2018"):
        assert [mention.item_id for mention in TitleLinker(films).find(each)] == ["Halloween1978", "Carrie2018"]


@given(st.text(alphabet="\n|*_`<>[]{}\"':,.-0123456789#() aHeatUp\u200be\u0301&;\\n", max_size=60))
def test_mentions_in_any_mess_are_in_order_and_in_the_text(text: str) -> None:
    behind = 0
    for mention in LINKER.find(text):
        assert mention.start is not None
        assert mention.end is not None
        assert behind <= mention.start < mention.end <= len(text)
        behind = mention.end
