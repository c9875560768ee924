"""Any HTTP server as an agent; requests and the location of the reply are described in YAML.

.. code-block:: yaml

    agent: http
    url: http://localhost:8080
    turn:
      path: /chat
      body: {user: "{dialogue_id}", text: "{message}"}
      reply: answer.text

MovieBot, iEvaLM-CRS and our own protocol are such descriptions, too (``trialogue.agents.protocols.http_agent``).

Ready-made HTTP protocols for ``trialogue.agents.protocols.http_agent``.

Request formats of IAI MovieBot 1.0.1 and 2 (iai-group/MovieBot), the iEvaLM-CRS server (RUCAIBox/iEvaLM-CRS,
``script/serve_model.py``), and our own (``trialogue.agents.protocols.protocol``). A YAML file can override every option.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.cookies import CookieError, SimpleCookie
from typing import Annotated, ClassVar, TypeVar

from pydantic import Field

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.protocols.exchange import (
    Exchange,
    Template,
    Values,
    calls_asked_in,
    fill_template,
    greeting_in,
    secrets_of,
    turn_in,
    values_of,
)
from trialogue.agents.protocols.protocol import VERSION
from trialogue.agents.replies import last_message
from trialogue.agents.spec import LongestText
from trialogue.agents.tools.options import ToolOptions
from trialogue.agents.tools.toolbox import Toolbox, TurnTools, with_calls
from trialogue.errors import UsageError
from trialogue.records import JsonValue, RetryCost, Utterance
from trialogue.records.trace import ToolCall, Trace
from trialogue.transport.answers import LONGEST_TEXT, check_success, hidden, redactor
from trialogue.transport.failures import AgentFailure, call_quietly
from trialogue.transport.http import ConnectionPool, HttpResponse
from trialogue.transport.retry import AtOnce, Retries, RetryPolicy, Seconds

Said = TypeVar("Said")
NO_PLACE = (
    "Say where the tools go and where calls come back: {tools}, and {messages} or {tool_calls}, in the body of 'turn', and "
    "the path of the calls as 'calls'."
)


class HttpAgent:
    """Agent behind HTTP. Sessions share connections, but never cookies."""

    def __init__(self, spec: "HttpSpec", *, retry_policy: RetryPolicy | None = None) -> None:
        """Store the options; nothing is connected yet.

        Raises:
            UsageError: the address is none, or an environment variable is not set.
        """
        self.spec = spec
        self.name = spec.name or spec.kind_name
        self.toolbox = spec.toolbox()
        self.sessions_at_once = spec.sessions_at_once
        exchanges = [exchange for exchange in (spec.turn, spec.open, spec.close, spec.health) if exchange is not None]
        self._secrets = secrets_of([dict(spec.headers), *(exchange.body for exchange in exchanges)])
        self._hide = redactor(self._secrets)
        self._headers = {key: str(fill_template(value, {}, self._secrets)) for key, value in spec.headers.items()}
        self._wire = ConnectionPool(spec.url, timeout_s=spec.timeout_s)
        self._retry_policy = retry_policy or RetryPolicy(
            spec.retries, at_once=spec.requests_at_once, per_minute=spec.requests_per_minute
        )

    def open(self, dialogue_id: str, *, seed: int) -> "HttpSession":
        """Open a session, with the agent's greeting if it sends one.

        Raises:
            AgentFailure: it does not answer the request that opens a dialogue, if there is one.
        """
        return HttpSession(self, dialogue_id, seed)

    def healthy(self) -> None:
        """Check that the server responds.

        Raises:
            AgentFailure: it is not, or answers ``health`` with an error. Where ``health`` is not given, any answer will do:
                many servers know POST alone, and answer a GET of their address with 404, 405 or 501.
        """
        health = self.spec.health
        with self.hide_secrets():
            if health is None:
                self._retry_policy.ask(
                    lambda: self._wire.ask("GET", "", body=None, headers=self._headers), repeatable=True
                )
            else:
                self.ask(health, values_of((), "", 0), SimpleCookie(), repeatable=True)

    def ask(
        self,
        exchange: Exchange,
        values: Values,
        cookies: SimpleCookie,
        *,
        repeatable: bool,
        patient: bool = True,
        note: Callable[[RetryCost], None] = lambda cost: None,
    ) -> HttpResponse:
        """Make one request, retried where safe; cookies set by the response are added to those given.

        Args:
            exchange: what is asked.
            values: what its placeholders stand for.
            cookies: cookies of the conversation.
            repeatable: whether the agent may hear the message twice.
            patient: whether to ask again at all.
            note: called with the cost of every further try.

        Raises:
            AgentFailure: there is none, or one with an error status.
        """
        body, headers = None, dict(self._headers)
        if exchange.body is not None:
            body = json.dumps(fill_template(exchange.body, values, self._secrets), separators=(",", ":")).encode()
            headers["Content-Type"] = "application/json"
        if cookies:
            headers["Cookie"] = "; ".join(f"{name}={cookie.coded_value}" for name, cookie in cookies.items())

        def request() -> HttpResponse:
            return check_success(
                self._wire.ask(exchange.method, exchange.path, body=body, headers=headers), self._wire.url
            )

        answer = self._retry_policy.ask(request, repeatable=repeatable, note=note) if patient else request()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            _keep_cookie(cookies, cookie)
        return answer

    @contextmanager
    def hide_secrets(self) -> Iterator[None]:
        """Context manager that redacts secrets from failures, since a response may repeat them."""
        try:
            yield
        except AgentFailure as failure:
            clean = hidden(failure, self._hide)
            if clean is failure:
                raise
            raise clean from None

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()


class HttpSession(SimpleSession):
    """Conversation with its own cookies."""

    def __init__(self, agent: HttpAgent, dialogue_id: str, seed: int) -> None:
        self._agent, self._id, self._seed = agent, dialogue_id, seed
        self._cookies = SimpleCookie()
        self._lost = False  # whether the last request had no answer
        self.retries = RetryCost()
        self._greeting = None if agent.spec.open is None else self._exchange(agent.spec.open, (), greeting_in)

    def greet(self) -> Turn | None:
        """The response to the opening request."""
        return self._greeting

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The response to the user's message, after the calls of tools that it asks for, if it is offered any."""
        last_message(history)
        box = self._agent.toolbox
        if box is None:
            return self._exchange(self._agent.spec.turn, history, turn_in)
        start, tools, said = time.perf_counter(), box.turn(), list[str]()
        try:
            while not isinstance(asked := self._exchange(self._agent.spec.turn, history, _asked_or_turn, tools), Turn):
                if tools.is_exhausted:
                    most = f"It called tools {len(tools.calls)} times in one turn and said nothing (max_tool_calls)."
                    raise AgentFailure("error", most)
                said += asked[1]
                for each in asked[0]:
                    tools.call(each.name, each.arguments, call_id=each.id)
        except AgentFailure as failure:
            failure.trace = Trace(calls=tuple(tools.calls))
            raise
        before = tuple(Utterance(speaker="system", text=text) for text in said)
        turn = replace(asked, utterances=(*before, *asked.utterances), latency_s=time.perf_counter() - start)
        return with_calls(turn, tools.calls)

    def close(self) -> None:
        """Send the closing request once, if there is one and the server could be reached before."""
        closing = self._agent.spec.close
        if closing is not None and not self._lost:
            call_quietly(lambda: self._ask(closing, (), tell=True))

    def _ask(
        self, exchange: Exchange, history: Sequence[Utterance], tools: TurnTools | None = None, *, tell: bool = False
    ) -> HttpResponse:
        values = values_of(history, self._id, self._seed, tools)
        repeatable = self._agent.spec.stateless
        return self._agent.ask(
            exchange, values, self._cookies, repeatable=repeatable, patient=not tell, note=self._count_retry
        )

    def _count_retry(self, cost: RetryCost) -> None:
        self.retries += cost

    def _exchange(
        self,
        exchange: Exchange,
        history: Sequence[Utterance],
        read: Callable[..., Said],
        tools: TurnTools | None = None,
    ) -> Said:
        start = time.perf_counter()
        with self._agent.hide_secrets():
            self._lost = True
            answer = self._ask(exchange, history, tools)
            self._lost = False
            longest = self._agent.spec.longest_text
            return read(answer, exchange, longest=longest, latency_s=time.perf_counter() - start)


