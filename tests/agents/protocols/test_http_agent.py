"""HTTP agents against a real server that answers well and badly."""

import errno
import http.client
import json
import select
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.agents.servers.faulty import HANG_S
from tests.agents.talk import said_to, texts, turn_of, user
from trialogue.agents import AgentFailure, make_agent
from trialogue.agents.base import retries_of
from trialogue.agents.baselines import Echo
from trialogue.agents.protocols.exchange import Exchange
from trialogue.agents.protocols.http_agent import HttpAgent, HttpSpec, IEvaLMSpec
from trialogue.agents.serving.http_server import AgentServer
from trialogue.errors import UsageError
from trialogue.records import Ending, RetryCost, Utterance
from trialogue.records.trace import CallFault, calls_in
from trialogue.transport.failures import UnreadableAnswer
from trialogue.transport.http import ConnectionPool, _PlainConnection
from trialogue.transport.retry import Retries

QUICK = Retries(most=2, first_wait_s=0.01, longest_wait_s=0.5)


MADE: list[HttpAgent] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Closes the agents that a test has made."""
    yield
    while MADE:
        MADE.pop().close()


def agent_at(url: str, path: str = "echo", **options: Any) -> HttpAgent:
    turn = Exchange(path=f"/{path}", body={"text": "{message}"}, reply="reply")
    agent = HttpSpec(**{"url": url, "turn": turn, "retries": QUICK, "timeout_s": 5, **options}).make()
    MADE.append(agent)
    return agent


def failure_of(agent: HttpAgent) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        turn_of(agent)
    return caught.value


def times_heard(url: str, path: str) -> int:
    with urllib.request.urlopen(f"{url}/heard") as answer:
        return int(json.load(answer).get(path, 0))


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def test_it_answers_with_its_latency(faulty: str) -> None:
    agent = agent_at(faulty)
    turn = turn_of(agent, "Heat? ü 🎬")
    assert texts(turn) == ["Heat? ü 🎬"]
    assert turn.latency_s is not None
    assert 0 < turn.latency_s < 5
    agent.healthy()


def test_connections_are_kept_and_one_that_was_closed_is_noticed(faulty: str) -> None:
    agent = agent_at(faulty, "once")
    with agent.open("d", seed=0) as session:
        for word in ("a", "b", "c"):
            assert texts(session.reply([user(word)])) == [word]
            waiting = agent._wire._idle[-1][0].sock
            assert select.select([waiting], [], [], 5)[0]  # until the other side has closed


def test_answers_are_acknowledged_at_once_so_that_no_time_of_ours_counts_as_the_agent_s() -> None:
    asked: list[tuple[object, ...]] = []

    class Socket:
        """Takes down what is done to it."""

        def sendall(self, data: bytes) -> None:
            asked.append((data[:4],))

        def setsockopt(self, *what: int) -> None:
            asked.append(what)

    connection: Any = _PlainConnection("localhost")
    connection.sock = Socket()
    connection.request_at_once("POST", "/chat", b"{}", {})
    quick = getattr(socket, "TCP_QUICKACK", None)
    assert asked == [(b"POST",), *([(socket.IPPROTO_TCP, quick, 1)] if quick is not None else [])]


def test_chunked_answers_are_read(faulty: str) -> None:
    agent = agent_at(faulty, "chunked")
    assert said_to(agent, "a", "b") == [[], ["a"], ["b"]]


@pytest.mark.parametrize(
    ("path", "kind", "said"),
    [
        ("html", "malformed", "a web page; is this the address of the agent itself? It begins: '<!DOCTYPE"),
        ("html_as_json", "malformed", "a web page"),
        ("empty", "empty", "without any text"),
        ("nothing", "empty", "with an empty body"),
        ("broken", "malformed", "not JSON"),
        ("list", "malformed", "nothing at 'reply'"),
        ("number", "malformed", "a number where text is expected"),
        ("schema", "malformed", "the keys version, output"),
        ("long", "malformed", "1,048,576 characters; at most 100,000 are allowed"),
        ("huge", "malformed", "more than 8,388,608 bytes"),
        ("latin1", "malformed", "byte 14 of its answer is not UTF-8"),
        ("odd_charset", "malformed", "'klingon'"),
        ("surrogate", "malformed", "half a surrogate pair"),
        ("deep", "malformed", "not JSON"),
        ("drop", "error", "closed the connection without an answer; did it crash?"),
        ("cut", "error", "in the middle of its answer; did it crash?"),
        ("no_http", "malformed", "does not speak HTTP"),
        ("status/404", "error", "status 404. Its body:"),
        ("status/401", "harness", "Is the key in the environment variable correct?"),
        ("status/302", "error", "redirects to /there"),
        ("status/500", "error", "status 500"),
    ],
)
def test_each_way_to_fail_is_distinguished(faulty: str, path: str, kind: str, said: str) -> None:
    failure = failure_of(agent_at(faulty, path))
    assert failure.kind == kind
    assert said in failure.detail
    assert len(failure.detail) < 1_000


def test_a_declared_charset_is_respected(faulty: str) -> None:
    agent = agent_at(faulty, "declared_latin1")
    assert texts(turn_of(agent)) == ["café"]


def test_unreadable_answers_are_kept_as_they_came(faulty: str) -> None:
    failure = failure_of(agent_at(faulty, "schema"))
    assert isinstance(failure, UnreadableAnswer)
    assert failure.raw == '{"version": 3, "output": {"content": "Hello"}}'


@pytest.mark.parametrize("path", ["hang", "trickle", "trickle_headers"])
def test_a_request_ends_when_its_time_is_over_however_the_server_stalls(faulty: str, path: str) -> None:
    start = time.perf_counter()
    failure = failure_of(agent_at(faulty, path, timeout_s=0.2))
    assert failure.kind == "timeout"
    assert "within 0.2 s (timeout_s)" in failure.detail
    assert time.perf_counter() - start < HANG_S / 2


def test_nobody_there_is_unreachable_and_says_so() -> None:
    failure = failure_of(agent_at(f"http://127.0.0.1:{free_port()}"))
    assert failure.kind == "unreachable"
    assert "Is the server running, and is this its port?" in failure.detail


def test_a_host_that_does_not_exist_is_unreachable() -> None:
    assert failure_of(agent_at("http://no-such-host.invalid")).kind == "unreachable"


def test_a_server_that_is_busy_is_asked_again(faulty: str) -> None:
    assert texts(turn_of(agent_at(faulty, "first/429/2/a"))) == ["hi"]
    assert texts(turn_of(agent_at(faulty, "first/503/1/b/0.02"))) == ["hi"]


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        (500, Ending.AGENT_ERROR),
        (503, Ending.AGENT_UNREACHABLE),
        (404, Ending.AGENT_ERROR),
        (403, Ending.AGENT_ERROR),  # an agent may refuse a message in this way
        (429, Ending.RATE_LIMITED),
        (401, Ending.HARNESS_ERROR),
        (402, Ending.HARNESS_ERROR),
        (407, Ending.HARNESS_ERROR),
    ],
)
def test_a_status_says_whose_fault_the_failure_is(faulty: str, status: int, ending: Ending) -> None:
    assert failure_of(agent_at(faulty, f"status/{status}")).ending is ending


def test_what_retries_cost_is_known_of_sessions_that_succeed_and_of_failures(faulty: str) -> None:
    with agent_at(faulty, "first/429/2/kept").open("d", seed=0) as session:
        session.reply([Utterance(speaker="user", text="hi")])
        cost = retries_of(session)
    assert cost.count == 2
    assert cost.waited_s > 0
    assert failure_of(agent_at(faulty, "first/503/9/lost/0.01")).retries == RetryCost(count=2, waited_s=0.02)


@pytest.mark.parametrize(
    ("error", "answered", "kind"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), False, "unreachable"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), True, "unreachable"),
        (OSError(errno.EMFILE, "too many open files"), False, "harness"),
        (OSError(errno.ENETUNREACH, "no network"), False, "unreachable"),  # perhaps the address is wrong
        (OSError(errno.ENETUNREACH, "no network"), True, "harness"),
        (socket.gaierror(socket.EAI_AGAIN, "no name server"), True, "harness"),
    ],
)
def test_a_connection_that_fails_is_charged_to_the_server_unless_the_machine_lost_its_network(
    faulty: str, monkeypatch: pytest.MonkeyPatch, error: OSError, answered: bool, kind: str
) -> None:
    def refuse(_connection: http.client.HTTPConnection) -> None:
        raise error

    agent = agent_at(faulty, retries={"most": 0})
    if answered:
        turn_of(agent)
        agent.close()  # the next request connects anew
    monkeypatch.setattr(http.client.HTTPConnection, "connect", refuse)
    assert failure_of(agent).kind == kind


def test_an_agent_with_a_state_hears_no_message_twice(faulty: str) -> None:
    assert failure_of(agent_at(faulty, "first/500/1/c")).kind == "error"
    assert times_heard(faulty, "/first/500/1/c") == 1
    failure_of(agent_at(faulty, "drop/d"))
    assert times_heard(faulty, "/drop/d") == 1


def test_an_agent_without_one_is_asked_again_after_any_passing_failure(faulty: str) -> None:
    assert texts(turn_of(agent_at(faulty, "first/500/2/e", stateless=True))) == ["hi"]
    failure_of(agent_at(faulty, "drop/f", stateless=True))
    assert times_heard(faulty, "/drop/f") == 3


def test_every_session_has_cookies_of_its_own(faulty: str) -> None:
    agent = agent_at(faulty, "cookie")
    with agent.open("a", seed=0) as one, agent.open("b", seed=0) as other:
        heard = [texts(session.reply([user("x")])) for session in (one, one, other, one, other)]
    assert heard == [["visit 1"], ["visit 2"], ["visit 1"], ["visit 3"], ["visit 2"]]


def test_a_secret_is_sent_and_never_shown(faulty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    agent = agent_at(faulty, "headers", headers={"Authorization": "Bearer {env:MY_KEY}"})
    failure = failure_of(agent)
    assert "the header was Bearer ***" in failure.detail
    assert "very-secret" not in f"{failure!r} {agent.spec.to_json()} {failure.__cause__} {failure.__suppress_context__}"


def test_a_secret_that_is_not_set_is_reported_before_the_first_request(faulty: str) -> None:
    with pytest.raises(UsageError, match="variables that are not set: NOT_SET_ANYWHERE"):
        agent_at(faulty, headers={"Authorization": "{env:NOT_SET_ANYWHERE}"})


def test_plain_answers_greetings_endings_and_what_to_keep_are_described_by_data(faulty: str) -> None:
    turn = Exchange(path="/schema", reply="output.content", ends={"version": 3}, keep={"version": "version", "x": "y"})
    agent = agent_at(faulty, turn=turn, open=Exchange(path="/list", reply="*"), close=Exchange(path="/echo"))
    with agent.open("d", seed=0) as session:
        assert texts(session.greet()) == ["Hello"]
        said = session.reply([user("hi")])
    assert (texts(said), said.ends, said.meta) == (["Hello"], True, {"version": 3})
    plain = agent_at(faulty, turn=Exchange(method="GET", form="plain"))
    assert texts(turn_of(plain)) == ["fine"]


def test_a_dialogue_that_cannot_be_opened_is_a_failure_and_one_that_cannot_be_closed_is_none(faulty: str) -> None:
    with pytest.raises(AgentFailure, match="status 404"):
        agent_at(faulty, open=Exchange(path="/status/404", reply="x")).open("d", seed=0)
    agent_at(faulty, close=Exchange(path="/status/404")).open("d", seed=0).close()


def test_an_agent_that_was_lost_is_not_waited_for_again_when_the_dialogue_is_closed(faulty: str) -> None:
    agent = agent_at(faulty, "hang", timeout_s=0.2, close=Exchange(path="/hang/closing"))
    with agent.open("d", seed=0) as session, pytest.raises(AgentFailure):
        session.reply([user("hi")])
    assert times_heard(faulty, "/hang/closing") == 0
    agent_at(faulty, close=Exchange(path="/status/500/closing")).open("d", seed=0).close()
    assert times_heard(faulty, "/status/500/closing") == 1  # reported once, whatever it answers


def test_an_unhealthy_server_is_found(faulty: str) -> None:
    with pytest.raises(AgentFailure, match="status 404"):
        agent_at(faulty, health=Exchange(method="GET", path="/status/404")).healthy()


@pytest.mark.parametrize("status", [404, 405, 501, 503])
def test_a_server_that_refuses_a_get_of_its_address_is_there_all_the_same(faulty: str, status: int) -> None:
    agent_at(f"{faulty}/status/{status}").healthy()


def test_a_server_that_is_not_there_is_not_healthy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but not listening: connections are refused
        agent = agent_at(f"http://127.0.0.1:{taken.getsockname()[1]}", retries=Retries(most=0))
        with pytest.raises(AgentFailure, match="unreachable"):
            agent.healthy()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("localhost:5001", "not the address of a server"),
        ("ftp://localhost", "not the address of a server"),
        ("http://", "not the address of a server"),
        ("http://localhost:99999", "invalid port"),
        ("http://ann:secret@localhost", "environment variable"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        agent_at(url)
    assert "secret@" not in str(caught.value)


def test_unknown_placeholders_are_refused_when_the_options_are_read() -> None:
    with pytest.raises(ValidationError, match="Did you mean 'message'"):
        Exchange(body={"a": "{mesage}"})


def test_the_options_survive_a_trip_through_json() -> None:
    spec = HttpSpec(url="http://localhost:1", turn=Exchange(body={"a": "{message}"}, reply="b"), retries=QUICK)
    assert HttpSpec.model_validate(json.loads(json.dumps(spec.to_json()))) == spec


def test_many_threads_share_an_agent(faulty: str) -> None:
    agent = agent_at(faulty)
    heard: dict[str, list[str]] = {}

    def talk(name: str) -> None:
        with agent.open(name, seed=0) as session:
            heard[name] = [texts(session.reply([user(f"{name} {turn}")]))[0] for turn in range(20)]

    threads = [threading.Thread(target=talk, args=(f"user {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert heard == {f"user {n}": [f"user {n} {turn}" for turn in range(20)] for n in range(8)}


def test_a_proxy_of_the_environment_is_used_for_other_machines_only(
    faulty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", faulty)
    monkeypatch.delenv("no_proxy", raising=False)
    wire = ConnectionPool("http://crs.invalid", timeout_s=5)
    answer = wire.ask("GET", "/x", headers={})
    wire.close()
    assert answer.text() == "fine"  # what the "proxy" says to GET http://crs.invalid:80/x
    assert texts(turn_of(agent_at(faulty))) == ["hi"]
    monkeypatch.setenv("http_proxy", "http://ann:pass@localhost:1")
    with pytest.raises(UsageError, match="only plain proxies"):
        ConnectionPool("http://crs.invalid", timeout_s=5)


@pytest.fixture
def certified(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """(address, certificate) of an echo behind TLS, whose certificate nobody knows."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which makes the certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", *names]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = AgentServer(Echo(), protocol="ievalm")
    server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
    with server:
        yield f"https://localhost:{server.url.rsplit(':', 1)[1]}", certificate


