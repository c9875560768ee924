# mypy: ignore-errors
"""Write the same invented dialogues in four formats of traces, with the tools whose formats they are.

    pip install inspect-ai opentelemetry-sdk opentelemetry-exporter-otlp-proto-common
    python tests/data/traces/make.py

Written with inspect-ai 0.3.285 and opentelemetry-sdk 1.45.2. Inspect runs first, with its mock model; the times of its log
are those of the other files.
"""

import gzip
import json
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToJson
from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import solver, system_message, use_tools
from inspect_ai.tool import ToolCall, ToolError, tool
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode, set_span_in_context

FOLDER = Path(__file__).parent
PROMPT, MODEL = "You recommend films.", "mockllm/model"
LONG = (
    "I liked Amélie very much, above all its colours and its music, and I would like to see something as warm again. "
)
PIANO, LION = "the-piano-1993", "lion-2016"
# Each step: what the model says, the calls that it makes, and what becomes of each (None: the tool raises).
TALKS: dict[str, list[tuple[str, list[tuple[str, list[tuple[str, dict[str, Any], str | None]]]]]]] = {
    "comedy": [
        (
            "I want a comedy from before 1960.",
            [
                ("", [("search_films", {"genre": "comedy", "before": 1960}, '["some-like-it-hot-1959"]')]),
                ("How about Some Like It Hot (1959)?", []),
            ],
        ),
        (
            "Can I stream it?",
            [
                ("Let me look.", [("check_availability", {"film": "some-like-it-hot-1959"}, None)]),
                ("", [("check_availability", {"film": "some-like-it-hot-1959", "service": "Kinema"}, "true")]),
                ("Yes, Kinema has it.", []),
            ],
        ),
        ("Thanks, bye!", [("Enjoy the film!", [])]),
    ],
    "warm": [
        (
            LONG,
            [
                (
                    "",
                    [
                        ("check_availability", {"film": PIANO, "service": "Kinema"}, "false"),
                        ("check_availability", {"film": LION, "service": "Kinema"}, "true"),
                    ],
                ),
                ("Lion (2016) is warm, and Kinema has it.", []),
            ],
        ),
    ],
    "greeting": [("Hello!", [("Hello, what do you like?", [])])],
}
FAILURE = "a service is needed"
TOOLS = {
    "search_films": {"genre": {"type": "string"}, "before": {"type": "integer"}},
    "check_availability": {"film": {"type": "string"}, "service": {"type": "string"}},
}


def schema(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": TOOLS[name]}


def steps(talk: str) -> list[tuple[str, list[tuple[str, str, dict[str, Any], str | None]]]]:
    """Steps of the model with the id of each call."""
    found, number = [], 0
    for _, turn in TALKS[talk]:
        for text, calls in turn:
            named = []
            for call in calls:
                number += 1
                named.append((f"{talk}-{number}", *call))
            found.append((text, named))
    return found


def tokens(place: int) -> tuple[int, int]:
    return 100 + 10 * place, 20 + place


@tool
def search_films() -> Any:
    async def execute(genre: str, before: int = 2030) -> str:
        """Search films.

        Args:
            genre: Genre.
            before: Year.
        """
        return '["some-like-it-hot-1959"]'

    return execute


@tool
def check_availability() -> Any:
    async def execute(film: str, service: str = "") -> str:
        """Whether a service has a film.

        Args:
            film: Film.
            service: Service.
        """
        if not service:
            raise ToolError(FAILURE)
        return "false" if film == PIANO else "true"

    return execute


@solver
def talk() -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        for place, (text, _) in enumerate(TALKS[state.sample_id]):
            if place:
                state.messages.append(ChatMessageUser(content=text))
            state = await generate(state, tool_calls="loop")
        return state

    return solve


def output(place: int, text: str, calls: list[Any]) -> ModelOutput:
    made = ModelOutput.from_content(MODEL, text)
    if calls:
        named = [ToolCall(id=each[0], function=each[1], arguments=each[2], type="function") for each in calls]
        made.choices[0].message.tool_calls, made.choices[0].stop_reason = named, "tool_calls"
    read, wrote = tokens(place)
    made.usage = ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)
    return made


def write_inspect() -> dict[str, list[list[tuple[float, float]]]]:
    """The log of Inspect; returns when each step and its calls began and ended."""
    outputs = [output(place, *step) for name in TALKS for place, step in enumerate(steps(name))]
    samples = [Sample(id=name, input=turns[0][0], target="Kinema") for name, turns in TALKS.items()]
    solvers = [system_message(PROMPT), use_tools(search_films(), check_availability()), talk()]
    task = Task(dataset=samples, solver=solvers, scorer=includes(), name="films")
    with tempfile.TemporaryDirectory() as folder:
        model = get_model(MODEL, custom_outputs=outputs)
        (log,) = run(task, model=model, log_dir=folder, display="none", max_samples=1)
        assert log.status == "success", log.error
        (file,) = Path(folder).glob("*.eval")
        (FOLDER / "inspect.eval").write_bytes(file.read_bytes())
        again = Path(folder) / "again.json"
        write_eval_log(read_eval_log(str(file)), str(again))
        (FOLDER / "inspect.json.gz").write_bytes(gzip.compress(again.read_bytes(), mtime=0))
        samples_of = json.loads(again.read_text(encoding="utf-8"))["samples"]
    times: dict[str, list[list[tuple[float, float]]]] = {}
    for sample in samples_of:
        own = times.setdefault(sample["id"], [])
        for event in sample["events"]:
            if event["event"] in ("model", "tool"):
                if event["event"] == "model":
                    own.append([])
                own[-1].append(
                    tuple(datetime.fromisoformat(event[side]).timestamp() for side in ("timestamp", "completed"))
                )
    return times


