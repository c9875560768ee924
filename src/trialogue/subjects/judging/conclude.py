"""Turn corrected estimates into findings: verdicts after the validity gate, and the answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Threat, Validity, lowest_validity
from trialogue.options import Confidence, Looks
from trialogue.records import Estimate, Manifest, Raters, Reason, ReasonCode
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.correction.means import Correction, Corrections, corrected_means
from trialogue.stats.correction.table import Estimand, JudgedTable, judge_as_labels
from trialogue.subjects.judging.answer import answer
from trialogue.subjects.judging.coverage import JudgeCoverage
from trialogue.subjects.judging.records import (
    JudgeCard,
    JudgedCorrelation,
    JudgedDifference,
    JudgedSystem,
    JudgedValue,
    JudgeVerdict,
    JudgingFindings,
    ProbeFinding,
)
from trialogue.subjects.judging.threats import judging_threats, uncorrected_threats

METHODS = (
    "Corrected values are difference estimates (prediction-powered, PPI++): the mean of the labels, plus the judge's "
    "weight times the difference between its mean scores on all units and on the labelled ones. Weights are cross-fitted "
    "(the error of each label uses the weight fitted on the other labels) and shrunk towards 0; systems with fewer than 20 "
    "labels share one.",
    "Labels alone get the same treatment: finite populations, clusters, Student's t; shares have Wilson's interval at the "
    "effective number of labels. Verdicts and rank intervals hold for all pairs together (Bonferroni).",
    "A corrected value already uses people's answers: it is not a metric, and its agreement with the same people "
    "is meaningless.",
)


CORRELATIONS = (
    "Correlations of other measures with people's answers are over all systems together. They are one-step "
    "estimates: the correlation of the labelled units, with its influence values corrected as means are, and Fisher's "
    "interval. They are not corrected for disagreement between raters, which lowers them, and intervals do not allow for "
    "the number of measures."
)
UNCORRECTED_METHODS = (
    "Raw values are means of the judge's scores; units without a score are left out. Intervals cover the sampling of units "
    "(clusters, Student's t, Wilson's interval for shares), but not the judge's error, which only labels by people show.",
    "Verdicts and rank intervals hold for all pairs together (Bonferroni).",
)


@dataclass(frozen=True)
class JudgeSettings:
    """Settings of a judging analysis."""

    estimand: Estimand = Estimand.POPULATION
    """The population that these units were drawn from, as a verdict on systems needs, or these units alone."""
    raters: Estimand = Estimand.THESE
    """These raters, or the population of raters."""
    drawn_overall: bool = False
    """The labels were sampled from all systems together, not a fixed number per system."""
    confidence: Confidence = 0.95
    """Confidence level of intervals."""
    looks: Looks = 1
    """Planned number of looks at the result while labels are added."""
    scale: tuple[float | None, float | None] = (None, None)
    """Ends of the scale of labels."""
    family: tuple[str, ...] = ()
    """Systems built on the judge's language model."""


def judging_findings(
    table: JudgedTable,
    settings: JudgeSettings,
    *,
    judge: str,
    question: str,
    level: Literal["dialogue", "turn"],
    labels_by: tuple[Raters, ...],
    rater_count: int,
    title: str,
    warnings: Sequence[str],
    manifest: Manifest,
    coverage: Sequence[JudgeCoverage] = (),
    card: JudgeCard | None = None,
    probes: tuple[ProbeFinding, ...] = (),
    correlations: Sequence[JudgedCorrelation] = (),
) -> JudgingFindings:
    """Compute all findings of a table of judged units.

    Args:
        table: the units; without any label, the judge's own scores are analysed, and every verdict is conditional.
        settings: what was asked for.
        judge: full name of the judge's column.
        question: what people were asked.
        level: what one unit is.
        labels_by: kinds of those who labelled.
        rater_count: raters that are known by code.
        title: what was judged.
        warnings: about the data.
        manifest: how it was made.
        coverage: how much of what it was asked the judge answered, by system.
        card: what is known about the judge.
        probes: what bias probes of the judges found.
        correlations: correlations of other measures with people's answers.
    """
    is_corrected = bool(len(table.labelled))
    found = corrected_means(
        table if is_corrected else judge_as_labels(table),
        estimand=settings.estimand,
        raters=settings.raters,
        drawn_overall=settings.drawn_overall,
        scale=settings.scale,
        confidence=settings.confidence,
        looks=settings.looks,
    )
    if is_corrected:
        threats = judging_threats(
            table,
            found,
            labels_by=labels_by,
            family=settings.family,
            coverage=coverage,
            alpha=1 - settings.confidence,
            probes=probes,
        )
    else:
        found = _as_raw(found)
        threats = uncorrected_threats(
            family=settings.family, coverage=coverage, alpha=1 - settings.confidence, probes=probes
        )
    systems = _systems(table, found, threats)
    differences = _differences(found, threats, (1 - settings.confidence) / settings.looks)
    doubled = is_corrected and found.raters.doubled > 0
    return JudgingFindings(
        title=title,
        judge=judge,
        question=question,
        level=level,
        estimand=settings.estimand,
        raters=settings.raters,
        is_share=found.is_share,
        labels_by=labels_by,
        rater_count=rater_count,
        noise=found.raters.residual if doubled else None,
        leniency=found.raters.leniency if doubled else None,
        judged=len(table.judge),
        labels=len(table.labelled),
        abstained=table.abstained,
        confidence=settings.confidence,
        looks=settings.looks,
        overall=_value(found.overall),
        systems=systems,
        differences=differences,
        correlations=tuple(correlations),
        threats=threats,
        card=card,
        probes=probes,
        answer=answer(
            question, systems, differences, threats, scope=_scope(table, settings, level, is_corrected=is_corrected)
        ),
        warnings=tuple(warnings),
        methods=(*(METHODS if is_corrected else UNCORRECTED_METHODS), *((CORRELATIONS,) if correlations else ())),
        manifest=manifest,
    )


