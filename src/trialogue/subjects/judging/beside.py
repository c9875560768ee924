"""What a report of an evaluation shows of a judge: a section, and columns of the league table that have no ranks."""

from trialogue.findings.records import CellValue, Section, columns
from trialogue.findings.standings import League, Measure, Standing
from trialogue.findings.threat import Severity
from trialogue.findings.threats.texts import sentence
from trialogue.records import Estimate, MeasureName, Reason, ReasonCode
from trialogue.subjects.judging.records import JudgedSystem, JudgingFindings

RAW, CORRECTED = "judge alone", "judge, corrected"


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


def judge_leagues(found: JudgingFindings) -> tuple[League, ...]:
    """Raw column and, where people labelled, the corrected one beside it; they are not compared, and have no ranks."""
    if found.overall.raw is not None:
        return (_league(found, RAW, [(each, each.value.leading) for each in found.systems]),)
    return (
        _league(found, RAW, [(each, _raw(each)) for each in found.systems]),
        _league(found, CORRECTED, [(each, each.value.corrected) for each in found.systems]),
    )


def _raw(each: JudgedSystem) -> Estimate:
    """The judge's mean without an interval: one of its scores alone would leave its error out."""
    return Estimate(value=each.value.judge, n=each.judged, why=Reason.of(ReasonCode.JUDGE_RAW))


def _league(found: JudgingFindings, which: str, values: list[tuple[JudgedSystem, Estimate]]) -> League:
    name = f"{found.judge} ({which})"
    question = found.question.replace("_", " ").capitalize()
    measure = Measure(
        name=name,
        title=f"{question} ({which})",
        by="judge",
        better="higher",
        unit="share" if found.is_share else "points",
        raters=found.labels_by if which == CORRECTED else (),
        measured=MeasureName(found.judge),
    )
    standings = tuple(Standing(system=each.system, estimate=estimate) for each, estimate in values)
    return League(measure=measure, standings=standings)
