"""Run agents written for DialogueKit (subclasses of ``dialoguekit.participant.agent.Agent``) in this process.

Each dialogue gets its own agent instance and a connector that implements DialogueKit's interface: the agent is welcomed,
receives the user's utterances, and registers one or several of its own, synchronously or from another thread. Its stop
intent ends the dialogue. DialogueKit 0.1.1 pins old versions of its dependencies, so Trialogue does not install it: use this
module in an environment that has it.
"""

import queue
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from pydantic import Field

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import AgentSpec, LongestText
from trialogue.errors import MissingExtraError, UsageError
from trialogue.extras import need
from trialogue.plugins import load
from trialogue.records import JsonValue, Utterance
from trialogue.transport.answers import LONGEST_TEXT
from trialogue.transport.failures import AgentFailure, call_foreign
from trialogue.transport.retry import AtOnce, Seconds

METHODS = ("welcome", "receive_utterance", "connect_dialogue_connector")
USER = "Trialogue user"


class DialogueKitAgent:
    """Agent made from a class of DialogueKit agents."""

    def __init__(
        self,
        made: Callable[..., Any],
        *,
        name: str | None = None,
        arguments: dict[str, Any] | None = None,
        timeout_s: float = 30,
        longest_text: int = LONGEST_TEXT,
        sessions_at_once: int | None = None,
    ) -> None:
        """Store the class; no instance is created before the first dialogue.

        Args:
            made: the class; called with an id first, as DialogueKit's platforms do.
            name: the id, and the system's name; None: that of the class.
            arguments: what else it is made with.
            timeout_s: seconds a turn may take.
            longest_text: characters a message may have.
            sessions_at_once: dialogues at the same time.

        Raises:
            UsageError: it is no such class.
            MissingExtraError: DialogueKit is not installed.
        """
        missing = [method for method in METHODS if not hasattr(made, method)]
        if missing:
            raise UsageError(f"{made!r} is not a DialogueKit agent: it has no {' and no '.join(missing)}.")
        self.name = name or str(getattr(made, "__name__", "dialoguekit"))
        self.sessions_at_once = sessions_at_once
        self._made, self._arguments = made, dict(arguments or {})
        self.timeout_s, self.longest_text = timeout_s, longest_text
        self.kit = _Kit()

    def open(self, dialogue_id: str, *, seed: int) -> "DialogueKitSession":
        """Open a session with its own, welcomed agent instance. DialogueKit has no seeds; it is ignored.

        Raises:
            AgentFailure: making or welcoming it raised or took too long.
        """
        start = time.perf_counter()
        agent = self.call(lambda: self._made(self.name, **self._arguments), "()")
        return DialogueKitSession(self, agent, dialogue_id, start)

    def call(self, call: Callable[[], Any], what: str) -> Any:
        """Call the agent's code with the timeout."""
        return call_foreign(call, what=f"{self.name}{what}", timeout_s=self.timeout_s)

    def close(self) -> None:
        """Do nothing: resources belong to sessions."""


class _Kit:
    """The classes of DialogueKit that its agents expect to meet."""

    def __init__(self) -> None:
        try:
            core = need("dialoguekit.core", extra="", purpose="")  # first: the package's own import order
            participant = need("dialoguekit.participant", extra="", purpose="")
        except MissingExtraError as error:
            raise MissingExtraError(
                "dialoguekit is needed to run DialogueKit agents in this process, but is not installed. Install "
                "it with: pip install dialoguekit. Or run the agent on its FlaskSocketPlatform and connect to it "
                "with socketio."
            ) from error
        self._utterance, self._dialogue = core.AnnotatedUtterance, core.Dialogue
        self._user = participant.DialogueParticipant.USER

    def said_by_user(self, text: str) -> Any:
        return self._utterance(text, participant=self._user)

    def dialogue(self, agent_id: str, dialogue_id: str) -> Any:
        return self._dialogue(agent_id, USER, dialogue_id)


