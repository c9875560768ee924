"""Sentences on judged units, labellers and population, shared by terminal and page."""

from trialogue.findings.judging.records import JudgingFindings
from trialogue.records.kinds.origins import possessive_of
from trialogue.report.numbers import count
from trialogue.stats.correction.table import Estimand


def facts(findings: JudgingFindings) -> list[str]:
    """Sentences on the judge, the labels and the population."""
    unit = "dialogue" if findings.level == "dialogue" else "turn"
    scored = f"{findings.judge} scored {count(findings.judged - findings.abstained, unit)}"
    of_people = f"{possessive_of(findings.labels_by)} labels of {findings.question.replace('_', ' ')}"
    lines = [
        f"{scored}; {findings.labels} of {findings.judged} have {of_people}."
        if findings.overall.raw is None
        else f"{scored} of {findings.judged}; none has a label by people.",
        f"The estimate is the mean of these {unit}s."
        if findings.estimand is Estimand.THESE
        else f"The estimate is the mean of the population that these {unit}s were drawn from.",
    ]
    if findings.noise is not None and findings.leniency is not None:
        whom = "these raters on average" if findings.raters is Estimand.THESE else "raters in general"
        lines.append(
            f"The target is the judgement of {whom}. A single label varies with standard deviation "
            f"{findings.noise**0.5:.2f} about its {unit}'s mean, and "
            f"raters differ in leniency by {findings.leniency**0.5:.2f}."
        )
    if findings.looks > 1:
        level = 1 - (1 - findings.confidence) / findings.looks
        lines.append(
            f"Intervals hold for all {findings.looks} looks at the data together: each has {level:.1%} confidence."
        )
    return lines
