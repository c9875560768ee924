"""Profile of the corpus a model was calibrated on, and detection of texts from elsewhere.

A calibration holds for texts like those it was fitted on. Two properties of texts are compared with them: the share of words
that the calibration data lack, and the mean strategy distribution. Each has a limit, which dialogues of the same corpus
exceed in 5% of cases; limits shrink with the number of sentences. Words are stored as hashes.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from pydantic import Field

from trialogue.records import Record
from trialogue.records.kinds.shifts import CorpusShift, TransferError
from trialogue.strategies.base import Floats
from trialogue.strategies.learning.folds import places_of

DIGITS = 6  # of a word's hash, in hexadecimal: of 2,000 known words, one unknown word in 8,000 seems known
DRAWS = 500  # resamples of the dialogues for the spread of the mean distribution
ONE_SIDED = 1.645  # standard errors that 5% of normal values exceed
TOO_FAR = 3.0
"""Multiple of the usual share of unknown words from which there is no estimate.

A bundled model meets 2.7 times the usual share in dialogues about goods of four other kinds (MG-ShopDial); beyond that no
transfer was measured (benchmarks/SHIFT.md).
"""
TOO_WEAK = 1.0
"""Sensitivity of a model from which there is no estimate elsewhere.

Models whose transfer was measured have .2 to .45. Models of MG-ShopDial's intents, trained on some 800 sentences, have 2
to 2.5, and were off by up to .3 on goods that were left out (benchmarks/SHIFT.md).
"""
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

ELSEWHERE = TransferError(none_match=0.0014, both=0.0027, all_match=0.0149, of_system=0.0005)
"""Transfer error of TF-IDF models calibrated on INSPIRED, tested on our two sets of sentences (benchmarks/SHIFT.md).

Mean squares of four transfers: from INSPIRED alone, and from INSPIRED with one set, to a set that was left out. It is used
for every model, since leaving corpora out takes several of them. No sentence of the corpora on which it is tested took part.
"""


class CorpusProfile(Record):
    """Words and strategies of calibration data, with their spread between its dialogues."""

    vocabulary: str
    """Hashes of its words, sorted, with blanks between them."""
    words: int = Field(ge=0)
    """Number of words, repeated ones included."""
    unknown_words: float = Field(ge=0, le=1)
    """Share of a dialogue's words that no other dialogue has."""
    unknown_words_error: float = Field(ge=0)
    """Standard error of that share, for one word; divide by the root of the number of words."""
    sentences: int = Field(ge=1)
    """Number of sentences in the calibration data."""
    mix: dict[str, float]
    """Mean probability of each strategy."""
    sensitivity: float = Field(ge=0)
    """Change of an estimated share of matches, near one half, per unit of error in the log odds of a match. With r the
    probability of a match of each pair, the mean of r (1 - r) over that of (2 r - 1)^2: large if a model cannot tell."""
    mix_spread: float = Field(ge=0)
    """Total variation distance that 5% of resamples exceed, times the root of ``sentences``."""

    @cached_property
    def known_words(self) -> frozenset[str]:
        """Hashes of its words."""
        return frozenset(self.vocabulary.split())


def words_of(text: str) -> list[str]:
    """Lower-case words of a text, without numbers.

    >>> words_of("Don’t miss Alien 3!")
    ["don't", 'miss', 'alien']
    """
    return [word.lower().replace("’", "'") for word in _WORDS.findall(text)]


