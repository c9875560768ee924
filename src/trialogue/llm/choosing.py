"""Ask a language model to choose one of several numbered options.

Only a bare number is a choice; a number within other words is not accepted.

Options of a question as letters: their order, the letter in an answer, and the probabilities that its tokens mean.

Letters are used because every tokenizer has a token for each. The order of options differs between samples, so that a
preference for early options averages out.
"""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from trialogue.errors import UsageError
from trialogue.llm.chat import ChatOptions, Completion, Message
from trialogue.llm.local import LocalOptions
from trialogue.llm.tokens import Token
from trialogue.records import Reason, ReasonCode
from trialogue.records.spoken import split_channels
from trialogue.seeds import rng_for
from trialogue.transport.failures import AgentFailure

LONGEST_ANSWER = 16  # tokens
ONE_ANSWER = "samples above 1 need a temperature above 0: at 0, all of them are the same answer"


class EndpointLetterOptions(ChatOptions):
    """Endpoint and model, and how probabilities are obtained."""

    max_tokens: Annotated[int, Field(ge=1)] | None = LONGEST_ANSWER
    """Tokens that an answer may have: a letter, and what some models write around it. Reasoning models need more."""
    temperature: Annotated[float, Field(ge=0, le=10)] | None = 0.0
    """0: the likeliest answer; several samples need a higher one. None: the server's default."""
    log_probabilities: bool = True
    """Whether probabilities are those of the answer's token (``logprobs``), for servers that give them; else they are the
    shares of ``samples`` answers."""
    samples: Annotated[int, Field(ge=1, le=100)] = 1
    """Answers to each question; each sees the options in another order."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> "EndpointLetterOptions":
        wrong = []
        if self.samples > 1 and self.temperature == 0:
            wrong.append(ONE_ANSWER)
        if not self.log_probabilities and self.samples == 1:
            wrong.append("a single answer without log_probabilities gives no probabilities: set samples to 5 or more")
        reserved = sorted({"logprobs", "top_logprobs", "n"} & set(self.more))
        if reserved:
            wrong.append(f"'more' cannot contain {', '.join(reserved)}: use the options log_probabilities and samples")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class LocalLetterOptions(LocalOptions):
    """A model in this process: probabilities are shares of its answers."""

    max_tokens: Annotated[int, Field(ge=1)] = LONGEST_ANSWER
    """Tokens that an answer may have: a letter, and what some models write around it. Reasoning models need more."""
    temperature: Annotated[float, Field(gt=0, le=10)] = 1.0
    """Above 0, since ``samples`` would otherwise be one answer several times."""
    log_probabilities: Literal[False] = False
    """False: probabilities of tokens are read from endpoints only."""
    samples: Annotated[int, Field(ge=2, le=100)] = 5
    """Answers to each question; each sees the options in another order."""


LetterOptions = EndpointLetterOptions | LocalLetterOptions
"""Options wherever the model runs."""


TOP = 20  # log-probabilities of so many tokens, the most that OpenAI gives
MAX_OPTIONS = len(string.ascii_uppercase)
"""Options that a question may have."""
MIN_PROBABILITY = 1e-4  # probability of an option that the server does not list among the likeliest tokens
LETTER = re.compile(r"\W*([A-Za-z])\W*", re.ASCII)


def order_of(options: Sequence[str], sample: int, seed: int) -> list[str]:
    """Options in the order of a sample: as they are for the first sample, random for others."""
    if sample == 0:
        return list(options)
    return [str(each) for each in rng_for(seed, "options", str(sample)).permutation(np.array(options, dtype=object))]


def letter_in(answer: str, options: int) -> int | None:
    """Place of the option that an answer names; None if it is anything but one letter.

    >>> letter_in("(C)", 14), letter_in("<think>A or B?</think> B.", 14), letter_in("B or C", 14), letter_in("Z", 14)
    (2, 1, None, None)
    """
    found = LETTER.fullmatch(split_channels(answer).said)
    place = string.ascii_uppercase.index(found[1].upper()) if found else options
    return place if place < options else None


def option_probabilities(
    answer: Completion, options: int, *, log_probabilities: bool, place: str
) -> NDArray[np.floating[Any]] | None:
    """Probabilities of the options in a complete answer, shape (options,); None if it is not one letter, or has none for it.

    Args:
        answer: complete; whether it was cut off is for the caller to see.
        options: number of options, which are the first letters.
        log_probabilities: take the tokens' probabilities; otherwise the letter has probability 1.
        place: where the model is, for the error.

    Raises:
        UsageError: log-probabilities are expected, and the server returns none.
    """
    letter = letter_in(answer.text, options)
    if letter is None:
        return None
    if not log_probabilities:
        row: NDArray[np.floating[Any]] = np.eye(options)[letter]
        return row
    if not answer.tokens:
        raise UsageError(
            f"{place} does not return log-probabilities. Set log_probabilities: false, samples: 5 and a temperature above 0."
        )
    return token_probabilities(answer.tokens, letter, options)


def token_probabilities(tokens: Sequence[Token], place: int, options: int) -> NDArray[np.floating[Any]] | None:
    """Probabilities of the options at the answer's token, shape (options,); None if the server gave none for it."""
    letters = string.ascii_uppercase[:options]
    token = next((each for each in reversed(tokens) if each.text.strip().upper() == letters[place]), None)
    if token is None or not token.others:
        return None
    chances = np.full(options, MIN_PROBABILITY)
    for text, chance in token.chances():
        name = text.upper()
        if len(name) == 1 and name in letters:
            chances[letters.index(name)] += chance
    row: NDArray[np.floating[Any]] = chances / chances.sum()
    return row


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