def test_https_is_spoken_and_only_with_those_whose_certificate_is_known(
    certified: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = certified
    turn = IEvaLMSpec(url=url).turn
    failure = failure_of(agent_at(url, turn=turn))
    assert failure.kind == "unreachable"
    assert "certificate verify failed" in failure.detail
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert said_to(agent_at(url, turn=turn), "hi", "there") == [[], ["hi"], ["there"]]


def test_a_server_without_tls_is_unreachable_by_it(faulty: str) -> None:
    failure = failure_of(agent_at(faulty.replace("http://", "https://")))
    assert failure.kind == "unreachable"


# Tools that an HTTP server is offered

ASKS = {"id": "a", "type": "function", "function": {"name": "add", "arguments": '{"one": 1, "other": 2}'}}
WRONG = {"id": "b", "type": "function", "function": {"name": "add", "arguments": "{"}}


class Caller(BaseHTTPRequestHandler):
    """Calls tools like OpenAI's chat API: what its path says, then a sentence with the last result; or for ever."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [each["function"]["name"] for each in body["tools"]]
        last = body["messages"][-1]
        message: dict[str, Any] = {"role": "assistant", "content": f"{names}: {last['content']}"}
        if last["role"] == "user" or self.path == "/endless":
            message = {"role": "assistant", "content": "Let me add." if self.path == "/talks" else None}
            message["tool_calls"] = [ASKS, WRONG] if self.path == "/wrong" else [ASKS]
        reason = "tool_calls" if "tool_calls" in message else "stop"
        data = json.dumps({"choices": [{"message": message, "finish_reason": reason}]})
        if self.path == "/stream":
            calls = [{"index": place, **each} for place, each in enumerate(message.pop("tool_calls", []))]
            delta = message | ({"tool_calls": calls} if calls else {})
            data = (
                "data: " + json.dumps({"choices": [{"delta": delta, "finish_reason": reason}]}) + "\n\ndata: [DONE]\n\n"
            )
        self.send_response(200)
        self.send_header("Content-Length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())


def add(one: int, other: int) -> int:
    """Add two numbers."""
    return one + other


ADD = f"{__name__}:add"


@pytest.fixture(scope="module")
def caller() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Caller)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def with_tools(url: str, path: str, **options: Any) -> HttpAgent:
    message = "choices.0.message"
    body = {"messages": "{messages}", "tools": "{tools}", "made": "{tool_calls}"}
    turn = Exchange(path=f"/{path}", body=body, reply=f"{message}.content", calls=f"{message}.tool_calls")
    return agent_at(url, turn=turn, tools=ADD, **options)


@pytest.mark.parametrize("path", ["plain", "stream"])
def test_a_server_is_offered_tools_whose_calls_are_executed(caller: str, path: str) -> None:
    turn = turn_of(with_tools(caller, path))
    assert texts(turn) == ["['add']: 3"]
    (call,) = calls_in(turn.utterances)
    assert (call.name, call.arguments, call.result, call.is_declared) == ("add", {"one": 1, "other": 2}, 3, True)


def test_what_a_server_says_beside_a_call_is_said(caller: str) -> None:
    assert texts(turn_of(with_tools(caller, "talks"))) == ["Let me add.", "['add']: 3"]


def test_a_wrong_call_of_a_server_is_its_own_error_and_goes_back_to_it(caller: str) -> None:
    turn = turn_of(with_tools(caller, "wrong"))
    assert "invalid_arguments" in texts(turn)[0]
    assert [each.fault for each in calls_in(turn.utterances)] == [None, CallFault.AGENT]


def test_a_server_that_calls_for_ever_is_stopped_and_its_calls_are_kept(caller: str) -> None:
    failure = failure_of(with_tools(caller, "endless", max_tool_calls=3))
    assert "called tools 3 times in one turn and said nothing" in failure.detail
    assert failure.trace is not None
    assert [each.result for each in failure.trace.calls or ()] == [3, 3, 3]


def test_without_tools_a_call_that_nobody_runs_fails(caller: str) -> None:
    turn = Exchange(
        path="/plain", body={"messages": "{messages}", "tools": "{tools}"}, reply="choices.0.message.content"
    )
    assert failure_of(agent_at(caller, turn=turn)).kind == "tool_call"


@pytest.mark.parametrize("turn", [{"body": {"text": "{message}"}, "calls": "calls"}, {"body": {"tools": "{tools}"}}])
def test_tools_that_a_server_could_not_see_or_call_are_a_mistake(turn: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="Say where the tools go and where calls come back"):
        make_agent({"agent": "http", "url": "http://localhost:1", "tools": ADD, "turn": {"reply": "a", **turn}})
