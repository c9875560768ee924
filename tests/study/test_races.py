"""Many at once, on SQLite and on PostgreSQL: never more than k, nothing twice, nobody told a lie."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.study.postgres import server

ROOT = Path(__file__).parents[2]


def raced(**where: str) -> dict[str, Any]:
    """What came of all races on a database."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "TRIALOGUE_STUDY")}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.study.racing"],
        cwd=ROOT,
        env={**environment, **where},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.service)])
def races(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All races on both databases."""
    if request.param == "sqlite":
        return raced(TRIALOGUE_STUDY=str(tmp_path_factory.mktemp("study")))
    with server() as url:
        return raced(DATABASE_URL=url)


def test_the_last_places_go_to_exactly_as_many_as_there_are(races: dict[str, Any]) -> None:
    found = races["last_slots"]
    assert found["said"] == {"task": 3, "full": 47}  # of fifty
    assert found["live"] == 6  # two items, three raters each
    assert found["counted"]


def test_a_form_that_is_sent_twenty_times_at_once_is_one_row(races: dict[str, Any]) -> None:
    found = races["same_form"]
    assert found["said"] == {"stored": 1, "repeated": 3, "kept": 16}  # four of twenty are the same
    assert found["rows"] == 1
    assert found["counted"]


def test_leases_that_run_out_while_people_answer_lose_nothing_that_was_acknowledged(races: dict[str, Any]) -> None:
    found = races["lapsing"]
    assert set(found["said"]) <= {"stored", "late", "stale", "task", "full", "freed", "withdrew"}
    stored = found["said"].get("stored", 0)
    assert found["rows"] == found["done"]
    assert found["rows"] in (stored, stored - 1)  # the one who withdrew may have answered before
    assert found["counted"]


def test_a_link_that_is_opened_twenty_times_at_once_is_one_participant(races: dict[str, Any]) -> None:
    found = races["same_link"]
    assert found["rows"] == 1
    assert found["said"] == {"entered": 1, "resumed": 19}


def test_the_places_of_a_soft_launch_and_of_each_stratum_are_given_to_exactly_as_many_as_there_are(
    races: dict[str, Any],
) -> None:
    found = races["strata"]
    assert found["said"] == {"stored": 40}
    assert found["first"] == 5
    assert found["all"] == {"a": 4, "b": 6}  # 4 items, 2 each: 4 * 2 / 2 and 4 * 3 / 2
    assert found["live"] == 20
    assert found["counted"]
