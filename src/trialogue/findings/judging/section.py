"""Summary of a judge as a section of the evaluation report."""

from trialogue.findings.judging.records import JudgingFindings
from trialogue.findings.records import Section
from trialogue.findings.threat import Severity
from trialogue.findings.threats.texts import sentence
from trialogue.findings.wording import render_estimate
from trialogue.records import Estimate

MISSING = "—"


def judging_section(found: JudgingFindings) -> Section:
    """Section with the judge's raw values, beside labels alone and corrected values where there are labels."""
    is_corrected = found.overall.raw is None
    rows: list[tuple[str, ...]] = []
    for each in found.systems:
        value = each.value
        if is_corrected:
            rows.append((each.system, f"{value.judge:.2f}", _text(value.alone), _text(value.corrected)))
        else:
            rows.append((each.system, _text(value.leading)))
    grave = [sentence(each) for each in found.threats if each.severity is not Severity.NOTES]
    heads = ("System", "Judge alone", "Labels alone", "Corrected") if is_corrected else ("System", "Judge alone")
    return Section(
        title=f"What does a judge say? ({found.judge})",
        sentences=(*found.answer, *grave),
        heads=heads,
        rows=tuple(rows),
        page=None,
    )


def _text(estimate: Estimate) -> str:
    return MISSING if estimate.value is None else render_estimate(estimate)
