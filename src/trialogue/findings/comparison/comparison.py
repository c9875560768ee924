"""Compare two versions of one system from the scores of two runs.

A measure that is the mean of unit values (dialogues, or replies to situations) is compared by them, paired where both runs
hold the same dialogue or situation; whether it is such a mean is checked against the run's own value of the system. Any
other measure (BLEU, distinct words of all replies together) is compared by the two runs' values and intervals as if the runs
were independent, which is conservative where both met the same situations and is reported; if both versions are in one run,
that run's own difference is used.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.comparison.system_sample import SystemSample, Units
from trialogue.findings.league_verdicts import verdict
from trialogue.findings.standings import Contrast, League, Measure, Standing
from trialogue.findings.threat import Threat, Validity
from trialogue.findings.wording import list_names
from trialogue.records import Estimate, Interval, Reason, ReasonCode, Record
from trialogue.stats import cluster_sums, difference, estimate_of_sums, holm
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.stats.student_t import t_quantile, two_sided_p

Light = Literal["better", "worse", "mixed", "not worse", "equivalent", "inconclusive", "changed", "no verdict"]
FAVOURABLE: tuple[Light, ...] = ("better", "not worse", "equivalent")
"""Lights that speak for the new version."""
SAME_SIZE = 1.05  # numbers of replies this near count as equal
MANY = 1_000_000  # clusters, where an estimate does not say how many: the quantiles of the normal distribution
MAX_MOVED = 20  # dialogues listed; a screenful to read
AS_INDEPENDENT = "two intervals, treating the runs as independent"
NO_INTERVALS = Reason.of(ReasonCode.INTERVAL_MISSING_IN_RUN)
NOTHING = Reason.of(ReasonCode.VALUE_MISSING_IN_RUN)


class MeasureComparison(Record):
    """Result of one measure on the new version."""

    measure: str
    """Full name."""
    title: str
    """Name in prose."""
    light: Light
    """Result. ``not worse``: not better, but not worse by more than the margin; ``equivalent``: within the margin on both
    sides; ``changed``: different, on a measure without direction; ``no verdict``: blocked by a threat."""
    validity: Validity = Validity.FIRM
    """Validity after the gate."""
    difference: Estimate
    """After minus before, with interval and uncorrected p."""
    p_adjusted: float | None = Field(ge=0, le=1)
    """p after Holm's correction across the measures that decide (or across the others, for those that do not)."""
    decides: bool
    """Whether the verdict rests on it."""
    paired: int = 0
    """Dialogues or situations that both runs hold."""


class ChangedUnit(Record):
    """A dialogue or situation whose value changed."""

    measure: str
    """The measure."""
    unit: str
    """Id of the dialogue or situation."""
    before: float
    """Its value with the old version."""
    after: float
    """Its value with the new one."""


class FailureComparison(Record):
    """Failure rates of two versions by the agent's fault."""

    before: int
    """Failed dialogues of the old version."""
    before_dialogues: int
    """All dialogues of the old version."""
    after: int
    """Failed dialogues of the new one."""
    after_dialogues: int
    """All dialogues of the new one."""
    p: float = Field(ge=0, le=1)
    """Fisher's exact test, two-sided."""
    margin: float
    """Share of dialogues by which the new version may fail more often."""
    are_replies: bool = False
    """Whether these are replies to situations, and not dialogues."""
    is_worse: bool
    """Whether the new version fails significantly more often, or more often by more than the margin."""


class Comparison(Record):
    """Comparison of two versions."""

    kind: ClassVar[str] = "comparison"

    before: str
    """The old version."""
    after: str
    """The new version."""
    light: Light
    """The verdict."""
    validity: Validity = Validity.FIRM
    """Validity of the verdict after the gate."""
    answer: tuple[str, ...]
    """The verdict in sentences."""
    failures: FailureComparison | None = None
    """Failure rates of both versions; None unless both are known."""
    threats: tuple[Threat, ...] = ()
    """Threats to the verdict, blocking ones first."""
    judgements: tuple[MeasureComparison, ...]
    """Measures that decide first, then the others, each in the runs' order."""
    moved: tuple[ChangedUnit, ...] = ()
    """Units with the largest losses on deciding measures, the largest first."""
    notes: tuple[str, ...] = ()
    """Caveats: omitted measures, runs with different settings."""


