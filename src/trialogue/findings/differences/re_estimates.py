"""Verdicts computed again under each doubt about the sample; one stands if every re-estimate rejects the same way.

The re-estimates are a fixed list. What may follow quality (a failure) counts as the worst value, and is never left out;
anything else is changed in all systems alike. They weaken verdicts, and never create or turn one: by an intersection-union
test (Berger 1982), no correction for their number is needed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trialogue.findings.differences.difference import difference_of
from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.differences.sample_changes import (
    Change,
    Changed,
    Sides,
    joined_copies,
    of_means,
    rows_at,
    tables_of,
    without_echoes,
    without_twins,
    worst_failures,
)
from trialogue.findings.differences.strata import sources_of_rows, within_order, within_periods, within_sources
from trialogue.findings.differences.system_sample import Rows, SystemSample
from trialogue.findings.league_verdicts import verdict
from trialogue.findings.sample.records import CHANCE, ReEstimate
from trialogue.findings.standings import Contrast, League, Measure
from trialogue.findings.threat import ThreatCode
from trialogue.records import Basis
from trialogue.records.score import AGGREGATE
from trialogue.stats.comparison.crossed_raters import RATERS
from trialogue.stats.contingency import fisher_p

ENDS = ((0, 1), (0, 4), (1, 5), (1, 7), (1, 10), (0, 10), (0, 100), (1, 100))
"""Scales that people use, by their lengths. On shorter ones, three ratings out of five would be a scale."""
FEWEST = 30  # ratings of a group, from which its ends are those of its scale
SHORT_SHARE = 0.3  # of all values, from which those of a short scale may be on one of their own
POINTS = 0.8  # of a short scale's points that occur, from which it is one
LONG = 20  # different values, from which a scale is a long one
STRAYS = 0.35  # of all values, up to which those beyond a scale are strays
MOST_STRAYS = 6  # different ones
FEWEST_PAIRS = 15  # ratings of dialogues that are also rated otherwise
REVERSED = 0.3  # correlation from which a rater or source agrees with others, or runs against them
LONGER = 1.4  # times: a scale that holds another one and is so much longer is another one


@dataclass(frozen=True)
class _Ends:
    low: int
    high: int
    are_reached: bool

    @property
    def length(self) -> int:
        return self.high - self.low


@of_means
def on_one_scale(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Ratings of each group less the lowest value of its scale, in its lengths, where groups seem to be on different scales.

    A group is a source, or else a system. Its scale is known if its values reach both ends of one that people use.
    """
    if measure.by != "people":
        return {}
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    apart = _by_group(sides, rows) if measure.scale is None else {}
    return apart or _of_mixture(rows, measure) or _upright(sides, rows, measure)


def _by_group(sides: Sides, rows: Mapping[str, Rows]) -> dict[str, Changed]:
    groups = {system: sources_of_rows(sides[system], own) for system, own in rows.items()}
    if len({each for own in groups.values() for each in own}) < 2:
        groups = {system: [system] * len(own.units) for system, own in rows.items()}
    scales = _scales(
        (group, value)
        for system, own in rows.items()
        for group, value in zip(groups[system], own.sums[:, 0].tolist(), strict=True)
    )
    if not any(_differ(one, other) for one in scales.values() for other in scales.values()):
        return {}
    changed = {}
    for system, own in rows.items():
        pairs = zip(own.sums[:, 0].tolist(), (scales[group] for group in groups[system]), strict=True)
        values = [(value - ends.low) / ends.length for value, ends in pairs]
        changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), len(values)
    return changed


def _of_mixture(rows: Mapping[str, Rows], measure: Measure) -> dict[str, Changed]:
    """Ratings of a short scale among those of one twice as long as shares of either; or without strays beyond it.

    The short one holds a third of all values, on nearly all its points, and next to none lie as far beyond it again.
    """
    every = np.concatenate([own.sums[:, 0] for own in rows.values()])
    for low, high in ENDS[1:]:
        is_inside = (every >= low) & (every <= high)
        far, points = every[~is_inside], set(every[is_inside].tolist()) & set(range(low, high + 1))
        least = LONG if high >= LONG else (high - low + 1) * POINTS
        if not len(far) or is_inside.mean() < SHORT_SHARE or len(points) < least:
            continue
        are_many, near = len(set(far.tolist())) > MOST_STRAYS, ((every > high) & (every <= 2 * high)).sum()
        if are_many and far.min() >= 0 and far.max() > 2 * high and near <= 0.2 * len(far):
            return {
                system: (_as_shares(own, low, high, float(far.max())), len(own.units)) for system, own in rows.items()
            }
        beyond = (every < low) | (every > high + 1)
        if (beyond == ~is_inside).all() and len(far) <= STRAYS * len(every) and not are_many:
            return _without_strays(rows, measure, low, high)
    return {}


