"""Columns of a judge in league tables: its raw means, and beside them the corrected ones where there are labels."""

from trialogue.findings.standings import League, Measure, Standing
from trialogue.records import Estimate, MeasureName, Reason, ReasonCode
from trialogue.subjects.judging.records import JudgedSystem, JudgingFindings

RAW, CORRECTED = "judge alone", "judge, corrected"


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