def profile_of(
    texts: Sequence[str],
    probabilities: Floats,
    classes: Sequence[str],
    groups: Sequence[Hashable],
    *,
    doubt: float,
    rng: np.random.Generator,
) -> CorpusProfile:
    """Profile of labelled sentences.

    Args:
        texts: at least one text.
        probabilities: calibrated, of sentences that the model has not seen, shape (n, n_classes).
        classes: order of the columns.
        groups: dialogue of each sentence.
        doubt: mean of r (1 - r) over pairs of which half match, r the probability of a match; 0 to 1/4.
        rng: source of randomness of the resamples.
    """
    places = places_of(list(groups))
    used: dict[int, Counter[str]] = {place: Counter() for place in sorted(set(places.tolist()))}
    for place, text in zip(places.tolist(), texts, strict=True):
        used[place].update(words_of(text))
    dialogues_with = Counter(word for own in used.values() for word in own)
    counts = np.array(
        [[sum(n for word, n in own.items() if dialogues_with[word] == 1), own.total()] for own in used.values()],
        dtype=np.float64,
    )
    total = counts.sum(axis=0)
    share = float(total[0] / total[1]) if total[1] else 0.0
    error = float(np.sqrt(((counts[:, 0] - share * counts[:, 1]) ** 2).sum() / total[1])) if total[1] else 0.0
    return CorpusProfile(
        vocabulary=" ".join(sorted({_hash(word) for word in dialogues_with})),
        words=int(total[1]),
        unknown_words=share,
        unknown_words_error=error,
        sentences=len(texts),
        mix={name: round(float(mean), 6) for name, mean in zip(classes, probabilities.mean(axis=0), strict=True)},
        sensitivity=doubt / max(1 - 4 * doubt, 1e-6),
        mix_spread=_mix_spread(probabilities, places, rng),
    )


@dataclass
class TextTally:
    """Words and strategies of texts of one side, counted one text at a time."""

    texts: int = 0
    words: int = 0
    unknown: int = 0
    """Words that the calibration data lack."""
    sums: dict[str, float] = field(default_factory=dict)
    """Sum of the probabilities of each strategy."""

    def add(self, profile: CorpusProfile, text: str, belief: Mapping[str, float]) -> None:
        """Count a text.

        Args:
            profile: profile of the calibration data.
            text: one utterance.
            belief: the model's strategy distribution of it.
        """
        words = words_of(text)
        self.texts += 1
        self.words += len(words)
        self.unknown += sum(_hash(word) not in profile.known_words for word in words)
        for name, probability in belief.items():
            self.sums[name] = self.sums.get(name, 0.0) + probability

    def shift_from(self, profile: CorpusProfile, *, error: TransferError) -> CorpusShift | None:
        """Distance from a profile; None if it is within the limits, or there are no texts.

        Args:
            profile: profile of the calibration data, the one that words were counted with.
            error: transfer error to be expected of texts from elsewhere.
        """
        if not self.texts:
            return None
        unknown = self.unknown / max(self.words, 1)
        spread = profile.unknown_words_error * _root_of_sizes(self.words, profile.words)
        word_limit = profile.unknown_words + ONE_SIDED * spread
        names = sorted({*profile.mix, *self.sums})
        means = [self.sums.get(name, 0.0) / self.texts for name in names]
        distance = sum(abs(mean - profile.mix.get(name, 0.0)) for name, mean in zip(names, means, strict=True)) / 2
        mix_limit = profile.mix_spread * _root_of_sizes(self.texts, profile.sentences)
        if unknown <= word_limit and distance <= mix_limit:
            return None
        too_far = unknown > TOO_FAR * max(profile.unknown_words, 0.01) and unknown > word_limit
        return CorpusShift(
            sentences=self.texts,
            unknown_words=round(unknown, 6),
            unknown_words_limit=round(word_limit, 6),
            mix_distance=round(min(distance, 1.0), 6),
            mix_distance_limit=round(mix_limit, 6),
            error=None if too_far or profile.sensitivity > TOO_WEAK else error,
        )


def _root_of_sizes(here: int, there: int) -> float:
    """Root of 1 / n + 1 / m: both sides are samples."""
    return float(np.sqrt(1 / max(here, 1) + 1 / max(there, 1)))


def _mix_spread(probabilities: Floats, places: np.ndarray, rng: np.random.Generator) -> float:
    size = int(places.max()) + 1
    sums = np.zeros((size, probabilities.shape[1]))
    np.add.at(sums, places, probabilities)
    counts = np.bincount(places, minlength=size).astype(np.float64)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=DRAWS).astype(np.float64)
    means = (drawn @ sums) / np.maximum(drawn @ counts, 1)[:, None]
    distances = np.abs(means - probabilities.mean(axis=0)).sum(axis=1) / 2
    return float(np.quantile(distances, 0.95) * np.sqrt(len(probabilities)))


def _hash(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()[:DIGITS]
