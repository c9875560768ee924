"""Detect threats to the validity of a judge's estimates."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.records import Raters
from trialogue.stats.correction.means import LEAST_LABELS, Corrections
from trialogue.stats.correction.table import JudgedTable
from trialogue.stats.correction.weights import OWN_WEIGHT

SAVED = 0.98  # of the width of labels alone: from here on the judge saves nothing
CHOSEN = 0.001  # level, over all systems, at which labelled units are no random choice by the judge's score

OF_RATERS = {
    Raters.MODEL: ThreatCode.MODEL_RATERS,
    Raters.SCRIPTED: ThreatCode.SCRIPTED_RATERS,
    Raters.INVENTED: ThreatCode.INVENTED_RATERS,
}


def judging_threats(
    table: JudgedTable, found: Corrections, *, labels_by: Iterable[Raters], family: Sequence[str]
) -> tuple[Threat, ...]:
    """All threats to the estimates, blocking ones first.

    Args:
        table: the judged units.
        found: what was estimated.
        labels_by: the kinds of those who labelled.
        family: systems that are declared to be of the judge's family.
    """
    order = list(Severity)
    threats = [*_raters(labels_by), *_labels(found), *_chosen(table), *_worthless(found)]
    threats += [Threat(code=ThreatCode.JUDGE_FAMILY, severity=Severity.NOTES, systems=(system,)) for system in family]
    return tuple(sorted(threats, key=lambda threat: order.index(threat.severity)))


def _raters(labels_by: Iterable[Raters]) -> Iterator[Threat]:
    for kind in labels_by:
        if kind in OF_RATERS:
            yield Threat(code=OF_RATERS[kind], severity=Severity.DEMOTES)


def _labels(found: Corrections) -> Iterator[Threat]:
    for system, labels in found.labels.items():
        if labels < OWN_WEIGHT:
            severity = Severity.BLOCKS if labels < LEAST_LABELS else Severity.NOTES
            yield Threat(
                code=ThreatCode.JUDGE_FEW_LABELS, severity=severity, systems=(system,), facts={"labels": labels}
            )


def _chosen(table: JudgedTable) -> Iterator[Threat]:
    """Systems whose labelled units the judge scores otherwise than the rest, more than a random choice would explain."""
    from scipy.stats import ttest_ind

    labelled = ~np.isnan(table.labels)
    for index, system in enumerate(table.systems if not table.has_chances else ()):
        own = table.system_of == index
        chosen, others = table.judge[own & labelled], table.judge[own & ~labelled]
        if min(len(chosen), len(others)) < 2 or np.ptp(table.judge[own]) == 0:
            continue
        with np.errstate(all="ignore"):
            p = float(ttest_ind(chosen, others, equal_var=False).pvalue)
        if p < CHOSEN / len(table.systems):
            facts = {"labelled": float(chosen.mean()), "others": float(others.mean())}
            yield Threat(code=ThreatCode.LABELS_CHOSEN, severity=Severity.DEMOTES, systems=(system,), facts={**facts})


def _worthless(found: Corrections) -> Iterator[Threat]:
    for system, each in found.systems.items():
        if each.width_ratio is not None and each.width_ratio >= SAVED:
            yield Threat(code=ThreatCode.JUDGE_WORTHLESS, severity=Severity.NOTES, systems=(system,))
