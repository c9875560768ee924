"""Items and catalogues: lookups, reading, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item
from trialogue.errors import DataError
from trialogue.records import read_records, write_records

PIANO = Item(
    id="1", title="The Piano", year=1993, attributes={"genre": ("Drama", "Romance"), "director": ("Jane Campion",)}
)
TEACHER = Item(
    id="2", title="The Piano Teacher", year=2001, attributes={"genre": ("Drama",), OTHER_TITLES: ("La Pianiste",)}
)
NEWER = Item(id="3", title="Piano", year=2020)
FILMS = Catalogue.from_items([PIANO, TEACHER, NEWER])


def read(tmp_path: Path, text: str, name: str = "items.csv") -> Catalogue:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return Catalogue.read(path)


def mistakes(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems]


items = st.builds(
    Item,
    id=st.text(min_size=1),
    title=st.text(),
    year=st.none() | st.integers(),
    attributes=st.dictionaries(st.text(), st.lists(st.text(), max_size=3).map(tuple), max_size=3),
    description=st.none() | st.text(),
)


@given(item=items)
def test_items_are_the_same_after_a_trip_through_json(item: Item) -> None:
    assert Item.model_validate(item.to_json()) == item


def test_items_are_written_and_read_as_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "films.jsonl.gz"
    assert write_records(path, FILMS.values()) == 3
    assert list(read_records(path, Item)) == list(FILMS.values())
    assert dict(Catalogue.read(path)) == dict(FILMS)


def test_an_item_is_frozen_closed_and_has_an_id() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        PIANO.title = "Other"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra inputs"):
        Item.model_validate({"id": "1", "title": "A", "genre": "x"})
    with pytest.raises(ValidationError, match="at least 1 character"):
        Item(id="", title="A")


def test_blank_values_are_none_of_an_item() -> None:
    item = Item(id="1", title="Heat", attributes={"genre": ("", "Crime", " "), "actor": ("",), "tag": ()})
    assert item.attributes == {"genre": ("Crime",), "tag": ()}


def test_a_catalogue_is_a_mapping_in_the_given_order() -> None:
    assert list(FILMS) == ["1", "2", "3"]
    assert len(FILMS) == 3
    assert FILMS["2"] is TEACHER
    assert "4" not in FILMS
    assert repr(FILMS).startswith("Catalogue(3 items, ")


@pytest.mark.parametrize("title", ["The Piano", "piano", "PIANO!", "Piano, The"])
def test_titles_are_found_in_any_writing_the_exact_ones_first(title: str) -> None:
    ids = [item.id for item in FILMS.find_title(title)]
    assert sorted(ids) == ["1", "3"]
    assert ids[0] == ("1" if "the" in title.lower() else "3")


def test_a_year_narrows_titles_down() -> None:
    assert FILMS.find_title("Piano (1993)") == (PIANO,)
    assert FILMS.find_title("Piano", year=2020) == (NEWER,)
    assert FILMS.find_title("Piano (1950)") == ()


def test_other_titles_find_an_item_too() -> None:
    assert FILMS.find_title("la pianiste") == (TEACHER,)
    assert FILMS.find_title("Accordion") == ()


def test_attributes_are_indexed() -> None:
    assert FILMS.attributes == ("director", "genre", OTHER_TITLES)
    assert FILMS.values_of("genre") == {"Drama": 2, "Romance": 1}
    assert FILMS.values_of("colour") == {}
    assert FILMS.items_with("genre", "DRAMA") == ("1", "2")
    assert FILMS.items_with("genre", "Horror") == ()


def test_all_repeated_ids_are_refused_at_once() -> None:
    with pytest.raises(DataError) as caught:
        Catalogue.from_items([PIANO, TEACHER, PIANO, NEWER, TEACHER, PIANO], file="films")
    assert [str(problem).split(" Give")[0] for problem in caught.value.problems] == [
        "films, field id: 3 items share the id '1' (no. 1, no. 3 and no. 6).",
        "films, field id: 2 items share the id '2' (no. 2 and no. 5).",
    ]


def test_an_empty_catalogue_can_be_made_but_not_read(tmp_path: Path) -> None:
    assert len(Catalogue.from_items([])) == 0
    for text in ("", "\n\n", "id,title\n"):
        with pytest.raises(DataError, match="has no items"):
            read(tmp_path, text)


def test_the_fingerprint_is_that_of_ids_titles_and_years() -> None:
    same = Catalogue.from_items([PIANO.model_copy(update={"description": "…"}), TEACHER, NEWER])
    other = Catalogue.from_items([PIANO.model_copy(update={"year": 1994}), TEACHER, NEWER])
    assert FILMS.fingerprint == same.fingerprint != other.fingerprint


def test_a_table_is_read_with_attributes_in_its_columns(tmp_path: Path) -> None:
    rows = ('7,"Matrix, The (1999)",Action|Sci-Fi, Lilly | Lana ,"Blue,', "", 'or red"', "8,Up,,,", "")
    text = "\n".join(("ID,Title,Genres,director,description", "", *rows))
    films = read(tmp_path, text)
    assert films["7"] == Item(
        id="7",
        title="The Matrix",
        year=1999,
        attributes={"genre": ("Action", "Sci-Fi"), "director": ("Lilly", "Lana")},
        description="Blue,\n\nor red",
    )
    assert films["8"] == Item(id="8", title="Up")


@pytest.mark.parametrize("mark", ["\t", ";"])
def test_other_separators_and_a_byte_order_mark_are_understood(tmp_path: Path, mark: str) -> None:
    films = read(
        tmp_path, "\ufeff" + mark.join(("id", "title", "year")) + "\n" + mark.join(("a", "Alien", "1979.0")) + "\n"
    )
    assert films["a"].title_with_year == "Alien (1979)"


def test_every_bad_row_of_a_table_is_named_at_once(tmp_path: Path) -> None:
    text = 'id,title,year\n1,A,x\n2,B\n\n,C,1999\n4,"D\n'
    assert mistakes(tmp_path, text) == [
        "items.csv, line 2: the year is 'x', but must be a whole number or empty.",
        "items.csv, line 3: this row has 2 fields, but the header has 3.",
        "items.csv, line 5, field id: expected at least 1 character, got none.",
        "items.csv, line 6: not a valid row of a table (unexpected end of data). Check its quotes.",
    ]


def test_a_header_without_the_needed_columns_is_refused(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "what,year\nA,1999\n") == [
        "items.csv, line 1: no column is known to be the title. The columns are: what, year. "
        "Name the columns id and title, or say which they are in a YAML file, and give that. For example: "
        "{file: films.csv, id: tconst, title: primaryTitle, attributes: {genre: genres}}"
    ]


def test_obvious_headings_of_published_catalogues_are_known(tmp_path: Path) -> None:
    films = read(
        tmp_path, 'movieId,title,genres\n1,"Matrix, The (1999)",Action|Sci-Fi\n2,Up (2009),(no genres listed)\n'
    )
    assert films["1"] == Item(id="1", title="The Matrix", year=1999, attributes={"genre": ("Action", "Sci-Fi")})
    assert films["2"] == Item(id="2", title="Up", year=2009)
    books = read(tmp_path, "isbn,name,authors,publication_year\n90,Emma,Jane Austen,1815\n", "books.csv")
    assert books["90"] == Item(id="90", title="Emma", year=1815, attributes={"authors": ("Jane Austen",)})


def test_headings_that_leave_a_choice_are_asked_about(tmp_path: Path) -> None:
    (found,) = mistakes(tmp_path, "movieId,tconst,title\n1,tt1,A\n")
    assert "several columns may be the id: movieId, tconst." in found


def test_a_mapping_names_the_columns_and_the_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "films.tsv").write_text(
        "tconst\tprimaryTitle\tstartYear\tgenres\ntt1\tHeat\t1995\tCrime,Drama\ntt2\tM\t\\N\t\\N\n"
    )
    fields = "id: tconst\ntitle: primaryTitle\nyear: startYear\nattributes: {genre: genres}\nseparator: ','\n"
    (tmp_path / "films.yaml").write_text(f"file: films.tsv\n{fields}")
    films = Catalogue.read(tmp_path / "films.yaml")
    assert films["tt1"] == Item(id="tt1", title="Heat", year=1995, attributes={"genre": ("Crime", "Drama")})
    assert films["tt2"] == Item(id="tt2", title="M")


def test_other_json_lines_are_read_by_paths(tmp_path: Path) -> None:
    (tmp_path / "games.jsonl").write_text('{"asin": "b1", "meta": {"name": "Go", "tags": ["old", "two players"]}}\n')
    columns = {"id": "asin", "title": "meta.name", "attributes": {"tag": "meta.tags"}}
    games = Catalogue.read(tmp_path / "games.jsonl", columns=columns)
    assert games["b1"] == Item(id="b1", title="Go", attributes={"tag": ("old", "two players")})


def test_mistakes_of_a_mapping_of_items_are_reported_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("a,b\n1,X\n")
    (tmp_path / "wrong.yaml").write_text("file: films.csv\nid: a\nname: b\n")
    with pytest.raises(DataError) as caught:
        Catalogue.read(tmp_path / "wrong.yaml")
    assert {(problem.line, problem.field) for problem in caught.value.problems} >= {(3, "name")}
    (tmp_path / "odd.yaml").write_text("file: films.csv\nid: a\ntitle: c\n")
    with pytest.raises(DataError, match=r"there is no column c\. The columns are: a, b\."):
        Catalogue.read(tmp_path / "odd.yaml")
    (tmp_path / "none.yaml").write_text("id: a\ntitle: b\n")
    with pytest.raises(DataError, match="the mapping does not name its file"):
        Catalogue.read(tmp_path / "none.yaml")


def test_the_line_of_a_wrong_header_counts_the_blank_lines_before_it(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "\n\nid,year\nA,1999\n")[0].startswith(
        "items.csv, line 3: no column is known to be the title."
    )


def test_repeated_ids_of_a_file_are_refused_with_its_name(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "id,title\n1,A\n1,B\n")[0].startswith("items.csv, field id: 2 items share the id '1'")


def test_json_lines_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="kind 'dialogue'; expected: item"):
        read(tmp_path, '{"kind":"dialogue","v":1,"id":"1","utterances":[]}\n', "x.jsonl")


def test_bytes_that_are_no_utf_8_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_bytes(b"id,title\n1,Caf\xe9\n")
    with pytest.raises(DataError, match="line 2: byte 5 of this line"):
        Catalogue.read(tmp_path / "items.csv")


def test_a_catalogue_is_written_and_read_back(tmp_path: Path) -> None:
    assert FILMS.write(tmp_path / "films.jsonl") == 3
    assert dict(Catalogue.read(tmp_path / "films.jsonl")) == dict(FILMS)
