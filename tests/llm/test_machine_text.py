"""Text for programs is recognised, and speech with brackets, colons or code-like words is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.llm.machine_text import is_machine_text, tool_called_by, tool_called_in, waits_for_tool

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4), st.sampled_from([None, 2]))
def test_every_object_of_json_is_recognised(found: dict[str, object], indent: int | None) -> None:
    assert is_machine_text(json.dumps(found, indent=indent))


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "search"}</tool_call>',
        "search_items(genre='horror', limit=3)",
        "get_list()",
        "{'action': 'accept'}",
        "{message: 'another one, please'}",
        '[{"type": "text"}]',
        "<|im_start|>user\nhello<|im_end|>",
        "Action: search[horror]",
        "<thinking>They offer a film.</thinking>",
    ],
)
def test_calls_templates_and_steps_are_recognised(text: str) -> None:
    assert is_machine_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Action: something with car chases",
        "[laughs] a comedy then",
        "{own} words",
        "[sigh]",
        "I like (1) horror (2) comedies <3",
        "Ocean's Eleven (2001)",
        "se7en",
        "seen: alien, heat",
        "12",
    ],
)
def test_speech_is_no_text_for_programs(text: str) -> None:
    assert not is_machine_text(text)


CALL = '{"name": "search", "arguments": {"genre": "crime"}}'
WRITTEN = {
    "hermes": f"<tool_call>\n{CALL}\n</tool_call>",
    "words": f"Let me look.\n<tool_call>\n{CALL}\n</tool_call>",
    "json": CALL,
    "python": "{'name': 'search', 'arguments': {}}",
    "reversed": '{"arguments": {"genre": "crime"}, "name": "search"}',
    "nested": '{"type": "function", "function": {"name": "search", "parameters": {"genre": "crime"}}}',
    "fenced": '```json\n{"name": "search", "parameters": {"genre": "crime"}}\n```',
    "llama": '<function=search>{"genre": "crime"}</function>',
    "anthropic": '<function_calls>\n<invoke name="search">\n<parameter name="genre">crime</parameter>',
    "mistral": f"[TOOL_CALLS][{CALL}]",
    "langchain": '{"action": "search", "action_input": "crime"}',
    "react": "Thought: I should search.\nAction: search\nAction Input: crime",
    "step": "Action: search[crime]",
    "call": 'search(genre="crime", limit=3)',
    "harmony": "<|channel|>commentary to=functions.search <|constrain|>json<|message|>{}<|call|>",
}
UNNAMED = [
    '<|python_tag|>search.run("crime")',
    "<｜tool▁calls▁begin｜>",
    "<|tool_calls_section_begin|>",
    "```tool_code\nx\n```",
]


@pytest.mark.parametrize("text", list(WRITTEN.values()), ids=list(WRITTEN))
def test_a_call_of_a_tool_is_found_in_text_with_its_name(text: str) -> None:
    assert tool_called_in(text) == "search"
    assert is_machine_text(text)


@pytest.mark.parametrize("text", UNNAMED)
def test_a_call_may_not_name_its_tool(text: str) -> None:
    assert tool_called_in(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "How about Heat (1995)?",
        "Action: adventure, with John Wick (2014)",
        "Action: Heat [1995]",
        '"Action" is my genre.\nAction: what input do you have?',
        "What's your name? I take 'any name', input: 'none'",
        "<b>Heat</b> is a tool <3",
        "Tron (rating = good)",
        "I searched with genre = crime (or noir).",
        "[Tools of the Trade]",
        '{"text": "Heat?"}',
    ],
)
def test_a_reply_calls_no_tool(text: str) -> None:
    assert tool_called_in(text) is None


def test_a_call_is_found_in_the_fields_of_an_answer() -> None:
    call = {"type": "function", "function": {"name": "search", "arguments": "{}"}}
    openai = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    said = {"type": "text", "text": "Let me look."}
    anthropic = {"content": [said, {"type": "tool_use", "name": "search", "input": {}}], "stop_reason": "tool_use"}
    responses = {"output": [{"type": "function_call", "name": "search", "arguments": "{}"}]}
    old = {"content": "", "function_call": {"name": "search", "arguments": "{}"}}
    assert [tool_called_by(each) for each in (openai, anthropic, responses, old)] == ["search"] * 4
    assert [waits_for_tool(each) for each in (openai, anthropic, responses, old)] == [True, True, False, False]
    for answer in ({"text": "Heat?"}, {"tool_calls": [], "text": "Heat?"}, "tool_calls", None, [1, {"type": "text"}]):
        assert tool_called_by(answer) is None
        assert not waits_for_tool(answer)


@given(JSON)
def test_any_json_may_be_searched_for_calls(found: object) -> None:
    assert tool_called_by({"answer": found}) is None or "call" in repr(found)
