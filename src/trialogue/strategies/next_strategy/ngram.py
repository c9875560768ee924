"""Smoothed n-gram model of behaviors: next-strategy frequencies after the last tokens, interpolated with shorter contexts.

Only strategies are predicted, but any token may be in the context. Two smoothings, both interpolated down to the uniform
distribution, so that every class always has some probability:

* ``witten_bell``: P(w|h) = (c(h,w) + d(h) P(w|h')) / (c(h) + d(h)), where c counts, d(h) is how many different classes
  followed h, and h' is h without its oldest token. Witten & Bell (1991).
* ``kneser_ney``: P(w|h) = (max(c(h,w) - D, 0) + D d(h) P(w|h')) / c(h), where for contexts shorter than the longest c
  counts the different tokens seen before (h,w), and D = n1 / (n1 + 2 n2) from how many counts are 1 and 2. Kneser & Ney
  (1995), interpolated as in Chen & Goodman (1999), section 2.7.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.strategies.base import CLASSES, Floats
from trialogue.strategies.next_strategy.sequence import (
    START,
    Tokens,
    UserTokens,
    check_training,
    check_user,
    sequences_hash,
)

Smoothing: TypeAlias = Literal["witten_bell", "kneser_ney"]
Counts: TypeAlias = Mapping[Tokens, Floats]

VERSION = "v1"
MAX_ORDER = 9  # of the 198 dialogues of INSPIRED's dev and test hardly any two share eight behaviors in a row
FALLBACK_DISCOUNT = 0.5  # discount where no count is 1 or none is 2, and the formula for it breaks down


@dataclass(frozen=True)
class NGram:
    """An n-gram model of the system's next strategy."""

    order: int
    """Tokens in an n-gram, the predicted one included: 1 uses no history."""
    smoothing: Smoothing
    classes: tuple[str, ...]
    user: UserTokens
    counts: tuple[Counts, ...]
    """For contexts of 0 to order - 1 tokens: how often each class followed, shape (n_classes,); already in the form that
    the smoothing asks for."""
    discounts: tuple[float, ...]
    """Kneser-Ney discount of each context length; 0 for Witten-Bell."""
    data: str
    """Hash of the training data."""

    @property
    def memory(self) -> int:
        """Number of preceding tokens used."""
        return self.order - 1

    @property
    def origin(self) -> str:
        """Such as ``"ngram(order=3,smoothing=witten_bell,user=acts)|v1|data:abc123"``."""
        settings = f"order={self.order},smoothing={self.smoothing},user={self.user}"
        return f"ngram({settings})|{VERSION}|data:{self.data}"

    def prefix_distributions(self, tokens: Tokens) -> Floats:
        """Distribution over the classes after each beginning of a sequence, shape (len(tokens) + 1, n_classes)."""
        return np.array([self._after(tokens[max(0, end - self.memory) : end]) for end in range(len(tokens) + 1)])

    def _after(self, context: Tokens) -> Floats:
        size = len(self.classes)
        row: Floats = np.full(size, 1 / size)
        for length in range(len(context) + 1):
            counts = self.counts[length].get(context[len(context) - length :])
            if counts is None:  # then nothing longer was seen, either
                return row
            row = _interpolate(counts, row, self.discounts[length])
        return row

    def to_json(self) -> dict[str, Any]:
        """Settings and counts; contexts as lists of tokens."""
        levels = [[[list(context), row.tolist()] for context, row in sorted(level.items())] for level in self.counts]
        return {
            "model": "ngram",
            "order": self.order,
            "smoothing": self.smoothing,
            "classes": list(self.classes),
            "user": self.user,
            "counts": levels,
            "discounts": list(self.discounts),
            "data": self.data,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "NGram":
        """Load a model; KeyError, TypeError, ValueError or UsageError for missing or impossible values."""
        classes = tuple(map(str, stored["classes"]))
        check_settings(int(stored["order"]), stored["smoothing"], stored["user"])
        counts = tuple(
            {tuple(map(str, context)): np.asarray(row, dtype=np.float64) for context, row in level}
            for level in stored["counts"]
        )
        discounts = tuple(map(float, stored["discounts"]))
        if not len(counts) == len(discounts) == int(stored["order"]) or () not in counts[0]:
            raise ValueError("there must be counts and a discount for each length of context")
        rows = [row for level in counts for row in level.values()]
        if any(row.shape != (len(classes),) or row.min() < 0 or not row.sum() > 0 for row in rows):
            raise ValueError("a row of counts must hold one number for each class, none negative, not all zero")
        data = str(stored["data"])
        return cls(int(stored["order"]), stored["smoothing"], classes, stored["user"], counts, discounts, data)


def _interpolate(counts: Floats, lower: Floats, discount: float) -> Floats:
    """One step of either smoothing: Witten-Bell where the discount is 0."""
    total, different = counts.sum(), np.count_nonzero(counts)
    if discount == 0:
        return np.asarray((counts + different * lower) / (total + different))
    kept = np.maximum(counts - discount, 0)
    return np.asarray((kept + (total - kept.sum()) * lower) / total)


@dataclass(frozen=True)
class NGramFit:
    """Trains n-grams."""

    order: int = 3
    smoothing: Smoothing = "witten_bell"
    classes: tuple[str, ...] = CLASSES
    user: UserTokens = "acts"
    """Format of user turns in the sequences; only recorded in the model."""

    def __post_init__(self) -> None:
        check_settings(self.order, self.smoothing, self.user)

    def __call__(self, sequences: Sequence[Tokens]) -> NGram:
        """Count, once.

        Raises:
            UsageError: the sequences hold nothing to predict, or there are fewer than two classes.
        """
        check_training(sequences, self.classes)
        raw = [self._count(sequences, length) for length in range(self.order)]
        if self.smoothing == "kneser_ney":
            levels = [*map(self._continuations, raw[:-1], raw[1:]), raw[-1]]
            discounts = tuple(_discount(level) for level in levels)
        else:
            levels, discounts = raw, (0.0,) * self.order
        hashed = sequences_hash(sequences)
        return NGram(self.order, self.smoothing, self.classes, self.user, tuple(levels), discounts, hashed)

    def _count(self, sequences: Sequence[Tokens], length: int) -> dict[Tokens, Floats]:
        counter: Counter[tuple[Tokens, str]] = Counter()
        for tokens in sequences:
            for place in range(max(length, 1), len(tokens)):
                counter[tokens[place - length : place], tokens[place]] += 1
        return self._rows(counter)

    def _continuations(self, level: Mapping[Tokens, Floats], longer: Mapping[Tokens, Floats]) -> dict[Tokens, Floats]:
        """Number of distinct tokens before each context with each class; nothing precedes ``START``."""
        counter: Counter[tuple[Tokens, str]] = Counter()
        for context, row in longer.items():
            for column in np.flatnonzero(row):
                counter[context[1:], self.classes[column]] += 1
        return self._rows(counter) | {context: row for context, row in level.items() if context[:1] == (START,)}

    def _rows(self, counter: Mapping[tuple[Tokens, str], int]) -> dict[Tokens, Floats]:
        columns = {label: column for column, label in enumerate(self.classes)}
        rows: defaultdict[Tokens, Floats] = defaultdict(lambda: np.zeros(len(self.classes)))
        for (context, label), count in counter.items():
            if label in columns:
                rows[context][columns[label]] += count
        return dict(rows)


def _discount(level: Mapping[Tokens, Floats]) -> float:
    """Discount n1 / (n1 + 2 n2), between 0 and 1."""
    counts = np.concatenate([*level.values(), np.empty(0)])  # no dialogue may be as long as the context
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else FALLBACK_DISCOUNT


def check_settings(order: int, smoothing: str, user: str) -> None:
    """Raise UsageError unless the settings make a model."""
    if not 1 <= order <= MAX_ORDER:
        raise UsageError(f"order must be 1 (no history) to {MAX_ORDER}, got {order}.")
    if smoothing not in get_args(Smoothing):
        raise UsageError(f"smoothing must be {' or '.join(get_args(Smoothing))}, got {smoothing!r}.")
    check_user(user)
