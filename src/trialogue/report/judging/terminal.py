"""Plain-text rendering of a judge and its correction for the terminal."""

from trialogue.findings.judging.records import JudgingFindings
from trialogue.report.judging.card import card_table
from trialogue.report.judging.probes import KEY as PROBES_KEY
from trialogue.report.judging.probes import probes_table
from trialogue.report.judging.tables import correlations_table, differences_table, systems_table, threat_lists
from trialogue.report.judging.wording import facts
from trialogue.report.numbers import count
from trialogue.report.table import Table
from trialogue.report.terminal import columns, draw_cells, wrap_list, wrap_sentences

NARROWEST, WIDEST = 60, 130
KEY = "Each interval has the stated confidence; ranks, p-values and verdicts hold for all systems together."
LEFT_OUT = ("Width", "Labels")
"""Columns that only the page has room for."""
MAX_PAIRS = 12  # differences on a terminal; the page has all


def judging_text(findings: JudgingFindings, *, width: int | None = None) -> str:
    """Render the answer, the tables and the threats.

    Args:
        findings: findings to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = columns(width, least=NARROWEST, most=WIDEST)
    parts = [wrap_sentences(findings.answer, width), wrap_sentences(facts(findings), width)]
    parts.append(draw_cells(systems_table(findings).drop_columns(*LEFT_OUT), width))
    if findings.differences:
        table = differences_table(findings).drop_columns(*LEFT_OUT, "Labels alone")
        parts.append(draw_cells(Table(table.heads, table.rows[:MAX_PAIRS]), width))
        if len(table.rows) > MAX_PAIRS:
            parts.append(f"{count(len(table.rows) - MAX_PAIRS, 'more difference')} in the report.")
    if findings.correlations:
        parts.append("Spearman's correlation of other measures with people's answers:")
        parts.append(draw_cells(correlations_table(findings).drop_columns(*LEFT_OUT), width))
    if findings.card is not None:
        parts.append(draw_cells(card_table(findings.card), width))
    if findings.probes:
        parts += [draw_cells(probes_table(findings.probes), width), wrap_sentences([PROBES_KEY], width)]
    parts += [wrap_list(heading, texts, width) for heading, texts in threat_lists(findings)]
    parts.append(wrap_sentences([KEY], width))
    return "\n\n".join(parts)
