"""Titles that a catalogue does not have, and those that it has under another spelling."""

from pathlib import Path

import pytest

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.catalogue.presenting.real_items import RealItems, read_real_items
from trialogue.catalogue.presenting.title_index import TRIED, TitleNeighbours
from trialogue.errors import DataError
from trialogue.records import Mention, MentionedBy, Utterance

ITEMS = [
    Item(id="1", title="The Shawshank Redemption", year=1994, attributes={"genres": ("Prison Drama",)}),
    Item(id="2", title="Oldboy", year=2003),
    Item(id="3", title="Heat", year=1995),
    Item(id="4", title="Harry Potter and the Chamber of Secrets", year=2002),
    Item(id="5", title="Harry Potter and the Goblet of Fire", year=2005),
    Item(id="6", title="Pride & Prejudice", year=2005),
    Item(id="7", title="Sonic the Hedgehog", year=2020),
    Item(id="8", title="The Paper", year=1994),
    Item(id="9", title="Walk the Line", year=2005),
]
CHECK = TitleCheck(TitleLinker(Catalogue.from_items(ITEMS)))


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("I recommend The Shawshank Redemption (1994).", []),
        ("I recommend The Shawshenk Redemtion.", []),
        ('Try "Oldboy" (2003).', []),
        ('Try "Oldboy" (2013).', ["Oldboy (2013)"]),
        ("Have you seen Harry Potter?", []),
        ("Have you seen Harry Potter and the Goblet of Fire, or Sonic?", []),
        ("I recommend Pride and Prejudice.", []),
        ("How about Heat with Al Pacino?", []),
        ("Try Heat and The Paper Lantern.", ["The Paper Lantern"]),
        ("Try The Paper Lantern or The Paper.", ["The Paper Lantern"]),
        ("Also Walk the Line (2005) is good.", []),
        ("Do you like Prison Drama?", []),
        ("1. Heat\n2. The Silver Moon\n3. Midnight Harbor (2011)", ["The Silver Moon", "Midnight Harbor (2011)"]),
        ("What do you like?", []),
    ],
)
def test_only_what_the_catalogue_lacks_is_found(text: str, unknown: list[str]) -> None:
    assert [each.title for each in CHECK.unknown_titles(text)] == unknown
    assert [each.item_id for each in CHECK.unknown_titles(text)] == [None] * len(unknown)


def test_items_that_somebody_annotated_are_known_whatever_they_are_called() -> None:
    text = "I recommend The Silver Moon."
    place = text.index("The")
    assert CHECK.unknown_titles(text, [Mention(title="x", item_id="77", start=place, end=len(text) - 1)]) == ()


def test_links_inside_of_unknown_titles_are_dropped() -> None:
    linker = TitleLinker(Catalogue.from_items(ITEMS))
    said = Utterance(speaker="system", text="Try The Paper Lantern, or Heat (1995).")
    found = TitleCheck(linker).check_utterance(linker.link_utterance(said))
    assert found.unrecognised is not None
    assert found.mentions is not None
    assert [each.title for each in found.unrecognised] == ["The Paper Lantern"]
    assert [each.item_id for each in found.mentions] == ["3"]


REAL = RealItems(
    (Item(id="1", title="Marley & Me", year=2008), Item(id="2", title="Oldboy", year=2013)), "films.txt", "ab" * 32
)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ('Try "Marley & Me" or "Heat".', [("Marley & Me", "listed")]),
        ('Try "Marley and Me" (2008).', [("Marley and Me (2008)", "listed")]),
        ('Try "Marley & Me" (1997).', [("Marley & Me (1997)", "presented")]),
        (
            'Try "Oldboy" (2013) or "The Paper Lantern".',
            [("Oldboy (2013)", "listed"), ("The Paper Lantern", "presented")],
        ),
        ('Try "The Paper Lantern" (2024).', [("The Paper Lantern (2024)", "newer")]),
        ('Try "The Paper Lantern" (2020).', [("The Paper Lantern (2020)", "presented")]),
    ],
)
def test_a_title_is_listed_newer_or_neither(text: str, states: list[tuple[str, str]]) -> None:
    check = TitleCheck(TitleLinker(Catalogue.from_items(ITEMS)), real=REAL)
    found = check.unknown_titles(text)
    assert [(each.title, each.by.value) for each in found] == states
    assert {each.origin for each in found if each.by is MentionedBy.LISTED} <= {
        f"films.txt (2 titles, sha256 {'ab' * 6})"
    }


