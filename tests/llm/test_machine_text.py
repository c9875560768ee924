"""Text for programs is recognised, and speech with brackets, colons or code-like words is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.llm.machine_text import is_machine_text

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
