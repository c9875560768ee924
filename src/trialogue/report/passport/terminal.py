"""Plain-text rendering of a passport for the terminal."""

import textwrap

from trialogue.findings.passport.records import PassportFindings
from trialogue.report.passport.tables import (
    discriminators_table,
    distances_table,
    doses_table,
    gates_table,
    orders_table,
    overview,
    rankings_table,
    threat_lists,
)
from trialogue.report.terminal import columns, draw_cells, wrap_list
from trialogue.report.text import one_line

NARROWEST, WIDEST = 60, 130


def passport_text(findings: PassportFindings, *, width: int | None = None) -> str:
    """The six parts, what speaks against them, and their tables.

    Args:
        findings: findings to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = columns(width, least=NARROWEST, most=WIDEST)
    parts = [findings.title]
    parts += [
        textwrap.fill(one_line(f"{part}: {text} [{sample}]"), width, subsequent_indent="  ")
        for part, text, sample in overview(findings).rows
    ]
    parts += [wrap_list(heading, texts, width) for heading, texts in threat_lists(findings)]
    rankings = rankings_table(findings)
    tables = (
        distances_table(findings),
        discriminators_table(findings),
        rankings and rankings.drop_columns("Simulated order", "Real order", "Says"),
        orders_table(findings),
        doses_table(findings),
        gates_table(findings),
    )
    parts += [draw_cells(table, width) for table in tables if table is not None]
    return "\n\n".join(parts)
