from pathlib import Path

import numpy as np
import pytest

from tests.recommenders.material import film_ratings, films
from tests.untraced import untraced
from trialogue.catalogue import Ratings, Scale
from trialogue_recommenders import Expert
from trialogue_recommenders.collaborative import Collaborative, popularity_of
from trialogue_recommenders.expert import Wish

STARS = Scale(1, 5, 1)


def camps() -> Ratings:
    """Two camps of users: one likes a, b, c; the other x, y, z."""
    rows = [(f"1-{n}", item, 5.0) for n in range(6) for item in "abc" if (n, item) != (0, "c")]
    rows += [(f"2-{n}", item, 4.0) for n in range(4) for item in "xyz"]
    return Ratings.from_rows(rows, scale=STARS)


def test_who_likes_one_is_recommended_what_its_lovers_like() -> None:
    model = Collaborative("abcxyz", camps())
    assert model.recommend(["a"], n=2) == ("b", "c")
    assert set(model.recommend(["x"], n=2)) == {"y", "z"}
    assert set(model.similar("y", n=2)) == {"x", "z"}


def test_the_likeness_of_items_with_few_ratings_counts_little() -> None:
    # a and b have 6 ratings each and the same lovers: cosine 1 (up to the odd c), times (6 / 56) squared
    model = Collaborative("abcxyz", camps())
    assert model.scores({0: 1.0})[1] == pytest.approx((6 / 56) ** 2, rel=0.01)
    assert model.scores({0: -2.0})[1] == pytest.approx(-((6 / 56) ** 2), rel=0.01)


def test_what_is_like_a_disliked_item_is_not_recommended() -> None:
    model = Collaborative("abcxyz", camps())
    assert set(model.recommend([], ["a"])) <= set("xyz")
    assert "b" not in model.recommend(["x"], ["a"])


def test_nothing_named_comes_back_and_strange_items_are_passed_over() -> None:
    model = Collaborative("abcxyz", camps())
    assert model.recommend(["a", "nowhere"], ["x"], without=["b", "elsewhere"], n=1) == ("c",)


def test_of_whom_nothing_is_known_is_recommended_what_is_popular() -> None:
    # a and b: 6 ratings of 5 stars; c: 5 of 5 stars; x, y, z: 4 of 4 stars
    assert Collaborative("abcxyz", camps()).recommend([]) == ("a", "b", "c", "x", "y", "z")


def test_popularity_is_the_shrunken_mean_times_the_logarithm_of_the_count_on_a_scale_to_one() -> None:
    ratings = Ratings.from_rows([("u", "a", 5.0), ("v", "a", 5.0), ("u", "b", 1.0)], scale=STARS)
    # values on 0 to 1: a 1, 1; b 0. Mean of all 2/3. a: (2 + 5 * 2/3) / 7 * log 3; b: (0 + 10/3) / 6 * log 2; then over a's
    expected = [1.0, (5 / 9 * np.log(2)) / (16 / 21 * np.log(3)), 0.0]
    assert popularity_of(("a", "b", "c"), ratings) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "ratings", [None, Ratings.from_rows([], scale=STARS), Ratings.from_rows([("u", "q", 3.0)], scale=STARS)]
)
def test_without_ratings_of_its_items_it_knows_nothing(ratings: Ratings | None) -> None:
    model = Collaborative("ab", ratings)
    assert model.similar("a") == model.recommend(["a"]) == model.recommend([]) == ()


def test_a_single_rating_is_no_trouble() -> None:
    model = Collaborative("ab", Ratings.from_rows([("u", "a", 3.0)], scale=STARS))
    assert model.similar("a") == ()
    assert model.recommend([]) == ("a",)


def test_the_same_ratings_give_the_same_vectors() -> None:
    first, second = (Collaborative(tuple(films()), film_ratings()) for _ in range(2))
    assert np.array_equal(first.vectors, second.vectors)
    rated = film_ratings().counts() > 0
    assert np.allclose(np.linalg.norm(first.vectors, axis=1), rated)


@pytest.mark.mirror
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::trialogue.records.files.jsonl.RepairWarning")
@untraced()
def test_hidden_favorites_of_movielens_users_are_found_more_often_than_by_popularity(mirror: Path) -> None:
    """Three liked films are known of each user with six or more, three others are looked for among the first ten."""
    from trialogue.datasets.corpora.movielens import read_movielens

    movielens = read_movielens(mirror / "movielens" / "ml-latest-small")
    known, hidden, kept = _split(movielens.ratings)
    expert = Expert(movielens.catalogue, kept)
    found = popular = 0
    for user, liked in known.items():
        found += len(set(expert.rank(Wish(liked=liked), without=liked).ids[:10]) & hidden[user])
        popular += len(set(expert.rank(Wish(), without=liked).ids[:10]) & hidden[user])
    total = sum(map(len, hidden.values()))
    assert total == 3 * len(known) > 1500
    assert found / total > 0.08  # measured: 0.094; a random ten of 9,742 films would find 0.001
    assert found > 1.1 * popular


def _split(ratings: Ratings) -> tuple[dict[str, tuple[str, ...]], dict[str, set[str]], Ratings]:
    rng = np.random.default_rng(0)
    known, hidden = {}, {}
    kept = np.ones(len(ratings), dtype=bool)
    for user in ratings.users:
        rows = ratings.rows_of_user(user)
        liked = rows[ratings.values[rows] >= 4]
        if len(liked) >= 6:
            drawn = rng.choice(liked, 6, replace=False)
            kept[drawn] = False
            ids = [ratings.items[code] for code in ratings.item_codes[drawn].tolist()]
            known[user], hidden[user] = tuple(ids[:3]), set(ids[3:])
    rest = Ratings.from_columns(
        users=ratings.users,
        items=ratings.items,
        user_codes=ratings.user_codes[kept],
        item_codes=ratings.item_codes[kept],
        values=ratings.values[kept],
        scale=ratings.scale,
    )
    return known, hidden, rest
