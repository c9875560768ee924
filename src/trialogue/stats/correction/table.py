"""Labels beside a judge's scores in one table, and the error of raters whose labels are opinions.

A row is a judged unit (a dialogue, a reply). All rows have a judge's score; some also have a human label. Labelled rows
are part of the judged ones, so that nothing is counted twice. A *cell* is a stratum of a system: inside one, labels were
sampled at random, with equal probabilities unless these are given.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints, Values, as_floats, check_same_length
from trialogue.stats.resampling.clusters import codes_of


class Estimand(StrEnum):
    """Estimand of the correction."""

    THESE = "these"
    """People's mean label of exactly these units: only the choice of labels is random."""
    POPULATION = "population"
    """People's mean label in the population of units: the choice of units is random, too."""


@dataclass(frozen=True)
class RaterLabel:
    """One rater's label of one row."""

    row: int
    """Index of the row."""
    rater: Hashable
    value: float


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """Judged rows as columns; created by ``judged_table``."""

    systems: tuple[str, ...]
    """The systems, sorted."""
    system_of: Ints
    """Shape (N,): index of each row's system."""
    cell_of: Ints
    """Shape (N,): index of each row's cell; a cell belongs to one system."""
    cell_systems: Ints
    """Shape (cells,): the system of each cell."""
    judge: Floats
    """Shape (N,): the judge's scores; where it gave none, the mean of its scores in the cell."""
    unscored: NDArray[np.bool_]
    """Shape (N,): rows without a score of the judge."""
    labels: Floats
    """Shape (N,): people's labels, averaged over raters; NaN if unlabelled."""
    chances: Floats
    """Shape (N,): chance that a row was to be labelled."""
    has_chances: bool
    """Whether these were given; otherwise they are shares of a cell."""
    clusters: Ints
    """Shape (N,): units that are drawn as one (of the labels or of the population, as the estimand says)."""
    is_clustered: bool
    """Whether a cluster holds several rows."""
    rater_labels: tuple[RaterLabel, ...]
    """Labels by rater, where they are known."""

    @property
    def abstained(self) -> int:
        """Number of rows without a score of the judge."""
        return int(self.unscored.sum())

    @property
    def labelled(self) -> Ints:
        """Indices of the rows with a label."""
        return np.flatnonzero(~np.isnan(self.labels)).astype(np.int64)

    @property
    def is_share(self) -> bool:
        """Whether all labels are 0 or 1."""
        known = self.labels[self.labelled]
        return bool(len(known)) and bool(np.isin(known, (0.0, 1.0)).all())

    def labels_in(self, system: int) -> int:
        """Number of labelled rows of a system."""
        return int(np.sum(self.system_of[self.labelled] == system))


def judged_table(
    systems: Sequence[str],
    judge: Values,
    labels: Values | None = None,
    *,
    strata: Sequence[Hashable] | None = None,
    chances: Values | None = None,
    clusters: Sequence[Hashable] | None = None,
    rater_labels: Sequence[RaterLabel] = (),
) -> JudgedTable:
    """Build and validate a table from columns.

    Args:
        systems: the system of each row.
        judge: its score; None or NaN where it gave none. Such rows stay: any guess about them is allowed, since labels
            correct it, whereas leaving them out would reward a judge that abstains.
        labels: what people say of it; None or NaN where nobody labelled. May be left out where ``rater_labels`` are given.
        strata: within systems, from which labels were drawn apart.
        chances: that a row would be labelled, in (0, 1], where these differ within a stratum.
        clusters: units that were drawn as one. Labels of turns that were drawn by dialogue: the dialogue; for the estimand
            ``POPULATION`` the units that are independent (users). None: each row is one.
        rater_labels: who said what, where several people labelled; their mean becomes the label.

    Raises:
        UsageError: columns of different lengths, no rows, a chance outside (0, 1], a label of no row, or both ``labels`` and
            ``rater_labels``.
    """
    scores = as_floats(judge, "judge")
    if (labels is None) == (not rater_labels):
        raise UsageError("Give either labels, or the labels of each rater (rater_labels).")
    said = _mean_labels(rater_labels, len(scores)) if labels is None else as_floats(labels, "labels")
    check_same_length(
        systems=systems, judge=scores, labels=said, strata=strata, clusters=clusters, chances=_chances_as_array(chances)
    )
    if not len(scores):
        raise UsageError("There are no judged rows.")
    names, system_of = codes_of(list(systems))
    keys = list(zip(system_of.tolist(), strata or [None] * len(scores), strict=True))
    cells, cell_of = codes_of(keys)
    cell_systems = np.array([key[0] for key in cells if isinstance(key, tuple)], dtype=np.int64)
    codes = np.arange(len(scores)) if clusters is None else codes_of(clusters)[1]
    filled = _fill_missing(scores, cell_of, len(cells))
    return JudgedTable(
        systems=tuple(str(name) for name in names),
        system_of=system_of,
        cell_of=cell_of,
        cell_systems=cell_systems,
        judge=filled,
        unscored=np.isnan(scores),
        labels=said,
        chances=_chances(chances, said, cell_of, len(cells)),
        has_chances=chances is not None,
        clusters=codes.astype(np.int64),
        is_clustered=len(np.unique(codes)) < len(codes),
        rater_labels=tuple(rater_labels),
    )


