"""One side of a passport's comparison: what the users of some dialogues said and did, counted, and random halves
of it."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from trialogue.stats.resampling.clusters import codes_of
from trialogue.subjects.agreement.score_pairs import Floats

DRAWS = 200  # random halves


@dataclass(frozen=True)
class UserSample:
    """The users of some dialogues, all tuples in the order of the dialogues."""

    rows: Floats
    """Features of each dialogue, shape (n, k)."""
    clusters: tuple[str, ...]
    """User of each dialogue: a person, a need, or the dialogue itself."""
    systems: tuple[str, ...]
    """System of each dialogue."""
    counts: dict[str, tuple[Counter[Hashable], ...]]
    """Counts in each dialogue, by name of the distance."""

    def __len__(self) -> int:
        return len(self.clusters)

    @cached_property
    def people(self) -> int:
        """Independent users."""
        return len(set(self.clusters))

    @cached_property
    def codes(self) -> npt.NDArray[np.intp]:
        """The cluster of each dialogue, as a number."""
        _, codes = codes_of(self.clusters)
        return np.asarray(codes, dtype=np.intp)


@dataclass(frozen=True)
class Halves:
    """Random choices of whole clusters: a half of the real users, as many others of them, as many simulated ones.

    All three have about as many dialogues, since a distance between samples of counts shrinks as these grow.
    """

    real: Floats
    """0 or 1 for each real dialogue, shape (draws, n_real)."""
    others: Floats
    """The same of other real users."""
    simulated: Floats
    """0 or 1 for each simulated dialogue, shape (draws, n_simulated)."""


def halves_of(real: UserSample, simulated: UserSample, rng: Callable[[str], np.random.Generator]) -> Halves:
    """Random halves; ``rng`` gives the generator of a name. Both sides need two clusters at least."""
    size = min(len(real) / 2, len(simulated) / 2)
    first, second = _disjoint(real, size, rng("halves of the real users"))
    own, _ = _disjoint(simulated, size, rng("halves of the simulated users"))
    return Halves(first, second, own)


def _disjoint(side: UserSample, size: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two disjoint random sets of clusters of about ``size`` dialogues each, in every draw."""
    clusters = side.people
    per_cluster = np.bincount(side.codes, minlength=clusters)
    orders = rng.permuted(np.tile(np.arange(clusters), (DRAWS, 1)), axis=1)
    first, second = np.zeros((DRAWS, len(side))), np.zeros((DRAWS, len(side)))
    for draw, order in enumerate(orders):
        # the first clusters up to the size, then the next ones up to twice the size; never an empty set
        ends = np.cumsum(per_cluster[order])
        one = min(max(1, int(np.searchsorted(ends, size, side="right"))), clusters - 1)
        two = max(one + 1, int(np.searchsorted(ends, 2 * size, side="right")))
        chosen = np.zeros(clusters, dtype=np.intp)
        chosen[order[:one]], chosen[order[one:two]] = 1, 2
        of_dialogue = chosen[side.codes]
        first[draw], second[draw] = of_dialogue == 1, of_dialogue == 2
    return first, second


def count_tables(sides: Sequence[Sequence[Mapping[Hashable, int]]]) -> list[Any]:
    """For each side a sparse matrix of shape (n, keys), the keys of all sides in rising order."""
    from scipy.sparse import csr_array

    keys = sorted(
        {key for side in sides for counts in side for key in counts}, key=lambda key: (isinstance(key, str), key)
    )
    places = {key: place for place, key in enumerate(keys)}
    tables: list[Any] = []
    for side in sides:
        rows = [row for row, counts in enumerate(side) for _ in counts]
        columns = [places[key] for counts in side for key in counts]
        values = [float(count) for counts in side for count in counts.values()]
        tables.append(csr_array((values, (rows, columns)), shape=(len(side), len(keys))))
    return tables
