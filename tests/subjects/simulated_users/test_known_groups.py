"""Known groups and stability, by outcomes that are known."""

import numpy as np
import pytest

from trialogue.findings.resampling import Resampling
from trialogue.records.reasons.codes import ReasonCode
from trialogue.subjects.simulated_users.known_groups import SIZES, known_group
from trialogue.subjects.simulated_users.ranking import Outcomes, ranking_validity, rankings_of
from trialogue.subjects.simulated_users.records import Factor
from trialogue.subjects.simulated_users.stability import stability_of

HOW = Resampling(seed=1, resamples=400)


def outcomes(chances: dict[str, float], users: int, seed: int = 0, *, lower: bool = False) -> Outcomes:
    """Yes or no of every user with every system, the same luck of a user with all of them."""
    luck = np.random.default_rng(seed).random(users)
    values = [float(one < chance) for chance in chances.values() for one in luck]
    systems = tuple(name for name in chances for _ in range(users))
    return Outcomes(np.array(values), systems, tuple(f"u{place}" for _ in chances for place in range(users)), lower)


def test_an_outcome_that_falls_with_every_dose_is_found_with_the_users_it_takes() -> None:
    given = outcomes({"good": 0.8, "10": 0.7, "60": 0.2}, 200)
    found = known_group("good", "off-topic", "need_met@named|v1", {"60": 0.6, "10": 0.1}, given, HOW, is_share=True)
    assert found is not None
    assert [dose.system for dose in found.doses] == ["good", "10", "60"]
    assert found.order_share.value is not None
    assert found.order_share.value > 0.95
    assert found.needed in SIZES
    small, large = (dose.needed for dose in found.doses[1:])
    assert small is not None
    assert large is not None
    assert small > large
    # the same luck with all: a change of a user is -1 or 0, so its spread is that of a share
    drop = found.doses[2].change
    assert drop is not None
    assert drop.interval is not None
    assert drop.interval.high < 0


def test_an_outcome_that_notices_nothing_is_in_no_order_and_needs_an_unknown_number() -> None:
    given = outcomes({"good": 0.5, "10": 0.5, "60": 0.5}, 100)
    found = known_group("good", "off-topic", "m", {"10": 0.1, "60": 0.6}, given, HOW)
    assert found is not None
    assert found.order_share.value == 0
    assert found.needed is None
    assert [dose.needed for dose in found.doses] == [None, None, None]


def test_an_outcome_where_lower_is_better_has_to_rise() -> None:
    falling = {"good": 0.1, "10": 0.4, "60": 0.9}
    up = known_group("good", "w", "m", {"10": 0.1, "60": 0.6}, outcomes(falling, 100, lower=True), HOW)
    down = known_group("good", "w", "m", {"10": 0.1, "60": 0.6}, outcomes(falling, 100), HOW)
    rising = known_group("good", "w", "m", {"10": 0.1}, outcomes({"good": 0.4, "10": 0.6}, 100), HOW)
    assert rising is not None
    assert rising.doses[1].needed is None  # no number of users finds a fall where the outcome rose
    assert up is not None
    assert down is not None
    assert (up.order_share.value or 0) > 0.9
    assert down.order_share.value == 0


def test_a_dose_without_dialogues_is_no_known_group() -> None:
    assert known_group("good", "w", "m", {"gone": 0.1}, outcomes({"good": 0.5}, 20), HOW) is None


def test_four_systems_are_refused_seven_have_an_exact_p_and_eight_an_interval() -> None:
    for count in (4, 7, 8):
        chances = {f"s{place}": 0.1 + 0.1 * place for place in range(count)}
        found = ranking_validity(("a", "b"), outcomes(chances, 150, 1), outcomes(chances, 150, 2), HOW)
        assert found is not None
        assert found.concordant == found.pairs == count * (count - 1) / 2
        assert (found.refusal is None) == (count > 4)
        assert found.is_exact == (count < 8)
        assert (found.concordance.interval is None) == (count < 8)
        if count == 7:
            assert found.p == pytest.approx(2 / 5040)
        if count < 8:
            assert found.concordance.why is not None
            assert found.concordance.why.code is ReasonCode.FEW_SYSTEMS_NO_INTERVAL
        assert [each.rank for each in found.real.ranks] == list(range(1, count + 1))


def test_systems_that_one_side_did_not_meet_do_not_count() -> None:
    one, other = outcomes({"a": 0.2, "b": 0.8, "c": 0.5}, 50), outcomes({"a": 0.8, "b": 0.2, "z": 0.5}, 50)
    (found,) = rankings_of({"m": one}, {"m": other}, (), HOW)
    assert {each.system for each in found.simulated.ranks} == {"a", "b"}
    assert found.concordant == 0
    assert ranking_validity(("m", "m"), one, outcomes({"a": 0.1, "y": 0.1}, 50), HOW) is None


def test_ties_count_a_half() -> None:
    same = outcomes({"a": 0.5, "b": 0.5}, 30)
    found = ranking_validity(("m", "m"), same, outcomes({"a": 0.2, "b": 0.9}, 30), HOW)
    assert found is not None
    assert found.concordant == 0.5


def test_levels_that_change_everything_take_the_variance_and_four_are_too_few() -> None:
    levels = {str(level): outcomes({"a": 0.15 * level, "b": 0.15 * level + 0.1}, 200, level) for level in range(1, 7)}
    found = stability_of(Factor.VERSION, "m", levels, HOW)
    assert found is not None
    assert found.shares is not None
    shares = [
        each.value or 0 for each in (found.shares.systems, found.shares.levels, found.shares.both, found.shares.rest)
    ]
    assert sum(shares) == pytest.approx(1)
    # a level shifts both systems by .15: variance of .15 * (1..6) is .079, within a dialogue about .17 on average
    assert 0.2 < shares[1] < 0.45
    assert shares[0] < 0.05
    spread = found.spreads[0]
    assert spread.spread > 3 * spread.by_chance
    few = stability_of(Factor.SEED, "m", dict(list(levels.items())[:4]), HOW)
    assert few is not None
    assert few.shares is None
    assert few.why is not None
    assert few.why.code is ReasonCode.TOO_FEW_LEVELS


def test_seeds_that_change_nothing_have_the_range_of_chance() -> None:
    levels = {str(seed): outcomes({"a": 0.5, "b": 0.6, "c": 0.7}, 100, seed) for seed in range(8)}
    found = stability_of(Factor.SEED, "m", levels, HOW)
    assert found is not None
    assert found.shares is not None
    assert (found.shares.levels.value or 0) < 0.03
    for spread in found.spreads:  # expected range of 8 normal means is 2.85 standard errors of about .05
        assert spread.by_chance == pytest.approx(2.85 * 0.048, rel=0.15)
        assert 0.3 < spread.spread / spread.by_chance < 2.2


def test_one_level_is_no_variation() -> None:
    assert stability_of(Factor.SEED, "m", {"0": outcomes({"a": 0.5}, 10)}, HOW) is None
    assert stability_of(Factor.SEED, "m", {}, HOW) is None
