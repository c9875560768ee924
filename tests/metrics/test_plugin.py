"""A metric from somebody else's package is found, scored and explained like ours."""

import json
import subprocess
import sys
from pathlib import Path

from tests.plug_ins import PACKAGE, installed
from trialogue.records import Dialogue, Utterance, write_records


def test_an_installed_plug_in_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """Installed by hand, as pip lays it out, so that the test needs no network: a module and its metadata."""
    site = installed(tmp_path / "site")
    said = (Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="ABcd"))
    write_records(tmp_path / "x.jsonl", [Dialogue(id="1", system="loud", utterances=said)])
    command = [sys.executable, "-m", "trialogue", "score", str(tmp_path / "x.jsonl"), "-m", "shouting", "--json"]
    done = subprocess.run(command, env={"PYTHONPATH": str(site)}, capture_output=True, text=True, check=True)
    score = json.loads(done.stdout)
    assert score["measure"] == "shouting@letters|v1"
    assert score["value"] == 0.5  # 2 of 4 letters


def test_a_metric_can_be_named_by_module_without_being_installed(tmp_path: Path) -> None:
    said = (Utterance(speaker="system", text="ABcd"),)
    write_records(tmp_path / "x.jsonl", [Dialogue(id="1", system="loud", utterances=said)])
    command = [sys.executable, "-m", "trialogue", "score", str(tmp_path / "x.jsonl")]
    command += ["-m", "trialogue_shouting:Shouting", "--json"]
    environment = {"PYTHONPATH": str(PACKAGE / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["value"] == 0.5
