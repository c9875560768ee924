"""Traces of OpenTelemetry's conventions for generative AI: spans of models and tools, from which conversations are rebuilt.

Read are OTLP's JSON (``{"resourceSpans": ...}``) and one span an object, as the exporters of the SDKs write it. Messages
stand in ``gen_ai.input.messages`` and ``gen_ai.output.messages`` (conventions 1.37 and later), before in
``gen_ai.prompt.0.content``; OpenInference's ``llm.input_messages.0.message.content`` is read, too. Each span of a model
repeats the history (``datasets.door.histories``). Spans of tools give their calls errors, times, and results that no history
holds. A turn took as long as from the beginning of its first span to the end of its last.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trialogue.datasets.door.values import plain_number
from trialogue.datasets.formats.openai_chat import Entries, chat_format, has_entry
from trialogue.datasets.formats.spans import (
    INPUT,
    OUTPUT,
    SYSTEM,
    History,
    Piece,
    Span,
    SpanLog,
    Step,
    decode,
    histories,
    nest,
    objects_in,
)
from trialogue.datasets.json_documents import JsonObject, ParseReport, files_like, read_objects
from trialogue.records.trace import TRACE_ID


def messages_of(span: Span, names: tuple[str, ...], report: ParseReport) -> list[JsonObject]:
    """What a span holds under one of these names: a list, a list as text, or one attribute for each part of it."""
    for name in names:
        if name in span.fields:
            found = decode(span.fields[name])
            if not isinstance(found, list):
                report.mend("messages of a span are not JSON (cut off by a limit on attributes?)", name, line=span.line)
                return []
        else:
            found = nest(span.fields, name)
        if found:
            return [_message(each) for each in objects_in(found)]
    return []


def _message(given: JsonObject) -> JsonObject:
    """A message of any of the conventions with its parts as ``content``."""
    message = given["message"] if isinstance(given.get("message"), dict) else given
    parts = message.get("parts", message.get("contents", message.get("content")))
    parts = parts if isinstance(parts, list) else [] if parts in (None, "") else [{"type": "text", "content": parts}]
    for call in objects_in(message.get("tool_calls")):
        inner = call.get("tool_call", call)
        function = inner.get("function", inner)
        parts = [*parts, {**function, "type": "tool_call", "id": inner.get("id")}]
    role = str(message.get("role") or "user")
    if role in ("tool", "function") and not any(_kind(part) == "tool_call_response" for part in parts):
        answer = {"type": "tool_call_response", "id": message.get("tool_call_id"), "response": message.get("content")}
        parts = [answer]
    return {"role": role, "content": parts}


def _kind(part: object) -> object:
    return part.get("type") if isinstance(part, dict) else None


def pieces_of(message: JsonObject, step: Step | None = None) -> Iterator[Piece]:
    """The parts of a message as those of a history; ``step``: whose answer it is."""
    calls = any(_kind(part) == "tool_call" for part in message["content"])
    for place, given in enumerate(message["content"]):
        part = given.get("message_content", given) if isinstance(given, dict) else {"type": "text", "content": given}
        kind, role = str(part.get("type")), str(message["role"])
        if kind in ("text", "reasoning", "thinking"):
            words = part.get("content", part.get("text"))
            part = {"type": "text" if kind == "text" else "reasoning", "text": "" if words is None else words}
        elif kind == "tool_call":
            role = SYSTEM
            part = {"type": kind, **{name: part.get(name) for name in ("id", "name", "arguments")}}
        elif kind == "tool_call_response":
            role, result = "tool", part.get("response", part.get("result"))
            part = {"type": kind, "id": part.get("id"), "response": result}
        role = SYSTEM if role in ("model", "assistant") else role
        yield Piece(role, part, opens=not place, step=step, is_beside=calls and kind == "text")


CHATS = ("chat", "text_completion", "generate_content", "LLM")
"""Operations of models, and OpenInference's kind of span."""
TOOLS = ("execute_tool", "TOOL")
GIVEN = (INPUT, "gen_ai.prompt", "llm.input_messages")
ANSWER = (OUTPUT, "gen_ai.completion", "llm.output_messages")
CONVERSATION = ("gen_ai.conversation.id", "session.id")
AMOUNTS = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    "cost": ("gen_ai.usage.cost", "operation.cost", "llm.cost.total"),
}
SUFFIXES = (".jsonl", ".json")
IS_TRACE = has_entry(
    ("resourceSpans",),
    ("resource_spans",),
    ("resourceLogs",),
    ("context", "attributes", "parent_id"),
    ("traceId", "spanId", "attributes"),
    ("trace_id", "span_id", "attributes", "body"),
    in_folder=SUFFIXES,
)
NO_MESSAGES = "no span of a model holds messages."
CAPTURE = (
    "Let the instrumentation write contents into spans: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY and "
    "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, where it knows them. If it wrote them into log records, give "
    "the folder that holds spans and log records."
)
EMPTY = "a call of a model holds no messages and was left out"
MADE_AGAIN = "a call of a model failed or was made again: its answer is left out, its tokens and time are kept"
APART = "a call of a model is no part of its conversation (a tool's, or of another prompt); its tokens are kept"
UNSEEN = "a message of the system is only known from later histories: its span is missing"
NO_CALL = "a span of a tool belongs to no recorded call and was left out"
NO_ID = "a conversation has no id and was put together by its history"


