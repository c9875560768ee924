"""MovieLens: layouts, titles, and what is wrong in a file."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from trialogue.catalogue import Scale
from trialogue.catalogue.linking.titles import parse_title
from trialogue.datasets import Repairs, get_corpus
from trialogue.datasets.corpora import movielens as module
from trialogue.datasets.corpora.movielens import SOURCES, MovieLens, read_movielens
from trialogue.errors import DataError, Problem

SAMPLES = Path(__file__).parents[2] / "data" / "movielens"
EDITIONS = ("latest-small", "1m", "10m", "20m", "25m", "32m")


def ignore(problem: Problem) -> None:
    raise AssertionError(f"nothing to repair, but: {problem}")


def copy(name: str, folder: Path, **texts: str) -> Path:
    """A sample with some of its files written anew; ``ratings="..."`` is its ratings file."""
    made = Path(shutil.copytree(SAMPLES / name, folder / name))
    for stem, text in texts.items():
        (made / f"{stem}{'.csv' if name == 'csv' else '.dat'}").write_text(text, encoding="utf-8")
    return made


def mistakes(folder: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read_movielens(folder, note=ignore)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_films_have_their_article_in_front_and_their_year_apart() -> None:
    films = read_movielens(SAMPLES / "csv", note=ignore).catalogue
    assert [item.title_with_year for item in films.values()] == [
        "Lantern Street (1995)",
        "The Quiet Orchard (1968)",
        "The Postman's Goat: Second Delivery (2004)",
        "Babylon Nine",
        "11 Doors (2012)",
    ]


def test_other_titles_become_an_attribute() -> None:
    films = read_movielens(SAMPLES / "csv", note=ignore).catalogue
    assert films["7"].other_titles == ("Le Verger tranquille",)
    assert films["31"].other_titles == ("Elva dörrar", "Eleven")
    assert films["1"].other_titles == ()


def test_a_film_without_genres_has_none() -> None:
    films = read_movielens(SAMPLES / "csv", note=ignore).catalogue
    assert films["20"].attributes == {}
    assert films["31"].attributes["genre"] == ("Mystery", "Thriller")
    assert films.items_with("genre", "comedy") == ("1", "12")


def test_ratings_keep_users_values_and_times() -> None:
    ratings = read_movielens(SAMPLES / "csv", note=ignore).ratings
    assert ratings.users == ("1", "2", "5")
    assert ratings.of_user("1") == {"1": 4.0, "7": 0.5}
    assert ratings.times is not None
    assert ratings.times.tolist() == [964982703, 964981247, 1445714994, 1445714996]
    assert ratings.scale == Scale(0.5, 5, 0.5)


def test_films_that_nobody_rated_are_counted_with_nought() -> None:
    assert read_movielens(SAMPLES / "csv", note=ignore).ratings.popularity() == {
        "1": 2,
        "7": 1,
        "12": 0,
        "20": 0,
        "31": 1,
    }


def test_whole_stars_are_read_from_latin_1_with_the_people_who_gave_them() -> None:
    read = read_movielens(SAMPLES / "whole_stars", note=ignore)
    assert read.catalogue["2"].title_with_year == "La Nuit d'été (1999)"
    assert read.ratings.scale == Scale(1, 5, 1)
    assert read.people["1"] == {"gender": "F", "age": "under 18", "occupation": "K-12 student"}
    assert read.people["2"] == {"gender": "M", "age": "56 or older", "occupation": "self-employed"}


def test_half_stars_are_read_from_utf_8_without_a_last_line_break() -> None:
    read = read_movielens(SAMPLES / "half_stars", note=ignore)
    assert read.catalogue["2"].title_with_year == "La Nuit d'été (1999)"
    assert read.ratings.of_user("3") == {"1": 2.0}
    assert read.ratings.scale == Scale(0.5, 5, 0.5)
    assert read.people == {}


def test_a_folder_of_something_else_is_refused_with_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("?")
    for folder, found in ((tmp_path, "it holds notes.txt"), (tmp_path / "gone", "does not exist or is empty")):
        with pytest.raises(DataError, match=found) as caught:
            read_movielens(folder)
        assert "movies.csv and ratings.csv" in str(caught.value)


COLUMNS = "A row has the columns userId,movieId,rating,timestamp, all of them numbers."


def test_every_bad_rating_is_named_at_once(tmp_path: Path) -> None:
    rows = ("1,1,4.0,10", "1,7,5.5,10", "1,999,3,10", "x,7,3,10", "2,7,3", "2.5,7,3,10", "3,7,nan,10", "3,12,1,-1", "")
    folder = copy("csv", tmp_path, ratings="\n".join(("userId,movieId,rating,timestamp", *rows)))
    assert mistakes(folder) == [
        "ratings.csv, line 3, field rating: the rating 5.5 is not on the scale 0.5 to 5 in steps of 0.5.",
        "ratings.csv, line 4, field movieId: the movieId 999 is not in the file of films.",
        f"ratings.csv, line 5: 'x' is not a number. {COLUMNS}",
        f"ratings.csv, line 6: this row has 3 fields; expected 4. {COLUMNS}",
        "ratings.csv, line 7, field userId: the userId must be a whole number, got 2.5.",
        f"ratings.csv, line 8: 'nan' is not a valid rating, id or time. {COLUMNS}",
        "ratings.csv, line 9, field timestamp: the timestamp must be a whole number of seconds, got -1.",
    ]


def test_a_film_rated_twice_by_one_person_is_refused_with_its_line(tmp_path: Path) -> None:
    folder = copy("csv", tmp_path, ratings="userId,movieId,rating,timestamp\n2,1,4,5\n1,1,3,5\n2,7,1,6\n2,1,2,9\n")
    assert mistakes(folder) == [
        "ratings.csv, line 5: user 2 already rated film 1 in an earlier row. Remove one of the two rows."
    ]


def test_another_header_is_refused(tmp_path: Path) -> None:
    folder = copy("csv", tmp_path, ratings="user,item,stars\n1,1,4\n")
    assert mistakes(folder) == [
        "ratings.csv, line 1: the first line is 'user,item,stars', but must be 'userId,movieId,rating,timestamp'."
    ]


def test_every_bad_film_is_named_at_once(tmp_path: Path) -> None:
    rows = ("movieId,title,genres", "1,A (1999),Drama", "two,B,Drama", "3,  ,Drama", "4,C")
    folder = copy("csv", tmp_path, movies="\n".join(rows))
    assert mistakes(folder) == [
        "movies.csv, line 3: the movieId must be a whole number, got 'two'. Expected movieId, title, genres.",
        "movies.csv, line 4: the title is missing. Expected movieId, title, genres.",
        "movies.csv, line 5: this row has 2 fields; expected 3. Expected movieId, title, genres.",
    ]


def test_two_films_of_one_id_are_refused(tmp_path: Path) -> None:
    folder = copy("csv", tmp_path, movies="movieId,title,genres\n1,A,Drama\n1,B,Drama\n")
    assert mistakes(folder) == [
        "movies.csv, field id: 2 items share the id '1' (no. 1 and no. 2). "
        "Give every item its own id, or remove the duplicates."
    ]


def test_people_whose_codes_are_unknown_are_refused(tmp_path: Path) -> None:
    folder = copy("whole_stars", tmp_path, users="1::F::2::10::1\n2::M::1::21::1\n")
    found = mistakes(folder)
    assert [text.split(":")[0] for text in found] == ["users.dat, line 1", "users.dat, line 2"]


def test_no_ratings_at_all_give_none(tmp_path: Path) -> None:
    folder = copy("csv", tmp_path, ratings="userId,movieId,rating,timestamp\n")
    read = read_movielens(folder, note=ignore)
    assert len(read.ratings) == 0
    assert read.ratings.users == ()


def published(monkeypatch: pytest.MonkeyPatch, *, users: int, ratings: int) -> None:
    """Let the CSV sample be an edition that was published with so many users and ratings."""
    card = SOURCES[0].model_copy(update={"counts": {"users": users, "films": 5, "ratings": ratings}})
    monkeypatch.setattr(module, "SOURCES", (card,))
    monkeypatch.setattr(module, "MAX_ADDED", 0.5)


def test_rows_behind_the_published_ones_are_left_out_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(monkeypatch, users=3, ratings=4)
    text = (SAMPLES / "csv" / "ratings.csv").read_text() + "611,1,0.0,1544527023\n"  # off the scale, too
    note = Repairs()
    read = read_movielens(copy("csv", tmp_path, ratings=text), note=note)
    assert len(read.ratings) == 4
    assert [(problem.line, problem.what) for problem in note.problems] == [
        (6, "1 rows after the 4 published ratings were left out.")
    ]


def test_rows_are_kept_where_the_first_ones_are_not_those_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(monkeypatch, users=2, ratings=4)  # but the first four are by three people
    text = (SAMPLES / "csv" / "ratings.csv").read_text() + "611,1,1.0,1544527023\n"
    assert len(read_movielens(copy("csv", tmp_path, ratings=text), note=ignore).ratings) == 5


def test_ratings_that_are_missing_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    published(monkeypatch, users=3, ratings=6)
    note = Repairs()
    read_movielens(SAMPLES / "csv", note=note)
    assert [problem.what for problem in note.problems] == [
        "4 ratings found, but 6 were published. Is the file complete?"
    ]


def test_rows_span_blocks_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_movielens(SAMPLES / "csv", note=ignore)
    monkeypatch.setattr("trialogue.datasets.corpora.movielens.CHUNK", 7)
    cut = read_movielens(SAMPLES / "csv", note=ignore)
    assert np.array_equal(whole.ratings.values, cut.ratings.values)
    assert np.array_equal(whole.ratings.item_codes, cut.ratings.item_codes)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_edition_is_a_registered_corpus_that_holds_no_conversations(edition: str, tmp_path: Path) -> None:
    corpus = get_corpus(f"movielens-{edition}")
    assert corpus.source.name == f"movielens-{edition}"
    assert {"users", "films", "ratings"} == corpus.source.counts.keys()
    assert all(file.url.endswith(f"/ml-{edition}.zip") and file.member for file in corpus.source.files)
    with pytest.raises(DataError, match="items and ratings, but no conversations"):
        corpus.read(tmp_path)


@pytest.fixture(scope="module")
def small(mirror: Path) -> MovieLens:
    return read_movielens(mirror / "movielens" / "ml-latest-small", note=lambda problem: None)


@pytest.mark.mirror
def test_latest_small_has_the_published_counts(small: MovieLens) -> None:
    # README of ml-latest-small: 610 users, 9,742 films, 100,836 ratings
    assert (len(small.ratings.users), len(small.catalogue), len(small.ratings)) == (610, 9_742, 100_836)


@pytest.mark.mirror
def test_what_an_application_appended_is_left_out(mirror: Path) -> None:
    note = Repairs()
    read_movielens(mirror / "movielens" / "ml-latest-small", note=note)
    assert [problem.line for problem in note.problems] == [100_838]
    assert "72 rows after" in note.problems[0].what


@pytest.mark.mirror
def test_real_titles_are_in_order(small: MovieLens) -> None:
    assert [item.id for item in small.catalogue.find_title("matrix, the")] == ["2571"]
    assert small.catalogue["53"].title_with_year == "Lamerica (1994)"
    assert small.catalogue["29"].other_titles == ("La Cité des enfants perdus",)
    assert sum(item.year is None for item in small.catalogue.values()) == 12
    assert not [item.title for item in small.catalogue.values() if item.title.endswith((", The", ", A", ", An"))]


@pytest.mark.mirror
def test_reading_100_000_ratings_takes_less_than_a_second(mirror: Path) -> None:
    taken = []
    for _ in range(3):  # a core that is shared with another process gives a second of it half the work
        start = time.process_time()
        read_movielens(mirror / "movielens" / "ml-latest-small", note=lambda problem: None)
        taken.append(time.process_time() - start)
    assert min(taken) < 1.0  # some 0.25 s on an idle core


def test_titles_are_taken_apart_only_once() -> None:
    printed = "Amelie (Fabuleux destin d'Amélie Poulain, Le) (2001)"
    assert parse_title(parse_title(printed).title) == parse_title("Amelie")
