"""A conversation with a language model that is told to recommend, wherever the model runs."""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from trialogue.agents.base import Turn
from trialogue.agents.llm.prompt import PromptOptions, chat_of
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.session import SimpleSession
from trialogue.records import JsonValue, Utterance


class PromptedSession(SimpleSession):
    """One conversation. It keeps nothing: the model is given the whole history each time."""

    def __init__(self, options: PromptOptions, instruction: str) -> None:
        """``instruction``: the prompt of the options, filled in."""
        self._options, self._instruction = options, instruction

    def greet(self) -> Turn | None:
        """The greeting of the options, which the model has not written; None without."""
        greeting = self._options.greeting
        return None if greeting is None else turn_of(greeting)

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """What the model writes, and how long it took."""
        last_message(history)
        messages = chat_of(self._instruction, history, role=self._options.instruction_role)
        start = time.perf_counter()
        text, told = self._written(messages, len(history))
        latency_s = time.perf_counter() - start
        return turn_of(text, longest=self._options.longest_text, latency_s=latency_s, meta=told)

    @abstractmethod
    def _written(self, messages: Sequence[Mapping[str, str]], length: int) -> tuple[str, dict[str, JsonValue]]:
        """(the model's answer, what is known of it) to a conversation of so many utterances."""