def _conversations(path: Path, report: ParseReport) -> Entries:
    log = SpanLog()
    for file in files_like(path, IS_TRACE, suffixes=SUFFIXES) if path.is_dir() else [path]:
        one = replace(report, file=str(file))  # with the same mistakes and repairs
        log.add(read_objects(file, one), one)
    spans = log.settle(report)
    by_id = {(span.trace, span.id): span for span in spans}
    talks: dict[str, set[str]] = {}
    for span in spans:
        if (name := span.first(*CONVERSATION)) is not None:
            talks.setdefault(span.trace, set()).add(str(name))
    tools, steps = _Tools(), []
    ratings: dict[str, JsonObject] = {}
    for span in spans:
        named = span.first(*CONVERSATION)
        own = talks.get(span.trace, set())
        group = str(named) if named is not None else next(iter(own)) if len(own) == 1 else ""
        ratings.setdefault(group or span.trace, {}).update(_evaluations(span))
        if span.kind in TOOLS:
            tools.add(span, group)
        elif span.kind in CHATS and (step := _step(span, group, by_id, report)) is not None:
            steps.append(step)
    if not any(step.given or step.answer for step in steps) and not report.problems:
        report.wrong(NO_MESSAGES, GIVEN[0], hint=CAPTURE)
    found = histories(steps)
    for history in found:
        rated = ratings.get(history.id, {})
        yield int(history.steps[0][1].fields["line"]), _entry(history, tools) | ({"ratings": rated} if rated else {})
    _tell(found, tools, report)


def _evaluations(span: Span) -> Iterator[tuple[str, JsonObject]]:
    """Scores that were recorded with a span; who gave them is not."""
    for name, fields in span.events:
        value = fields.get("gen_ai.evaluation.score.value", fields.get("gen_ai.evaluation.score.label"))
        if name == "gen_ai.evaluation.result" and value is not None:
            yield str(fields.get("gen_ai.evaluation.name") or "evaluation"), {"value": value, "source": "unknown"}


def _tell(found: list[History], tools: "_Tools", report: ParseReport) -> None:
    """Name what was put together, left out, or is missing."""
    failed = sum(bool(each.steps[-1][1].error) for each in found)
    counts = {
        MADE_AGAIN: sum(each.retried for each in found) - failed,
        APART: sum(each.apart for each in found),
        UNSEEN: sum(each.unseen for each in found),
        NO_CALL: tools.orphans(),
        NO_ID: sum(not each.steps[0][1].group for each in found),
    }
    for what, times in counts.items():
        for _ in range(times):
            report.mend(what)


def _step(span: Span, group: str, by_id: Mapping[tuple[str, str], Span], report: ParseReport) -> Step | None:
    given, answer = (messages_of(span, names, report) for names in (GIVEN, ANSWER))
    prompts = [message for message in given if message["role"] in ("system", "developer")]
    own = span.first("gen_ai.system_instructions")
    prompt = json.dumps([own, *(each["content"] for each in prompts)]) if own or prompts else ""
    pieces = [piece for message in given if message not in prompts for piece in pieces_of(message)]
    if not pieces and not answer and span.error is None:
        report.mend(EMPTY, line=span.line)
        return None
    step = Step(
        start=span.start,
        end=span.end,
        group=group,
        trace=span.trace,
        prompt=prompt,
        given=pieces,
        answer=(),
        is_apart=any(each.kind in TOOLS for each in _ancestors(span, by_id)),
        fields={"line": span.line, "span": span, "prompts": _prompts(own, prompts)},
        error=span.error,
    )
    step.answer = [piece for message in answer[:1] for piece in pieces_of({**message, "role": SYSTEM}, step)]
    return step


def _prompts(own: object, prompts: list[JsonObject]) -> list[JsonObject]:
    parts = decode(own)
    texts = [str(each.get("content")) for each in parts if isinstance(each, dict)] if isinstance(parts, list) else []
    texts = texts or ([str(own)] if own else [])
    return [*prompts, *({"role": "system", "content": text} for text in texts)]


def _ancestors(span: Span, by_id: Mapping[tuple[str, str], Span]) -> Iterator[Span]:
    seen = {span.id}
    while (above := by_id.get((span.trace, span.parent))) is not None and above.id not in seen:
        seen.add(above.id)
        yield above
        span = above


@dataclass
class _Tools:
    """Spans of tools, by the id of their call."""

    _spans: dict[tuple[str, str], list[Span]] = field(default_factory=dict)
    _used: set[int] = field(default_factory=set)
    _all: int = 0

    def add(self, span: Span, group: str) -> None:
        """Add a span, which is found by its conversation, else by its trace."""
        self._all += 1
        name = str(span.first("gen_ai.tool.call.id", "tool_call.id"))
        for place in filter(None, (group, span.trace)):
            self._spans.setdefault((place, name), []).append(span)

    def of(self, call: Piece, history: History) -> Span | None:
        """The span of a call; of several with its id, the first that no other call has."""
        places = [history.id, *dict.fromkeys(step.trace for _, step in history.steps)]
        if call.step is not None:
            places = [call.step.trace, history.id]
        for place in places:
            for span in self._spans.get((place, str(call.part.get("id"))), ()):
                if id(span) not in self._used:
                    self._used.add(id(span))
                    return span
        return None

    def orphans(self) -> int:
        """Spans that no call has."""
        return self._all - len(self._used)


