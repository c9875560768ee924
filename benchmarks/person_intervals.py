"""Rank correlations with intervals that resample people: a part of ``LEARNED_JUDGES.md``."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.base import Array
from trialogue.seeds import rng_for
from trialogue.stats.arrays import midranks
from trialogue.subjects.agreement.rating_agreement import inner_ranks

Places = NDArray[np.intp]
RESAMPLES = 500


def pooled_spearman(a: Array, b: Array, systems: Sequence[str]) -> float:
    del systems
    return _correlation(midranks(a), midranks(b))


def within_spearman(a: Array, b: Array, systems: Sequence[str]) -> float:
    return _correlation(inner_ranks(a, systems), inner_ranks(b, systems))


def _correlation(a: Array, b: Array) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else float("nan")


def interval(statistic: object, columns: Sequence[Array], systems: Sequence[str], clusters: Sequence[str]) -> str:
    """Value and 95 % percentile interval: clusters (people, or dialogues) are drawn, systems keep their names."""
    assert callable(statistic)
    names, codes = np.unique(np.array(clusters), return_inverse=True)
    members = [np.flatnonzero(codes == code) for code in range(len(names))]
    rng, named = rng_for(0, "learned judges"), np.array(systems)

    def value(places: Places) -> float:
        first = statistic(columns[0][places], columns[-1][places], named[places].tolist())
        second = (
            statistic(columns[1][places], columns[-1][places], named[places].tolist()) if len(columns) == 3 else 0.0
        )
        return float(first - second)

    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([members[code] for code in rng.integers(0, len(names), len(names))])
        found.append(value(drawn))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return f"{value(np.arange(len(codes))):.3f} [{low:.3f}, {high:.3f}]"
