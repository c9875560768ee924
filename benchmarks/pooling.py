"""Ensembles chosen without the dialogues they are tested on: what choosing among ensembles on the tested folds is worth."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from benchmarks.kept import Once, Together
from trialogue.records import STRATEGIES
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Floats, StrategyClassifier
from trialogue.strategies.classifiers.ensemble import Mean
from trialogue.strategies.classifiers.tfidf import softmax
from trialogue.strategies.learning.calibration import codes, sharpen, temperature_of
from trialogue.strategies.learning.folds import WithExtra, fold_of_each, groups_of, out_of_fold

NETWORK_TEMPERATURES = (1.0, 1.25, 1.5, 1.75)
MEANS: tuple[Mean, ...] = ("arithmetic", "geometric")
TOO_SURE = ("n", "h", "g")
"""Members that are flattened: networks whose labels were not smoothed."""
WEIGHTS: tuple[dict[str, float], ...] = (
    {"n": 2, "t": 1, "e": 1},
    {"n": 1, "s": 1, "t": 1, "e": 1},
    {"n": 1, "h": 1, "t": 1, "e": 1},
    {"h": 2, "t": 1, "e": 1},
    {"n": 2, "s": 2, "h": 2, "t": 3, "e": 3},
    {"n": 1, "h": 1, "g": 1, "t": 1, "e": 1},
)
"""Sets of members: a network (n), one with smoothed labels (s), with context (h), with general sentences (g), TF-IDF (t) and
the encoder's linear model (e), both with context. The last one is shipped."""


@dataclass(frozen=True)
class Candidate:
    """An ensemble that might be taken."""

    weights: Mapping[str, float]
    """Of members by name."""
    mean: Mean
    temperature: float
    """Of the networks whose labels were not smoothed."""

    def temperatures(self, too_sure: Iterable[str]) -> tuple[float, ...]:
        return tuple(self.temperature if name in too_sure else 1.0 for name in self.weights)

    def pooled(self, rows: Mapping[str, Floats], too_sure: Iterable[str]) -> Floats:
        """Its probabilities, from those of the members."""
        total, found = sum(self.weights.values()), np.zeros(1)
        for (name, weight), flat in zip(self.weights.items(), self.temperatures(too_sure), strict=True):
            own = sharpen(rows[name], flat)
            found = found + weight / total * (np.log(np.maximum(own, 1e-6)) if self.mean == "geometric" else own)
        return softmax(found) if self.mean == "geometric" else found


@dataclass(frozen=True, eq=False)
class Chosen:
    """A fit that takes, of many ensembles, the one under which the labels of its training dialogues are likeliest.

    Likeliest by models that had not seen them: of each member there are out-of-fold probabilities of all sentences, and
    those of the sentences it is given are looked at. (The other folds' models behind these have seen the tested fold, as in
    the calibration of every other row.)
    """

    members: Mapping[str, Once]
    too_sure: tuple[str, ...]
    """Members that are flattened."""
    weights: tuple[Mapping[str, float], ...]
    """Of the ensembles to choose from."""
    examples: Sequence[Example]
    extra: tuple[Example, ...]
    _rows: dict[str, Floats] = field(default_factory=dict)

    def __call__(self, examples: Sequence[Example]) -> StrategyClassifier:
        rows, places = self._known(), self._places(examples)
        truth = codes([self.examples[place].label for place in places], STRATEGIES)
        own = {name: found[places] for name, found in rows.items()}
        best = max(self._candidates(), key=lambda each: _likelihood(each.pooled(own, self.too_sure), truth))
        print(f"chosen: {best.mean} at {best.temperature}, {dict(best.weights)}", flush=True)
        fits = tuple(self.members[name] for name in best.weights)
        weights, flat = tuple(best.weights.values()), best.temperatures(self.too_sure)
        return Together(fits, weights, best.mean, flat)(examples)

    def _candidates(self) -> Iterable[Candidate]:
        return (Candidate(*each) for each in product(self.weights, MEANS, NETWORK_TEMPERATURES))

    def _known(self) -> dict[str, Floats]:
        labels = [example.label for example in self.examples]
        fold_of = fold_of_each(labels, groups_of(self.examples, "dialogue"), folds=5, rng=rng_for(0, "folds"))
        for name in {name for weights in self.weights for name in weights} - set(self._rows):
            self._rows[name] = out_of_fold(
                WithExtra(self.members[name], self.extra), self.examples, fold_of, STRATEGIES
            )
        return self._rows

    def _places(self, examples: Sequence[Example]) -> list[int]:
        given = {id(example) for example in examples}
        return [place for place, example in enumerate(self.examples) if id(example) in given]


def _likelihood(rows: Floats, truth: np.ndarray) -> float:
    clear = sharpen(rows, temperature_of(rows, truth))
    return float(np.log(clear[np.arange(len(truth)), truth]).mean())
