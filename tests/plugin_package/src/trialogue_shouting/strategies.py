"""A model of strategies for people who shout: what is in capitals is encouragement."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from trialogue.strategies import Context, Example, Floats, Kind

CLASSES = ("encouragement", "no_strategy")


class Shouted:
    """Capitals encourage, anything else does nothing."""

    name = "shouted"
    classes = CLASSES
    origin = "shouted|v1"
    uses_context = False

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        loud = np.array([0.9 if text.isupper() else 0.1 for text in texts])
        return np.column_stack([loud, 1 - loud])

    def save(self, folder: Path) -> None:
        """There is nothing to save."""


def fit_shouted() -> Callable[[Sequence[Example]], Shouted]:
    """There is nothing to learn."""
    return lambda examples: Shouted()


KIND = Kind("shouted", "Capitals encourage.", fit_shouted, lambda folder: Shouted())
