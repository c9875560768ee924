"""One system of a stored run: its values, and the units and sums that they are made of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from trialogue.findings.standings import League, Measure
from trialogue.metrics.human_ratings import repeated_rater
from trialogue.records import (
    ClusterKind,
    DistinctCounts,
    Estimate,
    MeasuredUnits,
    MeasureSums,
    PopulationKind,
    Score,
    StoredParts,
)
from trialogue.stats.arrays import Floats

Unit = tuple[str, str, float]
"""(unit, cluster, value)."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of sums that a measure's value of a system is computed from."""

    units: tuple[str, ...]
    """The situation or dialogue of each row; "": rows of whole clusters."""
    clusters: tuple[str, ...]
    """The cluster of each row."""
    sums: Floats
    """Shape (rows, k); k is 2, and the second column 1, for a mean of units."""
    n: int
    """Units that count."""
    of_situations: bool = False
    """Whether they are replies to situations."""
    are_means: bool = True
    """Whether the value is the mean of the rows; else a function that the metric knows."""
    are_without: bool = False
    """Whether these are values without each cluster in turn, for a jackknife."""
    fits: MeasureSums | None = None
    """What was fitted on other data and the value rests on; None: nothing."""
    owners: tuple[str, ...] = ()
    """The dialogue or situation of each row of a mean; (): that of each unit."""
    raters: tuple[str | None, ...] = ()
    """Who rated, for answers of people; None: nobody who may have rated other dialogues, too."""
    givers: tuple[str, ...] = ()
    """Who rated, under any name, "user" among them."""

    @property
    def dialogues(self) -> tuple[str, ...]:
        """The dialogue or situation of each row."""
        return self.owners or self.units

    @property
    def values(self) -> tuple[Unit, ...]:
        """(unit, cluster, value) of the units of a mean; () for anything else."""
        if not self.are_means:
            return ()
        return tuple(zip(self.units, self.clusters, self.sums[:, 0].tolist(), strict=True))


@dataclass(frozen=True)
class SystemSample:
    """One run's data on one system."""

    name: str
    """Name in the comparison."""
    system: str
    """Name in the run."""
    measures: Mapping[str, Measure]
    """Measures by full name, in the run's order."""
    values: Mapping[str, Estimate]
    """The system's value by measure, as the run reports it; only those that are defined."""
    rows: Mapping[str, Rows] = field(default_factory=dict)
    """What the values are made of, by measure; measures that count distinct things have none."""
    counts: Mapping[str, DistinctCounts] = field(default_factory=dict)
    """Counts of distinct things, by measure."""
    tables: Sequence[MeasuredUnits] = ()
    """Its units: the situations that it answered, and its dialogues by kind of users."""
    clusters: Mapping[str, str] = field(default_factory=dict)
    """Clusters of dialogues that only have an id: the names under which they are this system's own."""

    @property
    def answered(self) -> MeasuredUnits | None:
        """The situations that it answered; None: none."""
        return next((each for each in self.tables if each.kind_of is PopulationKind.SITUATIONS), None)

    @classmethod
    def of_units(cls, name: str, measure: Measure, units: Sequence[Unit]) -> Self:
        """A system with one measure, the mean of given units."""
        names, clusters, values = zip(*units, strict=True)
        rows = Rows(names, clusters, np.column_stack([values, np.ones(len(values))]), len(values))
        mean = Estimate(value=float(np.mean(values)), n=len(values))
        return cls(name, name, {measure.name: measure}, {measure.name: mean}, {measure.name: rows})

    def with_measure(self, measure: Measure, name: str) -> "SystemSample":
        """This one measure alone, under a name that another run's column may have."""
        own = measure.name
        return replace(
            self,
            measures={name: measure},
            values={name: self.values[own]} if own in self.values else {},
            rows={name: self.rows[own]} if own in self.rows else {},
            counts={name: self.counts[own]} if own in self.counts else {},
        )

    def units(self, measure: str) -> tuple[Unit, ...]:
        """(unit, cluster, value) of a measure that is a mean of units; () for any other."""
        return self.rows[measure].values if measure in self.rows else ()


