"""Add typing errors: swapped, dropped, doubled or neighbouring letters."""

import re

from trialogue.errors import UsageError
from trialogue.simulation.random_source import RandomSource

_WORD = re.compile(r"[^\W\d_]{4,}")  # short words are hardly ever misspelt, and unreadable if they are
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
NEIGHBORS = {letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in _ROWS for at, letter in enumerate(row)}


def check_rate(rate: float) -> None:
    """Raise UsageError unless a typo rate is between 0 and 1."""
    if not 0 <= rate <= 1:
        raise UsageError(f"The typo rate must be the share of words with a typo, from 0 to 1; given: {rate:g}.")


def add_typos(text: str, rate: float, rng: RandomSource) -> str:
    """Add a typo to each word of at least four letters with probability ``rate``; first letters are kept.

    >>> import numpy as np
    >>> add_typos("something like that", 1.0, RandomSource(np.random.default_rng(5)))
    'somethibg lie thhat'
    """
    if rate <= 0:
        return text
    return _WORD.sub(lambda found: _slip(found[0], rng) if rng.share() < rate else found[0], text)


def _slip(word: str, rng: RandomSource) -> str:
    at = 1 + rng.draw_below(len(word) - 1)
    kind = rng.draw_below(4)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    if kind == 0 and after:
        return before + after[0] + letter + after[1:]
    if kind == 1:
        return before + after
    if kind == 2 and (near := NEIGHBORS.get(letter)):
        return before + rng.pick(near) + after
    return before + letter + letter + after
