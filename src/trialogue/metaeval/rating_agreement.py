"""Rating agreement: correlations and AUC of a measure with people's ratings, pooled, within systems and between them.

Pooled agreement mixes two things: whether a measure knows the better system, and whether it knows the better dialogue of one
system. Either may be there without the other, or even have the opposite sign (Simpson's paradox), so all are shown.

* ``pooled``: over all units.
* ``within``: the AUC from pairs of units of one system; correlations of ranks taken inside each system (Pearson: of
  deviations from the system's mean).
* ``between``: correlations of the systems' means.
* ``group:NAME``: pooled, over the systems of one group (a dataset, say).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from trialogue.metaeval.agreed import Agreed, RatingAgreement, Statistic
from trialogue.metaeval.judged import Floats, Judged
from trialogue.metaeval.resampling import DEFAULT, Resampling
from trialogue.metaeval.system_orders import correlations_of, mean_replicates
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import auc, kendall, pearson, spearman

Places = npt.NDArray[np.intp]

CORRELATIONS: dict[Statistic, Callable[..., Estimate]] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
CHANCE: dict[Statistic, float] = {"auc": 0.5, "pearson": 0.0, "spearman": 0.0, "kendall": 0.0}
MOST_KENDALL = 1_000  # clusters; with more, Kendall's bootstrap takes tens of seconds, and Spearman says the same
CONSTANT: Mapping[ReasonCode, Reason] = {
    ReasonCode.X_CONSTANT: Reason.of(ReasonCode.MEASURE_CONSTANT),
    ReasonCode.Y_CONSTANT: Reason.of(ReasonCode.PEOPLE_CONSTANT),
    ReasonCode.X_AND_Y_CONSTANT: Reason.of(ReasonCode.MEASURE_AND_PEOPLE_CONSTANT),
}
"""Which side x and y are here: the measure and people's ratings."""
SAME = 1e-9
LEAST_PER_GROUP = 3  # units of a group for a coefficient of its own


def rating_agreement(table: Judged, measure: str, *, lower: bool = False, how: Resampling = DEFAULT) -> RatingAgreement:
    """How well a measure goes with the ratings of a table.

    Args:
        table: the units.
        measure: one of ``table.values``.
        lower: whether lower values of it are better; they are then turned around.
        how: seed, resamples, confidence.
    """
    sign = -1.0 if lower else 1.0
    column = sign * table.values[measure]
    known = np.flatnonzero(~np.isnan(column))
    part = _Part(table, column, known, how)
    pooled = [*part.aucs("pooled"), *part.correlations("pooled")]
    shrunk = _pairs_covered(table.people, known)
    agreed = [_penalised(each, shrunk) for each in pooled]
    if len(set(table.systems)) > 1:
        agreed += [*part.aucs("within"), *part.within(), *part.between()]
    for group in sorted(set(table.groups) - {""}):
        inside = known[[table.groups[unit] == group for unit in known.tolist()]]
        if len(inside) >= LEAST_PER_GROUP:
            smaller = _Part(table, column, inside, how)
            agreed += [*smaller.aucs(f"group:{group}"), *smaller.correlations(f"group:{group}")]
    return RatingAgreement(
        measure=measure,
        question=table.question,
        level=table.level,
        rated=len(table.keys),
        scored=len(known),
        rated_by_group={group: table.groups.count(group) for group in sorted(set(table.groups) - {""})},
        agreed=tuple(agreed),
        note=_note(agreed),
    )


