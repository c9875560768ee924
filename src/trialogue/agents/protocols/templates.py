"""Request templates from YAML: placeholders in any string of a tree, and paths into the response.

A string that consists of one placeholder becomes the value itself (``"{history}"`` a list, ``"{seed}"`` a number); within
other text the value is formatted. ``{{`` and ``}}`` stand for braces. Placeholders:

=================  =========================================================================================================
``{message}``      the user's text to be answered
``{dialogue_id}``  id of the conversation
``{seed}``         random seed for the agent
``{turn}``         number of the user's turn, from 1
``{history}``      all utterances, ``{"speaker": "user" or "system", "text": ...}``, the message included
``{messages}``     the same as ``{"role": "user" or "assistant", "content": ...}``, then calls of this turn and their results
``{tools}``        tools that the agent is offered, as OpenAI's chat API takes functions
``{tool_calls}``   calls that were executed in this turn: ``{"id", "name", "arguments", "result"}``, or ``"error"``
``{context}``      texts before the message, user and system alternating, from the user's first; bursts joined by a space
``{env:NAME}``     the environment variable NAME, for secrets: its value is never printed
=================  =========================================================================================================
"""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from trialogue.agents.replies import spoken_texts
from trialogue.agents.tools.toolbox import TurnTools, call_messages
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import JsonValue, Utterance
from trialogue.records.files.json_paths import ABSENT, value_at
from trialogue.transport.answers import error_words
from trialogue.transport.failures import UnreadableAnswer

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
ROLES = {"user": "user", "system": "assistant"}
NAMES = ("message", "dialogue_id", "seed", "turn", "history", "messages", "context", "tools", "tool_calls")

Values = Mapping[str, JsonValue]


def values_of(
    history: Sequence[Utterance], dialogue_id: str, seed: int, tools: TurnTools | None = None
) -> dict[str, Any]:
    """Values of the placeholders in one turn; before the first, ``message`` is "" and ``turn`` 0."""
    made = tools.calls if tools is not None else []
    return {
        "message": history[-1].text if history else "",
        "dialogue_id": dialogue_id,
        "seed": seed,
        "turn": sum(utterance.speaker == "user" for utterance in history),
        "history": spoken_texts(history),
        "messages": [
            *({"role": ROLES[said.speaker], "content": said.text} for said in history),
            *(call_messages("", made) if made else ()),
        ],
        "tools": tools.schemas if tools is not None else [],
        "tool_calls": [
            {"id": each.id, "name": each.name, "arguments": each.arguments}
            | ({"result": each.result} if each.error is None else {"error": each.error})
            for each in made
        ],
        "context": _alternate(history),
    }


def _alternate(history: Sequence[Utterance]) -> list[str]:
    """Texts before the last user turn, one for each turn, beginning with the user."""
    turns = [(who, " ".join(said.text for said in run)) for who, run in groupby(history, key=lambda said: said.speaker)]
    if turns and turns[0][0] == "system":
        turns = turns[1:]
    return [text for _, text in turns[:-1]]


def fill_template(template: JsonValue, values: Values, secrets: Mapping[str, str]) -> JsonValue:
    """Copy of a template with placeholders replaced by values.

    >>> fill_template({"text": "{message}", "to": "user {turn}"}, {"message": "hi", "turn": 1}, {})
    {'text': 'hi', 'to': 'user 1'}
    """
    if isinstance(template, str):
        return _filled_text(template, values, secrets)
    if isinstance(template, list):
        return [fill_template(part, values, secrets) for part in template]
    if isinstance(template, dict):
        return {key: fill_template(part, values, secrets) for key, part in template.items()}
    return template


def _filled_text(text: str, values: Values, secrets: Mapping[str, str]) -> JsonValue:
    whole = PLACEHOLDER.fullmatch(text)
    if whole and whole[2] and not whole[1]:
        return values[whole[2]]

    def value(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0][0]
        return secrets[match[2]] if match[1] else str(values[match[2]])

    return PLACEHOLDER.sub(value, text)


def check_placeholders(template: JsonValue) -> None:
    """Validate every placeholder of a template.

    Raises:
        UnknownNameError: one that stands for nothing.
    """
    for text in _texts(template):
        for match in PLACEHOLDER.finditer(text):
            if match[2] and not match[1] and match[2] not in NAMES:
                raise UnknownNameError("placeholder", match[2], NAMES, hint="Write literal braces as {{ and }}.")


def secrets_of(template: JsonValue) -> dict[str, str]:
    """Environment variables named in a template, with their values.

    Raises:
        UsageError: some are not set; all of them are named.
    """
    names = sorted({match[2] for text in _texts(template) for match in PLACEHOLDER.finditer(text) if match[1]})
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise UsageError(f"The agent's options name environment variables that are not set: {', '.join(missing)}.")
    return {name: os.environ[name] for name in names}


def _texts(template: JsonValue) -> list[str]:
    if isinstance(template, str):
        return [template]
    parts = template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    return [text for part in parts for text in _texts(part)]


def required_value(value: Any, path: str, raw: str) -> Any:
    """Value at a path that must exist.

    Raises:
        AgentFailure: (malformed) there is nothing, as in an answer of a new schema; says what there is.
    """
    result = value_at(value, path)
    if result is ABSENT or (isinstance(result, list) and any(part is ABSENT for part in result)):
        keys = ", ".join(map(str, value)) if isinstance(value, dict) else ""
        there = f"an object with the keys {keys}" if keys else "an empty object"
        words = error_words(value)
        reported = f" It reports: {words}" if words else ""
        raise UnreadableAnswer(f"its answer contains nothing at {path!r}; it is {there}.{reported}", raw)
    return result
