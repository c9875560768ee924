"""A user simulated by a language model, which receives the whole dialogue with flipped roles for every turn.

Parse a model's answer into a move: an utterance, the end of the dialogue, or both.

Answers are parsed here once; other modules use the type.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from trialogue.agents.base import Turn
from trialogue.agents.llm.prompt import chat_of
from trialogue.agents.replies import said_in
from trialogue.llm.chat import Completion
from trialogue.llm.machine_text import is_machine_text
from trialogue.records import JsonValue, Need, Utterance
from trialogue.simulation.llm.prompts import fill_in
from trialogue.simulation.users.user import Stop, UserFailure
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


MARKER = re.compile(r"\[\s*(DONE|GIVE[\s_-]*UP)\s*\]", re.IGNORECASE)
OWN_NAME = re.compile(r"\A\s*(?:user|you|me|customer)\s*:\s*", re.IGNORECASE)
"""Prefix with the user's own role name, as in a play; it is removed."""


class StopReason(StrEnum):
    """Reason why a user leaves."""

    DONE = "done"
    """The model declares the need met. Outcomes do not rely on it: they are checked against the need."""
    GIVE_UP = "give_up"
    """The recommender does not help."""

    @property
    def stop(self) -> Stop:
        """The corresponding end of the dialogue."""
        return Stop("user_ended" if self is StopReason.DONE else "user_gave_up")


@dataclass(frozen=True, slots=True)
class UserMove:
    """A user's next move."""

    text: str
    """Message; "" for none."""
    leaving: StopReason | None = None
    """Why they leave after that; None: they stay."""


def move_in(text: str) -> UserMove:
    """Parse the move in a model's message: text before the first marker is said, text after it is dropped.

    >>> move_in("User: Great, thanks! [DONE]")
    UserMove(text='Great, thanks!', leaving=<StopReason.DONE: 'done'>)
    >>> move_in("[give up]").text, move_in("Something with [brackets]?").leaving
    ('', None)
    """
    marker = MARKER.search(text)
    said = text if marker is None else text[: marker.start()]
    leaving = None if marker is None else StopReason.DONE if marker[1].casefold() == "done" else StopReason.GIVE_UP
    return UserMove(OWN_NAME.sub("", said, count=1).strip(), leaving)


def choice_in(text: str, words: Sequence[str]) -> str | None:
    """The only one of some words that an answer contains; None if it contains none, or several.

    >>> choice_in("Continue.", ["CONTINUE", "DONE"])
    'CONTINUE'
    >>> choice_in("CONTINUE or DONE?", ["CONTINUE", "DONE"]) is None
    True
    """
    said = re.sub(r"[\s_-]+", " ", text.casefold())
    named = [
        word for word in words if re.search(rf"(?<!\w){re.escape(re.sub('[_-]+', ' ', word.casefold()))}(?!\w)", said)
    ]
    return named[0] if len(named) == 1 else None


FLIPPED = {"user": "assistant", "system": "user"}
"""Whose words are whose to a model that plays the user: τ-bench's arrangement."""
SPEAKERS = {"user": "You", "system": "Recommender"}


class Policy(Protocol):
    """Protocol for choosing the next move."""

    def move(self, said: Sequence[Utterance], asking: ModelQueries) -> UserMove:
        """The user's next move after the dialogue so far."""
        ...


