"""Fill in the report card of a judge from units that it and people scored; makes no calls to it."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.records.score import AGGREGATE
from trialogue.stats.association.partial import partial_slope
from trialogue.stats.correction.means import MIN_LABELS, Corrections, corrected_means
from trialogue.stats.correction.table import Estimand, RaterLabel, judged_table, rater_error
from trialogue.subjects.agreement.ceilings import ceiling_of
from trialogue.subjects.agreement.rating_agreement import rating_agreement
from trialogue.subjects.agreement.records import AgreementCoefficient
from trialogue.subjects.agreement.score_pairs import Floats, JudgedUnits
from trialogue.subjects.judging.records import JudgeCard, ScaleShare, ScaleUse, SystemLeniency
from trialogue.subjects.judging.units import JudgedUnit

MIN_WITHIN = 20
"""Labelled dialogues for agreement: with 20 normal pairs bootstrap intervals hold the truth in 92% (see ``pearson``)."""
MIN_SYSTEMS = 5
"""Systems for agreement between them: two always agree perfectly or not at all, and four agree perfectly by chance in 1 of
12 draws (a Kendall correlation of 1 or -1)."""
MAX_VALUES = 11  # different values that are listed with their shares
SAME = 1e-9
SCOPES = ("within", "between")


def judge_card(
    units: Sequence[JudgedUnit],
    *,
    judge: str,
    question: str,
    level: Literal["dialogue", "turn"],
    scale: tuple[float | None, float | None] = (None, None),
    family: Sequence[str] = (),
    confidence: float = 0.95,
    seed: int = 0,
) -> JudgeCard:
    """What is known of a judge; whatever cannot be estimated has a reason in place of a value.

    Args:
        units: all units, those without labels or scores included.
        judge: full name of its column.
        question: what people were asked.
        level: what a unit is.
        scale: declared ends of the labels' scale.
        family: systems of the judge's family.
        confidence: confidence level of intervals.
        seed: random seed for the resampling.
    """
    labelled = [each for each in units if each.answers]
    scored = [each for each in labelled if each.judge is not None]
    noise = _noise_of(scored)
    resampling = Resampling(seed=seed, confidence=confidence)
    return JudgeCard(
        judge=judge,
        question=question,
        level=level,
        labelled=len(labelled),
        scored=len(scored),
        is_weighted=any(each.chance is not None for each in units),
        agreement=_agreement(labelled, judge, question, level, resampling),
        ceiling=ceiling_of(_table(labelled, judge, question, level), resampling=resampling),
        leniency=_leniency(units, scored, scale, confidence),
        scale=_scale_use(scored, scale),
        verbosity=_verbosity(scored, noise, confidence),
        verbosity_noise=noise,
        self_preference=_self_preference(scored, scale, family, confidence),
    )


def _mean(unit: JudgedUnit) -> float:
    return sum(value for _, value in unit.answers) / len(unit.answers)


def _score(unit: JudgedUnit) -> float:
    return float("nan") if unit.judge is None else unit.judge


def _cluster(unit: JudgedUnit) -> str:
    """A dialogue, whose turns are one cluster."""
    return f"{unit.key[0]} {unit.key[1] or unit.key[2]}"


def _table(units: Sequence[JudgedUnit], judge: str, question: str, level: Literal["dialogue", "turn"]) -> JudgedUnits:
    return JudgedUnits(
        question=question,
        level=level,
        keys=tuple(each.key for each in units),
        people=np.array([_mean(each) for each in units], dtype=np.float64),
        raters=tuple(dict(each.answers) for each in units),
        systems=tuple(each.key[0] for each in units),
        groups=("",) * len(units),
        clusters=tuple(_cluster(each) for each in units),
        clustered_by="dialogue",
        values={judge: np.array([_score(each) for each in units], dtype=np.float64)},
    )


def _agreement(
    units: Sequence[JudgedUnit], judge: str, question: str, level: Literal["dialogue", "turn"], resampling: Resampling
) -> tuple[AgreementCoefficient, ...]:
    """Coefficients within and between systems, without a value where units or systems are too few."""
    scored = [each for each in units if each.judge is not None]
    systems = {each.key[0] for each in scored}
    clusters = len({_cluster(each) for each in scored})
    few: dict[str, Reason] = {}
    if clusters < MIN_WITHIN:
        few["within"] = Reason.of(ReasonCode.CARD_TOO_FEW_LABELS, labels=clusters, least=MIN_WITHIN)
        few["between"] = few["within"]
    elif len(systems) < MIN_SYSTEMS:
        few["between"] = Reason.of(ReasonCode.CARD_TOO_FEW_SYSTEMS, systems=len(systems), least=MIN_SYSTEMS)
    found: dict[tuple[str, str], AgreementCoefficient] = {}
    if "within" not in few:
        table = _table(units, judge, question, level)
        agreed = rating_agreement(table, judge, resampling=resampling).agreed
        inner = "within" if len(systems) > 1 else "pooled"  # of one system, all pairs are within it
        for each in agreed:
            scope = "within" if each.scope == inner else each.scope
            found.setdefault((each.statistic, scope), each.model_copy(update={"scope": scope}))
    listed = []
    for scope in SCOPES:
        for statistic in ("pearson", "spearman"):
            why = few.get(scope)
            empty = AgreementCoefficient(
                statistic=statistic,
                scope=scope,
                estimate=Estimate(value=None, n=len(scored), why=why or Reason.of(ReasonCode.STATISTIC_UNDEFINED)),
            )
            listed.append(empty if why is not None else found.get((statistic, scope), empty))
    return tuple(listed)


def _noise_of(units: Sequence[JudgedUnit]) -> float | None:
    """Mean variance of the units' mean labels that is due to raters; None: no two raters shared units."""
    rows = [
        RaterLabel(row, rater, value)
        for row, unit in enumerate(units)
        for rater, value in unit.answers
        if rater != AGGREGATE
    ]
    error = rater_error(tuple(rows))
    if not error.doubled or not units:
        return None
    return float(np.mean([(error.residual + error.leniency) / len(each.answers) for each in units]))


