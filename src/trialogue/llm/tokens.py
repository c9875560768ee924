"""Tokens of an answer with their log-probabilities, where an endpoint gives them."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from trialogue.records import Record


class Token(Record):
    """One token of an answer."""

    text: str
    """The token."""
    log_probability: float
    """Its natural logarithm of the probability."""
    others: tuple[tuple[str, float], ...] = ()
    """The likeliest tokens at its place with their log-probabilities; it may be among them."""

    def chances(self) -> Iterator[tuple[str, float]]:
        """(token without blanks, probability) of the tokens at this place, itself included once.

        >>> dict(Token(text="4", log_probability=0.0, others=(("4", 0.0), (" 3", -100.0))).chances())["4"]
        1.0
        """
        given = dict(self.others)
        given.setdefault(self.text, self.log_probability)
        for text, log in given.items():
            yield text.strip(), math.exp(min(log, 0.0))


def tokens_of(choice: Mapping[str, Any]) -> tuple[Token, ...]:
    """Tokens of a choice of a chat completion; () if the endpoint gave none, or in another form."""
    given = choice.get("logprobs")
    content = given.get("content") if isinstance(given, dict) else None
    found = []
    for entry in content if isinstance(content, list) else []:
        pair = _pair(entry)
        if pair is None:
            return ()
        others = entry.get("top_logprobs")
        pairs = [_pair(each) for each in others] if isinstance(others, list) else []
        kept = tuple(each for each in pairs if each is not None)
        found.append(Token(text=pair[0], log_probability=pair[1], others=kept))
    return tuple(found)


def _pair(entry: object) -> tuple[str, float] | None:
    """(token, log-probability); None in another form. OpenAI writes -9999 for a probability too small to say."""
    if not isinstance(entry, dict):
        return None
    text, log = entry.get("token"), entry.get("logprob")
    if not isinstance(text, str) or isinstance(log, bool) or not isinstance(log, int | float) or not math.isfinite(log):
        return None
    return text.encode(errors="replace").decode(), float(log)
