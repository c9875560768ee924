"""How reliable one rating is, by who rated what."""

from typing import Any

import numpy as np
import pytest

from trialogue.stats import icc, pearson
from trialogue.subjects.agreement.ceilings import ceiling_of
from trialogue.subjects.agreement.score_pairs import JudgedUnits

RNG = np.random.default_rng(8)
TRUTH = RNG.normal(size=24)
RATINGS = np.clip(np.round(3 + TRUTH[:, None] + RNG.normal(scale=0.7, size=(24, 2))), 1, 5)


def units(names: Any) -> JudgedUnits:
    """Units with the ratings of two people each, whose names a function of the unit gives."""
    keys = tuple(str(n) for n in range(len(RATINGS)))
    return JudgedUnits(
        question="human:overall",
        level="dialogue",
        keys=keys,  # type: ignore[arg-type]
        people=RATINGS.mean(axis=1),
        raters=tuple(dict(zip(names(n), row, strict=True)) for n, row in enumerate(RATINGS.tolist())),
        systems=("a",) * len(keys),
        groups=("",) * len(keys),
        clusters=keys,
        clustered_by="dialogue",
        values={},
    )


def test_one_rating_is_as_reliable_as_the_correlation_of_two_people_who_rated_everything() -> None:
    found = ceiling_of(units(lambda _: ("ann", "bob")))
    assert found.single == pytest.approx(pearson(RATINGS[:, 0], RATINGS[:, 1]).value)
    assert found.single is not None
    assert found.mean is not None
    assert found.mean == pytest.approx(2 * found.single / (1 + found.single))
    assert found.ceiling == pytest.approx(found.mean**0.5)


def test_one_rating_of_changing_people_is_as_reliable_as_icc_1_1_says() -> None:
    found = ceiling_of(units(lambda n: (f"p{2 * n:02}", f"p{2 * n + 1:02}")))
    assert found.single == pytest.approx(icc(RATINGS, form="1,1").value)


def test_with_numbers_of_ratings_that_differ_it_is_krippendorffs_alpha() -> None:
    given = units(lambda n: (f"p{2 * n:02}", f"p{2 * n + 1:02}"))
    fewer = tuple(dict(list(each.items())[: 1 + (n > 4)]) for n, each in enumerate(given.raters))
    found = ceiling_of(JudgedUnits(**{**vars(given), "raters": fewer}))
    assert found.single == found.alpha.value
    assert found.single != pytest.approx(icc(RATINGS, form="1,1").value)
