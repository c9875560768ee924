"""Opinions of scripted participants: utilities, and how they become ratings, choices and labels.

A reply has the utility ``effect of its system + item + person + noise``, with noise from the standard logistic distribution:
the cumulative-link mixed model with crossed random effects that the analysis fits, so that its estimates can be compared
with the simulated effects, in logits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trialogue.seeds import rng_for

ITEM_SPREAD = 0.5  # standard deviation of items, in logits
PERSON_SPREAD = 0.7  # of persons
SAME = 0.6  # difference of utilities below which two sides are called the same


def point(utility: float, points: int) -> int:
    """The point of a scale, counted from 1, by thresholds at the logits of 1/points, 2/points, ...

    >>> [point(utility, 5) for utility in (-9.0, -0.5, 0.0, 0.5, 9.0)]
    [1, 2, 3, 4, 5]
    """
    shares = np.arange(1, points) / points
    return 1 + int(np.searchsorted(np.log(shares / (1 - shares)), utility))


@dataclass
class Taste:
    """The preferences of one person.

    Args:
        effects: utility by system, in logits.
        seed: seed of the study; items have the same difficulty for everybody.
        rng: random generator of the person.
        severity: severity of the person, added to every utility.
        errors: share of labels that are wrong.
    """

    effects: Mapping[str, float]
    seed: int
    rng: np.random.Generator
    severity: float = 0.0
    errors: float = 0.15
    _items: dict[str, float] = field(default_factory=dict)

    def utility(self, systems: Iterable[str], item: str) -> float:
        """Sampled utility of a reply; a reply given by several systems has their mean effect."""
        known = [self.effects.get(system, 0.0) for system in systems]
        effect = sum(known) / len(known) if known else 0.0
        return effect + self._item(item) + self.severity + float(self.rng.logistic())

    def _item(self, item: str) -> float:
        if item not in self._items:
            self._items[item] = float(rng_for(self.seed, "difficulty", item).normal(0, ITEM_SPREAD))
        return self._items[item]

    def side(self, first: Iterable[str], second: Iterable[str]) -> str:
        """``1``, ``same`` or ``2``: which of two is preferred; item and person cancel out."""
        means = []
        for systems in (first, second):
            known = [self.effects.get(system, 0.0) for system in systems]
            means.append(sum(known) / len(known) if known else 0.0)
        felt = means[0] - means[1] + float(self.rng.logistic())
        return "same" if abs(felt) < SAME else ("1" if felt > 0 else "2")

    def label(self, true: str, text: str, values: Sequence[str]) -> str:
        """A label: the true one, or now and then another. Where the researcher knows none, one that the text implies."""
        right = true if true in values else values[int(rng_for(self.seed, "label", text).integers(len(values)))]
        others = [value for value in values if value != right]
        if others and self.rng.random() < self.errors:
            return others[int(self.rng.integers(len(others)))]
        return right
