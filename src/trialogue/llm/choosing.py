"""Ask a language model to choose one of several numbered options.

Only a bare number is a choice; a number within other words is not accepted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from trialogue.errors import UsageError
from trialogue.llm.chat import Completion, Message
from trialogue.records import Reason, ReasonCode
from trialogue.records.spoken import split_channels
from trialogue.transport.failures import AgentFailure

ANSWER = re.compile(r"\W*(\d{1,3})\W*", re.ASCII)


class Model(Protocol):
    """Protocol of chat models: a client of an endpoint, or a model in this process."""

    def complete(self, messages: Sequence[Message], *, seed: int | None, trial: str) -> Completion:
        """Request a completion."""
        ...


@dataclass(frozen=True)
class Choice:
    """Result of a choice."""

    option: int | None
    """Place of the option, from 0; None: it chose none of them."""
    why: Reason | None = None
    """Why there is none."""
    model: str | None = None
    """Model that answered, as named by the server."""


def choose(
    model: Model, task: str, question: str, options: Sequence[str], *, seed: int | None = None, trial: str = ""
) -> Choice:
    """Ask a model to choose one of several options.

    The options are numbered from 1, and the answer has to be a number and nothing else: a sentence in which a number stands
    may mean another one. It is asked once more where the answer is none.

    Args:
        model: who is asked.
        task: what the choice is about, with everything that is to be judged.
        question: what is asked.
        options: at least two, in the order in which they are offered.
        seed: seed for the model's draws.
        trial: names the repetition in the cache.

    Raises:
        UsageError: fewer than two options.
    """
    if len(options) < 2:
        raise UsageError(f"A choice needs at least 2 options, got {len(options)}.")
    listed = "\n".join(f"{number}. {option}" for number, option in enumerate(options, start=1))
    asked = f"{task}\n\n{question}\n{listed}\n\nAnswer with the number of one option, 1 to {len(options)}, and nothing else."
    messages: list[Message] = [{"role": "user", "content": asked}]
    why = Reason.of(ReasonCode.MODEL_CHOSE_NONE)
    for attempt in range(2):
        try:
            answer = model.complete(messages, seed=seed, trial=f"{trial}#{attempt}")
        except AgentFailure as failure:
            return Choice(None, Reason.of(ReasonCode.MODEL_DID_NOT_ANSWER, kind=failure.kind))
        said = split_channels(answer.text).said
        number = ANSWER.fullmatch(said)
        if answer.is_whole and number is not None and 1 <= int(number[1]) <= len(options):
            return Choice(int(number[1]) - 1, model=answer.model)
        messages += [
            {"role": "assistant", "content": answer.text},
            {"role": "user", "content": f"Answer with a number alone, from 1 to {len(options)}."},
        ]
    return Choice(None, why)
