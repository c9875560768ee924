"""Linear model on frozen sentence embeddings and TF-IDF: half a minute to train, without torch.

The embeddings of a general encoder alone do worse than TF-IDF at strategies, which depend on wording; together they do
better than either. The encoder stays in its folder: a model records which one it used and locates it again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
from trialogue.strategies.classifiers.tfidf import Tfidf, fit_linear, softmax
from trialogue.strategies.encoders.encoder import EncoderFolder, SentenceEncoder, find_encoder, open_encoder
from trialogue.strategies.learning.features import Vectors

VERSION = "v1"
PARTS, ARRAYS = "encoder.json", "encoder.npz"
MIN_PROBABILITY = 1e-300  # of a probability, before its logarithm


@dataclass(frozen=True, eq=False)
class EncoderLinear:
    """Linear model on TF-IDF and embeddings."""

    words: Tfidf
    """The TF-IDF side, with the bias."""
    encoder: SentenceEncoder
    weights: Floats
    """Weights, shape (width, n_classes); with context twice as many rows, those of the user's message last."""
    name_or_folder: str | None
    """Name or folder of the encoder; None: the default one."""
    fingerprint: str
    """Hash of the encoder's files."""
    origin: str
    """``encoder|v1|data:…|with:…``, or ``encoder+context|…``."""

    @property
    def name(self) -> str:
        """``encoder`` or ``encoder+context``."""
        return _name(self.uses_context)

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies it predicts."""
        return self.words.classes

    @property
    def uses_context(self) -> bool:
        """Whether it uses the preceding utterances."""
        return self.words.uses_context

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """Softmax of the scores, shape (n, n_classes). Each different sentence is encoded once."""
        of_words = self.words.probabilities(texts, contexts)
        scores = np.log(
            np.maximum(of_words, MIN_PROBABILITY)
        )  # but for a constant in each row, which softmax takes out
        return softmax(scores + _dense(self.encoder, texts, contexts, self.uses_context) @ self.weights)

    def save(self, folder: Path) -> None:
        """Write the model into a folder; the encoder is named, not copied."""
        self.words.save(folder)
        parts = {"encoder": self.name_or_folder, "fingerprint": self.fingerprint, "origin": self.origin}
        write_text(folder / PARTS, json.dumps(parts))
        with open_replacing(folder / ARRAYS) as stream:
            np.savez(stream, allow_pickle=False, weights=self.weights.astype(np.float32))

    @classmethod
    def load(cls, folder: Path) -> "EncoderLinear":
        """Load a folder written by ``save``, and locate its encoder: the original one, or else the default.

        Raises:
            DataError: a file is missing or not what it should be, or the encoder is another one than it was.
            MissingDataError: the encoder is not there any more.
        """
        words = Tfidf.load(folder)
        try:
            parts = json.loads((folder / PARTS).read_text("utf-8"))
            named, fingerprint, origin = parts["encoder"], str(parts["fingerprint"]), str(parts["origin"])
            with np.load(folder / ARRAYS, allow_pickle=False) as stored:
                weights = np.asarray(stored["weights"], dtype=np.float64)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(Problem(f"this model cannot be read: {error}.", str(folder))) from error
        encoder = open_encoder(_find_encoder(None if named is None else str(named), fingerprint, folder))
        expected = (encoder.width * (2 if words.uses_context else 1), len(words.classes))
        if weights.shape != expected or not np.isfinite(weights).all():
            what = f"expected finite weights of shape {expected}, got shape {weights.shape}."
            raise DataError(Problem(what, str(folder / ARRAYS), hint="Train the model again, or restore the folder."))
        return cls(words, encoder, weights, named, fingerprint, origin)


def _find_encoder(named: str | None, fingerprint: str, folder: Path) -> EncoderFolder:
    """The encoder that a model was trained with."""
    try:
        found = find_encoder(named)
    except UsageError:
        found = find_encoder()
    if (own := found.fingerprint()) != fingerprint:
        what = f"it was trained with encoder {fingerprint} ({named or 'the default one'}); {found.path} contains {own}."
        hint = "Name the right one in the environment variable TRIALOGUE_ENCODER, or train the model again."
        raise DataError(Problem(what, str(folder), hint=hint))
    return found


@dataclass(frozen=True)
class EncoderFit:
    """Training settings; call it with examples."""

    encoder: str | None = None
    """A folder, or a name on the Hugging Face Hub; None: TRIALOGUE_ENCODER, or what ``trialogue data get minilm``
    obtained."""
    strength: float = 3.0
    """C of the logistic regression."""
    share: float = 1.0
    """Length of the encoder's vectors, where a sentence's words and characters have length 1 each."""
    use_context: bool = False
    """Whether to use the history: words of both speakers, and the embedding of the user's last message."""

    @property
    def name(self) -> str:
        """``encoder`` or ``encoder+context``."""
        return _name(self.use_context)

    def __call__(self, examples: Sequence[Example]) -> EncoderLinear:
        """Train a model on the examples.

        Raises:
            UsageError: no examples, only one strategy, empty sentences, or no such encoder.
            MissingDataError: no encoder is named and none is there.
        """
        from scipy.sparse import csr_array, hstack

        check_examples(examples)
        folder = find_encoder(self.encoder)
        encoder, fingerprint = _open_shared(folder)
        texts = [example.text for example in examples]
        contexts = [example.context for example in examples] if self.use_context else None
        vectors = Vectors.fit(texts, contexts)
        dense = self.share * _dense(encoder, texts, contexts, self.use_context)
        classes = ordered_classes(example.label for example in examples)
        rows = csr_array(hstack([vectors.matrix(texts, contexts), csr_array(dense)], format="csr"))
        weights, bias = fit_linear(rows, examples, classes, self.strength)
        weights[vectors.size :] *= self.share
        weights = weights.astype(np.float32).astype(np.float64)  # as it will be saved
        origin = f"{self.name}|{VERSION}|data:{data_hash(examples)}|with:{fingerprint}{settings_mark(self)}"
        words = Tfidf(classes, vectors, weights[: vectors.size], bias, origin)
        return EncoderLinear(words, encoder, weights[vectors.size :], self.encoder, fingerprint, origin)


