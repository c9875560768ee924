"""Weights of the satisfaction estimator; ``benchmarks/satisfaction_training.py`` fitted those that are shipped."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from trialogue.fingerprints import TrainingDialogues
from trialogue.languages import ENGLISH
from trialogue.metrics.base import Array
from trialogue.metrics.satisfaction.domain import Domain
from trialogue.metrics.satisfaction.features import FEATURES, features_of
from trialogue.records import Dialogue, Record

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
