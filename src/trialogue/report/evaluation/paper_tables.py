"""League table and figure captions for a paper, as files that can be read without the page."""

import textwrap
from collections.abc import Sequence

from trialogue.findings import Findings
from trialogue.findings.family import ACROSS_MEASURES
from trialogue.report.exports import latex_arrow, latex_value, table_markdown
from trialogue.report.league_table import Block, Table, league_table
from trialogue.report.markup import escape_latex, tabular
from trialogue.report.measures import (
    correction_words,
    is_ranked,
    labels,
    paper_leagues,
    systems_in_order,
    table_leagues,
)
from trialogue.report.numbers import count, level
from trialogue.report.plots import Figure
from trialogue.report.plots.forest import confidence

HEAD_WIDTH = 14  # characters of a line in a column's head: about as wide as an interval
TABLE_LATEX, TABLE_MARKDOWN, CAPTIONS = "league.tex", "league.md", "captions.md"


def paper_table_latex(findings: Findings) -> str:
    r"""Table of at most four measures that fits one column of a paper, with a self-contained caption.

    A system has two lines: its values, with letters, and their intervals. Needs ``booktabs``, and ``adjustbox``, which makes
    a table of longer names smaller. Further measures are in ``summary.csv``. Without any measure: a comment that says so.
    """
    table = _table(findings)
    if not table.blocks:
        return f"% {escape_latex(findings.title)}: nothing could be measured.\n"
    (block,) = table.blocks
    heads = ["System", *(_stack_label(column) for column in _columns(findings, block))]
    groups = [
        [line for system in systems for line in _two_lines(block, system)]
        for systems in (block.systems, block.baselines)
        if systems
    ]
    notes = " ".join(f"({number}) {escape_latex(note)}" for number, note in enumerate(table.notes, start=1))
    return "\n".join(
        [
            "% needs \\usepackage{booktabs,adjustbox}",
            r"\begin{table}",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{escape_latex(table_caption(findings, table))}}}",
            r"\label{tab:league}",
            r"\begin{adjustbox}{max width=\columnwidth}",
            tabular("l" + "r" * len(block.columns), [" & ".join(heads)], groups),
            r"\end{adjustbox}",
            *([rf"\par\smallskip\raggedright\scriptsize {notes}"] if notes else []),
            r"\end{table}",
            "",
        ]
    )


def _table(findings: Findings) -> Table:
    return league_table(paper_leagues(findings), systems_in_order(findings))


def _columns(findings: Findings, block: Block) -> list[tuple[str, str]]:
    """(label, arrow) of each column."""
    names = labels(table_leagues(findings))
    return [(names[column.name], latex_arrow(column)) for column in block.columns]


def _stack_label(head: tuple[str, str]) -> str:
    """A column's label in lines of its own, as wide as an interval."""
    label, arrow = head
    lines = [escape_latex(line) for line in textwrap.wrap(label, HEAD_WIDTH, break_long_words=False)] or [""]
    return r"\shortstack[r]{" + r"\\".join(lines) + arrow + "}"


def _two_lines(block: Block, system: str) -> list[str]:
    """Values with letters and notes, and below them the intervals."""
    cells = [column.cells[system] for column in block.columns]
    values = " & ".join([rf"\addlinespace[2pt] {escape_latex(system)}", *(latex_value(cell) for cell in cells)])
    below = " & ".join(
        ["", *(rf"{{\scriptsize {escape_latex(cell.interval)}}}" if cell.interval else "" for cell in cells)]
    )
    return [values, below]


def paper_table_markdown(findings: Findings) -> str:
    """The same in Markdown: caption, table, notes."""
    table = _table(findings)
    if not table.blocks:
        return f"{findings.title}: nothing could be measured.\n"
    notes = [f"({number}) {note}  " for number, note in enumerate(table.notes, start=1)]
    shown = table_markdown(table, labels(table_leagues(findings)))
    return "\n".join([f"**Table.** {table_caption(findings, table)}\n", shown, *notes]).rstrip() + "\n"


def table_caption(findings: Findings, table: Table) -> str:
    """Self-contained caption of the table."""
    cells = [cell for block in table.blocks for column in block.columns for cell in column.cells.values()]
    leagues = paper_leagues(findings)
    levels = " or ".join(dict.fromkeys(map(confidence, leagues)))
    arrows = "; an arrow says which direction is better" if any(map(is_ranked, leagues)) else ""
    parts = [f"Values of {_describe_data(findings)}, with {levels} intervals{arrows}."]
    shown = {column.name for block in table.blocks for column in block.columns}
    users = dict.fromkeys(each.measure.users for each in leagues if each.measure.users and each.measure.name in shown)
    if users:
        parts.append(f"In brackets after a measure: the simulated users of these dialogues ({', '.join(users)}).")
    if any(cell.letters for cell in cells):
        corrected = correction_words(findings.correction, "-corrected")
        if findings.correction != ACROSS_MEASURES:
            corrected += " across the pairs of a measure"
            questions = max(league.questions for league in leagues)
            corrected += f" and people's {questions} questions" if questions > 1 else ""
        parts.append(
            f"Systems that share a letter do not differ significantly ({corrected}, α = {level(findings.alpha)})."
        )
    if any(cell.leads for cell in cells):
        parts.append("Bold: may be the best.")
    if any(block.baselines for block in table.blocks):
        parts.append("Last rows: baselines that ignore the user, not ranked.")
    return " ".join(parts)


def captions_markdown(findings: Findings, drawn: Sequence[Figure]) -> str:
    """Self-contained caption of each figure, by file."""
    entries = [f"**{figure.name}** {figure.title}. {_describe_data(findings)}. {figure.caption}\n" for figure in drawn]
    return "\n".join(entries) if entries else "There are no figures.\n"


def _describe_data(findings: Findings) -> str:
    """Data behind the table."""
    summed = sum(facts.dialogues for facts in findings.systems)
    dialogues = findings.dialogues if findings.dialogues is not None else summed
    of = f" in {count(dialogues, 'dialogue')}" if dialogues else ""
    return f"{count(len(findings.systems), 'system')}{of}"
