"""Compare two versions of one system from two runs, as if both had been evaluated together.

Every difference is computed from what the values are made of (unit scores, sums or counts), by the function that evaluates
two systems of one run, on clusters that are recognised by what they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trialogue.findings.differences.difference import NOTHING, difference_of
from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.differences.system_sample import SystemSample, Unit
from trialogue.findings.family import bounds_at_level
from trialogue.findings.league import contrasts_against_values
from trialogue.findings.league_verdicts import verdict
from trialogue.findings.standings import Contrast, League, Measure, Standing
from trialogue.findings.titles import retitle, titles_of
from trialogue.findings.wording import list_names
from trialogue.records import Estimate, Reason
from trialogue.stats import bonferroni
from trialogue.subjects.comparison.records import (
    ChangedUnit,
    Comparison,
    Light,
    MeasureComparison,
)

MAX_MOVED = 20  # dialogues listed; a screenful to read


@dataclass(frozen=True)
class Limits:
    """What a difference is held against, in its measure's unit; None: nothing of the kind."""

    non_inferiority: float | None = None
    equivalence: float | None = None
    superiority: float | None = None

    def light_within(self, light: Light, low: float, high: float) -> Light:
        """The light of a tested difference whose interval is given, positive where the new version is better."""
        least, loss, either = self.superiority, self.non_inferiority, self.equivalence
        if least is not None and light in ("better", "worse") and not (low > least or high < -least):
            light = "inconclusive"
        if light == "better":
            return light
        if either is not None and low >= -either and high <= either:
            return "equivalent"
        return "not worse" if loss is not None and low >= -loss else light


def compare_systems(
    before: SystemSample,
    after: SystemSample,
    *,
    on: Sequence[str] = (),
    family: Sequence[str] = (),
    margin: float | None = None,
    equivalence: float | None = None,
    superiority: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
    within: Mapping[str, Estimate] | None = None,
    apart: Mapping[str, Reason] | None = None,
) -> tuple[Comparison, tuple[League, ...]]:
    """Compare two versions on every measure, with one league each; threats are applied later.

    ``gate.conclude_comparison`` makes the verdict of it.

    Args:
        before: the old version.
        after: the new one.
        on: full names of the measures that decide; (): what people said, else the task outcome of simulated users, else
            none.
        family: further measures over which p-values are corrected together with those of ``on``; they decide nothing.
        margin: a loss up to which the new version is not worse, in the unit of the measures that decide.
        equivalence: a difference up to which the two are equivalent; None: ``margin``.
        superiority: a difference up to which neither is better; None: any significant one is.
        alpha: significance level, after correction across the measures that decide.
        seed: random seed for the sample of arrangements in permutation tests.
        resamples: arrangements to go through.
        within: where both versions stand in one run, its own differences by measure, after minus before; they take the
            place of what two values and their intervals would say.
        apart: measures on which the two cannot be compared, and why.
    """
    shared = [name for name in before.measures if name in after.measures]
    deciding = set(on) or deciding_of(before, shared)
    own = within or {}
    pairing = Pairing.of(before, after)
    is_first = before.name < after.name  # the order in which an evaluation takes them, so that signs alone depend on it
    one, other = (before, after) if is_first else (after, before)
    turned = pairing if is_first else pairing.turn()
    found = {}
    for name in shared:
        gap = own.get(name)
        if apart and name in apart:
            gap = Estimate(value=None, why=apart[name])
        if gap is None:
            gap = difference_of(one, other, name, turned, seed=seed, resamples=resamples)
            gap = gap.negate() if is_first else gap
        found[name] = gap
    titles = titles_of(before.measures[name] for name in shared)
    judgements: list[MeasureComparison] = []
    held_against = Limits(margin, margin if equivalence is None else equivalence, superiority)
    together = [name for name in shared if name in deciding or name in family]
    adjusted = dict(zip(together, bonferroni([found[name].p for name in together]), strict=True))
    for name in sorted(shared, key=lambda name: name not in deciding):
        judgements.append(
            _make_judgement(
                retitle(before.measures[name], titles),
                found[name],
                adjusted.get(name, found[name].p),
                name in deciding,
                held_against if name in deciding else Limits(),
                alpha,
                _count_pairs(before, after, name, pairing),
            )
        )
    comparison = Comparison(
        before=before.name,
        after=after.name,
        light=light_of(judgements),
        answer=(),
        judgements=tuple(judgements),
        moved=_largest_losses(before, after, pairing, [each.measure for each in judgements if each.decides]),
        notes=_notes(before, after, {titles[name]: each for name, each in found.items()}, pairing),
    )
    return comparison, tuple(_league(before, after, each, alpha) for each in judgements)


def deciding_of(side: SystemSample, shared: Sequence[str]) -> set[str]:
    """Default deciding measures: human judgements, else the task outcome of simulated users, else none.

    Of outcomes by needs, lift alone decides where both have it, as it leads an evaluation's answer.
    """
    directed = [side.measures[name] for name in shared if side.measures[name].better != "neither"]
    people = {measure.name for measure in directed if measure.by == "people"}
    outcomes = {each.name: each.card for each in directed if each.card is not None and each.card.is_task_outcome}
    by_needs = {name for name, card in outcomes.items() if "need" in card.needs}  # rest on nobody's understanding
    leading = {name for name in by_needs if outcomes[name].beside and name in side.values}
    return people or leading or by_needs or set(outcomes)


