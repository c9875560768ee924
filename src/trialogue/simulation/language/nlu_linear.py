"""Linear classifier of agent utterances over character n-grams and context.

Features are TF-IDF weights of character n-grams (two to four, within words), the preceding user act, and
the position in a burst. The user's own act is informative about the reply, and a user knows it. On
held-out dialogues of the annotated files (A / B / C) accuracy is .901 / .981 / .976; from the text alone
(``context=False``) .878 / .903 / .923; of ``RetrievalClassifier`` .854 / .841 / .899. Context might bias the classifier
towards expected answers: the share of user acts with an acceptable first reply is .807 / .849 / .743 by the
annotation, .815 / .862 / .739 as classified with context, and .768 / .773 / .733 without.

Character n-grams (2 to 4, within words) of texts, counted.

Equivalent to scikit-learn's ``CountVectorizer(analyzer="char_wb", ngram_range=(2, 4))``, but cheaper: repeated texts are
cached (agents repeat themselves, and cross-validation reads the same texts in each fold), and no import is needed.

Cache of fitted linear-model weights, in the user's cache folder.

Fitting takes a fifth of a second, and importing the fitting code ten times as long. Every simulating process needs the
same weights, so the first one fits and stores them. A file is named after a hash of everything that the weights depend on; a
damaged one is fitted again, and if the folder is not writable nothing is stored.
"""

import contextlib
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trialogue.cache import cache_folder
from trialogue.errors import UsageError
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import open_replacing
from trialogue.simulation.language.nlu import (
    LAST_PLACE,
    LONGEST,
    UNKNOWN,
    ActPrediction,
    CachingClassifier,
    Example,
    need_examples,
)

SIZES = (2, 3, 4)
REMEMBERED_WORDS = 20_000
COUNTED_TEXTS = 2_000  # texts of the annotated files have 60 letters and 150 pieces on average


@dataclass(frozen=True)
class NGramCounts:
    """Sparse count matrix of character n-grams, shape (n_texts, n_pieces), by rows."""

    vocabulary: dict[str, int]
    """Columns by piece, in the order of the alphabet."""
    counts: NDArray[np.int64]
    """Non-zero counts."""
    columns: NDArray[np.int32]
    """Column of each count; within a row in order of first occurrence, as in scikit-learn, so that sums over a row are
    bit-identical."""
    starts: NDArray[np.int32]
    """Start of each row, and the end; shape (n_texts + 1,)."""


def pieces(text: str) -> list[str]:
    """Character n-grams of a text, word by word with repetitions; words are padded with a space on either side.

    >>> pieces("Oh no")
    [' o', 'oh', 'h ', ' oh', 'oh ', ' oh ', ' n', 'no', 'o ', ' no', 'no ', ' no ']
    """
    return [piece for word in text.lower().split() for piece in _of_word(word)]


def table(texts: Sequence[str]) -> NGramCounts:
    """Count the n-grams of texts; a text may occur more than once."""
    counted = {text: _count_pieces(text) for text in texts}
    # Columns are in alphabetical order, entries of a row in order of first occurrence over all texts: the layout of
    # scikit-learn's CountVectorizer, on which the last bit of later sums depends.
    first = {piece: at for at, piece in enumerate(dict.fromkeys(piece for each in counted.values() for piece in each))}
    vocabulary = {piece: at for at, piece in enumerate(sorted(first))}
    column = np.fromiter((vocabulary[piece] for piece in first), dtype=np.int32, count=len(first))
    rows: dict[str, tuple[NDArray[np.int32], NDArray[np.int64]]] = {}
    for text, counts in counted.items():
        places = np.fromiter((first[piece] for piece in counts), dtype=np.int32, count=len(counts))
        order = np.argsort(places)
        numbers = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
        rows[text] = column[places[order]], numbers[order]
    starts = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(counted[text]) for text in texts], out=starts[1:])
    return NGramCounts(
        vocabulary,
        counts=np.concatenate([rows[text][1] for text in texts]),
        columns=np.concatenate([rows[text][0] for text in texts]),
        starts=starts,
    )


@lru_cache(COUNTED_TEXTS)
def _count_pieces(text: str) -> Counter[str]:
    """Counts of the n-grams; shared, never changed."""
    return Counter(pieces(text))


@lru_cache(REMEMBERED_WORDS)
def _of_word(word: str) -> tuple[str, ...]:
    """The pieces of a word with its blanks, the short ones first."""
    word = f" {word} "
    return tuple(word[start : start + size] for size in SIZES for start in range(len(word) - size + 1))


