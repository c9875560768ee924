"""Sessions of a prompted language model, independent of where the model runs."""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from trialogue.agents.base import Turn
from trialogue.agents.llm.prompt import PromptOptions, chat_of
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.session import SimpleSession
from trialogue.records import JsonValue, Utterance


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
