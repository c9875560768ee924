"""A large language model as a recommender, behind an OpenAI-compatible chat endpoint.

A language model in this process as a recommender, without a server. Needs the extra ``local``.

For more than a few dialogues it is much faster to serve the model (vLLM, llama.cpp, ``transformers serve``) and use the
agent ``llm``.
"""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.llm.prompt import PromptOptions, chat_of
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import AgentSpec
from trialogue.agents.tools.options import ToolOptions
from trialogue.agents.tools.toolbox import TurnTools, call_messages, with_ranking
from trialogue.llm.chat import ChatClient, ChatOptions, Completion
from trialogue.llm.local import LocalModel, LocalOptions
from trialogue.llm.usage import Usage
from trialogue.records import JsonValue, RetryCost, Utterance
from trialogue.records.trace import Trace, join_traces
from trialogue.seeds import seed_for
from trialogue.transport.failures import AgentFailure
from trialogue.transport.retry import AtOnce, RetryPolicy


class PromptedSession(SimpleSession):
    """Conversation with a prompted model. Stateless: the model receives the whole history each time."""

    def __init__(self, options: PromptOptions, instruction: str) -> None:
        """Store the options and ``instruction``, the filled-in prompt."""
        self._options, self._instruction = options, instruction

    def greet(self) -> Turn | None:
        """The configured greeting, not written by the model; None without one."""
        greeting = self._options.greeting
        return None if greeting is None else turn_of(greeting)

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The model's answer with its latency; reasoning is stored separately and never sent back to the model."""
        last_message(history)
        messages = chat_of(self._instruction, history, role=self._options.instruction_role)
        start = time.perf_counter()
        text, details = self._generate(messages, len(history))
        latency_s = time.perf_counter() - start
        return turn_of(text, longest=self._options.longest_text, latency_s=latency_s, meta=details)

    @abstractmethod
    def _generate(self, messages: Sequence[Mapping[str, str]], length: int) -> tuple[str, dict[str, JsonValue]]:
        """Answer of the model to a conversation, with its recorded facts."""


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
        self.toolbox = spec.toolbox()
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
        self._toolbox = agent.toolbox
        self.retries = RetryCost()

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The model's answer, after the calls of tools that it asks for, if it is offered any."""
        if self._toolbox is None:
            return super().reply(history)
        last_message(history)
        start, tools = time.perf_counter(), self._toolbox.turn()
        role = self._options.instruction_role
        messages = chat_of(self._instruction, history, role=role, with_calls=True)
        said: list[Utterance] = []
        used: list[Trace] = []
        try:
            completion = self._answer(messages, tools, said, used)
        except AgentFailure as failure:
            failure.trace = join_traces([Trace(calls=tuple(tools.calls)), *used])
            raise
        turn = turn_of(
            [*said, *_as_message(completion.text)],
            longest=self._options.longest_text,
            latency_s=time.perf_counter() - start,
            meta=completion_facts(completion),
        )
        known = [each.trace for each in turn.utterances[:-1]]
        calls = tools.calls[sum(len(each.calls or ()) for each in known if each is not None) :]
        *before, last = turn.utterances
        trace = join_traces([Trace(calls=tuple(calls)), *used])
        turn = replace(turn, utterances=(*before, last.model_copy(update={"trace": trace})))
        return with_ranking(turn, tools.calls)

    def _answer(
        self, messages: list[dict[str, Any]], tools: TurnTools, said: list[Utterance], used: list[Trace]
    ) -> Completion:
        """The last answer of a turn; what the model says beside calls, and the tokens of all answers, are added."""
        while True:
            is_last = tools.is_exhausted
            completion = self._client.complete(
                messages,
                seed=self._seed,
                trial=self._id,
                note=self._count_retry,
                tools=tools.schemas,
                fields={"tool_choice": "none"} if is_last else None,
            )
            used.append(self._usage(completion))
            if not completion.calls:
                return completion
            if is_last:
                if completion.text:
                    return completion
                most = f"It called tools {len(tools.calls)} times in one turn and said nothing (max_tool_calls)."
                raise AgentFailure("error", most)
            made = [tools.call(each.name, each.arguments, call_id=each.id) for each in completion.calls]
            messages += call_messages(completion.text, made)
            earlier = sum(len(each.trace.calls or ()) for each in said if each.trace is not None)
            said += [
                each.model_copy(update={"trace": Trace(calls=tuple(tools.calls[earlier:]))})
                for each in _as_message(completion.text)
            ]

    def _usage(self, completion: Completion) -> Trace:
        tokens, price = (completion.prompt_tokens, completion.completion_tokens), self._client.options.price
        cost = None if price is None or None in tokens else price.cost_of(*(each or 0 for each in tokens))
        return Trace(input_tokens=tokens[0], output_tokens=tokens[1], cost=cost)

    def _generate(self, messages: Sequence[Mapping[str, str]], length: int) -> tuple[str, dict[str, JsonValue]]:
        completion = self._client.complete(messages, seed=self._seed, trial=self._id, note=self._count_retry)
        return completion.text, completion_facts(completion)

    def _count_retry(self, cost: RetryCost) -> None:
        self.retries += cost


def _as_message(text: str) -> list[Utterance]:
    """What a model says beside its calls; []: nothing."""
    return [Utterance(speaker="system", text=text)] if text else []


def completion_facts(completion: Completion) -> dict[str, JsonValue]:
    """Recorded facts of a completion, equal for cached and new answers."""
    details: dict[str, JsonValue] = completion.to_json()
    details.pop("text")
    return details


class LlmSpec(ChatOptions, PromptOptions, ToolOptions):
    """``llm``: a language model, or an agent, through an OpenAI-compatible chat endpoint."""

    argument: ClassVar[str] = "url"

    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; None: any number."""

    def make(self) -> LlmAgent:
        """Create the agent."""
        return LlmAgent(self)


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
