"""Values that are missing more often for one system, and the tipping point: how bad they must be to turn the verdict.

Without pairs, it is L / (f1 - f2): L is the end of the interval that is nearer to 0, f the share of a system's units without
a value. Where both systems should have met the same people, needs or tasks, it is L / f with the share of pairs that are
incomplete. Equal shares cannot turn a verdict that way: who is missing is then as likely missing in both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.findings.comparison.sample_changes import tables_of
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
        if league.measure.basis not in (Basis.PEOPLE, Basis.OUTCOME):
            continue
        for pair in league.contrasts:
            if pair.leader is not None and pair.difference.interval is not None and {pair.a, pair.b} <= sides.keys():
                found = _of_pair(league.measure, pair, sides[pair.a], sides[pair.b])
                if found is not None:
                    yield found


@dataclass(frozen=True)
class _Counts:
    missing: int
    units: int

    @property
    def share(self) -> float:
        return self.missing / self.units if self.units else 0.0


def _of_pair(measure: Measure, pair: Contrast, a: SystemSample, b: SystemSample) -> MissingValues | None:
    rows = [side.rows.get(measure.name) for side in (a, b)]
    if rows[0] is None or rows[1] is None or not (rows[0].values and rows[1].values):
        return None
    own = rows[0], rows[1]
    valued = [set(each.clusters) for each in own]
    met = [_clusters(side, each) for side, each in zip((a, b), own, strict=True)]
    shared = valued[0] & valued[1]
    if 2 * len(shared) >= min(map(len, valued)):
        every = met[0] | met[1] | valued[0] | valued[1]
        counts = [_Counts(len(every - each), len(every)) for each in valued]
        share = 1 - len(shared) / len(every)
        if _fisher(counts) > BY_DESIGN:
            share = abs(counts[0].share - counts[1].share)
        are_pairs = True
    elif measure.by == "people":
        counts = [_units(side, each) for side, each in zip((a, b), own, strict=True)]
        share, are_pairs = abs(counts[0].share - counts[1].share), False
    else:
        return None
    if counts[0].share == counts[1].share:
        return None
    return MissingValues(
        measure=measure.name,
        a=pair.a,
        b=pair.b,
        missing={pair.a: counts[0].missing, pair.b: counts[1].missing},
        units={pair.a: counts[0].units, pair.b: counts[1].units},
        are_pairs=are_pairs,
        share=share,
        p=_fisher(counts),
        tipping=_nearer_end(pair) / share,
        reach=_reach(measure, own, lacking=0 if counts[0].share > counts[1].share else 1, ahead=pair.verdict),
    )


def _fisher(counts: Sequence[_Counts]) -> float:
    one, other = counts
    return fisher_p(one.missing, one.units, other.missing, other.units)


def _clusters(side: SystemSample, rows: Rows) -> set[str]:
    """Clusters of all units that a system met, with a value or not."""
    return {side.clusters.get(each, each) for table in tables_of(side, rows) for each in table.clusters}


def _units(side: SystemSample, rows: Rows) -> _Counts:
    names = {name for table in tables_of(side, rows) for name in table.ids}
    return _Counts(len(names.difference(rows.dialogues)), len(names))


def _nearer_end(pair: Contrast) -> float:
    interval = pair.difference.interval
    assert interval is not None
    return 0.0 if interval.low <= 0 <= interval.high else min(abs(interval.low), abs(interval.high))


def _reach(measure: Measure, rows: tuple[Rows, Rows], *, lacking: int, ahead: str) -> float:
    """How far missing values can lie from those at hand, on the side that speaks against the leader.

    Args:
        measure: the measure.
        rows: values of both systems.
        lacking: which of them lacks more.
        ahead: which of them leads, "a" or "b".
    """
    values = rows[lacking].sums[:, 0]
    is_leader = (ahead == "a") == (lacking == 0)
    is_low = is_leader == (measure.better == "higher")
    bounds = measure.bounds
    end = None if bounds is None else bounds.low if is_low else bounds.high
    if end is None:
        return DEVIATIONS * float(np.std(values))
    return abs(float(values.mean()) - end)
