"""Plain-text rendering of agreement for the terminal."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialogue.findings.agreement.answer import main_statistic, title_of
from trialogue.findings.agreement.rating_agreement import USER_MEAN
from trialogue.findings.agreement.records import (
    AgreementCoefficient,
    AgreementFindings,
    PreferenceAgreement,
    RatingAgreement,
)
from trialogue.records import Estimate
from trialogue.report.long_names import with_short_names
from trialogue.report.numbers import MISSING, bounds, number
from trialogue.report.plots.agreement import statistic_name
from trialogue.report.terminal import columns, draw_table, new_table, wrap_sentences
from trialogue.report.text import one_line, shorten

if TYPE_CHECKING:
    from rich.table import Table

NARROWEST, WIDEST, DECIMALS, LONGEST = 60, 130, 3, 40
ALONE = "alone"
"""Prefix of the agreement on units with a value."""


def agreement_text(findings: AgreementFindings, *, width: int | None = None) -> str:
    """Render the answer, a table per question, and one for choices.

    Args:
        findings: findings to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    findings = with_short_names(findings)
    width = columns(width, least=NARROWEST, most=WIDEST)
    parts = [wrap_sentences(findings.answer, width)]
    for question, level in dict.fromkeys((each.question, each.level) for each in findings.ratings):
        ratings = [each for each in findings.ratings if (each.question, each.level) == (question, level)]
        title = textwrap.fill(f"{one_line(question)} ({level}s)", width)
        parts.append(f"{title}\n{draw_table(_ratings(findings, ratings), width)}")
    if findings.preferences:
        parts.append(draw_table(_choices(findings), width))
    if findings.baselines:
        parts.append("* a trivial baseline that any useful measure must beat.")
    if any(each.penalised for rating in findings.ratings for each in rating.agreed):
        parts.append(f"Units without a value count as the measure's worst guesses; {ALONE}: without them.")
    if findings.references:
        parts.append(
            "† not a measure: the mean of the same user's ratings of their other dialogues, whatever their content."
        )
    return "\n\n".join(parts)


def _ratings(findings: AgreementFindings, ratings: Sequence[RatingAgreement]) -> "Table":
    statistic = main_statistic(ratings)
    has_users = any(each.get(statistic, "within_users") for each in ratings)
    heads = ["within systems", *(["within users"] if has_users else []), "between, ρ", "units"]
    table = _table(["measure", statistic_name(statistic), *heads])
    order = sorted(ratings, key=lambda each: -(_value(each) or 0.0))
    question = (ratings[0].question, ratings[0].level)
    references = [each for each in findings.references if (each.question, each.level) == question]
    for each in (*order, *references):
        coefficients = [each.get(statistic), each.get(statistic, "within")]
        coefficients += [each.get(statistic, "within_users")] if has_users else []
        coefficients += [each.get("spearman", "between")]
        cells = [_cell(one.headline if one else None) for one in coefficients]
        name = f"{USER_MEAN} †" if each in references else _name(findings, each.measure)
        table.add_row(name, *cells, _units(each, coefficients[0]))
    return table


def _units(each: RatingAgreement, pooled: AgreementCoefficient | None) -> str:
    """Number of units with a value, and the agreement on these alone if others count as guesses."""
    counts = f"{each.scored}/{each.rated}"
    if pooled is None or pooled.penalised is None or pooled.estimate.value is None:
        return counts
    return f"{counts}\n{ALONE} {number(pooled.estimate.value, DECIMALS)}"


def _value(each: RatingAgreement) -> float | None:
    found = each.get(main_statistic([each]))
    return found.headline.value if found else None


def kappa_order(each: PreferenceAgreement) -> float:
    """Sort key by descending kappa, None last."""
    return 2.0 if (kappa := each.headline_kappa.value) is None else -kappa


def _choices(findings: AgreementFindings) -> "Table":
    table = _table(["pairwise votes", "Cohen's kappa", "decisive shared", "ties", "votes"])
    for each in sorted(findings.preferences, key=kappa_order):
        name = _name(findings, each.measure)
        cells = [_cell(each.headline_kappa), _cell(each.headline_accuracy)]
        table.add_row(name, *cells, f"{each.ties:.0%}", f"{each.scored}/{each.votes}")
    return table


def _table(heads: Sequence[str]) -> "Table":
    from rich.text import Text

    table = new_table()
    for head in heads:
        table.add_column(Text(head), justify="left", overflow="fold")
    return table


def _name(findings: AgreementFindings, measure: str) -> str:
    return shorten(title_of(findings, measure), LONGEST) + (" *" if measure in findings.baselines else "")


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return MISSING
    text = number(estimate.value, DECIMALS)
    return f"{text}\n{bounds(estimate.interval, DECIMALS)}" if estimate.interval else text
