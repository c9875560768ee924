"""Exports of a board: CSV, Markdown, LaTeX, its rows in the schema that others read, and HTML for notebooks."""

import json
from collections.abc import Iterator

from trialogue.findings.board.records import BoardFindings, BoardRow, RowOrigin
from trialogue.findings.board.reported import FORMAT
from trialogue.records import JsonValue
from trialogue.records.files.cells import csv_text
from trialogue.report.board.tables import (
    counting_threats,
    history_table,
    measures_table,
    ranked_table,
    title_of,
    unranked_table,
)
from trialogue.report.exports import latex_rows, markdown_rows, rows_html
from trialogue.report.markup import escape_latex
from trialogue.report.numbers import level
from trialogue.report.table import Table
from trialogue.report.text import one_line

LEADERBOARD_HEAD = (
    "row", "system", "version", "origin", "measure", "users", "value", "low", "high", "confidence", "n", "clusters", "runs",
    "between_runs", "group", "rank_low", "rank_high", "validity", "why", "reasons", "threats", "key", "signature", "data",
    "dialogues", "people", "simulated", "source",
)  # fmt: skip
HISTORY_HEAD = (
    "system", "measure", "users", "version", "row", "runs", "value", "low", "high", "is_baseline", "difference",
    "difference_low", "difference_high", "p_adjusted", "verdict", "validity", "why", "reasons",
)  # fmt: skip


def leaderboard_csv(findings: BoardFindings) -> str:
    """One value a line, nothing rounded; ``why`` are codes of reasons, ``reasons`` their texts."""
    return csv_text(LEADERBOARD_HEAD, _leaderboard_rows(findings))


def _leaderboard_rows(findings: BoardFindings) -> Iterator[list[object]]:
    for row in findings.rows:
        for column in findings.columns:
            cell = column.cell(row.name)
            interval, estimate = cell.estimate.interval, cell.estimate
            threats = {
                threat.code.value
                for threat in counting_threats(findings, row.name)
                if threat.concerns_measure(column.measure.name)
            }
            yield [
                row.name, row.system, row.version, row.origin.value, column.measure.measured, column.measure.users,
                estimate.value, interval and interval.low, interval and interval.high, interval and interval.confidence,
                estimate.n or None, estimate.clusters, cell.runs, cell.between,
                None if cell.group is None else cell.group + 1, cell.rank_low, cell.rank_high, cell.validity.value,
                "; ".join(reason.code.value for reason in cell.why), "; ".join(map(str, cell.why)),
                "; ".join(sorted(threats)), cell.conditions and cell.conditions.key, cell.signature, "; ".join(row.data),
                row.dialogues, row.people, row.simulated, row.source,
            ]  # fmt: skip


def history_csv(findings: BoardFindings) -> str:
    """One version a line; the difference is the version less the baseline."""
    return csv_text(HISTORY_HEAD, _history_rows(findings))


def _history_rows(findings: BoardFindings) -> Iterator[list[object]]:
    for history in findings.histories:
        for point in history.points:
            interval, contrast = point.estimate.interval, point.contrast
            gap = contrast.difference if contrast is not None else None
            ends = gap.interval if gap is not None else None
            verdicts = {"a": "better", "b": "worse"}
            yield [
                history.system, history.measure.measured, history.measure.users, point.version, point.row, point.runs,
                point.estimate.value, interval and interval.low, interval and interval.high, point.is_baseline,
                gap and gap.value, ends and ends.low, ends and ends.high, contrast and contrast.p_adjusted,
                contrast and verdicts.get(contrast.verdict, contrast.verdict), contrast and contrast.validity.value,
                "; ".join(reason.code.value for reason in point.why), "; ".join(map(str, point.why)),
            ]  # fmt: skip


