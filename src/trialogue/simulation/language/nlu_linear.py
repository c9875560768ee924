"""Understanding by a linear model over letters and context.

Features are TF-IDF weights of the letters of a text (two to four in a row, within words), what the user did before, and
the place in a burst. The user's own act tells much of what a reply to it is, and a user knows what they did. On
held-out dialogues of the annotated files (A / B / C) accuracy is .901 / .981 / .976; from the text alone
(``context=False``) .878 / .903 / .923; of ``Retrieval`` .854 / .841 / .899. A listener who knows what was asked might
be too ready to hear an answer to it: the share of user acts with an acceptable first reply is .807 / .849 / .743 by the
annotation, .815 / .862 / .739 as heard with context, and .768 / .773 / .733 without.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trialogue.simulation.language.nlu import LAST_PLACE, LONGEST, UNKNOWN, Example, Heard, Remembering, need_examples

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

LETTERS = (2, 4)
LEAST_KNOWN = 0.3  # of a text's pieces; of held-out messages of the annotated files .44 and more, of a page of HTML .2
CONTEXT_WEIGHT = 0.5  # of one context feature; a text's TF-IDF vector has length 1
TEMPERATURES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # factors from margins to log odds that are tried
USUAL_TEMPERATURE = 3.0  # what the annotated files give
FOLDS = 5
REMEMBERED_TEXTS = 5000  # whose scores are kept; another act before them needs no new reading

Floats = NDArray[np.float64]


class Linear(Remembering):
    """A linear support vector machine, one label against the others, with confidence from its margins.

    It reads texts with a mask for every title, so that it need not learn titles, nor read the same sentence anew for each.
    """

    wants_bare = True

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        context: bool = True,
        temperature: float = USUAL_TEMPERATURE,
        unknown_below: float = 0.0,
    ) -> None:
        """Fit.

        Args:
            examples: annotated utterances.
            context: whether the user's label before and the place in a burst are features.
            temperature: factor from margins to log odds, see ``fitted_temperature``.
            unknown_below: confidence below which a text is unknown.

        Raises:
            DataError: there are no examples.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        super().__init__(unknown_below=unknown_below)
        need_examples(examples)
        self.context, self.temperature = context, temperature
        self.labels = tuple(sorted({example.label for example in examples}))
        vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=LETTERS, sublinear_tf=True)
        texts = vectorizer.fit_transform([_read_as(example) for example in examples])
        self._vocabulary: dict[str, int] = vectorizer.vocabulary_
        self._idf: Floats = vectorizer.idf_
        self._pieces: Callable[[str], list[str]] = vectorizer.build_analyzer()
        self._befores = {label: at for at, label in enumerate(sorted({example.before for example in examples}))}
        self._fit(texts, examples)
        self._texts: dict[str, tuple[Floats | None]] = {}

    def _fit(self, texts: "csr_matrix", examples: Sequence[Example]) -> None:
        """Weights of the letters, shape (n_letters, n_labels); of befores and places; and the intercepts."""
        from scipy.sparse import csr_array, hstack
        from sklearn.svm import LinearSVC

        context = self._context_of(examples)
        n_letters, n_before = len(self._vocabulary), len(self._befores)
        coefficients, intercepts = np.zeros((1, n_letters + context.shape[1])), np.zeros(1)
        if len(self.labels) > 1:
            features = hstack([csr_array(texts), csr_array(context)]).tocsr()
            model = LinearSVC(random_state=0, max_iter=10_000).fit(features, [example.label for example in examples])
            coefficients, intercepts = model.coef_, model.intercept_
        if len(self.labels) == 2:  # one row of weights, for the second label
            coefficients, intercepts = np.vstack([-coefficients, coefficients]), np.append(-intercepts, intercepts)
        weights = coefficients.T
        self._of_letters: Floats = np.ascontiguousarray(weights[:n_letters])
        self._of_before: Floats = CONTEXT_WEIGHT * weights[n_letters : n_letters + n_before]
        self._of_place: Floats = CONTEXT_WEIGHT * weights[n_letters + n_before :]
        self._intercepts: Floats = intercepts

    def _context_of(self, examples: Sequence[Example]) -> Floats:
        """Features of context, shape (n_examples, n_befores + n_places); all 0 if they are not to be used."""
        table = np.zeros((len(examples), len(self._befores) + LAST_PLACE + 1))
        for row, example in enumerate(examples if self.context else ()):
            table[row, self._befores[example.before]] = CONTEXT_WEIGHT
            table[row, len(self._befores) + min(example.place, LAST_PLACE)] = CONTEXT_WEIGHT
        return table

    def margins(self, text: str, *, before: str, place: int) -> Floats | None:
        """How far the text is on each label's side, shape (n_labels,); None if too little of it is known."""
        known = self._texts.get(text)
        if known is None:
            if len(self._texts) >= REMEMBERED_TEXTS:
                self._texts.clear()
            known = self._texts[text] = (self._from_text(text),)
        scores = known[0]
        if scores is None or not self.context:
            return scores
        here: Floats = scores + self._of_place[place]
        at = self._befores.get(before)
        return here if at is None else here + self._of_before[at]

    def _from_text(self, text: str) -> Floats | None:
        """Margins from the text alone; None if too little of it is known."""
        counts: dict[int, int] = {}
        pieces = self._pieces(text)
        for piece in pieces:
            at = self._vocabulary.get(piece)
            if at is not None:
                counts[at] = counts.get(at, 0) + 1
        if not counts or sum(counts.values()) < LEAST_KNOWN * len(pieces):
            return None
        places = np.fromiter(counts, dtype=np.intp, count=len(counts))
        weights = (1 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))) * self._idf[places]
        unit = weights / np.sqrt(weights @ weights)
        return np.asarray(unit @ self._of_letters[places] + self._intercepts)

    def _read(self, text: str, before: str, place: int) -> Heard:
        scores = self.margins(text, before=before, place=place)
        if scores is None:
            return UNKNOWN
        best = int(scores.argmax())
        odds = np.exp(self.temperature * (scores - scores[best]))
        return Heard(self.labels[best], round(float(1 / odds.sum()), 6))


def _read_as(example: Example) -> str:
    return (example.text if example.bare is None else example.bare)[:LONGEST]


def fitted_temperature(examples: Sequence[Example], groups: Sequence[int], *, context: bool = True) -> float:
    """The factor from margins to log odds that makes held-out labels most likely, of a few that are tried.

    Args:
        examples: annotated utterances.
        groups: which dialogue each is from; whole dialogues are held out, every fifth at a time.
        context: as for ``Linear``.

    Returns:
        A usual value if there are fewer than ten dialogues, or one label.
    """
    if len(set(groups)) < 2 * FOLDS or len({example.label for example in examples}) < 3:
        return USUAL_TEMPERATURE
    losses = dict.fromkeys(TEMPERATURES, 0.0)
    for fold in range(FOLDS):
        rest = [example for example, group in zip(examples, groups, strict=True) if group % FOLDS != fold]
        model = Linear(rest, context=context)
        place = {label: at for at, label in enumerate(model.labels)}
        held = [e for e, group in zip(examples, groups, strict=True) if group % FOLDS == fold and e.label in place]
        for example in held:
            scores = model.margins(_read_as(example), before=example.before, place=min(example.place, LAST_PLACE))
            if scores is not None:
                for temperature in TEMPERATURES:
                    odds = temperature * (scores - scores[place[example.label]])
                    losses[temperature] += float(np.log(np.exp(np.minimum(odds, 500)).sum()))
    return min(losses, key=lambda temperature: losses[temperature])