def compare_systems(
    before: SystemSample,
    after: SystemSample,
    *,
    on: Sequence[str] = (),
    margin: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
    within: Mapping[str, Estimate] | None = None,
) -> tuple[Comparison, tuple[League, ...]]:
    """Compare two versions on every measure, with one league each; threats are applied later.

    ``gate.conclude_comparison`` makes the verdict of it.

    Args:
        before: the old version.
        after: the new one.
        on: full names of the measures that decide; (): what people said, else the task outcome of simulated users, else
            none.
        margin: a loss up to which the new version is not worse, in the unit of the measures that decide.
        alpha: significance level, after Holm's correction across the measures that decide.
        seed: random seed for the sample of arrangements in permutation tests.
        resamples: arrangements to go through.
        within: where both versions stand in one run, its own differences by measure, after minus before; they take the
            place of what two values and their intervals would say.
    """
    shared = [name for name in before.measures if name in after.measures]
    deciding = set(on) or deciding_of(before, shared)
    own = within or {}
    found = {name: _difference(before, after, name, seed, resamples, own.get(name)) for name in shared}
    judgements: list[MeasureComparison] = []
    for decides in (True, False):
        names = [name for name in shared if (name in deciding) == decides]
        adjusted = holm([found[name].p for name in names])
        for name, p in zip(names, adjusted, strict=True):
            judgements.append(
                _make_judgement(before.measures[name], found[name], p, decides, margin, alpha, before, after)
            )
    comparison = Comparison(
        before=before.name,
        after=after.name,
        light=light_of(judgements),
        answer=(),
        judgements=tuple(judgements),
        moved=_largest_losses(before, after, [each.measure for each in judgements if each.decides]),
        notes=_notes(before, after, found),
    )
    return comparison, tuple(_league(before, after, each, alpha) for each in judgements)


def deciding_of(side: SystemSample, shared: Sequence[str]) -> set[str]:
    """Default deciding measures: human judgements, else the task outcome of simulated users, else none."""
    directed = [side.measures[name] for name in shared if side.measures[name].better != "neither"]
    people = {measure.name for measure in directed if measure.by == "people"}
    outcomes = {each.name: each.card for each in directed if each.card is not None and each.card.is_task_outcome}
    by_needs = {name for name, card in outcomes.items() if "need" in card.needs}  # rest on nobody's understanding
    return people or by_needs or set(outcomes)


def _difference(
    before: SystemSample, after: SystemSample, name: str, seed: int, resamples: int, within: Estimate | None
) -> Estimate:
    if name not in before.values or name not in after.values:
        return Estimate(value=None, why=NOTHING)
    if name not in before.units or name not in after.units:
        return within or _welch_difference(before.values[name], after.values[name])
    old, new = _met_by_both(before, after, name)
    measure = before.measures[name]
    most = None if measure.bounds is None else measure.bounds.width
    return difference(
        _sums(new), _sums(old), mean_of, is_share=measure.is_share, most=most, seed=seed, permutations=resamples
    )


def _met_by_both(before: SystemSample, after: SystemSample, name: str) -> tuple[Units, Units]:
    """The single values of a measure; of replies to situations, those to situations that both answered, if there are any."""
    old, new = before.units[name], after.units[name]
    if not all(unit in side.situations for side, units in ((before, old), (after, new)) for unit, _, _ in units):
        return old, new
    shared = {unit for unit, _, _ in old} & {unit for unit, _, _ in new}
    if not shared:
        return old, new
    kept_old, kept_new = (tuple(each for each in units if each[0] in shared) for units in (old, new))
    return kept_old, kept_new


def _welch_difference(before: Estimate, after: Estimate) -> Estimate:
    """After minus before, from two estimates that are taken as independent: Welch's test on their intervals.

    An interval's half width is its error times Student's quantile for its clusters. Interval and p-value of the difference
    rest on one error and one number of degrees of freedom (Satterthwaite's).
    """
    if before.value is None or after.value is None or before.interval is None or after.interval is None:
        return Estimate(value=None, why=NO_INTERVALS)
    few, many = sorted((before.n, after.n))
    if many > SAME_SIZE * few:
        why = Reason.of(ReasonCode.REPLY_COUNTS_DIFFER_BETWEEN_RUNS, before=before.n, after=after.n)
        return Estimate(value=None, why=why)
    parts = [
        (_error(each.interval, freedom), freedom)
        for each in (before, after)
        if each.interval is not None
        for freedom in [max((each.clusters or MANY) - 1, 1)]
    ]
    error, gap = math.hypot(*(one for one, _ in parts)), after.value - before.value
    if not error:
        return Estimate(value=gap, n=before.n + after.n, why=Reason.of(ReasonCode.NO_STANDARD_ERROR))
    freedom = error**4 / sum(one**4 / own for one, own in parts)
    half = error * t_quantile(0.975, freedom)
    interval = Interval(low=gap - half, high=gap + half, method=AS_INDEPENDENT)
    return Estimate(value=gap, interval=interval, n=before.n + after.n, p=two_sided_p(gap / error, freedom))


def _error(interval: Interval, freedom: int) -> float:
    """Half the width of an interval over Student's quantile."""
    return float((interval.high - interval.low) / (2 * t_quantile((1 + interval.confidence) / 2, freedom)))


def _sums(units: Sequence[tuple[str, str, float]]) -> ClusterSums:
    return cluster_sums([[value, 1.0] for _, _, value in units], [cluster for _, cluster, _ in units])