def _without_strays(rows: Mapping[str, Rows], measure: Measure, low: int, high: int) -> dict[str, Changed]:
    """Ratings on a scale alone; but where the better system has more strays, these may stand for poor ratings."""
    is_up = measure.better == "higher"
    strays = {s: (own.sums[:, 0] < low) | (own.sums[:, 0] > high) for s, own in rows.items()}
    ahead, behind = sorted(rows, key=lambda s: float(rows[s].sums[:, 0].mean()), reverse=is_up)
    within = np.concatenate([own.sums[~strays[s], 0] for s, own in rows.items()])
    worst = float(within.min() if is_up else within.max())
    counts = [number for s in (ahead, behind) for number in (int(strays[s].sum()), len(strays[s]))]
    has_more = counts[0] * counts[3] > counts[2] * counts[1] and fisher_p(*counts) < CHANCE
    changed = {}
    for system, own in rows.items():
        if system == ahead and has_more:
            values = np.where(strays[system], worst, own.sums[:, 0])
            changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), counts[0]
        else:
            kept = np.flatnonzero(~strays[system]).tolist()
            changed[system] = rows_at(own, kept, own.sums[kept]), len(own.units) - len(kept)
    return changed


def _as_shares(rows: Rows, low: int, high: int, longest: float) -> Rows:
    values = rows.sums[:, 0]
    shares = np.where((values >= low) & (values <= high), (values - low) / (high - low), values / longest)
    return replace(rows, sums=np.column_stack([shares, np.ones(len(shares))]))


def _upright(sides: Sides, rows: Mapping[str, Rows], measure: Measure) -> dict[str, Changed]:
    """Ratings with those of raters or sources turned round that run against the other ratings of the same dialogues."""
    beside = {system: _ratings_beside(side, measure) for system, side in sides.items()}
    by = {
        s: [each or "" for each in own.raters] if any(own.raters) else sources_of_rows(sides[s], own)
        for s, own in rows.items()
    }
    pairs: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for system, own in rows.items():
        for group, unit, value in zip(by[system], own.dialogues, own.sums[:, 0].tolist(), strict=True):
            total, number = beside[system].get(unit, {}).get("", (0.0, 0))
            if any(own.raters):
                total, number = beside[system].get(unit, {}).get(measure.name, (value, 1))
                total, number = total - value, number - 1
            if number:
                pairs[group].append((value, total / number))
    agree = {group: _correlation(each) for group, each in pairs.items() if len(each) >= FEWEST_PAIRS}
    against = {group for group, each in agree.items() if each < -REVERSED}
    if not against or not any(each > REVERSED for each in agree.values()):
        return {}
    every = np.concatenate([own.sums[:, 0] for own in rows.values()])
    ends = float(every.min() + every.max())
    changed = {}
    for system, own in rows.items():
        is_against = np.array([each in against for each in by[system]])
        values = np.where(is_against, ends - own.sums[:, 0], own.sums[:, 0])
        changed[system] = replace(own, sums=np.column_stack([values, np.ones(len(values))])), int(is_against.sum())
    return changed


def _ratings_beside(side: SystemSample, measure: Measure) -> dict[str, dict[str, tuple[float, int]]]:
    """By dialogue: sum and number of its ratings of this measure, and under "" those of other questions to people."""
    found: defaultdict[str, dict[str, tuple[float, int]]] = defaultdict(dict)
    for name, own in side.rows.items():
        if side.measures[name].by != "people" or not own.values:
            continue
        scaled = (
            own.sums[:, 0]
            if name == measure.name
            else (own.sums[:, 0] - own.sums[:, 0].mean()) / (own.sums[:, 0].std() or 1)
        )
        key = name if name == measure.name else ""
        for unit, value in zip(own.dialogues, scaled.tolist(), strict=True):
            total, number = found[unit].get(key, (0.0, 0))
            found[unit][key] = total + value, number + 1
    return found


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    one, other = np.array(pairs).T
    return float(np.corrcoef(one, other)[0, 1]) if one.std() and other.std() else 0.0


def _scales(values: Iterable[tuple[str, float]]) -> Mapping[str, _Ends]:
    """The shortest scale that holds a group's values; {} where one has too few, or values that lie on none."""
    by_group: defaultdict[str, list[float]] = defaultdict(list)
    for group, value in values:
        by_group[group].append(value)
    found = {}
    for group, own in by_group.items():
        lowest, highest = min(own), max(own)
        held = next(((low, high) for low, high in ENDS if low <= lowest and highest <= high), None)
        if held is None or len(own) < FEWEST:
            return {}
        found[group] = _Ends(*held, held == (lowest, highest))
    return found


