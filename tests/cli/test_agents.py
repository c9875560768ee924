"""Agents on the command line: listed, checked, served and talked to."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.test_commands import trialogue
from trialogue.records import Dialogue, read_records


def test_kinds_of_agents_are_listed() -> None:
    listing = trialogue("agents", "list").stdout
    assert "reference" in listing
    assert "moviebot" in listing


def test_a_reference_recommender_answers_its_check() -> None:
    found = json.loads(trialogue("agents", "check", "reference:guided", "--json").stdout)
    assert found["answers"] is True
    assert found["deterministic"] is True


def test_an_agent_that_is_not_there_fails_its_check_with_the_reason() -> None:
    done = trialogue("agents", "check", "http://127.0.0.1:9", "--protocol", "moviebot")
    assert done.returncode == 1
    assert "not reachable" in done.stdout
    assert "Traceback" not in done.stderr


def test_an_unknown_kind_is_answered_with_the_nearest() -> None:
    done = trialogue("agents", "check", "referense:guided")
    assert done.returncode == 2
    assert "reference" in done.stderr


def test_a_conversation_by_hand_is_saved_and_the_next_one_added(tmp_path: Path) -> None:
    out = tmp_path / "chats.jsonl"
    command = [sys.executable, "-m", "trialogue", "chat", "reference:genre-led", "--out", str(out)]
    for _ in range(2):
        done = subprocess.run(command, input="a comedy\n\n", capture_output=True, text=True, check=True)
        assert "reference:genre-led:" in done.stdout
    dialogues = list(read_records(out, Dialogue))
    assert [dialogue.id for dialogue in dialogues] == ["chat-1", "chat-2"]
    assert {utterance.speaker for utterance in dialogues[0].utterances} == {"user", "system"}


def test_a_served_agent_is_talked_to_over_http_and_ends_on_interrupt() -> None:
    command = [sys.executable, "-m", "trialogue", "serve-agent", "echo", "--protocol", "moviebot", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].split(" ")[0]
        done = trialogue("agents", "check", url, "--protocol", "moviebot")
        assert done.returncode == 0, done.stdout
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
    assert server.returncode in (0, 130)
