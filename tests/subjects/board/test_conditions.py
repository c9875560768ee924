"""Conditions of values: each field that differs is a reason of its own, and the key changes with it."""

from typing import Any

import pytest

from trialogue.records import PopulationKind, Raters, ReasonCode, Scale
from trialogue.subjects.board.conditions import Conditions, Met, differences

BASE = Conditions(
    measure="need_met|v1",
    better="higher",
    unit="share",
    met=(Met(kind_of=PopulationKind.SIMULATED, units=40, sample="s"),),
)


def met(kind: PopulationKind, sample: str | None, units: int = 40) -> tuple[Met, ...]:
    return (Met(kind_of=kind, units=units, sample=sample),)


CASES: dict[ReasonCode, dict[str, Any]] = {
    ReasonCode.BOARD_MEASURE_DIFFERS: {"measure": "need_met|v2"},
    ReasonCode.BOARD_UNIT_DIFFERS: {"unit": "points"},
    ReasonCode.BOARD_LABELS_DIFFER: {"labels_from": ("model-a",)},
    ReasonCode.BOARD_CALIBRATION_DIFFERS: {"is_calibrated": True},
    ReasonCode.BOARD_COUNTS_FAILURES: {"counts_failures": True},
    ReasonCode.BOARD_SCALE_DIFFERS: {"scale": Scale(low=1, high=5)},
    ReasonCode.BOARD_RATERS_DIFFER: {"raters": (Raters.MODEL,)},
    ReasonCode.BOARD_EXCLUSIONS_DIFFER: {"excluded": ("{}",)},
    ReasonCode.BOARD_BLOCKS_DIFFER: {"blocks": ("few_clusters",)},
    ReasonCode.BOARD_USERS_DIFFER: {"users": "cir6"},
    ReasonCode.BOARD_USER_MODELS_DIFFER: {"user_models": ("llm",)},
    ReasonCode.BOARD_POPULATION_UNKNOWN: {"met": met(PopulationKind.SIMULATED, None)},
    ReasonCode.BOARD_KIND_DIFFERS: {"met": met(PopulationKind.SITUATIONS, "s")},
    ReasonCode.BOARD_RUN_COUNTS_DIFFER: {"met": BASE.met * 2},
    ReasonCode.BOARD_SAMPLE_DIFFERS: {"met": met(PopulationKind.SIMULATED, "other")},
}


@pytest.mark.parametrize("code", CASES)
def test_a_field_that_differs_is_a_reason_and_another_key(code: ReasonCode) -> None:
    other = BASE.model_copy(update=CASES[code])
    assert [reason.code for reason in differences(other, BASE)] == [code]
    assert str(differences(other, BASE)[0])
    assert other.key != BASE.key


def test_equal_conditions_have_no_reason_and_one_key() -> None:
    again = Conditions.model_validate_json(BASE.model_dump_json())
    assert differences(again, BASE) == ()
    assert again.key == BASE.key


def test_failures_left_out_are_worded_from_the_row() -> None:
    counting = BASE.model_copy(update={"counts_failures": True})
    assert [reason.code for reason in differences(BASE, counting)] == [ReasonCode.BOARD_LEAVES_FAILURES_OUT]


def test_other_people_are_comparable_and_other_needs_are_not() -> None:
    one, other = (BASE.model_copy(update={"met": met(PopulationKind.PEOPLE, sample)}) for sample in ("a", "b"))
    assert differences(one, other) == ()
    assert one.key == other.key
    one, other = (BASE.model_copy(update={"met": met(PopulationKind.SIMULATED, sample)}) for sample in ("a", "b"))
    assert [reason.code for reason in differences(one, other)] == [ReasonCode.BOARD_SAMPLE_DIFFERS]


def test_everything_that_differs_is_listed_with_the_instrument_first() -> None:
    other = BASE.model_copy(update={"measure": "x", "users": "y", "labels_from": ("z",)})
    assert [reason.code for reason in differences(other, BASE)] == [
        ReasonCode.BOARD_MEASURE_DIFFERS,
        ReasonCode.BOARD_LABELS_DIFFER,
        ReasonCode.BOARD_USERS_DIFFER,
    ]