def _differ(one: _Ends, other: _Ends) -> bool:
    """Whether two groups can hardly be on one scale: each fills its own, and neither holds the other or one is longer."""
    inner, outer = sorted((one, other), key=lambda ends: ends.length)
    is_held = outer.low <= inner.low and inner.high <= outer.high
    if (inner.low, inner.high) == (outer.low, outer.high) or not inner.are_reached:
        return False
    return outer.length >= LONGER * inner.length if is_held else outer.are_reached


DOMINANT = 0.5  # of the ratings of a system, by one rater of several


def _rows_without(rows: dict[str, Rows], left_out: dict[str, set[int]]) -> dict[str, Changed]:
    """Rows without some of their places; systems that lose nothing are left out."""
    changed = {}
    for system, places in left_out.items():
        own = rows[system]
        kept = [at for at in range(len(own.units)) if at not in places]
        if places:
            changed[system] = rows_at(own, kept, own.sums[kept]), len(places)
    return changed


@of_means
def without_dominant_rater(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Ratings without those of the rater who gave the largest share of a system's, if it is half or more."""
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    counts = {system: Counter(rater for rater in own.raters if rater is not None) for system, own in rows.items()}
    shares = {
        rater: max(own[rater] / len(rows[system].units) for system, own in counts.items())
        for rater in sorted(set().union(*counts.values()))
    }
    rater = max(shares, key=shares.__getitem__, default=None)
    if len(shares) < 2 or rater is None or shares[rater] < DOMINANT:
        return {}
    return _rows_without(
        rows, {s: {at for at, each in enumerate(own.raters) if each == rater} for s, own in rows.items()}
    )


@of_means
def contradictions_settled(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Of different ratings that a rater gave a unit, or copies of it, the one that speaks most against the better system.

    Nothing says which of them is meant. Without them all, what is left would be no fair sample.
    """
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    highest = max(rows, key=lambda system: float(rows[system].sums[:, 0].mean()))
    changed = {}
    for system, own in rows.items():
        places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        tables = tables_of(sides[system], own)
        first = {name: group[0] for table in tables for group in table.copies for name in group}
        for at, (unit, giver) in enumerate(zip(own.units, own.givers, strict=bool(own.givers))):
            if giver not in ("", AGGREGATE):
                person = own.clusters[at] if own.raters[at] is None else ""  # the participant
                places[first.get(unit, unit), f"{giver}\0{person}"].append(at)
        values = own.sums[:, 0].tolist()
        several = [each for each in places.values() if len({values[at] for at in each}) > 1]
        pick = min if system == highest else max
        left_out = {at for each in several for at in each if at != pick(each, key=values.__getitem__)}
        if left_out:
            kept = [at for at in range(len(own.units)) if at not in left_out]
            changed[system] = rows_at(own, kept, own.sums[kept]), len(several)
    return changed


@of_means
def without_own_ratings(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Ratings without those by raters who are called as a system is."""
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    systems = {_plain(name) for side in sides.values() for name in (side.name, side.system)}
    return _rows_without(
        rows,
        {
            system: {at for at, rater in enumerate(own.raters) if rater is not None and _plain(rater) in systems}
            for system, own in rows.items()
        },
    )


@of_means
def lookalikes_joined(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """People at one address, or whose codes differ only in case, spaces and signs, as one: "Ann", "ann " and "ANN"."""
    changed = {}
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    for system, own in rows.items():
        tables = tables_of(sides[system], own)
        address_of = {name: key for table in tables for key, names in table.addresses.items() for name in names}
        clusters = tuple(
            address_of.get(dialogue) or (f"person:{_plain(each)}" if _is_person(each) else each)
            for dialogue, each in zip(own.dialogues, own.clusters, strict=True)
        )
        raters = tuple(None if each is None else _plain(each) for each in own.raters)
        merged = len(set(own.clusters)) - len(set(clusters)) + len(set(own.raters)) - len(set(raters))
        changed[system] = replace(own, clusters=clusters, raters=raters), merged
    return changed if any(count for _, count in changed.values()) else {}


def _is_person(cluster: str) -> bool:
    return cluster[:5] == "user:"


def _plain(name: str) -> str:
    """Letters and digits of a name; the name where it has none."""
    return "".join(filter(str.isalnum, name.casefold())) or name


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