class _Part:
    """Some units of a table with a measure's value: the coefficients over them."""

    def __init__(self, table: Judged, column: Floats, units: Places, how: Resampling) -> None:
        chosen = units.tolist()
        self.people, self.values = table.people[units], column[units]
        self.systems = [table.systems[unit] for unit in chosen]
        self.clusters = [table.clusters[unit] for unit in chosen]
        self.yes_or_no = table.yes_or_no
        self._names = (table.question, table.level)
        self._how = how

    def aucs(self, scope: str) -> list[Agreed]:
        """The AUC over all pairs, or over those inside systems; nothing for ratings that are not yes or no."""
        if not self.yes_or_no:
            return []
        found = auc(
            self.values,
            self.people,
            groups=self.systems if scope == "within" else None,
            clusters=self.clusters,
            rng=self._how.rng(*self._names, "auc", scope),
            resamples=self._how.resamples,
            confidence=self._how.confidence,
            method="percentile",
        )
        return [Agreed(statistic="auc", scope=scope, estimate=found)]

    def correlations(self, scope: str) -> list[Agreed]:
        """The three correlations over all units."""
        return [self._correlation(name, scope, self.values, self.people) for name in CORRELATIONS]

    def within(self) -> list[Agreed]:
        """Correlations of deviations from the system's mean, and of ranks inside systems."""
        kinds: tuple[tuple[Statistic, Callable[[Floats, Sequence[str]], Floats]], ...] = (
            ("pearson", deviations),
            ("spearman", inner_ranks),
        )
        return [
            self._correlation(name, "within", made(self.values, self.systems), made(self.people, self.systems))
            for name, made in kinds
        ]

    def _correlation(self, name: Statistic, scope: str, values: Floats, people: Floats) -> Agreed:
        analytic = name == "kendall" and len(set(self.clusters)) > MOST_KENDALL
        function = pearson if scope == "within" else CORRELATIONS[name]  # of ranks, where they are taken inside systems
        estimate = function(
            values,
            people,
            clusters=None if analytic else self.clusters,
            rng=self._how.rng(*self._names, name, scope),
            resamples=self._how.resamples,
            confidence=self._how.confidence,
            method="analytic" if analytic else "percentile",
        )
        if analytic and estimate.value is not None:
            why = Reason.of(ReasonCode.TOO_MANY_CLUSTERS_FOR_KENDALL, most=MOST_KENDALL)
            estimate = estimate.model_copy(update={"interval": None, "why": why})
        return Agreed(statistic=name, scope=scope, estimate=_said(estimate))

    def between(self) -> list[Agreed]:
        """Correlations of the systems' means; the interval resamples people or dialogues, the systems stay."""
        names = (*self._names, "between")
        means = [
            mean_replicates(column, self.systems, clusters=self.clusters, how=self._how, names=names)
            for column in (self.people, self.values)
        ]
        found = correlations_of(*means, confidence=self._how.confidence)
        return [Agreed(statistic=name, scope="between", estimate=estimate) for name, estimate in found.items()]


def _said(estimate: Estimate) -> Estimate:
    """An undefined correlation with a reason that says which side does not vary."""
    why = CONSTANT.get(estimate.why.code) if estimate.why else None
    return estimate if why is None else estimate.model_copy(update={"why": why})


def deviations(column: Floats, systems: Sequence[str]) -> Floats:
    """Values less the mean of their system."""
    found = column.copy()
    for places in _by_system(systems):
        found[places] -= column[places].mean()
    return found


def inner_ranks(column: Floats, systems: Sequence[str]) -> Floats:
    """Midranks inside each system, scaled to -1/2 ... 1/2, so that systems of any size count by their units."""
    from scipy.stats import rankdata

    found = np.zeros(len(column))
    for places in _by_system(systems):
        found[places] = (rankdata(column[places]) - (len(places) + 1) / 2) / len(places)
    return found


def _by_system(systems: Sequence[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for place, system in enumerate(systems):
        places.setdefault(system, []).append(place)
    return list(places.values())


def _pairs_covered(people: Floats, known: Places) -> float:
    """Share of the pairs of rated units that have a value on both sides."""
    size, with_value = len(people), len(known)
    return with_value * (with_value - 1) / (size * (size - 1)) if size > 1 else 0.0


def _penalised(each: Agreed, share: float) -> Agreed:
    """A pair of which the measure does not know both sides counts as chance: abstaining is no way to a higher number."""
    if each.estimate.value is None:
        return each
    chance = CHANCE[each.statistic]
    return each.model_copy(update={"penalised": chance + share * (each.estimate.value - chance)})


def _note(agreed: Sequence[Agreed]) -> Reason | None:
    """What pooled and within-system agreement say of each other, where they part."""
    found = {(each.statistic, each.scope): each.estimate for each in agreed}
    statistic: Statistic = "auc" if ("auc", "pooled") in found else "spearman"
    pooled, within = found.get((statistic, "pooled")), found.get((statistic, "within"))
    if pooled is None or within is None or pooled.value is None or within.value is None:
        return None
    chance = CHANCE[statistic]
    together, inside = side(pooled, chance), side(within, chance)
    if together * inside < 0:
        return (
            Reason.of(ReasonCode.SIMPSON_WITH_PEOPLE_OVERALL)
            if together > 0
            else Reason.of(ReasonCode.SIMPSON_AGAINST_PEOPLE_OVERALL)
        )
    if together and not inside:
        return Reason.of(ReasonCode.SEPARATES_SYSTEMS_ONLY)
    if inside and not together:
        return Reason.of(ReasonCode.SEPARATES_DIALOGUES_ONLY)
    return None


def side(estimate: Estimate, chance: float) -> int:
    """1 or -1 if the whole interval lies above or below chance; 0 if it does not.

    An estimate without interval counts only where it is as far from chance as can be (all resamples say the same then).
    """
    if estimate.interval is None:
        gap = (estimate.value or chance) - chance
        return 0 if abs(gap) < (1.0 - chance) - SAME else 1 if gap > 0 else -1
    return int(estimate.interval.low > chance) - int(estimate.interval.high < chance)
