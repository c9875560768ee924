"""Whether a message is text for a program: JSON, a tool call, a chat template, a step of an agent's reasoning.

A person does not write it, and an agent that received it would answer a format, not a wish. In any language.
"""

import json
import re
from functools import lru_cache

_SIGNS = re.compile(
    r"```|"
    r"</?(?:tool|function|think|thought|scratchpad|reasoning|invoke|parameter|answer|response|action|json|xml)\w*[\s=>/]|"
    r"<\|[^|<>]{1,40}\|>|\[/?(?:INST|TOOL_CALLS?|TOOL_RESULTS?)\]|"
    r"\A\s*[A-Za-z_][\w.]*\((?:\s*[A-Za-z_]\w*\s*=\s*[^,()]+,?)+\)\s*\Z|"
    r"\A\s*[a-z]+(?:_[a-z]+)+\([^()]*\)\s*\Z|"
    r"^\s*(?:Action|Action Input|Observation|Tool|Function|Function call|Final Answer)\s*:\s*\S*[\[({_]"
)
"""Fences, tags and tokens of templates, calls with named arguments, and steps such as ``Action: search[...]``."""
_KEY = re.compile(r"""[{,\[]\s*["']?[A-Za-z_][\w -]{0,40}["']?\s*:\s*(?:["'\[{\d-]|true|false|null|None|True|False)""")
_BRACKETS = {"{": "}", "[": "]"}


@lru_cache(maxsize=20_000)
def is_machine_text(text: str) -> bool:
    """Whether a message is not speech, but text for a program.

    >>> is_machine_text('{"name": "search", "arguments": {}}'), is_machine_text("[laughs] something {dark}, please")
    (True, False)
    """
    bare = text.strip()
    if _SIGNS.search(bare) is not None:
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
