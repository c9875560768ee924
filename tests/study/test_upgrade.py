"""Another release of Trialogue on a database with answers: every row stays, and a newer database is left alone."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.study.upgrading import EXPORT, SQL
from trialogue.records.base import SCHEMA
from trialogue.study.opening import secret_key

ROOT = Path(__file__).parents[2]
RELEASES = sorted((ROOT / "tests" / "data" / "study").iterdir())


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.name)
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Any]:
    """A study of an earlier release, and what today's and a later one made of it."""
    room = tmp_path_factory.mktemp("upgrade")
    folder = room / "study"
    shutil.copytree(request.param, folder)
    secret_key(folder)  # where people took part, no other is made
    with closing(sqlite3.connect(folder / "study.sqlite3")) as database:
        database.executescript((folder / SQL).read_text("utf-8"))
    ran = subprocess.run(
        [sys.executable, "-m", "tests.study.upgrading", str(folder), str(room)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "TRIALOGUE_STUDY")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return folder, room, json.loads(ran.stdout)


SCALE = re.compile(r',"scale":\{[^}]*\}')
"""What scores say of their scale since version 4 of the files."""


def files(folder: Path) -> dict[str, str]:
    """Texts of an export by name; lines of records are of the version of their time, and say the same."""
    texts = {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}
    return {
        name: re.sub(r'^(\{"kind":"\w+","v":)\d+', rf"\g<1>{SCHEMA}", SCALE.sub("", text), flags=re.M)
        for name, text in texts.items()
    }


def test_an_export_after_an_upgrade_is_the_one_from_before(upgraded: tuple[Path, Path, Any]) -> None:
    folder, room, messages = upgraded
    before = files(folder / EXPORT)
    assert len(before) == 5
    assert files(room / "now") == before
    assert files(room / "later") == before
    assert messages["state"] == "running"  # and people go on where they were
    assert messages["applied"] == ["9999_later"]
    assert messages["again"] == []


def test_an_upgrade_that_fails_changes_nothing_and_says_where_the_copy_is(upgraded: tuple[Path, Path, Any]) -> None:
    folder, room, messages = upgraded
    assert "could not be upgraded: no such table: study_nothing" in messages["broke"]
    assert "study-before-9999_broken.sqlite3" in messages["broke"]
    assert messages["left"] == ["study-before-9999_broken.sqlite3", "study.sqlite3"]
    assert files(room / "broken") == files(folder / EXPORT)
    with closing(sqlite3.connect(room / "copy.sqlite3")) as database:
        assert database.execute("select count(*) from study_submission").fetchone() == (8,)


def test_after_an_upgrade_no_copy_holds_what_people_may_erase(upgraded: tuple[Path, Path, Any]) -> None:
    folder, _, _ = upgraded
    assert sorted(path.name for path in folder.glob("*.sqlite3*")) == ["study.sqlite3"]
    with closing(sqlite3.connect(folder / "study.sqlite3")) as database:
        assert database.execute("select count(mood), count(*) from study_participant").fetchone() == (0, 4)


def test_a_database_of_a_newer_release_is_left_alone_with_what_to_do(upgraded: tuple[Path, Path, Any]) -> None:
    said = upgraded[2]["said"]
    assert "was written by a newer Trialogue (migration 9999_later" in said
    assert "Install that release, or restore an earlier backup" in said


@pytest.mark.usefixtures("schema")
def test_tables_and_migrations_say_the_same() -> None:
    said = StringIO()
    call_command("makemigrations", "study", check_changes=True, dry_run=True, stdout=said)  # ends the process if not
    assert "No changes detected" in said.getvalue()
