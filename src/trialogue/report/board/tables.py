"""Tables of a board, shared by page, terminal, Markdown and LaTeX."""

from collections.abc import Iterator, Sequence

from trialogue.findings.board.records import (
    BoardCell,
    BoardColumn,
    BoardFindings,
    BoardRow,
    History,
    HistoryPoint,
    RowOrigin,
)
from trialogue.findings.standings import League
from trialogue.findings.systems.answer import full_title
from trialogue.findings.threat import lowest_validity
from trialogue.findings.threats import Severity, Threat, Validity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import TEXTS, severity_heading
from trialogue.report.measures import ARROWS
from trialogue.report.numbers import MISSING, column_decimals, plain_p, ranks, render_estimate
from trialogue.report.table import Table

BASELINE = "baseline"
EFFECTS = {Validity.FIRM: "none", Validity.CONDITIONAL: "conditional", Validity.BLOCKED: "no verdict"}
"""What threats leave of the verdicts about a row."""
VERDICTS = {"a": "better", "b": "worse", "inconclusive": "not significantly different", "undefined": "no verdict"}
"""What a history says of a version against the baseline."""


def title_of(column: BoardColumn) -> str:
    """A measure's title with the arrow of its direction."""
    return f"{full_title(League(measure=column.measure, standings=()))} {ARROWS[column.measure.better]}".strip()


def ranked_table(findings: BoardFindings, index: int, *, short: bool = False, most: int | None = None) -> Table | None:
    """One league of the first column, best first; None if there is no such league.

    Args:
        findings: findings of the board.
        index: index of the league.
        short: leave out the other measures and the amount of data, for the first screen.
        most: rows; None: all.
    """
    column = findings.columns[0]
    if index >= len(column.leagues):
        return None
    standings = column.leagues[index].standings[:most]
    rows = [_row(findings, standing.system) for standing in standings]
    others = () if short else findings.columns[1:]
    amounts = () if short else ("Dialogues", "Runs")
    value = "Value" if short else title_of(column)
    heads = ("System", "Rank", value, *map(title_of, others), *amounts, "Threats")
    decimals = {each.measure.name: _decimals(each) for each in findings.columns}
    cells = []
    for row in rows:
        cell = column.cell(row.name)
        values = [_value(each.cell(row.name), decimals[each.measure.name], ranked=True) for each in others]
        amount = () if short else (_count(row.dialogues), str(len(row.runs)))
        cells.append(
            (
                row.name,
                ranks(cell.rank_low, cell.rank_high) or MISSING,
                _value(cell, decimals[column.measure.name]),
                *values,
                *amount,
                threats_text(findings, row),
            )
        )
    return Table(heads, tuple(cells))


def unranked_table(findings: BoardFindings) -> Table | None:
    """Rows that the first league of a measure does not rank, with every reason; None if all are ranked.

    A row without a value on a measure is listed only if it has none on any.
    """
    rows = []
    for column in findings.columns:
        decimals = _decimals(column)
        for row in findings.rows:
            cell = column.cell(row.name)
            is_empty = all(each.cell(row.name).estimate.value is None for each in findings.columns)
            if not cell.why or (cell.estimate.value is None and not (is_empty and column is findings.columns[0])):
                continue
            reasons = [_sentence(str(reason)) for reason in cell.why]
            if cell.rank_low is not None and cell.group:
                reasons.append(f"Rank {ranks(cell.rank_low, cell.rank_high)} in group {cell.group + 1}.")
            rows.append((row.name, title_of(column), _value(cell, decimals), "\n".join(reasons)))
    if not rows:
        return None
    table = Table(("System", "Measure", "Value", "Why not ranked with the others"), tuple(rows))
    return table if len(findings.columns) > 1 else table.drop_columns("Measure")


def measures_table(findings: BoardFindings) -> Table:
    """Every row on every measure, with its rank in its own group."""
    decimals = {each.measure.name: _decimals(each) for each in findings.columns}
    rows = tuple(
        (
            row.name,
            *(_value(each.cell(row.name), decimals[each.measure.name], ranked=True) for each in findings.columns),
        )
        for row in findings.rows
    )
    return Table(("System", *map(title_of, findings.columns)), rows)


def signatures_table(findings: BoardFindings) -> Table:
    """What made each row: system, version, runs, data, models, conditions and signature of the first measure."""
    column = findings.columns[0]
    rows = []
    for row in findings.rows:
        cell = column.cell(row.name)
        key = cell.conditions.key if cell.conditions is not None else MISSING
        runs = "\n".join(f"{run}: data {data}" for run, data in zip(row.runs, row.data, strict=False))
        reported = "\n".join(part for part in (row.source, *(f"data {data}" for data in row.data)) if part)
        origin = runs if row.origin is RowOrigin.RUN else reported
        rows.append(
            (row.name, row.version or MISSING, origin, ", ".join(row.models) or MISSING, key, cell.signature or MISSING)
        )
    return Table(("System", "Version", "Runs and data", "Models", "Conditions", "Signature"), tuple(rows))


