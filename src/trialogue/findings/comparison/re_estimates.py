"""Verdicts computed again under each doubt about the sample; one stands if every re-estimate rejects the same way.

The re-estimates are a fixed list. What may follow quality (a failure) counts as the worst value, and is never left out;
anything else is changed in all systems alike. They weaken verdicts, and never create or turn one: by an intersection-union
test (Berger 1982), no correction for their number is needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trialogue.findings.comparison.comparison import difference_of
from trialogue.findings.comparison.pairing import Pairing
from trialogue.findings.comparison.rater_changes import (
    contradictions_settled,
    lookalikes_joined,
    without_dominant_rater,
    without_own_ratings,
)
from trialogue.findings.comparison.sample_changes import (
    Change,
    Sides,
    joined_copies,
    without_echoes,
    without_twins,
    worst_failures,
)
from trialogue.findings.comparison.scales import on_one_scale
from trialogue.findings.comparison.strata import within_order, within_periods, within_sources
from trialogue.findings.league_verdicts import verdict
from trialogue.findings.sample.records import ReEstimate
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import ThreatCode
from trialogue.records import Basis
from trialogue.stats.comparison.crossed_raters import RATERS


def re_estimates(
    leagues: Sequence[League], sides: Sides, *, alpha: float, seed: int = 0, resamples: int = 10_000
) -> tuple[ReEstimate, ...]:
    """Every verdict that a doubt concerns, computed again under it.

    Args:
        leagues: leagues before the gate.
        sides: systems by name, with their units.
        alpha: significance level, after correction.
        seed: seed of the sample of arrangements.
        resamples: arrangements of permutation tests.
    """
    return tuple(
        found
        for league in leagues
        if league.measure.basis is not Basis.REPLIES
        for pair in league.contrasts
        if pair.leader is not None and {pair.a, pair.b} <= sides.keys()
        for code, change in CHANGES.items()
        if (found := _re_estimate(code, change, league, pair, sides, alpha, seed, resamples)) is not None
    )


def _re_estimate(
    code: ThreatCode,
    change: Change,
    league: League,
    pair: Contrast,
    sides: Sides,
    alpha: float,
    seed: int,
    resamples: int,
) -> ReEstimate | None:
    """A verdict under a doubt; None where the doubt does not concern it."""
    name = league.measure.name
    both = {each: sides[each] for each in (pair.a, pair.b)}
    if any(name not in each.rows or not each.rows[name].clusters for each in both.values()):
        return None
    changed = change(both, league.measure)
    if not changed:
        return None
    one, other = (
        replace(side, rows={**side.rows, name: changed[system][0]}) if system in changed else side
        for system, side in both.items()
    )
    pairing, factor = Pairing.of(one, other), _correction(league, pair)
    difference = difference_of(one, other, name, pairing, seed=seed, resamples=resamples)
    p = difference.p
    if p is not None and RATERS not in difference.facts:  # drawn, and no Student's t
        if _at_least(p, resamples) * factor <= alpha < p * factor:  # settled by more draws
            resamples = max(SETTLED, resamples)
            difference = difference_of(one, other, name, pairing, seed=seed, resamples=resamples)
            p = difference.p or p
        p = _at_least(p, resamples)
    p = None if p is None else p * factor
    again = verdict(difference.value, p, better=league.measure.better, alpha=alpha)
    return ReEstimate(
        code=code,
        measure=name,
        a=pair.a,
        b=pair.b,
        units={system: count for system, (_, count) in changed.items()},
        difference=difference,
        verdict=again,
        stands=again == pair.verdict,
    )


SETTLED = 20_000  # arrangements, where fewer leave it to chance whether a verdict stands


def _at_least(p: float, resamples: int) -> float:
    """A p-value less two Monte Carlo errors: what the drawn arrangements decide by chance is held against no verdict.

    >>> round(_at_least(0.06, 10_000), 3), round(_at_least(0.06, 500), 3)
    (0.055, 0.039)
    """
    return max(0.0, p - 2 * float(np.sqrt(p * (1 - p) / resamples)))


def _correction(league: League, pair: Contrast) -> float:
    """The factor by which a league's correction raises a pair's p; of several pairs, at most that of Bonferroni."""
    own, adjusted = pair.difference.p, pair.p_adjusted
    most = float(len(league.contrasts) * league.questions)
    if not own or adjusted is None:
        return most
    return max(1.0, adjusted / own if len(league.contrasts) == 1 else min(adjusted / own, most))


CHANGES: Mapping[ThreatCode, Change] = {
    ThreatCode.SUSPECTED_FAILURES: worst_failures,
    ThreatCode.COPIED_UNITS: joined_copies,
    ThreatCode.COPIED_REFERENCES: without_echoes,
    ThreatCode.MIXED_SOURCES: within_sources,
    ThreatCode.MIXED_SCALES: on_one_scale,
    ThreatCode.OTHER_TIMES: within_periods,
    ThreatCode.UNEVEN_ORDER: within_order,
    ThreatCode.SHARED_DIALOGUES: without_twins,
    ThreatCode.DOMINANT_RATER: without_dominant_rater,
    ThreatCode.CONTRADICTORY_RATINGS: contradictions_settled,
    ThreatCode.SELF_RATED: without_own_ratings,
    ThreatCode.LOOKALIKE_PEOPLE: lookalikes_joined,
}
"""The doubts, in the order in which they are stated."""
