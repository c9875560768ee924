"""An OpenAI-compatible chat endpoint that fails as its base path says, ``/NAME`` before ``/chat/completions``.

``/play/NAME`` plays a simulated user, ``/judge/NAME`` a judge (``tests.agents.servers.judging``),
``/labels/NAME`` a labeller of strategies (``tests.agents.servers.labelling``), ``/acts/NAME`` one of acts
(``tests.agents.servers.acts``).

``/first/429/2/KEY`` fails so often, by KEY, with this status (``0``: it hangs up), and then answers; a fifth word is
Retry-After. ``GET /heard`` tells how often each path was asked, and with what the last time. Prints its address.
"""

import json
import socket
import sys
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.servers import acts, judging, labelling

HANG_S = 3.0
heard: Counter[str] = Counter()
last: dict[str, Any] = {}


def completion(text: object, **message: object) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "tiny-2026-11-01",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def with_reason(answer: dict[str, Any], reason: str) -> dict[str, Any]:
    answer["choices"][0]["finish_reason"] = reason
    return answer


def with_parts(parts: dict[str, Any]) -> dict[str, Any]:
    """A completion with a text, a reason to stop, a refusal and log-probabilities, as far as they are given."""
    answer = completion(parts.get("text"), **({"refusal": parts["refusal"]} if "refusal" in parts else {}))
    choice = answer["choices"][0]
    choice["finish_reason"] = parts.get("finish_reason", "stop")
    if "logprobs" in parts:
        choice["logprobs"] = {"content": parts["logprobs"]}
    answer.update(parts.get("top", {}))
    return answer


FAULTS: dict[str, Any] = {
    "html": b"<html><body>Sign in to the campus network</body></html>",
    "broken": b'{"choices": [{"message": {"content": "Hel',
    "latin1": '{"choices": "caf\u00e9"}'.encode("latin-1"),
    "list": [],
    "no-choices": {"choices": []},
    "error-in-200": {"error": {"message": "model is loading"}},
    "error-text-in-200": {"error": "model is loading"},
    "error-in-choice": {"choices": [{"error": {"code": 402, "message": "no credit left"}}]},
    "streamed": (
        b': waiting\n\ndata: {"model": "tiny", "choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n'
        b'data: {"choices": [{"index": 0, "delta": {"content": "lo, you!"}, "finish_reason": "stop"}]}\r\n\r\n'
        b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}\n\ndata: [DONE]\n\n'
    ),
    "cut-stream": b'data: {"choices": [{"delta": {"content": "Hel"}}]}\n\n',
    "broken-stream": b'data: {"choices": [{"delta": {"content": "Hel\n\n',
    "error-in-stream": b'data: {"choices": []}\n\ndata: {"error": {"message": "overloaded"}}\n\n',
    "no-message": {"choices": [{"text": "old completions"}]},
    "odd-choice": {"choices": ["Hello"]},
    "null": completion(None),
    "blank": completion("  \n"),
    "refusal": completion(None, refusal="I cannot recommend films."),
    "tools": completion(None, tool_calls=[{"id": "t"}]),
    "length": with_reason(completion(""), "length"),
    "cut": with_reason(completion("I am looking for a"), "length"),
    "parts": completion([{"type": "text", "text": "Hello"}]),
    "surrogate": completion("half \ud83d"),
    "odd-model": {**completion("Hello"), "model": "half \ud83d", "system_fingerprint": 7},
    "long": completion("a" * (1 << 20)),
    "no-usage": {"choices": [{"message": {"content": "Hello"}}]},
    "odd-usage": {
        "choices": [{"message": {"content": "Hello"}}],
        "usage": {"prompt_tokens": -1, "completion_tokens": "x"},
    },
}


PLAYS: dict[str, list[str]] = {
    "film": ["I want a thriller.", "From the nineties.", "User: That suits me, thanks! [DONE]"],
    "gives-up": ["hi", "[GIVE UP]"],
    "silent": ["[DONE]"],
    "name-only": ["User: "],
    "thinks": ["<think>They are nice.</think>A comedy, please."],
    "assistant": ["As an AI language model, I can recommend Heat (1995) to you. How can I help you today?"],
    "countless": ["Number"],
}
"""What a model that plays a user says, one after the other; the last one again and again."""


def played(play: str, messages: list[dict[str, str]], asked: int) -> dict[str, Any]:
    """The next line of a play: to a question whether to go on, that; "countless" says another thing to each request."""
    question = messages[-1]["content"]
    if question.endswith("CONTINUE, DONE or GIVE_UP?"):
        own = question.count("\nYou: ")
        return completion({"film": ["CONTINUE", "Done."], "gives-up": ["GIVE_UP"]}.get(play, ["Hm."])[min(own, 2) - 1])
    lines = PLAYS[play]
    own = sum(message["role"] == "assistant" for message in messages)
    text = lines[min(own, len(lines) - 1)]
    return completion(f"{text} {asked}" if play == "countless" else text)


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send(200, {"heard": heard, "last": last} if self.path == "/heard" else {"data": [{"id": "tiny"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        base = self.path.removesuffix("/chat/completions")
        heard[base] += 1
        last[base] = body
        name, *words = base.strip("/").split("/")
        if name == "first":
            self.first(base, body, int(words[0]), int(words[1]), words[3:])
        elif name == "status":
            self.send(int(words[0]), {"error": {"message": f"key {self.headers['Authorization']}"}})
        elif name == "hang":
            time.sleep(HANG_S)
        elif name == "play":
            self.send(200, played(words[0], body["messages"], heard[base]))
        elif name == "judge":
            status, answer = judging.judged(words[0], body, heard[base])
            self.send(status, answer if status != 200 else with_parts(answer))
        elif name == "labels":
            status, answer = labelling.labelled(words[0], body, heard[base])
            self.send(status, answer if status != 200 else with_parts(answer))
        elif name == "acts":
            status, answer = acts.act_answer(words[0], body, heard[base])
            self.send(status, answer if status != 200 else with_parts(answer))
        elif name in FAULTS:
            self.send(200, FAULTS[name])
        else:
            self.answer(base, body)

    def first(self, base: str, body: Any, status: int, times: int, after: list[str]) -> None:
        if heard[base] > times:
            self.answer(base, body)
        elif status == 200:
            self.send(200, {"error": {"code": int(base.rpartition("-")[2]), "message": "upstream failed"}})
        elif status == 0:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.send(status, {"error": {"message": "not yet"}}, **({"Retry-After": after[0]} if after else {}))

    def answer(self, base: str, body: Any) -> None:
        """The last message, and how often this path was asked, so that an answer from a cache differs from a new one."""
        self.send(200, completion(f" {body['messages'][-1]['content']} #{heard[base]}\n"))

    def send(self, status: int, body: Any, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_words: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_words: object) -> None:
        """Clients hang up when their time is over; that is what is tested."""


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Endpoint) as server:
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
