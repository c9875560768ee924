"""Tools that are offered to an agent: executed, bounded, recorded; every fault is typed, and blamed on who made it."""

import json
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from tests.agents.talk import texts, turn_of
from trialogue.agents import AgentFailure, Turn, make_agent
from trialogue.agents import turn_of as parsed_turn
from trialogue.agents.llm import LlmSpec
from trialogue.agents.tools.options import load_tools, tool_of
from trialogue.agents.tools.toolbox import CallLimits, Tool, Toolbox
from trialogue.catalogue import Catalogue, Item
from trialogue.errors import UsageError
from trialogue.records import Ending, Utterance
from trialogue.records.trace import CallFault, ToolCall, Trace
from trialogue.simulating.catalogue_tools import catalogue_tools
from trialogue.transport.answers import whole_answer

RELEASE = threading.Event()
"""Lets tools that hang return, at the end of their test."""


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


def search(query: str, most: int = 5, mood: Mood = Mood.GOOD) -> list[str]:
    """Search the shop.

    Args:
        query: Words to look for.
        most: Number of results.
    """
    return [f"{query} {number} {mood.value}" for number in range(most)]


def crash(query: str) -> str:
    """Raise."""
    raise LookupError(query)


def hang() -> str:
    """Never return."""
    RELEASE.wait(30)
    return "late"


def flood() -> str:
    """Return too much."""
    return "a" * 30_000


def odd() -> object:
    """Return what is no JSON."""
    return {"score": float("nan")}


TOOLS: list[Callable[..., object]] = [search, crash, hang, flood, odd]


def box(**limits: Any) -> Toolbox:
    return Toolbox([tool_of(each) for each in TOOLS], CallLimits(**limits))


FAULTS: list[tuple[str, object, str, CallFault]] = [
    ("no_such_tool", {}, "unknown_tool: 'no_such_tool'; there are search, crash, hang, flood, odd", CallFault.AGENT),
    ("", {}, "unknown_tool", CallFault.AGENT),
    ("search", '{"query": "ow', "invalid_arguments: Invalid JSON", CallFault.AGENT),
    ("search", '["owl"]', "invalid_arguments", CallFault.AGENT),
    ("search", {}, "invalid_arguments: query: Field required", CallFault.AGENT),
    ("search", {"query": 3}, "invalid_arguments: query: Input should be a valid string", CallFault.AGENT),
    ("search", {"query": "owl", "mood": "odd"}, "invalid_arguments: mood", CallFault.AGENT),
    ("search", {"query": "owl", "page": 2}, "invalid_arguments: page", CallFault.AGENT),
    ("crash", {"query": "owl"}, "raised: crash raised LookupError: owl", CallFault.TOOL),
    ("hang", {}, "timeout: hang did not return within 0.05 s", CallFault.TOOL),
    ("flood", {}, "result_too_long: flood returned 30,002 characters; at most 20,000", CallFault.TOOL),
    ("odd", {}, "result_not_json: odd returned a value that is not JSON", CallFault.TOOL),
]


@pytest.mark.parametrize(("name", "arguments", "error", "fault"), FAULTS)
def test_twelve_faults_are_typed_results_and_blamed_on_who_made_them(
    name: str, arguments: object, error: str, fault: CallFault
) -> None:
    turn = box(timeout_s=0.05).turn()
    made = turn.call(name, arguments, call_id="c")
    RELEASE.set()
    RELEASE.clear()
    assert made.error is not None
    assert made.error.startswith(error)
    assert (made.fault, made.has_result, made.result, made.id) == (fault, True, None, "c")
    assert (made.refused is not None) is error.startswith(("unknown_tool", "invalid_arguments"))
    assert turn.calls == [made]


def test_a_call_that_fits_returns_what_the_function_does() -> None:
    turn = box().turn(clock=None)
    made = turn.call("search", '{"query": "owl", "most": 1, "mood": "bad"}')
    assert (made.result, made.error, made.fault, made.latency_s) == (["owl 0 bad"], None, None, None)
    assert made.arguments == {"query": "owl", "most": 1, "mood": "bad"}


