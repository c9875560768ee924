"""Values that are missing more often for one system, and the tipping point: how bad they must be to turn the verdict.

Without pairs, it is L / (f1 - f2): L is the end of the interval that is nearer to 0, f the share of a system's units without
a value. Where both systems should have met the same people, needs or tasks, it is L / f with the share of pairs that are
incomplete. Equal shares cannot turn a verdict that way, unless ratings are given by quality: if a column that covers all
dialogues of a system (a model's scores, a count of turns) goes with its ratings, and is higher where there are some. The
share is then all that the system lacks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.findings.comparison.sample_changes import tables_of
from trialogue.findings.comparison.selection import Counts, count_units, ratings_by_quality
from trialogue.findings.comparison.system_sample import Rows, SystemSample
from trialogue.findings.sample.records import MissingValues
from trialogue.findings.standings import Contrast, League, Measure
from trialogue.records import Basis
from trialogue.stats.fisher import fisher_p

DEVIATIONS = 2.0  # of values without a worst one: how far missing ones may lie from the others
BY_DESIGN = 0.05  # level of Fisher's test, above which incomplete pairs are taken for a design with different people


def missing_values(leagues: Sequence[League], sides: Mapping[str, SystemSample]) -> Iterator[MissingValues]:
    """Verdicts in which one system lacks more values than the other."""
    for league in leagues:
        if league.measure.basis is Basis.REPLIES:
            continue
        for pair in league.contrasts:
            if pair.leader is not None and pair.difference.interval is not None and {pair.a, pair.b} <= sides.keys():
                found = _of_pair(league.measure, pair, sides[pair.a], sides[pair.b])
                if found is not None:
                    yield found


def _of_pair(measure: Measure, pair: Contrast, a: SystemSample, b: SystemSample) -> MissingValues | None:
    one, other = (side.rows.get(measure.name) for side in (a, b))
    if one is None or other is None or not all(all(each.dialogues) and not each.are_without for each in (one, other)):
        return None
    own = one, other
    found = _by_count(measure, own, (a, b))
    chosen = ratings_by_quality(measure, pair, (a, b), own) if measure.by == "people" else []
    by_units = [count_units(side, each) for side, each in zip((a, b), own, strict=True)]
    lacking = sum(by_units[each.place].share for each in chosen)
    if chosen and (found is None or lacking > found.share):
        found = _Missing(by_units, lacking, False, min(each.p for each in chosen))
    else:
        chosen = []
    if found is None or not found.share:
        return None
    places = [each.place for each in chosen] or [0 if found.counts[0].share > found.counts[1].share else 1]
    systems = pair.a, pair.b
    return MissingValues(
        measure=measure.name,
        a=pair.a,
        b=pair.b,
        missing={system: each.missing for system, each in zip(systems, found.counts, strict=True)},
        units={system: each.units for system, each in zip(systems, found.counts, strict=True)},
        are_pairs=found.are_pairs,
        share=found.share,
        p=found.p,
        tipping=_nearer_end(pair) / found.share,
        reach=max(_reach(measure, (a, b)[place], is_leader=(pair.verdict == "a") == (place == 0)) for place in places),
        chosen=chosen[0].column if chosen else None,
    )


@dataclass(frozen=True)
class _Missing:
    """What two systems lack."""

    counts: list[Counts]
    share: float
    are_pairs: bool
    p: float


def _by_count(measure: Measure, rows: tuple[Rows, Rows], sides: tuple[SystemSample, SystemSample]) -> _Missing | None:
    """What one system lacks more often than the other; None: nothing is known of it."""
    valued = [set(each.clusters) for each in rows]
    met = [_clusters(side, each) for side, each in zip(sides, rows, strict=True)]
    shared = valued[0] & valued[1]
    if 2 * len(shared) >= min(map(len, valued)):
        every = met[0] | met[1] | valued[0] | valued[1]
        counts, are_pairs = [Counts(len(every - each), len(every)) for each in valued], True
    else:
        counts, are_pairs = [count_units(side, each) for side, each in zip(sides, rows, strict=True)], False
    p, share = _fisher(counts), abs(counts[0].share - counts[1].share)
    is_incomplete = are_pairs and p <= BY_DESIGN and share > 0
    return _Missing(counts, 1 - len(shared) / len(every) if is_incomplete else share, are_pairs, p)


def _fisher(counts: Sequence[Counts]) -> float:
    one, other = counts
    return fisher_p(one.missing, one.units, other.missing, other.units)


def _clusters(side: SystemSample, rows: Rows) -> set[str]:
    """Clusters of all units that a system met, with a value or not."""
    return {side.clusters.get(each, each) for table in tables_of(side, rows) for each in table.clusters}


def _nearer_end(pair: Contrast) -> float:
    interval = pair.difference.interval
    assert interval is not None
    return 0.0 if interval.low <= 0 <= interval.high else min(abs(interval.low), abs(interval.high))


def _reach(measure: Measure, side: SystemSample, *, is_leader: bool) -> float:
    """How far missing values of a system can lie from those at hand, on the side that speaks against the leader.

    Up to the end of the scale, or two standard deviations; of a value that is no mean (as of a corpus), up to 0.
    """
    rows, measured = side.rows[measure.name], side.values.get(measure.name)
    value = float(rows.sums[:, 0].mean()) if rows.are_means else ((measured and measured.value) or 0.0)
    is_low = is_leader == (measure.better == "higher")
    bounds = measure.bounds
    end = None if bounds is None else bounds.low if is_low else bounds.high
    if end is None:
        return DEVIATIONS * float(np.std(rows.sums[:, 0])) if rows.are_means else abs(value)
    return abs(value - end)