def _as_raw(found: Corrections) -> Corrections:
    """Estimates from ``judge_as_labels`` as what they are: the judge's own, and no correction."""
    return replace(
        found,
        systems={name: _raw(each) for name, each in found.systems.items()},
        overall=_raw(found.overall),
        differences={pair: _raw(each) for pair, each in found.differences.items()},
        labels=dict.fromkeys(found.labels, 0),
    )


def _raw(found: Correction) -> Correction:
    missing = Estimate(value=None, n=0, why=Reason.of(ReasonCode.NO_LABELS))
    raw, why = found.alone, found.alone.why
    if raw.value is None and why is not None and why.code is ReasonCode.TOO_FEW_LABELS:
        scores, least = why.facts["labels"], why.facts["least"]
        few = Reason.of(ReasonCode.JUDGE_TOO_FEW_SCORES, scores=scores, least=least)
        raw = raw.model_copy(update={"why": few})
    judge = found.judge if raw.value is None else raw.value
    return replace(found, judge=judge, alone=missing, corrected=missing, weight=0.0, raw=raw)


def _scope(
    table: JudgedTable, settings: JudgeSettings, level: Literal["dialogue", "turn"], *, is_corrected: bool
) -> str:
    """To follow the question in a verdict: whose word it is, and what it is about, where that is not the systems as such."""
    whose = "" if is_corrected else " by the judge alone"
    return whose + (f" in these {len(table.judge)} {level}s" if settings.estimand is Estimand.THESE else "")


def _value(found: Correction) -> JudgedValue:
    return JudgedValue(
        judge=found.judge,
        alone=found.alone,
        corrected=found.corrected,
        weight=found.weight,
        width_ratio=found.width_ratio,
        raw=found.raw,
    )


def _systems(table: JudgedTable, found: Corrections, threats: Sequence[Threat]) -> tuple[JudgedSystem, ...]:
    made = []
    for index, (name, each) in enumerate(found.systems.items()):
        rank = found.ranks[name]
        made.append(
            JudgedSystem(
                system=name,
                judged=int((table.system_of == index).sum()),
                labels=found.labels[name],
                value=_value(each),
                rank=rank.rank,
                best_rank=rank.low,
                worst_rank=rank.high,
                validity=_validity(threat for threat in threats if threat.concerns_system(name)),
            )
        )
    return tuple(sorted(made, key=lambda each: (each.rank is None, each.rank or 0, each.system)))


def _differences(found: Corrections, threats: Sequence[Threat], alpha: float) -> tuple[JudgedDifference, ...]:
    adjusted = bonferroni([each.leading.p for each in found.differences.values()])
    made = []
    for ((a, b), each), p in zip(found.differences.items(), adjusted, strict=True):
        validity = _validity(threat for threat in threats if threat.concerns_pair(a, b, ahead=None))
        made.append(
            JudgedDifference(
                a=a,
                b=b,
                value=_value(each),
                p_adjusted=p,
                verdict=_verdict(each, p, alpha, validity),
                validity=validity,
            )
        )
    return tuple(sorted(made, key=lambda each: (1.0 if each.p_adjusted is None else each.p_adjusted, each.a, each.b)))


def _verdict(found: Correction, p: float | None, alpha: float, validity: Validity) -> JudgeVerdict:
    value = found.leading.value
    if value is None or p is None or validity is Validity.BLOCKED:
        return "undefined"
    if p > alpha or value == 0:
        return "inconclusive"
    return "better" if value > 0 else "worse"


def _validity(threats: Iterable[Threat]) -> Validity:
    return lowest_validity([VALIDITY_BY_SEVERITY[threat.severity] for threat in threats])
