"""Rating agreement: correlations and AUC of a measure with people's ratings, pooled, within systems and between them.

Pooled agreement mixes two questions: whether a measure knows the better system, and whether it knows the better dialogue of
one system. Either may hold without the other, or even with the opposite sign (Simpson's paradox), so all are reported.

* ``pooled``: over all units.
* ``within``: the AUC from pairs of units of one system; correlations of ranks taken inside each system (Pearson: of
  deviations from the system's mean).
* ``within_users``: the same within people, over those who rated at least two units. Some people rate everything
  higher than others do; this is what a measure knows of a dialogue beyond who rated it.
* ``between``: correlations of the systems' means.
* ``group:NAME``: pooled, over the systems of one group (such as a dataset).

Each is given over the units that the measure has a value for and, where it lacks any, penalised: over all rated units, with
missing values replaced by the worst guesses of ``abstention`` (for ``within``, ``within_users`` and ``group:NAME``
the worst inside each system, person and group).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import auc, kendall, pearson, spearman
from trialogue.stats.arrays import midranks
from trialogue.subjects.agreement.abstention import worst_guesses, worst_guesses_inside
from trialogue.subjects.agreement.records import AgreementCoefficient, RatingAgreement, Statistic
from trialogue.subjects.agreement.score_pairs import DialogueKey, Floats, JudgedUnits
from trialogue.subjects.agreement.system_orders import correlations_of, mean_replicates

Bools = npt.NDArray[np.bool_]

CORRELATIONS: dict[Statistic, Callable[..., Estimate]] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
CHANCE: dict[Statistic, float] = {"auc": 0.5, "pearson": 0.0, "spearman": 0.0, "kendall": 0.0}
MAX_KENDALL = 1_000  # clusters; with more, Kendall's bootstrap takes tens of seconds, and Spearman says the same
CONSTANT: Mapping[ReasonCode, Reason] = {
    ReasonCode.X_CONSTANT: Reason.of(ReasonCode.MEASURE_CONSTANT),
    ReasonCode.Y_CONSTANT: Reason.of(ReasonCode.PEOPLE_CONSTANT),
    ReasonCode.X_AND_Y_CONSTANT: Reason.of(ReasonCode.MEASURE_AND_PEOPLE_CONSTANT),
}
"""Names of x and y in reasons: the measure and people's ratings."""
SAME = 1e-9
MIN_PER_GROUP = 3  # units of a group for a coefficient of its own


def rating_agreement(
    table: JudgedUnits, measure: str, *, lower: bool = False, resampling: Resampling = DEFAULT
) -> RatingAgreement:
    """Agreement of a measure with the ratings of a table.

    Args:
        table: the units.
        measure: one of ``table.values``.
        lower: whether lower values of it are better; they are then turned around.
        resampling: seed, resamples, confidence.
    """
    sign = -1.0 if lower else 1.0
    column = sign * table.values[measure]
    known = _coefficients(table, _Columns.repeat(column), resampling)
    agreed = _with_penalties(known, table, column, resampling) if np.isnan(column).any() else known
    return RatingAgreement(
        measure=measure,
        question=table.question,
        level=table.level,
        rated=len(table.keys),
        scored=int((~np.isnan(column)).sum()),
        rated_by_group={group: table.groups.count(group) for group in sorted(set(table.groups) - {""})},
        agreed=tuple(agreed),
        note=_note(agreed),
    )


USER_MEAN = "mean of the user's other dialogues"
"""Name of the reference, in place of a measure's."""


def user_mean_agreement(table: JudgedUnits, *, resampling: Resampling = DEFAULT) -> RatingAgreement | None:
    """Prediction of a rating by the same user's mean rating of other dialogues, a content-free baseline.

    Over the units of people who rated two dialogues or more; None where there are fewer than three such units. It has no
    coefficient within users, where it is the reverse of the rating by construction.
    """
    column = _other_dialogues(table)
    if column is None or (~np.isnan(column)).sum() < MIN_PER_GROUP:
        return None
    found = _coefficients(table, _Columns.repeat(column), resampling)
    return RatingAgreement(
        measure=USER_MEAN,
        question=table.question,
        level=table.level,
        rated=len(table.keys),
        scored=int((~np.isnan(column)).sum()),
        agreed=tuple(each for each in found if each.scope in ("pooled", "within")),
    )