class Connector:
    """DialogueKit's connector interface, as its agents see it; the names are DialogueKit's."""

    def __init__(self, agent: Any, history: Any) -> None:
        self._agent = agent
        self.dialogue_history = history
        self.said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.closed = False

    def register_agent_utterance(self, annotated_utterance: Any) -> None:
        """Receive an utterance of the agent; its stop intent ends the dialogue."""
        self.dialogue_history.add_utterance(annotated_utterance)
        stop = _label(getattr(self._agent, "stop_intent", None))
        if stop is not None and stop in [act["intent"] for act in _acts(annotated_utterance)]:
            self.closed = True
        self.said.put(annotated_utterance)

    def get_platform(self) -> None:
        """None: there is no display platform."""

    def close(self) -> None:
        """Record that the agent ended the dialogue."""
        self.closed = True


class DialogueKitSession(SimpleSession):
    """Session of one agent and its connector."""

    def __init__(self, kind: DialogueKitAgent, agent: Any, dialogue_id: str, start: float) -> None:
        self._kind, self._agent = kind, agent
        self._connector = Connector(agent, kind.kit.dialogue(kind.name, dialogue_id))
        kind.call(lambda: agent.connect_dialogue_connector(self._connector), ".connect_dialogue_connector()")
        kind.call(agent.welcome, ".welcome()")
        self._greeting = None if self._connector.said.empty() else self._turn(start)

    def greet(self) -> Turn | None:
        """The agent's utterances when it was welcomed."""
        return self._greeting

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """Utterances registered before the call returns, or else the first ones registered afterwards."""
        start = time.perf_counter()
        utterance = self._kind.kit.said_by_user(last_message(history))
        self._connector.dialogue_history.add_utterance(utterance)
        self._kind.call(lambda: self._agent.receive_utterance(utterance), ".receive_utterance()")
        return self._turn(start)

    def _turn(self, start: float) -> Turn:
        said: list[Any] = []
        left_s = self._kind.timeout_s - (time.perf_counter() - start)
        try:
            while not said or not self._connector.said.empty():
                ended = self._connector.closed and not said
                said.append(self._connector.said.get(timeout=0 if ended else max(left_s, 0)))
        except queue.Empty:
            if not self._connector.closed:
                detail = f"{self._kind.name} registered no utterance within {self._kind.timeout_s:g} s (timeout_s)."
                raise AgentFailure("timeout", detail) from None
        messages = [_message(utterance) for utterance in said]
        answer = {"messages": messages, "ends": self._connector.closed}
        return turn_of(answer, longest=self._kind.longest_text, latency_s=time.perf_counter() - start)


def _message(utterance: Any) -> dict[str, Any]:
    """An utterance of DialogueKit as one of ours; a plain one has no acts."""
    message: dict[str, Any] = {"text": getattr(utterance, "text", None)}
    if hasattr(utterance, "dialogue_acts"):
        message["acts"] = _acts(utterance)
    metadata = getattr(utterance, "metadata", None)
    return message | ({"meta": metadata} if metadata else {})


def _acts(utterance: Any) -> list[dict[str, Any]]:
    return [
        {
            "intent": _label(act.intent) or "",
            "slots": [
                {"slot": slot.slot, "value": slot.value, "start": slot.start, "end": slot.end}
                for slot in act.annotations
            ],
        }
        for act in getattr(utterance, "dialogue_acts", ())
    ]


def _label(intent: Any) -> str | None:
    return None if intent is None else str(getattr(intent, "label", intent))


class DialogueKitSpec(AgentSpec):
    """``dialoguekit``: a DialogueKit agent in this process, as ``module:Class``."""

    argument: ClassVar[str] = "code"

    code: str = Field(pattern=r".+:.+")
    """Import path of the class, such as ``my_package.agent:MyAgent``."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Constructor arguments besides the id."""
    timeout_s: Seconds = 30
    """Seconds a turn may take."""
    longest_text: LongestText = LONGEST_TEXT
    """Characters a message may have."""
    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; None: any number."""

    def make(self) -> DialogueKitAgent:
        """Import the module and create the agent."""
        made = load("trialogue.agents", self.code, kind="DialogueKit agent")
        return DialogueKitAgent(made, **self.model_dump(exclude={"code"}))
