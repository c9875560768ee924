"""Client for agents on DialogueKit's FlaskSocketPlatform, over socket.io. Needs the extra ``socketio``.

One connection is one conversation. The agent greets on connection; after that, both sides send ``message`` events. A turn is
complete when the server has acknowledged our message and sent at least one of its own; if it never acknowledges, after a
short silence.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import AgentSpec, LongestText
from trialogue.extras import need
from trialogue.records import Utterance
from trialogue.transport.answers import LONGEST_TEXT
from trialogue.transport.failures import AgentFailure, UnreadableAnswer
from trialogue.transport.retry import AtOnce, Seconds

ACK, GONE = object(), object()  # what else can be in the queue of messages


class SocketIoAgent:
    """Agent behind socket.io."""

    def __init__(self, spec: "SocketIoSpec") -> None:
        """Store the options; nothing is connected yet.

        Raises:
            MissingExtraError: python-socketio is not installed.
        """
        self.spec = spec
        self.name = spec.name or "socketio"
        self.sessions_at_once = spec.sessions_at_once
        self.library = need("socketio", extra="socketio", purpose="talk to an agent over socket.io")

    def open(self, dialogue_id: str, *, seed: int) -> "SocketIoSession":
        """Open a separate connection; the protocol has neither conversation ids nor seeds.

        Raises:
            AgentFailure: it cannot be connected, or does not greet.
        """
        return SocketIoSession(self)

    def close(self) -> None:
        """Do nothing: resources belong to sessions."""


class SocketIoSession(SimpleSession):
    """Conversation over one connection."""

    def __init__(self, agent: SocketIoAgent) -> None:
        self._spec = agent.spec
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._client = agent.library.Client(reconnection=False)
        self._lost: tuple[type[Exception], ...] = (agent.library.exceptions.SocketIOError, OSError)
        self._client.on("message", self._events.put)
        self._client.on("disconnect", lambda *_reason: self._events.put(GONE))
        start = time.monotonic()
        try:
            self._client.connect(
                self._spec.url, wait_timeout=self._spec.timeout_s, transports=list(self._spec.transports)
            )
        except agent.library.exceptions.ConnectionError as error:
            detail = (
                f"{self._spec.url} does not accept socket.io connections ({error}). Is a FlaskSocketPlatform "
                "running there?"
            )
            raise AgentFailure("unreachable", detail) from error
        try:
            self._greeting = self._turn(start, acked=True) if self._spec.greets else None
        except AgentFailure:
            self.close()
            raise

    def greet(self) -> Turn | None:
        """Messages received on connection."""
        return self._greeting

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """Messages received until the server acknowledges ours."""
        message = {"message": last_message(history)}
        start = time.monotonic()
        try:
            self._client.emit("message", message, callback=lambda *_data: self._events.put(ACK))
        except Exception as error:
            raise AgentFailure("closed", f"the connection to {self._spec.url} was lost ({error}).") from error
        return self._turn(start, acked=False)

    def close(self) -> None:
        """Disconnect, in the background if that takes long."""
        if self._client.transport() == "websocket":  # waits 3 s for a farewell that Werkzeug's server never says
            threading.Thread(target=self._disconnect, daemon=True).start()
        else:
            self._disconnect()

    def _disconnect(self) -> None:
        with contextlib.suppress(*self._lost):
            self._client.disconnect()

    def _turn(self, start: float, *, acked: bool) -> Turn:
        said: list[Any] = []
        while not (said and acked and self._events.empty()):
            left_s = start + self._spec.timeout_s - time.monotonic()
            try:
                event = self._events.get(timeout=self._spec.quiet_s if said else max(left_s, 0))
            except queue.Empty:
                if said:
                    break
                detail = f"{self._spec.url} sent nothing within {self._spec.timeout_s:g} s (timeout_s)."
                raise AgentFailure("timeout", detail) from None
            if event is ACK:
                acked = True
            elif event is not GONE:
                said.append(event)
            elif said:
                self._events.put(GONE)  # for the next turn, if there is one
                break
            else:
                raise AgentFailure("closed", f"{self._spec.url} disconnected without an answer; did the agent crash?")
        latency_s = time.monotonic() - start
        messages = [_message(event) for event in said]
        ends = any(act["intent"] == self._spec.stop_intent for message in messages for act in message.get("acts", ()))
        return turn_of({"messages": messages, "ends": ends}, longest=self._spec.longest_text, latency_s=latency_s)


def _message(event: Any) -> dict[str, Any]:
    """A ``message`` event as an utterance: ``{"sender": id, "message": {"text": ..., "dialogue_acts": [...] or null}}``."""
    message = event.get("message") if isinstance(event, dict) else None
    if not isinstance(message, dict) or "text" not in message:
        raise UnreadableAnswer("its message event has no message.text.", repr(event))
    acts = message.get("dialogue_acts")
    if acts is None:
        return {"text": message["text"]}
    try:
        return {"text": message["text"], "acts": [_act(act) for act in acts]}
    except (TypeError, KeyError, AttributeError) as error:
        raise UnreadableAnswer("the dialogue_acts of its message cannot be read.", repr(event)) from error


def _act(act: Any) -> dict[str, Any]:
    slots = [{"slot": str(slot["slot"]), "value": _value(slot.get("value"))} for slot in act.get("annotations") or ()]
    return {"intent": str(act["intent"] or ""), "slots": slots}


def _value(value: Any) -> str | None:
    return None if value is None else str(value)


class SocketIoSpec(AgentSpec):
    """``socketio``: an agent on DialogueKit's FlaskSocketPlatform."""

    argument: ClassVar[str] = "url"

    url: str
    """URL of the platform, such as ``http://localhost:5000``."""
    greets: bool = True
    """Whether the agent speaks first, as DialogueKit's do."""
    stop_intent: str = "EXIT"
    """The intent with which the agent ends the dialogue."""
    transports: tuple[Literal["polling", "websocket"], ...] = ("polling",)
    """Transport. Polling works with every server, and is faster on one machine."""
    quiet_s: Annotated[float, Field(gt=0)] = 0.5
    """Seconds of silence that end the turn of a server without acknowledgements."""
    timeout_s: Seconds = 30
    """Seconds a turn may take."""
    longest_text: LongestText = LONGEST_TEXT
    """Characters a message may have."""
    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; None: any number."""

    def make(self) -> SocketIoAgent:
        """Create the agent."""
        return SocketIoAgent(self)