def _other_dialogues(table: JudgedUnits) -> Floats | None:
    """Mean rating of each unit's user over the units of other dialogues, NaN where there are none, shape (n,)."""
    if table.users is None:
        return None
    rated: dict[str, list[tuple[DialogueKey, float]]] = {}
    for user, key, value in zip(table.users, table.keys, table.people.tolist(), strict=True):
        rated.setdefault(user, []).append((key[:3], value))
    others = (
        [value for other, value in rated[user] if other != key[:3]]
        for user, key in zip(table.users, table.keys, strict=True)
    )
    return np.array([np.mean(values) if values else np.nan for values in others], dtype=np.float64)


@dataclass(frozen=True)
class _Columns:
    """A measure's values for each kind of scope; they differ only in the guesses for missing values."""

    pooled: Floats
    by_system: Floats
    by_user: Floats
    by_group: Floats

    @classmethod
    def repeat(cls, column: Floats) -> "_Columns":
        return cls(column, column, column, column)

    @classmethod
    def worst(cls, column: Floats, table: JudgedUnits) -> "_Columns":
        return cls(
            pooled=worst_guesses(column, table.people),
            by_system=worst_guesses_inside(column, table.people, table.systems),
            by_user=worst_guesses_inside(column, table.people, table.users or table.clusters),
            by_group=worst_guesses_inside(column, table.people, table.groups),
        )


def _coefficients(table: JudgedUnits, columns: _Columns, resampling: Resampling) -> list[AgreementCoefficient]:
    """Every coefficient in every scope, over the units that have a value."""
    pooled = _Part(table, columns.pooled, resampling)
    agreed = [*pooled.aucs("pooled"), *pooled.correlations("pooled")]
    if len(set(table.systems)) > 1:
        inside = _Part(table, columns.by_system, resampling)
        agreed += [*inside.inner("within", inside.systems), *pooled.correlate_means()]
    if table.users is not None:
        several = Counter(table.users)
        repeated = np.array([several[user] > 1 for user in table.users])
        people = _Part(table, columns.by_user, resampling, among=repeated)
        if people.size >= MIN_PER_GROUP:
            agreed += people.inner("within_users", people.clusters)
    for group in sorted(set(table.groups) - {""}):
        part = _Part(table, columns.by_group, resampling, among=np.array(table.groups) == group)
        if part.size >= MIN_PER_GROUP:
            agreed += [*part.aucs(f"group:{group}"), *part.correlations(f"group:{group}")]
    return agreed


def _with_penalties(
    known: Sequence[AgreementCoefficient], table: JudgedUnits, column: Floats, resampling: Resampling
) -> list[AgreementCoefficient]:
    """Coefficients over the units with a value, each with the same over all units with the worst guesses."""
    guessed = _coefficients(table, _Columns.worst(column, table), resampling)
    held = {(each.statistic, each.scope): each for each in known}
    lacking = Estimate(value=None, why=Reason.of(ReasonCode.MEASURE_TOO_FEW_VALUES))
    return [
        held.get((each.statistic, each.scope), each.model_copy(update={"estimate": lacking})).model_copy(
            update={"penalised": each.estimate}
        )
        for each in guessed
    ]


