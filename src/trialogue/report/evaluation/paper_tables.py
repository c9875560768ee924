"""League table and figure captions for a paper, as files that can be read without the page."""

from collections.abc import Sequence

from trialogue.findings import Findings
from trialogue.findings.family import ACROSS_MEASURES
from trialogue.report.evaluation.paper import escape_latex
from trialogue.report.exports import table_latex, table_markdown
from trialogue.report.league_table import Table, league_table
from trialogue.report.measures import all_leagues, correction_words, labels, systems_in_order, table_leagues
from trialogue.report.numbers import count, level
from trialogue.report.plots import Figure
from trialogue.report.plots.forest import confidence

TABLE_LATEX, TABLE_MARKDOWN, CAPTIONS = "league.tex", "league.md", "captions.md"


def paper_table_latex(findings: Findings) -> str:
    """Table of the main measures as a ``table*`` with a self-contained caption; needs booktabs.

    Further measures are in ``summary.csv``. Without any measure: a comment that says so.
    """
    table = league_table(table_leagues(findings), systems_in_order(findings))
    if not table.blocks:
        return f"% {escape_latex(findings.title)}: nothing could be measured.\n"
    notes = [rf"\par\footnotesize ({number}) {escape_latex(note)}" for number, note in enumerate(table.notes, start=1)]
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            r"\begin{table*}",
            r"\centering\small",
            rf"\caption{{{escape_latex(table_caption(findings, table))}}}",
            r"\label{tab:league}",
            table_latex(table, labels(table_leagues(findings))),
            *notes,
            r"\end{table*}",
            "",
        ]
    )


def paper_table_markdown(findings: Findings) -> str:
    """The same in Markdown: caption, table, notes."""
    table = league_table(table_leagues(findings), systems_in_order(findings))
    if not table.blocks:
        return f"{findings.title}: nothing could be measured.\n"
    notes = [f"({number}) {note}  " for number, note in enumerate(table.notes, start=1)]
    shown = table_markdown(table, labels(table_leagues(findings)))
    return "\n".join([f"**Table.** {table_caption(findings, table)}\n", shown, *notes]).rstrip() + "\n"


def table_caption(findings: Findings, table: Table) -> str:
    """Self-contained caption of the table."""
    cells = [cell for block in table.blocks for column in block.columns for cell in column.cells.values()]
    leagues = all_leagues(findings)
    levels = " or ".join(dict.fromkeys(map(confidence, leagues)))
    parts = [f"{_describe_data(findings)}. Values with {levels} intervals; an arrow says which direction is better."]
    shown = {column.name for block in table.blocks for column in block.columns}
    users = dict.fromkeys(each.measure.users for each in leagues if each.measure.users and each.measure.name in shown)
    if users:
        parts.append(f"In brackets after a measure: the simulated users of these dialogues ({', '.join(users)}).")
    if any(cell.letters for cell in cells):
        corrected = correction_words(findings.correction, "-corrected")
        if findings.correction != ACROSS_MEASURES:
            corrected += " across the pairs of the measure"
        parts.append(
            f"Systems that share a letter do not differ significantly on that measure ({corrected}, "
            f"α = {level(findings.alpha)})."
        )
    if any(cell.leads for cell in cells):
        parts.append("Bold: systems that may be the best.")
    if any(block.baselines for block in table.blocks):
        parts.append("The last rows are baselines that ignore the user; they are not ranked.")
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
    return f"{findings.title}: {count(len(findings.systems), 'system')}{of}"