def history_table(history: History) -> Table:
    """Versions in order, with the difference to the baseline and its verdict."""
    decimals = column_decimals([point.estimate for point in history.points])
    gaps = [point.contrast.difference for point in history.points if point.contrast is not None]
    spread = column_decimals(gaps)
    rows = []
    for point in history.points:
        contrast = point.contrast
        if contrast is None:
            said = (
                MISSING,
                MISSING,
                BASELINE if point.is_baseline else "\n".join(_sentence(str(why)) for why in point.why),
            )
        else:
            difference = render_estimate(contrast.difference, spread, sign=True)
            said = (difference, plain_p(contrast.p_adjusted), verdict_text(point))
        value = render_estimate(point.estimate, decimals)
        rows.append((point.version, value, str(point.runs), *said))
    heads = ("Version", "Value", "Runs", "Minus baseline", "p, corrected", "Against the baseline")
    return Table(heads, tuple(rows))


def verdict_text(point: HistoryPoint) -> str:
    """The verdict on a version against the baseline, with its condition."""
    contrast = point.contrast
    if contrast is None:
        return BASELINE if point.is_baseline else "not compared"
    text = VERDICTS[contrast.verdict]
    return f"{text}, conditional" if contrast.validity is Validity.CONDITIONAL and contrast.leader else text


def left_out_table(findings: BoardFindings) -> Table | None:
    """Runs that do not count; None if all do."""
    rows = tuple((each.run, each.system, each.version, _sentence(str(each.why))) for each in findings.left_out)
    return Table(("Run", "System", "Version", "Why it does not count"), rows) if rows else None


def threat_lists(findings: BoardFindings) -> list[tuple[str, list[str]]]:
    """(heading, sentences) for each severity that occurs."""
    titles = {column.measure.name: column.measure.title for column in findings.columns}
    lines = threat_lines(findings.threats, titles)
    grouped = [(each, [line.text for line in lines if line.severity is each]) for each in Severity]
    return [(severity_heading(severity), texts) for severity, texts in grouped if texts]


def threats_text(findings: BoardFindings, row: BoardRow) -> str:
    """The validity card of a row: what threats leave of its verdicts on the first measure, and which ones."""
    measure = findings.columns[0].measure.name
    counting = list(
        dict.fromkeys(
            threat.code for threat in counting_threats(findings, row.name) if threat.concerns_measure(measure)
        )
    )
    if row.origin is RowOrigin.REPORTED:
        return "unknown"
    # threats to pairs leave the row's own value firm, and make its verdicts against the other rows conditional
    validity = lowest_validity([findings.columns[0].cell(row.name).validity, Validity.CONDITIONAL])
    titles = ", ".join(TEXTS[code].title for code in counting)
    return f"{EFFECTS[validity]}: {titles}" if counting else EFFECTS[Validity.FIRM]


def counting_threats(findings: BoardFindings, row: str) -> Iterator[Threat]:
    """Threats to a row that block or demote."""
    for threat in findings.threats:
        if threat.severity is not Severity.NOTES and (
            threat.concerns_system(row) or (threat.is_of_pair and row in threat.systems)
        ):
            yield threat


def _row(findings: BoardFindings, name: str) -> BoardRow:
    return next(row for row in findings.rows if row.name == name)


def _decimals(column: BoardColumn) -> int:
    return column_decimals([cell.estimate for cell in column.cells])


def _value(cell: BoardCell, decimals: int, *, ranked: bool = False) -> str:
    """A value with its interval; with its rank where asked for."""
    text = render_estimate(cell.estimate, decimals)
    if ranked and cell.rank_low is not None:
        group = f", group {cell.group + 1}" if cell.group else ""
        return f"{text}\nrank {ranks(cell.rank_low, cell.rank_high)}{group}"
    return text


def _count(number: int | None) -> str:
    return MISSING if number is None else f"{number:,}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def summary_facts(findings: BoardFindings) -> Sequence[tuple[str, str]]:
    """(Number, what of) for the first screen."""
    own = [row for row in findings.rows if row.origin is RowOrigin.RUN]
    reported = len(findings.rows) - len(own)
    facts = [
        (str(len(own)), "rows from runs" if len(own) != 1 else "row from runs"),
        (str(sum(len(row.runs) for row in own)), "runs of systems"),
        (f"{findings.dialogues or 0:,}", "dialogues"),
    ]
    return [*facts, (str(reported), "reported by others")] if reported else facts
