"""Normalise the return value of an agent into a ``Turn``, or raise a failure that names the problem.

A reply is a text, an ``Utterance``, an object with ``text`` or ``messages``, a list of such messages (a burst), or a
``Turn``. Blank messages of a burst are dropped; a turn with only blank messages is a failure, unless it ends the dialogue.
Reasoning that came with a message is kept as its ``thought`` (``records.spoken``) and is no part of what was said.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from trialogue.agents.base import Turn
from trialogue.llm.machine_text import tool_called_by, tool_called_in, waits_for_tool
from trialogue.records import JsonValue, Utterance
from trialogue.records.files.jsonl import problems_of
from trialogue.records.spoken import Spoken, is_blank, settle_utterance, split_channels
from trialogue.records.trace import TRACE_ID, ToolCall, Trace, join_traces
from trialogue.transport.answers import LONGEST_TEXT, checked_text, error_words, kind_of
from trialogue.transport.failures import AgentFailure

MORE_TOKENS = "raise max_tokens, or configure the server to return reasoning separately"
REPORTED = ("tool_calls", "trace", TRACE_ID)
"""Fields in which an agent with tools of its own reports their calls, or where they are recorded."""
MAX_MESSAGES = 100  # messages of one turn; more is a loop


def turn_of(
    answer: object,
    *,
    longest: int = LONGEST_TEXT,
    latency_s: float | None = None,
    meta: Mapping[str, JsonValue] | None = None,
) -> Turn:
    """Normalise an agent's return value into a ``Turn``.

    Args:
        answer: see the module.
        longest: characters that a message may have.
        latency_s: what it took, where the answer itself does not say.
        meta: what else is known of it, added to what the answer says.

    Raises:
        AgentFailure: empty, a tool call, or malformed: no message, too long, half a surrogate pair, ...

    >>> [message.text for message in turn_of(["Hello!", " ", {"text": "What do you like?"}]).utterances]
    ['Hello!', 'What do you like?']
    """
    ends, own_meta, messages = False, dict(meta or {}), answer
    reported: Mapping[str, object] = {}
    if isinstance(answer, Turn):
        messages, ends, own_meta = answer.utterances, answer.ends, {**own_meta, **answer.meta}
        latency_s = latency_s if answer.latency_s is None else answer.latency_s
    elif isinstance(answer, Mapping):
        refuse_tool_call(answer, said=answer.get("text") or answer.get("messages"))
        reported = {name: answer[name] for name in REPORTED if name in answer}
        messages, ends, said_meta = _of_object({name: answer[name] for name in answer if name not in REPORTED})
        own_meta.update(said_meta)
    if not isinstance(messages, list | tuple):
        messages = [messages]
    if len(messages) > MAX_MESSAGES:
        raise AgentFailure(
            "malformed", f"answered with {len(messages)} messages at once; at most {MAX_MESSAGES} are allowed."
        )
    _check_meta(own_meta)
    read = [_message(message, longest) for message in messages]
    utterances = tuple(said for said in read if not is_blank(said.text))
    if reported and utterances:
        utterances = (_with_reported(utterances[0], reported), *utterances[1:])
    if not utterances and not ends:
        raise _empty(read, answer)
    return Turn(utterances=utterances, ends=ends, latency_s=latency_s, meta=own_meta)


def _empty(read: Sequence[Utterance], answer: object) -> AgentFailure:
    """Failure of a turn in which nothing is said, with the agent's own words for it where it gave any."""
    if words := error_words(answer):
        return AgentFailure("error", f"answered without any text, and reported: {words}")
    thought = sum(len(said.thought or "") for said in read)
    if thought:
        return AgentFailure(
            "empty", f"the model produced {thought:,} characters of reasoning but no reply: {MORE_TOKENS}."
        )
    return AgentFailure("empty", "answered without any text. Does it understand the requests?")


def refuse_tool_call(answer: object, *, said: object) -> None:
    """Check that an agent does not wait for a tool, by the fields of its answer.

    Args:
        answer: JSON.
        said: the reply in it; calls beside it are those that the agent ran, unless the answer says that it waits.

    Raises:
        AgentFailure: (tool_call) it does.
    """
    if is_silent(said) or waits_for_tool(answer):
        name = tool_called_by(answer)
        if name is not None:
            raise _tool_call(name)


def is_silent(said: object) -> bool:
    """Whether a reply, or a list of messages, holds no text."""
    return all(each is None or (isinstance(each, str) and is_blank(each)) for each in members_of(said))


def members_of(said: Any) -> list[Any]:
    """Messages of a reply, which may be one."""
    return said if isinstance(said, list) else [said]


def _tool_call(name: str) -> AgentFailure:
    called = f"the tool {name!r}" if name else "a tool"
    return AgentFailure(
        "tool_call",
        f"answered with a call of {called}, which nobody runs. Run tools inside the agent, and answer with what the model "
        "says after their results.",
    )


