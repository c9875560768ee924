"""One command for a build: two versions, the same users, a verdict, files for CI, and an exit code."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.words import process, trialogue
from trialogue.errors import DataError
from trialogue.records import Dialogue, read_records
from trialogue.subjects.comparison.commands.ci import read_ci_file

EXAMPLE = Path(__file__).parents[4] / "examples" / "compare-in-ci"


def test_the_example_fails_the_build_and_shows_why(tmp_path: Path) -> None:
    done = process("ci", EXAMPLE / "ci.yaml", "-n", "12", "--out", tmp_path / "ci")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("RED: worse\n")
    folder = tmp_path / "ci"
    suite = ElementTree.parse(folder / "junit.xml").getroot()
    assert int(suite.get("failures", "0")) >= 1
    assert "12 of its 12 dialogues failed" in (folder / "comparison.md").read_text()
    page = (folder / "failing.md").read_text()
    assert page.startswith("# Dialogues of the new version that failed (12) or lost most (0)\n")
    assert page.count("**new** (ended by an error of the agent: new.reply() raised LookupError: films") == 12
    assert page.count("**old** (ended by ") == 12
    needs: dict[str, list[str | None]] = {"old": [], "new": []}
    for dialogue in read_records(folder / "dialogues.jsonl", Dialogue):
        needs[str(dialogue.system)].append(dialogue.need.id if dialogue.need else None)
    assert needs["old"] == needs["new"]


def test_a_version_that_is_the_same_passes(tmp_path: Path) -> None:
    config = {"old": "reference:popular", "new": "reference:popular", "users": ["cir6-pkg"], "n": 10, "resamples": 200}
    file = tmp_path / "ci.yaml"
    file.write_text(json.dumps({**config, "baselines": 0, "out": "run"}))
    done = trialogue("ci", file)
    assert done.returncode == 0, done.stderr
    assert (
        (tmp_path / "run" / "failing.md")
        .read_text()
        .startswith("# Dialogues of the new version that failed (0) or lost most (0)")
    )


@pytest.mark.parametrize("baselines", [0, 4])
def test_a_comparison_lacks_baselines_only_if_its_run_does(tmp_path: Path, baselines: int) -> None:
    config = {"old": "reference:popular", "new": "reference:guided", "users": ["cir6-pkg"], "n": 4, "resamples": 200}
    file = tmp_path / "ci.yaml"
    file.write_text(json.dumps({**config, "baselines": baselines, "out": "run"}))
    trialogue("ci", file)
    page = (tmp_path / "run" / "comparison" / "comparison.json").read_text(encoding="utf-8")
    assert ("no_baselines" in page) == (baselines == 0)


def test_all_mistakes_of_the_file_are_reported_at_once(tmp_path: Path) -> None:
    file = tmp_path / "ci.yaml"
    file.write_text("old: reference:guidde\nusers: [cir6-pkg]\nresamples: 3\nnn: 5\nagents: [echo]\n")
    with pytest.raises(DataError) as raised:
        read_ci_file(file, {})
    text = str(raised.value)
    for part in ("the field new is missing", "guidde", "resamples", "no field 'nn'", "not several agents"):
        assert part in text
