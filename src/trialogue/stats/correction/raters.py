"""Rater error: variance of labels between raters, for labels that are opinions rather than truth."""

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from trialogue.stats.correction.table import JudgedTable, RaterLabel

FEWEST_SHARED = 2  # rows that two raters both labelled, for the error of the difference of their means


@dataclass(frozen=True)
class RaterError:
    """Contribution of raters to the error of labels."""

    residual: float
    """Variance of one label about its row's mean, each rater's leniency taken out."""
    leniency: float
    """Variance between raters of how high they label on the whole."""
    raters: int
    """Raters."""
    doubled: int
    """Rows that two or more labelled; 0: nothing is known, and both variances are 0."""


def rater_error(rater_labels: tuple[RaterLabel, ...]) -> RaterError:
    """Rater variances, from rows labelled by several raters.

    For each pair of raters with K shared rows, the differences D of their labels have the variance 2 ``residual``, and the
    square of their mean the expectation 2 ``leniency`` + var(D) / K. Pairs count by K.

    >>> rows = [RaterLabel(0, "a", 1), RaterLabel(0, "b", 2), RaterLabel(1, "a", 3), RaterLabel(1, "b", 6)]
    >>> rater_error(rows)     # D = -1, -3: variance 2; mean -2: (4 - 2 / 2) / 2
    RaterError(residual=1.0, leniency=1.5, raters=2, doubled=2)
    """
    by_rater: dict[Hashable, dict[int, float]] = defaultdict(dict)
    for each in rater_labels:
        by_rater[each.rater][each.row] = each.value
    times = Counter(row for given in by_rater.values() for row in given)
    doubled = sum(count > 1 for count in times.values())
    shared, residual, leniency = 0, 0.0, 0.0
    for one, other in combinations(sorted(by_rater, key=str), 2):
        rows = sorted(by_rater[one].keys() & by_rater[other].keys())
        if len(rows) < FEWEST_SHARED:
            continue
        gaps = np.array([by_rater[one][row] - by_rater[other][row] for row in rows])
        spread = float(gaps.var(ddof=1))
        shared += len(rows)
        residual += len(rows) * spread / 2
        leniency += len(rows) * (float(gaps.mean()) ** 2 - spread / len(rows)) / 2
    if not shared:
        return RaterError(0.0, 0.0, len(by_rater), 0)
    return RaterError(residual / shared, max(leniency / shared, 0.0), len(by_rater), doubled)


def raters_of_rows(table: JudgedTable) -> dict[int, list[Hashable]]:
    """Raters of each row, where known."""
    found: dict[int, list[Hashable]] = defaultdict(list)
    for each in table.rater_labels:
        found[each.row].append(each.rater)
    return found
