"""Server-side protocol handlers and the registry of open conversations."""

import hashlib
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from trialogue.agents.base import Agent, Session, Turn
from trialogue.agents.protocols.protocol import answer_message
from trialogue.records import Speaker, Utterance
from trialogue.seeds import seed_for
from trialogue.transport.failures import AgentFailure, call_foreign

MAX_OPEN = 10_000  # conversations; clients that never say goodbye must not fill the memory
PROCESSED = "Message Processed"  # MovieBot's answer where it says nothing


@dataclass
class _Conversation:
    session: Session
    history: list[Utterance] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class ConversationStore:
    """Open conversations of an agent by name; beyond ten thousand, the least recently used one is closed."""

    def __init__(self, agent: Agent, *, seed: int = 0) -> None:
        self.agent, self._seed = agent, seed
        self._open: OrderedDict[str, _Conversation] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, name: str, *, seed: int | None = None) -> Turn | None:
        """Open a conversation, replacing one of the same name; returns the agent's greeting.

        Args:
            name: name of the conversation.
            seed: seed for the agent; None: one that follows from the name.

        Raises:
            AgentFailure: the agent fails, whatever it raises.
        """
        self.close(name)
        seed = seed_for(self._seed, name) if seed is None else seed
        session = call_foreign(lambda: self.agent.open(name, seed=seed), what="the agent")
        greeting = call_foreign(session.greet, what="the agent")
        conversation = _Conversation(session, list(greeting.utterances) if greeting else [])
        with self._lock:
            self._open[name] = conversation
            oldest = self._open.popitem(last=False)[1] if len(self._open) > MAX_OPEN else None
        if oldest is not None:
            oldest.session.close()
        return greeting

    def say(self, name: str, text: str, *, history: Sequence[Utterance] | None = None) -> Turn:
        """Pass a user message to the agent and return its turn; opens the conversation if needed.

        Args:
            name: name of the conversation.
            text: what the user says.
            history: what was said before; None: what this desk has heard.

        Raises:
            AgentFailure: the agent fails, whatever it raises.
        """
        with self._lock:
            conversation = self._open.get(name)
            if conversation is not None:
                self._open.move_to_end(name)
        if conversation is None:
            self.open(name)
            with self._lock:
                conversation = self._open[name]
        with conversation.lock:
            before = conversation.history if history is None else list(history)
            said = [*before, Utterance(speaker="user", text=text)]
            turn = call_foreign(lambda: conversation.session.reply(said), what="the agent")
            conversation.history = [*said, *turn.utterances]
        return turn

    def close(self, name: str | None = None) -> None:
        """Close one conversation, or all."""
        with self._lock:
            if name is None:
                ended, self._open = list(self._open.values()), OrderedDict()
            else:
                conversation = self._open.pop(name, None)
                ended = [] if conversation is None else [conversation]
        for conversation in ended:
            conversation.session.close()

    def lines(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Answer a message of Trialogue's protocol; None for ``close``.

        Raises:
            AgentFailure: malformed, if it is none; or the agent's own.
        """
        name = str(request.get("dialogue_id", ""))
        kind = request.get("type")
        if kind == "open":
            seed = request.get("seed")
            return answer_message(self.open(name, seed=seed if isinstance(seed, int) else None))
        if kind == "turn":
            text = request.get("message")
            history = request.get("history")
            if isinstance(text, str) and isinstance(history, list | None):
                before = None if history is None else [_utterance(said) for said in history[:-1]]
                return answer_message(self.say(name, text, history=before))
        if kind == "close":
            self.close(name)
            return None
        raise AgentFailure("malformed", "needed: type 'open', 'turn' with 'message' (and 'history'), or 'close'.")


def _utterance(said: Any) -> Utterance:
    speakers: dict[str, Speaker] = {"user": "user", "system": "system"}
    if isinstance(said, dict) and isinstance(said.get("text"), str) and said.get("speaker") in speakers:
        return Utterance(speaker=speakers[said["speaker"]], text=said["text"])
    raise AgentFailure("malformed", "a member of 'history' is {'speaker': 'user' or 'system', 'text': ...}.")


@dataclass(frozen=True)
class Reply:
    """Server response."""

    body: Mapping[str, object] | str
    """A JSON object, or plain text."""
    status: int = 200
    cookie: str | None = None
    """Name of the conversation, for protocols that keep it in a cookie."""


class Service(Protocol):
    """Protocol handler: responses to POST and GET requests."""

    def answer_post(self, request: Mapping[str, Any], cookie: str | None) -> Reply:
        """Answer a POST with a JSON object; raises AgentFailure if there is no answer."""
        ...

    def answer_get(self, path: str) -> Mapping[str, object]:
        """Answer a GET, at least as a health check."""
        ...


class TrialogueService:
    """Trialogue's own protocol."""

    def __init__(self, desk: ConversationStore) -> None:
        self._desk = desk

    def answer_post(self, request: Mapping[str, Any], cookie: str | None) -> Reply:
        """Protocol answer; ``ready`` for ``close``."""
        return Reply(self._desk.lines(request) or {"type": "ready"})

    def answer_get(self, path: str) -> Mapping[str, object]:
        """The agent's name."""
        return {"agent": self._desk.agent.name, "protocol": "trialogue"}


class MovieBotService:
    """MovieBot 1.0.1: a sender is a conversation, and a burst is one multi-line message."""

    name = "moviebot"

    def __init__(self, desk: ConversationStore) -> None:
        self._desk = desk

    def answer_post(self, request: Mapping[str, Any], cookie: str | None) -> Reply:
        """MovieBot's reply; ``/start`` and ``/restart`` open a conversation, ``/exit`` closes it."""
        try:
            message = self.message(request)
            text, sender = message["message"]["text"], str(message["sender"]["id"])
        except (KeyError, TypeError, IndexError) as error:
            raise AgentFailure("malformed", "a message.text and a sender.id are needed.") from error
        if text in ("/start", "/restart"):
            turn = self._desk.open(sender)
        elif text == "/exit":
            self._desk.close(sender)
            turn = None
        else:
            turn = self._desk.say(sender, str(text))
        if turn is None:
            return Reply(PROCESSED)
        intent = "END" if turn.ends else next((act.intent for said in turn.utterances for act in said.acts or ()), "")
        return Reply({"recipient": self.recipient(sender), "message": {"text": _text(turn), "intent": intent}})

    def message(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The message in a request."""
        message: Mapping[str, Any] = request["entry"][0]["messaging"][0]
        return message

    def recipient(self, sender: str) -> object:
        """Form of the sender in a reply."""
        return {"id": sender}

    def answer_get(self, path: str) -> Mapping[str, object]:
        """The agent's name."""
        return {"agent": self._desk.agent.name, "protocol": self.name}


class MovieBot2Service(MovieBotService):
    """MovieBot 2 with REST."""

    name = "moviebot-v2"

    def message(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The request itself."""
        return request

    def recipient(self, sender: str) -> object:
        """The sender, unchanged."""
        return sender


class IEvaLMService:
    """iEvaLM-CRS server. A conversation is identified by a cookie; a request without context starts a new one.

    Its seed follows from its first words, so that the same dialogue is the same again.
    """

    def __init__(self, desk: ConversationStore) -> None:
        self._desk = desk

    def answer_post(self, request: Mapping[str, Any], cookie: str | None) -> Reply:
        """The agent's reply as ``response``."""
        context, message = request.get("context"), request.get("message")
        if (
            not isinstance(message, str)
            or not isinstance(context, list)
            or not all(isinstance(t, str) for t in context)
        ):
            raise AgentFailure("malformed", "'context', a list of texts, and 'message', a text, are needed.")
        name = cookie if cookie is not None and context else secrets.token_hex(8)
        texts = [*context, message]
        if name != cookie:
            self._desk.open(name, seed=seed_for(0, "ievalm", texts[0]))
        speakers: tuple[Speaker, Speaker] = ("user", "system")
        history = [Utterance(speaker=speakers[place % 2], text=text) for place, text in enumerate(context)]
        return Reply({"response": _text(self._desk.say(name, message, history=history))}, cookie=name)

    def answer_get(self, path: str) -> Mapping[str, object]:
        """The agent's name."""
        return {"agent": self._desk.agent.name, "protocol": "ievalm"}


class OpenAIService:
    """OpenAI-compatible chat endpoint. Stateless: each request contains the whole conversation."""

    def __init__(self, desk: ConversationStore) -> None:
        self._desk = desk

    def answer_post(self, request: Mapping[str, Any], cookie: str | None) -> Reply:
        """A chat completion."""
        messages = request.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise AgentFailure("malformed", "'messages', a list of objects, is needed.")
        said = [_of_chat(message) for message in messages if message.get("role") in ("user", "assistant")]
        if not said or said[-1].speaker != "user":
            raise AgentFailure("malformed", "the last message must be the user's.")
        seed = request.get("seed")
        name = hashlib.sha256(json.dumps([seed, messages]).encode()).hexdigest() + secrets.token_hex(4)
        try:
            self._desk.open(name, seed=seed if isinstance(seed, int) else 0)
            for place, utterance in enumerate(said):
                if utterance.speaker == "user":
                    turn = self._desk.say(name, utterance.text, history=said[:place])
        finally:
            self._desk.close(name)
        choice = {"index": 0, "message": {"role": "assistant", "content": _text(turn)}, "finish_reason": "stop"}
        return Reply(
            {"id": name[:16], "object": "chat.completion", "model": self._desk.agent.name, "choices": [choice]}
        )

    def answer_get(self, path: str) -> Mapping[str, object]:
        """The list of models, which contains only the agent."""
        return {"object": "list", "data": [{"id": self._desk.agent.name, "object": "model"}]}


def _of_chat(message: Mapping[str, Any]) -> Utterance:
    text = message.get("content")
    if not isinstance(text, str):
        raise AgentFailure("malformed", "the content of a message must be text.")
    return Utterance(speaker="user" if message["role"] == "user" else "system", text=text)


def _text(turn: Turn) -> str:
    return "\n".join(said.text for said in turn.utterances)


PROTOCOLS: dict[str, Callable[[ConversationStore], Service]] = {
    "trialogue": TrialogueService,
    "moviebot": MovieBotService,
    "moviebot-v2": MovieBot2Service,
    "ievalm": IEvaLMService,
    "openai": OpenAIService,
}
"""Protocols in which an agent can be served, besides ``socketio``."""
