"""A database that cannot write: nothing is acknowledged that was not saved."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from tests.study.pages.studies import entered, running, sent, source
from trialogue.study.models import Participant, Submission
from trialogue.study.services import rows


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What people were shown while a real file could not be written."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.study.broken"],
        cwd=Path(__file__).parents[2],
        env={**environment, "TRIALOGUE_STUDY": str(tmp_path_factory.mktemp("study"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("why", ["full", "read-only", "locked"])
def test_nothing_is_acknowledged_that_a_file_did_not_take(broken: dict[str, Any], why: str) -> None:
    assert broken[why] == {
        "status": 503,
        "messages": True,
        "rows": [0, 1],
        "again": 200,
    }  # the second attempt was saved


def test_what_is_committed_is_on_the_disk_and_not_in_its_cache(broken: dict[str, Any]) -> None:
    assert broken["safety"] == {"journal_mode": "wal", "synchronous": 2}  # 2 is FULL


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "why", ["database is locked", "database or disk is full", "attempt to write a readonly database"]
)
def test_what_could_not_be_written_is_not_acknowledged_and_can_be_sent_again(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_row: Submission) -> None:
        raise OperationalError(why)

    study, client = running(), Client(raise_request_exception=False)
    page = entered(client, study)
    with monkeypatch.context() as broken:
        broken.setattr(rows, "insert", refuse)
        answer = sent(client, page)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "Not saved yet" in source(answer)
    assert why not in source(answer)
    assert not Submission.objects.exists()
    assert Participant.objects.get().state == "arrived"
    assert sent(client, answer).status_code == 200  # the page carries the form
    assert Submission.objects.count() == 1