def _asked_or_turn(
    answer: HttpResponse, exchange: Exchange, *, longest: int, latency_s: float | None
) -> Turn | tuple[list[ToolCall], list[str]]:
    """The calls that an answer waits for, with the texts beside them; else the turn in it."""
    asked = calls_asked_in(answer, exchange)
    return asked if asked[0] else turn_in(answer, exchange, longest=longest, latency_s=latency_s)


def _keep_cookie(cookies: SimpleCookie, header: str) -> None:
    try:
        given = SimpleCookie(header)
    except CookieError:
        return  # what is no cookie is no state
    for name, cookie in given.items():
        if cookie["max-age"] == "0" or not cookie.value:
            cookies.pop(name, None)
        else:
            cookies[name] = cookie.value


class HttpSpec(ToolOptions):
    """``http``: any HTTP server, with its requests described in YAML."""

    argument: ClassVar[str] = "url"
    kind_name: ClassVar[str] = "http"

    url: str
    """Base URL, such as ``http://localhost:8080``."""
    turn: Exchange
    """The request for a turn."""
    open: Exchange | None = None
    """The request that opens a dialogue, whose reply is the greeting; None: none is made."""
    close: Exchange | None = None
    """The request that closes a dialogue; None: none is made."""
    health: Exchange | None = None
    """The request that must succeed if the server is well; None: any answer to a GET of its address will do."""
    headers: dict[str, Template] = Field(default_factory=dict)
    """Headers of every request; secrets as ``{env:NAME}``."""
    stateless: bool = False
    """Whether a turn's request holds the whole dialogue, so that it may be made again after a time-out or an error. One that
    the agent has not heard (no connection, 429, 503) is made again in any case."""
    retries: Retries = Retries(most=2)
    """How often a failed request is made again, and the waits before that."""
    timeout_s: Seconds = 30
    """Seconds a request may take."""
    longest_text: LongestText = LONGEST_TEXT
    """Characters a message may have."""
    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; 1 for an agent that knows only one user; None: any number."""
    requests_at_once: AtOnce | None = None
    """Requests at the same time; None: any number."""
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    """Requests a minute, evenly spaced; None: any number."""

    def toolbox(self) -> Toolbox | None:
        """The tools; None: it is offered none.

        Raises:
            UsageError: as for other agents, or it could neither see nor call them.
            DataError: the catalogue cannot be read.
        """
        if self.tools and (self.turn.calls is None or "{tool" not in json.dumps(self.turn.body)):
            raise UsageError(NO_PLACE)
        return super().toolbox()

    def make(self) -> HttpAgent:
        """Create the agent."""
        return HttpAgent(self)


def _v1(text: str) -> JsonValue:
    return {"entry": [{"messaging": [{"message": {"text": text}, "sender": {"id": "{dialogue_id}"}}]}]}


def _v2(text: str) -> JsonValue:
    return {"message": {"text": text}, "sender": {"id": "{dialogue_id}"}}


def _moviebot(body: JsonValue) -> Exchange:
    """MovieBot answers both versions' requests alike; a single message with an intent, END among them."""
    return Exchange(
        body=body,
        reply="message.text",
        intent="message.intent",
        ends={"message.intent": "END"},
        keep={"attachment": "message.attachment", "attachments": "message.attachments"},
        silence=("Message Processed",),
    )


