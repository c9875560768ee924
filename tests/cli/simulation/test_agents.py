"""Agents on the command line: listed, checked, served and talked to."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.words import process, trialogue
from trialogue.records import Dialogue, read_records


def test_kinds_of_agents_are_listed() -> None:
    listing = trialogue("list", "agents").stdout
    assert "reference" in listing
    assert "moviebot" in listing


def test_a_reference_recommender_answers_its_check() -> None:
    found = json.loads(trialogue("agents", "check", "reference:guided", "--json").stdout)
    assert found["answers"] is True
    assert found["deterministic"] is True


def test_an_agent_that_is_not_there_fails_its_check_with_the_reason() -> None:
    done = process("agents", "check", "http://127.0.0.1:9", "--set", "protocol=moviebot")
    assert done.returncode == 1
    assert "not reachable" in done.stdout
    assert "Traceback" not in done.stderr


def test_an_unknown_kind_is_answered_with_the_nearest() -> None:
    done = trialogue("agents", "check", "referense:guided")
    assert done.returncode == 2
    assert "reference" in done.stderr


def test_a_conversation_by_hand_is_saved_and_the_next_one_added(tmp_path: Path) -> None:
    out = tmp_path / "chats.jsonl"
    command = [sys.executable, "-m", "trialogue", "agents", "chat", "reference:genre-led", "--out", str(out)]
    for _ in range(2):
        done = subprocess.run(command, input="a comedy\n\n", capture_output=True, text=True, check=True)
        assert "reference:genre-led:" in done.stdout
    dialogues = list(read_records(out, Dialogue))
    assert [dialogue.id for dialogue in dialogues] == ["chat-1", "chat-2"]
    assert {utterance.speaker for utterance in dialogues[0].utterances} == {"user", "system"}


def test_a_served_agent_is_talked_to_over_http_and_ends_on_interrupt() -> None:
    command = [sys.executable, "-m", "trialogue", "agents", "serve", "echo", "--protocol", "moviebot", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" on ")[1].split(" ")[0]
        done = trialogue("agents", "check", url, "--set", "protocol=moviebot")
        assert done.returncode == 0, done.stdout
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
    assert server.returncode in (0, 130)


def test_what_a_chat_is_to_be_added_to_is_looked_at_before_the_talk(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not json\n")
    for out in (tmp_path, tmp_path / "notes.txt", tmp_path / "notes.txt" / "chat.jsonl"):
        done = trialogue("agents", "chat", "echo", "--out", out)
        assert done.returncode == 2
        assert "you:" not in done.stdout
    assert (tmp_path / "notes.txt").read_text() == "not json\n"


def test_a_chat_that_an_agent_breaks_off_is_kept_and_not_a_success(tmp_path: Path) -> None:
    (tmp_path / "boom.py").write_text("def reply(message):\n    return 1 / 0\n")
    command = [sys.executable, "-m", "trialogue", "agents", "chat", "boom:reply", "--out", "chat.jsonl"]
    done = subprocess.run(command, input=b"caf\xe9?\n", capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert b"division by zero" in done.stderr
    (kept,) = read_records(tmp_path / "chat.jsonl", Dialogue)
    assert [said.text for said in kept.utterances] == ["caf\ufffd?"]
    assert kept.ended_by == "agent_error"
    assert "division by zero" in (kept.ending_detail or "")


def test_an_interrupted_chat_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trialogue", "agents", "chat", "echo", "--out", str(tmp_path / "chat.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as chat:
        assert chat.stdin is not None
        assert chat.stdout is not None
        chat.stdin.write(b"hello\n")
        chat.stdin.flush()
        assert b"hello" in chat.stdout.readline()
        chat.send_signal(signal.SIGINT)
        _, messages = chat.communicate(timeout=60)
    assert b"saved to" in messages
    assert len(next(read_records(tmp_path / "chat.jsonl", Dialogue)).utterances) == 2


@pytest.mark.parametrize(
    ("code", "messages"),
    [
        ("def reply(:\n", "SyntaxError: "),
        ("import no_such_module_anywhere\n", "No module named 'no_such_module_anywhere'"),
        ("raise SystemExit('no licence')\n", "SystemExit: no licence"),
        ("settings = {}\nname = settings['name']\n", "KeyError: 'name'"),
    ],
)
def test_code_that_cannot_be_imported_is_reported_without_a_traceback(
    code: str, messages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    done = (process if "SystemExit" in code else trialogue)("agents", "check", "mine:reply")
    assert done.returncode == 2
    assert messages in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_cannot_be_is_refused() -> None:
    assert trialogue("agents", "serve", "echo", "--port", "99999").returncode == 2
