"""``trialogue users passport`` from the outside."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.subjects.simulated_users.commands.test_passport import talks
from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.records import write_records

RUN = CliRunner()


def test_terminal_page_and_json_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.subjects.simulated_users.behavior.SPLITS", 3)
    write_records(tmp_path / "real.jsonl", talks(15, words=4, seed=1))
    write_records(tmp_path / "own.jsonl", talks(15, words=4, seed=2, name="s"))
    given = ["users", "passport", str(tmp_path / "own.jsonl"), "--real", str(tmp_path / "real.jsonl")]
    given += ["--set", "resamples=100", "-q", "-o", str(tmp_path / "out")]
    found = RUN.invoke(app, given)
    assert found.exit_code == 0, found.output
    for part in ("Behavior", "Ranking validity", "Known groups", "Stability", "Gates", "Cost"):
        assert f"{part}: " in found.output
    assert f"Page: {tmp_path / 'out' / 'passport.html'}" in found.output
    printed = json.loads(RUN.invoke(app, [*given, "--json"]).stdout)
    assert printed["kind"] == "passport"
    assert printed == json.loads((tmp_path / "out" / "passport.json").read_text(encoding="utf-8"))
    assert printed["answer"][0] in " ".join(found.output.split())
    page = (tmp_path / "out" / "passport.html").read_text(encoding="utf-8")
    assert "Can simulated users be distinguished from real ones?" in page
    assert "Lopez-Paz" in page


def test_what_does_not_go_together_is_said_all_at_once(tmp_path: Path) -> None:
    given = [
        "users",
        "passport",
        "cir6-pkg",
        "--set",
        "version=x",
        "--set",
        "same=a=",
        "--set",
        "same=b=c",
        "--set",
        "same=b=d",
    ]
    found = RUN.invoke(app, [*given, "--set", "sabotage_by=none", "--set", "sabotage_by=repeated", "-o", str(tmp_path)])
    assert isinstance(found.exception, UsageError)
    said = str(found.exception)
    parts = [
        "--set version must be NAME=VALUE, got 'x'",
        "--set same must be NAME=VALUE, got 'a='",
        "gives 'b' twice",
        "none cannot",
    ]
    assert all(part in said for part in parts)
