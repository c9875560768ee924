"""What asking agents again cost is read from the dialogues of a simulation."""

from pathlib import Path

import pytest

from trialogue.cli.simulate import _tell
from trialogue.records import Dialogue, Ending, Manifest, RetryCost, write_records
from trialogue.simulation.batch.batch import Batch
from trialogue.simulation.failure_counts import retries_in


def test_costs_are_summed_by_agent_and_only_over_dialogues_that_have_any(tmp_path: Path) -> None:
    path = tmp_path / "dialogues.jsonl"
    costs = [("mine", RetryCost(count=2, waited_s=1.5)), ("mine", None), ("mine", RetryCost(count=1, waited_s=0.5))]
    costs += [("other", RetryCost(count=4, waited_s=9.0)), ("silent", None)]
    write_records(
        path,
        [
            Dialogue(id=str(place), system=name, utterances=(), retries=cost, meta={"retries": {}})
            for place, (name, cost) in enumerate(costs)
        ],
    )
    assert retries_in(path) == {
        "mine": (2, RetryCost(count=3, waited_s=2.0)),
        "other": (1, RetryCost(count=4, waited_s=9.0)),
    }


def test_simulate_prints_what_retries_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dialogues.jsonl"
    cost = RetryCost(count=5, waited_s=7.25)
    write_records(path, [Dialogue(id="d", system="mine", utterances=(), retries=cost)])
    manifest = Manifest(command="simulate", config={}, seed=0, inputs={}, versions={})
    _tell(Batch(path, manifest, resumed=0, endings={Ending.TURN_LIMIT: 1}))
    assert "mine: 5 requests were repeated in 1 dialogue, after waiting 7.2 s" in capsys.readouterr().out