_OPEN: dict[Path, tuple[tuple[int, int], SentenceEncoder, str]] = {}
"""The encoder used last, so that the folds of a training share its vectors, with size and time of its weights."""


def _open_shared(folder: EncoderFolder) -> tuple[SentenceEncoder, str]:
    facts = folder.weights.stat()
    stamp = (facts.st_size, facts.st_mtime_ns)
    path = folder.path.resolve()
    if path not in _OPEN or _OPEN[path][0] != stamp:
        _OPEN.clear()
        _OPEN[path] = (stamp, open_encoder(folder), folder.fingerprint())
    return _OPEN[path][1:]


def user_before(context: Context) -> str:
    """The user's last message before a sentence; empty without one.

    >>> user_before((("user", "Hi"), ("system", "Hello!")))
    'Hi'
    """
    return next((text for who, text in reversed(context) if who == "user"), "")


def _dense(encoder: SentenceEncoder, texts: Sequence[str], contexts: Sequence[Context] | None, use: bool) -> Floats:
    """Vectors of the sentences and, with context, of the user's messages beside them, float64."""
    own = encoder.vectors(texts).astype(np.float64)
    if not use:
        return own
    said = [user_before(context) for context in contexts] if contexts is not None else [""] * len(texts)
    there = np.array([bool(one.strip()) for one in said], dtype=np.float64)[:, None]
    return np.hstack([own, encoder.vectors(said).astype(np.float64) * there])


def _name(context: bool) -> str:
    return "encoder+context" if context else "encoder"


KIND = Kind(
    name="encoder",
    summary="TF-IDF and the vectors of a sentence encoder with logistic regression; trains in half a minute, without torch.",
    recipe=EncoderFit,
    load=EncoderLinear.load,
)
