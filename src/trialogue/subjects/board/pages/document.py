"""What a board says: rows that are ranked together, those that are not and why, versions against a baseline, and threats."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias, TypeVar

from trialogue.findings import Standing, StatementKind
from trialogue.findings.threats import Threat, Validity
from trialogue.findings.threats.gate import threats_to
from trialogue.findings.threats.texts import TEXTS
from trialogue.records import Estimate
from trialogue.records.files.opening import write_text
from trialogue.records.runs import writes_run
from trialogue.render.document import (
    PAGES,
    Column,
    Document,
    Medium,
    Part,
    Section,
    Sentences,
    Table,
    from_estimate,
    in_files,
)
from trialogue.render.long_names import with_short_names
from trialogue.render.measures import ARROWS
from trialogue.render.media.files import write_files
from trialogue.render.numbers import column_decimals, level, plain_p, ranks, with_decimals
from trialogue.render.plots.base import Figure
from trialogue.subjects.board.pages.figure import history_figure
from trialogue.subjects.board.records import (
    BoardCell,
    BoardColumn,
    BoardFindings,
    BoardRow,
    History,
    HistoryPoint,
    LeftOut,
    RowOrigin,
)
from trialogue.subjects.board.reported import FORMAT

T = TypeVar("T")
Valued: TypeAlias = "tuple[BoardRow, BoardColumn]"
"""A row on a measure."""
MAX_FIRST = 8  # rows on the first screen; the fold below has all
LONGEST_NAME = 24  # columns of a name on a terminal
ROWS = "rows.json"
PAGE = frozenset({Medium.PAGE})
SCREENS = frozenset({Medium.PAGE, Medium.TERMINAL})
BASELINE = "baseline"
EFFECTS = {Validity.FIRM: "none", Validity.CONDITIONAL: "conditional", Validity.BLOCKED: "no verdict"}
"""What threats leave of the verdicts about a row."""
VERDICTS = {"a": "better", "b": "worse", "inconclusive": "not significantly different", "undefined": "no verdict"}
"""What a history says of a version against the baseline."""
CONDITIONS = "Conditions: a hash of everything that two values must share to be ranked together."
RANK = (
    "Rank: the range consistent with the corrected comparisons, for all rows of a group simultaneously. Rows of different "
    "groups are not comparable."
)


def board_document(found: BoardFindings) -> Document:
    """The document of a board; its files have the whole names of rows, people read short ones."""
    shown = with_short_names(found, [name for row in found.rows for name in (row.name, row.version, row.system)])
    first, *others = shown.answer
    column = shown.columns[0]
    leagues = [_league(shown, index) for index in range(len(column.leagues))]
    figures = _figures(shown)
    return Document(
        name="board",
        brand="board",
        title=shown.title,
        answer=[first.text, *(each.text for each in others if each.kind_of not in FOLDED)],
        further=[each.text for each in others if each.kind_of is StatementKind.VERDICT],
        against=[each.text for each in others if each.kind_of is StatementKind.SCOPE],
        first=list(_first(shown)),
        facts=_facts(shown),
        sections=[
            Section("Leaderboard", [*leagues, Sentences([RANK] if leagues else [], where=PAGE)], "leagues"),
            Section("Not ranked with the others, and why", [_rows_apart(shown)], "unranked"),
            *(
                Section(_heading(history), [figure, _history(history)], f"history-{number}")
                for number, (history, figure) in enumerate(zip(shown.histories, figures, strict=True), start=1)
            ),
            Section("Every row on every measure", [_measures(shown)], "measures", where=PAGE),
            Section("Runs that do not count", [_left_out(shown)], "left-out", where=SCREENS),
            Section("Runs, data and signatures", [_signatures(shown)], "signatures", where=PAGE),
            Section("Files", [_values(found), *map(_versions, found.histories)], where=frozenset()),
        ],
        threats=shown.threats,
        titles={each.measure.name: each.measure.title for each in shown.columns},
        methods=shown.methods,
        beside=[ROWS],
        paper="leaderboard",
        is_folded=True,
        record=found,
        manifest=found.manifest,
    )


FOLDED = (StatementKind.VERDICT, StatementKind.SCOPE)
"""Statements that do not follow the answer: further verdicts are folded, and what is not ranked has a place of its own."""


@writes_run()
def write_board(findings: BoardFindings, folder: Path) -> Path:
    """Write the document and ``rows.json``; returns the path of the page."""
    write_text(folder / ROWS, rows_json(findings))
    return write_files(board_document(findings), folder)


def _first(found: BoardFindings) -> Iterator[Part]:
    """The best of the first league and the first history; rows that are not comparable where there is no league."""
    column = found.columns[0]
    yield _league(found, 0, short=True) if column.leagues else _rows_apart(found)
    figures = (history_figure(history, verdict_text, narrow=True) for history in found.histories)
    yield next((each for each in figures if each is not None), None)


def _figures(found: BoardFindings) -> list[Figure | None]:
    """A figure for each history; equal names get a number."""
    figures = [history_figure(history, verdict_text) for history in found.histories]
    names = [each.name if each else "" for each in figures]
    return [
        each and each.rename(f"{each.name}-{names[:place].count(each.name) + 1}")
        if each and each.name in names[:place]
        else each
        for place, each in enumerate(figures)
    ]


def title_of(column: BoardColumn) -> str:
    """A measure's title with the arrow of its direction."""
    return f"{column.measure.title} {ARROWS[column.measure.better]}".strip()


