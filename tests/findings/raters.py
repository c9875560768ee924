"""Scores and votes made up for tests of agreement: a stated truth, people who see it with noise, measures that do too."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from trialogue.records import Manifest, Preference, Score

MANIFEST = Manifest(command="test", inputs={"made": "0" * 64})
SYSTEMS = ("a", "b", "c", "d", "e", "f")


def rated(
    values: Iterable[Any],
    people: Iterable[Any],
    systems: Sequence[str],
    *,
    measure: str = "metric",
    question: str = "human:satisfaction",
    raters: Sequence[str] | None = None,
) -> list[Score]:
    """A score of a measure and of a person for each dialogue; None: nobody rated it, NaN: the measure has no value."""
    scores = []
    for place, (value, rating, system) in enumerate(zip(values, people, systems, strict=True)):
        about: dict[str, Any] = {"level": "dialogue", "system": system, "dialogue_id": f"{system}-{place}"}
        missing = np.isnan(value)
        scores.append(
            Score(measure=measure, value=None if missing else value, why="none" if missing else None, **about)
        )
        if rating is not None:
            rater = raters[place] if raters else f"person {place}"
            scores.append(Score(measure=question, value=rating, rater=rater, **about))
    return scores


def truth(size: int = 120, *, between: float = 1.0, seed: int = 0) -> tuple[npt.NDArray[np.float64], list[str]]:
    """How good each dialogue is, and its system; systems differ by ``between``."""
    rng = np.random.default_rng(seed)
    systems = [SYSTEMS[place % len(SYSTEMS)] for place in range(size)]
    return np.array([between * SYSTEMS.index(system) for system in systems]) + rng.normal(size=size), systems


def votes(values: Any, systems: Sequence[str], *, tie: float = 0.0, rater: str = "") -> list[Preference]:
    """Choices between neighbouring dialogues of different systems, the better one chosen, ties below a difference."""
    found = []
    for place, (one, other) in enumerate(pairwise(range(len(values)))):
        gap = values[one] - values[other]
        found.append(
            Preference(
                id=f"{rater}{place}",
                a=systems[one],
                b=systems[other],
                choice="tie" if abs(gap) <= tie else "a" if gap > 0 else "b",
                rater=rater or f"person {place}",
                dialogue_a=f"{systems[one]}-{one}",
                dialogue_b=f"{systems[other]}-{other}",
            )
        )
    return found
