"""Plain-text rendering of a board for the terminal."""

from trialogue.findings.board.records import BoardFindings
from trialogue.report.board.tables import (
    history_table,
    left_out_table,
    ranked_table,
    threat_lists,
    title_of,
    unranked_table,
)
from trialogue.report.long_names import with_short_names
from trialogue.report.terminal import columns, draw_cells, wrap_list, wrap_sentences

NARROWEST, WIDEST = 60, 140
LONGEST = 24  # columns of a name in a table
MAX_THREATS = 5  # of one severity; the page has all


def board_text(findings: BoardFindings, *, width: int | None = None) -> str:
    """The answer, leagues, rows that are not ranked with their reasons, histories and threats.

    Args:
        findings: findings to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = columns(width, least=NARROWEST, most=WIDEST)
    findings = with_short_names(findings, LONGEST)
    column = findings.columns[0]
    parts = [wrap_sentences(map(str, findings.answer), width)]
    for index in range(len(column.leagues)):
        table = ranked_table(findings, index, short=True)
        if table is not None:
            group = f", group {index + 1}" if len(column.leagues) > 1 else ""
            parts.append(f"Ranked together on {title_of(column)}{group}:\n{draw_cells(table, width)}")
    unranked = unranked_table(findings)
    if unranked is not None:
        parts.append(f"Not ranked with them:\n{draw_cells(unranked, width)}")
    for history in findings.histories:
        title = f"{history.measure.title} of {history.system} by version"
        parts.append(f"{title}:\n{draw_cells(history_table(history), width)}")
    left_out = left_out_table(findings)
    if left_out is not None:
        parts.append(f"Runs that do not count:\n{draw_cells(left_out, width)}")
    for heading, texts in threat_lists(findings):
        shown_texts = texts[:MAX_THREATS]
        more = [f"and {len(texts) - MAX_THREATS} more"] if len(texts) > MAX_THREATS else []
        parts.append(wrap_list(heading, [*shown_texts, *more], width))
    return "\n\n".join(parts)