def _make_judgement(
    measure: Measure,
    found: Estimate,
    p: float | None,
    decides: bool,
    margin: float | None,
    alpha: float,
    before: SystemSample,
    after: SystemSample,
) -> MeasureComparison:
    said = verdict(found.value, p, better=measure.better, alpha=alpha)
    light: Light = "better" if said == "a" else "worse" if said == "b" else "inconclusive"
    if measure.better == "neither" and p is not None and p <= alpha:
        light = "changed"
    if margin is not None and found.interval is not None and measure.better != "neither":
        loss = -found.interval.low if measure.better == "higher" else found.interval.high
        gain = found.interval.high if measure.better == "higher" else -found.interval.low
        if light != "better" and loss <= margin:
            light = "equivalent" if gain <= margin else "not worse"
    units = [{unit for unit, _, _ in side.units.get(measure.name, ())} for side in (before, after)]
    return MeasureComparison(
        measure=measure.name,
        title=measure.title,
        light=light,
        difference=found,
        p_adjusted=p,
        decides=decides,
        paired=len(units[0] & units[1]),
    )


def light_of(judgements: Sequence[MeasureComparison]) -> Light:
    """Combined verdict of the deciding measures; a blocked one prevents a verdict unless another is worse."""
    lights = {each.light for each in judgements if each.decides}
    if {"better", "worse"} <= lights:
        return "mixed"
    if "worse" in lights:
        return "worse"
    if "no verdict" in lights:
        return "no verdict"
    if "better" in lights:
        return "better"
    if lights == {"equivalent"}:
        return "equivalent"
    return "not worse" if lights and lights <= {"not worse", "equivalent"} else "inconclusive"


def _largest_losses(before: SystemSample, after: SystemSample, names: Sequence[str]) -> tuple[ChangedUnit, ...]:
    """Units that lost most on a measure, worst first; ties by name."""
    losses: list[tuple[float, str, str, float, float]] = []
    for name in names:
        sign = {"higher": 1.0, "lower": -1.0}.get(before.measures[name].better)
        old, new = _means(before.units.get(name, ())), _means(after.units.get(name, ()))
        if sign is None or not old or not new:
            continue
        spread = max(map(abs, [*old.values(), *new.values()])) or 1.0
        for unit in sorted(set(old) & set(new)):
            gain = sign * (new[unit] - old[unit])
            if gain < 0:
                losses.append((gain / spread, name, unit, old[unit], new[unit]))
    return tuple(
        ChangedUnit(measure=name, unit=unit, before=old, after=new)
        for _, name, unit, old, new in sorted(losses)[:MAX_MOVED]
    )


def _means(units: Sequence[tuple[str, str, float]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for unit, _, value in units:
        found.setdefault(unit, []).append(value)
    return {unit: sum(values) / len(values) for unit, values in found.items()}


def _by_reason(reasons: Mapping[str, Reason | None]) -> Iterator[tuple[Reason | None, list[str]]]:
    """Each reason once, with the measures that it keeps out."""
    names: dict[Reason | None, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    yield from names.items()


def _notes(before: SystemSample, after: SystemSample, found: Mapping[str, Estimate]) -> tuple[str, ...]:
    missing = {name: each.why for name, each in found.items() if each.value is None}
    untested = {
        name: each.why for name, each in found.items() if each.value is not None and each.p is None and each.why
    }
    notes = [
        *(f"Not compared: {list_names(names, most=None)} ({why})." for why, names in _by_reason(missing)),
        *(f"Not tested: {list_names(names, most=None)} ({why})." for why, names in _by_reason(untested)),
    ]
    rough = [
        name for name, each in found.items() if each.interval is not None and each.interval.method == AS_INDEPENDENT
    ]
    if rough:
        notes.append(f"Compared as if the runs were independent, because these are not means: {', '.join(rough)}.")
    both = before.situations & after.situations
    if both and before.situations != after.situations:
        notes.append(
            f"Replies are compared in the {len(both)} situations that both answered: {before.name} answered "
            f"{len(before.situations)}, {after.name} {len(after.situations)}. Each version's own values cover "
            "all situations it answered."
        )
    for one, other in ((before, after), (after, before)):
        only = [name for name in one.measures if name not in other.measures]
        if only:
            notes.append(f"Measured only for {one.name}: {', '.join(only)}.")
    return tuple(notes)


def _league(before: SystemSample, after: SystemSample, judged: MeasureComparison, alpha: float) -> League:
    measure = before.measures[judged.measure]
    contrast = Contrast(
        a=after.name,
        b=before.name,
        difference=judged.difference,
        p_adjusted=judged.p_adjusted,
        verdict=verdict(judged.difference.value, judged.p_adjusted, better=measure.better, alpha=alpha),
    )
    standings = [Standing(system=each.name, estimate=_estimate(each, judged.measure)) for each in (after, before)]
    values = {each.name: tuple(value for _, _, value in each.units.get(judged.measure, ())) for each in (before, after)}
    return League(
        measure=measure,
        standings=tuple(standings),
        contrasts=(contrast,),
        values={name: found for name, found in values.items() if found},
    )


def _estimate(side: SystemSample, name: str) -> Estimate:
    if name not in side.units:
        return side.values.get(name, Estimate(value=None, why=NOTHING))
    units = side.units[name]
    measure = side.measures[name]
    ends = (None, None) if measure.bounds is None else (measure.bounds.low, measure.bounds.high)
    return estimate_of_sums(_sums(units), mean_of, is_share=measure.is_share, scale=ends)
