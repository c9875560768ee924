"""Ratings as columns: what they answer, what they refuse, and how much they take."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue import Ratings, Scale
from trialogue.catalogue.ratings import rows_twice
from trialogue.errors import DataError, UsageError

STARS = Scale(1, 5, 1)
ROWS = [("bob", "x", 4.0), ("ann", "x", 5.0), ("bob", "y", 1.0), ("cy", "z", 3.0), ("ann", "z", 2.0)]


def columns(**changes: object) -> dict[str, object]:
    good = {
        "users": ("a", "b"),
        "items": ("x", "y"),
        "user_codes": np.array([0, 1]),
        "item_codes": np.array([0, 1]),
        "values": np.array([1.0, 5.0]),
        "scale": STARS,
    }
    return good | changes


def refused(**changes: object) -> str:
    with pytest.raises(DataError) as caught:
        Ratings.from_columns(**columns(**changes))  # type: ignore[arg-type]
    return str(caught.value)


def test_one_users_ratings_come_in_their_order_even_if_the_file_is_not_sorted() -> None:
    ratings = Ratings.from_rows(ROWS, scale=STARS)
    assert ratings.of_user("bob") == {"x": 4.0, "y": 1.0}
    assert ratings.of_user("ann") == {"x": 5.0, "z": 2.0}
    assert ratings.rows_of_user("ann").tolist() == [1, 4]


def test_popularity_counts_ratings_and_means_are_none_without_any() -> None:
    ratings = Ratings.from_rows(ROWS, scale=STARS, items=("w", "x"))
    assert ratings.popularity() == {"w": 0, "x": 2, "y": 1, "z": 2}
    assert ratings.means() == {"w": None, "x": 4.5, "y": 1.0, "z": 2.5}  # (4 + 5) / 2 and (3 + 2) / 2


def test_an_unknown_user_is_an_error_that_says_so() -> None:
    with pytest.raises(UsageError, match="no user 'dan' among the 3"):
        Ratings.from_rows(ROWS, scale=STARS).of_user("dan")


def test_no_ratings_are_ratings_too() -> None:
    ratings = Ratings.from_rows([], scale=STARS, items=("x",))
    assert len(ratings) == 0
    assert ratings.popularity() == {"x": 0}
    assert ratings.means() == {"x": None}
    assert repr(ratings) == "Ratings(0 by 0 users of 1 items, 1 to 5 in steps of 1)"


def test_a_rating_takes_sixteen_bytes_with_its_time() -> None:
    ratings = Ratings.from_columns(**columns(times=np.array([978300760, 978302109], dtype=np.int64)))  # type: ignore[arg-type]
    assert ratings.nbytes == 2 * 16
    assert ratings.times is not None
    assert ratings.times.dtype == np.int32


def test_times_after_2038_take_more_rather_than_break() -> None:
    late = 1 << 33
    ratings = Ratings.from_columns(**columns(times=np.array([late, 0])))  # type: ignore[arg-type]
    assert ratings.times is not None
    assert ratings.times.tolist() == [late, 0]


def test_columns_are_read_only_and_the_given_arrays_stay_writable() -> None:
    given_values = np.array([1.0, 5.0], dtype=np.float32)
    ratings = Ratings.from_columns(**columns(values=given_values))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        ratings.values[0] = 2
    assert given_values.flags.writeable


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"users": ("a", "a")}, "1 user ids occur twice among 2"),
        ({"items": ("x", "x")}, "1 item ids occur twice among 2"),
        ({"values": np.array([1.0])}, "the columns have the shapes"),
        ({"user_codes": np.array([0, 2])}, "1 user codes are not among 0 to 1"),
        ({"item_codes": np.array([-1, 1])}, "1 item codes are not among 0 to 1"),
        ({"item_codes": np.array([0.5, 1])}, "item codes are of type float64"),
        ({"user_codes": np.array([0, 1 << 40])}, "a user code is 1099511627776"),
        ({"values": np.array([0.0, 5.5])}, "2 ratings are outside the scale 1 to 5 in steps of 1: row 0 is 0"),
        ({"values": np.array([np.nan, 5])}, "1 ratings are outside the scale"),
        ({"values": np.array([1, 2.5])}, "1 ratings are outside the scale 1 to 5 in steps of 1: row 1 is 2.5"),
        ({"user_codes": np.array([0, 0]), "item_codes": np.array([1, 1])}, "the first in row 1, repeat an item that"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changes: dict[str, object], message: str) -> None:
    assert message in refused(**changes)


def test_several_things_wrong_are_reported_at_once() -> None:
    assert refused(users=("a", "a"), values=np.array([9.0, 1.0])).count("\n") == 1


@pytest.mark.parametrize(("low", "high", "step"), [(5, 1, None), (1, 1, None), (1, 5, 0), (1, 5, -1)])
def test_a_scale_that_goes_nowhere_is_refused(low: float, high: float, step: float | None) -> None:
    with pytest.raises(UsageError, match="must increase in positive steps"):
        Scale(low, high, step)


def test_a_scale_without_steps_holds_everything_between_its_ends() -> None:
    assert Scale(0, 1).holds([0, 0.123, 1, 1.001, -0.001]).tolist() == [True, True, True, False, False]
    assert str(Scale(0, 1)) == "0 to 1"


def test_steps_of_a_tenth_survive_single_precision() -> None:
    assert Scale(0, 10, 0.1).holds(np.arange(0, 101, dtype=np.float32) / np.float32(10)).all()


pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


@given(pairs)
def test_repeated_pairs_are_found_as_a_dictionary_finds_them(rows: list[tuple[int, int]]) -> None:
    seen: set[tuple[int, int]] = set()
    expected = [place for place, pair in enumerate(rows) if pair in seen or seen.add(pair)]  # type: ignore[func-returns-value]
    array = np.array(rows, dtype=np.int32).reshape(-1, 2)
    assert rows_twice(array[:, 0], array[:, 1], 6).tolist() == expected


@given(st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), st.integers(1, 5), max_size=12))
def test_every_users_ratings_are_those_that_were_given(given_ratings: dict[tuple[str, str], int]) -> None:
    ratings = Ratings.from_rows(
        ((user, item, float(value)) for (user, item), value in given_ratings.items()), scale=STARS
    )
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for (user, item), value in given_ratings.items():
        expected[user][item] = float(value)
    assert {user: ratings.of_user(user) for user in ratings.users} == expected
    assert sum(ratings.popularity().values()) == len(given_ratings)
