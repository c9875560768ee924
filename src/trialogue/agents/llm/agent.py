"""Any large language model as a recommender, through an OpenAI-compatible chat endpoint."""

import time
from collections.abc import Sequence
from typing import ClassVar

from trialogue.agents.base import Turn
from trialogue.agents.llm.chat import ChatClient, ChatOptions, Completion
from trialogue.agents.llm.prompt import PromptOptions, chat_of
from trialogue.agents.llm.usage import Usage
from trialogue.agents.patience import Patience
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.session import SimpleSession
from trialogue.agents.spec import AgentSpec, AtOnce
from trialogue.records import JsonValue, Utterance


class LlmAgent:
    """A model behind an endpoint, told to recommend."""

    def __init__(self, spec: "LlmSpec", *, patience: Patience | None = None) -> None:
        """Reads the catalogue, if there is one; nothing is asked yet.

        Raises:
            UsageError: the key's environment variable is not set, the catalogue is too long, ...
            DataError: the catalogue cannot be read.
        """
        self.spec = spec
        self.name = spec.name or spec.model
        self.sessions_at_once = spec.sessions_at_once
        self.instruction = spec.instruction()
        options = ChatOptions(**{key: getattr(spec, key) for key in ChatOptions.model_fields})
        self.client = ChatClient(options, patience=patience)

    def open(self, dialogue_id: str, *, seed: int) -> "LlmSession":
        """A session; the dialogue's id is the trial of its answers in the cache."""
        return LlmSession(self, dialogue_id, seed)

    def healthy(self) -> None:
        """Ask the endpoint for its models.

        Raises:
            AgentFailure: it does not answer.
        """
        self.client.models()

    def usage(self) -> Usage:
        """What the model was asked by this object, and what that cost."""
        return self.client.ledger.usage()

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


class LlmSession(SimpleSession):
    """One conversation. It keeps nothing: every request holds the whole history."""

    def __init__(self, agent: LlmAgent, dialogue_id: str, seed: int) -> None:
        self._agent, self._id, self._seed = agent, dialogue_id, seed

    def greet(self) -> Turn | None:
        """The greeting of the options, which the model has not written; None without."""
        greeting = self._agent.spec.greeting
        return None if greeting is None else turn_of(greeting)

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """What the model answers."""
        last_message(history)
        spec = self._agent.spec
        messages = chat_of(self._agent.instruction, history, role=spec.instruction_role)
        start = time.perf_counter()
        completion = self._agent.client.complete(messages, seed=self._seed, trial=self._id)
        latency_s = time.perf_counter() - start
        return turn_of(completion.text, longest=spec.longest_text, latency_s=latency_s, meta=_told(completion))


def _told(completion: Completion) -> dict[str, JsonValue]:
    """What is kept of a completion; the same whether it came from the cache or not."""
    told: dict[str, JsonValue] = completion.to_json()
    told.pop("text")
    return told


class LlmSpec(ChatOptions, PromptOptions, AgentSpec):
    """``llm``: a language model through an OpenAI-compatible chat endpoint."""

    argument: ClassVar[str] = "url"

    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; None: any number."""

    def make(self) -> LlmAgent:
        """The agent."""
        return LlmAgent(self)
