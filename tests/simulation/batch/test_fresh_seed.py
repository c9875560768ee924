"""A fresh seed is drawn anew, cannot be guessed, and is kept by the folder of the run."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.folder import seed_of
from trialogue.simulation.batch.plan import GUESSABLE
from trialogue.simulation.batch.simulation_file import LARGEST, SimulationFile, study_of


def fresh(out: Path, **more: object) -> SimulationFile:
    return study_of(
        {"agents": "echo", "users": "cir6-pkg", "n": 1, "baselines": 0, "seed": "fresh", "out": str(out), **more}
    )


def test_each_new_folder_gets_another_seed_out_of_reach(tmp_path: Path) -> None:
    seeds = {fresh(tmp_path / str(number)).seed for number in range(20)}
    assert len(seeds) == 20
    assert all(GUESSABLE <= seed < LARGEST for seed in seeds)


def test_a_run_is_resumed_and_rerun_with_the_seed_it_recorded(tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = simulate(fresh(out))
    seed = seed_of(out)
    assert seed is not None
    before = first.dialogues.read_bytes()
    simulate(fresh(out, n=2))
    assert seed_of(out) == seed
    again = simulate(study_of({**fresh(tmp_path / "other").model_dump(mode="json"), "seed": seed, "n": 1}))
    assert again.dialogues.read_bytes() == before


def test_a_folder_of_a_known_seed_is_not_taken_over(tmp_path: Path) -> None:
    simulate(study_of({**fresh(tmp_path / "run").model_dump(mode="json"), "seed": 3}))
    assert seed_of(tmp_path / "run") == 3
    assert fresh(tmp_path / "run").seed != 3


def test_the_seed_of_a_part_of_an_experiment_is_a_number(tmp_path: Path) -> None:
    fields = {"agents": "echo", "users": "cir6-pkg", "seed": "fresh", "out": str(tmp_path)}
    with pytest.raises(DataError, match="seed"):
        study_of(fields, under=("simulate",))
