"""Faults as programs write them into logs, with the party to blame."""

import json
from collections.abc import Iterator
from typing import Any

from trialogue.findings.log_records import Party

ASSISTANT = {"role": "assistant"}
ASK = {"role": "user", "content": "Find me a hotel in Rome, please."}
Entry = dict[str, Any]


def tool(
    content: str | None,
    *,
    name: str = "search",
    arguments: str = '{"city": "Rome"}',
    reply: str | None = "",
    **more: Any,
) -> list[Entry]:
    """A call of a tool with its result, and the reply that follows; None: there is none."""
    call = {"id": "c1", "function": {"name": name, "arguments": arguments}}
    said: list[Entry] = [{**ASSISTANT, "content": None, "tool_calls": [call]}]
    said += [{"role": "tool", "tool_call_id": "c1", "content": content, **more}] if content is not None else []
    return said + ([{**ASSISTANT, "content": reply}] if reply is not None else [])


RECORDED: dict[Party, list[Entry]] = {
    Party.MODEL: [
        {"error": "500 Server Error: Internal Server Error"},
        {"error": {"code": 502, "message": "Bad Gateway"}},
        {"status_code": 503},
        {"error": "504 Gateway Time-out"},
        {"error": "anthropic.OverloadedError: Error code: 529 - overloaded_error"},
        {"error": "ReadTimeout: no answer in 30 s"},
        {"error": "openai.APITimeoutError: Request timed out."},
        {"error": "ConnectionError: [Errno 111] Connection refused"},
        {"error": "ConnectionResetError: connection reset by peer"},
        {"error": "RemoteDisconnected: Remote end closed connection without response"},
        {"error": "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"},
        {"error": "empty response"},
        {"error": "Error code: 400 - This model's maximum context length is 8192 tokens (context_length_exceeded)"},
        {"error": "The response was filtered due to the prompt triggering the content management policy."},
        {"termination_reason": "too_many_errors"},
        {"error": {"status": 503, "message": "no healthy upstream"}},
        {"response_code": "504"},
        {"error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}},
        {"error": "upstream connect error or disconnect/reset before headers"},
        {"error": "EOF occurred in violation of protocol (_ssl.c:2427)"},
        {"error": "HTTP 404: model 'm' not found"},
        {"error": "socket hang up (ECONNRESET)"},
        {"error": "stream closed before [DONE]"},
        {"error": "getaddrinfo ENOTFOUND api.model.internal"},
        {"error": "reply exceeds the maximum of 4096 tokens"},
        {"error": "Client.Timeout exceeded while awaiting headers"},
        {"error": "model called tool 'serach' which does not exist"},
    ],
    Party.HARNESS: [
        {"error": "openai.RateLimitError: Error code: 429 - Rate limit reached"},
        {"error": "You exceeded your current quota, please check your billing details (insufficient_quota)"},
        {"error": "AuthenticationError: Error code: 401 - Incorrect API key provided"},
        {"error": "OSError: [Errno 28] No space left on device"},
        {"error": "KeyboardInterrupt"},
        {"error": "worker received SIGTERM, pod evicted"},
        {"metadata": {"termination_reason": "infrastructure_error"}},
    ],
    Party.USER: [
        {"error": "client disconnected before the reply"},
        {"status": "abandoned"},
        {"error": "499 Client Closed Request"},
        {"error": "the user left"},
        {"error": "user timeout: no message for 30 min"},
        {"termination_reason": "user_disconnected"},
    ],
    Party.TOOL: [
        {"error": "ToolException: search failed: index missing"},
        {"error": "Tool 'search' raised KeyError: 'rooms'"},
        {"error": "MCP server disconnected while running search"},
    ],
    Party.UNKNOWN: [{"error": "KeyError: 'genre'"}],
}
"""Recorded beside a conversation that ends on the user's message."""
SAID: dict[Party, list[list[Entry]]] = {
    Party.MODEL: [
        [],
        [{**ASSISTANT, "content": ""}],
        [{**ASSISTANT, "content": None}],
        [{**ASSISTANT, "content": None, "finish_reason": "content_filter"}],
        [{**ASSISTANT, "content": "", "finish_reason": "length"}],
        [{**ASSISTANT, "content": "", "finish_reason": "error"}],
        [{**ASSISTANT, "content": "..."}],
        [{**ASSISTANT, "content": "Internal Server Error"}],
        [{**ASSISTANT, "content": 'Traceback (most recent call last):\n  File "a.py"'}],
        [{"role": "error", "content": "upstream request timed out"}],
        [{**ASSISTANT, "content": None, "error": {"type": "server_error", "message": "The server had an error"}}],
        tool("Error: Input validation error: 'city' is a required property", arguments="{}"),
        tool("Error: tool 'serch' not found", name="serch"),
        tool("Error: could not parse arguments", arguments='{"city": '),
        tool("HTTP 422 Unprocessable Entity: city is missing"),
        tool("TypeError: search() got an unexpected keyword argument 'town'"),
    ],
    Party.HARNESS: [[{**ASSISTANT, "content": "Error 429: Too Many Requests"}]],
    Party.TOOL: [
        tool("HTTP 500: Internal Server Error"),
        tool('{"error": "503 Service Unavailable"}', reply=None),
        tool("Error: 404 Not Found", reply="Sorry, I could not reach the search."),
        tool("Error: TimeoutError: tool timed out after 30 s"),
        tool(None),
        tool("Error: tool returned invalid JSON: Expecting value"),
        tool("Traceback (most recent call last):\nKeyError: 'hotels'"),
        tool("no index", is_error=True),
        tool('{"success": false, "message": "no connection"}'),
        tool('{"statusCode": 500, "body": "x"}'),
        tool("MCP error -32603: Internal error"),
        tool("Failed to fetch: ETIMEDOUT"),
        tool("<html><body><h1>502 Bad Gateway</h1></body></html>"),
        tool("Rate limit exceeded, retry in 20s"),
        tool('{"hotels": ['),
        tool(""),
        tool("index is gone", status="error", reply="I'm sorry, something went wrong."),
        tool('{"error": {"code": 429, "message": "rate limit exceeded"}}'),
        tool("Error: 401 Unauthorized"),
        tool("Error: Output validation error: 'items' is a required property"),
        tool("ConnectionError: [Errno 111] Connection refused", reply="Unfortunately the search is unavailable."),
    ],
}
"""What was said after the user's message."""
BOTH: list[tuple[Party, list[Entry], Entry]] = [
    (Party.TOOL, tool(None, reply=None), {"error": "agent timed out"}),
    (Party.HARNESS, tool(None, reply=None), {"error": "429 Too Many Requests"}),
    (Party.HARNESS, tool(None, reply=None), {"error": "run interrupted by operator"}),
    (Party.MODEL, tool("Error: 500", reply="Hotel Lux is free, I am told."), {"error": "502 Bad Gateway"}),
]
"""A call, and an error recorded beside the conversation."""
FINE: list[list[Entry]] = [
    [*tool("Error: 500", reply=None), *tool('{"hotel": "Lux"}', reply="Hotel Lux is free.")],
    tool("Error: 500", reply="Try the Hotel Lux on Main Street, which takes calls only."),
    tool("412 results found", reply="There are 412 hotels."),
    tool('{"status": "closed", "success": true, "error": null}', reply="It is closed."),
    [{**ASSISTANT, "content": "Hotel Lux is free."}],
    [{**ASSISTANT, "content": "Hotel Lux is free."}, {"role": "user", "content": "thanks!"}],
    [{**ASSISTANT, "content": "Sorry, I have no hotel there."}],
    [{**ASSISTANT, "content": "Hotel Lux", "finish_reason": "length"}],
]
"""Nothing failed."""


def entries() -> Iterator[tuple[Entry, Party | None]]:
    """Every fault as an entry of a log, and whose it is; None: nobody's."""
    found: list[tuple[Party | None, list[Entry], Entry]] = [
        *((party, [], more) for party, each in RECORDED.items() for more in each),
        *((party, said, {}) for party, each in SAID.items() for said in each),
        *BOTH,
        *((None, said, {}) for said in FINE),
    ]
    for number, (party, said, more) in enumerate(found):
        yield {"id": f"fault-{number}", "model": "v1", "messages": [ASK, *said], **more}, party


def log() -> str:
    """All of them as JSON Lines."""
    return "".join(json.dumps(entry) + "\n" for entry, _ in entries())
