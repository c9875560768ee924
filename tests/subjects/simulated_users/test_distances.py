"""Distances between users, with their yardstick on equal amounts."""

from collections import Counter
from collections.abc import Hashable

import numpy as np
import pytest

from trialogue.findings.resampling import Resampling
from trialogue.records.reasons.codes import ReasonCode
from trialogue.subjects.simulated_users.distances import Aspect, distances_of
from trialogue.subjects.simulated_users.records import Distance
from trialogue.subjects.simulated_users.user_sample import UserSample, halves_of

HOW = Resampling(seed=3, resamples=200)


def side(counts: list[Counter[Hashable]], *, users: int | None = None, name: str = "u") -> UserSample:
    clusters = tuple(f"{name}{place % (users or len(counts))}" for place in range(len(counts)))
    every: dict[str, tuple[Counter[Hashable], ...]] = {respect: tuple(counts) for respect in Aspect}
    return UserSample(np.zeros((len(counts), 1)), clusters, tuple("a" for _ in counts), every)


def drawn(n: int, words: list[str], shares: list[float], seed: int, *, users: int | None = None) -> UserSample:
    rng = np.random.default_rng(seed)
    return side([Counter(rng.choice(words, size=8, p=shares).tolist()) for _ in range(n)], users=users, name=f"{seed}-")


def of(respect: Aspect, found: tuple[Distance, ...]) -> Distance:
    return next(each for each in found if each.name == respect)


def test_users_with_other_words_are_farther_than_real_users_from_one_another() -> None:
    words = list("abcdef")
    real = drawn(60, words, [1 / 6] * 6, 1)
    other = drawn(60, words, [0.5, 0.1, 0.1, 0.1, 0.1, 0.1], 2)
    found = of(Aspect.VOCABULARY, distances_of(real, other, HOW))
    assert found.excess.interval is not None
    assert found.excess.interval.low > 0
    assert found.value.value is not None
    assert found.yardstick.value is not None
    assert found.excess.value == pytest.approx(found.value.value - found.yardstick.value)


def test_the_same_users_are_as_far_as_real_users_from_one_another_however_many_there_are() -> None:
    """Divergences of samples shrink with their size: 600 simulated dialogues must not look nearer than 40 real ones."""
    words = list("abcdefghijkl")
    real, same = drawn(40, words, [1 / 12] * 12, 1), drawn(600, words, [1 / 12] * 12, 2)
    found = of(Aspect.VOCABULARY, distances_of(real, same, HOW))
    assert found.excess.interval is not None
    assert found.excess.interval.contains(0)
    assert abs(found.excess.value or 1) < 0.5 * (found.yardstick.value or 0)


def test_no_difference_is_seldom_called_one() -> None:
    """30 draws of equal users: with nominal 95% intervals one lies wholly above 0 in one draw of 40."""
    words = list("abcdef")
    above = 0
    for seed in range(30):
        real, same = drawn(30, words, [1 / 6] * 6, 100 + seed), drawn(60, words, [1 / 6] * 6, 500 + seed, users=20)
        interval = of(Aspect.VOCABULARY, distances_of(real, same, HOW)).excess.interval
        above += interval is not None and interval.low > 0
    assert above <= 3


def test_whole_clusters_stay_together_and_halves_do_not_overlap() -> None:
    real, own = drawn(30, ["a"], [1.0], 1, users=10), drawn(50, ["a"], [1.0], 2)
    halves = halves_of(real, own, lambda name: HOW.rng(name))
    assert (halves.real * halves.others).sum() == 0
    for cluster in set(real.clusters):
        places = [place for place, each in enumerate(real.clusters) if each == cluster]
        assert (np.ptp(halves.real[:, places], axis=1) == 0).all()
    sizes = [table.sum(axis=1) for table in (halves.real, halves.others, halves.simulated)]
    assert [size.min() for size in sizes] == [size.max() for size in sizes] == [15.0, 15.0, 15.0]


def test_few_users_have_no_halves() -> None:
    found = distances_of(drawn(9, ["a", "b"], [0.5, 0.5], 1), drawn(50, ["a", "b"], [0.5, 0.5], 2), HOW)
    assert {each.value.why.code for each in found if each.value.why} == {ReasonCode.TOO_FEW_USERS_FOR_HALVES}
    assert all(each.value.value is None for each in found)


def test_what_one_side_does_not_record_is_undefined_with_the_side() -> None:
    real = drawn(20, ["a", "b"], [0.5, 0.5], 1)
    real.counts[Aspect.ENDINGS] = tuple(Counter[Hashable]() for _ in range(20))
    found = of(Aspect.ENDINGS, distances_of(real, drawn(20, ["a", "b"], [0.5, 0.5], 2), HOW))
    assert found.value.why is not None
    assert found.value.why.code is ReasonCode.NOTHING_TO_COUNT
    assert found.value.why.facts == {"side": "real"}


def test_messages_that_others_wrote_count_as_copies() -> None:
    own = [Counter[Hashable]({f"message number {place} of them": 1}) for place in range(40)]
    real, copies = side(own, name="p"), side(own, name="s")
    found = of(Aspect.COPYING, distances_of(real, copies, HOW))
    assert found.yardstick.value == 0  # every real message is different
    assert found.excess.interval is not None
    assert found.excess.interval.low > 0  # half of the copies are of the half that was drawn
    fresh = side([Counter[Hashable]({f"other {place}": 1}) for place in range(40)], name="s")
    assert of(Aspect.COPYING, distances_of(real, fresh, HOW)).value.value == 0


def test_the_order_of_dialogues_changes_nothing_but_the_draws() -> None:
    words = list("abc")
    real, own = drawn(30, words, [0.2, 0.3, 0.5], 1), drawn(30, words, [0.2, 0.3, 0.5], 2)
    assert distances_of(real, own, HOW) == distances_of(real, own, HOW)
