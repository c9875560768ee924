"""Write spans and log records as opentelemetry-instrumentation-openai-v2 does, against a scripted server on this machine.

    python make_openai_v2.py before     # 2.3b0: one log record a message, into openai_v2/before
    python make_openai_v2.py details    # 2.4b0 with opentelemetry-util-genai 1.0b0: one a call, into openai_v2/details

Both want opentelemetry-sdk 1.45, openai < 2 and wrapt < 2.
"""

# mypy: ignore-errors

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

MODE = sys.argv[1]
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true" if MODE == "before" else "EVENT_ONLY"
if MODE != "before":
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"

import openai  # noqa: E402
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor  # noqa: E402
from opentelemetry.sdk._logs import LoggerProvider  # noqa: E402
from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor  # noqa: E402

OUT = Path(__file__).parent / "openai_v2" / MODE
SEARCH = {"name": "search_films", "parameters": {"type": "object", "properties": {"genre": {"type": "string"}}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "search_films", "arguments": '{"genre": "comedy"}'}}


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        last = messages[-1]
        code, answer = 200, {"role": "assistant", "content": "You are welcome."}
        if last["content"] == "Is it long?" and len(messages) == 6:
            code = 429
        elif last["role"] == "tool":
            answer["content"] = "How about Some Like It Hot (1959)?"
        elif "comedy" in last["content"]:
            answer = {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]}
        usage = {"prompt_tokens": 10 + len(messages), "completion_tokens": 7, "total_tokens": 17 + len(messages)}
        choice = {"index": 0, "message": answer, "finish_reason": "tool_calls" if len(answer) > 2 else "stop"}
        body = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "mock",
            "choices": [choice],
            "usage": usage,
        }
        data = json.dumps(body if code == 200 else {"error": {"message": "slow down"}}).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def ask(client: Any, messages: list[Any], said: str) -> None:
    messages.append({"role": "user", "content": said})
    while True:
        try:
            tools = [{"type": "function", "function": SEARCH}]
            message = client.chat.completions.create(model="mock", messages=messages, tools=tools).choices[0].message
        except openai.RateLimitError:
            messages.pop()
            return
        calls = [each.model_dump() for each in message.tool_calls or ()]
        messages.append({"role": "assistant", "content": message.content} | ({"tool_calls": calls} if calls else {}))
        messages += [{"role": "tool", "tool_call_id": each["id"], "content": '["some-like-it-hot"]'} for each in calls]
        if not calls:
            return


def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "spans.jsonl").open("w") as spans, (OUT / "logs.jsonl").open("w") as logs:
        tracing, logging = TracerProvider(), LoggerProvider()
        line = lambda each: each.to_json(indent=None) + "\n"  # noqa: E731
        tracing.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=spans, formatter=line)))
        logging.add_log_record_processor(SimpleLogRecordProcessor(ConsoleLogRecordExporter(out=logs, formatter=line)))
        OpenAIInstrumentor().instrument(tracer_provider=tracing, logger_provider=logging)
        client = openai.OpenAI(api_key="-", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0)
        messages: list[Any] = [{"role": "system", "content": "You recommend films."}]
        with tracing.get_tracer("films").start_as_current_span("talk"):
            for said in ("I want a comedy", "Is it long?", "Thanks"):
                ask(client, messages, said)
    server.shutdown()


main()
