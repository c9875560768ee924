"""Summary of a judge as a section of the evaluation report."""

from trialogue.findings.records import CellValue, Section, columns
from trialogue.findings.threat import Severity
from trialogue.findings.threats.texts import sentence
from trialogue.subjects.judging.records import JudgingFindings


def judging_section(found: JudgingFindings) -> Section:
    """Section with the judge's raw values, beside labels alone and corrected values where there are labels."""
    is_corrected = found.overall.raw is None
    rows: list[tuple[CellValue, ...]] = []
    for each in found.systems:
        value = each.value
        corrected = (value.judge, value.alone, value.corrected)
        rows.append((each.system, *(corrected if is_corrected else (value.leading,))))
    grave = [sentence(each) for each in found.threats if each.severity is not Severity.NOTES]
    heads = ("Judge alone", "Labels alone", "Corrected") if is_corrected else ("Judge alone",)
    return Section(
        title=f"What does a judge say? ({found.judge})",
        sentences=(*found.answer, *grave),
        columns=columns("System", *heads),
        rows=tuple(rows),
    )