class _Part:
    """Some units of a table with a measure's value: the coefficients over them."""

    def __init__(
        self, table: JudgedUnits, column: Floats, resampling: Resampling, *, among: Bools | None = None
    ) -> None:
        has_value = ~np.isnan(column)
        units = np.flatnonzero(has_value if among is None else has_value & among)
        chosen = units.tolist()
        self.size = len(chosen)
        self.people, self.values = table.people[units], column[units]
        self.systems = [table.systems[unit] for unit in chosen]
        self.clusters = [table.clusters[unit] for unit in chosen]
        self.yes_or_no = table.is_binary
        self._names = (table.question, table.level)
        self._how = resampling

    def aucs(self, scope: str, groups: Sequence[str] | None = None) -> list[AgreementCoefficient]:
        """The AUC over all pairs, or over those inside groups; nothing for ratings that are not yes or no."""
        if not self.yes_or_no:
            return []
        found = auc(
            self.values,
            self.people,
            groups=groups,
            clusters=self.clusters,
            rng=self._how.rng(*self._names, "auc", scope),
            resamples=self._how.resamples,
            confidence=self._how.confidence,
            method="percentile",
        )
        return [AgreementCoefficient(statistic="auc", scope=scope, estimate=found)]

    def correlations(self, scope: str) -> list[AgreementCoefficient]:
        """The three correlations over all units."""
        return [self._correlation(name, scope, self.values, self.people) for name in CORRELATIONS]

    def inner(self, scope: str, groups: Sequence[str]) -> list[AgreementCoefficient]:
        """Inside groups: the AUC, correlations of deviations from the group's mean, and of ranks inside groups."""
        kinds: tuple[tuple[Statistic, Callable[[Floats, Sequence[str]], Floats]], ...] = (
            ("pearson", deviations),
            ("spearman", inner_ranks),
        )
        return [
            *self.aucs(scope, groups),
            *(
                self._correlation(name, scope, made(self.values, groups), made(self.people, groups), is_ranked=True)
                for name, made in kinds
            ),
        ]

    def _correlation(
        self, name: Statistic, scope: str, values: Floats, people: Floats, *, is_ranked: bool = False
    ) -> AgreementCoefficient:
        analytic = name == "kendall" and len(set(self.clusters)) > MAX_KENDALL
        function = pearson if is_ranked else CORRELATIONS[name]
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
            why = Reason.of(ReasonCode.TOO_MANY_CLUSTERS_FOR_KENDALL, most=MAX_KENDALL)
            estimate = estimate.model_copy(update={"interval": None, "why": why})
        return AgreementCoefficient(statistic=name, scope=scope, estimate=_state_constant_side(estimate))

    def correlate_means(self) -> list[AgreementCoefficient]:
        """Correlations of the systems' means; the interval resamples people or dialogues, the systems stay."""
        names = (*self._names, "between")
        means = [
            mean_replicates(column, self.systems, clusters=self.clusters, resampling=self._how, names=names)
            for column in (self.people, self.values)
        ]
        found = correlations_of(*means, confidence=self._how.confidence)
        return [
            AgreementCoefficient(statistic=name, scope="between", estimate=estimate) for name, estimate in found.items()
        ]


def _state_constant_side(estimate: Estimate) -> Estimate:
    """An undefined correlation with a reason that says which side does not vary."""
    why = CONSTANT.get(estimate.why.code) if estimate.why else None
    return estimate if why is None else estimate.model_copy(update={"why": why})


def deviations(column: Floats, systems: Sequence[str]) -> Floats:
    """Deviations from the system's mean."""
    found = column.copy()
    for places in _rows_by_system(systems):
        found[places] -= column[places].mean()
    return found


def inner_ranks(column: Floats, systems: Sequence[str]) -> Floats:
    """Midranks within each system, scaled to -1/2 ... 1/2, so that systems of any size count by their units."""
    found = np.zeros(len(column))
    for places in _rows_by_system(systems):
        found[places] = (midranks(column[places]) - (len(places) + 1) / 2) / len(places)
    return found


def _rows_by_system(systems: Sequence[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for place, system in enumerate(systems):
        places.setdefault(system, []).append(place)
    return list(places.values())


def _note(agreed: Sequence[AgreementCoefficient]) -> Reason | None:
    """Remark on a discrepancy between pooled and within-system agreement."""
    found = {(each.statistic, each.scope): each.headline for each in agreed}
    statistic: Statistic = "auc" if ("auc", "pooled") in found else "spearman"
    pooled, within = found.get((statistic, "pooled")), found.get((statistic, "within"))
    if pooled is None or within is None or pooled.value is None or within.value is None:
        return None
    chance = CHANCE[statistic]
    together, inside = sign_against_chance(pooled, chance), sign_against_chance(within, chance)
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


def sign_against_chance(estimate: Estimate, chance: float) -> int:
    """1 or -1 if the whole interval lies above or below chance, else 0.

    An estimate without interval counts only where it is as far from chance as can be (all resamples say the same then).
    """
    if estimate.interval is None:
        gap = (estimate.value or chance) - chance
        return 0 if abs(gap) < (1.0 - chance) - SAME else 1 if gap > 0 else -1
    return int(estimate.interval.low > chance) - int(estimate.interval.high < chance)