def judge_as_labels(table: JudgedTable) -> JudgedTable:
    """The table with the judge's own scores where labels would be, of the rows that it scored.

    Labels alone are then the judge alone, with clusters and finite populations treated in the same way.
    """
    said = np.where(table.unscored, np.nan, table.judge)
    chances = _chances(None, said, table.cell_of, len(table.cell_systems))
    return replace(table, labels=said, chances=chances, has_chances=False, rater_labels=())


def pool_table(table: JudgedTable) -> JudgedTable:
    """Pool rows into one system and stratum, for labels sampled over all systems together."""
    zeros = np.zeros(len(table.judge), dtype=np.int64)
    share = np.full(len(table.judge), len(table.labelled) / len(table.judge))
    return JudgedTable(
        systems=("",),
        system_of=zeros,
        cell_of=zeros,
        cell_systems=np.zeros(1, dtype=np.int64),
        judge=table.judge,
        unscored=table.unscored,
        labels=table.labels,
        chances=table.chances if table.has_chances else share,
        has_chances=table.has_chances,
        clusters=table.clusters,
        is_clustered=table.is_clustered,
        rater_labels=table.rater_labels,
    )


def _chances_as_array(values: Values | None) -> Floats | None:
    return None if values is None else as_floats(values, "chances")


def _mean_labels(rater_labels: Sequence[RaterLabel], rows: int) -> Floats:
    """Mean over raters, shape (rows,); NaN if unlabelled."""
    totals, counts = np.zeros(rows), np.zeros(rows)
    for each in rater_labels:
        if not 0 <= each.row < rows:
            raise UsageError(f"A rater's label refers to row {each.row}, but there are {rows} rows.")
        totals[each.row] += each.value
        counts[each.row] += 1
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def _fill_missing(scores: Floats, cell_of: Ints, cells: int) -> Floats:
    """Missing scores as the mean of their cell; 0 where the judge scored nothing in it."""
    known = ~np.isnan(scores)
    counts = np.bincount(cell_of[known], minlength=cells)
    means = np.bincount(cell_of[known], scores[known], minlength=cells) / np.maximum(counts, 1)
    return np.where(known, scores, means[cell_of])


def _chances(given: Values | None, labels: Floats, cell_of: Ints, cells: int) -> Floats:
    if given is None:
        labelled = np.bincount(cell_of, ~np.isnan(labels), minlength=cells)
        share: Floats = (labelled / np.bincount(cell_of, minlength=cells))[cell_of]
        return share
    chances = as_floats(given, "chances")
    wrong = np.flatnonzero(~((chances > 0) & (chances <= 1)) & ~np.isnan(labels))
    if len(wrong):
        raise UsageError(
            f"The probability that a row is labelled must be above 0 and at most 1, got {chances[wrong[0]]:g} in "
            f"row {wrong[0]}."
        )
    return chances


FEWEST_SHARED = 2  # rows that two raters both labelled, for the error of the difference of their means


@dataclass(frozen=True)
class RaterError:
    """Contribution of raters to the error of labels."""

    residual: float
    """Variance of one label about its row's mean, each rater's leniency taken out."""
    leniency: float
    """Variance between raters of how high they label on the whole."""
    raters: int
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
