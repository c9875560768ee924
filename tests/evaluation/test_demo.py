"""The demo: small, whole, and the same each time."""

from pathlib import Path

import pytest

from trialogue.evaluation.demo import Demo, demo, study_text
from trialogue.evaluation.simulate import simulate
from trialogue.simulation.study import read_study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return demo(tmp_path_factory.mktemp("demo"), n=2, resamples=100)


def test_every_recommender_meets_every_kind_of_users(made: Demo) -> None:
    assert sum(made.batch.endings.values()) == 3 * 3 * 2
    assert len(made.turns) == 3 * 3
    assert all(turns >= 1 for turns in made.turns.values())


def test_replies_carry_strategies_whose_shares_add_up(made: Demo) -> None:
    assert sorted(made.strategies) == ["genre-led", "guided", "item-centred"]
    assert all(sum(share for _, share in shares) == pytest.approx(1) for shares in made.strategies.values())


def test_both_reports_are_there(made: Demo) -> None:
    assert all(page.is_file() for page in made.pages)
    assert {each.system for each in made.simulated.findings.systems} == set(made.strategies)
    assert made.people.findings.primary == "human:satisfaction"


def test_its_study_is_a_file_that_gives_the_same_dialogues_elsewhere(made: Demo, tmp_path: Path) -> None:
    study = read_study(made.study)
    assert (study.n, study.out) == (2, made.study.parent / "simulation")
    again = simulate(study.model_copy(update={"out": tmp_path / "again"}))
    assert again.dialogues.read_bytes() == made.batch.dialogues.read_bytes()


def test_the_study_goes_into_a_folder_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(study_text(Path("a folder: mine/simulation")), encoding="utf-8")
    study = read_study(tmp_path / "study.yaml")
    assert (study.n, study.out) == (30, Path("a folder: mine/simulation"))
