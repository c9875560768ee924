"""Weights of the satisfaction estimator, and its domain: the range of dialogues it was fitted on.

``benchmarks/satisfaction_training.py`` fitted the weights that are shipped. An estimator learned from 474 dialogues about
films is not valid for others, and its value does not show it. The criterion is meant to be understood and checked by a
reader, not to be sharp: a dialogue is in the domain if its number of user turns, the words of its user turns and those of
its replies lie between the 1st and the 99th percentile of the training dialogues, and if it is about films where they were
(a word of ``ABOUT_FILMS`` occurs; of CRSArena-Dial's dialogues 95%). The language is declared on the card and checked as for
every other measure.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from trialogue.fingerprints import TrainingDialogues
from trialogue.languages import ENGLISH, with_spaces
from trialogue.long_work import PerObject
from trialogue.metrics.base import Array
from trialogue.metrics.satisfaction.features import FEATURES, features_of
from trialogue.records import Departure, Dialogue, DomainFit, Record, Utterance

PERCENTILES = (1, 99)
MIN_FILM_SHARE = 0.75  # share of the training dialogues that must be about films for films to be their subject
ABOUT_FILMS = re.compile(
    r"\b(movies?|films?|cinemas?|actors?|actress(es)?|directors?|directed|starring|stars|sequels?|trailers?|genres?"
    r"|comed(y|ies)|thrillers?|horror|sci-?fi|westerns?|romcoms?|animated|animation|netflix|watch(ed|ing)?)\b",
    re.IGNORECASE,
)


class Domain(Record):
    """Domain of training dialogues; each pair holds the lowest and highest value inside it."""

    user_turns: tuple[float, float]
    """Utterances of the user in a dialogue."""
    user_words: tuple[float, float]
    """Mean words of a user's utterance."""
    reply_words: tuple[float, float]
    """Mean words of a system's utterance."""
    films: bool
    """Whether they are about films."""

    @property
    def description(self) -> str:
        """Description such as ``about films, 1 to 12 user turns of 1 to 25 words, replies of 4 to 45 words``."""
        subject = "about films, " if self.films else ""
        turns, words, replies = (
            f"{low:.0f} to {high:.0f}" for low, high in (self.user_turns, self.user_words, self.reply_words)
        )
        return f"{subject}{turns} user turns of {words} words, replies of {replies} words"

    def departures(self, dialogue: Dialogue) -> tuple[Departure, ...]:
        """Ways in which a dialogue is outside the domain; empty if it is inside."""
        turns, user_words, reply_words = _lengths(dialogue)
        measured: tuple[tuple[Departure, float, tuple[float, float]], ...] = (
            ("turns", turns, self.user_turns),
            ("user_words", user_words, self.user_words),
            ("reply_words", reply_words, self.reply_words),
        )
        lengths = tuple(name for name, value, (low, high) in measured if not low <= value <= high)
        return lengths if not self.films or mentions_films(dialogue) else ("subject", *lengths)

    def fit(self, measure: str, dialogues: Iterable[Dialogue], *, is_measured: bool) -> DomainFit:
        """Count the dialogues inside the domain.

        Args:
            measure: full name of the measure whose domain this is.
            dialogues: what it is to measure.
            is_measured: whether it is computed in any case.
        """
        found = [self.departures(dialogue) for dialogue in dialogues]
        counts = Counter(departure for departures in found for departure in departures)
        return DomainFit(
            measure=measure,
            domain=self.description,
            dialogues=len(found),
            inside=sum(not departures for departures in found),
            departures=dict(sorted(counts.items())),
            is_measured=is_measured,
        )


def domain_of(dialogues: Sequence[Dialogue]) -> Domain:
    """Domain of training dialogues, at least one."""
    ranges: Array = np.percentile([_lengths(dialogue) for dialogue in dialogues], PERCENTILES, axis=0).round(2)
    user_turns, user_words, reply_words = ((float(low), float(high)) for low, high in ranges.T)
    films = float(np.mean([mentions_films(dialogue) for dialogue in dialogues])) >= MIN_FILM_SHARE
    return Domain(user_turns=user_turns, user_words=user_words, reply_words=reply_words, films=films)


def mentions_films(dialogue: Dialogue) -> bool:
    """Whether a dialogue contains a word about films."""
    return any(ABOUT_FILMS.search(utterance.text) for utterance in dialogue.utterances)


def _lengths(dialogue: Dialogue) -> tuple[float, float, float]:
    """User turns, mean words of them, mean words of replies; 0 where a speaker says nothing."""
    words: dict[str, list[int]] = {"user": [], "system": []}
    for said in dialogue.utterances:
        words[said.speaker].append(_count_words(said))
    means = [sum(counts) / len(counts) if counts else 0.0 for counts in words.values()]  # numpy is slow on short lists
    return len(words["user"]), means[0], means[1]


@PerObject
def _count_words(said: Utterance) -> int:
    """Words between spaces; in scripts without spaces, every character counts as one."""
    text = said.text
    return len((text if text.isascii() else with_spaces(text)).split())


PENALTY = 0.1  # of half the squared weights, against the mean loss of a dialogue
MIN_DIALOGUES = 10  # dialogues of each kind
SAME = 1e-6  # standard deviation below which a feature does not vary


class Weights(Record):
    """Fitted linear model: standardisation and coefficients."""

    means: tuple[float, ...]
    """Mean of each feature over the training dialogues."""
    scales: tuple[float, ...]
    """Standard deviation of each feature there; 1 where it does not vary."""
    weights: tuple[float, ...]
    """Per standard deviation, in the order of FEATURES."""
    intercept: float
    """Log odds of satisfaction of an average training dialogue."""
    dialogues: int
    """It was fitted on."""

    def points(self, rows: Array) -> Array:
        """Log odds relative to an average dialogue, shape (n,) for features of shape (n, k)."""
        standard = (rows - np.array(self.means)) / np.array(self.scales)
        points: Array = standard @ np.array(self.weights)
        return points


class SatisfactionModel(Record):
    """The estimator: weights from all training dialogues, and per system weights fitted without it."""

    kind: ClassVar[str] = "satisfaction-model"

    origin: str
    """Corpus, revision and number of dialogues that it was fitted on."""
    features: tuple[str, ...]
    """Names of the features; must be those of this version."""
    everything: Weights
    """From all training dialogues: for systems that are not among them."""
    without: dict[str, Weights]
    """By system: from the dialogues of other systems, with other people; a system is not here where those are too few."""
    fingerprints: TrainingDialogues
    """Fingerprints of the training dialogues, by system."""
    domain: Domain
    """Domain of the training dialogues."""
    languages: tuple[str, ...] = ENGLISH
    """ISO 639 codes of the languages of the training dialogues."""


def matrix(dialogues: Sequence[Dialogue]) -> Array:
    """Feature matrix of dialogues, shape (n, k)."""
    return np.array([features_of(dialogue) for dialogue in dialogues], dtype=np.float64).reshape(-1, len(FEATURES))


def unseen_mask(dialogues: Sequence[Dialogue], systems: Sequence[str]) -> Array:
    """Mask of dialogues neither with one of the systems nor by a person who also talked with one, shape (n,), bool."""
    people = {dialogue.user for dialogue in dialogues if dialogue.system in systems and dialogue.user}
    return np.array([dialogue.system not in systems and dialogue.user not in people for dialogue in dialogues])