def _ends(units: Sequence[JudgedUnit], scale: tuple[float | None, float | None]) -> tuple[float, float]:
    values = [value for unit in units for _, value in unit.answers]
    low, high = scale
    return (min(values) if low is None else low), (max(values) if high is None else high)


def _off_scale(units: Sequence[JudgedUnit], scale: tuple[float | None, float | None]) -> Reason | None:
    """Why the judge's scores and people's labels have no difference: the scores lie on another scale."""
    if not units:
        return None
    low, high = _ends(units, scale)
    scores = [_score(each) for each in units]
    if min(scores) < low - SAME or max(scores) > high + SAME:
        return Reason.of(ReasonCode.CARD_OTHER_SCALE, low=min(scores), high=max(scores), least=low, most=high)
    return None


def _gaps(units: Sequence[JudgedUnit], names: Sequence[str], confidence: float) -> Corrections:
    """Means of the judge's scores less people's labels, by name; each as labels alone are analysed."""
    has_chances = any(each.chance is not None for each in units)
    clusters: list[Hashable] = [_cluster(each) if each.cluster is None else each.cluster for each in units]
    table = judged_table(
        list(names),
        [0.0] * len(units),
        [_score(each) - _mean(each) for each in units],
        clusters=clusters,
        chances=[each.chance or 1.0 for each in units] if has_chances else None,
    )
    return corrected_means(table, estimand=Estimand.POPULATION, confidence=confidence, weight=0.0)


def _leniency(
    units: Sequence[JudgedUnit],
    scored: Sequence[JudgedUnit],
    scale: tuple[float | None, float | None],
    confidence: float,
) -> tuple[SystemLeniency, ...]:
    judged = Counter(each.key[0] for each in units)
    lacking = Counter(each.key[0] for each in units if each.judge is None)
    off = _off_scale(scored, scale)
    found = _gaps(scored, [each.key[0] for each in scored], confidence).systems if scored and off is None else {}
    rows = []
    for system in sorted(judged):
        why = off or Reason.of(ReasonCode.TOO_FEW_LABELS, labels=0, least=MIN_LABELS)
        estimate = found[system].alone if system in found else Estimate(value=None, why=why)
        rows.append(SystemLeniency(system=system, leniency=estimate, unscored=lacking[system], judged=judged[system]))
    return tuple(rows)


def _self_preference(
    scored: Sequence[JudgedUnit],
    scale: tuple[float | None, float | None],
    family: Sequence[str],
    confidence: float,
) -> Estimate:
    if not family:
        return Estimate(value=None, why=Reason.of(ReasonCode.CARD_NO_FAMILY))
    own = ["own" if each.key[0] in set(family) else "other" for each in scored]
    why = _off_scale(scored, scale)
    if why is None and len(set(own)) < 2:
        why = Reason.of(ReasonCode.CARD_ONE_SIDED_FAMILY)
    if why is not None:
        return Estimate(value=None, n=len(scored), why=why)
    found = _gaps(scored, own, confidence)
    pair = found.differences.get(("other", "own"))
    if pair is None:
        labels = min(found.labels.values())
        why = Reason.of(ReasonCode.TOO_FEW_LABELS, labels=labels, least=MIN_LABELS)
        return Estimate(value=None, n=len(scored), why=why)
    return pair.alone.negate()


def _scale_use(units: Sequence[JudgedUnit], scale: tuple[float | None, float | None]) -> ScaleUse | None:
    if not units:
        return None
    low, high = _ends(units, scale)
    scores: Floats = np.array([_score(each) for each in units], dtype=np.float64)
    labels: Floats = np.array([value for unit in units for _, value in unit.answers], dtype=np.float64)
    means: Floats = np.array([_mean(each) for each in units], dtype=np.float64)
    values = np.unique(np.concatenate([scores, labels])).tolist()
    return ScaleUse(
        low=low,
        high=high,
        is_declared=None not in scale,
        judge_at_high=float((scores >= high - SAME).mean()),
        people_at_high=float((labels >= high - SAME).mean()),
        judge_at_low=float((scores <= low + SAME).mean()),
        people_at_low=float((labels <= low + SAME).mean()),
        spread_ratio=float(scores.std() / means.std()) if means.std() > SAME else None,
        shares=tuple(
            ScaleShare(value=value, judge=float((scores == value).mean()), people=float((labels == value).mean()))
            for value in values
        )
        if len(values) <= MAX_VALUES
        else (),
    )


def _verbosity(units: Sequence[JudgedUnit], noise: float | None, confidence: float) -> Estimate:
    """Slope of the score on the binary logarithm of the length, at equal quality by people, within systems.

    Without the error of the labels it has no interval: the slope is then biased towards what goes with quality, and
    intervals of 200 labels held the truth in 44% of draws (benchmarks/JUDGING.md).
    """
    known = [each for each in units if each.length]
    if not known:
        return Estimate(value=None, n=0, why=Reason.of(ReasonCode.CARD_NO_TEXTS))
    found = partial_slope(
        [_score(each) for each in known],
        np.log2([float(each.length or 1) for each in known]),
        [_mean(each) for each in known],
        groups=[each.key[0] for each in known],
        clusters=[_cluster(each) for each in known],
        noise=noise or 0.0,
        confidence=confidence,
    )
    if noise is None and found.value is not None:
        return found.model_copy(update={"interval": None, "why": Reason.of(ReasonCode.ONE_RATING_PER_UNIT)})
    return found
