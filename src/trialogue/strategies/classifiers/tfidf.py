"""Default classifier: TF-IDF of words and characters with multinomial logistic regression. Trains in seconds on one core.

scikit-learn is needed for training, not for prediction.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.strategies.base import (
    Context,
    Example,
    Floats,
    Kind,
    check_examples,
    data_hash,
    ordered_classes,
    settings_mark,
)
from trialogue.strategies.learning.features import Block, Vectors

VERSION = "v2"
PARTS, ARRAYS = "tfidf.json", "tfidf.npz"
BATCH = 4096  # sentences multiplied at a time: some 20 MB
ITERATIONS = 500  # of L-BFGS; it needs about 60
TOLERANCE = 3e-4  # a third of the time less than 1e-4, and the same answer for 999 of 1,000 training sentences


@dataclass(frozen=True, eq=False)
class Tfidf:
    """Trained model: TF-IDF features, and a linear score per class."""

    classes: tuple[str, ...]
    """The strategies it knows."""
    vectors: Vectors
    weights: Floats
    """Shape (n_terms, n_classes)."""
    bias: Floats
    """Shape (n_classes,)."""
    origin: str
    """``tfidf|v2|data:…``, or ``tfidf+context|v2|data:…``."""

    @property
    def name(self) -> str:
        """``tfidf`` or ``tfidf+context``."""
        return _name(self.uses_context)

    @property
    def uses_context(self) -> bool:
        """Whether it has context features."""
        return self.vectors.context is not None

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """Softmax of the scores, shape (n, n_classes); a sentence without a known term gets the classes' bias."""
        rows = np.empty((len(texts), len(self.classes)))
        for start in range(0, len(texts), BATCH):
            part = slice(start, start + BATCH)
            scores = self.vectors.matrix(texts[part], None if contexts is None else contexts[part]) @ self.weights
            rows[part] = softmax(scores + self.bias)
        return rows

    def save(self, folder: Path) -> None:
        """Write the model into a folder as JSON and arrays."""
        named = {"word": self.vectors.word, "character": self.vectors.character, "context": self.vectors.context}
        blocks = {name: block for name, block in named.items() if block is not None}
        parts: dict[str, Any] = {"classes": self.classes, "origin": self.origin}
        parts["terms"] = {name: block.terms for name, block in blocks.items()}
        write_text(folder / PARTS, json.dumps(parts, ensure_ascii=False))
        arrays = {f"idf_{name}": block.idf for name, block in blocks.items()}
        with open_replacing(folder / ARRAYS) as stream:
            np.savez(stream, allow_pickle=False, weights=self.weights.astype(np.float32), bias=self.bias, **arrays)

    @classmethod
    def load(cls, folder: Path) -> "Tfidf":
        """Load a folder written by ``save``.

        Raises:
            DataError: a file is missing, is not what it should be, or the two do not fit each other.
        """
        try:
            parts = json.loads((folder / PARTS).read_text("utf-8"))
            with np.load(folder / ARRAYS, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            blocks = {name: Block.from_terms(terms, arrays[f"idf_{name}"]) for name, terms in parts["terms"].items()}
            vectors = Vectors(blocks["word"], blocks["character"], blocks.get("context"))
            model = cls(
                tuple(parts["classes"]), vectors, arrays["weights"].astype(np.float64), arrays["bias"], parts["origin"]
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(Problem(f"this TF-IDF model cannot be read: {error}.", str(folder))) from error
        if model.weights.shape != (vectors.size, len(model.classes)):
            what = (
                f"weights of shape {model.weights.shape} do not fit {vectors.size} terms, {len(model.classes)} classes."
            )
            raise DataError(
                Problem(what, str(folder / ARRAYS), hint="Do the two files belong to the same model? Train it again.")
            )
        return model


@dataclass(frozen=True)
class TfidfFit:
    """Training settings; call it with examples. Picklable, so that folds can be trained in other processes."""

    strength: float = 3.0
    """C of the logistic regression: the higher, the closer to the training data."""
    use_context: bool = False
    """Whether to use the history: the last message of both speakers, and the position in the dialogue."""

    def __post_init__(self) -> None:
        """Raise UsageError for an invalid regularisation strength."""
        if not 0 < self.strength < float("inf"):
            raise UsageError(f"strength must be above 0, got {self.strength}. The default is 3.")

    @property
    def name(self) -> str:
        """``tfidf`` or ``tfidf+context``."""
        return _name(self.use_context)

    def __call__(self, examples: Sequence[Example]) -> Tfidf:
        """Train a model on the examples.

        Raises:
            UsageError: no examples, only one strategy, or empty sentences.
        """
        check_examples(examples)
        texts = [example.text for example in examples]
        contexts = [example.context for example in examples] if self.use_context else None
        vectors = Vectors.fit(texts, contexts)
        classes = ordered_classes(example.label for example in examples)
        rows = vectors.matrix(texts, contexts).astype(np.float32)  # a third quicker, and saved so anyway
        weights, bias = fit_linear(rows, examples, classes, self.strength)
        weights = weights.astype(np.float32).astype(np.float64)  # as it will be saved
        return Tfidf(
            classes, vectors, weights, bias, f"{self.name}|{VERSION}|data:{data_hash(examples)}{settings_mark(self)}"
        )


def fit_linear(
    rows: Any, examples: Sequence[Example], classes: tuple[str, ...], strength: float
) -> tuple[Floats, Floats]:
    """Multinomial logistic regression: (weights of shape (n_features, n_classes), bias of shape (n_classes,))."""
    from sklearn.linear_model import LogisticRegression

    columns = {label: column for column, label in enumerate(classes)}
    labels = np.array([columns[example.label] for example in examples])
    model = LogisticRegression(C=strength, max_iter=ITERATIONS, tol=TOLERANCE).fit(rows, labels)
    weights, bias = model.coef_, model.intercept_
    if len(classes) == 2:  # scikit-learn keeps one score for two classes
        weights, bias = np.vstack([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
    return np.ascontiguousarray(weights.T), np.asarray(bias, dtype=np.float64)


def softmax(scores: Floats) -> Floats:
    """Softmax of scores of shape (n, n_classes)."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _name(context: bool) -> str:
    return "tfidf+context" if context else "tfidf"


KIND = Kind(
    name="tfidf",
    summary="TF-IDF of word and character n-grams with logistic regression; trains in seconds, without a download.",
    recipe=TfidfFit,
    load=Tfidf.load,
)
