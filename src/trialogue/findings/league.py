"""League tables: system scores and differences on one measure, ordered and corrected for multiple comparisons.

Rank ranges come from the corrected comparisons: a system's best possible rank is one more than the number of systems that
are significantly better, its worst is the number of systems less those that are significantly worse. With a correction of
the family error the ranges of all systems of a measure hold together at the stated level (Mogstad et al. 2024, sec. 3).

A score with the role of a baseline is not a system's: it is not ranked, takes part in no correction of the systems' pairs,
and is compared with no other baseline. Each system's difference to the best baseline is listed separately, corrected across
the systems. The best baseline is chosen by its value in the same data, which makes it look slightly too good: an error on
the conservative side for claims to be above it.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set

from trialogue.findings.family import correct_family, simultaneous
from trialogue.findings.league_verdicts import verdict, with_ranks
from trialogue.findings.standings import Contrast, League, Measure, Standing
from trialogue.records import Estimate, Reason, ReasonCode, Role, Score
from trialogue.records.scores.score_table import ScoreTable
from trialogue.stats.comparison.families import FamilyMethod

MAX_DRAWN = 100_000  # values of a system; a share in a picture of them is off by 1/100,000 at most, finer than a pixel


def leagues(
    scores: Iterable[Score], measures: Sequence[Measure], *, units: ScoreTable | None = None, alpha: float = 0.05
) -> tuple[League, ...]:
    """One league per measure, from scores of level ``system``, ``difference`` and ``dialogue`` (in any order).

    Args:
        scores: scores of the measures; others are ignored. Scores of single dialogues are kept for pictures.
        measures: the columns, in order.
        units: further scores of single dialogues.
        alpha: significance level, after correction across the pairs of a measure.
    """
    systems: dict[str, list[Score]] = {measure.name: [] for measure in measures}
    pairs: dict[str, list[Score]] = {measure.name: [] for measure in measures}
    values: dict[str, dict[str, array[float]]] = {measure.name: {} for measure in measures}
    for score in scores:
        if score.measure not in systems:
            continue
        if score.level == "system":
            systems[score.measure].append(score)
        elif score.level == "difference":
            pairs[score.measure].append(score)
        elif score.level == "dialogue" and score.value is not None and score.system is not None:
            values[score.measure].setdefault(score.system, array("d")).append(score.value)
    # Unit scores come as single records (above) or as columns of a table (here).
    for measure in measures:
        for system, found in ({} if units is None else units.of_dialogues(measure.name)).items():
            if len(found):
                values[measure.name].setdefault(system, array("d")).extend(found.tolist())
    return tuple(
        _league(measure, systems[measure.name], pairs[measure.name], values[measure.name], alpha)
        for measure in measures
        if systems[measure.name]
    )


def _league(
    measure: Measure,
    systems: Sequence[Score],
    pairs: Sequence[Score],
    values: Mapping[str, Sequence[float]],
    alpha: float,
) -> League:
    signature = next((score.signature for score in systems if score.signature), None)
    baselines = [score for score in systems if score.role is Role.BASELINE]
    if len(baselines) == len(systems):  # nothing but baselines was given: then they are what is compared
        baselines = []
    apart = {score.system for score in baselines}
    systems = [score for score in systems if score.system not in apart]
    contrasts, correction = contrasts_of(
        [each for each in pairs if not {each.system, each.versus} & apart], better=measure.better, alpha=alpha
    )
    standings = [_make_standing(score) for score in systems]
    contrasts = contrasts_against_values(contrasts, standings)
    beside = _in_order([_make_standing(score) for score in baselines], measure.better)
    return League(
        measure=measure.model_copy(update={"signature": signature, **_provenance(systems)}),
        standings=with_ranks(_in_order(standings, measure.better), contrasts, better=measure.better),
        contrasts=contrasts,
        correction=correction,
        baselines=beside,
        above_baseline=_differences_to_baseline(beside, pairs, apart, better=measure.better, alpha=alpha),
        values={system: _thin_out(found) for system, found in sorted(values.items()) if system not in apart},
    )


def contrasts_against_values(contrasts: Sequence[Contrast], standings: Sequence[Standing]) -> tuple[Contrast, ...]:
    """Contrasts without verdicts against the values that stand in the table.

    A measure that grows with the amount of text is compared at equal amounts, where the order may turn round. Neither order
    is then a property of the systems alone, so that no sentence can state one over a table that shows the other.
    """
    values = {standing.system: standing.estimate.value for standing in standings}
    return tuple(
        each.model_copy(update={"verdict": "inconclusive", "difference": _turned_round(each.difference)})
        if each.leader is not None and _is_opposed(each, values.get(each.a), values.get(each.b))
        else each
        for each in contrasts
    )


def _is_opposed(contrast: Contrast, a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and (a - b) * (contrast.difference.value or 0.0) < 0


def _turned_round(difference: Estimate) -> Estimate:
    return difference.model_copy(update={"why": Reason.of(ReasonCode.ORDER_DEPENDS_ON_SIZE)})


def _thin_out(values: Sequence[float]) -> tuple[float, ...]:
    """Values as pictures take them: all, or of very many those at evenly spaced ranks."""
    if len(values) <= MAX_DRAWN:
        return tuple(values)
    ordered = sorted(values)
    return tuple(ordered[place * (len(ordered) - 1) // (MAX_DRAWN - 1)] for place in range(MAX_DRAWN))


def _provenance(scores: Sequence[Score]) -> dict[str, object]:
    """Whose labels the scores of a measure read, and whether they rest on a calibration."""
    return {
        "labels_from": tuple(sorted({origin for score in scores for origin in score.labels_from})),
        "is_calibrated": any(score.is_calibrated for score in scores),
    }


def _in_order(standings: Iterable[Standing], better: str) -> tuple[Standing, ...]:
    return tuple(sorted(standings, key=lambda standing: _order(standing, better)))


def _differences_to_baseline(
    baselines: Sequence[Standing], pairs: Sequence[Score], apart: Set[str | None], *, better: str, alpha: float
) -> tuple[Contrast, ...]:
    """Each system less the best baseline, whichever way round it was measured; nothing where nothing is ranked."""
    best = next((each.system for each in baselines if each.estimate.value is not None), None)
    if best is None or better == "neither":
        return ()
    held = [_turn_score(each) if each.system == best else each for each in pairs if best in (each.system, each.versus)]
    return contrasts_of([each for each in held if each.system not in apart], better=better, alpha=alpha)[0]


def _turn_score(score: Score) -> Score:
    """The same difference the other way round."""
    value = None if score.value is None else -score.value
    interval = score.interval and score.interval.negate()
    update = {
        "system": score.versus,
        "versus": score.system,
        "role": score.versus_role,
        "versus_role": score.role,
        "value": value,
        "interval": interval,
    }
    return score.model_copy(update=update)


def _order(standing: Standing, better: str) -> tuple[bool, float, str]:
    value = standing.estimate.value
    if value is None:
        return (True, 0.0, standing.system)
    direction = {"higher": -1.0, "lower": 1.0, "neither": 0.0}[better]
    return (False, direction * value, standing.system)


def contrasts_of(pairs: Sequence[Score], *, better: str, alpha: float) -> tuple[tuple[Contrast, ...], FamilyMethod]:
    """Contrasts with corrected p-values and verdicts, and the correction method."""
    family = correct_family(pairs)
    contrasts = tuple(
        Contrast(
            a=score.system or "",
            b=score.versus or "",
            difference=estimate_of(score),
            simultaneous=simultaneous(estimate_of(score), family) if len(pairs) > 1 else None,
            p_adjusted=p,
            verdict=verdict(score.value, p, better=better, alpha=alpha),
        )
        for score, p in zip(pairs, family.adjusted, strict=True)
    )
    return contrasts, family.method


def estimate_of(score: Score) -> Estimate:
    """Convert a score of a system or difference to an estimate."""
    return Estimate(
        value=score.value,
        interval=score.interval,
        n=score.n or 0,
        clusters=score.clusters,
        why=score.why,
        p=score.p,
    )


def _make_standing(score: Score) -> Standing:
    return Standing(
        system=score.system or "",
        estimate=estimate_of(score),
        skipped=score.skipped or 0,
        left_out=score.left_out,
    )