def test_calls_of_a_turn_are_bounded_and_the_next_turn_begins_anew() -> None:
    turn = box(calls=2).turn()
    errors = [turn.call("search", {"query": "owl"}).error for _ in range(3)]
    assert errors == [None, None, "too_many_calls: at most 2 calls in a turn"]
    turn.begin()
    assert turn.call("search", {"query": "owl"}).error is None


def test_a_function_is_described_by_its_signature_and_docstring() -> None:
    schema = tool_of(search).schema["function"]
    assert (schema["name"], schema["description"]) == ("search", "Search the shop.")
    assert schema["parameters"]["properties"]["query"]["description"] == "Words to look for."
    assert schema["parameters"]["required"] == ["query"]
    assert [each.name for each in load_tools("tests.agents.test_tools:TOOLS")] == [each.__name__ for each in TOOLS]


def variadic(*words: str) -> str:
    return " ".join(words)


async def later(query: str) -> str:
    return query


def unknown(query: "Nothing") -> str:  # type: ignore[name-defined] # noqa: F821
    return str(query)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("tests.agents.test_tools:variadic", "A tool is a function whose parameters have types"),
        ("tests.agents.test_tools:later", "is asynchronous"),
        ("tests.agents.test_tools:unknown", "cannot be described"),
        ("tests.agents.test_tools:Mood", "is not a function"),
        ("tests.agents.test_tools:nothing", "nothing"),
        ("no_module_of_this_name:x", "no_module_of_this_name"),
        ("nothing", "nothing"),
    ],
)
def test_what_is_no_tool_is_refused_before_the_first_dialogue(code: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_agent("llm", url="http://localhost:1", model="m", tools=[code])


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="Several tools are called crash, flood, hang, odd, search"):
        make_agent("llm", url="http://localhost:1", model="m", tools=["tests.agents.test_tools:TOOLS"] * 2)


# Our tools


ITEMS = Catalogue.from_items(
    [
        Item(id="heat", title="Heat", year=1995, attributes={"genre": ("Crime",), "streaming service": ("Kinema",)}),
        Item(id="up", title="Up", year=2009, attributes={"genre": ("Family",)}, description="An old man and balloons."),
    ]
)


def test_our_tools_find_describe_and_recommend_items() -> None:
    turn = Toolbox(catalogue_tools(ITEMS)).turn(clock=None)
    assert turn.call("search_catalogue", {"query": "balloons"}).result == [{"id": "up", "title": "Up (2009)"}]
    assert turn.call("get_facts", {"item_id": "heat"}).result == {
        "id": "heat",
        "title": "Heat",
        "year": 1995,
        "genre": ["Crime"],
        "streaming service": ["Kinema"],
    }
    assert turn.call("check_availability", {"item_id": "up"}).result == {"streaming service": []}
    assert turn.call("recommend", {"item_ids": ["up", "heat"]}).result == {"recommended": ["Up", "Heat"]}
    assert turn.call("recommend", {"item_ids": ["no"]}).error == "no_such_item: 'no'"
    assert turn.call("recommend", {"item_ids": []}).fault is CallFault.AGENT


def test_availability_is_offered_only_where_items_say_it() -> None:
    without = Catalogue.from_items([ITEMS["up"]])
    names = [tool.name for tool in catalogue_tools(without)]
    assert names == ["search_catalogue", "get_facts", "recommend"]


# A language model that calls tools


Script = Callable[[list[dict[str, Any]], dict[str, Any]], dict[str, Any]]


