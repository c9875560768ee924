"""Ensembles chosen by corpus: whether another than the shipped one would be, and whether it transfers better.

A part of ``benchmarks/ENCODERS.md``, which ``benchmarks/encoders.py`` writes. Each corpus of ``benchmarks/left_out.py``
is left out; candidates are compared on the others, by models that have not seen its labels, and the choice is scored on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from benchmarks.left_out import DOMAINS, INSPIRED, PAIRS, REDIAL, SHOP, Trial, clusters
from benchmarks.pooling import MEANS, NETWORK_TEMPERATURES, TOO_SURE, WEIGHTS, Candidate
from trialogue.seeds import rng_for
from trialogue.stats import auc
from trialogue.stats.resampling.replicates import weight_chunks
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.calibration import TEMPERATURES, shared_mass, sharpen
from trialogue.strategies.learning.dyads import Dyads, auc_by_weights

CORPORA = (INSPIRED, REDIAL, *DOMAINS, SHOP)
LINEAR = frozenset("te")  # members that are no networks
SHIPPED = Candidate(WEIGHTS[-1], "geometric", 1.5)
NETWORKS_ALONE: tuple[dict[str, float], ...] = ({"n": 1, "h": 1, "g": 1},)
CANDIDATES = (
    *(Candidate(*each) for each in product((*WEIGHTS, *NETWORKS_ALONE), MEANS, NETWORK_TEMPERATURES)),
    Candidate({"g": 1}, "arithmetic", 1.0),
)
"""Those of ``benchmarks/pooling.py``, and networks without linear models, which ReDial's 60 labels seem to favor."""
RESAMPLES = 1_000
MEASURES = ("log-likelihood", "accuracy", "AUC of pairs")
Criterion: TypeAlias = Literal["labels", "pairs"]
CRITERIA: tuple[Criterion, ...] = ("labels", "pairs")


@dataclass(frozen=True, eq=False)
class Said:
    """An ensemble's probabilities in a trial."""

    trial: Trial
    rows: Floats

    def at(self, temperature: float) -> "Said":
        return Said(self.trial, sharpen(self.rows, temperature))

    @property
    def labelled(self) -> Floats:
        return self.rows[self.trial.labelled]

    @property
    def likelihoods(self) -> Floats:
        """Log-likelihood of each label."""
        return _log_likelihoods(self.labelled, self.trial.truth)

    @property
    def right(self) -> Floats:
        """Whether the likeliest class is the label."""
        return np.asarray(self.labelled.argmax(axis=1) == self.trial.truth, dtype=np.float64)

    @property
    def chances(self) -> Floats:
        """What pairs are ordered by."""
        pairs = self.trial.pairs
        return shared_mass(self.rows[pairs.left], self.rows[pairs.right])

    @property
    def area(self) -> float:
        """AUC of the pairs."""
        return auc(self.chances, self.trial.pairs.same).value or 0.5


def _log_likelihoods(rows: Floats, truth: Ints) -> Floats:
    return np.asarray(np.log(np.clip(rows[np.arange(len(truth)), truth], 1e-12, None)))


def shares(corpora: Sequence[str]) -> Floats:
    """Shares of corpora in a mean: alike, and our domains are one corpus together."""
    raw = np.array([1 / sum(name in DOMAINS for name in corpora) if each in DOMAINS else 1.0 for each in corpora])
    return np.asarray(raw / raw.sum())


def mean_of(said: Sequence[Said], values: Sequence[float]) -> float:
    """Mean over trials that weighs every corpus alike."""
    found: dict[str, list[float]] = {}
    for each, value in zip(said, values, strict=True):
        found.setdefault(each.trial.corpus, []).append(value)
    return float(np.average([np.mean(own) for own in found.values()], weights=shares(list(found))))


def temperature_of(said: Sequence[Said]) -> float:
    """The temperature under which labels are likeliest, every corpus counting as much."""
    known = [(each.labelled, each.trial.truth) for each in said]

    def loss(log_temperature: float) -> float:
        temperature = float(np.exp(log_temperature))
        return -mean_of(said, [_log_likelihoods(sharpen(rows, temperature), truth).mean() for rows, truth in known])

    low, high = np.log(TEMPERATURES)
    return float(np.exp(minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-3}).x))


@dataclass(frozen=True, eq=False)
class Compared:
    """Candidates on the same trials, each with the temperature that suits it there."""

    temperatures: tuple[float, ...]
    labels: tuple[float, ...]
    """Mean log-likelihood."""
    pairs: tuple[float, ...]
    """Mean AUC."""

    def best(self, criterion: Criterion, among: Sequence[int] | None = None) -> int:
        """Place of the best candidate, of all or of these."""
        values = self.labels if criterion == "labels" else self.pairs
        return max(range(len(values)) if among is None else among, key=values.__getitem__)


