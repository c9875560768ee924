"""Number of labels needed for an interval width, from the judge's errors on the labels so far."""

from dataclasses import dataclass

from trialogue.stats.arrays import check_confidence
from trialogue.stats.correction.means import MIN_LABELS, corrected_means
from trialogue.stats.correction.table import Estimand, JudgedTable


@dataclass(frozen=True)
class LabelNeed:
    """Labels needed for one system."""

    system: str
    """Its name."""
    judged: int
    """Units."""
    labels: int
    """Current number of labelled units."""
    needed: int | None
    """Labels in all for the width; None: not even labels of all units give it."""


def labels_needed(
    table: JudgedTable, width: float, *, estimand: Estimand = Estimand.THESE, confidence: float = 0.95
) -> tuple[LabelNeed, ...]:
    """Labels needed per system for a target width of every difference, or of the mean of a single system.

    A system's error with n of N labels is s^2 (1/n - 1/N), with s^2 from its labels so far; the estimand ``POPULATION`` adds
    var(labels) / N. Systems without 10 labels take the largest s^2 of the others. What it says is as good as these
    variances: from 10 labels they are off by a third. Both systems of a difference get half of its variance.

    Args:
        table: table with at least one system of 10 labels or more.
        width: width of the interval, from end to end.
        estimand: estimand of the intervals to come.
        confidence: confidence level of the intervals to come.

    Returns:
        The needs, at least 10 each. Where no system has 10 labels nothing is known, and 10 of each are needed first.
    """
    check_confidence(confidence)
    found = corrected_means(table)
    sizes = {name: int((table.system_of == index).sum()) for index, name in enumerate(table.systems)}
    spreads: dict[str, tuple[float, float]] = {}
    for name, each in found.systems.items():
        n, size = found.labels[name], sizes[name]
        errors = [one.interval.facts["error"] for one in (each.corrected, each.alone) if one.interval is not None]
        if len(errors) == 2 and n < size:
            left = 1 / n - 1 / size
            spreads[name] = (errors[0] ** 2 / left, errors[1] ** 2 / left)
    needs = []
    for name, size in sizes.items():
        known = spreads.get(name) or max(spreads.values(), default=None)
        needed: int | None = min(MIN_LABELS, size)
        if found.labels[name] == size:
            needed = size
        elif known is not None:
            fixed = known[1] / size if estimand is Estimand.POPULATION else 0.0
            needed = _fewest(known[0], fixed, size, width, confidence, of_pair=len(sizes) > 1)
        needs.append(LabelNeed(name, size, found.labels[name], needed))
    return tuple(needs)


def _fewest(variance: float, fixed: float, size: int, width: float, confidence: float, *, of_pair: bool) -> int | None:
    from scipy.special import stdtrit

    sides = 2 if of_pair else 1
    for labels in range(min(MIN_LABELS, size), size + 1):
        error = (sides * (variance * (1 / labels - 1 / size) + fixed)) ** 0.5
        quantile = float(stdtrit(max(sides * (labels - 1), 1), (1 + confidence) / 2))
        if 2 * quantile * error <= width:
            return labels
    return None
