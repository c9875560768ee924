"""The demo: small, whole, and the same each time."""

from pathlib import Path

import pytest

from trialogue.records import Dialogue, read_records
from trialogue.simulation.batch.simulation_file import read_study
from trialogue.workflows.demo import Demo, demo, with_values
from trialogue.workflows.experiment import read_experiment
from trialogue.workflows.simulation.baselines import BASELINES
from trialogue.workflows.simulation.simulate import simulate

AGENTS = {"guided", "item-centred", "genre-led", *BASELINES}
"""Recommenders of the demo's file, and the baselines that meet the same users."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return demo(tmp_path_factory.mktemp("the demo: here"), n=2, resamples=100)


def test_every_recommender_meets_every_kind_of_users(made: Demo) -> None:
    assert sum(made.endings.values()) == len(AGENTS) * 3 * 2
    assert len(made.turns) == len(AGENTS) * 3
    assert all(turns >= 1 for turns in made.turns.values())


def test_replies_carry_strategies_whose_shares_add_up(made: Demo) -> None:
    assert sorted(made.strategies) == sorted(AGENTS)
    assert all(sum(share for _, share in shares) == pytest.approx(1) for shares in made.strategies.values())


def test_one_report_holds_simulated_users_people_and_alignment(made: Demo) -> None:
    page = made.report.read_text(encoding="utf-8")
    assert all(name in page for name in ("guided", "aria", "Satisfaction", "cir6-pkg", "Behavior Alignment"))


def test_its_study_is_a_file_that_gives_the_same_dialogues(made: Demo) -> None:
    study = read_study(made.study)
    assert (study.n, study.out) == (2, made.study.parent / "simulation")
    again = simulate(study)
    assert list(read_records(again.dialogues, Dialogue)) == list(read_records(made.dialogues, Dialogue))
    assert again.dialogues.read_bytes() == made.dialogues.read_bytes()


def test_the_bundled_files_are_valid_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(
        with_values(
            (Path(__file__).parent.parent.parent / "src/trialogue/workflows/demo.yaml").read_text("utf-8"), n=4
        ),
        encoding="utf-8",
    )
    experiment = read_experiment(tmp_path / "experiment.yaml")
    assert experiment.study is not None
    assert (experiment.study.n, experiment.out) == (4, tmp_path / "runs/demo")


def test_the_folder_of_the_demo_may_be_relative_to_where_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = demo(Path("runs/demo"), n=1, resamples=100)
    assert made.report.resolve() == tmp_path / "runs" / "demo" / "report.html"
    assert not (tmp_path / "runs" / "demo" / "runs").exists()