class LlmUser:
    """Language-model user in one dialogue."""

    def __init__(
        self,
        policy: Policy,
        asking: ModelQueries,
        need: Need,
        *,
        turns: int | None = None,
        typing: Callable[[str], str] | None = None,
    ) -> None:
        """Store the settings; no request is made yet.

        Args:
            policy: what they do next.
            asking: who asks the model for them.
            need: what they are after.
            turns: messages of theirs after which the dialogue is over; None: when they leave.
            typing: how their words come out of the keyboard; None: as the model wrote them.
        """
        self._policy, self._asking, self._need, self._turns, self._typing = policy, asking, need, turns, typing
        self._said: list[Utterance] = []
        self._leaving: StopReason | None = None

    @property
    def need(self) -> Need:
        """The user's need."""
        return self._need

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        """First message, after the agent's greeting if there is one."""
        self._said = list(greeting.utterances) if greeting is not None else []
        return self._next_utterance()

    def answer(self, turn: Turn) -> Utterance | Stop:
        """Next message, or the reason for leaving; after a goodbye no request is made."""
        self._said.extend(turn.utterances)
        if self._leaving is not None:
            return self._leaving.stop
        if self._turns is not None and sum(each.speaker == "user" for each in self._said) >= self._turns:
            return Stop("turn_limit")
        return self._next_utterance()

    def resume(self, history: Sequence[Utterance]) -> None:
        """Continue a dialogue from a history."""
        self._said = list(history)

    def _next_utterance(self) -> Utterance | Stop:
        move = self._policy.move(tuple(self._said), self._asking)
        self._leaving = move.leaving
        if not move.text:
            if move.leaving is None:
                raise UserFailure("the model wrote nothing but the name of its role.")
            return move.leaving.stop
        if is_machine_text(move.text):
            raise UserFailure(
                "the model wrote text for a program (JSON, a tool call, a template) instead of a message. It was not sent "
                f"to the agent. It begins: {move.text[:80]!r}."
            )
        text = move.text if self._typing is None else self._typing(move.text)
        said = Utterance(speaker="user", text=text, meta=self._asking.take_account())
        self._said.append(said)
        return said


class SinglePrompt:
    """One call per turn: the message, with a marker if the user leaves."""

    def __init__(self, prompts: Mapping[str, str], values: Mapping[str, str], *, role: str) -> None:
        """``prompts``: with ``utterance`` and ``first``; ``values``: for placeholders; ``role``: names of the speakers."""
        self._instruction, self._first, self._role = fill_in(prompts["utterance"], values), prompts["first"], role

    def move(self, said: Sequence[Utterance], asking: ModelQueries) -> UserMove:
        """The model's message."""
        return move_in(asking.ask(flip_roles(self._instruction, said, role=self._role, first=self._first)))


class DualPrompt:
    """Two calls per turn from the second on: first whether to continue, then the message.

    An answer to the first that names none of the choices, or several, goes on, as in UserSimCRS; it is kept with the
    message as ``decision: null``.
    """

    def __init__(self, prompts: Mapping[str, str], values: Mapping[str, str], *, role: str) -> None:
        """``prompts``: with ``decision``, ``question``, ``utterance`` and ``first``."""
        self._decision, self._question = fill_in(prompts["decision"], values), prompts["question"]
        self._role, self._single = role, SinglePrompt(prompts, values, role=role)

    def move(self, said: Sequence[Utterance], asking: ModelQueries) -> UserMove:
        """Leave, or the model's message."""
        if any(each.speaker == "user" for each in said):
            question = Utterance(speaker="system", text=fill_in(self._question, {"transcript": transcript(said)}))
            answer = asking.ask(chat_of(self._decision, [question], role=self._role, roles=FLIPPED))
            decision = choice_in(answer, CHOICES)
            asking.note("decision", decision)
            if (leaving := LEAVE_ON.get(decision or "")) is not None:
                return UserMove("", leaving)
        return self._single.move(said, asking)


LEAVE_ON = {"DONE": StopReason.DONE, "GIVE_UP": StopReason.GIVE_UP}
CHOICES = ("CONTINUE", *LEAVE_ON)


def flip_roles(instruction: str, said: Sequence[Utterance], *, role: str, first: str) -> list[dict[str, str]]:
    """Convert a dialogue to chat messages for a model that plays the user: the recommender is its counterpart.

    Args:
        instruction: comes first.
        said: what was said.
        role: whose words the instruction is.
        first: stands where the recommender's first words would be, if the user speaks first.
    """
    opening = [Utterance(speaker="system", text=first)] if not said or said[0].speaker == "user" else []
    return chat_of(instruction, [*opening, *said], role=role, roles=FLIPPED)


def transcript(said: Sequence[Utterance]) -> str:
    """Format a dialogue as lines with speakers."""
    return "\n".join(f"{SPEAKERS[each.speaker]}: {each.text}" for each in said)
