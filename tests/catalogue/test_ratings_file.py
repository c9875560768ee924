"""Ratings of anything, in tables."""

from pathlib import Path

import pytest

from trialogue.catalogue import Scale, read_ratings
from trialogue.errors import DataError


def table(folder: Path, text: str) -> Path:
    path = folder / "ratings.csv"
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(folder: Path, text: str) -> list[str]:
    with pytest.raises(DataError) as raised:
        read_ratings(table(folder, text))
    return [str(problem).removeprefix(f"{folder}/") for problem in raised.value.problems]


@pytest.mark.parametrize(
    "text",
    [
        "reader,book,rating\nann,emma,5\nbob,emma,1\n",
        "\ufeffuserId;movieId;rating;timestamp\nann;emma;5;7\nbob;emma;1;8\n",
        'rating\tuser\titem\n5\tann\temma\n\n1\t"bob"\temma',
    ],
)
def test_columns_are_known_by_their_names_in_any_order_and_by_any_mark(text: str, tmp_path: Path) -> None:
    ratings = read_ratings(table(tmp_path, text))
    assert (ratings.users, ratings.items, ratings.values.tolist()) == (("ann", "bob"), ("emma",), [5.0, 1.0])
    assert ratings.scale == Scale(1, 5, 1)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ("1 5 3", Scale(1, 5, 1)),
        ("0.5 4", Scale(0.5, 5, 0.5)),
        ("0 4.5", Scale(0, 5, 0.5)),
        ("7 10", Scale(1, 10, 1)),
        ("0 1 1", Scale(0, 5, 0.5)),  # likes look like stars: both ends are what counts
        ("3 87.5", Scale(0, 100)),
    ],
)
def test_the_scale_is_the_first_that_holds_all_ratings(values: str, scale: Scale, tmp_path: Path) -> None:
    rows = "".join(f"u{place},i,{value}\n" for place, value in enumerate(values.split()))
    assert read_ratings(table(tmp_path, "user,item,rating\n" + rows)).scale == scale


def test_all_lines_that_are_no_ratings_are_reported_at_once(tmp_path: Path) -> None:
    text = "user,item,rating\nann,emma,5\nann,emma,4\n,emma,3\nbob,emma,good\nbob,it\ncy,it,nan\n"
    assert mistakes(tmp_path, text) == [
        "ratings.csv, line 3: 'ann' already rated 'emma' in line 2. Keep one rating, such as the latest.",
        "ratings.csv, line 4: this is not a rating: user '', item 'emma', rating '3'.",
        "ratings.csv, line 5: this is not a rating: user 'bob', item 'emma', rating 'good'.",
        "ratings.csv, line 6: this is not a rating: user 'bob', item 'it', rating ''.",
        "ratings.csv, line 7: this is not a rating: user 'cy', item 'it', rating 'nan'.",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column user and no column item and no column rating; it is: empty"),
        ("who,item,stars\na,b,1\n", "no column user; it is: who, item, stars"),
        ("user,item,rating\n", "has no ratings"),
        ("user,item,rating\na,b,-7\n", "fit no known scale"),
    ],
)
def test_what_is_no_table_of_ratings_is_refused(text: str, message: str, tmp_path: Path) -> None:
    assert message in mistakes(tmp_path, text)[0]
