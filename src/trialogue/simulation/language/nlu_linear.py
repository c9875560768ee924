"""Linear classifier of agent utterances over character n-grams and context.

Features are TF-IDF weights of character n-grams (two to four, within words), the preceding user act, and
the position in a burst. The user's own act is informative about the reply, and a user knows it. On
held-out dialogues of the annotated files (A / B / C) accuracy is .901 / .981 / .976; from the text alone
(``context=False``) .878 / .903 / .923; of ``RetrievalClassifier`` .854 / .841 / .899. Context might bias the classifier
towards expected answers: the share of user acts with an acceptable first reply is .807 / .849 / .743 by the
annotation, .815 / .862 / .739 as classified with context, and .768 / .773 / .733 without.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trialogue.simulation.language.character_ngrams import pieces, table
from trialogue.simulation.language.nlu import (
    LAST_PLACE,
    LONGEST,
    UNKNOWN,
    ActPrediction,
    CachingClassifier,
    Example,
    need_examples,
)

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
