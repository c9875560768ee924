"""Recurrent network that reads behaviors as tokens and predicts the next strategy (Yang et al., SIGIR 2024, section 8).

Several networks with different random initialisations are trained on whole dialogues and averaged. The number of epochs is
fixed, so that nothing is learned from the data to be predicted. Each network is small: INSPIRED's dev and test have 198
dialogues.

Why not the n-gram alone: perplexity 7.18 (95% 6.88-7.49) against 8.32 (8.01-8.64), the human's strategy first in .349
(.333-.365) against .300 (.283-.318) of 3,624 sentences (``benchmarks/SEQUENCE.md``). Why not torch (2.13,
one thread, the same settings and as many random tokens, three runs each): training took 13.9-18.3 s of processor time there
and 8.5-10.6 s here, one prediction 2.2-2.5 ms there and 2.4-2.7 ms here; torch is 754 MB.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.gru import Batch, Masks, Weights, loss_and_gradient, new_weights, probabilities
from trialogue.errors import UsageError
from trialogue.seeds import rng_for
from trialogue.strategies.base import CLASSES, Floats, Ints
from trialogue.strategies.next_strategy.sequence import (
    START,
    Tokens,
    UserTokens,
    check_training,
    check_user,
    sequences_hash,
)

VERSION = "v1"
UNSEEN = "<unseen>"
"""Token for unseen tokens."""
NOTHING = "<nothing>"
"""Token for an empty history, whose position in the dialogue is unknown."""


@dataclass(frozen=True)
class Recurrent:
    """An average of gated recurrent networks."""

    classes: tuple[str, ...]
    user: UserTokens
    vocabulary: tuple[str, ...]
    members: tuple[Weights, ...]
    settings: str
    """Training settings."""
    data: str
    """Hash of the training data."""

    @property
    def memory(self) -> None:
        """It looks back to the beginning."""
        return

    @property
    def origin(self) -> str:
        """Such as ``"recurrent(...,user=acts)|v1|data:abc123"``."""
        return f"recurrent({self.settings},user={self.user})|{VERSION}|data:{self.data}"

    def prefix_distributions(self, tokens: Tokens) -> Floats:
        """Distribution over the classes after each beginning of a sequence, shape (len(tokens) + 1, n_classes)."""
        codes = {token: code for code, token in enumerate(self.vocabulary)}
        unseen = codes[UNSEEN]
        inputs = np.array([codes.get(token, unseen) for token in tokens], dtype=np.int64)
        nothing = self._shares(np.array([codes[NOTHING]]))
        return np.concatenate([nothing, self._shares(inputs)]) if tokens else nothing

    def _shares(self, inputs: Ints) -> Floats:
        return np.asarray(np.mean([probabilities(member, inputs) for member in self.members], axis=0))

    def to_json(self) -> dict[str, Any]:
        """Settings and weights."""
        return {
            "model": "recurrent",
            "classes": list(self.classes),
            "user": self.user,
            "vocabulary": list(self.vocabulary),
            "members": [{name: value.tolist() for name, value in member.items()} for member in self.members],
            "settings": self.settings,
            "data": self.data,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Recurrent":
        """Load a model; KeyError, TypeError, ValueError or UsageError for missing or impossible values."""
        check_user(stored["user"])
        vocabulary, classes = tuple(map(str, stored["vocabulary"])), tuple(map(str, stored["classes"]))
        members = tuple(
            {str(name): np.asarray(value, dtype=np.float64) for name, value in member.items()}
            for member in stored["members"]
        )
        if not members or not {UNSEEN, NOTHING} <= set(vocabulary):
            raise ValueError("there must be networks, and tokens for unseen input")
        for member in members:
            _check_shapes(member, len(vocabulary), len(classes))
        return cls(classes, stored["user"], vocabulary, members, str(stored["settings"]), str(stored["data"]))


def _check_shapes(member: Weights, tokens: int, classes: int) -> None:
    width, hidden = member["embedding"].shape[1], member["output"].shape[0]
    expected = new_weights(tokens, classes, width=width, hidden=hidden, rng=np.random.default_rng(0))
    for name, value in expected.items():
        if member[name].shape != value.shape or not np.isfinite(member[name]).all():
            raise ValueError(f"the weights {name!r} must be finite and of shape {value.shape}")


@dataclass(frozen=True)
class RecurrentFit:
    """Trains recurrent networks; the defaults were chosen by cross-validation on INSPIRED's dev and test."""

    hidden: int = 32
    width: int = 16
    members: int = 3
    epochs: int = 30
    batch: int = 16
    rate: float = 0.01
    dropout: float = 0.3
    decay: float = 1e-3
    seed: int = 0
    classes: tuple[str, ...] = CLASSES
    user: UserTokens = "acts"
    """Format of user turns in the sequences; only recorded in the model."""

    def __post_init__(self) -> None:
        check_user(self.user)
        for name in ("hidden", "width", "members", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}.")
        if not 0 <= self.dropout < 1 or self.decay < 0 or self.rate <= 0:
            raise UsageError(
                "dropout must be at least 0 and below 1, decay at least 0 and rate above 0, "
                f"got {self.dropout}, {self.decay} and {self.rate}."
            )

    def __call__(self, sequences: Sequence[Tokens]) -> Recurrent:
        """Train on whole dialogues.

        Raises:
            UsageError: the sequences hold nothing to predict, or there are fewer than two classes.
        """
        check_training(sequences, self.classes)
        vocabulary = (UNSEEN, NOTHING, *sorted({token for tokens in sequences for token in tokens} | {START}))
        encoded = list(_encode(sequences, vocabulary, self.classes))
        members = tuple(self._member(number, encoded, len(vocabulary)) for number in range(self.members))
        settings = ",".join(
            f"{name}={value}" for name, value in asdict(self).items() if name not in ("classes", "user")
        )
        return Recurrent(self.classes, self.user, vocabulary, members, settings, sequences_hash(sequences))

    def _member(self, number: int, encoded: "Sequence[_Encoded]", tokens: int) -> Weights:
        rng = rng_for(self.seed, "recurrent", str(number))
        weights = new_weights(tokens, len(self.classes), width=self.width, hidden=self.hidden, rng=rng)
        adam = Adam(weights, rate=self.rate, decay=self.decay)
        steps = self.epochs * -(-len(encoded) // self.batch)
        for _ in range(self.epochs):
            order = rng.permutation(len(encoded))
            for start in range(0, len(order), self.batch):
                batch = _pad([encoded[place] for place in order[start : start + self.batch]])
                masks = self._masks(len(batch.inputs), rng)
                _, gradient = loss_and_gradient(weights, _drop_tokens(batch, rng), masks)
                adam.step(weights, gradient, scale=1 - adam.steps / steps)
        return {name: value.astype(np.float32).astype(np.float64) for name, value in weights.items()}

    def _masks(self, n: int, rng: np.random.Generator) -> Masks:
        kept = 1 - self.dropout
        return Masks(*((rng.random((n, size)) < kept) / kept for size in (self.width, self.hidden)))


@dataclass(frozen=True)
class _Encoded:
    inputs: Ints
    targets: Ints


def _encode(sequences: Sequence[Tokens], vocabulary: Tokens, classes: Tokens) -> "Iterator[_Encoded]":
    """Sequences as numbers; those with nothing to predict are left out."""
    codes = {token: code for code, token in enumerate(vocabulary)}
    columns = {label: column for column, label in enumerate(classes)}
    for tokens in sequences:
        targets = np.array([columns.get(token, -1) for token in tokens[1:]], dtype=np.int64)
        if (targets >= 0).any():
            yield _Encoded(np.array([codes[token] for token in tokens[:-1]], dtype=np.int64), targets)


def _pad(rows: Sequence[_Encoded]) -> Batch:
    longest = max(len(row.inputs) for row in rows)
    inputs, targets = np.zeros((len(rows), longest), dtype=np.int64), np.full((len(rows), longest), -1)
    for place, row in enumerate(rows):
        inputs[place, : len(row.inputs)] = row.inputs
        targets[place, : len(row.targets)] = row.targets
    return Batch(inputs, targets)


FORGOTTEN = 0.02  # share of tokens replaced by UNSEEN in training, so that the network knows what to make of one


def _drop_tokens(batch: Batch, rng: np.random.Generator) -> Batch:
    """The batch with some tokens as if they had not been seen, and some dialogues with NOTHING for ``START``."""
    inputs = np.where(rng.random(batch.inputs.shape) < FORGOTTEN, 0, batch.inputs)
    inputs[:, 0] = np.where(rng.random(len(inputs)) < FORGOTTEN, 1, inputs[:, 0])
    return Batch(inputs, batch.targets)


class Adam:
    """Adam with decoupled decay of matrices: Kingma & Ba (2015), Loshchilov & Hutter (2019)."""

    FIRST, SECOND, LEAST = 0.9, 0.999, 1e-8  # the constants of the paper

    def __init__(self, weights: Weights, *, rate: float, decay: float) -> None:
        self.rate, self.decay, self.steps = rate, decay, 0
        self._first = {name: np.zeros_like(value) for name, value in weights.items()}
        self._second = {name: np.zeros_like(value) for name, value in weights.items()}

    def step(self, weights: Weights, gradient: Weights, *, scale: float) -> None:
        """Move the weights, in place, by the rate times ``scale``."""
        self.steps += 1
        for name, slope in gradient.items():
            first, second = self._first[name], self._second[name]
            first += (1 - self.FIRST) * (slope - first)
            second += (1 - self.SECOND) * (slope**2 - second)
            mean = first / (1 - self.FIRST**self.steps)
            spread = np.sqrt(second / (1 - self.SECOND**self.steps)) + self.LEAST
            shrink = self.decay * weights[name] if weights[name].ndim == 2 else 0.0
            weights[name] -= self.rate * scale * (mean / spread + shrink)
