"""What deploy/ says works: the configuration is valid, and the same processes, started by hand, serve a study over HTTPS."""

import configparser
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from django.db import DatabaseError, connection
from django.test import Client, override_settings

from tests.study import postgres
from tests.study.pages.studies import running, walked
from tests.study.served import folder_of, free_port, start, stop
from tests.study.visitor import Visitor
from trialogue.cli.app import app

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def options_of(command: list[str]) -> dict[str, Any]:
    """What ``trialogue`` understands of a command line; it fails on options that are not there."""
    found: Any = typer.main.get_command(app)
    words = list(command)
    while hasattr(found, "commands"):
        found = found.commands[words.pop(0)]
    with found.make_context("x", words) as context:
        return dict(context.params)


def test_the_app_of_compose_is_started_with_options_that_it_has() -> None:
    given = options_of(COMPOSE["services"]["app"]["command"])
    assert (given["secure"], given["set_"], given["host"]) == (True, ["trusted_proxies=1"], "0.0.0.0")


def test_compose_declares_what_it_uses_and_publishes_the_proxy_alone() -> None:
    services = COMPOSE["services"]
    assert [name for name, each in services.items() if "ports" in each] == ["proxy"]
    for name, each in services.items():
        assert set(each.get("depends_on", {})) <= set(services), name
        for volume in each.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or source == "./study" or (DEPLOY / source).is_file(), volume
    used = set(re.findall(r"\$\{(\w+):\?\}", (DEPLOY / "compose.yaml").read_text("utf-8")))
    assert used == {"STUDY_HOST", "POSTGRES_PASSWORD"}
    assert services["app"]["environment"]["DATABASE_URL"].startswith("postgresql://study:${POSTGRES_PASSWORD:?}@db/")


def test_the_script_of_the_backup_is_one_that_bash_reads() -> None:
    script = COMPOSE["services"]["backup"]["command"][2].replace("$$", "$")
    assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    assert "pg_dump" in script


@pytest.mark.parametrize("path", sorted(DEPLOY.glob("trialogue-*")), ids=lambda path: path.name)
def test_units_of_systemd_start_commands_that_are_there(path: Path) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(path)
    if not unit.has_section("Service"):
        assert unit.get("Timer", "OnCalendar")
        return
    start_words = shlex.split(unit.get("Service", "ExecStart"))
    words = shlex.split(start_words[-1]) if start_words[0] == "/bin/sh" else start_words
    command = words[next(place for place, word in enumerate(words) if word.endswith("bin/trialogue")) + 1 :]
    assert options_of(command)["folder"] == Path("/srv/study")


def caddy() -> str:
    """The program; the test is skipped, saying so, where there is none."""
    return shutil.which("caddy") or pytest.skip("Caddy is not installed (Debian: apt-get install caddy)")


@contextmanager
def fronted(room: Path, port: int, behind: int) -> Iterator[None]:
    """Caddy with deploy/Caddyfile, and a certificate of its own."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(room),
        "XDG_DATA_HOME": str(room),
        "XDG_CONFIG_HOME": str(room),
        "STUDY_HOST": f"https://localhost:{port}",
        "STUDY_APP": f"127.0.0.1:{behind}",
        "HTTP_PORT": str(free_port()),
    }
    command = [caddy(), "run", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    with (room / "caddy.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


def status_of(url: str, tls: ssl.SSLContext | None = None, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20, context=tls) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.slow
def test_the_same_processes_by_hand_serve_a_study_over_https(tmp_path: Path) -> None:
    caddy()
    port, behind = free_port(), free_port()
    folder = folder_of(tmp_path / "study", items=4, platform={"name": "prolific"}, replace_excluded=False)
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    with postgres.server() as url, fronted(tmp_path, port, behind):
        given = ("--secure", "--name", "localhost", "--set", "trusted_proxies=1")
        more = {"TRIALOGUE_LOG": "json", "TRIALOGUE_METRICS_TOKEN": "watcher"}
        process = start(folder, behind, *given, url=url, processes=1, **more)
        try:
            end = time.monotonic() + 60
            while True:
                try:
                    assert status_of(f"https://localhost:{port}/rating/receipt/", tls) == 200
                    break
                except (OSError, AssertionError):
                    assert time.monotonic() < end, (tmp_path / "caddy.log").read_text()
                    time.sleep(0.2)
            origin = f"https://localhost:{port}"
            one = Visitor(port, tls=tls, headers={"Origin": "https://localhost", "Referer": f"{origin}/rating/"})
            assert "Thank you" in one.walk("rating", "?PROLIFIC_PID=pid-secret&SESSION_ID=session-secret").body
            assert not [status for status in one.statuses if status >= 400]
            assert [status_of(f"{origin}{path}", tls) for path in ("/health/", "/metrics/")] == [404, 404]
            inside = f"http://127.0.0.1:{behind}"
            assert status_of(f"{inside}/health/") == 200
            assert status_of(f"{inside}/metrics/") == 404
            assert status_of(f"{inside}/metrics/", Authorization="Bearer watcher") == 200
        finally:
            stop(process)
    lines = [json.loads(line) for line in (folder / "log.txt").read_text().splitlines() if line.startswith("{")]
    assert {(line["page"], line["status"]) for line in lines if line.get("page") == "study:step"} >= {
        ("study:step", 302)
    }
    said = "\n".join(map(json.dumps, lines))
    assert not re.search(r"secret|127\.0\.0\.1|PROLIFIC", said), said


@pytest.mark.usefixtures("store")
def test_health_is_well_while_the_database_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Client().get("/health/").status_code == 503  # no study
    running()
    assert Client().get("/health/").json() == {"status": "ok"}

    def gone() -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(connection, "cursor", gone)
    answer = Client().get("/health/")
    assert (answer.status_code, answer.json()) == (503, {"status": "no database"})


@pytest.mark.usefixtures("store")
@override_settings(METRICS_TOKEN="watcher")
def test_metrics_are_counts_for_who_has_the_token() -> None:
    study = running(items=3, raters_per_item=2, items_per_participant=3, replace_excluded=False)
    walked(Client(), study)
    assert Client().get("/metrics/").status_code == 404
    assert Client().get("/metrics/", headers={"authorization": "Bearer guess"}).status_code == 404
    text = Client().get("/metrics/", headers={"authorization": "Bearer watcher"}).content.decode()
    assert 'trialogue_participants{study="rating",state="completed"} 1\n' in text
    assert 'trialogue_slots{study="rating",state="done"} 3\n' in text
    assert 'trialogue_slots_needed{study="rating"} 6\n' in text
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r"\w+\{[^}]*\} \d+", line), line
    assert not re.search(r"P[0-9a-f]{12}", text)


def test_the_image_holds_the_package_alone() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    names = [name for each in copied for name in each.split()]
    assert sorted(names) == ["LICENSE", "README.md", "constraints.txt", "pyproject.toml", "src"]
    assert all((DEPLOY.parent / name).exists() for name in names)
