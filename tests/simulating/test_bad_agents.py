"""Agents that misbehave in the middle of a dialogue: each failure is a record beside the others, and nothing is lost."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from trialogue.metrics import Settings, conversations_of, get_metrics, measure
from trialogue.records import Dialogue, read_records
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.simulation_file import study_of

GOOD_TURNS = 2
LIMIT_S, HANG_S, PATIENT_S = 1.0, 2.0, 60.0  # only who hangs meets a limit: a shared machine may stall at any moment
ANSWERS = {
    "html": (200, "text/html", b"<!DOCTYPE html><html><body>Welcome to nginx!</body></html>"),
    "empty": (200, "application/json", b'{"reply": ""}'),
    "megabyte": (200, "application/json", b'{"reply": "' + b"a" * (1 << 20) + b'"}'),
    "new-schema": (200, "application/json", b'{"version": 3, "messages": [{"content": "Heat?"}]}'),
    "tool": (200, "application/json", b'{"reply": "", "tool_calls": [{"function": {"name": "search"}}]}'),
    "error": (500, "text/plain", b"Traceback: KeyError"),
    "limited": (429, "text/plain", b"Slow down"),
    "cut": (200, "application/json", b'{"reply": "He'),
}
HELD = {
    "never-ends": "turn_limit",
    "html": "agent_invalid_reply",
    "empty": "agent_invalid_reply",
    "megabyte": "agent_invalid_reply",
    "new-schema": "agent_invalid_reply",
    "tool": "agent_tool_call",
    "error": "agent_error",
    "limited": "rate_limited",
    "cut": "agent_invalid_reply",
    "crash": "agent_error",
    "hang": "agent_timeout",
}
"""How a dialogue with each ends."""


class Misbehaving(BaseHTTPRequestHandler):
    """Answers the first turns of a conversation, and then does as its path says."""

    protocol_version = "HTTP/1.1"
    turns: ClassVar[Counter[str]] = Counter()

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = self.path.strip("/")
        self.turns[said["id"]] += 1
        if self.turns[said["id"]] <= GOOD_TURNS or fault == "never-ends":
            self.answer(200, "application/json", b'{"reply": "What about Heat (1995)?"}')
        elif fault == "crash":
            self.close_connection = True  # hangs up without a word
        elif fault == "hang":
            time.sleep(HANG_S)
            self.close_connection = True
        else:
            self.answer(*ANSWERS[fault])

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_reported: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    Misbehaving.turns.clear()  # a process that steals tests of this module back sets it up twice
    with ThreadingHTTPServer(("127.0.0.1", 0), Misbehaving) as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


@pytest.fixture(scope="module")
def folder(server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bad")
    agents = {
        fault: {
            "agent": "http",
            "url": server,
            "turn": {"path": f"/{fault}", "body": {"text": "{message}", "id": "{dialogue_id}"}, "reply": "reply"},
            "timeout_s": LIMIT_S if fault == "hang" else PATIENT_S,
            "retries": {"most": 0},
        }
        for fault in HELD
    }
    study = study_of(
        {"agents": agents, "users": ["cir6-single"], "n": 4, "max_turns": 12, "at_once": 4, "out": str(out)}
    )
    assert simulate(study).manifest.config["n"] == 4
    again = simulate(study)  # what failed is finished, too: nothing is held a second time
    assert again.resumed == 4 * len(HELD)
    return out


def held_with(folder: Path, fault: str) -> list[Dialogue]:
    return [each for each in read_records(folder / "dialogues.jsonl", Dialogue) if each.system == fault]


@pytest.mark.parametrize("fault", HELD)
def test_a_failure_is_a_record_and_what_was_said_before_is_kept(folder: Path, fault: str) -> None:
    dialogues = held_with(folder, fault)
    assert len(dialogues) == 4
    failed = [each for each in dialogues if each.ended_by != "agenda_empty"]  # a user may be done before it misbehaves
    assert failed
    for each in failed:
        assert each.ended_by == HELD[fault]
        assert fault == "never-ends" or each.ending_detail
        answered = sum(said.speaker == "system" for said in each.utterances)
        assert answered == {"never-ends": 12, "hang": answered}.get(fault, GOOD_TURNS)


def test_failures_are_counted_next_to_the_score(folder: Path) -> None:
    dialogues = list(read_records(folder / "dialogues.jsonl", Dialogue))
    scores = measure(conversations_of(dialogues), get_metrics(["failures", "turns"]), settings=Settings(resamples=10))
    found = {(each.measure.partition("@")[0], each.system): each.value for each in scores if each.level == "system"}
    failed = Counter(each.system for each in dialogues if each.ended_by is not None and each.ended_by.is_failure)
    for fault in HELD:
        assert found["failures", fault] == failed[fault] / 4
        unfailed = len(held_with(folder, fault)) - failed[fault]
        assert (found["turns", fault] is not None) == (unfailed > 0)  # undefined where something failed
