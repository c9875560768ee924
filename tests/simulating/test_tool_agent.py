"""The example of an agent that calls tools, and tools in simulations from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.words import process, trialogue
from trialogue.records import Dialogue, Ending, read_records
from trialogue.records.trace import CallFault, ToolCall, calls_in

EXAMPLE = Path(__file__).parents[2] / "examples" / "tool-agent"


def calls_of(dialogues: Path) -> dict[str, list[ToolCall]]:
    """Calls by system."""
    found: dict[str, list[ToolCall]] = {}
    for dialogue in read_records(dialogues, Dialogue):
        found.setdefault(dialogue.system or "", []).extend(calls_in(dialogue.utterances))
    return found


def test_the_example_fails_the_build_because_of_planted_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = process("ci", EXAMPLE / "ci.yaml", "-n", "30", "--out", tmp_path / "ci")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("RED: worse\n")
    assert "Invalid tool calls" in done.stdout
    calls = calls_of(tmp_path / "ci" / "dialogues.jsonl")
    assert {call.name for call in calls["old"]} == {"search_catalogue", "recommend"}
    failed = [call for call in calls["old"] if call.error is not None]
    assert failed
    assert all((call.error or "").startswith("invalid_arguments: Invalid JSON") for call in failed)
    assert {call.error for call in calls["new"]} == {
        "unknown_tool: 'find_films'; there are search_catalogue, get_facts, recommend"
    }
    assert {call.fault for call in (*failed, *calls["new"])} == {CallFault.AGENT}
    assert {call.latency_s for call in (*calls["old"], *calls["new"])} == {None}  # which would differ between runs


def test_a_simulation_with_tools_is_the_same_bytes_and_over_the_catalogue_of_its_users(tmp_path: Path) -> None:
    shop = tmp_path / "shop.csv"
    kinds = ["tent", "jacket", "stove", "rope"]
    rows = [f"{kind} {place},{kind},{place * 10}.00" for kind in kinds for place in range(1, 6)]
    shop.write_text("name,type,price\n" + "\n".join(rows) + "\n")
    (tmp_path / "seller.py").write_text(
        "def reply(message, history, tools):\n"
        "    found = tools.call('search_catalogue', {'query': message})\n"
        "    return f\"How about {found.result[0]['title']}?\" if found.result else 'What do you look for?'\n"
    )
    study = tmp_path / "study.yaml"
    agent = {"agent": "seller:reply", "tools": ["catalogue"]}
    config = {"agents": {"seller": agent}, "users": ["cir6-pkg"], "catalogue": "shop.csv", "n": 5, "baselines": 0}
    texts = []
    for name in ("one", "two"):
        study.write_text(json.dumps({**config, "out": name}))
        done = trialogue("simulate", study)
        assert done.returncode == 0, done.stderr
        texts.append((tmp_path / name / "dialogues.jsonl").read_bytes())
    assert texts[0] == texts[1]
    results = [call.result for call in calls_of(tmp_path / "one" / "dialogues.jsonl")["seller"] if call.result]
    assert results
    assert all(each["id"].split()[0] in kinds for result in results if isinstance(result, list) for each in result)  # type: ignore[call-overload,index,union-attr]


def test_check_chat_and_debug_show_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = process("agents", "check", "agent:Agent", "--set", "tools=catalogue")
    assert "  calls: search_catalogue(" in done.stdout
    assert "failed (the agent's error): invalid_arguments: Invalid JSON" in done.stdout
    run = tmp_path / "run"
    done = process(
        "simulate", "-a", "agent:NewAgent", "--set", "tools=catalogue", "-n", "2", "--seed", "1", "--out", run
    )
    assert done.returncode == 0, done.stderr
    assert "        called find_films(" in trialogue("agents", "debug", run).stdout
    report = json.loads(trialogue("agents", "debug", run, "--json").stdout)
    assert report[0]["acts"][0]["failures"][0]["calls"][0]["name"] == "find_films"


def test_chat_shows_and_saves_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    words = ["agents", "chat", "agent:Agent", "--set", "tools=catalogue", "--out", str(tmp_path / "mine.jsonl")]
    done = subprocess.run(
        [sys.executable, "-m", "trialogue", *words], input="a comedy\n\n", capture_output=True, text=True, check=False
    )
    assert "  calls recommend(" in done.stdout
    (dialogue,) = read_records(tmp_path / "mine.jsonl", Dialogue)
    assert [call.name for call in calls_in(dialogue.utterances)][-1] == "recommend"
    assert dialogue.ended_by is Ending.USER_ENDED


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["agents", "check", "echo", "--set", "tools=catalogue"], "There is no field 'tools'"),
        (["agents", "check", "agent:Agent", "--set", "tools=catalogue:none.csv"], "none.csv"),
        (["simulate", "-a", "agent:Agent", "--set", "tools=agent:nothing", "-n", "2"], "nothing"),
        (["simulate", "ci.yaml", "--set", "tools=catalogue"], "tools"),
    ],
)
def test_tools_that_cannot_be_offered_are_an_error_with_exit_code_2(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    done = trialogue(*words)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr
