"""A language model in this process as a recommender, without a server. Needs the extra ``local``.

For more than a few dialogues it is much faster to serve the model (vLLM, llama.cpp, ``transformers serve``) and use the
agent ``llm``.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from trialogue.agents.llm.agent import completion_facts
from trialogue.agents.llm.prompt import PromptOptions
from trialogue.agents.llm.session import PromptedSession
from trialogue.agents.spec import AgentSpec
from trialogue.llm.local import LocalModel, LocalOptions
from trialogue.llm.usage import Usage
from trialogue.records import JsonValue
from trialogue.seeds import seed_for


class HuggingFaceAgent:
    """Recommender played by a model in this process, one turn at a time."""

    def __init__(self, spec: "HuggingFaceSpec") -> None:
        """Load the model, which may take minutes.

        Raises:
            UsageError: the folder holds no such model, or the catalogue is too long.
            MissingExtraError: torch or transformers are not installed.
        """
        self.spec = spec
        self.name = spec.name or spec.model
        self.sessions_at_once: int | None = None
        self.instruction = spec.instruction()
        self.model = LocalModel(LocalOptions(**{field: getattr(spec, field) for field in LocalOptions.model_fields}))
        if spec.cache is None:
            self.model.load()  # a model that cannot be loaded is found before the first dialogue

    def open(self, dialogue_id: str, *, seed: int) -> "HuggingFaceSession":
        """Open a session; the seed determines the sampling, and the dialogue's id is the trial in the cache key."""
        return HuggingFaceSession(self, dialogue_id, seed)

    def usage(self) -> Usage:
        """Token usage and cost of this object's answers."""
        return self.model.ledger.usage()

    def close(self) -> None:
        """Release the model."""
        self.model.close()


class HuggingFaceSession(PromptedSession):
    """Conversation in this process. Its only state is the seed."""

    def __init__(self, agent: HuggingFaceAgent, dialogue_id: str, seed: int) -> None:
        super().__init__(agent.spec, agent.instruction)
        self._model, self._id, self._seed = agent.model, dialogue_id, seed

    def _generate(self, messages: Sequence[Mapping[str, str]], length: int) -> tuple[str, dict[str, JsonValue]]:
        completion = self._model.complete(messages, seed=seed_for(self._seed, str(length)), trial=self._id)
        return completion.text, completion_facts(completion)


class HuggingFaceSpec(LocalOptions, PromptOptions, AgentSpec):
    """``huggingface``: a language model from a folder, as ``save_pretrained`` writes it, or from a GGUF file."""

    argument: ClassVar[str] = "folder"

    def make(self) -> HuggingFaceAgent:
        """Load the model and create the agent."""
        return HuggingFaceAgent(self)
