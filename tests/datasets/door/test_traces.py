"""Calls of tools, time, tokens and cost of a log become the trace of the turn that they belong to."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets.base import Repairs, get_format
from trialogue.datasets.conversion import convert
from trialogue.records import Dialogue
from trialogue.records.trace import ToolCall, Trace, join_traces

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {"type": "object", "properties": {"genre": {"type": "string"}}, "required": ["genre"]},
    },
}


def read(tmp_path: Path, *entries: dict[str, Any], form: str = "openai-chat") -> tuple[list[Dialogue], list[str]]:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in entries))
    notes = Repairs()
    found = [each for each in get_format(form).read(path, note=notes) if isinstance(each, Dialogue)]
    return found, [str(each) for each in notes.problems]


def openai(arguments: str, result: str) -> dict[str, Any]:
    return {
        "messages": [
            {"role": "user", "content": "a thriller"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "t", "type": "function", "function": {"name": "search", "arguments": arguments}}],
            },
            {"role": "tool", "tool_call_id": "t", "content": result},
            {"role": "assistant", "content": "Watch Heat."},
        ]
    }


def anthropic(arguments: str, result: str) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "t", "name": "search", "input": json.loads(arguments)}
    return {
        "messages": [
            {"role": "user", "content": "a thriller"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": result}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Watch Heat."}]},
        ]
    }


def sharegpt(arguments: str, result: str) -> dict[str, Any]:
    call = json.dumps({"name": "search", "arguments": json.loads(arguments)})
    return {
        "conversations": [
            {"from": "human", "value": "a thriller"},
            {"from": "function_call", "value": call},
            {"from": "observation", "value": result},
            {"from": "gpt", "value": "Watch Heat."},
        ]
    }


def old_functions(arguments: str, result: str) -> dict[str, Any]:
    return {
        "messages": [
            {"role": "user", "content": "a thriller"},
            {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": arguments}},
            {"role": "function", "name": "search", "content": result},
            {"role": "assistant", "content": "Watch Heat."},
        ]
    }


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ("Heat", None),
        ("", None),
        ("Error: no such genre", "Error: no such genre"),
        ('{"error": "timeout"}', '{"error": "timeout"}'),
        ('{"error": null, "films": []}', None),
        ("Errors and Omissions (1999)", None),
        ("TimeoutError: 30 s", "TimeoutError: 30 s"),
    ],
)
def test_one_call_is_the_same_record_in_every_form(result: str, error: str | None, tmp_path: Path) -> None:
    arguments = '{"genre": "thriller"}'
    for form, entry in (
        ("openai-chat", openai(arguments, result)),
        ("openai-chat", anthropic(arguments, result)),
        ("openai-chat", old_functions(arguments, result)),
        ("sharegpt", sharegpt(arguments, result)),
    ):
        [dialogue], _ = read(tmp_path, entry, form=form)
        [_, reply] = dialogue.utterances
        assert reply.trace is not None
        assert reply.trace.calls is not None
        [call] = reply.trace.calls
        assert call.model_copy(update={"id": None}) == ToolCall(
            name="search", arguments={"genre": "thriller"}, result=result, has_result=True, error=error
        )
        assert "messages" not in dialogue.meta


def test_interleaved_calls_find_their_results(tmp_path: Path) -> None:
    def call(name: str) -> dict[str, Any]:
        return {"id": name, "function": {"name": name, "arguments": "{}"}}

    entry = {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "One moment.", "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "tool_call_id": "b", "content": "of b"},
            {"role": "tool", "tool_call_id": "a", "content": "of a"},
            {"role": "assistant", "content": None, "tool_calls": [call("c")]},
            {"role": "tool", "tool_call_id": "c", "content": "of c"},
            {"role": "assistant", "content": "Heat."},
            {"role": "user", "content": "more"},
            {"role": "assistant", "content": None, "tool_calls": [call("d")]},
        ]
    }
    [dialogue], _ = read(tmp_path, entry)
    calls = [each.trace.calls for each in dialogue.utterances if each.trace is not None]
    assert [[(each.name, each.result) for each in some or ()] for some in calls] == [
        [("a", "of a"), ("b", "of b")],
        [("c", "of c")],
    ]
    assert dialogue.trace == Trace(calls=(ToolCall(name="d", id="d", arguments={}),))  # nobody said anything after it


def test_calls_are_checked_against_their_declared_schemas(tmp_path: Path) -> None:
    fits, lacks, no_json = openai('{"genre": "x"}', "ok"), openai("{}", "ok"), openai("{genre", "ok")
    unknown = openai('{"genre": "x"}', "ok")
    unknown["messages"][1]["tool_calls"][0]["function"]["name"] = "find"
    away = {"type": "function", "function": {"name": "search", "parameters": {"$ref": "https://example.org/x"}}}
    broken = {"type": "function", "function": {"name": "search", "parameters": {"type": 3}}}
    dialogues, _ = read(
        tmp_path,
        *({**each, "tools": [SEARCH]} for each in (fits, lacks, no_json, unknown)),
        {**fits, "tools": [away], "id": "away"},
        {**fits, "tools": [broken], "id": "broken"},
    )
    calls = [each.utterances[1].trace.calls[0] for each in dialogues]  # type: ignore[index, union-attr]
    assert [each.refused is not None for each in calls] == [False, True, True, True, False, False]
    assert all(each.is_declared for each in calls)
    assert calls[2].arguments == "{genre"


def test_time_tokens_and_cost_belong_to_their_turn_or_to_the_dialogue(tmp_path: Path) -> None:
    entry = openai('{"genre": "x"}', "ok")
    entry["messages"][1] |= {"latency_ms": 500, "usage": {"prompt_tokens": 10, "completion_tokens": 5}}
    entry["messages"][2]["duration_ms"] = 250
    entry["messages"][3] |= {"latency_s": 1.5, "usage": {"input_tokens": 20, "output_tokens": 8, "total_tokens": 28}}
    [dialogue], _ = read(tmp_path, {**entry, "cost_usd": 0.25})
    trace = dialogue.utterances[1].trace
    assert trace is not None
    assert trace.calls is not None
    assert (trace.latency_s, trace.input_tokens, trace.output_tokens, trace.cost) == (2.0, 30, 13, 0.25)
    assert trace.calls[0].latency_s == 0.25
    assert dialogue.utterances[1].meta == {"usage": {"total_tokens": 28}}
    both = {**entry, "usage": {"prompt_tokens": 30}, "cost_usd": 0.25}  # the sum of what its messages record
    [dialogue], _ = read(tmp_path, both)
    assert dialogue.utterances[1].trace == trace
    longer = {"messages": [*entry["messages"], *entry["messages"]], "cost_usd": 0.5}
    [dialogue], _ = read(tmp_path, longer)
    assert dialogue.trace == Trace(cost=0.5)


def test_a_time_without_a_unit_is_named_and_not_read(tmp_path: Path) -> None:
    entry = openai("{}", "ok")
    entry["messages"][3]["latency"] = 1200
    [dialogue], notes = read(tmp_path, entry)
    assert dialogue.utterances[1].trace is not None
    assert dialogue.utterances[1].trace.latency_s is None
    assert dialogue.utterances[1].meta["latency"] == 1200
    assert any("without a unit" in note and "latency_ms" in note for note in notes)


def test_a_result_without_a_call_is_kept_and_named(tmp_path: Path) -> None:
    entry = openai("{}", "ok")
    del entry["messages"][1]
    [dialogue], notes = read(tmp_path, entry)
    assert dialogue.utterances[1].trace == Trace(calls=(ToolCall(name="", id="t", result="ok", has_result=True),))
    assert any("no recorded call" in note for note in notes)


def test_logs_without_tools_have_no_traces(tmp_path: Path) -> None:
    entry = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
    [dialogue], _ = read(tmp_path, entry)
    assert dialogue.utterances[1].trace is None
    [dialogue], _ = read(tmp_path, {**entry, "tools": [SEARCH]})
    assert dialogue.utterances[1].trace == Trace(calls=())  # declared, and none was called


@given(
    st.lists(
        st.builds(
            Trace,
            latency_s=st.none() | st.integers(0, 9).map(float),
            input_tokens=st.none() | st.integers(0, 9),
            cost=st.none() | st.integers(0, 9).map(float),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_amounts_that_nobody_recorded_stay_unknown(traces: list[Trace]) -> None:
    found = join_traces(traces)
    assert found is not None
    for name in ("latency_s", "input_tokens", "cost"):
        known = [value for each in traces if (value := getattr(each, name)) is not None]
        assert getattr(found, name) == (sum(known) if known else None)


def test_traces_survive_the_way_to_a_chat_file_and_back(tmp_path: Path) -> None:
    entry = openai('{"genre": "x"}', "Error: none")
    entry["messages"][3] |= {"latency_s": 1.5, "usage": {"prompt_tokens": 2, "completion_tokens": 3}, "cost": 0.5}
    source = tmp_path / "source"
    source.mkdir()
    [dialogue], _ = read(source, entry)
    made = tmp_path / "log.jsonl"
    convert([dialogue], made, to="openai-chat", note=Repairs())
    assert list(get_format("openai-chat").read(made, note=Repairs())) == [dialogue]
