"""Trialogue's agent protocol: JSON messages, one per line over stdin and stdout or one per HTTP POST, for any language.

``{"type": "open", "protocol": 1, "dialogue_id": "d1", "seed": 7}`` opens a dialogue; the answer is ``{"type": "ready"}``, or
a turn if the agent speaks first.

``{"type": "turn", "dialogue_id": "d1", "message": "hi", "history": [{"speaker": "user", "text": "hi"}]}`` requests a turn;
``history`` holds all utterances so far, the message included. The answer is ``{"type": "turn", "text": "Hello!"}``. Instead
of ``text`` a turn may have ``messages``, a list of texts or of objects with ``text`` and other fields of ``Utterance``, such
as ``{"text": "Heat?", "acts": [{"intent": "RECOMMEND"}], "ranking": ["heat-1995"]}``. ``"ends": true`` ends the dialogue
from the agent's side; ``meta`` is an object with any data to keep. ``{"type": "error", "message": ...}`` reports a failure.

``{"type": "close", "dialogue_id": "d1"}`` closes a dialogue. It is not answered on stdout; over HTTP any answer is accepted.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trialogue.agents.base import Turn
from trialogue.agents.replies import last_message, spoken_texts, turn_of
from trialogue.records import Utterance
from trialogue.transport.failures import AgentFailure, UnreadableAnswer

VERSION = 1  # of the protocol; raised when an old agent could misread a new message
TYPES = "'ready', 'turn' or 'error'"


def open_message(dialogue_id: str, seed: int) -> dict[str, Any]:
    """Message that opens a dialogue."""
    return {"type": "open", "protocol": VERSION, "dialogue_id": dialogue_id, "seed": seed}


def turn_message(dialogue_id: str, history: Sequence[Utterance]) -> dict[str, Any]:
    """Message that requests a turn."""
    return {
        "type": "turn",
        "dialogue_id": dialogue_id,
        "message": last_message(history),
        "history": spoken_texts(history),
    }


def close_message(dialogue_id: str) -> dict[str, Any]:
    """Message that closes a dialogue."""
    return {"type": "close", "dialogue_id": dialogue_id}


def line_of(message: Mapping[str, Any]) -> bytes:
    """Serialise a message as a line of JSON with a line break, in ASCII so that encodings cannot matter."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def object_of(raw: bytes, *, hint: str = "") -> dict[str, Any]:
    """Parse the JSON object that an agent sent.

    Raises:
        AgentFailure: (malformed) it is not UTF-8, not JSON, or another JSON value.
    """
    try:
        answer = json.loads(raw.decode())
    except UnicodeDecodeError as error:
        shown = raw.decode(errors="backslashreplace")
        raise UnreadableAnswer(
            f"byte {error.start} of its answer is not UTF-8. Write UTF-8, or ASCII.", shown
        ) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(f"its answer is not JSON ({error}). {hint}".strip(), raw.decode()) from error
    if not isinstance(answer, dict):
        raise UnreadableAnswer("its answer is JSON, but not an object {...}.", raw.decode())
    return answer


def parse_answer(answer: Mapping[str, Any], *, longest: int, latency_s: float | None) -> Turn | None:
    """Parse the turn in an answer; None for ``ready``.

    Raises:
        AgentFailure: it reports an error, or says nothing that the protocol knows.
    """
    kind = answer.get("type", "turn")
    if kind == "ready":
        return None
    if kind == "error":
        raise AgentFailure("error", f"it reported: {answer.get('message') or 'no message'}")
    if kind != "turn":
        raise UnreadableAnswer(f"it answered with type {kind!r}; expected: {TYPES}.", json.dumps(answer))
    said = {key: value for key, value in answer.items() if key not in ("type", "dialogue_id")}
    return turn_of(said, longest=longest, latency_s=latency_s)


def parse_turn(answer: Mapping[str, Any], *, longest: int, latency_s: float | None) -> Turn:
    """Parse an answer that must be a turn.

    Raises:
        AgentFailure: as ``parse_answer``, or because it is only ``ready``.
    """
    turn = parse_answer(answer, longest=longest, latency_s=latency_s)
    if turn is None:
        raise AgentFailure("malformed", "it answered 'ready' where a turn is expected.")
    return turn


def answer_message(turn: Turn | None) -> dict[str, Any]:
    """Serialise an agent's turn as an answer, for servers."""
    if turn is None:
        return {"type": "ready"}
    messages = [{k: v for k, v in said.to_json().items() if k != "speaker"} for said in turn.utterances]
    return (
        {"type": "turn", "messages": messages}
        | ({"ends": True} if turn.ends else {})
        | ({"meta": turn.meta} if turn.meta else {})
    )
