"""Results of tau-bench, tau2-bench and tau-Rec: trials with tasks, calls and recorded rewards.

tau-bench's was tried on a published file; the shapes of the other two are those of their own data models, written by hand.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets import read, recognise
from trialogue.datasets.formats.tau import succeeds_by_doing_nothing
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Ending, Raters
from trialogue.tasks import score_trials

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": "7"}'}}
TRAJ = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "Cancel it."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "find", "content": "{}"},
    {"role": "assistant", "content": "I cannot."},
]


def bench(
    task: int, trial: int, reward: float, actions: list[Any], outputs: list[str], state: str | None
) -> dict[str, Any]:
    hashed = {"r_actions": reward, "gt_data_hash": state} if state else {"r_outputs": reward}
    info = {"task": {"actions": actions, "outputs": outputs}, "reward_info": {"reward": reward, "info": hashed}}
    return {"task_id": task, "trial": trial, "reward": reward, "info": info, "traj": TRAJ}


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def dialogues(path: Path, notes: list[Problem] | None = None) -> list[Dialogue]:
    found: list[Problem] = [] if notes is None else notes
    return [each for each in read(path, note=found.append) if isinstance(each, Dialogue)]


def test_a_trial_of_tau_bench_is_a_dialogue_with_its_task_and_a_programs_rating(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", [bench(3, trial, trial, [], [], "s0") for trial in (0, 1)])
    assert recognise(path).name == "tau-bench"
    first, second = dialogues(path)
    assert (first.id, second.id, first.task, first.cluster, first.system) == ("3/0", "3/1", "3", "task:3", "run")
    (rating,) = second.ratings
    assert (rating.name, rating.value, rating.low, rating.high, rating.raters) == ("reward", 1, 0, 1, Raters.PROGRAM)
    assert [each.text for each in first.utterances] == ["Cancel it.", "I cannot."]
    trace = first.utterances[1].trace
    assert trace is not None
    assert trace.calls is not None
    assert [(call.name, call.arguments, call.result) for call in trace.calls] == [("find", {"id": "7"}, "{}")]


def test_doing_nothing_succeeds_where_nothing_is_to_be_changed_or_told(tmp_path: Path) -> None:
    write, transfer = [{"name": "cancel", "kwargs": {}}], [{"name": "transfer", "kwargs": {}}]
    trials = [
        bench(0, 0, 1, [], [], "s0"),
        bench(1, 0, 0, write, [], "s1"),
        bench(2, 0, 0, transfer, [], "s0"),  # an action that leaves the database as it was
        bench(3, 0, 0, [], ["42"], None),  # a text has to be told
        bench(4, 0, 0, write, [], None),
        bench(4, 1, 0, write, [], "s4"),  # the hash is recorded with one of its trials
    ]
    path = written(tmp_path / "run.json", trials)
    assert succeeds_by_doing_nothing(dialogues(path)) == {"0": True, "1": False, "2": True, "3": False, "4": False}
    path = written(tmp_path / "unknown.json", [bench(1, 0, 0, write, [], "s1"), bench(5, 0, 0, write, [], None)])
    assert succeeds_by_doing_nothing(dialogues(path)) == {"1": None, "5": None}  # no task says how the database was


def test_a_broken_trial_is_no_silent_failure_of_the_agent(tmp_path: Path) -> None:
    broken = {"task_id": 1, "trial": 0, "reward": 0.0, "info": {"error": "Rate limit reached"}, "traj": []}
    (found,) = dialogues(written(tmp_path / "run.json", [broken]))
    assert found.ended_by is Ending.RATE_LIMITED


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    no_task: dict[str, Any] = {"task_id": None, "reward": 1, "info": {}, "traj": TRAJ}
    path = written(tmp_path / "run.json", [no_task, {"task_id": 1, "reward": 7, "info": {}, "traj": "hello"}])
    with pytest.raises(DataError) as caught:
        dialogues(path)
    assert "task_id" in {each.field for each in caught.value.problems}
    assert len(caught.value.problems) >= 2


def simulation(task: str, trial: int, reward: float, ending: str = "user_stop") -> dict[str, Any]:
    messages = [
        {"role": "assistant", "content": "Hi!", "tool_calls": None, "turn_idx": 0},
        {"role": "user", "content": "My phone is dead.", "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "name": "line", "arguments": {"id": 1}}]},
        {"role": "tool", "id": "c1", "content": "no such line", "requestor": "assistant", "error": True},
        {
            "role": "user",
            "content": None,
            "tool_calls": [{"id": "u1", "name": "toggle", "arguments": {}, "requestor": "user"}],
        },
        {"role": "tool", "id": "u1", "content": "on", "requestor": "user", "error": False},
        {"role": "assistant", "content": "Thank you.", "tool_calls": None},
    ]
    more = {"reward_info": {"reward": reward}, "termination_reason": ending, "agent_cost": 0.25}
    return {"id": f"{task}-{trial}", "task_id": task, "trial": trial, "messages": messages, **more}


def tau2(*simulations: dict[str, Any], **criteria: Any) -> dict[str, Any]:
    info = {"agent_info": {"implementation": "llm_agent", "llm": "gpt-5"}, "user_info": {"llm": "gpt-5"}}
    tasks = [{"id": "t1", "evaluation_criteria": {"actions": [], "reward_basis": ["DB", "COMMUNICATE"], **criteria}}]
    return {"timestamp": "now", "info": info, "tasks": tasks, "simulations": list(simulations)}


def test_a_simulation_of_tau2_is_read_without_the_calls_of_its_user(tmp_path: Path) -> None:
    notes: list[Problem] = []
    path = written(tmp_path / "run.json", tau2(simulation("t1", 0, 1.0), simulation("t1", 1, 0.0, "agent_error")))
    assert recognise(path).name == "tau2-bench"
    first, second = dialogues(path, notes)
    assert (first.id, first.task, first.system, first.ratings[0].value) == ("t1/0", "t1", "gpt-5", 1)
    calls = [call for each in first.utterances if each.trace for call in each.trace.calls or ()]
    calls += [] if first.trace is None else list(first.trace.calls or ())
    assert [(call.name, call.error is not None) for call in calls] == [("line", True)]
    assert any("simulated user were left out" in each.what and "2 times" in each.what for each in notes)
    assert (first.ended_by, second.ended_by) == (Ending.USER_ENDED, Ending.AGENT_ERROR)


@pytest.mark.parametrize(
    ("criteria", "succeeds"),
    [
        ({}, True),
        ({"actions": None}, True),
        ({"communicate_info": ["42"]}, False),
        ({"communicate_info": ["42"], "reward_basis": ["DB"]}, True),
        ({"actions": [{"name": "cancel"}], "reward_basis": ["ACTION"]}, False),
        ({"actions": [{"name": "cancel"}]}, None),  # whether it changes the database is not recorded
        ({"nl_assertions": ["It is polite."], "reward_basis": ["NL_ASSERTION"]}, None),
        ({"env_assertions": [{"func_name": "x"}], "reward_basis": ["ENV_ASSERTION"]}, None),
    ],
)
def test_what_doing_nothing_reaches_in_tau2_depends_on_what_counts(
    tmp_path: Path, criteria: Any, succeeds: bool | None
) -> None:
    path = written(tmp_path / "run.json", tau2(simulation("t1", 0, 1.0), **criteria))
    assert succeeds_by_doing_nothing(dialogues(path)) == {"t1": succeeds}


def test_a_trace_of_tau_rec_is_read_with_its_calls(tmp_path: Path) -> None:
    events = [
        {"type": "message", "role": "agent", "content": "Hello!"},
        {"type": "message", "role": "user", "content": "A comedy, please."},
        {"type": "tool_call", "name": "recommend", "arguments": {"item_id": "x"}, "result": '{"ok": true}'},
    ]
    trial = {"task_id": "task_001", "model": "m", "trial": 2, "events": events, "stop_reason": "recommended"}
    path = written(tmp_path / "task_001_trial2.json", trial)
    assert recognise(path).name == "tau-rec"
    (found,) = dialogues(path)
    assert (found.id, found.task, found.system, found.ended_by) == ("task_001/2", "task_001", "m", Ending.AGENT_ENDED)
    assert found.trace is not None
    assert found.trace.calls is not None
    assert [(call.name, call.arguments) for call in found.trace.calls] == [("recommend", {"item_id": "x"})]


@pytest.mark.mirror
def test_pass_k_of_tau_benchs_published_trials(mirror: Path) -> None:
    found = dialogues(mirror / "tau_bench" / "gpt-4o-airline-first20.json")
    assert len(found) == 80
    scores = score_trials(found)
    assert [round(each.value or 0, 4) for each in scores.systems[0].passes] == [0.25, 0.1167, 0.1, 0.1]
    # Five of 20 tasks expect no change of the database and no text; one of them expects a transfer, which changes nothing.
    assert [each.value for each in scores.baselines[0].passes] == [0.25] * 4
    assert scores.systems[0].calls is not None
    assert scores.systems[0].calls.value == pytest.approx(514 / 80)