class Model(BaseHTTPRequestHandler):
    script: ClassVar[Script]
    asked: ClassVar[list[dict[str, Any]]] = []
    streams: ClassVar[bool] = False

    def log_message(self, *words: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Model.asked.append(body)
        message = {"role": "assistant", "content": None, **Model.script(body["messages"], body)}
        usage = {"prompt_tokens": 10, "completion_tokens": 2}
        answer = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
        raw = (stream(message, usage) if Model.streams else json.dumps(answer)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def stream(message: dict[str, Any], usage: dict[str, int]) -> str:
    """The message letter by letter."""
    deltas: list[dict[str, Any]] = [{"content": letter} for letter in message["content"] or ""]
    for place, call in enumerate(message.get("tool_calls") or ()):
        deltas.append(
            {"tool_calls": [{"index": place, "id": call["id"], "function": {"name": call["function"]["name"]}}]}
        )
        deltas += [
            {"tool_calls": [{"index": place, "function": {"arguments": letter}}]}
            for letter in call["function"]["arguments"]
        ]
    events: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    events += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


@pytest.fixture
def url() -> Iterator[str]:
    Model.asked, Model.streams = [], False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def called(name: str, arguments: object, call_id: str | None = "c1") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def say(url: str, script: Script, *messages: str, **options: Any) -> list[Turn]:
    """Turns of a model, one for each message."""
    Model.script = script
    agent = LlmSpec(
        url=url, model="m", prompt="Help.", **{"tools": ("tests.agents.test_tools:TOOLS",), **options}
    ).make()
    history: list[Utterance] = []
    turns = []
    try:
        with agent.open("d", seed=1) as session:
            for message in messages:
                history.append(Utterance(speaker="user", text=message))
                turns.append(session.reply(history))
                history += turns[-1].utterances
    finally:
        agent.close()
    return turns


def answers_of(messages: list[dict[str, Any]]) -> list[str]:
    """Results of tools since the user spoke."""
    place = max(place for place, each in enumerate(messages) if each["role"] == "user")
    return [each["content"] for each in messages[place:] if each["role"] == "tool"]


def search_first(messages: list[dict[str, Any]], _body: dict[str, Any]) -> dict[str, Any]:
    """Searches, says something meanwhile, searches again, answers."""
    results = answers_of(messages)
    match len(results):
        case 0:
            return {"tool_calls": [called("search", {"query": messages[-1]["content"], "most": 1})]}
        case 1:
            return {"content": "Wait.", "tool_calls": [called("search", {"query": "more", "most": 1}, "c2")]}
        case _:
            return {"content": f"Found {results[0]}."}


@pytest.mark.parametrize("streams", [False, True])
def test_a_model_is_offered_tools_and_what_it_calls_is_recorded_with_what_it_says(url: str, streams: bool) -> None:
    Model.streams = streams
    first, second = say(url, search_first, "owl", "elk")
    assert texts(first) == ["Wait.", 'Found ["owl 0 good"].']
    wait, found = (said.trace for said in first.utterances)
    assert wait is not None
    assert found is not None
    assert [(call.name, call.arguments, call.result) for call in wait.calls or ()] == [
        ("search", {"query": "owl", "most": 1}, ["owl 0 good"]),
        ("search", {"query": "more", "most": 1}, ["more 0 good"]),
    ]
    assert (found.calls, found.input_tokens, found.output_tokens, found.cost) == ((), 30, 6, None)
    assert [each["function"]["name"] for each in Model.asked[0]["tools"]] == [each.__name__ for each in TOOLS]
    repeated = [each["role"] for each in Model.asked[3]["messages"]]  # the second turn knows what the first one found
    assert repeated == ["system", "user", "assistant", "tool", "tool", "assistant", "user"]
    assert texts(second) == ["Wait.", 'Found ["elk 0 good"].']


def test_without_tools_none_are_offered_and_a_call_is_a_failure(url: str) -> None:
    with pytest.raises(AgentFailure):
        say(url, search_first, "owl", tools=())
    assert "tools" not in Model.asked[0]


def test_every_turn_with_tools_records_its_calls_also_if_there_are_none(url: str) -> None:
    (turn,) = say(url, lambda messages, body: {"content": "Hello."}, "hi")
    assert turn.utterances[0].trace == Trace(calls=(), input_tokens=10, output_tokens=2)


def test_an_endless_loop_of_calls_is_ended_and_is_the_agents_failure(url: str) -> None:
    with pytest.raises(
        AgentFailure, match=r"called tools 4 times in one turn and said nothing \(max_tool_calls\)"
    ) as caught:
        say(url, lambda messages, body: {"tool_calls": [called("search", {"query": "owl"})]}, "hi", max_tool_calls=4)
    assert caught.value.ending is Ending.AGENT_ERROR
    assert caught.value.trace is not None
    assert len(caught.value.trace.calls or ()) == 4
    assert [body.get("tool_choice") for body in Model.asked] == [None] * 4 + ["none"]


def test_a_model_that_stops_calling_when_it_has_to_answers(url: str) -> None:
    def script(messages: list[dict[str, Any]], body: dict[str, Any]) -> dict[str, Any]:
        return {"content": "Enough."} if body.get("tool_choice") else {"tool_calls": [called("search", {"query": "x"})]}

    (turn,) = say(url, script, "hi", max_tool_calls=3)
    assert texts(turn) == ["Enough."]


@pytest.mark.parametrize("ids", [("a", "b"), ("a", "a"), (None, None), ("", "")])
def test_parallel_calls_are_executed_in_order_whatever_their_ids(url: str, ids: tuple[str | None, str | None]) -> None:
    def script(messages: list[dict[str, Any]], _body: dict[str, Any]) -> dict[str, Any]:
        results = answers_of(messages)
        if results:
            return {"content": " | ".join(results)}
        return {
            "tool_calls": [
                called("search", {"query": "owl", "most": 1}, ids[0]),
                called("crash", {"query": "elk"}, ids[1]),
            ]
        }

    (turn,) = say(url, script, "hi")
    assert texts(turn) == ['["owl 0 good"] | Error: raised: crash raised LookupError: elk']
    repeated = Model.asked[1]["messages"]
    names = [each["id"] for message in repeated for each in message.get("tool_calls", ())]
    assert names == [each["tool_call_id"] for each in repeated if each["role"] == "tool"]
    assert len(set(names)) == 2
    assert all(names)


@pytest.mark.parametrize("calls", [[{"id": "c"}], ["search"], [{"function": "search"}]])
def test_calls_in_a_form_that_no_server_may_send_are_a_malformed_answer(url: str, calls: list[Any]) -> None:
    with pytest.raises(
        AgentFailure, match=r"\(malformed\).*a call of a tool in the endpoint's message has no function"
    ):
        say(url, lambda messages, body: {"tool_calls": calls}, "hi")


def test_a_call_without_name_and_arguments_is_an_unknown_tool(url: str) -> None:
    calls = [{"function": {"name": None, "arguments": None}}]

    def script(messages: list[dict[str, Any]], _body: dict[str, Any]) -> dict[str, Any]:
        return {"content": "Sorry."} if answers_of(messages) else {"tool_calls": calls}

    (turn,) = say(url, script, "hi")
    ((call,),) = (said.trace.calls for said in turn.utterances if said.trace and said.trace.calls)
    assert (call.error or "").startswith("unknown_tool")


def test_what_a_turn_recommends_by_the_tool_is_its_ranking(url: str) -> None:
    def script(messages: list[dict[str, Any]], _body: dict[str, Any]) -> dict[str, Any]:
        if answers_of(messages):
            return {"content": "Watch Heat (1995)."}
        return {"tool_calls": [called("recommend", {"item_ids": ["heat-1995"]})]}

    (turn,) = say(url, script, "hi", tools=("catalogue",))
    assert turn.utterances[-1].ranking == ("heat-1995",)


# Agents in Python


def finder(message: str, history: object, tools: Any) -> str:
    found = tools.call("search", {"query": message, "most": 1})
    return f"{found.result[0]} of {len(tools.schemas)}"


class Keeper:
    def __init__(self, tools: Any) -> None:
        self.tools = tools

    def reply(self, message: str) -> str:
        if message == "crash":
            self.tools.call("crash", {"query": "x"})
            raise RuntimeError("no result")
        return str(self.tools.call("search", {"query": message, "most": 1}).result)


HERE = "tests.agents.test_tools"


@pytest.mark.parametrize("code", ["finder", "Keeper"])
def test_functions_and_classes_take_tools_and_their_calls_are_recorded(code: str) -> None:
    agent = make_agent(f"{HERE}:{code}", tools=f"{HERE}:TOOLS")
    turn = turn_of(agent, "owl")
    assert "owl 0 good" in texts(turn)[0]
    trace = turn.utterances[0].trace
    assert trace is not None
    assert [call.name for call in trace.calls or ()] == ["search"]


def test_calls_of_a_turn_in_which_the_agent_crashed_are_kept() -> None:
    with pytest.raises(AgentFailure) as caught:
        turn_of(make_agent(f"{HERE}:Keeper", tools=[f"{HERE}:TOOLS"]), "crash")
    assert caught.value.trace is not None
    assert [call.fault for call in caught.value.trace.calls or ()] == [CallFault.TOOL]


def test_an_agent_that_takes_no_tools_is_not_offered_any() -> None:
    with pytest.raises(UsageError, match="is offered tools, but parrot has no parameter 'tools'"):
        make_agent("tests.agents.test_callable_agent:parrot", tools=[f"{HERE}:TOOLS"])
    with pytest.raises(UsageError, match="There is no field 'tools'"):
        make_agent("echo", tools=["catalogue"])


# Agents with tools of their own


@pytest.mark.parametrize(
    "calls",
    [
        [{"name": "find", "arguments": {"q": "owl"}, "result": [1]}],
        [{"id": "c", "function": {"name": "find", "arguments": '{"q": "owl"}'}, "result": [1]}],
    ],
)
@pytest.mark.parametrize("is_burst", [False, True])
def test_an_agent_reports_calls_of_its_own_tools_in_its_reply(calls: list[Any], is_burst: bool) -> None:
    said: dict[str, Any] = {"messages": ["Wait.", "Found."]} if is_burst else {"text": "Found."}
    turn = parsed_turn({**said, "tool_calls": calls, "trace_id": "t1", "trace": {"input_tokens": 5}})
    first = turn.utterances[0]
    assert first.trace is not None
    assert first.trace.input_tokens == 5
    ((call,),) = [first.trace.calls or ()]
    assert (call.name, call.arguments, call.result, call.has_result) == ("find", {"q": "owl"}, [1], True)
    assert first.meta == {"trace_id": "t1"}


@pytest.mark.parametrize("calls", ["find", [3], [{"name": 3}], [{"name": "find", "latency_s": -1}]])
def test_calls_that_are_reported_in_no_known_form_are_a_malformed_reply(calls: object) -> None:
    with pytest.raises(AgentFailure, match="malformed"):
        parsed_turn({"text": "Found.", "tool_calls": calls})


def test_a_server_reports_calls_at_a_path(url: str) -> None:
    Model.script = lambda messages, body: {
        "content": "Found.",
        "calls": [{"name": "find", "arguments": {}, "error": "none"}],
    }
    message = "choices.0.message"
    exchange = {
        "body": {"messages": "{messages}"},
        "reply": f"{message}.content",
        "calls": f"{message}.calls",
        "trace_id": "model",
    }
    agent = make_agent("http", url=url, turn=exchange)
    first = turn_of(agent, "hi").utterances[0]
    assert first.trace == Trace(calls=(ToolCall(name="find", arguments={}, error="none", has_result=True),))
    assert first.meta == {"trace_id": "m"}
    Model.streams = True
    plain = {name: value for name, value in exchange.items() if name not in ("calls", "trace_id")}
    assert texts(turn_of(make_agent("http", url=url, turn=plain), "hi")) == ["Found."]


def test_pieces_of_a_stream_without_places_and_other_choices() -> None:
    chunks: list[Any] = [
        {
            "choices": [
                {"index": 1, "delta": {"content": "other"}},
                {"delta": {"tool_calls": [{"id": "a", "function": {}}]}},
            ]
        },
        {"choices": [{"delta": {"content": "x", "tool_calls": [{"function": {"name": "f", "arguments": None}}]}}]},
        {"choices": None},
    ]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    (choice,) = whole_answer(text)["choices"]
    assert choice["message"]["content"] == "x"
    assert choice["message"]["tool_calls"] == [{"id": "a", "type": "function", "function": {"name": "f"}}]


def test_a_tool_may_be_made_by_hand() -> None:
    by_hand = Tool("count", "Count.", tool_of(search).arguments, lambda given: len(given.query))
    assert Toolbox([by_hand]).turn().call("count", {"query": "owl"}).result == 3


def test_how_long_calls_took_is_measured_by_the_clock_that_is_given() -> None:
    ticks = iter([1.0, 3.5])
    assert box().turn(clock=lambda: next(ticks)).call("search", {"query": "owl"}).latency_s == 2.5