MIN_KNOWN = 0.3  # of a text's pieces; of held-out messages of the annotated files .44 and more, of a page of HTML .2
CONTEXT_WEIGHT = 0.5  # of one context feature; a text's TF-IDF vector has length 1
TEMPERATURES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # factors from margins to log odds that are tried
USUAL_TEMPERATURE = 3.0  # what the annotated files give
FOLDS = 5
REMEMBERED_TEXTS = 5000  # whose scores are kept; another act before them needs no new reading

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """Parameters of a linear model. Shapes with L labels, P character n-grams, B user labels."""

    labels: tuple[str, ...]
    """The labels, in the order of the alphabet."""
    vocabulary: dict[str, int]
    """Rows of ``of_letters`` by piece."""
    befores: dict[str, int]
    """Rows of ``of_before`` by the label of what the user did before."""
    idf: Floats
    """Inverse document frequency, shape (P,)."""
    of_letters: Floats
    """Shape (P, L)."""
    of_before: Floats
    """Shape (B, L); 0 for a model without context."""
    of_place: Floats
    """Shape (``LAST_PLACE`` + 1, L)."""
    intercepts: Floats
    """Shape (L,)."""


def fitted_weights(examples: Sequence[Example], *, context: bool = True) -> Weights:
    """Fit a linear support vector machine, one label against the others.

    Args:
        examples: annotated utterances.
        context: whether the user's label before and the place in a burst are features.

    Raises:
        DataError: there are no examples.
    """
    from scipy.sparse import csr_array, csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    need_examples(examples)
    labels = tuple(sorted({example.label for example in examples}))
    befores = {label: at for at, label in enumerate(sorted({example.before for example in examples}))}
    counted = table([read_as(example) for example in examples])
    shape = (len(examples), len(counted.vocabulary))
    weighing = TfidfTransformer(sublinear_tf=True)
    texts = weighing.fit_transform(csr_matrix((counted.counts, counted.columns, counted.starts), shape=shape))
    around = _context_of(examples, befores) if context else np.zeros((len(examples), len(befores) + LAST_PLACE + 1))
    coefficients, intercepts = np.zeros((1, shape[1] + around.shape[1])), np.zeros(1)
    if len(labels) > 1:
        features = hstack([csr_array(texts), csr_array(around)]).tocsr()
        model = LinearSVC(random_state=0, max_iter=10_000).fit(features, [example.label for example in examples])
        coefficients, intercepts = model.coef_, model.intercept_
    if len(labels) == 2:  # one row of weights, for the second label
        coefficients, intercepts = np.vstack([-coefficients, coefficients]), np.append(-intercepts, intercepts)
    weights = coefficients.T
    return Weights(
        labels=labels,
        vocabulary=counted.vocabulary,
        befores=befores,
        idf=weighing.idf_,
        of_letters=np.ascontiguousarray(weights[: shape[1]]),
        of_before=CONTEXT_WEIGHT * weights[shape[1] : shape[1] + len(befores)],
        of_place=CONTEXT_WEIGHT * weights[shape[1] + len(befores) :],
        intercepts=intercepts,
    )


def _context_of(examples: Sequence[Example], befores: Mapping[str, int]) -> Floats:
    """Features of context, shape (n_examples, n_befores + n_places)."""
    features = np.zeros((len(examples), len(befores) + LAST_PLACE + 1))
    for row, example in enumerate(examples):
        features[row, befores[example.before]] = CONTEXT_WEIGHT
        features[row, len(befores) + min(example.place, LAST_PLACE)] = CONTEXT_WEIGHT
    return features


class LinearClassifier(CachingClassifier):
    """Linear one-vs-rest support vector machine with confidence from its margins.

    It reads texts with a mask for every title, so that it need not learn titles, nor read the same sentence anew for each.
    """

    wants_bare = True

    def __init__(
        self,
        examples: Sequence[Example] = (),
        *,
        context: bool = True,
        temperature: float = USUAL_TEMPERATURE,
        unknown_below: float = 0.0,
        weights: Weights | None = None,
    ) -> None:
        """Fit the model, or use fitted weights.

        Args:
            examples: annotated utterances.
            context: whether the user's label before and the place in a burst are features.
            temperature: factor from margins to log odds, see ``fitted_temperature``.
            unknown_below: confidence below which a text is unknown.
            weights: what ``fitted_weights`` gave for the same examples and context; None: fitted now.

        Raises:
            DataError: there are neither examples nor weights.
        """
        super().__init__(unknown_below=unknown_below)
        self.context, self.temperature = context, temperature
        self._weights = weights or fitted_weights(examples, context=context)
        self.labels = self._weights.labels
        self._texts: dict[str, tuple[Floats | None]] = {}

    def margins(self, text: str, *, before: str, place: int) -> Floats | None:
        """Margin of each label, shape (n_labels,); None if too little of the text is known."""
        known = self._texts.get(text)
        if known is None:
            if len(self._texts) >= REMEMBERED_TEXTS:
                self._texts.clear()
            known = self._texts[text] = (self._margins_of(text),)
        scores = known[0]
        if scores is None or not self.context:
            return scores
        here: Floats = scores + self._weights.of_place[place]
        at = self._weights.befores.get(before)
        return here if at is None else here + self._weights.of_before[at]

    def _margins_of(self, text: str) -> Floats | None:
        """Margins from the text alone; None if too little of it is known."""
        learned = self._weights
        every = pieces(text)
        known = [at for piece in every if (at := learned.vocabulary.get(piece)) is not None]
        if not known or len(known) < MIN_KNOWN * len(every):
            return None
        counts = Counter(known)  # in the order in which they first occur, as sums depend on it in the last bit
        places = np.fromiter(counts, dtype=np.intp, count=len(counts))
        weights = (1 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))) * learned.idf[places]
        unit = weights / np.sqrt(weights @ weights)
        return np.asarray(unit @ learned.of_letters[places] + learned.intercepts)

    def _read(self, text: str, before: str, place: int) -> ActPrediction:
        scores = self.margins(text, before=before, place=place)
        if scores is None:
            return UNKNOWN
        best = int(scores.argmax())
        odds = np.exp(self.temperature * (scores - scores[best]))
        return ActPrediction(self.labels[best], round(float(1 / odds.sum()), 6))