class Field:
    """Candidates in trials: those for which networks were trained."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self.trials = [each for each in trials if each.rows.keys() >= SHIPPED.weights.keys()]
        self.members = set.intersection(*(set(each.rows) for each in self.trials))
        self.candidates = [each for each in CANDIDATES if self.members >= each.weights.keys()]
        self.shipped = self.candidates.index(SHIPPED)
        self.said = [
            [Said(trial, each.pooled(trial.rows, TOO_SURE)) for trial in self.trials] for each in self.candidates
        ]
        self._compared: dict[tuple[int, ...], Compared] = {}

    def of(self, corpus: str) -> list[int]:
        """Trials in which a choice is scored on that corpus: by models that were trained on all others."""
        hidden = corpus if corpus in DOMAINS else None
        return [at for at, each in enumerate(self.trials) if each.corpus == corpus and each.hidden == hidden]

    def corpora(self) -> list[str]:
        return [name for name in CORPORA if self.of(name)]

    def compared(self, places: Sequence[int]) -> Compared:
        """Candidates on these trials."""
        key = tuple(places)
        if key not in self._compared:
            found = [self._measured([own[at] for at in key]) for own in self.said]
            self._compared[key] = Compared(*(tuple(part) for part in zip(*found, strict=True)))
        return self._compared[key]

    def unseen_by(self, place: int) -> Compared:
        """Candidates on what a choice that is scored in a trial may look at."""
        return self.compared([at for at, each in enumerate(self.trials) if self.trials[place].is_unseen_by(each)])

    def scored(self, place: int, candidate: int) -> Said:
        """What a candidate says in a trial, at the temperature that suits it elsewhere."""
        return self.said[candidate][place].at(self.unseen_by(place).temperatures[candidate])

    @staticmethod
    def _measured(raw: Sequence[Said]) -> tuple[float, float, float]:
        temperature = temperature_of(raw)
        said = [each.at(temperature) for each in raw]
        labels = mean_of(said, [each.likelihoods.mean() for each in said])
        return temperature, labels, mean_of(said, [each.area for each in said])


@dataclass(frozen=True, eq=False)
class Gain:
    """What an ensemble scores above the shipped one on a corpus; arrays have one number for each of MEASURES."""

    chosen: tuple[int, ...]
    """Candidate in each trial."""
    value: Floats
    replicates: Floats
    """Shape (resamples, 3)."""

    def cells(self) -> list[str]:
        """Values with 95% intervals."""
        ends = np.quantile(self.replicates, [0.025, 0.975], axis=0)
        return [
            "0, the same" if not self.replicates[:, at].any() else f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
            for at, (value, low, high) in enumerate(zip(self.value, *ends, strict=True))
        ]


def gain(field: Field, corpus: str, chosen: Sequence[int]) -> Gain:
    """Of ensembles (one for each trial of the corpus) above the shipped one; resamples draw dialogues or sentences."""
    places = field.of(corpus)
    trials = [field.trials[at] for at in places]
    count, numbers = clusters(trials)
    sides = [
        (field.scored(at, candidate), field.scored(at, field.shipped))
        for at, candidate in zip(places, chosen, strict=True)
    ]

    def statistic(weights: Floats) -> Floats:
        found = [_gains(ours, theirs, weights, own) for (ours, theirs), own in zip(sides, numbers, strict=True)]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    chunks = weight_chunks(np.ones(count, np.int64), RESAMPLES, rng_for(0, "by corpus", corpus), width=8 * PAIRS)
    drawn = np.concatenate([statistic(weights) for weights in chunks])
    return Gain(tuple(chosen), statistic(np.ones((1, count)))[0], drawn)


def _gains(ours: Said, theirs: Said, weights: Floats, numbers: Ints) -> Floats:
    """One trial's gains, shape (r, 3)."""
    trial = ours.trial
    drawn = weights[:, numbers[trial.labelled]]
    total = np.maximum(drawn.sum(axis=1), 1e-12)
    labels = [(drawn @ (ours.likelihoods - theirs.likelihoods)) / total, (drawn @ (ours.right - theirs.right)) / total]
    if ours.rows is theirs.rows or np.array_equal(ours.rows, theirs.rows):
        return np.column_stack([*labels, np.zeros(len(weights))])
    areas = [auc_by_weights(_dyads(each, numbers, weights.shape[1]))(weights) for each in (ours, theirs)]
    return np.column_stack([*labels, areas[0] - areas[1]])


def _dyads(said: Said, numbers: Ints, count: int) -> Dyads:
    pairs, chances = said.trial.pairs, said.chances
    return Dyads(numbers[pairs.left], numbers[pairs.right], pairs.same, chances >= 0.5, chances, count)


def mean_gain(gains: Mapping[str, Gain]) -> Gain:
    """Over corpora, each counting as much; they are drawn independently, and are no sample of corpora."""
    each, weights = list(gains.values()), shares(list(gains))
    return Gain(
        (),
        np.average([one.value for one in each], axis=0, weights=weights),
        np.average([one.replicates for one in each], axis=0, weights=weights),
    )


def redrawn(field: Field, corpora: Sequence[str], compared: Compared) -> Floats:
    """Mean log-likelihood of each candidate above the shipped one in resamples of every corpus, shape (r, candidates)."""
    found: list[Floats] = []
    for corpus in corpora:
        places = field.of(corpus)
        count, numbers = clusters([field.trials[at] for at in places])
        weights = np.concatenate(
            list(weight_chunks(np.ones(count, np.int64), RESAMPLES, rng_for(0, "choice", corpus), width=count))
        )
        own: list[Floats] = []
        for at, groups in zip(places, numbers, strict=True):
            rows = [
                each[at].at(temperature).likelihoods
                for each, temperature in zip(field.said, compared.temperatures, strict=True)
            ]
            drawn = weights[:, groups[field.trials[at].labelled]]
            own.append((drawn @ np.column_stack(rows)) / drawn.sum(axis=1, keepdims=True))
        found.append(np.asarray(np.mean(own, axis=0)))
    mean = np.asarray(np.average(found, axis=0, weights=shares(corpora)), dtype=np.float64)
    return mean - mean[:, [field.shipped]]