def _entry(history: History, tools: _Tools) -> JsonObject:
    """A conversation as an entry of a chat file."""
    spans: list[Span] = [step.fields["span"] for _, step in history.steps]
    last = history.steps[-1][1]
    model = next((found for each in spans if (found := each.first("gen_ai.request.model", "llm.model_name"))), None)
    agent = next((found for each in spans if (found := each.first("gen_ai.agent.name"))), None)
    declared = next((found for each in spans if (found := _tool_definitions(each))), None)
    failed = last.error if not last.answer and not last.is_apart else None
    entry = {"id": history.id, "system": agent, "model": model, "tools": declared, "error": failed}
    messages = [*last.fields["prompts"], *_talk(history, tools)]
    return {name: value for name, value in entry.items() if value is not None} | {"messages": messages}


def _tool_definitions(span: Span) -> list[Any] | None:
    """The tools that a model was given, each with its JSON Schema; None: none are recorded."""
    given = decode(span.first("gen_ai.tool.definitions"))
    if isinstance(given, list):
        return given
    return [decode(each["tool"].get("json_schema")) for each in nest(span.fields, "llm.tools") or ()] or None


def _talk(history: History, tools: _Tools) -> Iterator[JsonObject]:
    """The messages, with tokens beside each answer, and the time of a turn beside its last one."""
    answered = {piece.part.get("id") for piece in history.pieces if piece.part.get("type") == "tool_call_response"}
    calls: dict[object, Span] = {}
    messages: list[tuple[int, JsonObject]] = []
    times: list[tuple[int, float, float | None]] = [(at, step.start, step.end) for at, step in history.steps]
    for at, piece in enumerate(history.pieces):
        kind = piece.part.get("type")
        if kind == "tool_call_response":
            messages.append((at, _result(piece.part, calls.get(piece.part.get("id")))))
            continue
        if piece.opens or not messages or messages[-1][1]["role"] != piece.role:
            known = {TRACE_ID: piece.step.trace} if piece.step is not None else {}
            messages.append((at, {"role": piece.role, "content": [], **known}))
        messages[-1][1]["content"].append(piece.part)
        if kind == "tool_call" and (span := tools.of(piece, history)) is not None:
            calls[piece.part.get("id")] = span
            times.append((at + 1, span.start, span.end))
            result = span.first("gen_ai.tool.call.result", "output.value")
            if piece.part.get("id") not in answered and (result is not None or span.error):
                messages.append((at, _result({"id": piece.part.get("id"), "response": result}, span)))
    _add_amounts(messages, history, times)
    return (message for _, message in messages)


def _result(part: JsonObject, span: Span | None) -> JsonObject:
    message = {"role": "tool", "tool_call_id": part.get("id"), "content": part.get("response")}
    if span is not None and span.end is not None:
        message["latency_s"] = max(span.end - span.start, 0.0)
    return message if span is None or span.error is None else {**message, "error": span.error}


def _add_amounts(
    messages: list[tuple[int, JsonObject]], history: History, times: Iterable[tuple[int, float, float | None]]
) -> None:
    said = [(at, message) for at, message in messages if message["role"] == SYSTEM]
    users = [at for at, message in messages if message["role"] == "user"]
    for at, step in history.steps:
        answer = next((message for place, message in said if place >= at), said[-1][1] if said else {})
        for name, places in AMOUNTS.items():
            number = plain_number(step.fields["span"].first(*places))
            if number is not None:
                usage = answer.setdefault("usage", {})
                usage[name] = usage.get(name, 0) + number
    spans: dict[int, list[tuple[float, float]]] = {}
    for at, start, end in times:
        if end is not None:
            spans.setdefault(sum(user < at for user in users), []).append((start, end))
    for at, message in said:
        turn = sum(user < at for user in users)
        later = any(turn == sum(user < place for user in users) for place, _ in said if place > at)
        if turn in spans and not later:
            message["latency_s"] = max(end for _, end in spans[turn]) - min(start for start, _ in spans[turn])


FORMAT = chat_format(
    "otel",
    "Traces by OpenTelemetry's conventions for generative AI, with log records: OTLP JSON, or one JSON object per span.",
    IS_TRACE,
    _conversations,
    suffixes=None,
    tried="spans and log records of opentelemetry-sdk 1.45 (console exporter, one a line, OTLP), pydantic-ai-slim 2.68, "
    "opentelemetry-instrumentation-openai 0.62, opentelemetry-instrumentation-openai-v2 2.3 and 2.4 (contents in spans and "
    "in log records, before 1.37 and after) and openinference-instrumentation-openai 0.1, all with a scripted model",
)
