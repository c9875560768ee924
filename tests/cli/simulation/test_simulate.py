"""Simulated users on the command line."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.words import process, trialogue
from trialogue.records import Dialogue, read_records

AGENTS = ("--agent", "reference:guided", "--agent", "reference:popular")


def test_users_talk_to_agents_and_every_dialogue_says_why_it_ended(tmp_path: Path) -> None:
    done = process("simulate", *AGENTS, "--users", "cir6-pkg", "-n", "3", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    dialogues = list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))
    assert [each.id for each in dialogues][:2] == ["reference:guided/cir6-pkg/1", "reference:guided/cir6-pkg/2"]
    assert len(dialogues) == 6
    assert all(each.ended_by for each in dialogues)


def test_two_processes_hold_the_same_dialogues_as_one(tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        out = tmp_path / name
        done = trialogue("simulate", *AGENTS, "-u", "qrfa-single", "-n", "2", "--jobs", jobs, "--out", out)
        assert done.returncode == 0, done.stderr
    one, two = ((tmp_path / name / "dialogues.jsonl").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_finished_run_is_not_held_again_a_longer_one_goes_on_and_a_shorter_one_counts_its_own(tmp_path: Path) -> None:
    words = ("simulate", "-a", "reference:popular", "--out", tmp_path / "run", "-n")
    trialogue(*words, "2")
    longer = trialogue(*words, "3")
    assert "2 of them from the earlier run" in longer.stderr
    assert len(list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))) == 3
    shorter = trialogue(*words, "2")
    assert shorter.returncode == 0, shorter.stderr
    assert sum(int(line.split()[0]) for line in shorter.stdout.splitlines() if " ended by " in line) == 2
    assert shorter.stderr.count("2 of 2 dialogues") == 1


def test_an_agent_that_is_not_there_gives_recorded_failures(tmp_path: Path) -> None:
    words = ("simulate", "-a", "http://127.0.0.1:9", "--set", "protocol=moviebot", "-n", "2", "--out", tmp_path / "run")
    done = trialogue(*words)
    assert done.returncode == 1, done.stderr
    assert "error: agent 'http://127.0.0.1:9' failed in all of its 2 dialogues. To test it alone:" in done.stderr
    assert "2 ended by an agent that could not be reached" in done.stdout
    assert (
        "agent_unreachable (fault: agent) 2, as in http://127.0.0.1:9/cir6-pkg/1: http://127.0.0.1:9 cannot be reached"
        in done.stdout
    )


class Model(BaseHTTPRequestHandler):
    """A language model that says little, for 10 tokens of prompt and 3 of answer."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.requests = getattr(server, "requests", 0) + 1
        said = {"choices": [{"message": {"content": "Hello."}}], "usage": {"prompt_tokens": 10, "completion_tokens": 3}}
        body = json.dumps(said).encode()
        self.send_response(getattr(server, "status", 200))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        pass


def test_what_a_language_model_was_asked_and_what_that_cost_is_reported_of_this_run_alone(tmp_path: Path) -> None:
    usage = tmp_path / "run" / "usage.jsonl"
    usage.parent.mkdir()
    usage.write_text('{"agent": "mine", "usage": {"model": "m", "calls": 99}}\n')  # of a run before
    price = {"prompt_per_million": 1000, "completion_per_million": 0}
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        agents = {"mine": {"agent": "llm", "url": url, "model": "m", "price": price}}
        study = tmp_path / "study.yaml"
        study.write_text(json.dumps({"agents": agents, "users": ["cir6-pkg"], "n": 1, "max_turns": 2}))
        messages = trialogue("simulate", study, "--out", tmp_path / "run").stderr
        server.shutdown()
    calls = json.loads(usage.read_text().splitlines()[-1])["usage"]["calls"]
    cost = f"{calls * 10 * 1000 / 1e6:.4g} USD"  # 10 tokens a call, at 1,000 a million
    assert (
        f"mine: {calls} calls, 0 answers from the cache; {calls * 10} prompt tokens, {calls * 3} answer tokens"
        in messages
    )
    assert f"cost {cost}" in messages
    assert 0 < calls < 99


