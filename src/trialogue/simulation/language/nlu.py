"""Natural language understanding of agent utterances: act labels with confidence, learned from annotated dialogues.

``RetrievalClassifier`` is the paper's method (Zhang and Balog, KDD 2020, sec. 4.4): the label of the same text, or else of
the nearest by TF-IDF cosine. ``LinearClassifier`` uses character n-grams and the preceding user act. For
leave-one-dialogue-out accuracy, agents A / B / C, see ``held_out_accuracy`` and ``benchmarks``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Mention, UnknownAct, Utterance
from trialogue.simulation.language.phrases import Linker

LONGEST = 2000  # characters that are read; a megabyte of text says what it is in the first of them
REMEMBERED = 20_000  # texts whose label is kept; agents have few sentences, but put many titles into them
MASK = "§"
"""Placeholder of titles, which do not matter to the act."""
START = ""
"""The user's label before they have said anything."""
WORD = re.compile(r"\b\w\w+\b|[^\W\d_]|\d")  # one-letter words too: a text may be "1"
LAST_PLACE = 3  # messages of a burst from here on count as one place


@dataclass(frozen=True, slots=True)
class Example:
    """An annotated agent utterance with its context."""

    text: str
    """Text of the agent."""
    label: str
    before: str = START
    """The label of the user utterance it answers."""
    place: int = 0
    """Its place in a burst of messages, from 0."""
    bare: str | None = None
    """Text with ``MASK`` for every title; None: no titles, or not linked."""


@dataclass(frozen=True, slots=True)
class ActPrediction:
    """Predicted label of a text, with its confidence."""

    label: str | None
    """The label; None: unknown."""
    confidence: float
    """From 0 to 1: the cosine for a retrieved label, the estimated probability for a linear or a language model's."""
    why: UnknownAct | None = None
    """Why a language model gave no label; None: it gave one, or another classifier was asked."""


UNKNOWN = ActPrediction(None, 0.0)


class ActClassifier(Protocol):
    """Interface of classifiers of agent utterances."""

    @property
    def wants_bare(self) -> bool:
        """Whether it reads texts with titles replaced by ``MASK``."""
        ...

    def read(self, text: str, *, before: str = START, place: int = 0) -> ActPrediction:
        """Predict a text's label from the preceding user label and its position in a burst; unknown if nothing fits."""
        ...


def mask_mentions(text: str, mentions: Iterable[Mention]) -> str:
    """Replace every mention with offsets by ``MASK``.

    >>> mask_mentions("Try Heat (1995)!", [Mention(title="Heat", start=4, end=15)])
    'Try §!'
    """
    pieces, at = [], 0
    for start, end in sorted((m.start, m.end) for m in mentions if m.start is not None and m.end is not None):
        if start >= at:
            pieces += [text[at:start], MASK]
            at = end
    return "".join([*pieces, text[at:]])


def examples_of(dialogues: Iterable[Dialogue], *, linker: Linker | None = None) -> list[Example]:
    """All annotated agent utterances in order; the linker finds titles where the corpus has no mentions."""
    found = []
    for dialogue in dialogues:
        before, place = START, 0
        for utterance in dialogue.utterances:
            label = next((act.intent for act in utterance.acts or () if act.intent), None)
            if utterance.speaker == "user":
                before, place = label or START, 0
                continue
            if label is not None:
                found.append(Example(utterance.text, label, before, place, _bare(utterance, linker)))
            place += 1
    return found


def _bare(utterance: Utterance, linker: Linker | None) -> str | None:
    found = utterance.mentions
    if found is None:
        found = linker.find(utterance.text[:LONGEST]) if linker is not None else ()
    bare = mask_mentions(utterance.text, found)
    return None if bare == utterance.text else bare


class CachingClassifier:
    """Shared base: exact matches, a cache of texts, and the threshold below which a label is unknown."""

    wants_bare = False

    def __init__(self, *, unknown_below: float) -> None:
        self.unknown_below = unknown_below
        self._memory: dict[tuple[str, str, int], ActPrediction] = {}

    def read(self, text: str, *, before: str = START, place: int = 0) -> ActPrediction:
        """Predict the label of a text; unknown below the confidence threshold, or without a known word."""
        key = (text, before, place)
        heard = self._memory.get(key)
        if heard is None:
            if len(self._memory) >= REMEMBERED:
                self._memory.clear()
            heard = self._read(text[:LONGEST], before, min(place, LAST_PLACE))
            if heard.confidence < self.unknown_below:
                heard = ActPrediction(None, heard.confidence)
            if len(text) <= LONGEST:
                self._memory[key] = heard
        return heard

    def _read(self, text: str, before: str, place: int) -> ActPrediction:
        raise AssertionError("subclasses must implement _read")  # pragma: no cover - always overridden


