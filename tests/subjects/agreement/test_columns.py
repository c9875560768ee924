"""Agreement of what was judged, measured and simulated."""

from dataclasses import replace

import numpy as np
import pytest

from trialogue.findings.resampling import Resampling
from trialogue.records import Reason, ReasonCode
from trialogue.subjects.agreement.columns import Column, Kind, column_agreements, columns_section

HOW = Resampling(seed=1, resamples=200)
NINE = [f"s{number}" for number in range(9)]


def column(kind: Kind, values: dict[str, float], *, source: str = "", noise: float = 0.05, units: int = 12) -> Column:
    """Systems of some values, whose units lie around them."""
    rng = np.random.default_rng(len(kind))
    drawn = {
        (system, f"d{unit}"): value + noise * (unit % 2 - 0.5) + noise * float(rng.normal())
        for system, value in values.items()
        for unit in range(units)
    }
    return Column(kind, kind, source or kind, values, drawn, {})


def up(systems: list[str]) -> dict[str, float]:
    return {system: float(place) for place, system in enumerate(systems)}


def down(systems: list[str]) -> dict[str, float]:
    return {system: -float(place) for place, system in enumerate(systems)}


def test_the_same_order_is_found_and_the_reverse_too() -> None:
    columns = [column("simulated", down(NINE)), column("judged", up(NINE)), column("measured", up(NINE))]
    found = column_agreements(columns, resampling=HOW)
    assert [each.kinds for each in found] == [
        ("judged", "measured"),
        ("judged", "simulated"),
        ("measured", "simulated"),
    ]
    values = [each.spearman.value for each in found if each.spearman is not None]
    assert values == pytest.approx([1, -1, -1])
    assert all(each.p is not None and each.p < 0.001 for each in found)  # 2 of 9! orders
    assert all(each.refusal is None for each in found)


def test_only_systems_that_both_hold_count() -> None:
    values = {**up(NINE[:5]), "only here": -7.0}
    (found,) = column_agreements([column("judged", values), column("measured", up(NINE))], resampling=HOW)
    assert found.systems == 5
    assert found.spearman is not None
    assert found.spearman.value == pytest.approx(1)


def test_columns_of_one_kind_are_not_held_against_each_other() -> None:
    assert column_agreements([column("judged", up(NINE)), column("judged", down(NINE))], resampling=HOW) == []


def test_four_systems_are_too_few_and_none_is_said_to_be_none() -> None:
    judged, measured = column("judged", up(NINE[:4])), column("measured", up(NINE[:4]))
    elsewhere = column("simulated", up(["other", "others"]))
    section = columns_section(column_agreements([judged, measured, elsewhere], resampling=HOW))
    assert "at least 5 are needed" in section.sentences[1]
    assert "no system occurs in both" in section.sentences[2]
    assert [row[3] for row in section.rows] == ["too few systems"]  # 4 in both; the others share none
    assert all(len(row) == len(section.heads) for row in section.rows)


def test_a_column_that_is_not_there_is_reported() -> None:
    columns = [column("judged", up(NINE)), column("measured", up(NINE), noise=3.0)]
    section = columns_section(column_agreements(columns, resampling=HOW))
    assert section.sentences[1] == "Judged and measured: they agree significantly."
    assert section.sentences[2:] == (
        "Judged and simulated: one of the two is missing.",
        "Measured and simulated: one of the two is missing.",
    )


def test_noise_between_units_makes_the_interval_wide() -> None:
    sure, unsure = (
        column_agreements([column("judged", up(NINE)), column("measured", up(NINE), noise=noise)], resampling=HOW)[
            0
        ].spearman
        for noise in (0.01, 20.0)
    )
    assert sure is not None
    assert unsure is not None
    assert unsure.interval is not None
    assert unsure.interval.high - unsure.interval.low > 0.2
    assert sure.interval is None or sure.interval.high - sure.interval.low < 0.01


def test_values_without_units_have_no_interval_and_say_so() -> None:
    votes = Column("judged", "Votes", "votes", up(NINE), {}, {})
    (found,) = column_agreements([votes, column("measured", up(NINE), noise=20.0)], resampling=HOW)
    assert found.spearman is not None
    assert found.spearman.value == pytest.approx(1)
    assert found.spearman.interval is None
    assert "treated as exact" in str(found.spearman.why)


def test_an_interval_without_nought_is_not_enough_where_chance_makes_such_orders() -> None:
    """Six systems without noise, rho 0.657: of 720 orders 126 are as much alike or as unlike, p = .175."""
    order = {f"s{place}": value for place, value in enumerate([1.0, 3.0, 0.0, 2.0, 5.0, 4.0])}
    columns = [column("judged", up(list(order)), noise=0.01), column("measured", order, noise=0.01)]
    section = columns_section(column_agreements(columns, resampling=HOW))
    assert section.sentences[1] == "Judged and measured: inconclusive."


def test_p_values_are_corrected_over_all_pairs_of_columns() -> None:
    """Five systems in the same order: 2 of 120 orders, p = .017; three such rows make it .05 and nothing is sure."""
    five = NINE[:5]
    columns = [column("judged", up(five)), column("measured", up(five)), column("simulated", up(five))]
    section = columns_section(column_agreements(columns, resampling=HOW))
    assert [row[5] for row in section.rows] == [pytest.approx(0.05)] * 3
    assert not any("significantly" in sentence for sentence in section.sentences)


def test_two_columns_of_the_same_people_are_resampled_together() -> None:
    """The same units with the same noise: in every resample both orders are the same, however wide each alone is."""
    noisy = column("judged", up(NINE), source="people", noise=20.0)
    twin = Column("measured", "twin", "people", noisy.values, noisy.units, {})
    (found,) = column_agreements([noisy, twin], resampling=HOW)
    assert found.spearman is not None
    assert found.spearman.why == Reason.of(ReasonCode.SYSTEM_MEANS_NOT_RESAMPLED)


def test_a_column_of_which_some_systems_never_vary_still_has_an_error_of_its_own() -> None:
    measured = column("measured", up(NINE), noise=20.0)
    fixed = {unit: measured.values["s0"] if unit[0] == "s0" else value for unit, value in measured.units.items()}
    still = replace(measured, units=fixed)
    (found,) = column_agreements([column("judged", up(NINE)), still], resampling=HOW)
    assert found.spearman is not None
    assert found.spearman.interval is not None
