"""Tables of raw, label-only and corrected values, shared by terminal, page and CSV."""

from collections.abc import Iterator, Sequence

from trialogue.findings.judging.records import JudgedValue, JudgingFindings
from trialogue.findings.threats import Severity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import severity_heading
from trialogue.records import Estimate
from trialogue.records.files.cells import csv_text
from trialogue.report.numbers import MISSING, column_decimals, number, plain_p, ranks, render_estimate
from trialogue.report.table import Table

HEAD = (
    "kind",
    "system",
    "versus",
    "judged",
    "labels",
    "judge",
    "judge_low",
    "judge_high",
    "alone",
    "alone_low",
    "alone_high",
    "corrected",
    "low",
    "high",
    "weight",
    "width_ratio",
    "rank",
    "best_rank",
    "worst_rank",
    "p",
    "p_adjusted",
    "verdict",
    "validity",
    "why",
)
OF_LABELS = ("Labels alone", "Corrected", "Width", "Labels")
OVERALL = "all systems"


def judging_csv(findings: JudgingFindings) -> str:
    """CSV with one unrounded quantity per row: the raw column beside the corrected one."""
    return csv_text(HEAD, _rows(findings))


def systems_table(findings: JudgingFindings) -> Table:
    """Means of systems, best first, and overall."""
    values = [*(each.value for each in findings.systems), findings.overall]
    decimals = _decimals(values)
    rows = [
        (
            each.system,
            *_cells(each.value, decimals),
            f"{each.labels}/{each.judged}",
            ranks(each.best_rank, each.worst_rank) or MISSING,
        )
        for each in findings.systems
    ]
    rows.append((OVERALL, *_cells(findings.overall, decimals), f"{findings.labels}/{findings.judged}", ""))
    heads = ("System", "Judge alone", "Labels alone", "Corrected", "Width", "Labels", "Rank")
    return _without_labels(Table(heads, tuple(rows)), findings)


def differences_table(findings: JudgingFindings) -> Table:
    """All differences, with Holm-adjusted p-values."""
    decimals = _decimals([each.value for each in findings.differences])
    rows = tuple(
        (
            f"{each.a} − {each.b}",
            *_cells(each.value, decimals, sign=True),
            plain_p(each.p_adjusted),
            f"{each.verdict} ({each.validity.value})" if each.validity.value == "conditional" else each.verdict,
        )
        for each in findings.differences
    )
    heads = ("Difference", "Judge alone", "Labels alone", "Corrected", "Width", "p", "Verdict")
    return _without_labels(Table(heads, rows), findings)


def correlations_table(findings: JudgingFindings) -> Table:
    """Spearman's correlations of other measures with people's answers; the file has Pearson's and Kendall's, too."""
    shown = [each for each in findings.correlations if each.statistic == "spearman"]
    rows = tuple(
        (
            str(each.measure),
            MISSING if each.judge is None else number(each.judge, 2),
            _correlation(each.alone),
            _correlation(each.corrected),
            MISSING if each.width_ratio is None else f"{each.width_ratio:.0%}",
            str(each.units),
        )
        for each in shown
    )
    return Table(("Measure", "With the judge", "Labels alone", "Corrected", "Width", "Units"), rows)


def _correlation(estimate: Estimate) -> str:
    return str(estimate.why) if estimate.value is None else render_estimate(estimate, 2)


def _without_labels(table: Table, findings: JudgingFindings) -> Table:
    """The table without the columns that labels fill, where there are none: raw values stand alone only there."""
    return table if findings.overall.raw is None else table.drop_columns(*OF_LABELS)


def threat_lists(findings: JudgingFindings) -> list[tuple[str, list[str]]]:
    """(heading, sentences) by severity."""
    lines = threat_lines(findings.threats, {})
    found = []
    for severity in Severity:
        texts = [line.text for line in lines if line.severity is severity]
        if texts:
            found.append((severity_heading(severity), texts))
    return found


def _decimals(values: Sequence[JudgedValue]) -> int:
    return column_decimals([each.leading for each in values])


def _cells(value: JudgedValue, decimals: int, *, sign: bool = False) -> tuple[str, ...]:
    ratio = MISSING if value.width_ratio is None else f"{100 * value.width_ratio:.0f}%"
    texts = [render_estimate(each, decimals, sign=sign) for each in (value.alone, value.corrected)]
    judge = number(value.judge, decimals, sign=sign)
    return (judge if value.raw is None else render_estimate(value.raw, decimals, sign=sign), *texts, ratio)


def _rows(findings: JudgingFindings) -> Iterator[list[object]]:
    for each in findings.systems:
        counts = ["mean", each.system, None, each.judged, each.labels]
        rank = [each.rank, each.best_rank, each.worst_rank]
        yield [*counts, *_numbers(each.value), *rank, None, None, None, each.validity.value, _reason_text(each.value)]
    overall = findings.overall
    counts = ["mean", None, None, findings.judged, findings.labels]
    yield [*counts, *_numbers(overall), None, None, None, None, None, None, None, _reason_text(overall)]
    for pair in findings.differences:
        tests = [pair.value.leading.p, pair.p_adjusted, pair.verdict, pair.validity.value, _reason_text(pair.value)]
        yield ["difference", pair.a, pair.b, None, None, *_numbers(pair.value), None, None, None, *tests]


def _numbers(value: JudgedValue) -> list[object]:
    estimates = [cell for each in (value.alone, value.corrected) for cell in (each.value, *_ends(each))]
    raw = (None, None) if value.raw is None else _ends(value.raw)
    return [value.judge, *raw, *estimates, value.weight, value.width_ratio]


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    interval = estimate.interval
    return (None, None) if interval is None else (interval.low, interval.high)


def _reason_text(value: JudgedValue) -> str | None:
    return None if value.leading.why is None else str(value.leading.why)