@contextlib.contextmanager
def model_server() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield server
        server.shutdown()


def model_study(server: Any, folder: Path, **fields: Any) -> Path:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    price = {"prompt_per_million": 1000, "completion_per_million": 0}
    agent = {"agent": "llm", "url": url, "model": "m", "price": price, "max_tokens": 5, "retries": {"most": 0}}
    study = folder / "study.yaml"
    given = {"agents": {"mine": agent}, "users": ["cir6-pkg"], "n": 6, "baselines": 0, "out": "run", **fields}
    study.write_text(json.dumps(given))
    return study


def test_a_wrong_key_stops_the_run_and_the_same_command_resumes_it(tmp_path: Path) -> None:
    with model_server() as server:
        study = model_study(server, tmp_path, max_turns=2)
        server.status = 401
        stopped = trialogue("simulate", study, "--set", "stop_after=3")
        assert stopped.returncode == 2
        assert (
            "error: Stopped early: agent 'mine' with cir6-pkg: 3 dialogues in a row ended by an error of the machine or its "
            "configuration" in stopped.stderr
        )
        assert "3 of 6 dialogues are kept" in stopped.stderr
        assert server.requests == 3
        server.status = 200
        mended = trialogue("simulate", study, "--retry-failed")
        assert mended.returncode == 0, mended.stderr
    dialogues = list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))
    assert len(dialogues) == 6
    assert not any(each.fault for each in dialogues)


def test_a_limit_on_requests_holds_over_processes_and_is_resumed_with_a_higher_one(tmp_path: Path) -> None:
    with model_server() as server:
        study = model_study(server, tmp_path, max_turns=3, max_calls=7)
        stopped = trialogue("simulate", study, "--jobs", "2")
        assert stopped.returncode == 2
        assert "might exceed max_calls 7. So far: 7 requests" in stopped.stderr
        assert server.requests == 7
        raised = trialogue("simulate", study, "--limit", "calls=100")
        assert raised.returncode == 0, raised.stderr
        spent = [json.loads(line) for line in (tmp_path / "run" / "spend.jsonl").read_text().splitlines()]
        assert sum(each["answers"] for each in spent) == server.requests
        assert sum(each["cost"] for each in spent) == pytest.approx(server.requests * 10 * 1000 / 1e6)
        finished = [each["dialogue"] for each in spent if each["finished"]]
        assert sorted(finished) == [f"mine/cir6-pkg/{number}" for number in range(1, 7)]
    assert len(list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))) == 6


def test_more_failed_dialogues_than_allowed_make_the_command_fail(tmp_path: Path) -> None:
    (tmp_path / "shaky.py").write_text(
        "def reply(message, history, dialogue_id):\n    return 'hi' if dialogue_id.endswith('1') else 1 / 0\n"
    )
    study = tmp_path / "study.yaml"
    study.write_text(json.dumps({"agents": {"shaky": "shaky:reply"}, "users": ["cir6-pkg"], "n": 4, "baselines": 0}))
    done = trialogue("simulate", study, "--out", tmp_path / "run")
    assert done.returncode == 1
    assert "3 of 4 dialogues of agent 'shaky' failed, more than the allowed share of 0.1 (max_failed)" in done.stderr
    assert trialogue("simulate", study, "--out", tmp_path / "run", "--set", "max_failed=0.8").returncode == 0


def test_all_mistakes_of_a_study_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("agents: [reference:giuded]\nusers: [cir6-pkg]\nn: 0\nsede: 1\n")
    done = trialogue("simulate", tmp_path / "study.yaml")
    assert done.returncode == 2
    assert "seed" in done.stderr
    assert "line 3" in done.stderr
    assert "guided" in done.stderr


