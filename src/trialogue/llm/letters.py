"""Options of a question as letters: their order, the letter in an answer, and the probabilities that its tokens mean.

Letters are used because every tokenizer has a token for each. The order of options differs between samples, so that a
preference for early options averages out.
"""

import re
import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import UsageError
from trialogue.llm.chat import Completion
from trialogue.llm.tokens import Token
from trialogue.records.spoken import split_channels
from trialogue.seeds import rng_for

TOP = 20  # log-probabilities of so many tokens, the most that OpenAI gives
MAX_OPTIONS = len(string.ascii_uppercase)
"""Options that a question may have."""
MIN_PROBABILITY = 1e-4  # probability of an option that the server does not list among the likeliest tokens
ANSWER = re.compile(r"\W*([A-Za-z])\W*", re.ASCII)


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
    found = ANSWER.fullmatch(split_channels(answer).said)
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