def test_the_date_of_a_catalogue_is_declared_or_that_of_its_latest_item(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("id,title,year\n1,Heat,1995\n")
    (tmp_path / "films.yaml").write_text("file: films.csv\nid: id\ntitle: title\nyear: year\ndate: 2010\n")
    plain, dated = (Catalogue.read(tmp_path / name) for name in ("films.csv", "films.yaml"))
    assert (plain.date, dated.date, Catalogue.from_items([Item(id="1", title="Heat")]).date) == (1995, 2010, None)
    text = 'Try "The Paper Lantern" (2004).'
    found = [
        TitleCheck(TitleLinker(catalogue), date=date).unknown_titles(text)[0].by.value
        for catalogue, date in ((plain, None), (dated, None), (plain, 2004), (dated, 2003))
    ]
    assert found == ["newer", "presented", "presented", "newer"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.txt", "Marley & Me (2008)\nOldboy (2013)\n"),
        ("list.jsonl", '"Marley & Me (2008)"\n"Oldboy (2013)"\n'),
        ("list.jsonl", '{"title": "Marley & Me", "year": 2008}\n{"title": "Oldboy", "year": 2013}\n'),
        ("list.csv", "title,year\nMarley & Me,2008\nOldboy,2013\n"),
        ("list.csv", "title\nMarley & Me (2008)\nOldboy (2013)\nOldboy (2003)\n"),
    ],
)
def test_a_list_of_real_items_is_read_in_the_forms_people_have(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    real = read_real_items(tmp_path / name)
    assert [real.titles.has(*of) for of in (("Marley and Me", 2008), ("Oldboy", 2013), ("Oldboy", 1990))] == [
        True,
        True,
        False,
    ]
    assert real.name == name
    assert len(real.sha256) == 64


def test_an_empty_or_broken_list_is_refused(tmp_path: Path) -> None:
    for name, content, words in (("list.txt", "\n", "no titles"), ("list.jsonl", '"Heat\n', "not valid JSON")):
        (tmp_path / name).write_text(content)
        with pytest.raises(DataError, match=words):
            read_real_items(tmp_path / name)


def test_other_titles_come_from_every_column_of_them(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text(
        "id,title,original_title,aka\n1,Life Is Beautiful,La vita è bella,Das Leben ist schön|美丽人生\n"
    )
    check = TitleCheck(TitleLinker(Catalogue.read(tmp_path / "films.csv")))
    for title in ("La vita è bella", "Das Leben ist schön", "美丽人生", "Life Is Beautiful"):
        assert check.unknown_titles(f'Try "{title}".') == ()


GERMAN = Catalogue.from_items(
    [
        Item(id="1", title="Das Boot", year=1981),
        Item(id="2", title="Lola rennt", year=1998),
        Item(id="3", title="Der Himmel über Berlin"),
    ]
)
CHINESE = Catalogue.from_items(
    [Item(id="1", title="霸王别姬", year=1993, attributes={"类型": ("剧情",)}), Item(id="2", title="活着", year=1994)]
)


@pytest.mark.parametrize(
    ("catalogue", "text", "unknown"),
    [
        (
            GERMAN,
            "Schau dir doch „Das Boot“ oder „Der silberne Garten“ an, beide sind sehr spannend.",
            ["Der silberne Garten"],
        ),
        (GERMAN, "Ich empfehle dir »Lola rennt« und «Nachtfahrt nach Emden» (1987).", ["Nachtfahrt nach Emden (1987)"]),
        (GERMAN, "Wie wäre es mit ‚Der Himmel über Berlin‘ oder „Nebel im Hafen“?", ["Nebel im Hafen"]),
        (GERMAN, "Der Film hat eine tolle Musik, und der Regisseur liebt die Stadt und das Meer bei Nacht.", []),
        (
            GERMAN,
            "Magst du lieber eine Komödie oder einen Krimi? Die Handlung soll wohl in einer Großstadt spielen.",
            [],
        ),
        (GERMAN, "Du sagtest: „Ich mag keine Horrorfilme“. Dann schau dir lieber etwas Ruhiges an.", []),
        (GERMAN, "Meine Tipps:\n1. Das Boot (1981)\n2. Silbermond (1999)\n3. Lola rennt (1998)", ["Silbermond (1999)"]),
        (CHINESE, "我推荐《霸王别姬》和《银色的月亮》。", ["银色的月亮"]),
        (CHINESE, "你可以看看「活着」或者「雾中的城」。", ["雾中的城"]),
        (CHINESE, "推荐如下:\n1. 霸王别姬（1993）\n2. 银色的月亮（1989）\n3. 活着", ["银色的月亮 (1989)"]),
        (CHINESE, "你喜欢什么类型的电影？喜剧还是动作片？", []),
        (CHINESE, "请选择类型:\n1. 喜剧\n2. 动作片\n3. 剧情", []),
        (CHINESE, "你说「我不喜欢恐怖片，太吓人了」，那就看《活着》吧。", []),
    ],
)
def test_titles_in_german_and_chinese_are_recognised_by_marks_not_by_capitals(
    catalogue: Catalogue, text: str, unknown: list[str]
) -> None:
    assert [each.title for each in TitleCheck(TitleLinker(catalogue)).unknown_titles(text)] == unknown


def test_where_titles_cannot_be_recognised_nothing_is_said_of_them() -> None:
    for catalogue, text, is_readable in (
        (GERMAN, "Ich empfehle dir Das Boot und den Silbergarten, beide sind wirklich sehr spannend.", False),
        (GERMAN, "Ich empfehle dir „Das Boot“, der ist wirklich sehr spannend.", True),
        (CHINESE, "我推荐霸王别姬和银色的月亮，都很好看。", False),
        (CHINESE, "我推荐《霸王别姬》，很好看。", True),
    ):
        linker = TitleLinker(catalogue)
        said = linker.link_utterance(Utterance(speaker="system", text=text))
        assert said.mentions
        assert (TitleCheck(linker).check_utterance(said).unrecognised is not None) is is_readable


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("1. heat\n2. glass harbor\n3. oldboy", ["glass harbor"]),
        ('how about "heat" or "glass harbor"?', ["glass harbor"]),
        ("you should watch glass harbor (2011), its great", ["glass harbor (2011)"]),
        ("watch heat (1995) its great", []),
        ('he said "no way" and laughed', []),
        ("1. a comedy\n2. something sad", []),
    ],
)
def test_titles_in_small_letters_are_recognised_by_what_stands_around_them(text: str, unknown: list[str]) -> None:
    assert [each.title for each in CHECK.unknown_titles(text)] == unknown


def test_of_more_titles_that_are_as_near_than_are_tried_the_same_are_tried_in_each_process() -> None:
    said = "wonderful imaginations"  # a letter in it takes three pieces; all titles below hold the first ones
    slips = [f"{said[:place]}z{said[place + 1 :]}" for place in (3, 4, 5, 6, 12, 13, 14, 15, 16, 17, 18, 19)]
    assert set(TitleNeighbours(slips).like(said)) == set(slips[:TRIED])
