"""A language model from a local Hugging Face folder as a recommender, without a server. Needs the extra ``neural``.

For more than a few dialogues it is much faster to serve the model (vLLM, ``transformers serve``) and use the agent ``llm``.
"""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from trialogue.agents.foreign import call_foreign
from trialogue.agents.llm.prompt import PromptOptions
from trialogue.agents.llm.session import PromptedSession
from trialogue.agents.spec import AgentSpec
from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.records import JsonValue
from trialogue.seeds import seed_for
from trialogue.transport.failures import AgentFailure

PURPOSE = "run a model from a local folder"
SPOKEN = {"system": "", "developer": "", "user": "User: ", "assistant": "Recommender: "}


class HuggingFaceAgent:
    """Recommender played by a model in this process, one turn at a time."""

    def __init__(self, spec: "HuggingFaceSpec") -> None:
        """Load the model, which may take minutes.

        Raises:
            UsageError: the folder holds no such model, or the catalogue is too long.
            MissingExtraError: torch or transformers are not installed.
        """
        self.spec = spec
        self.name = spec.name or spec.folder.name
        self.sessions_at_once: int | None = None
        self.instruction = spec.instruction()
        self._torch = need("torch", extra="neural", purpose=PURPOSE)
        transformers = need("transformers", extra="neural", purpose=PURPOSE)
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(spec.folder, local_files_only=True)
            self._model = transformers.AutoModelForCausalLM.from_pretrained(spec.folder, local_files_only=True)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"The folder {spec.folder} contains no language model that can be loaded: {error}"
            ) from error
        self._model.to(spec.device).eval()
        self._lock = threading.Lock()

    def open(self, dialogue_id: str, *, seed: int) -> "HuggingFaceSession":
        """Open a session; the seed determines the sampling."""
        return HuggingFaceSession(self, seed)

    def generate(self, messages: Sequence[Mapping[str, str]], *, seed: int) -> tuple[str, dict[str, JsonValue]]:
        """(text, numbers of tokens) of the model's answer.

        Raises:
            AgentFailure: the conversation is too long for the model, or it failed.
        """
        with self._lock, self._torch.random.fork_rng():
            self._torch.manual_seed(seed)
            return call_foreign(lambda: self._generate(messages), what=self.name)

    def _generate(self, messages: Sequence[Mapping[str, str]]) -> tuple[str, dict[str, JsonValue]]:
        inputs = self._encode(messages).to(self.spec.device)
        given = inputs["input_ids"].shape[1]
        self._check_length(given)
        drawn: dict[str, Any] = {"do_sample": bool(self.spec.temperature)}
        if self.spec.temperature:
            drawn["temperature"] = self.spec.temperature
        with self._torch.inference_mode():
            tokens = self._model.generate(
                **inputs, **drawn, max_new_tokens=self.spec.max_tokens, pad_token_id=self._tokenizer.eos_token_id
            )[0, given:]
        text = self._tokenizer.decode(tokens, skip_special_tokens=True)
        return text, {"prompt_tokens": given, "completion_tokens": len(tokens)}

    def _check_length(self, given: int) -> None:
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context is not None and given + self.spec.max_tokens > context:
            raise AgentFailure(
                "error",
                (
                    f"the conversation has {given} tokens and the answer may have up to {self.spec.max_tokens}; "
                    f"{self.name} handles {context} in total."
                ),
            )

    def _encode(self, messages: Sequence[Mapping[str, str]]) -> Any:
        """Tokens by the model's chat template; without one, as a written-down conversation."""
        if self._tokenizer.chat_template:
            return self._tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_dict=True, return_tensors="pt"
            )
        lines = [SPOKEN[message["role"]] + message["content"] for message in messages]
        return self._tokenizer("\n".join([*lines, SPOKEN["assistant"].rstrip()]), return_tensors="pt")

    def close(self) -> None:
        """Do nothing: the garbage collector frees the model."""


class HuggingFaceSession(PromptedSession):
    """Conversation in this process. Its only state is the seed."""

    def __init__(self, agent: HuggingFaceAgent, seed: int) -> None:
        super().__init__(agent.spec, agent.instruction)
        self._agent, self._seed = agent, seed

    def _generate(self, messages: Sequence[Mapping[str, str]], length: int) -> tuple[str, dict[str, JsonValue]]:
        """Up to where the model would speak for the user."""
        text, counts = self._agent.generate(messages, seed=seed_for(self._seed, str(length)))
        return text.split("\n" + SPOKEN["user"].rstrip(), 1)[0].strip(), counts


class HuggingFaceSpec(PromptOptions, AgentSpec):
    """``huggingface``: a language model from a local folder, as ``save_pretrained`` writes it."""

    argument: ClassVar[str] = "folder"

    folder: Path
    """The folder; nothing is ever downloaded."""
    device: str = "cpu"
    """Device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, ..."""
    temperature: Annotated[float, Field(ge=0, le=10)] = 0.0
    """0: always the likeliest token."""
    max_tokens: Annotated[int, Field(ge=1)] = 200
    """Tokens that an answer may have."""

    def make(self) -> HuggingFaceAgent:
        """Load the model and create the agent."""
        return HuggingFaceAgent(self)
