"""Query a model on behalf of one user in one dialogue, recording which model answered."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from trialogue.agents.replies import said_in
from trialogue.llm.chat import Completion
from trialogue.records import JsonValue
from trialogue.simulation.users.user import UserFailure
from trialogue.transport.answers import checked_text

CUT_BY_LENGTH = "length"


class Model(Protocol):
    """Protocol of chat models: a client of an endpoint, or a model in this process."""

    def complete(self, messages: Sequence[Mapping[str, str]], *, seed: int | None, trial: str) -> Completion:
        """Request a completion."""
        ...


class CutAnswer(UserFailure):
    """An answer that was cut off: half a sentence is nothing that a user said."""

    def __init__(self, completion: Completion) -> None:
        super().__init__(_why_cut(completion))
        self.text = completion.text
        """What was left of it."""


class ModelQueries:
    """Queries a model for one user; records what answered in ``meta`` until it is read."""

    def __init__(self, model: Model, *, seed: int, trial: str, longest_text: int) -> None:
        """Store the settings; no request is made yet.

        Args:
            model: what answers.
            seed: seed for the model's draws.
            trial: names the user in the cache: who asks the same under the same name is given the same answer.
            longest_text: characters that an answer may have.
        """
        self._model, self._seed, self._trial, self._longest = model, seed, trial, longest_text
        self._meta: dict[str, JsonValue] = {}

    def ask(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The model's answer without its reasoning.

        Raises:
            CutAnswer: the answer was cut off.
            AgentFailure: there is no answer with text in it, after all tries.
        """
        completion = self._model.complete(messages, seed=self._seed, trial=self._trial)
        self._count(completion)
        if not completion.is_whole:
            raise CutAnswer(completion)
        said, thought = said_in(completion.text)
        if thought:
            self._meta["thought"] = thought
        return checked_text(said, longest=self._longest)

    def note(self, name: str, value: JsonValue) -> None:
        """Store metadata for the user's next utterance."""
        self._meta[name] = value

    def take_account(self) -> dict[str, JsonValue]:
        """Metadata since the last call (model, fingerprint, tokens), equal with and without the cache."""
        meta, self._meta = self._meta, {}
        return meta

    def _count(self, completion: Completion) -> None:
        """Names are those of the last answer, tokens the sums of all; unknown where one answer does not say."""
        fields: dict[str, JsonValue] = completion.to_json()
        del fields["text"]
        for name in ("prompt_tokens", "completion_tokens"):
            before, now = self._meta.get(name, 0), fields.get(name)
            if isinstance(before, int) and isinstance(now, int):
                fields[name] = before + now
            else:
                fields[name] = None
        self._meta |= fields


def _why_cut(completion: Completion) -> str:
    begin = f"It begins: {completion.text[:80]!r}."
    if completion.finish_reason == CUT_BY_LENGTH:
        most = completion.completion_tokens or "its most"
        return f"the model's answer was cut off at {most} tokens: raise max_tokens. {begin}"
    return f"the model's answer was cut off by the endpoint (finish_reason {completion.finish_reason!r}). {begin}"
