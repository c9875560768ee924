"""Studies with users that a language model plays: the same ledger, cache, seeds and accounts as everything else."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import endpoint, start
from trialogue.errors import DataError, UsageError
from trialogue.findings.threat import Severity, ThreatCode
from trialogue.records import Dialogue, Ending, read_records
from trialogue.simulating.model_usage import USAGE, Meter, usages
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.workers import SIGNATURE
from trialogue.simulation.llm.kinds import KINDS
from trialogue.subjects.evaluation.commands.evaluate import evaluate

__all__ = ["endpoint", "start"]


def study(endpoint: str, out: Path, play: str = "film", *, kind: str = "llm:single", **more: Any) -> dict[str, Any]:
    users = {"users": kind, "url": f"{endpoint}/play/{play}", "model": "tiny", "retries": {"most": 0}}
    users |= more.pop("options", {})
    return {"agents": ["echo"], "users": {"played": users}, "n": 3, "baselines": 0, "out": str(out), **more}


def dialogues(out: Path) -> list[Dialogue]:
    return list(read_records(out / "dialogues.jsonl", Dialogue))


@pytest.mark.parametrize("kind", ["llm:single", "llm:dual"])
def test_a_model_plays_users_whose_needs_and_signature_are_kept(endpoint: str, tmp_path: Path, kind: str) -> None:
    simulate(study(endpoint, tmp_path, kind=kind))
    found = dialogues(tmp_path)
    assert [each.ended_by for each in found] == [Ending.USER_ENDED] * 3
    assert len({each.need.id for each in found if each.need}) == 3
    assert {each.meta[SIGNATURE] for each in found} == {KINDS.member(kind.partition(":")[2]).signature}
    said = [each for each in found[0].utterances if each.speaker == "user"]
    assert [each.text for each in said][:2] == ["I want a thriller.", "From the nineties."]
    assert said[0].meta["model"] == "tiny-2026-11-01"
    assert said[0].meta["system_fingerprint"] == "fp_1"
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["config"]["user_signatures"] == {"played": found[0].meta[SIGNATURE]}


def test_the_agenda_stands_where_a_model_words_it_badly_and_targets_take_five_turns(
    endpoint: str, tmp_path: Path
) -> None:
    simulate(study(endpoint, tmp_path / "a", "countless", kind="llm:worded", n=2))
    worded = [each for each in dialogues(tmp_path / "a")[0].utterances if each.speaker == "user"]
    assert {each.meta["wording"] for each in worded} & {"lost_value", "other_act", "other_stance", "question"}
    assert all(each.acts for each in worded)
    simulate(study(endpoint, tmp_path / "b", "countless", kind="llm:target-item", n=2))
    assert [each.ended_by for each in dialogues(tmp_path / "b")] == [Ending.TURN_LIMIT] * 2
    assert len(dialogues(tmp_path / "b")[0].utterances) == 10


def test_a_second_run_asks_nothing_gives_the_same_bytes_and_is_called_a_replay(endpoint: str, tmp_path: Path) -> None:
    cached: dict[str, Any] = {"options": {"cache": str(tmp_path / "cache")}, "max_turns": 4}
    files = []
    for run in ("one", "two"):
        simulate(study(endpoint, tmp_path / run, "countless", **cached))
        files.append((tmp_path / run / "dialogues.jsonl").read_bytes())
    assert files[0] == files[1]
    first, second = (usages(tmp_path / run / USAGE)[0][1] for run in ("one", "two"))
    assert (first.calls, first.cached) == (12, 0)
    assert (second.calls, second.cached) == (0, 12)


def test_threads_and_processes_change_nothing_with_a_cache(endpoint: str, tmp_path: Path) -> None:
    cached: dict[str, Any] = {"options": {"cache": str(tmp_path / "cache")}, "max_turns": 2, "n": 4}
    simulate(study(endpoint, tmp_path / "one", "countless", at_once=4, **cached))
    simulate(study(endpoint, tmp_path / "two", "countless", jobs=2, **cached))
    assert (tmp_path / "one/dialogues.jsonl").read_bytes() == (tmp_path / "two/dialogues.jsonl").read_bytes()


def test_equal_words_of_two_agents_are_answered_alike(endpoint: str, tmp_path: Path) -> None:
    cached: dict[str, Any] = {"options": {"cache": str(tmp_path / "cache")}, "max_turns": 3}
    agents = {"one": "echo", "two": "echo"}
    simulate(study(endpoint, tmp_path / "run", "countless", at_once=2, agents=agents, **cached))
    found = dialogues(tmp_path / "run")
    assert [each.utterances for each in found[:3]] == [each.utterances for each in found[3:]]


def test_what_models_of_users_cost_is_counted_by_name_also_with_baselines(endpoint: str, tmp_path: Path) -> None:
    meter = Meter(tmp_path)
    price = {"prompt_per_million": 10.0, "completion_per_million": 0.0}
    simulate(study(endpoint, tmp_path, "silent", options={"price": price}, n=2, baselines=1))
    asked = meter.usage_by_agent()["played"]
    assert asked.calls == 2 + 6  # a user of each of 2 cases, and one of each of six baselines
    assert asked.cost == pytest.approx(8 * 100 * 10 / 1e6)


@pytest.mark.parametrize(
    ("path", "ending", "said"),
    [
        ("cut", Ending.USER_ERROR, "cut off at 20 tokens: raise max_tokens"),
        ("cut-stream", Ending.USER_ERROR, "broke off in the middle of a streamed answer"),
        ("error-in-200", Ending.USER_ERROR, "status 200 and an error: model is loading"),
        ("error-in-choice", Ending.HARNESS_ERROR, "no credit left"),
        ("null", Ending.USER_ERROR, "without text"),
        ("status/429", Ending.RATE_LIMITED, "429"),
        ("status/401", Ending.HARNESS_ERROR, "401"),
        ("play/name-only", Ending.USER_ERROR, "nothing but the name of its role"),
    ],
)
def test_each_way_to_fail_is_a_failure_of_user_or_harness(
    endpoint: str, tmp_path: Path, path: str, ending: Ending, said: str
) -> None:
    simulate(study(endpoint, tmp_path, n=1, options={"url": f"{endpoint}/{path}"}))
    dialogue = dialogues(tmp_path)[0]
    assert (dialogue.ended_by, dialogue.utterances) == (ending, ())
    assert said in (dialogue.ending_detail or "")


def test_users_that_give_up_or_leave_at_once_say_so(endpoint: str, tmp_path: Path) -> None:
    simulate(study(endpoint, tmp_path / "a", "gives-up", n=1))
    simulate(study(endpoint, tmp_path / "b", "silent", n=1))
    assert dialogues(tmp_path / "a")[0].ended_by is Ending.USER_GAVE_UP
    assert (dialogues(tmp_path / "b")[0].ended_by, dialogues(tmp_path / "b")[0].utterances) == (Ending.USER_ENDED, ())


def test_a_batch_goes_on_only_with_the_prompts_it_was_begun_with(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(study(endpoint, tmp_path, n=1))
    simulate(study(endpoint, tmp_path, n=2))
    assert len(dialogues(tmp_path)) == 2
    monkeypatch.setattr("trialogue.simulation.llm.prompts.VERSION", 99)
    with pytest.raises(UsageError, match="user_signatures"):
        simulate(study(endpoint, tmp_path, n=3))


def test_a_study_tells_every_mistake_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        simulate({"agents": ["echo"], "users": {"a": {"users": "llm:dual", "temperature": 99}}, "out": str(tmp_path)})
    text = str(caught.value)
    assert "users.a.temperature: expected a number of at most 10, got 99" in text
    with pytest.raises(DataError, match=r"users\.a\.model: this field is required"):
        simulate({"agents": ["echo"], "users": {"a": {"users": "llm:dual"}}, "out": str(tmp_path)})


def test_users_who_play_the_assistant_make_every_verdict_conditional(endpoint: str, tmp_path: Path) -> None:
    agents = {"one": "echo", "two": "fixed:Have you seen Heat?"}
    simulate(study(endpoint, tmp_path, "assistant", n=6, max_turns=2, agents=agents))
    findings = evaluate(tmp_path / "dialogues.jsonl", metrics=["need_met", "turns"], resamples=50).findings
    found = {threat.systems: threat for threat in findings.threats if threat.code is ThreatCode.USER_FAULTS}
    assert set(found) == {("one",), ("two",)}
    for threat in found.values():
        assert threat.severity is Severity.DEMOTES
        assert threat.facts["gates"]["assistant_role"] == threat.facts["dialogues"] == 6  # type: ignore[call-overload, index]


def test_a_changed_file_of_users_is_another_study(endpoint: str, tmp_path: Path) -> None:
    file = tmp_path / "polite.yaml"
    file.write_text(f"users: llm:single\nurl: {endpoint}/play/silent\nmodel: tiny\n")
    fields = {"agents": ["echo"], "users": {"polite": str(file)}, "n": 1, "baselines": 0, "out": str(tmp_path / "out")}
    simulate(fields)
    file.write_text(file.read_text() + "persona: a nurse\n")
    with pytest.raises(UsageError, match=r"polite\.yaml"):
        simulate(fields)


KILLED = """
import json, sys
from trialogue.simulating.simulate import simulate
simulate(json.loads(sys.argv[1]))
"""


def test_a_killed_simulation_with_a_model_goes_on_to_the_same_bytes_and_asks_nothing_twice(
    endpoint: str, tmp_path: Path
) -> None:
    """kill -9 as soon as a dialogue is in the ledger. The endpoint numbers its answers, so that one that is asked for again
    would differ: the batch in pieces has the bytes of one that takes all its answers from the same cache.
    """
    cached: dict[str, Any] = {"options": {"cache": str(tmp_path / "cache")}, "max_turns": 4, "n": 6}
    pieces = study(endpoint, tmp_path / "pieces", "countless", **cached)
    ledger, killed = tmp_path / "pieces" / "ledger.jsonl", 0
    for at_least in (2, 4):  # lines: the manifest, and dialogues
        process = subprocess.Popen([sys.executable, "-c", KILLED, json.dumps(pieces)])
        while process.poll() is None:
            if ledger.is_file() and ledger.read_bytes().count(b"\n") >= at_least:
                process.kill()
                killed += process.wait() == -signal.SIGKILL
                break
    simulate(pieces)
    assert killed >= 1
    simulate(study(endpoint, tmp_path / "whole", "countless", **cached))
    assert (tmp_path / "pieces/dialogues.jsonl").read_bytes() == (tmp_path / "whole/dialogues.jsonl").read_bytes()
    ((_, usage),) = usages(tmp_path / "whole" / USAGE)
    assert (usage.calls, usage.cached) == (0, 24)
