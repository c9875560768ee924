"""Plain-text rendering of a judge and its correction for the terminal."""

import textwrap

from trialogue.findings.judging.records import JudgingFindings
from trialogue.report.agreement.page import Table
from trialogue.report.judging.tables import differences_table, systems_table, threat_lists
from trialogue.report.judging.wording import facts
from trialogue.report.numbers import count
from trialogue.report.terminal import columns, draw_table, new_table, wrap_sentences
from trialogue.report.text import one_line

NARROWEST, WIDEST = 60, 130
KEY = "Each interval has the stated confidence; ranks, p-values and verdicts hold for all systems together."
LEFT_OUT = ("Width", "Labels")
"""Columns that only the page has room for."""
MOST_PAIRS = 12  # differences on a terminal; the page has all


def judging_text(findings: JudgingFindings, *, width: int | None = None) -> str:
    """Render the answer, the tables and the threats.

    Args:
        findings: what to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = columns(width, least=NARROWEST, most=WIDEST)
    parts = [wrap_sentences(findings.answer, width), wrap_sentences(facts(findings), width)]
    parts.append(_render_table(_drop_columns(systems_table(findings), *LEFT_OUT), width))
    if findings.differences:
        table = _drop_columns(differences_table(findings), *LEFT_OUT, "Labels alone")
        parts.append(_render_table(Table(table.heads, table.rows[:MOST_PAIRS]), width))
        if len(table.rows) > MOST_PAIRS:
            parts.append(f"{count(len(table.rows) - MOST_PAIRS, 'more difference')} on the page.")
    for heading, texts in threat_lists(findings):
        parts.append(f"{heading}:\n" + "\n".join(textwrap.fill(f"- {one_line(text)}", width) for text in texts))
    parts.append(wrap_sentences([KEY], width))
    return "\n\n".join(parts)


def _drop_columns(table: Table, *heads: str) -> Table:
    kept = [place for place, head in enumerate(table.heads) if head not in heads]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return Table(tuple(table.heads[place] for place in kept), rows)


def _render_table(table: Table, width: int) -> str:
    from rich.text import Text

    drawn = new_table()
    for place, head in enumerate(table.heads):
        drawn.add_column(head, justify="left" if place == 0 else "right", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(one_line(cell)) for cell in row))
    return draw_table(drawn, width)
