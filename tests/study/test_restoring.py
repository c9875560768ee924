"""A backup is restored, and people get everything that is stored about them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.study import postgres
from tests.study.served import folder_of

ROOT = Path(__file__).parents[2]


def rehearse(room: Path, url: str = "") -> dict[str, Any]:
    folder = folder_of(room / "study", items=8, platform={"name": "prolific"})
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRIALOGUE_", "DJANGO"))}
    environment.pop("DATABASE_URL", None)
    words = [sys.executable, "-m", "tests.study.rehearsing", str(folder)]
    given = environment | ({"DATABASE_URL": url} if url else {})
    done = subprocess.run(words, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def check(told: dict[str, Any]) -> None:
    """What holds of every database."""
    (person,) = told["person"]
    assert person["participant"]["code"] == told["codes"][0]
    assert person["identity"][0]["ids"]["PROLIFIC_PID"] == "p1"
    assert len(person["assignment"]) == 3
    assert [row["step"] for row in person["submission"]] != []
    assert "p2" not in json.dumps(person)
    (backed, _), (refused, why), (restored, text) = told["said"][:3]
    assert (backed, refused, restored) == (0, 2, 0), told["said"]
    assert "4 participants" in why
    assert "--replace" in why
    assert "Restored: 3 participants" in text
    assert "erased again: 2." in text
    assert told["same"]
    assert told["states"] == ["withdrew", "completed", "withdrew"]
    for left in told["left"]:
        assert not {"submission", "identity", "code", "event"} & set(left)
    assert not [code for code in told["codes"] if code in json.dumps(told["left"])]


def test_a_backup_is_restored_and_who_withdrew_since_stays_withdrawn(tmp_path: Path) -> None:
    told = rehearse(tmp_path)
    check(told)
    in_use, no_backup, damaged, mended, keyless = told["said"][3:]
    assert in_use[0] == no_backup[0] == damaged[0] == keyless[0] == 2
    assert "Stop the server" in in_use[1]
    assert "no backup of an SQLite database" in no_backup[1]
    assert "cannot be read" in damaged[1]
    assert "Erase again everyone who withdrew" in mended[1]
    assert "secret.key is missing" in keyless[1]
    assert not (tmp_path / "study" / "secret.key").exists()
    assert (tmp_path / "study" / "study.sqlite3").is_file()  # what was there before


@pytest.mark.service
def test_a_dump_of_postgresql_is_restored(tmp_path: Path) -> None:
    with postgres.server() as url:
        told = rehearse(tmp_path, url)
    check(told)
    assert (tmp_path / "study" / "study-before-restore.dump").is_file()