def _heading(history: History) -> str:
    return f"{history.measure.title} of {history.system} by version"


def _league(found: BoardFindings, index: int, *, short: bool = False) -> Table[Standing]:
    """One league of the first column, best first; ``short``: its best rows without other measures and amounts."""
    column = found.columns[0]
    standings = column.leagues[index].standings
    group = f", group {index + 1}" if len(column.leagues) > 1 else ""
    label = f"Ranked together on {title_of(column)}{group}"
    more = len(standings) - MAX_FIRST if short else 0
    of_row = {row.name: row for row in found.rows}

    def row(standing: Standing) -> BoardRow:
        return of_row[standing.system]

    return Table(
        label,
        standings[:MAX_FIRST] if short else standings,
        [
            Column("System", lambda each: each.system, longest=LONGEST_NAME),
            Column("Rank", lambda each: _ranks(column.cell(each.system))),
            _value(column, lambda each: column.cell(each.system), "Value" if short else title_of(column)),
            *(_ranked_value(each, lambda one: one.system) for each in found.columns[1:] if not short),
            Column("Dialogues", lambda each: None if short else row(each).dialogues, where=PAGES),
            Column("Runs", lambda each: None if short else len(row(each).runs), where=PAGES),
            Column("Threats", lambda each: _threats(found, row(each))),
        ],
        heading=f"{label}:",
        lead=label if short or group else "",
        note=f"And {more} more in the leaderboard below." if more > 0 else "",
        caption=f"{found.title}. {label}. {_note(found)}",
    )


def _ranks(cell: BoardCell) -> str | None:
    return ranks(cell.rank_low, cell.rank_high) or None


def _value(column: BoardColumn, cell: Callable[[T], BoardCell], head: str) -> Column[T]:
    """A measure with the decimals that its values share."""
    write = with_decimals(column_decimals([each.estimate for each in column.cells]))
    return Column(head, lambda row: cell(row).estimate, write)


def _ranked_value(column: BoardColumn, name: Callable[[T], str]) -> Column[T]:
    """A measure beside others, with the rank in the row's own group."""
    write = with_decimals(column_decimals([each.estimate for each in column.cells]))

    def text(row: T) -> str:
        cell = column.cell(name(row))
        group = f", group {cell.group + 1}" if cell.group else ""
        rank = f"\nrank {ranks(cell.rank_low, cell.rank_high)}{group}" if cell.rank_low is not None else ""
        return write(cell.estimate) + rank

    return Column(title_of(column), text, where=PAGES)


def _rows_apart(found: BoardFindings) -> Table[Valued]:
    """Rows that the first league of a measure does not rank, with every reason.

    A row without a value on a measure is listed only if it has none on any.
    """
    rows = [(row, column) for column in found.columns for row in found.rows if _is_apart(found, row, column)]
    decimals = {each.measure.name: column_decimals([cell.estimate for cell in each.cells]) for each in found.columns}
    return Table(
        "Rows that are not ranked, with the reasons",
        rows,
        [
            Column("System", lambda each: each[0].name, longest=LONGEST_NAME),
            Column("Measure", lambda each: title_of(each[1]) if len(found.columns) > 1 else None),
            Column("Value", lambda each: with_decimals(decimals[each[1].measure.name])(_cell(each).estimate)),
            Column("Why not ranked with the others", lambda each: "\n".join(_reasons(_cell(each)))),
        ],
        heading="Not ranked with them:",
        caption=f"{found.title}. Not ranked with them.",
    )


def _is_apart(found: BoardFindings, row: BoardRow, column: BoardColumn) -> bool:
    cell = column.cell(row.name)
    is_empty = all(each.cell(row.name).estimate.value is None for each in found.columns)
    return bool(cell.why) and (cell.estimate.value is not None or (is_empty and column is found.columns[0]))


