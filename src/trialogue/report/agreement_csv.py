"""Agreement as a table for spreadsheets: one coefficient a row, nothing rounded."""

from collections.abc import Iterator

from trialogue.metaeval.agreed import AgreementFindings
from trialogue.records import Estimate
from trialogue.records.cells import csv_text

HEAD = (
    "kind",
    "measure",
    "question",
    "level",
    "statistic",
    "scope",
    "value",
    "low",
    "high",
    "n",
    "clusters",
    "coverage",
    "why",
)


def agreement_csv(findings: AgreementFindings) -> str:
    """Every rating, preference and ranking agreement and every contrast."""
    return csv_text(HEAD, _rows(findings))


def _rows(findings: AgreementFindings) -> Iterator[list[object]]:
    for each in findings.ratings:
        for agreed in each.agreed:
            about = ("rating", each.measure, each.question, each.level, agreed.statistic, agreed.scope)
            yield [*about, *_cells(agreed.estimate, each.coverage)]
    for chosen in findings.preferences:
        for name, estimate in (("kappa", chosen.kappa), ("accuracy", chosen.accuracy)):
            coverage = chosen.scored / chosen.votes if chosen.votes else None
            yield ["preference", chosen.measure, "votes", "dialogue", name, "pooled", *_cells(estimate, coverage)]
    for order in findings.rankings:
        for name, estimate in (("spearman", order.spearman), ("kendall", order.kendall)):
            yield ["ranking", order.measure, order.against, "system", name, "between", *_cells(estimate, None)]
    for contrast in findings.contrasts:
        pair = ("difference", f"{contrast.a} - {contrast.b}", contrast.question, contrast.level)
        yield [*pair, contrast.statistic, contrast.scope, *_cells(contrast.difference, None)]


def _cells(estimate: Estimate, coverage: float | None) -> list[object]:
    interval = estimate.interval
    ends = [interval.low, interval.high] if interval else [None, None]
    return [estimate.value, *ends, estimate.n, estimate.clusters, coverage, estimate.why]
