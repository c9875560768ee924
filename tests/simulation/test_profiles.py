from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.made import STARS, book_ratings, books, film_ratings, films, rng
from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.simulation.profiles import DISLIKED, LIKED, NEUTRAL, Profile, Profiles, Thresholds

TEN = Catalogue.from_items(
    Item(id=str(number), title=f"T{number}", attributes={"genre": ("even" if number % 2 == 0 else "odd",)})
    for number in range(10)
)


def ratings(**users: list[float]) -> Ratings:
    rows = [(name, str(item), value) for name, values in users.items() for item, value in enumerate(values)]
    return Ratings.from_rows(rows, scale=STARS)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_a_profile_has_eight_rated_items_of_one_user_and_at_least_one_is_liked(seed: int) -> None:
    profile = Profiles(film_ratings(), films()).sample(rng(seed))
    rated = film_ratings().of_user(profile.user)
    assert len(profile.ratings) == 8
    assert all(rated[item] == value for item, value in profile.ratings.items())
    assert profile.liked_items
    assert {item for item, value in profile.ratings.items() if value >= 4} == set(profile.liked_items)
    assert {item for item, value in profile.ratings.items() if value <= 2} == set(profile.disliked_items)


@given(values=st.lists(st.sampled_from([0.5, 1.0, 2.0, 2.5, 3.5, 4.0, 5.0]), min_size=10, max_size=10))
def test_an_attribute_value_is_rated_by_the_mean_of_the_sampled_items_that_have_it(values: list[float]) -> None:
    rated = {str(item): value for item, value in enumerate(values)}
    profile = Profile("u", rated, TEN)
    means = profile.values("genre")
    assert means["even"] == sum(values[::2]) / 5
    assert means["odd"] == sum(values[1::2]) / 5
    expected = LIKED if means["odd"] >= 4 else DISLIKED if means["odd"] <= 2 else NEUTRAL
    assert profile.value_opinion("genre", "odd") == expected
    assert profile.value_opinion("genre", "blue") is None
    assert profile.values("colour") == {}


def test_users_and_sets_of_items_are_equally_likely_given_that_something_is_liked() -> None:
    # one liked item of four, two in a profile: of 6 pairs the 3 with the liked one, all equally often
    source = Profiles(ratings(ann=[5, 1, 1, 1]), TEN, size=2)
    drawn, n = rng(1), 3000
    counts = Counter(frozenset(source.sample(drawn).ratings) for _ in range(n))
    pairs = [frozenset(pair) for pair in combinations("0123", 2) if "0" in pair]
    assert set(counts) == set(pairs)
    assert all(abs(counts[pair] - n / 3) < 5 * (n * 2 / 9) ** 0.5 for pair in pairs)  # five binomial deviations


def test_a_user_who_likes_one_of_thousands_is_no_slower() -> None:
    catalogue = Catalogue.from_items(Item(id=str(number), title=f"T{number}") for number in range(3000))
    rows = [("ann", str(number), 5.0 if number == 77 else 2.5) for number in range(3000)]
    source = Profiles(Ratings.from_rows(rows, scale=STARS), catalogue)
    assert all("77" in source.sample(rng(seed)).ratings for seed in range(20))


def test_who_likes_nothing_or_rated_too_little_is_not_sampled() -> None:
    source = Profiles(ratings(ann=[5] * 8, bob=[3.5] * 10, cid=[5] * 7), TEN)
    assert source.users == ("ann",)


def test_ratings_without_the_items_are_refused() -> None:
    with pytest.raises(DataError, match=r"none of 60 users rated 8 of the 10 items; the maximum is 0.*ids"):
        Profiles(film_ratings(), TEN)


def test_a_corpus_with_nothing_liked_is_refused() -> None:
    with pytest.raises(DataError, match=r"no rating reaches 4.*liked item"):
        Profiles(ratings(ann=[3.5] * 10), TEN)
    assert Profiles(ratings(ann=[3.5] * 10), TEN, thresholds=Thresholds(like=3.5, dislike=1)).users == ("ann",)


def test_no_ratings_at_all_are_refused() -> None:
    with pytest.raises(DataError, match="none of 0 users"):
        Profiles(Ratings.from_rows([], scale=STARS), TEN)


def test_the_released_variant_takes_the_first_items_liked_or_not_and_rates_values_by_all() -> None:
    source = Profiles(ratings(ann=[1, 1, 1, 1, 1, 1, 1, 1, 5, 5]), TEN, variant="released")
    profile = source.sample(rng())
    assert list(profile.ratings) == list("01234567")
    assert not profile.liked_items
    assert profile.values("genre") == {"even": 9 / 5, "odd": 9 / 5}  # (1+1+1+1+5)/5 each: items 8 and 9 count, too
    assert Profile("u", {"0": 3.5}, TEN).value_opinion("genre", "even") == NEUTRAL
    high = Profiles(ratings(ann=[3.5] * 10), TEN, variant="released").sample(rng())
    assert high.value_opinion("genre", "even") == LIKED  # from 3.5 in the released code


def test_another_scale_has_thresholds_at_its_quarters() -> None:
    assert Thresholds.for_scale(Scale(1, 5, 1)) == Thresholds(4, 2)
    assert Thresholds.for_scale(Scale(-1, 1)) == Thresholds(0.5, -0.5)
    assert Profiles(book_ratings(), books()).thresholds == Thresholds(4, 2)


def test_impossible_sizes_thresholds_and_variants_are_refused() -> None:
    with pytest.raises(UsageError, match="at least one rated item"):
        Profiles(book_ratings(), books(), size=0)
    with pytest.raises(UsageError, match="dislike threshold must be below"):
        Thresholds(like=2, dislike=2)
    with pytest.raises(UnknownNameError, match="released"):
        Profiles(book_ratings(), books(), variant="published")  # type: ignore[arg-type]


def test_histories_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.simulation.profiles.REMEMBERED_USERS", 1)
    source, drawn = Profiles(film_ratings(), films()), rng(4)
    profiles = [source.sample(drawn) for _ in range(20)]
    assert len({profile.user for profile in profiles}) > 5
    assert all(len(profile.ratings) == 8 for profile in profiles)