def _cell(valued: Valued) -> BoardCell:
    row, column = valued
    return column.cell(row.name)


def _reasons(cell: BoardCell) -> Iterator[str]:
    yield from (_sentence(str(reason)) for reason in cell.why)
    if cell.rank_low is not None and cell.group:
        yield f"Rank {ranks(cell.rank_low, cell.rank_high)} in group {cell.group + 1}."


def _measures(found: BoardFindings) -> Table[BoardRow] | None:
    """Every row on every measure, with its rank in its own group; None of one measure."""
    if len(found.columns) < 2:
        return None
    columns: list[Column[BoardRow]] = [_ranked_value(each, lambda row: row.name) for each in found.columns]
    return Table("Every row on every measure", found.rows, [Column("System", lambda row: row.name), *columns])


def _signatures(found: BoardFindings) -> Table[BoardRow]:
    """What made each row."""
    cell = found.columns[0].cell
    return Table(
        "Runs, data and signatures",
        found.rows,
        [
            Column("System", lambda row: row.name),
            Column("Version", lambda row: row.version or None),
            Column("Runs and data", _origin),
            Column("Models", lambda row: ", ".join(row.models) or None),
            Column("Conditions", lambda row: (made := cell(row.name).conditions) and made.key),
            Column("Signature", lambda row: cell(row.name).signature),
        ],
        lead=CONDITIONS,
    )


def _origin(row: BoardRow) -> str:
    if row.origin is RowOrigin.RUN:
        return "\n".join(f"{run}: data {data}" for run, data in zip(row.runs, row.data, strict=False))
    return "\n".join(part for part in (row.source, *(f"data {data}" for data in row.data)) if part)


def _history(history: History) -> Table[HistoryPoint]:
    """Versions in order, with the difference to the baseline and its verdict."""
    gaps = [each.contrast.difference for each in history.points if each.contrast is not None]
    return Table(
        f"History of {history.system}",
        history.points,
        [
            Column("Version", lambda each: each.version, longest=LONGEST_NAME),
            Column("Value", lambda each: each.estimate),
            Column("Runs", lambda each: each.runs),
            Column("Minus baseline", _difference, with_decimals(column_decimals(gaps), sign=True)),
            Column("p, corrected", _p, plain_p),
            Column("Against the baseline", verdict_text),
        ],
        heading=f"{_heading(history)}:",
        caption=f"{_heading(history)}, each version less the baseline, with p-values corrected across all pairs.",
    )


def _difference(point: HistoryPoint) -> Estimate | None:
    return point.contrast.difference if point.contrast is not None else None


def _p(point: HistoryPoint) -> float | None:
    return point.contrast.p_adjusted if point.contrast is not None else None


def verdict_text(point: HistoryPoint) -> str:
    """The verdict on a version against the baseline with its condition, or why there is none."""
    contrast = point.contrast
    if contrast is None:
        return BASELINE if point.is_baseline else "\n".join(_sentence(str(why)) for why in point.why)
    text = VERDICTS[contrast.verdict]
    return f"{text}, conditional" if contrast.validity is Validity.CONDITIONAL and contrast.leader else text


def _left_out(found: BoardFindings) -> Table[LeftOut]:
    return Table(
        "Runs that do not count",
        found.left_out,
        [
            Column("Run", lambda each: each.run, longest=LONGEST_NAME),
            Column("System", lambda each: each.system),
            Column("Version", lambda each: each.version),
            Column("Why it does not count", lambda each: _sentence(str(each.why))),
        ],
        heading="Runs that do not count:",
    )


def _threats(found: BoardFindings, row: BoardRow) -> str:
    """The validity card of a row: what threats leave of its verdicts on the first measure, and which ones."""
    if row.origin is RowOrigin.REPORTED:
        return "unknown"
    titles = ", ".join(dict.fromkeys(TEXTS[each.code].title for each in _threats_on(found, (row, found.columns[0]))))
    effect = EFFECTS[found.columns[0].cell(row.name).validity]
    return f"{effect}: {titles}" if titles else effect


def _threats_on(found: BoardFindings, valued: Valued) -> Iterator[Threat]:
    row, column = valued
    yield from threats_to((each for each in found.threats if each.concerns_measure(column.measure.name)), row.name)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _note(found: BoardFindings) -> str:
    corrections = sorted({str(league.correction) for column in found.columns for league in column.leagues})
    return (
        "Values with confidence intervals; ranks are the ranges consistent with the corrected comparisons "
        f"({' or '.join(corrections)} across all pairs of a group, α = {level(found.alpha)})"
    )


