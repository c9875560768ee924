"""HTML page of a board, and the files beside it."""

import json
from pathlib import Path

from trialogue.findings import StatementKind
from trialogue.findings.board.records import BoardFindings
from trialogue.records.base import SCHEMA
from trialogue.records.files.opening import write_text
from trialogue.records.runs import writes_run
from trialogue.report.board.exports import board_latex, board_markdown, history_csv, leaderboard_csv, rows_json
from trialogue.report.board.figure import history_figure
from trialogue.report.board.tables import (
    history_table,
    left_out_table,
    measures_table,
    ranked_table,
    signatures_table,
    summary_facts,
    threat_lists,
    title_of,
    unranked_table,
)
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables
from trialogue.report.long_names import with_short_names
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import LONG, environment, manifest_rows
from trialogue.report.text import printable

PAGE, FINDINGS = "board.html", "board.json"
MAX_FIRST = 8  # rows on the first screen; the fold below has all
FOLDED = (StatementKind.VERDICT, StatementKind.SCOPE)
"""Statements that do not follow the answer: further verdicts are folded, and what is not ranked has a place of its own."""


@writes_run()
def write_board(findings: BoardFindings, folder: Path) -> Path:
    """Write ``board.html`` and the exports; returns the path of the page."""
    drawn = _figures(findings)
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    write_text(folder / FINDINGS, json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")
    write_text(folder / "leaderboard.csv", leaderboard_csv(findings))
    write_text(folder / "history.csv", history_csv(findings))
    write_text(folder / "leaderboard.md", board_markdown(findings))
    write_text(folder / "leaderboard.tex", board_latex(findings))
    write_text(folder / "rows.json", rows_json(findings))
    for figure in drawn:
        write_text(folder / "figures" / f"{figure.name}.svg", figure.svg)
    page = folder / PAGE
    write_text(page, board_page(findings))
    return page


def _figures(findings: BoardFindings) -> list[Figure]:
    """Figures of histories; equal names get a number."""
    found: list[Figure] = []
    for history in findings.histories:
        figure = history_figure(history)
        if figure is not None:
            alike = sum(each.name == figure.name for each in found)
            found.append(figure if not alike else figure.rename(f"{figure.name}-{alike + 1}"))
    return found


def board_page(findings: BoardFindings) -> str:
    """The whole page as one HTML document that loads nothing and runs no script."""
    findings = with_short_names(findings)
    column = findings.columns[0]
    leagues = [ranked_table(findings, index) for index in range(len(column.leagues))]
    figures = _figures(findings)
    threats = threat_lists(findings)
    return printable(
        environment()
        .get_template("board.html.j2")
        .render(
            light=css_variables(LIGHT),
            dark=css_variables(DARK),
            findings=findings,
            said=[each for at, each in enumerate(findings.answer) if at == 0 or each.kind_of not in FOLDED],
            rest=[each for each in findings.answer[1:] if each.kind_of is StatementKind.VERDICT],
            beside=[each for each in findings.answer if each.kind_of is StatementKind.SCOPE],
            long_answer=len(str(findings.answer[0])) > LONG,
            first=ranked_table(findings, 0, short=True, most=MAX_FIRST),
            more=max(0, len(column.leagues[0].standings) - MAX_FIRST) if column.leagues else 0,
            title=title_of(column),
            leagues=leagues,
            unranked=unranked_table(findings),
            measures=measures_table(findings) if len(findings.columns) > 1 else None,
            signatures=signatures_table(findings),
            histories=[(history, history_table(history)) for history in findings.histories],
            figures=figures,
            threats=threats,
            left_out=left_out_table(findings),
            facts=summary_facts(findings),
            manifest=manifest_rows(findings.manifest),
        )
    )
