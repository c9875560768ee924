"""Plans from pilots and presets, and the files of a plan."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.subjects.planning.test_study_power import scores_of
from trialogue.errors import DataError, UsageError
from trialogue.records import write_records
from trialogue.subjects.people.table import table_of
from trialogue.subjects.planning.commands.power import Base, base_plan, change_base, fitted_variances, plan_study
from trialogue.subjects.planning.pages.power import power_lines, write_power
from trialogue.subjects.planning.study_plan import StudyPlan, Variances, even_thresholds
from trialogue.subjects.planning.variance_presets import INSPIRED2

TRUTH = Variances(rater=0.8, rater_system=0.4, item=0.6, item_system=0.7)


def pilot(folder: Path) -> Path:
    """An export: 40 people, nine of 60 situations each, three systems; every fifth person left, one was excluded."""
    plan = StudyPlan((0.0, 0.5, 1.0), 40, 9, 60, TRUTH, even_thresholds(5))
    scores = scores_of(plan, np.random.default_rng(3))
    folder.mkdir()
    write_records(folder / "scores.jsonl", scores)
    people = [f"p{n},completed,active,,{'failed_checks' if n == 0 else ''}\n" for n in range(40)]
    people += [f"q{n},withdrew,active,,\n" for n in range(10)]
    (folder / "participants.csv").write_text("participant,state,reached,reason,flags\n" + "".join(people))
    return folder


def test_a_pilot_gives_design_variances_and_losses(tmp_path: Path) -> None:
    base = base_plan(pilot(tmp_path / "pilot"), effects=(0.0, 0.3, 0.6))
    plan = base.plan
    assert (plan.participants, plan.tasks, plan.situations, plan.points) == (50, 9, 60, 5)
    assert plan.dropout == pytest.approx(0.2)
    assert plan.excluded == pytest.approx(1 / 40)
    for name, value in vars(TRUTH).items():
        assert getattr(plan.variances, name) == pytest.approx(value, abs=0.3)
    assert plan.thresholds == pytest.approx(even_thresholds(5), abs=0.4)


def test_a_plan_is_written_with_its_figure(tmp_path: Path) -> None:
    base = change_base(base_plan("infact", effects=(0.0, 2.0)), participants=9, tasks=4, situations=12, item_system=0.1)
    found = plan_study(base, simulations=3, search=False)
    write_power(found, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"power.json", "power.csv", "power.svg"}
    lines = power_lines(found)
    assert lines[0].startswith("9 participants, 4 of 12 situations each (3.0 ratings per reply), 2 systems, 5 points")
    assert "by hand: item x system" in lines[2]
    assert any(line.startswith("  every difference (power):") for line in lines)


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"neither a folder .* nor a preset \(infact, inspired2\)"):
        base_plan("nothing")
    (tmp_path / "scores.jsonl").write_text("")
    with pytest.raises(DataError, match="without ratings"):
        base_plan(tmp_path)


@pytest.mark.mirror
def test_the_preset_is_what_the_model_estimates_on_inspired2() -> None:
    if "TRIALOGUE_DATA_MIRROR" not in os.environ:
        pytest.skip("TRIALOGUE_DATA_MIRROR is not set: no copy of INSPIRED2's study here")
    from benchmarks.variances import inspired2

    variances, thresholds, _ = fitted_variances(table_of(inspired2())[0])
    assert vars(variances) == pytest.approx(vars(INSPIRED2.variances), abs=2e-3)
    assert thresholds == pytest.approx(INSPIRED2.thresholds, abs=2e-3)


def test_chats_are_planned_with_as_many_systems_as_a_participant_meets(tmp_path: Path) -> None:
    from trialogue.study.design.folder import new_study
    from trialogue.subjects.people.commands.items import items_for

    new_study(tmp_path / "chat", "chat", items_for("chat", agents=["guided", "item_centred"]))
    one = base_plan(tmp_path / "chat").plan
    assert (one.met, one.tasks, one.situations, len(one.effects)) == (1, 1, None, 2)
    file = tmp_path / "chat" / "study.yaml"
    file.write_text(file.read_text().replace("items_per_participant: 1", "items_per_participant: 2"))
    plan = base_plan(tmp_path / "chat").plan
    assert (plan.participants, plan.tasks, plan.situations, plan.met) == (20, 1, None, None)
    together = change_base(base_plan(tmp_path / "chat", effects=(0.0, 2.0)), participants=30)
    found = plan_study(together, simulations=200, search=False)
    assert found.plan.calibration is None
    assert (found.plan.every_pair.value or 0) > 0.8
    apart = plan_study(Base(replace(one, effects=(0.0, 2.0), participants=30), ""), simulations=200, search=False)
    assert (apart.plan.every_pair.value or 0) < (
        found.plan.every_pair.value or 0
    )  # half the ratings, and no pair of them
    assert "1 conversation each, with 1 of 2 systems" in "\n".join(power_lines(apart))


def test_preferences_are_planned_from_their_study_file(tmp_path: Path) -> None:
    from trialogue.study.design.folder import new_study
    from trialogue.subjects.people.commands.items import items_for

    new_study(tmp_path / "which", "preference", items_for("preference", most=40))
    base = base_plan(tmp_path / "which", effects=(0.0, 0.5, 1.0))
    assert (base.plan.answers, base.plan.tasks, base.plan.situations) == ("choices", 12, 40)
    fewer_ties = change_base(base, ties=0.05).plan.thresholds
    assert fewer_ties[1] < base.plan.thresholds[1]
    for wrong in ({"points": 7}, {"ties": 1.0}):
        with pytest.raises(UsageError):
            change_base(base, **wrong)
    with pytest.raises(UsageError, match="points applies to ratings"):
        change_base(base_plan("inspired2"), ties=0.1)
    found = plan_study(change_base(base, participants=60), simulations=200)
    assert found.plan.answers == "choices"
    assert {one.way for one in found.ways} == {"participants", "situations", "both"}
    assert "choices per situation" in "\n".join(power_lines(found))