def collect_system(
    name: str, system: str, leagues: Sequence[League], scores: Iterable[Score], parts: Sequence[StoredParts]
) -> SystemSample:
    """Collect a run's data on a system, or on a baseline.

    Args:
        name: what to call it.
        system: its name in the run.
        leagues: the run's leagues.
        scores: the run's scores.
        parts: the run's units, sums and counts.
    """
    measures = {league.measure.name: league.measure for league in leagues}
    values = {
        league.measure.name: standing.estimate
        for league in leagues
        for standing in (*league.standings, *league.baselines)
        if standing.system == system and standing.estimate.value is not None
    }
    own = [each for each in parts if each.system == system]
    sums = {str(each.measure): each for each in own if isinstance(each, MeasureSums)}
    tables = _Tables([each for each in own if isinstance(each, MeasuredUnits)], name, measures.values())
    kept: dict[str, list[Score]] = {}
    for score in scores:
        if score.system == system and score.value is not None and _is_unit(score, measures, sums):
            kept.setdefault(score.measure, []).append(score)
    found = {measure: tables.rows_of_scores(measures[measure], each) for measure, each in kept.items()}
    found |= {
        measure: tables.rows_of_sums(each)
        for measure, each in sums.items()
        if each.rows_of in ("sums", "without") and measure in measures
    }
    return SystemSample(
        name,
        system,
        measures,
        values,
        {measure: rows for measure, rows in found.items() if rows is not None},
        {str(each.measure): each for each in own if isinstance(each, DistinctCounts)},
        [each for each in own if isinstance(each, MeasuredUnits)],
        tables.own_clusters,
    )


def _is_unit(score: Score, measures: Mapping[str, Measure], sums: Mapping[str, MeasureSums]) -> bool:
    """Whether a score is of a unit whose mean is the system's value."""
    if score.measure not in measures or score.level not in ("response", "utterance", "dialogue"):
        return False
    if measures[score.measure].by == "people":
        return score.rater is not None
    part = sums.get(score.measure)
    return part is not None and part.rows_of == ("dialogues" if score.level == "dialogue" else "replies")


class _Tables:
    """Clusters of a system's units, by the ids that scores name."""

    def __init__(self, tables: Sequence[MeasuredUnits], name: str, measures: Iterable[Measure]) -> None:
        self.situations = next((each for each in tables if each.kind_of is PopulationKind.SITUATIONS), None)
        self._dialogues = [each for each in tables if each.kind_of is not PopulationKind.SITUATIONS]
        self._clusters = (
            dict(zip(self.situations.ids, self.situations.clusters, strict=True)) if self.situations else {}
        )
        # An experiment has dialogues with people and with each kind of simulated users, under ids that may be equal.
        self._has_parts = any(measure.users is not None for measure in measures)
        self.own_clusters = {
            cluster: f"dialogue:{name}/{one}"
            for table in self._dialogues
            if table.clustered_by is ClusterKind.DIALOGUE
            for one, cluster in zip(table.ids, table.clusters, strict=True)
        }

    def _of(self, measure: Measure) -> dict[str, str]:
        """Clusters of the dialogues that a measure is of, by id; those that have only an id are this system's own."""
        found: dict[str, str] = {}
        for table in self._dialogues:
            if (self._has_parts or measure.users is not None) and table.users != measure.users:
                continue
            rows = zip(table.ids, table.clusters, strict=True)
            found |= {one: self.own_clusters.get(cluster, cluster) for one, cluster in rows}
        return found

    def rows_of_scores(self, measure: Measure, scores: Sequence[Score]) -> Rows | None:
        """Rows (value, 1) of scores; None where the run does not say which units they are of."""
        clusters = self._of(measure)
        units: list[str] = []
        names: list[str] = []
        owners: list[str] = []
        values: list[float] = []
        of_situations = scores[0].situation_id is not None
        for score in scores:
            of = score.situation_id if of_situations else score.dialogue_id
            cluster = (self._clusters if of_situations else clusters).get(str(of))
            if cluster is None or score.value is None:
                return None
            units.append(str(of) if score.level != "utterance" else f"{of}#{score.utterance}")
            names.append(str(of))
            owners.append(cluster)
            values.append(score.value)
        sums = np.column_stack([values, np.ones(len(values))])
        raters = tuple(map(repeated_rater, scores)) if measure.by == "people" else ()
        givers = tuple(score.rater or "" for score in scores) if raters else ()
        rows = Rows(tuple(units), tuple(owners), sums, len(values), of_situations, owners=tuple(names), raters=raters)
        return replace(rows, givers=givers)

    def rows_of_sums(self, found: MeasureSums) -> Rows:
        """Rows of stored sums."""
        sums = np.array(found.sums, dtype=float).reshape(len(found.keys), found.width)
        if found.rows_of == "without":
            return Rows(found.keys, found.keys, sums, found.n, are_means=False, are_without=True)
        fits = found if found.fits else None
        if all(key in self._clusters for key in found.keys):
            clusters = tuple(self._clusters[key] for key in found.keys)
            return Rows(found.keys, clusters, sums, found.n, of_situations=True, are_means=False, fits=fits)
        are_answers = self.situations is not None and set(found.keys) <= set(self.situations.clusters)
        clusters = found.keys if are_answers else tuple(self.own_clusters.get(key, key) for key in found.keys)
        nameless = ("",) * len(found.keys)
        return Rows(nameless, clusters, sums, found.n, of_situations=are_answers, are_means=False, fits=fits)
