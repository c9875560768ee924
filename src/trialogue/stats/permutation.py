"""The permutation test of a difference between two sides whose clusters are all, partly or not at all the same."""

from collections.abc import Callable

import numpy as np

from trialogue.stats.arrays import CELLS, MOST_UNDEFINED, Floats, check_count
from trialogue.stats.clusters import ClusterSums
from trialogue.stats.replicates import evaluate

TIE = 1e-9  # relative: permuted differences this close to the observed one count as equal, not as smaller


def permutation_p(
    a: ClusterSums,
    b: ClusterSums,
    combine: Callable[[Floats], Floats],
    value: float,
    *,
    permutations: int,
    rng: np.random.Generator,
) -> float | None:
    """Two-sided p-value of the difference ``value`` between ``combine(a.total)`` and ``combine(b.total)``.

    Shared clusters swap sides with probability 1/2; clusters of one side only are dealt out anew in groups of the same
    sizes. Permutations in which the statistic is undefined are left out; None if those are more than 5 %.
    Phipson & Smyth (2010), "Permutation P-values Should Never Be Zero".
    """
    check_count(permutations, "permutations")
    swaps, alone, size_a = _parts(a, b)
    base_a = a.total - alone[:size_a].sum(axis=0)
    base_b = b.total - alone[size_a:].sum(axis=0)
    rows = max(1, CELLS // max(len(swaps), len(alone), a.sums.shape[1], 1))
    larger, defined = 0, 0
    for start in range(0, permutations, rows):
        count = min(rows, permutations - start)
        moved = rng.integers(0, 2, size=(count, len(swaps)), dtype=np.int8).astype(np.float64) @ swaps
        dealt = _dealt(alone, size_a, count, rng)
        left = evaluate(combine, base_a + moved + dealt)
        right = evaluate(combine, base_b - moved + alone.sum(axis=0) - dealt)
        gaps = (left - right)[np.isfinite(left - right)]
        tie = TIE * max(abs(value), float(np.nanmax(np.abs(left), initial=0.0)))
        larger += int(np.sum(np.abs(gaps) >= abs(value) - tie))
        defined += len(gaps)
    if defined < (1 - MOST_UNDEFINED) * permutations:
        return None
    return (1 + larger) / (1 + defined)


def _parts(a: ClusterSums, b: ClusterSums) -> tuple[Floats, Floats, int]:
    """What a swap of each shared cluster adds to a; the one-sided clusters, first those of a; how many these are."""
    sums_a, sums_b = dict(zip(a.keys, a.sums, strict=True)), dict(zip(b.keys, b.sums, strict=True))
    width = a.sums.shape[1]
    swaps = [sums_b[key] - sums_a[key] for key in a.keys if key in sums_b]
    only_a = [sums_a[key] for key in a.keys if key not in sums_b]
    only_b = [sums_b[key] for key in b.keys if key not in sums_a]
    return np.array(swaps).reshape(-1, width), np.array(only_a + only_b).reshape(-1, width), len(only_a)


def _dealt(alone: Floats, size_a: int, count: int, rng: np.random.Generator) -> Floats:
    """Sums of ``size_a`` one-sided clusters drawn without replacement, shape (count, k)."""
    if size_a in (0, len(alone)):
        return np.repeat(alone[:size_a].sum(axis=0)[None], count, axis=0)
    draws = rng.random((count, len(alone)))
    last = np.partition(draws, size_a - 1, axis=1)[:, size_a - 1, None]  # quicker than shuffling labels
    return (draws <= last).astype(np.float64) @ alone