def chat(name: str, times: list[list[tuple[float, float]]], *, is_anthropic: bool) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [] if is_anthropic else [{"role": "system", "content": PROMPT}]
    numbered = iter(zip(steps(name), times, range(100), strict=False))
    for text, turn in TALKS[name]:
        messages.append({"role": "user", "content": text})
        start = None
        for _ in turn:
            (said, calls), (own, *tools), place = next(numbered)
            start = own[0] if start is None else start
            read, wrote = tokens(place)
            usage = {"input_tokens" if is_anthropic else "prompt_tokens": read}
            usage |= {"output_tokens" if is_anthropic else "completion_tokens": wrote}
            if is_anthropic:
                uses = [{"type": "tool_use", "id": each[0], "name": each[1], "input": each[2]} for each in calls]
                content: Any = [*([{"type": "text", "text": said}] if said else []), *uses]
                messages.append({"role": "assistant", "content": content, "usage": usage})
                results = [
                    {
                        "type": "tool_result",
                        "tool_use_id": each[0],
                        "content": each[3] or FAILURE,
                        "is_error": each[3] is None,
                        "latency_s": end - begin,
                    }
                    for each, (begin, end) in zip(calls, tools, strict=True)
                ]
                messages += [{"role": "user", "content": results}] if results else []
                continue
            made = [
                {"id": each[0], "type": "function", "function": {"name": each[1], "arguments": json.dumps(each[2])}}
                for each in calls
            ]
            more = {"tool_calls": made} if made else {}
            messages.append({"role": "assistant", "content": said or None, **more, "usage": usage})
            for each, (begin, end) in zip(calls, tools, strict=True):
                result = {"role": "tool", "tool_call_id": each[0], "content": each[3] or FAILURE}
                error = {} if each[3] else {"error": FAILURE}
                messages.append({**result, **error, "latency_s": end - begin})
        messages[-1]["latency_s"] = own[1] - start
    if is_anthropic:
        tools_of = [{"name": each, "input_schema": schema(each)} for each in TOOLS]
        return {"id": name, "model": MODEL, "system": PROMPT, "tools": tools_of, "messages": messages}
    functions = [{"type": "function", "function": {"name": each, "parameters": schema(each)}} for each in TOOLS]
    return {"id": name, "model": MODEL, "tools": functions, "messages": messages}


def write_otel(times: dict[str, list[list[tuple[float, float]]]]) -> None:
    """Spans as the conventions have them, by the SDK: its console exporter, one a line, and OTLP."""
    memory, lines = InMemorySpanExporter(), (FOLDER / "otel.jsonl").open("w", encoding="utf-8")
    provider = TracerProvider()
    console = ConsoleSpanExporter(out=lines, formatter=lambda span: span.to_json(indent=None) + "\n")
    for exporter in (memory, console):
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("films")
    ns = lambda seconds: round(seconds * 1e9)  # noqa: E731
    for name, turns in TALKS.items():
        history: list[Any] = []
        numbered = iter(zip(steps(name), times[name], range(100), strict=False))
        for text, turn in turns:
            history.append({"role": "user", "parts": [{"type": "text", "content": text}]})
            parent = None
            for _ in turn:
                (said, calls), (own, *tools), place = next(numbered)
                if parent is None:
                    fields = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": name}
                    parent = tracer.start_span("invoke_agent", attributes=fields, start_time=ns(own[0]))
                context = set_span_in_context(parent)
                parts = [{"type": "text", "content": said}] if said else []
                parts += [{"type": "tool_call", "id": each[0], "name": each[1], "arguments": each[2]} for each in calls]
                read, wrote = tokens(place)
                answer = {"role": "assistant", "parts": parts, "finish_reason": "tool_call" if calls else "stop"}
                definitions = [{"type": "function", "name": each, "parameters": schema(each)} for each in TOOLS]
                fields = {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": "mock",
                    "gen_ai.conversation.id": name,
                    "gen_ai.request.model": MODEL,
                    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": PROMPT}]),
                    "gen_ai.tool.definitions": json.dumps(definitions),
                    "gen_ai.input.messages": json.dumps(history, ensure_ascii=False),
                    "gen_ai.output.messages": json.dumps([answer], ensure_ascii=False),
                    "gen_ai.usage.input_tokens": read,
                    "gen_ai.usage.output_tokens": wrote,
                }
                span = tracer.start_span(f"chat {MODEL}", context=context, attributes=fields, start_time=ns(own[0]))
                span.end(ns(own[1]))
                history.append({"role": "assistant", "parts": parts})
                for each, (begin, end) in zip(calls, tools, strict=True):
                    fields = {
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": each[1],
                        "gen_ai.tool.call.id": each[0],
                    }
                    span = tracer.start_span(
                        f"execute_tool {each[1]}", context, attributes=fields, start_time=ns(begin)
                    )
                    if each[3] is None:
                        span.set_attribute("error.type", "ToolError")
                        span.set_status(Status(StatusCode.ERROR, FAILURE))
                    span.end(ns(end))
                    response = {"type": "tool_call_response", "id": each[0], "response": each[3] or FAILURE}
                    history.append({"role": "tool", "parts": [response]})
            parent.end(ns(own[1]))
    provider.shutdown()
    lines.close()
    otlp = MessageToJson(encode_spans(memory.get_finished_spans()), indent=None, ensure_ascii=False)
    (FOLDER / "otlp.json").write_text(otlp + "\n", encoding="utf-8")


if __name__ == "__main__":
    measured = write_inspect()
    for form in ("openai", "anthropic"):
        entries = (chat(name, measured[name], is_anthropic=form == "anthropic") for name in TALKS)
        lines_of = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in entries)
        (FOLDER / f"{form}.jsonl").write_text(lines_of, encoding="utf-8")
    write_otel(measured)
