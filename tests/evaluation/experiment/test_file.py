"""Experiments in files."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.evaluation.experiment import experiment_of, read_experiment

SIMULATION = {"agents": ["reference:guided"], "users": ["cir6-pkg"], "n": 3}


def test_a_single_name_is_a_list_of_one() -> None:
    assert experiment_of({"dialogues": "demo"}).dialogues == ("demo",)


def test_the_simulation_takes_the_seed_of_the_experiment_unless_it_has_its_own() -> None:
    study = experiment_of({"simulate": SIMULATION, "seed": 7}).study
    own = experiment_of({"simulate": {**SIMULATION, "seed": 3}, "seed": 7}).study
    assert study is not None
    assert own is not None
    assert (study.seed, own.seed) == (7, 3)


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(
        "titel: x\n"
        "resamples: 10\n"
        "dialogues: [nowhere.jsonl]\n"
        "simulate:\n  agents: [reference:guidedd]\n  users: [cir6-pkg]\n  n: many\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError) as error:
        read_experiment(path)
    told = str(error.value)
    assert "line 1, field titel: There is no field 'titel'. Did you mean 'title'?" in told
    assert "line 2, field resamples: Input should be greater than or equal to 100, got 10." in told
    assert "line 4, field simulate.n" in told
    assert "line 4, field simulate.agents.reference:guidedd" in told


def test_missing_files_and_unknown_metrics_are_told_together() -> None:
    with pytest.raises(DataError) as error:
        experiment_of({"dialogues": ["nowhere.jsonl", "demo"], "human": "no.jsonl", "metrics": ["bluu", "turns"]})
    assert len(error.value.problems) == 3
    assert "Did you mean 'bleu'" in str(error.value)


def test_an_experiment_without_anything_to_do_is_refused() -> None:
    with pytest.raises(DataError, match="nothing to do"):
        experiment_of({"title": "empty"})


def test_catalogues_and_models_that_there_are_not_are_told_before_anything_begins(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("no folder")
    align = {"situations": "demo", "model": str(tmp_path / "nowhere")}
    with pytest.raises(DataError) as error:
        experiment_of({"dialogues": "demo", "link": "flims", "label": str(tmp_path / "model"), "align": align})
    assert [problem.field for problem in error.value.problems] == ["link", "label", "align"]
    assert "There is no catalogue 'flims'" in str(error.value)


def test_what_nothing_would_read_is_told() -> None:
    with pytest.raises(DataError) as error:
        experiment_of({"simulate": SIMULATION, "human": "demo", "link": "demo"})
    assert [problem.field for problem in error.value.problems] == ["human", "link"]
    with pytest.raises(DataError, match="it names no situations"):
        experiment_of({"align": {"situations": []}})
    with pytest.raises(DataError, match="no folder of its own"):
        experiment_of({"simulate": {**SIMULATION, "out": "runs/mine"}})


def test_a_text_too_long_for_a_path_names_no_file() -> None:
    with pytest.raises(DataError, match="There is no file or corpus"):
        experiment_of({"dialogues": "x" * 5_000})
