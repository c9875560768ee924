"""The demo: small, whole, and the same each time."""

import contextlib
from collections import Counter
from pathlib import Path

import pytest

from trialogue.records import Dialogue, Raters, read_records
from trialogue.simulating.simulate import BASELINES, simulate
from trialogue.simulation.batch.simulation_file import read_study
from trialogue.workflows.demo import Demo, demo, with_values
from trialogue.workflows.experiment import read_experiment

JUDGED = {
    "guided",
    "item-centred",
    "genre-led",
    "sabotaged-30",
    "sabotaged-60",
    "most-popular",
    "random-films",
}
AGENTS = {*JUDGED, *BASELINES}
"""Recommenders of the demo's file, and the baselines that meet the same users."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("where it runs")


@pytest.fixture(scope="module")
def relative(root: Path) -> Demo:
    with contextlib.chdir(root):
        return demo(Path("runs/the demo: here"), n=2, resamples=100)


@pytest.fixture
def made(relative: Demo, root: Path, monkeypatch: pytest.MonkeyPatch) -> Demo:
    """The demo, seen from where it ran."""
    monkeypatch.chdir(root)
    return relative


def test_every_recommender_meets_every_kind_of_users(made: Demo) -> None:
    assert sum(made.endings.values()) == len(AGENTS) * 2
    assert len(made.turns) == len(AGENTS)
    assert all(turns >= 1 for turns in made.turns.values())


def test_replies_carry_strategies_whose_shares_add_up(made: Demo) -> None:
    assert sorted(made.strategies) == sorted(AGENTS)
    assert all(sum(share for _, share in shares) == pytest.approx(1) for shares in made.strategies.values())


def test_the_same_recommenders_are_judged_measured_and_simulated(made: Demo) -> None:
    assert [side.kind for side in made.sides] == ["judged", "measured", "simulated"]
    assert all(set(side.values) == JUDGED for side in made.sides)


def test_every_two_sides_are_compared_over_all_recommenders_without_a_dash(made: Demo) -> None:
    assert [each.kinds for each in made.agreements] == [
        ("judged", "measured"),
        ("judged", "simulated"),
        ("measured", "simulated"),
    ]
    assert {each.systems for each in made.agreements} == {len(JUDGED)}
    (section,) = [each for each in made.findings.sections if each.title == "Do the three agree?"]
    assert len(section.rows) == 3
    assert not [cell for row in section.rows for cell in row if cell in (None, "")]


def test_everything_says_that_the_people_are_invented(made: Demo) -> None:
    assert "invented" in made.findings.title
    assert "invented" in str(made.findings.answer[0])
    (judged,) = [league.measure for league in made.findings.leagues if league.measure.by == "people"]
    assert "invented" in judged.title
    talks = list(read_records(made.experiment.parent / "people.jsonl", Dialogue))
    assert {rating.raters for talk in talks for rating in talk.ratings} == {Raters.INVENTED}


def test_the_bundled_conversations_are_those_of_the_demos_recommenders(made: Demo) -> None:
    talks = list(read_records(made.experiment.parent / "people.jsonl", Dialogue))
    assert Counter(talk.system for talk in talks) == dict.fromkeys(JUDGED, 20)
    assert len({talk.user for talk in talks}) == 20


def test_its_study_is_a_file_that_gives_the_same_dialogues(made: Demo) -> None:
    study = read_study(made.study)
    assert (study.n, study.resolve_paths().out) == (2, made.study.parent / "simulation")
    again = simulate(study)
    assert again.dialogues == made.study.parent / "simulation" / "dialogues.jsonl"
    assert list(read_records(again.dialogues, Dialogue)) == list(read_records(made.dialogues, Dialogue))
    assert again.dialogues.read_bytes() == made.dialogues.read_bytes()


def test_the_bundled_files_are_valid_as_they_are(tmp_path: Path) -> None:
    bundled = Path(__file__).parent.parent.parent / "src/trialogue/workflows"
    (tmp_path / "experiment.yaml").write_text(
        with_values((bundled / "demo.yaml").read_text("utf-8"), n=4), encoding="utf-8"
    )
    (tmp_path / "people.jsonl").write_bytes((bundled / "demo_people.jsonl").read_bytes())
    experiment = read_experiment(tmp_path / "experiment.yaml")
    assert experiment.study is not None
    assert (experiment.study.n, experiment.out) == (4, tmp_path / "runs/demo")


def test_the_folder_of_the_demo_may_be_relative_to_where_it_runs(made: Demo, root: Path) -> None:
    assert not made.report.is_absolute()
    assert made.report.resolve() == root / "runs" / "the demo: here" / "report.html"
    assert [path.name for path in root.iterdir()] == ["runs"]
    assert not (root / "runs" / "the demo: here" / "runs").exists()
