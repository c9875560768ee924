"""CSV table of agreement: one coefficient per row, unrounded."""

from collections.abc import Iterator

from trialogue.findings.agreement.records import AgreementFindings
from trialogue.records import Estimate
from trialogue.records.files.cells import csv_text

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
    "unpenalised",
    "unpenalised_low",
    "unpenalised_high",
    "unpenalised_n",
)
"""``value``, its interval and ``n`` are penalised: units without a value count as the worst guesses. The last four columns
hold the same over the units that have a value, also where nothing is missing."""


def agreement_csv(findings: AgreementFindings) -> str:
    """CSV of every rating, preference and ranking agreement and every contrast."""
    return csv_text(HEAD, _rows(findings))


def agreement_rows(findings: AgreementFindings) -> list[dict[str, object]]:
    """The same as dictionaries by column; None where undefined, reasons as text."""
    rows = (dict(zip(HEAD, cells, strict=True)) for cells in _rows(findings))
    return [{**row, "why": None if row["why"] is None else str(row["why"])} for row in rows]


def _rows(findings: AgreementFindings) -> Iterator[list[object]]:
    for kind, ratings in (("rating", findings.ratings), ("reference", findings.references)):
        for each in ratings:
            for agreed in each.agreed:
                about = (kind, each.measure, each.question, each.level, agreed.statistic, agreed.scope)
                yield [*about, *_cells(agreed.headline, each.coverage, agreed.estimate)]
    for chosen in findings.preferences:
        coverage = chosen.scored / chosen.votes if chosen.votes else None
        choices = ("preference", chosen.measure, "votes", "dialogue")
        yield [*choices, "kappa", "pooled", *_cells(chosen.headline_kappa, coverage, chosen.kappa)]
        yield [*choices, "accuracy", "pooled", *_cells(chosen.headline_accuracy, coverage, chosen.accuracy)]
    for order in findings.rankings:
        for name, estimate in (("spearman", order.spearman), ("kendall", order.kendall)):
            yield [
                "ranking",
                order.measure,
                order.against,
                "system",
                name,
                "between",
                *_cells(estimate, None, estimate),
            ]
    for contrast in findings.contrasts:
        pair = ("difference", f"{contrast.a} - {contrast.b}", contrast.question, contrast.level)
        cells = _cells(contrast.difference, None, contrast.common or contrast.difference)
        yield [*pair, contrast.statistic, contrast.scope, *cells]


def _cells(estimate: Estimate, coverage: float | None, unpenalised: Estimate) -> list[object]:
    """The headline with its interval and coverage, then the same without what counts as guesses."""
    last = [unpenalised.value, *_ends(unpenalised), unpenalised.n]
    return [estimate.value, *_ends(estimate), estimate.n, estimate.clusters, coverage, estimate.why, *last]


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    interval = estimate.interval
    return (interval.low, interval.high) if interval else (None, None)
