"""A user simulated by a language model, which receives the whole dialogue with flipped roles for every turn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from trialogue.agents.base import Turn
from trialogue.agents.llm.prompt import chat_of
from trialogue.llm.machine_text import is_machine_text
from trialogue.records import Need, Utterance
from trialogue.simulation.llm.model_queries import ModelQueries
from trialogue.simulation.llm.model_turns import StopReason, UserMove, choice_in, move_in
from trialogue.simulation.llm.prompts import fill_in
from trialogue.simulation.users.user import Stop, UserFailure

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
