"""Agreement as a table for spreadsheets: one coefficient a row, nothing rounded."""

import csv
import io

from trialogue.metaeval.agreed import AgreementFindings
from trialogue.records import Estimate

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
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEAD)
    for each in findings.ratings:
        for agreed in each.agreed:
            about = ("rating", each.measure, each.question, each.level, agreed.statistic, agreed.scope)
            writer.writerow([*about, *_cells(agreed.estimate, each.coverage)])
    for chosen in findings.preferences:
        for name, estimate in (("kappa", chosen.kappa), ("accuracy", chosen.accuracy)):
            coverage = chosen.scored / chosen.votes if chosen.votes else None
            writer.writerow(
                ["preference", chosen.measure, "votes", "dialogue", name, "pooled", *_cells(estimate, coverage)]
            )
    for order in findings.rankings:
        for name, estimate in (("spearman", order.spearman), ("kendall", order.kendall)):
            writer.writerow(
                ["ranking", order.measure, order.against, "system", name, "between", *_cells(estimate, None)]
            )
    for contrast in findings.contrasts:
        pair = ("difference", f"{contrast.a} - {contrast.b}", contrast.question, contrast.level)
        writer.writerow([*pair, contrast.statistic, contrast.scope, *_cells(contrast.difference, None)])
    return stream.getvalue()


def _cells(estimate: Estimate, coverage: float | None) -> list[object]:
    interval = estimate.interval
    ends = [interval.low, interval.high] if interval else ["", ""]
    value = "" if estimate.value is None else estimate.value
    clusters = "" if estimate.clusters is None else estimate.clusters
    return [value, *ends, estimate.n, clusters, "" if coverage is None else coverage, estimate.why or ""]
