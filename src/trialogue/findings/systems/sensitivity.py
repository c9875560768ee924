"""Sensitivity of the ranking to the variant of a metric."""

from collections.abc import Sequence
from itertools import combinations

from trialogue.findings.records import RankReversal, Sensitivity
from trialogue.findings.standings import League


def sensitivity(metric: str, leagues: Sequence[League]) -> Sensitivity:
    """Pairs of systems that two variants of a metric rank in opposite order.

    Args:
        metric: the metric's name.
        leagues: one for each variant; variants that rank nothing (no direction, no values) take no part.
    """
    orders = {league.measure.name: _leads(league) for league in leagues if league.measure.better != "neither"}
    sure = {league.measure.name: _significant_pairs(league) for league in leagues}
    systems = sorted({standing.system for league in leagues for standing in league.standings})
    flips = []
    for a, b in combinations(systems, 2):
        for_a = tuple(name for name, order in orders.items() if (a, b) in order)
        for_b = tuple(name for name, order in orders.items() if (b, a) in order)
        if for_a and for_b:
            firm = any((a, b) in sure[name] for name in for_a) and any((b, a) in sure[name] for name in for_b)
            flips.append(RankReversal(metric=metric, a=a, b=b, for_a=for_a, for_b=for_b, sure=firm))
    return Sensitivity(metric=metric, leagues=tuple(leagues), flips=tuple(flips))


def _leads(league: League) -> set[tuple[str, str]]:
    """(ahead, behind) for every pair of systems with different values."""
    values = {s.system: s.estimate.value for s in league.standings if s.estimate.value is not None}
    sign = 1 if league.measure.better == "higher" else -1
    return {(a, b) for a in values for b in values if sign * (values[a] - values[b]) > 0}


def _significant_pairs(league: League) -> set[tuple[str, str]]:
    """(better, worse) for every pair whose difference survives correction."""
    return {
        (contrast.a, contrast.b) if contrast.verdict == "a" else (contrast.b, contrast.a)
        for contrast in league.contrasts
        if contrast.verdict in ("a", "b")
    }
