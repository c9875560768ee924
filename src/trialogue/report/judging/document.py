"""What a judging says: systems and their differences by the judge, by labels alone, and by both; the judge; its biases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from trialogue.findings.judging.records import (
    JudgedCorrelation,
    JudgedDifference,
    JudgedSystem,
    JudgedValue,
    JudgingFindings,
)
from trialogue.findings.threat import Validity
from trialogue.records import Estimate
from trialogue.records.kinds.origins import possessive_of
from trialogue.report.document import (
    EVERYWHERE,
    PAGES,
    Column,
    Document,
    Section,
    Sentences,
    Table,
    from_estimate,
    in_files,
)
from trialogue.report.judging.card import card_table
from trialogue.report.judging.probes import probes_table
from trialogue.report.numbers import column_decimals, count, plain_p, ranks, with_decimals
from trialogue.stats.correction.table import Estimand

T = TypeVar("T")
OVERALL = "all systems"
KEY = "Each interval has the stated confidence; ranks, p-values and verdicts hold for all systems together."
WIDTH = "the width of the corrected interval, as a share of that from labels alone"
MAX_PAIRS = 12  # differences on a terminal; the page has all


def judging_document(found: JudgingFindings) -> Document:
    """The document of a judging."""
    return Document(
        name="judging",
        brand="a judge, corrected",
        title=found.title,
        answer=found.answer,
        sections=[
            Section("Systems", [Sentences(facts(found)), _systems(found)], "systems"),
            Section("Differences", [_differences(found)], "differences"),
            Section("Other measures and people", [_correlations(found)], "correlations"),
            Section("Report card of the judge", [card_table(found.card)], "card"),
            Section("Bias probes", [probes_table(found.probes)], "probes"),
        ],
        threats=found.threats,
        closing=[KEY],
        warnings=found.warnings,
        methods=found.methods,
        record=found,
        manifest=found.manifest,
    )


@dataclass(frozen=True)
class _Mean:
    """A mean: of a system, or of all of them."""

    value: JudgedValue
    judged: int
    labels: int
    system: JudgedSystem | None


def _systems(found: JudgingFindings) -> Table[_Mean]:
    """Means of systems, best first, and overall."""
    rows = [_Mean(each.value, each.judged, each.labels, each) for each in found.systems]
    rows.append(_Mean(found.overall, found.judged, found.labels, None))
    is_labelled = found.overall.raw is None
    return Table(
        "Means of systems by the judge, by labels alone, and corrected",
        rows,
        [
            Column("System", lambda row: row.system.system if row.system else OVERALL),
            *in_files(kind=lambda _: "mean", system=_of_system(lambda each: each.system), versus=lambda _: None),
            *in_files(judged=lambda row: row.judged, labels=lambda row: row.labels),
            *_sides(lambda row: row.value, rows),
            Column("Labels", lambda row: f"{row.labels}/{row.judged}" if is_labelled else None, where=PAGES),
            Column(
                "Rank", lambda row: (ranks(row.system.best_rank, row.system.worst_rank) or None) if row.system else ""
            ),
            *in_files(
                rank=_of_system(lambda each: each.rank),
                best_rank=_of_system(lambda each: each.best_rank),
                worst_rank=_of_system(lambda each: each.worst_rank),
                validity=_of_system(lambda each: each.validity.value),
            ),
            *from_estimate(lambda row: row.value.leading, why="why"),
        ],
    )


def _of_system(take: Callable[[JudgedSystem], Any]) -> Callable[[_Mean], Any]:
    return lambda row: None if row.system is None else take(row.system)


def _differences(found: JudgingFindings) -> Table[JudgedDifference]:
    """All differences, with Bonferroni-adjusted p-values."""
    return Table(
        "Differences of systems by the judge, by labels alone, and corrected",
        found.differences,
        [
            Column("Difference", lambda row: f"{row.a} − {row.b}"),
            *in_files(kind=lambda _: "difference", system=lambda row: row.a, versus=lambda row: row.b),
            *_sides(lambda row: row.value, found.differences, sign=True),
            *from_estimate(lambda row: row.value.leading, p="p"),
            Column("p", lambda row: row.p_adjusted, plain_p, "p_adjusted"),
            Column("Verdict", _verdict),
            *in_files(verdict=lambda row: row.verdict, validity=lambda row: row.validity.value),
            *from_estimate(lambda row: row.value.leading, why="why"),
        ],
        lead="p is that of the corrected difference, after Bonferroni's correction across all pairs.",
        most=MAX_PAIRS,
        noun="difference",
    )


def _verdict(row: JudgedDifference) -> str:
    return f"{row.verdict} (conditional)" if row.validity is Validity.CONDITIONAL else row.verdict


def _sides(value: Callable[[T], JudgedValue], rows: Sequence[T], *, sign: bool = False) -> list[Column[T]]:
    """One quantity three times: by the judge, by labels and by both; people see the last two only where labels exist."""
    text = with_decimals(column_decimals([value(row).leading for row in rows]), sign=sign)
    note = "" if sign else WIDTH

    def of_labels(estimate: Callable[[JudgedValue], Estimate]) -> Callable[[T], Estimate | None]:
        return lambda row: estimate(value(row)) if value(row).raw is None else None

    return [
        Column("Judge alone", lambda row: value(row).raw or value(row).judge, text),
        *in_files(judge=lambda row: value(row).judge),
        *from_estimate(lambda row: value(row).raw, low="judge_low", high="judge_high"),
        Column("Labels alone", of_labels(lambda each: each.alone), text, where=PAGES if sign else EVERYWHERE),
        *from_estimate(lambda row: value(row).alone, value="alone", low="alone_low", high="alone_high"),
        Column("Corrected", of_labels(lambda each: each.corrected), text),
        *from_estimate(lambda row: value(row).corrected, value="corrected", low="low", high="high"),
        *in_files(weight=lambda row: value(row).weight),
        Column(
            "Width",
            lambda row: value(row).width_ratio,
            "{:.0%}".format,
            "width_ratio",
            PAGES,
            note=note,
        ),
    ]


def _correlations(found: JudgingFindings) -> Table[JudgedCorrelation]:
    """Spearman's correlations of other measures with people's answers; the file has Pearson's and Kendall's, too."""
    return Table(
        "Correlations of other measures with the judge and with people",
        [each for each in found.correlations if each.statistic == "spearman"],
        [
            Column("Measure", lambda row: str(row.measure)),
            Column("With the judge", lambda row: row.judge, with_decimals(2)),
            Column("Labels alone", lambda row: row.alone, _correlation),
            Column("Corrected", lambda row: row.corrected, _correlation),
            Column("Width", lambda row: row.width_ratio, "{:.0%}".format, where=PAGES),
            Column("Units", lambda row: row.units, where=PAGES),
        ],
        lead="Spearman's correlation of each measure of the run with people's answers, over all systems together, from the "
        "judge's scores of all units and the labels. judging.json also has Pearson's and Kendall's.",
        heading="Spearman's correlation of other measures with people's answers:",
    )


def _correlation(estimate: Estimate) -> str:
    return str(estimate.why) if estimate.value is None else with_decimals(2)(estimate)


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