class MovieBotSpec(HttpSpec):
    """``moviebot``: IAI MovieBot 1.0.1, which listens on port 5001; every dialogue is a sender of its own."""

    kind_name: ClassVar[str] = "moviebot"

    turn: Exchange = _moviebot(_v1("{message}"))
    open: Exchange | None = _moviebot(_v1("/start"))
    close: Exchange | None = Exchange(body=_v1("/exit"))


class MovieBot2Spec(HttpSpec):
    """``moviebot-v2``: IAI MovieBot 2 with ``FLASK_REST: True``."""

    kind_name: ClassVar[str] = "moviebot-v2"

    turn: Exchange = _moviebot(_v2("{message}"))
    open: Exchange | None = _moviebot(_v2("/start"))
    close: Exchange | None = Exchange(body=_v2("/exit"))


class IEvaLMSpec(HttpSpec):
    """``ievalm``: the server of iEvaLM-CRS (KBRD, BARCOR, UniCRS, ChatGPT), which listens on port 5005.

    It is sent the whole dialogue from the user's first words on, and keeps the state of its options in a cookie. It never
    ends a dialogue.
    """

    kind_name: ClassVar[str] = "ievalm"

    turn: Exchange = Exchange(body={"context": "{context}", "message": "{message}"}, reply="response")


class TrialogueSpec(HttpSpec):
    """``trialogue``: our own protocol over HTTP, which keeps bursts, dialogue acts, mentions, rankings and endings."""

    kind_name: ClassVar[str] = "trialogue"

    turn: Exchange = Exchange(
        body={"type": "turn", "dialogue_id": "{dialogue_id}", "message": "{message}", "history": "{history}"},
        form="trialogue",
    )
    open: Exchange | None = Exchange(
        body={"type": "open", "protocol": VERSION, "dialogue_id": "{dialogue_id}", "seed": "{seed}"}, form="trialogue"
    )
    close: Exchange | None = Exchange(body={"type": "close", "dialogue_id": "{dialogue_id}"})
