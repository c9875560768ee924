"""Scripted participants walk whole studies over the real pages, in a process and a database of their own."""

from pathlib import Path

import pytest

from tests.study.bots import made
from trialogue.errors import DataError, UsageError
from trialogue.study.bots.simulation import SimulatedStudy, simulate_study


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> SimulatedStudy:
    """12 people in a study that needs 6: 3 leave in the middle, 2 are careless."""
    folder = made.rating(tmp_path_factory.mktemp("rating"))
    return simulate_study(folder, workers=12, effects=made.EFFECTS, seed=4, drop_out=0.25, careless=0.17)


def test_nothing_that_must_not_be_happens(rated: SimulatedStudy) -> None:
    assert rated.wrong == []
    assert rated.server_errors == 0
    assert rated.stuck == 0


def test_every_item_is_judged_exactly_k_times_though_people_leave(rated: SimulatedStudy) -> None:
    assert rated.kinds == {"attentive": 7, "drop_out": 3, "careless": 2}
    assert rated.coverage == {"3": 8}


def test_slots_of_those_who_left_are_judged_by_others(rated: SimulatedStudy) -> None:
    assert rated.reused > 0


def test_each_system_stands_in_each_position_equally_often(rated: SimulatedStudy) -> None:
    # 8 items x 3 slots / 3 positions = 8
    assert rated.positions == dict.fromkeys(sorted(made.SYSTEMS), (8, 8, 8))
    assert rated.judged_positions == rated.positions


def test_who_reads_passes_checks_and_who_does_not_fails(rated: SimulatedStudy) -> None:
    assert rated.checks["attentive"][0] == 0
    assert rated.checks["attentive"][1] > 0


def test_the_system_that_is_known_to_be_best_has_the_highest_mean(rated: SimulatedStudy) -> None:
    assert rated.recovers_order
    assert max(rated.means, key=lambda system: rated.means[system]) == "fine"


def test_everything_that_was_acknowledged_is_in_the_database(rated: SimulatedStudy) -> None:
    assert rated.stored == rated.acknowledged > 0


def test_a_labelling_study_is_walked_to_the_end(tmp_path: Path) -> None:
    outcome = simulate_study(made.labelling(tmp_path), workers=4, seed=1, drop_out=0.0, careless=0.25)
    assert outcome.wrong == []
    assert outcome.coverage == {"2": 6}


def test_a_system_that_no_item_has_is_refused_with_those_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the items have no system 'best'. Systems: fair, fine, poor"):
        simulate_study(made.rating(tmp_path), workers=4, effects={"best": 1.0})


@pytest.mark.parametrize("shares", [{"drop_out": -0.1}, {"careless": 1.5}, {"drop_out": 0.6, "careless": 0.6}])
def test_shares_that_are_none_are_refused(tmp_path: Path, shares: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        simulate_study(made.rating(tmp_path), workers=4, **shares)  # type: ignore[arg-type]


def test_a_study_without_workers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one worker"):
        simulate_study(made.rating(tmp_path), workers=0)


def test_a_folder_without_a_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"study\.yaml"):
        simulate_study(tmp_path, workers=4)
    with pytest.raises(UsageError, match="is not a folder"):
        simulate_study(tmp_path / "none", workers=4)


def test_an_export_never_overwrites(tmp_path: Path) -> None:
    folder = made.rating(tmp_path / "study")
    with pytest.raises(UsageError, match="already exists; give a new"):
        simulate_study(folder, workers=4, export=folder)