def read_as(example: Example) -> str:
    """Text of an example as model input: titles masked, and truncated."""
    return (example.text if example.bare is None else example.bare)[:LONGEST]


def fitted_temperature(examples: Sequence[Example], groups: Sequence[int], *, context: bool = True) -> float:
    """Temperature that maximises the held-out likelihood, from a small grid.

    Args:
        examples: annotated utterances.
        groups: which dialogue each is from; whole dialogues are held out, every fifth at a time.
        context: as for ``LinearClassifier``.

    Returns:
        A usual value if there are fewer than ten dialogues, or one label.
    """
    if len(set(groups)) < 2 * FOLDS or len({example.label for example in examples}) < 3:
        return USUAL_TEMPERATURE
    losses = dict.fromkeys(TEMPERATURES, 0.0)
    for fold in range(FOLDS):
        rest = [example for example, group in zip(examples, groups, strict=True) if group % FOLDS != fold]
        model = LinearClassifier(rest, context=context)
        place = {label: at for at, label in enumerate(model.labels)}
        held = [e for e, group in zip(examples, groups, strict=True) if group % FOLDS == fold and e.label in place]
        for example in held:
            scores = model.margins(read_as(example), before=example.before, place=min(example.place, LAST_PLACE))
            if scores is not None:
                for temperature in TEMPERATURES:
                    odds = temperature * (scores - scores[place[example.label]])
                    losses[temperature] += float(np.log(np.exp(np.minimum(odds, 500)).sum()))
    return min(losses, key=lambda temperature: losses[temperature])


VERSION = 1  # of how weights are fitted and kept; part of the name of a file
FILES = 32  # files that are kept, of 1 MB each; bundled users need 8
ARRAYS = ("idf", "of_letters", "of_before", "of_place", "intercepts")


def cached_weights(examples: Sequence[Example], *, context: bool = True) -> Weights:
    """Weights identical to those of ``fitted_weights``: from this process, from the cache, or fitted now.

    Raises:
        DataError: there are no examples.
    """
    return _load_or_fit(tuple(examples), context, cache_folder() / "understanding")


@lru_cache(8)
def _load_or_fit(examples: tuple[Example, ...], context: bool, folder: Path) -> Weights:
    path = folder / f"{_name(examples, context)}.npz"
    with contextlib.suppress(OSError, ValueError, LookupError, EOFError, zipfile.BadZipFile):
        return _read(path)
    weights = fitted_weights(examples, context=context)
    with contextlib.suppress(OSError, UsageError):  # a cache that cannot be written costs seconds, not the result
        _write(weights, path)
    return weights


def _name(examples: tuple[Example, ...], context: bool) -> str:
    """A name for everything that the weights depend on."""
    versions = versions_of("numpy", "scipy", "scikit-learn")
    parts = [VERSION, versions, context, [astuple(example) for example in examples]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _read(path: Path) -> Weights:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:  # np.load leaves a damaged file open
        words: dict[str, Any] = json.loads(held["words"].tobytes())
        arrays = {name: held[name] for name in ARRAYS}
    return Weights(
        labels=tuple(words["labels"]),
        vocabulary={piece: at for at, piece in enumerate(words["vocabulary"])},
        befores={label: at for at, label in enumerate(words["befores"])},
        **arrays,
    )


def _write(weights: Weights, path: Path) -> None:
    words = {name: list(getattr(weights, name)) for name in ("labels", "vocabulary", "befores")}
    stream = io.BytesIO()
    arrays = {name: getattr(weights, name) for name in ARRAYS}
    np.savez(stream, words=np.frombuffer(json.dumps(words).encode(), dtype=np.uint8), **arrays)
    with open_replacing(path) as file:
        file.write(stream.getvalue())
    for old in sorted(path.parent.glob("*.npz"), key=lambda each: each.stat().st_mtime)[:-FILES]:
        old.unlink(missing_ok=True)