def _make_judgement(
    measure: Measure,
    found: Estimate,
    p: float | None,
    decides: bool,
    limits: Limits,
    alpha: float,
    paired: int,
) -> MeasureComparison:
    said = verdict(found.value, p, better=measure.better, alpha=alpha)
    light: Light = "better" if said == "a" else "worse" if said == "b" else "inconclusive"
    if measure.better == "neither" and p is not None and p <= alpha:
        light = "changed"
    bounds = bounds_at_level(found, alpha)
    if bounds is not None and measure.better != "neither":
        low, high = bounds if measure.better == "higher" else (-bounds[1], -bounds[0])
        light = limits.light_within(light, low, high)
    return MeasureComparison(
        measure=measure.name,
        title=measure.title,
        light=light,
        difference=found,
        p_adjusted=p,
        decides=decides,
        paired=paired,
    )


def _count_pairs(before: SystemSample, after: SystemSample, name: str, pairing: Pairing) -> int:
    """Units of the new version whose situation, need or person the old version met, too."""
    named = [
        [key for key, _ in pairing.common_units(each.rows.get(name), side)] for side, each in enumerate((before, after))
    ]
    known = set(named[0])
    return sum(each in known for each in named[1])


def light_of(judgements: Sequence[MeasureComparison]) -> Light:
    """Combined verdict of the deciding measures; a blocked one prevents a verdict unless another is worse.

    Where no measure decides, or none that does could be tested, there is no verdict.
    """
    lights = {each.light for each in judgements if each.decides and each.is_tested}
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
    if lights and lights <= {"not worse", "equivalent"}:
        return "not worse"
    return "inconclusive" if lights else "no verdict"


def _largest_losses(
    before: SystemSample, after: SystemSample, pairing: Pairing, names: Sequence[str]
) -> tuple[ChangedUnit, ...]:
    """Units that lost most on a measure, worst first; ties by name."""
    losses: list[tuple[float, str, str, float, float]] = []
    for name in names:
        sign = {"higher": 1.0, "lower": -1.0}.get(before.measures[name].better)
        old, _ = _means(pairing.common_units(before.rows.get(name), 0))
        new, labels = _means(pairing.common_units(after.rows.get(name), 1))
        if sign is None or not old or not new:
            continue
        spread = max(map(abs, [*old.values(), *new.values()])) or 1.0
        for unit in sorted(set(old) & set(new)):
            gain = sign * (new[unit] - old[unit])
            if gain < 0:
                losses.append((gain / spread, name, labels[unit], old[unit], new[unit]))
    return tuple(
        ChangedUnit(measure=name, unit=unit, before=old, after=new)
        for _, name, unit, old, new in sorted(losses)[:MAX_MOVED]
    )


def _means(units: Iterable[tuple[str, Unit]]) -> tuple[dict[str, float], dict[str, str]]:
    """Means by what both versions met, and what to call it: the unit's id, or the cluster where it has several."""
    found: dict[str, list[float]] = {}
    labels: dict[str, str] = {}
    for name, (unit, cluster, value) in units:
        labels[name] = unit if name not in found else cluster
        found.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in found.items()}, labels


def _by_reason(reasons: Mapping[str, Reason | None]) -> Iterator[tuple[Reason | None, list[str]]]:
    """Each reason once, with the measures that it keeps out."""
    names: dict[Reason | None, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    yield from names.items()


def _notes(
    before: SystemSample, after: SystemSample, found: Mapping[str, Estimate], pairing: Pairing
) -> tuple[str, ...]:
    missing = {name: each.why for name, each in found.items() if each.value is None}
    untested = {
        name: each.why for name, each in found.items() if each.value is not None and each.p is None and each.why
    }
    notes = [
        *(f"Not compared: {list_names(names, most=None)} ({why})." for why, names in _by_reason(missing)),
        *(f"Not tested: {list_names(names, most=None)} ({why})." for why, names in _by_reason(untested)),
    ]
    if pairing.is_partial and before.answered is not None and after.answered is not None:
        notes.append(
            f"Replies are compared in the {pairing.shared} situations that both answered: {before.name} answered "
            f"{len(before.answered.ids)}, {after.name} {len(after.answered.ids)}. Situations are the same if context and "
            "references are, whatever their ids. Each version's own values cover all situations it answered."
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
    standings = [
        Standing(system=each.name, estimate=each.values.get(judged.measure, Estimate(value=None, why=NOTHING)))
        for each in (after, before)
    ]
    values = {each.name: tuple(value for _, _, value in each.units(judged.measure)) for each in (before, after)}
    return League(
        measure=measure,
        standings=tuple(standings),
        contrasts=contrasts_against_values((contrast,), standings),
        values={name: found for name, found in values.items() if found},
    )