def rows_json(findings: BoardFindings) -> str:
    """The board's own rows in the schema of reported rows, for the boards of others."""
    rows = [_row_as_reported(findings, row) for row in findings.rows if row.origin is RowOrigin.RUN]
    kept = [row for row in rows if row["values"]]
    return json.dumps({"format": FORMAT, "v": 1, "rows": kept}, ensure_ascii=False, indent=1) + "\n"


def _row_as_reported(findings: BoardFindings, row: BoardRow) -> dict[str, JsonValue]:
    values: list[JsonValue] = []
    for column in findings.columns:
        cell = column.cell(row.name)
        if cell.estimate.value is None:
            continue
        value: dict[str, JsonValue] = {"measure": str(column.measure.measured), "value": cell.estimate.value}
        if column.measure.users is not None:
            value["users"] = column.measure.users
        if cell.estimate.interval is not None:
            interval = cell.estimate.interval
            value |= {"low": interval.low, "high": interval.high, "confidence": interval.confidence}
        if cell.estimate.n:
            value["n"] = cell.estimate.n
        value["runs"] = cell.runs
        value |= {"signature": cell.signature} if cell.signature else {}
        value |= {"key": cell.conditions.key} if cell.conditions is not None else {}
        values.append(value)
    return {
        "system": row.system,
        "version": row.version,
        "source": f"{findings.title}: {', '.join(row.runs)}",
        "data": "+".join(row.data),
        **({"dialogues": row.dialogues} if row.dialogues else {}),
        "values": values,
    }


def board_markdown(findings: BoardFindings) -> str:
    """Answer, leagues, rows that are not ranked with their reasons, and histories."""
    parts = [f"## {_plain(findings.title)}\n", *(f"{_plain(str(each))}\n" for each in findings.answer)]
    for heading, table in _sections(findings):
        parts += [f"### {_plain(heading)}\n", markdown_rows(_records(table))]
    return "\n".join(parts).rstrip() + "\n"


def board_latex(findings: BoardFindings) -> str:
    """Leagues and rows that are not ranked as ``table*`` with captions that stand alone; needs booktabs."""
    parts = ["% needs \\usepackage{booktabs}"]
    for number, (heading, table) in enumerate(_sections(findings), start=1):
        caption = f"{findings.title}. {heading}. {_note(findings)}"
        parts += [
            r"\begin{table*}",
            r"\centering\small",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{tab:board-{number}}}",
            latex_rows(_records(table)),
            r"\end{table*}",
            "",
        ]
    return "\n".join(parts)


def board_notebook(findings: BoardFindings) -> str:
    """Answer and all rows as HTML for notebooks."""
    return rows_html(findings.title, [str(each) for each in findings.answer], _records(measures_table(findings)))


def _sections(findings: BoardFindings) -> Iterator[tuple[str, Table]]:
    column = findings.columns[0]
    for index in range(len(column.leagues)):
        table = ranked_table(findings, index)
        if table is not None:
            yield f"Ranked together on {title_of(column)}" + (f", group {index + 1}" if index else ""), table
    unranked = unranked_table(findings)
    if unranked is not None:
        yield "Not ranked with them", unranked
    for history in findings.histories:
        yield f"{history.measure.title} of {history.system} by version", history_table(history)


def _note(findings: BoardFindings) -> str:
    corrections = sorted({str(league.correction) for column in findings.columns for league in column.leagues})
    return (
        "Values with confidence intervals; ranks are the ranges consistent with the corrected comparisons "
        f"({' or '.join(corrections)} across all pairs of a group, α = {level(findings.alpha)})"
    )


def _records(table: Table) -> list[dict[str, str]]:
    """Rows as dictionaries; heads that are equal get a number, since keys are unique."""
    heads: list[str] = []
    for head in table.heads:
        heads.append(head if head not in heads else f"{head} #{sum(each == head for each in table.heads)}")
    return [dict(zip(heads, map(one_line, row), strict=True)) for row in table.rows]


def _plain(text: str) -> str:
    """Text that ends no line and opens no HTML."""
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;")
