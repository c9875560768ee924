"""Judges whose scores were given beside the dialogues of an evaluation: their findings, for its report."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trialogue.analysis.beside import NOTHING_BESIDE, Beside
from trialogue.findings.wording import list_names
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Manifest, MeasureName, Score

if TYPE_CHECKING:
    from trialogue.subjects.judging.records import JudgingFindings

LEVELS = ("dialogue", "utterance", "response")
MAX_NAMES = 3  # of measures in a warning


@dataclass(frozen=True)
class _Column:
    measure: MeasureName
    level: str


def judges_beside(
    material: InputRecords, scores: Sequence[Score], *, title: str, alpha: float, manifest: Manifest
) -> Beside:
    """A section, and columns of the league table, for each language-model judge among the records.

    Where people answered the judge's question, raw values stand beside corrected ones; where nobody did, they are raw, and
    the section says so. A corrected value holds people's answers, so it is no score, and nothing is concluded from it here.

    Args:
        material: the records, the judge's scores among them.
        scores: scores of the evaluation; people's answers are among them.
        title: heading of the report.
        alpha: significance level.
        manifest: how the evaluation was made.
    """
    columns = {
        _Column(each.measure, each.level)
        for each in material.scores
        if each.rater is None and each.measure.is_of_judge and each.level in LEVELS
    }
    if not columns or not material:
        return NOTHING_BESIDE
    from trialogue.subjects.judging.beside import judge_leagues, judging_section

    ordered = sorted(columns, key=lambda each: (str(each.measure), each.level))
    judged = [_findings_of(each.measure, material, scores, title, alpha, manifest) for each in ordered]
    return Beside(
        sections=tuple(map(judging_section, judged)),
        judge_leagues=tuple(league for each in judged for league in judge_leagues(each)),
    )


def unused_beside(material: InputRecords) -> Beside:
    """A warning about given scores that no part of the evaluation shows: those of other measures."""
    unused = Counter(
        str(each.measure)
        for each in material.scores
        if each.rater is None and each.value is not None and not each.measure.is_of_judge
    )
    if not unused:
        return NOTHING_BESIDE
    names = list_names(sorted(unused), most=MAX_NAMES)
    warning = (
        f"{unused.total():,} imported scores of {names} are not shown: the report contains only metrics that Trialogue "
        "computed and judges whose columns are named judge(...). To compare other scores with people's answers, and to "
        "correct them: trialogue judge --scores FILE --aspect NAME."
    )
    return Beside(warnings=(warning,))


def _findings_of(
    column: MeasureName, material: InputRecords, scores: Sequence[Score], title: str, alpha: float, manifest: Manifest
) -> "JudgingFindings":
    from trialogue.judges.rubric import question_names
    from trialogue.records.score import AGGREGATE
    from trialogue.subjects.judging.commands.units import judged_material
    from trialogue.subjects.judging.conclude import JudgeSettings, judging_findings
    from trialogue.subjects.judging.units import table_of

    question = column.aspect or str(column)
    names = (question, *question_names(question))
    labels = [
        each for each in scores if each.rater is not None and each.value is not None and each.measure.question in names
    ]
    how = JudgeSettings(confidence=1 - alpha)
    found = judged_material(
        [material],
        scores=[each for each in material.scores if each.measure == column],
        aspect=str(column),
        labels=labels or None,
        chances=None,
        estimand=how.estimand,
        also=names,
    )
    return judging_findings(
        table_of(found.units, aggregate=AGGREGATE),
        how,
        judge=str(found.judge),
        question=found.question,
        level=found.level,
        labels_by=found.labels_by,
        rater_count=len(found.raters),
        title=title,
        warnings=found.warnings,
        coverage=found.coverage,
        manifest=manifest,
    )
