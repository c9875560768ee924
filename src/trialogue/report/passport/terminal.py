"""Plain-text rendering of a passport for the terminal."""

import io
import shutil
import textwrap

from trialogue.findings.passport.records import PassportFindings
from trialogue.report.agreement.page import Table
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
from trialogue.report.text import one_line

NARROWEST, WIDEST = 60, 130


def passport_text(findings: PassportFindings, *, width: int | None = None) -> str:
    """The six parts, what speaks against them, and their tables.

    Args:
        findings: what to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = min(WIDEST, max(NARROWEST, width or shutil.get_terminal_size((80, 24)).columns))
    parts = [findings.title]
    parts += [
        textwrap.fill(one_line(f"{part}: {text} [{sample}]"), width, subsequent_indent="  ")
        for part, text, sample in overview(findings).rows
    ]
    for heading, said in threat_lists(findings):
        parts.append(f"{heading}:\n" + "\n".join(textwrap.fill(f"- {one_line(text)}", width) for text in said))
    tables = (
        distances_table(findings),
        discriminators_table(findings),
        _drop_columns(rankings_table(findings), "Simulated order", "Real order", "Says"),
        orders_table(findings),
        doses_table(findings),
        gates_table(findings),
    )
    parts += [_render_table(table, width) for table in tables if table is not None]
    return "\n\n".join(parts)


def _drop_columns(table: Table | None, *heads: str) -> Table | None:
    """A table without columns that only the page has room for."""
    if table is None:
        return None
    kept = [place for place, head in enumerate(table.heads) if head not in heads]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return Table(tuple(table.heads[place] for place in kept), rows)


def _render_table(table: Table, width: int) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as Rich
    from rich.text import Text

    drawn = Rich(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(table.heads):
        drawn.add_column(head, justify="left" if place == 0 else "right", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(one_line(cell)) for cell in row))
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None, legacy_windows=False).print(drawn)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).strip("\n")