def test_without_an_agent_it_says_what_to_name() -> None:
    done = trialogue("simulate")
    assert done.returncode == 2
    assert "--agent reference:guided" in done.stderr


def test_unknown_users_are_answered_with_the_known_ones(tmp_path: Path) -> None:
    done = trialogue("simulate", "-a", "reference:popular", "-u", "cir6-pgk", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "cir6-pkg" in done.stderr


def test_options_beside_a_study_take_the_place_of_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("agents: [reference:popular]\nusers: [cir6-pkg]\nn: 50\n")
    done = trialogue("simulate", tmp_path / "study.yaml", "-n", "2", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert len(list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))) == 2


def test_an_agent_that_stands_in_a_study_twice_is_no_slip_that_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        "agents: {a: echo, a: reference:popular}\nusers: [cir6-pkg]\nusers: [qrfa-single]\n"
    )
    done = trialogue("simulate", tmp_path / "study.yaml")
    assert done.returncode == 2
    assert "field users: this field is already set on line 2" in done.stderr


def test_a_study_runs_from_another_folder_with_files_and_modules_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "my_reader_bot.py").write_text("def reply(message):\n    return 'Have you read Emma?'\n")
    books = range(10)
    items = "".join(f"b{number},Book {number},novel\n" for number in books)
    (folder / "books.csv").write_text(f"id,title,genre\n{items}")
    rated = "".join(f"{user},b{number},{1 + number % 5}\n" for user in "ab" for number in books)
    (folder / "ratings.csv").write_text(f"user,item,rating\n{rated}")
    (folder / "study.yaml").write_text(
        "agents: {mine: my_reader_bot:reply}\nusers: cir6-pkg\ncatalogue: books.csv\nratings: ratings.csv\nn: 2\n"
        "max_turns: 2\nout: run\n"
    )
    with contextlib.chdir(tmp_path):
        done = trialogue("simulate", "mine/study.yaml")
    assert done.returncode == 0, done.stderr
    assert "Dialogues: mine/run/dialogues.jsonl" in done.stdout
    with contextlib.chdir(folder):  # the same study from its own folder: nothing is held again, and nothing refused
        again = trialogue("simulate", "study.yaml")
    assert again.returncode == 0, again.stderr
    assert "2 of them from the earlier run" in again.stderr


def test_users_that_a_model_plays_take_options_and_their_failure_is_not_the_agents(tmp_path: Path) -> None:
    words = ("simulate", "-a", "echo", "-u", "llm:single", "-n", "2", "--out", tmp_path / "run")
    model = ("--set", "user.url=http://127.0.0.1:9", "--set", "user.model=tiny")
    none = ("--set", "user.retries={most: 0}")
    done = trialogue(*words, *model, *none)
    assert done.returncode == 1
    assert "2 ended by an error of the simulated user" in done.stdout
    assert "fault: user" in done.stdout
    assert "its simulated users, or what ran them, failed in all of its 2 dialogues" in done.stderr
    missing = trialogue(*words, *model[2:])
    assert (missing.returncode, "url: this field is required" in missing.stderr) == (2, True)
    for wrong in ("url", "=x", "url=[}"):
        assert trialogue(*words, "--set", f"user.{wrong}").returncode == 2


def test_what_a_model_that_plays_users_is_sent_is_shown_with_its_signature() -> None:
    shown = trialogue("list", "users", "llm:dual").stdout
    assert shown.startswith("llm:dual, signature llm:dual|v1|")
    assert "CONTINUE, DONE or GIVE_UP?" in shown
    found = json.loads(trialogue("list", "users", "llm:single", "--json").stdout)
    assert found["prompts"]["first"] in shown
    assert trialogue("list", "users", "llm:single", "--out", "x.svg").returncode == 2
    listed = trialogue("list", "users").stdout
    assert any(line.startswith("llm:single ") and "a model writes each message" in line for line in listed.splitlines())
