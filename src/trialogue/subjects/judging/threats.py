"""Detect threats to the validity of a judge's estimates."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import RATERS
from trialogue.records import Raters
from trialogue.stats.contingency import fisher_p
from trialogue.stats.correction.means import MIN_LABELS, Corrections
from trialogue.stats.correction.table import JudgedTable
from trialogue.stats.correction.weights import OWN_WEIGHT
from trialogue.subjects.judging.coverage import JudgeCoverage
from trialogue.subjects.judging.probes import probe_threats
from trialogue.subjects.judging.records import ProbeFinding

SAVED = 0.98  # of the width of labels alone: from here on the judge saves nothing
CONTRARY = 0.01  # level of a negative correlation with labels within systems
CHOSEN = 0.001  # level, over all systems, at which labelled units are no random choice by the judge's score


MISSING_DEMOTES, MISSING_BLOCKS = 0.05, 0.5  # shares of units without a score: as of missing dialogues; most of them
READ_DEMOTES = 0.8  # share of samples that could be read


def judging_threats(
    table: JudgedTable,
    found: Corrections,
    *,
    labels_by: Iterable[Raters],
    family: Sequence[str],
    coverage: Sequence[JudgeCoverage] = (),
    alpha: float = 0.05,
    probes: Sequence[ProbeFinding] = (),
) -> tuple[Threat, ...]:
    """All threats to the estimates, blocking ones first.

    Args:
        table: the judged units.
        found: what was estimated.
        labels_by: the kinds of those who labelled.
        family: systems that are declared to be of the judge's family.
        coverage: how much of what it was asked the judge answered, by system.
        alpha: level of the test of missing shares.
        probes: what bias probes of the judges found.
    """
    threats = [
        *_raters(labels_by),
        *_labels(found),
        *_draw(table),
        *_chosen(table),
        *_worthless(found),
        *_useless(table),
    ]
    threats += _judge_threats(coverage, family, alpha, is_corrected=True)
    threats += probe_threats(probes, is_corrected=True)
    return _in_order(threats)


def uncorrected_threats(
    *,
    family: Sequence[str],
    coverage: Sequence[JudgeCoverage],
    alpha: float = 0.05,
    probes: Sequence[ProbeFinding] = (),
) -> tuple[Threat, ...]:
    """All threats to the scores of a judge that no labels correct, blocking ones first; arguments as above."""
    uncorrected = Threat(code=ThreatCode.JUDGE_UNCORRECTED, severity=Severity.DEMOTES)
    of_judge = _judge_threats(coverage, family, alpha, is_corrected=False)
    return _in_order([uncorrected, *of_judge, *probe_threats(probes, is_corrected=False)])


def _in_order(threats: Iterable[Threat]) -> tuple[Threat, ...]:
    order = list(Severity)
    return tuple(sorted(threats, key=lambda threat: order.index(threat.severity)))


def _judge_threats(
    coverage: Sequence[JudgeCoverage], family: Sequence[str], alpha: float, *, is_corrected: bool
) -> Iterator[Threat]:
    """Threats that labels correct on average, and that demote where there are none."""
    grave = Severity.NOTES if is_corrected else Severity.DEMOTES
    families = {each.system: each.family for each in coverage if each.family is not None}
    for system in sorted({*family, *families}):
        facts = {"family": families[system]} if system in families else {}
        yield Threat(code=ThreatCode.JUDGE_FAMILY, severity=grave, systems=(system,), facts={**facts})
    for each in coverage:
        if each.missing:
            severity = Severity.NOTES
            if not is_corrected and each.missing_share >= MISSING_DEMOTES:
                severity = Severity.BLOCKS if each.missing_share >= MISSING_BLOCKS else Severity.DEMOTES
            why = {"why": str(each.why)} if each.why is not None else {}
            counts = {"missing": each.missing, "units": each.units, **why}
            yield Threat(code=ThreatCode.JUDGE_MISSING, severity=severity, systems=(each.system,), facts={**counts})
        if each.read_share is not None and each.read_share < READ_DEMOTES:
            answers = {"read": each.read, "asked": each.asked}
            yield Threat(code=ThreatCode.JUDGE_FEW_ANSWERS, severity=grave, systems=(each.system,), facts={**answers})
    yield from _missing_differences(coverage, alpha, grave)


def _missing_differences(coverage: Sequence[JudgeCoverage], alpha: float, severity: Severity) -> Iterator[Threat]:
    """Pairs for which scores are missing at significantly different rates."""
    for one, other in combinations(coverage, 2):
        more, less = sorted((one, other), key=lambda each: each.missing_share, reverse=True)
        if more.missing_share == less.missing_share:
            continue
        if fisher_p(more.missing, more.units, less.missing, less.units) <= alpha:
            rates = {"rate": round(more.missing_share, 4), "other_rate": round(less.missing_share, 4)}
            yield Threat(
                code=ThreatCode.JUDGE_MISSING_DIFFERENCE,
                severity=severity,
                systems=(more.system, less.system),
                is_of_pair=True,
                facts={**rates},
            )


def _raters(labels_by: Iterable[Raters]) -> Iterator[Threat]:
    for kind in labels_by:
        if kind in RATERS:
            yield Threat(code=RATERS[kind], severity=Severity.DEMOTES)


def _labels(found: Corrections) -> Iterator[Threat]:
    for system, labels in found.labels.items():
        if labels < OWN_WEIGHT:
            severity = Severity.BLOCKS if labels < MIN_LABELS else Severity.NOTES
            yield Threat(
                code=ThreatCode.JUDGE_FEW_LABELS, severity=severity, systems=(system,), facts={"labels": labels}
            )


def _draw(table: JudgedTable) -> Iterator[Threat]:
    """Labels of a part of the units, without a plan that says with which chance each of them was drawn."""
    labels = int((~np.isnan(table.labels)).sum())
    if not table.has_chances and labels < len(table.labels):
        facts = {"labels": labels, "units": len(table.labels)}
        yield Threat(code=ThreatCode.LABELS_NOT_DRAWN, severity=Severity.DEMOTES, facts={**facts})


def _chosen(table: JudgedTable) -> Iterator[Threat]:
    """Labelled units that the judge scores otherwise than the rest: in a system, or a little in all of them.

    Welch's test in each system; and one of the differences within systems together, by Stouffer's method with the square
    roots of the sizes as weights.
    """
    from scipy.stats import norm, ttest_ind

    labelled = ~np.isnan(table.labels)
    scores: list[tuple[float, float]] = []
    for index, system in enumerate(table.systems if not table.has_chances else ()):
        own = (table.system_of == index) & ~table.unscored  # a guess that stands for a score shows no choice
        chosen, others = table.judge[own & labelled], table.judge[own & ~labelled]
        if min(len(chosen), len(others)) < 2 or np.ptp(table.judge[own]) == 0:
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # scores of one side that are all equal
            p = float(ttest_ind(chosen, others, equal_var=False).pvalue)
        gap = float(chosen.mean() - others.mean())
        if p < CHOSEN / len(table.systems):
            facts = {"labelled": float(chosen.mean()), "others": float(others.mean())}
            yield Threat(code=ThreatCode.LABELS_CHOSEN, severity=Severity.DEMOTES, systems=(system,), facts={**facts})
        elif 0 < p <= 1:
            weight = (1 / len(chosen) + 1 / len(others)) ** -0.5
            scores.append((weight, float(np.sign(gap) * norm.isf(p / 2))))
    weights = np.array([weight for weight, _ in scores])
    if len(scores) > 1:
        pooled = float(sum(weight * score for weight, score in scores) / np.sqrt((weights**2).sum()))
        p = 2 * float(norm.sf(abs(pooled)))
        if p < CHOSEN:
            yield Threat(code=ThreatCode.LABELS_CHOSEN, severity=Severity.DEMOTES, facts={"p": p, "higher": pooled > 0})


def _useless(table: JudgedTable) -> Iterator[Threat]:
    """A judge that says the same of everything, or the opposite of what people say within systems."""
    from scipy.stats import pearsonr

    scored = table.judge[~table.unscored]
    if len(scored) > 1 and np.ptp(scored) == 0:
        yield Threat(code=ThreatCode.JUDGE_CONSTANT, severity=Severity.NOTES, facts={"score": float(scored[0])})
        return
    rows = [
        np.flatnonzero(~np.isnan(table.labels) & ~table.unscored & (table.system_of == at))
        for at in range(len(table.systems))
    ]
    parts = [
        (table.judge[own] - table.judge[own].mean(), table.labels[own] - table.labels[own].mean())
        for own in rows
        if len(own)
    ]
    if not parts:
        return
    judge, labels = (np.concatenate(each) for each in zip(*parts, strict=True))
    if len(judge) < MIN_LABELS or np.ptp(judge) == 0 or np.ptp(labels) == 0:
        return
    found = pearsonr(judge, labels)
    if found.statistic < 0 and found.pvalue < CONTRARY:
        facts = {"correlation": round(float(found.statistic), 2), "labels": len(judge)}
        yield Threat(code=ThreatCode.JUDGE_CONTRARY, severity=Severity.NOTES, facts={**facts})


def _worthless(found: Corrections) -> Iterator[Threat]:
    for system, each in found.systems.items():
        if each.width_ratio is not None and each.width_ratio >= SAVED:
            yield Threat(code=ThreatCode.JUDGE_WORTHLESS, severity=Severity.NOTES, systems=(system,))
