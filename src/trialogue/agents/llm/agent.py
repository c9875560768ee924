"""A large language model as a recommender, behind an OpenAI-compatible chat endpoint."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from trialogue.agents.llm.prompt import PromptOptions
from trialogue.agents.llm.session import PromptedSession
from trialogue.agents.spec import AgentSpec
from trialogue.llm.chat import ChatClient, ChatOptions, Completion
from trialogue.llm.usage import Usage
from trialogue.records import JsonValue, RetryCost
from trialogue.transport.retry import AtOnce, RetryPolicy


class LlmAgent:
    """Recommender played by a model behind an endpoint."""

    def __init__(self, spec: "LlmSpec", *, retry_policy: RetryPolicy | None = None) -> None:
        """Read the catalogue, if there is one; no request is made yet.

        Raises:
            UsageError: the key's environment variable is not set, the catalogue is too long, ...
            DataError: the catalogue cannot be read.
        """
        self.spec = spec
        self.name = spec.name or spec.model
        self.sessions_at_once = spec.sessions_at_once
        self.instruction = spec.instruction()
        options = ChatOptions(**{key: getattr(spec, key) for key in ChatOptions.model_fields})
        self.client = ChatClient(options, retry_policy=retry_policy)

    def open(self, dialogue_id: str, *, seed: int) -> "LlmSession":
        """Open a session; the dialogue's id is the trial in the cache key."""
        return LlmSession(self, dialogue_id, seed)

    def healthy(self) -> None:
        """Request the endpoint's list of models.

        Raises:
            AgentFailure: it does not answer.
        """
        self.client.models()

    def usage(self) -> Usage:
        """Token usage and cost of this object's requests."""
        return self.client.ledger.usage()

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


class LlmSession(PromptedSession):
    """Conversation through an endpoint; every request contains the whole history."""

    def __init__(self, agent: LlmAgent, dialogue_id: str, seed: int) -> None:
        super().__init__(agent.spec, agent.instruction)
        self._client, self._id, self._seed = agent.client, dialogue_id, seed
        self.retries = RetryCost()

    def _generate(self, messages: Sequence[Mapping[str, str]], length: int) -> tuple[str, dict[str, JsonValue]]:
        completion = self._client.complete(messages, seed=self._seed, trial=self._id, note=self._count_retry)
        return completion.text, completion_facts(completion)

    def _count_retry(self, cost: RetryCost) -> None:
        self.retries += cost


def completion_facts(completion: Completion) -> dict[str, JsonValue]:
    """Recorded facts of a completion, equal for cached and new answers."""
    details: dict[str, JsonValue] = completion.to_json()
    details.pop("text")
    return details


class LlmSpec(ChatOptions, PromptOptions, AgentSpec):
    """``llm``: a language model through an OpenAI-compatible chat endpoint."""

    argument: ClassVar[str] = "url"

    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; None: any number."""

    def make(self) -> LlmAgent:
        """Create the agent."""
        return LlmAgent(self)