class RetrievalClassifier(CachingClassifier):
    """Label of the identical text (of several, the last), or else of the nearest text by TF-IDF cosine.

    Of equally near texts the first counts. Unknown if no word occurs in the examples.
    """

    def __init__(self, examples: Sequence[Example], *, unknown_below: float = 0.0) -> None:
        """Index the examples.

        Raises:
            DataError: there are none.
        """
        super().__init__(unknown_below=unknown_below)
        need_examples(examples)
        self._exact = {example.text: example.label for example in examples}
        self._texts = tuple(self._exact)
        counted = [Counter(_words(text)) for text in self._texts]
        texts_with = Counter(word for counts in counted for word in counts)
        self._vocabulary = {word: at for at, word in enumerate(sorted(texts_with))}
        frequency = np.array([texts_with[word] for word in self._vocabulary], dtype=np.float64)
        idf = np.log((len(counted) + 1) / (frequency + 1)) + 1  # smoothed, as if one more text held every word
        self._idf: list[float] = idf.tolist()
        self._columns = np.zeros((len(self._vocabulary), len(counted)))
        for column, counts in enumerate(counted):
            rows = [self._vocabulary[word] for word in counts]
            weights = np.array([*counts.values()]) * idf[rows]
            self._columns[rows, column] = weights / (sum((weights * weights).tolist()) ** 0.5 or 1.0)

    def _read(self, text: str, before: str, place: int) -> ActPrediction:
        if text in self._exact:
            return ActPrediction(self._exact[text], 1.0)
        counts: dict[int, int] = {}
        for word in _words(text):
            at = self._vocabulary.get(word)
            if at is not None:
                counts[at] = counts.get(at, 0) + 1
        if not counts:
            return UNKNOWN
        weights = [count * self._idf[at] for at, count in counts.items()]
        scores = weights @ self._columns[list(counts)]
        nearest = int(scores.argmax())
        cosine = float(scores[nearest]) / sum(weight * weight for weight in weights) ** 0.5
        return ActPrediction(self._exact[self._texts[nearest]], min(1.0, round(cosine, 6)))


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


@dataclass(frozen=True)
class Accuracy:
    """Accuracy on held-out utterances."""

    right: int
    """Utterances with the annotated label."""
    unknown: int
    """Utterances that were said to be unknown; never right."""
    total: int
    """All agent utterances."""

    @property
    def share(self) -> float | None:
        """Share of correct predictions; None without any."""
        return self.right / self.total if self.total else None


def held_out_accuracy(
    dialogues: Sequence[Dialogue],
    fit: Callable[[Sequence[Example]], ActClassifier],
    *,
    linker: Linker | None = None,
) -> Accuracy:
    """Leave-one-dialogue-out accuracy on agent utterances.

    The user's label before is the annotated one: a simulated user knows what it did. With fewer than two dialogues
    there is nothing to hold out, and the total is 0.
    """
    by_dialogue = [examples_of([dialogue], linker=linker) for dialogue in dialogues]
    right = unknown = total = 0
    for held, tested in enumerate(by_dialogue):
        rest = [example for other, examples in enumerate(by_dialogue) if other != held for example in examples]
        if not rest:
            continue
        model = fit(rest)
        texts = [e.bare if model.wants_bare and e.bare is not None else e.text for e in tested]
        heard = [model.read(t, before=e.before, place=e.place).label for t, e in zip(texts, tested, strict=True)]
        right += sum(label == example.label for label, example in zip(heard, tested, strict=True))
        unknown += heard.count(None)
        total += len(tested)
    return Accuracy(right, unknown, total)


def need_examples(examples: Sequence[Example]) -> None:
    """Raise DataError if there are no examples."""
    if not examples:
        hint = "Language understanding is trained on dialogues whose agent utterances have acts."
        raise DataError(Problem("there is no annotated agent utterance to train on.", hint=hint))