def _facts(found: BoardFindings) -> list[tuple[int, str, str]]:
    own = [row for row in found.rows if row.origin is RowOrigin.RUN]
    return [
        (len(own), "row from runs", "rows from runs"),
        (sum(len(row.runs) for row in own), "run of a system", "runs of systems"),
        (found.dialogues or 0, "dialogue", "dialogues"),
        (len(found.rows) - len(own), "reported by others", "reported by others"),
    ]


def _values(found: BoardFindings) -> Table[Valued]:
    """The leaderboard in a file: one value a line; ``why`` are codes of reasons, ``reasons`` their texts."""
    return Table(
        "",
        [(row, column) for row in found.rows for column in found.columns],
        [
            *in_files(
                row=lambda on: on[0].name, system=lambda on: on[0].system, version=lambda on: on[0].version,
                origin=lambda on: on[0].origin.value, measure=lambda on: on[1].measure.measured,
                users=lambda on: on[1].measure.users,
            ),
            *from_estimate(lambda on: _cell(on).estimate, value="value", low="low", high="high"),
            *from_estimate(lambda on: _cell(on).estimate, confidence="confidence"),
            *in_files(n=lambda on: _cell(on).estimate.n or None),
            *from_estimate(lambda on: _cell(on).estimate, clusters="clusters"),
            *in_files(
                runs=lambda on: _cell(on).runs, between_runs=lambda on: _cell(on).between,
                group=lambda on: None if (group := _cell(on).group) is None else group + 1,
                rank_low=lambda on: _cell(on).rank_low, rank_high=lambda on: _cell(on).rank_high,
                validity=lambda on: _cell(on).validity.value,
                why=lambda on: "; ".join(each.code.value for each in _cell(on).why),
                reasons=lambda on: "; ".join(map(str, _cell(on).why)),
                threats=lambda on: "; ".join(sorted({each.code.value for each in _threats_on(found, on)})),
                key=lambda on: (made := _cell(on).conditions) and made.key, signature=lambda on: _cell(on).signature,
                data=lambda on: "; ".join(on[0].data), dialogues=lambda on: on[0].dialogues,
                people=lambda on: on[0].people, simulated=lambda on: on[0].simulated, source=lambda on: on[0].source,
            ),
        ],
        file="leaderboard",
    )  # fmt: skip


def _versions(history: History) -> Table[HistoryPoint]:
    """A history in a file: one version a line; the difference is the version less the baseline."""
    verdicts = {"a": "better", "b": "worse"}
    columns: list[Column[HistoryPoint]] = [
        *in_files(
            system=lambda _: history.system, measure=lambda _: history.measure.measured,
            users=lambda _: history.measure.users, version=lambda at: at.version, row=lambda at: at.row,
            runs=lambda at: at.runs,
        ),
        *from_estimate(lambda at: at.estimate, value="value", low="low", high="high"),
        *in_files(is_baseline=lambda at: at.is_baseline),
        *from_estimate(_difference, value="difference", low="difference_low", high="difference_high"),
        *in_files(
            p_adjusted=_p,
            verdict=lambda at: at.contrast and verdicts.get(at.contrast.verdict, at.contrast.verdict),
            validity=lambda at: at.contrast and at.contrast.validity.value,
            why=lambda at: "; ".join(reason.code.value for reason in at.why),
            reasons=lambda at: "; ".join(map(str, at.why)),
        ),
    ]  # fmt: skip
    return Table("", history.points, columns, file="history")


def rows_json(findings: BoardFindings) -> str:
    """The board's own rows in the schema of reported rows, for the boards of others."""
    values = _values(findings).tidy()
    rows = [
        {
            "system": row.system,
            "version": row.version,
            "source": f"{findings.title}: {', '.join(row.runs)}",
            "data": "+".join(row.data),
            **({"dialogues": row.dialogues} if row.dialogues else {}),
            "values": [
                {name: each[name] for name in REPORTED if each[name] is not None}
                for each in values
                if each["row"] == row.name and each["value"] is not None
            ],
        }
        for row in findings.rows
        if row.origin is RowOrigin.RUN
    ]
    kept = [row for row in rows if row["values"]]
    return json.dumps({"format": FORMAT, "v": 1, "rows": kept}, ensure_ascii=False, indent=1) + "\n"


REPORTED = ("measure", "value", "users", "low", "high", "confidence", "n", "runs", "signature", "key")
"""What others read of a value."""
