"""Whether a message is text for a program: JSON, a tool call, a chat template, a step of an agent's reasoning.

A person does not write it, and an agent that received it would answer a format, not a wish. In any language. And which tool
a model or an agent asks for, in the fields of its answer or written into its text: somebody has to run it first.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

_MARKS = re.compile(r"[`<\[{(:=]")
"""Of which text for a program has one."""
_FORMATS = re.compile(
    r"```|"
    r"</?(?:tool|function|think|thought|scratchpad|reasoning|invoke|parameter|answer|response|action|json|xml)\w*[\s=>/]|"
    r"<\|[^|<>]{1,40}\|>|\[/?(?:INST|TOOL_CALLS?|TOOL_RESULTS?)\]|"
    r"\A\s*[a-z]+(?:_[a-z]+)+\([^()]*\)\s*\Z|"
    r"^\s*(?:Action|Action Input|Observation|Tool|Function|Function call|Final Answer)\s*:\s*\S*[\[({_]"
)
"""Fences, tags and tokens of templates, calls without arguments, and steps such as ``Observation: [...]``."""
_KEY = re.compile(r"""[{,\[]\s*["']?[A-Za-z_][\w -]{0,40}["']?\s*:\s*(?:["'\[{\d-]|true|false|null|None|True|False)""")
_BRACKETS = {"{": "}", "[": "]"}


@lru_cache(maxsize=20_000)
def is_machine_text(text: str) -> bool:
    """Whether a message is not speech, but text for a program.

    >>> is_machine_text('{"name": "search", "arguments": {}}'), is_machine_text("[laughs] something {dark}, please")
    (True, False)
    """
    if _MARKS.search(text) is None:
        return False
    bare = text.strip()
    if _FORMATS.search(bare) is not None or tool_called_in(bare) is not None:
        return True
    if not bare or _BRACKETS.get(bare[0]) != bare[-1]:
        return False
    return _is_json(bare) or _KEY.match(bare) is not None


def _is_json(text: str) -> bool:
    """Whether it is an object or a list of JSON that holds anything but one number or word."""
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) or any(isinstance(each, dict | list) for each in found) or len(found) > 1


CALL_PARTS = ("tool_use", "tool_call", "function_call")
"""Types of parts of an answer that request a tool."""
STOPPED = frozenset({"tool_calls", "tool_use", "function_call"})
"""Why a model stopped, where it waits for a tool."""
_SIGNS = ("<", "[TOOL", '"', "'", "`", "Action", "=")
_NAMED = r"""["'](?:name|tool|tool_name|function|action)["']\s*:\s*["'](?P<{0}>[^"'\n]{{1,80}})["']"""
_FILLED = r"""["'](?:arguments|parameters|args|input|tool_input|action_input|kwargs)["']\s*:\s*[\[{"']"""
_CALL = re.compile(
    rf"{_NAMED.format('a')}\s*,\s*{_FILLED}|{_FILLED}[^{{}}]{{0,500}}\}}\s*,\s*{_NAMED.format('b')}|"
    r"<(?:function|invoke|tool)(?:\s+name)?=[\"']?(?P<c>[\w.-]+)|"
    r"to=functions\.(?P<d>[\w.-]+)|"
    r"^[ \t]*Action[ \t]*:[ \t]*(?P<e>[\w.-]+)(?:\[[^\n]*\]|[ \t]*\n\s*Action[ _]Input[ \t]*:)|"
    r"\A\s*(?P<f>[A-Za-z_][\w.]*)\(\s*[A-Za-z_]\w*\s*=[^()]*\)\s*\Z|"
    r"</?(?:tool_?(?:calls?|use|code)|function_?calls?|invoke)\b[^<>]{0,80}>|"
    r"<[|｜][^|｜<>]{0,40}(?:tool|function|plugin|python_tag|action_start)[^|｜<>]{0,40}[|｜]>|\[TOOL_CALLS?\]|```tool_(?:code|call)",
    re.MULTILINE | re.IGNORECASE,
)
"""Calls as models write them: JSON with a name and arguments; the tags of Hermes, Qwen, Llama, Anthropic, Mistral, DeepSeek
and Kimi; OpenAI's commentary channel; steps of ReAct; one call with named arguments and nothing else."""


def tool_called_in(text: str) -> str | None:
    """Name of the tool that a text calls; "" if it does not name one, None if it calls none.

    >>> tool_called_in('Let me look. <tool_call>{"name": "search", "arguments": {}}</tool_call>')
    'search'
    >>> tool_called_in("Action: Heat (1995) is what I would take.") is None
    True
    """
    if not any(sign in text for sign in _SIGNS):
        return None
    found = list(_CALL.finditer(text))
    return next((each[each.lastgroup] for each in found if each.lastgroup), "") if found else None


def tool_called_by(answer: object) -> str | None:
    """Name of the tool that an API's answer calls in its fields, however deep; "" if unnamed, None if it calls none.

    >>> tool_called_by({"content": None, "tool_calls": [{"type": "function", "function": {"name": "search"}}]})
    'search'
    """
    for part in _objects(answer):
        calls = part.get("tool_calls") or part.get("function_call")
        if calls or part.get("type") in CALL_PARTS:
            named = _objects(calls or part)
            return next((name for each in named if isinstance(name := each.get("name"), str)), "")
    return None


def waits_for_tool(answer: object) -> bool:
    """Whether an API's answer says that the model stopped to wait for a tool."""
    return any(part.get(key) in STOPPED for part in _objects(answer) for key in ("finish_reason", "stop_reason"))


def _objects(value: object, *, deep: int = 8) -> Iterator[Mapping[str, object]]:
    """All objects in a value of JSON, outer ones first."""
    if deep and isinstance(value, Mapping):
        yield value
        value = list(value.values())
    for each in value if deep and isinstance(value, list) else ():
        yield from _objects(each, deep=deep - 1)