def said_in(text: str) -> Spoken:
    """What a model says and what it thinks in an answer.

    Raises:
        AgentFailure: (empty) it thought and came to say nothing.
    """
    found = split_channels(text)
    if found.thought and is_blank(found.said):
        raise _empty([Utterance(speaker="system", text="", thought=found.thought)], text)
    return found


def _check_meta(meta: Mapping[str, JsonValue]) -> None:
    """Check that a turn's ``meta`` is valid JSON, as files require."""
    if not meta:
        return
    try:
        json.dumps(meta, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:  # UnicodeEncodeError is a ValueError
        raise AgentFailure("malformed", f"the 'meta' of its answer cannot be kept as JSON ({error}).") from error


def _of_object(answer: Mapping[str, object]) -> tuple[list[object], bool, dict[str, JsonValue]]:
    """(messages, whether it ends, meta of the turn) of a JSON object."""
    rest = {key: value for key, value in answer.items() if key != "ends"}
    ends = answer.get("ends", False)
    if not isinstance(ends, bool):
        raise AgentFailure("malformed", f"answered 'ends': {ends!r}; it must be true or false.")
    if "text" in rest:
        if isinstance(rest["text"], str) and is_blank(rest["text"]) and (words := error_words(answer)):
            raise AgentFailure("error", f"answered without any text, and reported: {words}")
        return [rest], ends, {}
    messages, meta = rest.pop("messages", [] if ends else None), rest.pop("meta", {})
    if rest or not isinstance(messages, list | tuple) or not isinstance(meta, dict):
        needed = "Expected: 'text', or a list 'messages'; optionally 'ends' (true or false) and 'meta' (an object)."
        raise AgentFailure("malformed", f"answered with an object with {_keys(answer)}. {needed}")
    return list(messages), ends, meta


def _message(message: object, longest: int) -> Utterance:
    if isinstance(message, str):
        checked_text(message, longest=len(message))
        message = Utterance(speaker="system", text=message)
    elif isinstance(message, Mapping) and "text" in message:
        checked_text(message["text"], longest=len(str(message["text"])))
        try:
            own = {name: value for name, value in message.items() if name not in REPORTED}
            reported = {name: message[name] for name in REPORTED if name in message}
            message = _with_reported(Utterance.model_validate({"speaker": "system", **own}), reported)
        except ValidationError as error:
            raise AgentFailure("malformed", "a message " + " ".join(map(str, problems_of(error, "", None)))) from error
    if not isinstance(message, Utterance):
        raise AgentFailure("malformed", f"answered with {kind_of(message)} where text is expected.")
    if message.speaker != "system":
        raise AgentFailure(
            "malformed", "answered with a message whose speaker is the user; agents speak as the system."
        )
    said = settle_utterance(message)
    checked_text(said.text, longest=longest)
    called = tool_called_in(said.text or message.text)
    if called is not None:
        raise _tool_call(called)
    return said


def _with_reported(said: Utterance, reported: Mapping[str, object]) -> Utterance:
    """A message with what the agent reports of its own work: calls of tools, a trace, or the id of one."""
    if not reported:
        return said
    try:
        trace = None if reported.get("trace") is None else Trace.model_validate(reported["trace"])
        given = reported.get("tool_calls")
        if not isinstance(given, list | tuple | None):
            raise AgentFailure("malformed", f"answered with {kind_of(given)} as 'tool_calls'; a list is expected.")
        calls = None if given is None else Trace(calls=tuple(map(reported_call, given)))
    except ValidationError as error:
        raise AgentFailure("malformed", "a call " + " ".join(map(str, problems_of(error, "", None)))) from error
    name = reported.get(TRACE_ID)
    meta = said.meta if name is None else {**said.meta, TRACE_ID: str(name)}
    return said.model_copy(update={"trace": join_traces([said.trace, trace, calls]), "meta": meta})


def reported_call(given: object) -> ToolCall:
    """A call as an agent reports it: in our form, or as chat APIs have it, with the result beside it."""
    if not isinstance(given, Mapping):
        raise AgentFailure("malformed", f"answered with {kind_of(given)} where a call of a tool is expected.")
    function = given.get("function")
    fields = {**given, **(function if isinstance(function, Mapping) else {})}
    known = {name: fields[name] for name in ToolCall.model_fields if fields.get(name) is not None}
    arguments = known.get("arguments")
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):
            known["arguments"] = json.loads(arguments)
    return ToolCall.model_validate({"has_result": "result" in fields or "error" in fields, **known})


def spoken_texts(history: Sequence[Utterance]) -> list[dict[str, str]]:
    """History as plain JSON: speakers and texts."""
    return [{"speaker": utterance.speaker, "text": utterance.text} for utterance in history]


def last_message(history: Sequence[Utterance]) -> str:
    """The user's text to reply to.

    Raises:
        ValueError: the history does not end on a user utterance, which is a mistake of the caller.
    """
    if not history or history[-1].speaker != "user":
        raise ValueError("a history to reply to must end with a user utterance")
    return history[-1].text


def _keys(answer: Mapping[str, object]) -> str:
    return f"the keys {', '.join(sorted(map(str, answer)))}" if answer else "nothing in it"
