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
    Party.HARNESS: [
        [{**ASSISTANT, "content": "Error 429: Too Many Requests"}],
        tool("Error: 401 Unauthorized"),
        tool('{"error": "The API key you supplied has expired"}', reply="I cannot search at the moment."),
        tool("invalid credentials: access token revoked", is_error=True),
    ],
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
BUDGET = {**ASSISTANT, "content": "Which part of Rome, and for how many nights?"}
SAME = [*tool("3 rooms", reply=None), *tool("3 rooms", reply=None), *tool("3 rooms", reply=None)]
CIRCLES = "The Lux is a fine house near " + "the river and the park and the square and " * 5 + "the"


def user(*texts: str) -> list[Entry]:
    """The system asks something else each time, and the user says these."""
    asked = [{**ASSISTANT, "content": f"{number}: what do you like?"} for number in range(len(texts))]
    return [each for pair in zip(asked, texts, strict=True) for each in (pair[0], {"role": "user", "content": pair[1]})]


QUIET: list[tuple[Party | None, list[Entry], Entry]] = [
    (Party.USER, user("", ""), {}),
    (Party.USER, user("I am {{ persona.name }}."), {}),
    (Party.USER, user("<|im_start|>user Rome"), {}),
    (Party.USER, user("I'd be happy to help! Let me know your preferences."), {}),
    (Party.USER, user(*["I want a quiet hotel in Rome."] * 3), {}),
    (None, user(*["I want a quiet hotel in Rome."] * 2), {}),
    (None, user(*["yes"] * 4), {}),  # short answers are no loop
    (Party.USER, [BUDGET], {"status": "closed_no_reply"}),
    (Party.USER, [BUDGET], {"metadata": {"closed_by": "client", "ws_close_code": 1001}}),
    (Party.USER, [BUDGET], {"status": "Besucher hat die Seite verlassen"}),
    (Party.USER, [BUDGET, {"role": "user", "content": "forget it"}], {"metadata": {"ended_by": "user"}}),
    (None, [BUDGET], {"status": "completed"}),
    (None, [BUDGET], {"status": "open"}),
    (None, [BUDGET], {"metadata": {"state_tax": "none", "ended_at": "2026-01-02T03:04:05Z"}}),
    (None, [BUDGET], {}),  # nothing says that it ended
    (None, [{**ASSISTANT, "content": "Hotel Lux (2019) is quiet. Anything else?"}], {"status": "closed"}),
    (None, [BUDGET, {"role": "user", "content": "the centre"}], {"metadata": {"ended_by": "agent"}}),
    (Party.HARNESS, [BUDGET, {"role": "user", "content": "two"}], {"termination_reason": "max_turns"}),
    (Party.HARNESS, [BUDGET, {"role": "user", "content": "two"}], {"metadata": {"stop": "x", "end": "step limit"}}),
    (Party.HARNESS, tool("3 rooms", reply=None), {"metadata": {"limit": {"type": "message", "limit": 6}}}),
    (Party.HARNESS, [BUDGET], {"termination_reason": "max_turns"}),
    (
        None,
        [{**ASSISTANT, "content": "Take Hotel Lux (2019)."}],
        {"termination_reason": "max_turns"},
    ),  # it had answered
    (Party.USER, [BUDGET], {"metadata": {"session_event": "idle for 30 minutes"}}),
    (Party.USER, [BUDGET], {"metadata": {"was_abandoned": True}}),
    (None, [BUDGET], {"metadata": {"was_abandoned": False}}),
    (Party.USER, [BUDGET, {"role": "system", "content": "[user disconnected]"}], {}),
    (None, [BUDGET, {"role": "system", "content": "Keep your answers short."}], {}),
    (Party.USER, user("...", "…"), {}),
    (None, user("👍", "👍"), {}),
    (Party.USER, user(*["I want a quiet hotel in Rome.", "Near the river, please."] * 3), {}),
    (None, tool("3 rooms", reply="Hotel Lux has three."), {"termination_reason": "max_steps"}),
    (Party.HARNESS, [], {"status": "cancelled"}),
    (Party.MODEL, SAME, {"termination_reason": "max_steps"}),
    (Party.MODEL, [{**ASSISTANT, "content": CIRCLES}], {}),
    (None, [{**ASSISTANT, "content": "Ha ha ha ha ha ha! Hotel Lux is quiet."}], {}),
    (Party.MODEL, [{**ASSISTANT, "content": "There are many, and first", "finish_reason": "length"}], {}),
    (Party.MODEL, [{**ASSISTANT, "content": "There are many, and first"}], {"stop_reason": "max_tokens"}),
    (None, [{**ASSISTANT, "content": "There are many, and first", "finish_reason": "stop"}], {}),
]
"""Nothing broke, and it came to nothing, or it did not."""
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
        *QUIET,
        *((None, said, {}) for said in FINE),
    ]
    for number, (party, said, more) in enumerate(found):
        yield {"id": f"fault-{number}", "model": "v1", "messages": [ASK, *said], **more}, party


def log() -> str:
    """All of them as JSON Lines."""
    return "".join(json.dumps(entry) + "\n" for entry, _ in entries())
