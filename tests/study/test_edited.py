"""A study file that is edited after people took part: nobody new comes in by it, and nobody's data are out of reach."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.study.served import folder_of


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = folder_of(tmp_path_factory.mktemp("edited") / "study", items=6)
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.study.editing", str(folder)],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    said: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return said


@pytest.mark.parametrize("how", ["edited", "broken", "items"])
def test_an_edited_study_takes_nobody_in_and_its_data_can_be_exported_erased_and_closed(
    found: dict[str, Any], how: str
) -> None:
    after = found[how]
    assert ("not valid YAML" if how == "broken" else "launched has copies") in after["refused"]
    assert after["codes"] == [0, 0, 0]
    assert (after["people"], after["erased"], after["state"], after["notes"]) == (3, True, "paused", 3)


def test_the_launched_files_can_be_put_back(found: dict[str, Any]) -> None:
    assert found["restored"]


def test_a_study_with_participants_makes_no_new_key_since_nobody_would_be_recognized(found: dict[str, Any]) -> None:
    assert "secret.key is missing, and the study has participants. Restore it" in found["without a key"]
    assert not found["made a key"]
    assert found["with its key"]
