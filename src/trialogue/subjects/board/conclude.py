"""Assemble the findings of a board: its columns with their leagues, threats, histories, and the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trialogue.findings.decision.verdict import leagues_under, raised_threats, statements_under
from trialogue.findings.family import corrected_over_questions
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.records import Statement, StatementKind
from trialogue.findings.standings import Contrast, League
from trialogue.findings.systems.answer import answer
from trialogue.findings.threat import Threat, Validity
from trialogue.findings.threats.summary import conditional_sentence
from trialogue.findings.titles import retitle, titles_of
from trialogue.findings.wording import list_names, p_words, render_estimate, render_points
from trialogue.records import Estimate, Manifest, PopulationKind, Reason, ReasonCode
from trialogue.stats.ranking.order import best_of_equals
from trialogue.subjects.board.columns import (
    comparable,
    gated_column,
    league_of_group,
    measure_of,
    values_of,
    worst_validity,
)
from trialogue.subjects.board.conditions import differences
from trialogue.subjects.board.entries import ColumnKey, Entry, with_declared_scales
from trialogue.subjects.board.pooling import Pooled, Sampling
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
from trialogue.subjects.board.reported import ReportedRow, reported_cell, reported_row
from trialogue.subjects.board.threats import board_threats, pooled_facts


def histories(
    rows: Sequence[BoardRow], columns: Sequence[BoardColumn], versions: Sequence[str], baseline: str | None
) -> tuple[History, ...]:
    """A history for each system with several versions; different systems are not versions of one.

    Args:
        rows: rows that rest on runs.
        columns: the measures; a history is of the first one of which at least two of its versions have a value.
        versions: all versions, from the oldest to the latest.
        baseline: the version that others are compared with; None: there is no history.
    """
    if baseline is None:
        return ()
    by_system = []
    for system in dict.fromkeys(row.system for row in rows):
        ordered = sorted((row for row in rows if row.system == system), key=lambda row: versions.index(row.version))
        column = next((each for each in columns if _count_values(each, ordered) > 1), None)
        if len(ordered) > 1 and column is not None:
            points = tuple(_point(row, ordered, column, baseline) for row in ordered)
            by_system.append(History(system=system, measure=column.measure, points=points))
    return tuple(by_system)


def _count_values(column: BoardColumn, rows: Sequence[BoardRow]) -> int:
    return sum(column.cell(row.name).estimate.value is not None for row in rows)


def _point(row: BoardRow, rows: Sequence[BoardRow], column: BoardColumn, baseline: str) -> HistoryPoint:
    cell = column.cell(row.name)
    base = next((each for each in rows if each.version == baseline), None)
    point = HistoryPoint(row=row.name, version=row.version, estimate=cell.estimate, runs=cell.runs)
    if base is None:
        return point.model_copy(update={"why": (Reason.of(ReasonCode.BOARD_NO_BASELINE, baseline=baseline),)})
    if base.name == row.name:
        return point.model_copy(update={"is_baseline": True})
    contrast = _contrast(column, row.name, base.name)
    if contrast is not None:
        return point.model_copy(update={"contrast": contrast})
    return point.model_copy(update={"why": _reasons(cell, column.cell(base.name))})


def _contrast(column: BoardColumn, row: str, base: str) -> Contrast | None:
    """The contrast of a row with the baseline, turned if it is stored the other way round; None if none was tested."""
    for league in column.leagues:
        for each in league.contrasts:
            if {each.a, each.b} == {row, base}:
                return each if each.a == row else _turn_contrast(each)
    return None


def _turn_contrast(contrast: Contrast) -> Contrast:
    """The same contrast with both sides exchanged."""
    verdicts = {"a": "b", "b": "a"}
    return contrast.model_copy(
        update={
            "a": contrast.b,
            "b": contrast.a,
            "difference": contrast.difference.negate(),
            "verdict": verdicts.get(contrast.verdict, contrast.verdict),
        }
    )


def _reasons(cell: BoardCell, base: BoardCell) -> tuple[Reason, ...]:
    """Why two cells are in no common league."""
    for one in (cell, base):
        if one.estimate.value is None:
            return (Reason.of(ReasonCode.BOARD_UNDEFINED, one.estimate.why),)
    if cell.conditions is not None and base.conditions is not None:
        unequal = differences(cell.conditions, base.conditions)
        if unequal:
            return unequal
    return cell.why or base.why or (Reason.of(ReasonCode.BOARD_UNTESTED),)


FEWEST_TO_CHOOSE = 3  # rows: of two, the test of their difference says it
MAX_NAMED = 3  # rows or histories named in the answer; the tables have the others


def board_answer(
    rows: Sequence[BoardRow],
    columns: Sequence[BoardColumn],
    found: Sequence[History],
    threats: Sequence[Threat],
    protocol: DecisionProtocol | None = None,
    *,
    not_shown: Sequence[str] = (),
) -> tuple[Statement, ...]:
    """Statements, most important first: on the first column, on versions, and the verdicts of the other columns.

    Under a decision protocol, the answer rests on the first column alone.
    """
    column = columns[0]
    league = next(iter(column.leagues), None)
    statements: list[Statement] = []
    if league is not None:
        said = answer([league], None, threats, rests_on=league.measure.measured)
        statements += said if protocol is None else statements_under(protocol, league, said, threats)
    else:
        text = f"No two rows are comparable on {column.measure.title}: the table says why."
        statements.append(Statement(kind_of=StatementKind.VERDICT, text=text))
    statements += [Statement(text=text) for history in found[:MAX_NAMED] for text in _on_history(history, threats)]
    further = [] if protocol is not None else [each.leagues[0] for each in columns[1:] if each.leagues][: MAX_NAMED - 1]
    statements += [answer([each], None, threats, rests_on=each.measure.measured)[0] for each in further]
    beside = [*_selection_note(league), *_not_ranked(rows, column, league)]
    if not_shown:
        beside.append(f"Not shown: {list_names(not_shown)}. Choose measures with --on.")
    return (*statements, *(Statement(kind_of=StatementKind.SCOPE, text=text) for text in beside))


def _selection_note(league: League | None) -> Iterator[str]:
    """That the first of several rows was chosen by the values it is shown with."""
    count = len(league.standings) if league is not None and league.measure.better != "neither" else 0
    if league is not None and count >= FEWEST_TO_CHOOSE and league.standings[0].rank_low is not None:
        yield (
            f"{league.standings[0].system} is the first of {count} rows by the values shown: the best of {count} equal ones "
            f"looks {best_of_equals(count):.1f} standard errors too good, so confirm its value on fresh needs, situations "
            "or people."
        )


def _not_ranked(rows: Sequence[BoardRow], column: BoardColumn, league: League | None) -> Iterator[str]:
    """Rows with a value that are ranked with none of the first league, with the first reason of each."""
    ranked = {each.system for each in league.standings} if league is not None else set()
    left = [cell for cell in column.cells if cell.why and cell.estimate.value is not None and cell.row not in ranked]
    own = {row.name for row in rows if row.origin is RowOrigin.RUN}
    for names, what in ((own, "Not ranked with the others"), (None, "Reported by others, and not ranked")):
        cells = [cell for cell in left if (cell.row in own) == (names is not None)]
        if cells:
            shown = "; ".join(f"{cell.row} ({cell.why[0]})" for cell in cells[:MAX_NAMED])
            more = f"; and {len(cells) - MAX_NAMED} more" if len(cells) > MAX_NAMED else ""
            lead = what if league is not None or names is None else f"On {column.measure.title}, apart"
            yield f"{lead}: {shown}{more}."


def _on_history(history: History, threats: Sequence[Threat]) -> Iterator[str]:
    """The last version that is comparable with the baseline, against it."""
    base = next((point for point in history.points if point.is_baseline), None)
    last = next((point for point in reversed(history.points) if point.contrast is not None), None)
    if base is None or last is None:
        return  # why is among the rows that are not ranked
    text = version_sentence(history, last, base)
    contrast = last.contrast
    assert contrast is not None
    if contrast.validity is Validity.CONDITIONAL and contrast.leader is not None:
        concerning = [
            threat
            for threat in threats
            if threat.concerns_measure(history.measure.name)
            and threat.concerns_pair(contrast.a, contrast.b, ahead=contrast.leader)
        ]
        text = conditional_sentence(text, concerning)
    yield text


def version_sentence(history: History, point: HistoryPoint, base: HistoryPoint) -> str:
    """What a version's comparison with the baseline says."""
    contrast = point.contrast
    assert contrast is not None
    size = effect(history, contrast.difference, contrast.p_adjusted)
    match contrast.verdict:
        case "a":
            said = f"is significantly better than the baseline {base.row}"
        case "b":
            said = f"is significantly worse than the baseline {base.row}"
        case "inconclusive":
            said = f"does not differ significantly from the baseline {base.row}"
        case _:
            return (
                f"There is no verdict on {point.row} against the baseline {base.row}: a threat blocks it, or nothing could "
                "be tested."
            )
    return f"{point.row} {said} (difference {size})."


def effect(history: History, difference: Estimate, p: float | None) -> str:
    """A difference with interval and corrected p; that of shares in percentage points."""
    size = render_points(difference) if history.measure.is_share else render_estimate(difference)
    return size + (f", p {p_words(p)}" if p is not None else "")


METHODS = (
    "Rows are ranked together only if measure, labels, calibration, treatment of failures, scale, raters, exclusions and "
    "kind of users are all the same, and some of the needs or situations; other rows say what differs. Verdicts on two rows "
    "are conditional if none of their people met both systems: the data do not record that people were assigned at random.",
    "Differences are computed as by trialogue evaluate and trialogue compare: paired by situation, need or person where "
    "both rows met the same. p-values, simultaneous intervals and ranks are of one family, the pairs of a group.",
)
POOLED = (
    "Values of several runs are means over runs with equal weights. Runs (seeds, prompts) and units (users, situations) are "
    "two random factors (Searle, Casella and McCulloch 1992); degrees of freedom are Satterthwaite's. One run says nothing "
    "about other seeds, so its interval covers users or situations only."
)


@dataclass(frozen=True)
class BoardSettings:
    """Settings of a board."""

    title: str = "Board"
    baseline: str | None = None
    """Version that the histories of systems are compared with; None: there are no histories."""
    alpha: float = 0.05
    """Level of the verdicts."""
    is_declared: bool = False
    """Whether somebody said which measures decide; else p-values of people's questions are corrected over them."""
    protocol: DecisionProtocol | None = None
    """The decision protocol whose primary measure is the first column; None: there is none."""
    sampling: Sampling = field(default_factory=Sampling)
    """Settings of permutation tests."""


def conclude_board(
    entries: Sequence[Entry],
    keys: Sequence[ColumnKey],
    external_rows: Mapping[str, ReportedRow],
    excluded_runs: Sequence[LeftOut],
    *,
    versions: Sequence[str],
    not_shown: Sequence[str] = (),
    manifest: Manifest,
    settings: BoardSettings,
) -> BoardFindings:
    """Findings of a board.

    Args:
        entries: one or more rows that rest on runs, in the order of their names.
        keys: keys of the columns; the answer rests on the first one.
        external_rows: rows of values that others report, by the name of the row.
        excluded_runs: runs that are not on the board, with reasons.
        versions: all versions, from the oldest to the latest.
        not_shown: titles of measures that could decide, and have no column.
        manifest: record of how the board was made.
        settings: settings of the analysis.
    """
    entries = with_declared_scales(entries)
    values = {key: values_of(entries, key) for key in keys}
    leagues = {key: _leagues(entries, key, values[key], settings) for key in keys}
    if not settings.is_declared:
        corrected = iter(
            corrected_over_questions([each for own in leagues.values() for each in own], alpha=settings.alpha)
        )
        leagues = {key: [next(corrected) for _ in own] for key, own in leagues.items()}
    if (protocol := settings.protocol) is not None:
        under = iter(leagues_under(protocol, [each for own in leagues.values() for each in own]))
        leagues = {key: [next(under) for _ in own] for key, own in leagues.items()}
    names = _column_names(entries, keys)
    all_leagues = [league for own in leagues.values() for league in own]
    threats = board_threats(
        entries,
        {key: measure_of(entries, key).name for key in keys},
        all_leagues,
        names,
        alpha=settings.alpha,
        protocol=settings.protocol,
    )
    threats = raised_threats(protocol, threats)
    titles = titles_of(measure_of(entries, key) for key in keys)
    columns = [_retitle_column(gated_column(entries, key, values[key], leagues[key], threats), titles) for key in keys]
    order = _order(entries, columns[0])
    own_rows = sorted((_row(entry, columns) for entry in entries), key=lambda row: order.index(row.name))
    rows = [*own_rows, *(reported_row(row, name) for name, row in external_rows.items())]
    columns_with_external = tuple(_with_external(column, order, external_rows) for column in columns)
    version_histories = histories([row for row in rows if row.runs], columns, versions, settings.baseline)
    pooled = any(len(entry.runs) > 1 for entry in entries)
    return BoardFindings(
        title=settings.title,
        answer=board_answer(rows, columns_with_external, version_histories, threats, protocol, not_shown=not_shown),
        rows=tuple(rows),
        dialogues=_distinct_dialogues(entries, keys[0]),
        columns=columns_with_external,
        histories=version_histories,
        baseline=settings.baseline if version_histories else None,
        threats=threats,
        left_out=tuple(excluded_runs),
        methods=(*METHODS, POOLED) if pooled else METHODS,
        alpha=settings.alpha,
        manifest=manifest,
    )


def _retitle_column(column: BoardColumn, titles: dict[str, str]) -> BoardColumn:
    measure = retitle(column.measure, titles)
    leagues = tuple(each.model_copy(update={"measure": measure}) for each in column.leagues)
    return column.model_copy(update={"measure": measure, "leagues": leagues})


def _leagues(
    entries: Sequence[Entry], key: ColumnKey, values: Mapping[str, Pooled], settings: BoardSettings
) -> list[League]:
    measure = measure_of(entries, key)
    return [
        league_of_group(group, key, values, measure, alpha=settings.alpha, sampling=settings.sampling)
        for group in comparable(entries, key, values)
    ]


def _column_names(entries: Sequence[Entry], keys: Sequence[ColumnKey]) -> dict[str, dict[str, str]]:
    """By run, the board's name of each of the run's measures that has a column here."""
    titles = {key: measure_of(entries, key).name for key in keys}
    return {
        run.run: {league.measure.name: titles[own] for own, league in run.columns.items() if own in titles}
        for entry in entries
        for run in entry.runs
    }


def _order(entries: Sequence[Entry], column: BoardColumn) -> list[str]:
    """Names of the rows in the order of the page: league by league, then those with a value, then the others."""
    ranked = [standing.system for league in column.leagues for standing in league.standings]
    rest = sorted(
        (entry.name for entry in entries if entry.name not in ranked),
        key=lambda name: (column.cell(name).estimate.value is None, name),
    )
    return [*ranked, *rest]


def _row(entry: Entry, columns: Sequence[BoardColumn]) -> BoardRow:
    facts = pooled_facts(entry)
    return BoardRow(
        name=entry.name,
        system=entry.system,
        version=entry.version,
        runs=tuple(run.run for run in entry.runs),
        data=tuple(run.findings.manifest.data_hash for run in entry.runs),
        dialogues=facts.dialogues,
        simulated=facts.simulated,
        people=facts.people,
        models=facts.models,
        validity=worst_validity(columns, entry.name) if columns else Validity.FIRM,
    )


def _distinct_dialogues(entries: Sequence[Entry], key: ColumnKey) -> int:
    """Different dialogues behind the first column: those from which the same situations were cut count once."""
    dialogues, cut_from = 0, dict[str, tuple[str, str]]()
    for run in (run for entry in entries for run in entry.runs):
        league, answered = run.columns.get(key), run.side.answered
        is_of_replies = league is not None and run.met(league.measure).kind_of is PopulationKind.SITUATIONS
        if is_of_replies and answered is not None:
            for content, cluster in zip(answered.contents, answered.clusters, strict=True):
                cut_from.setdefault(content, (run.run, cluster))
        else:
            dialogues += run.facts.dialogues
    return dialogues + len(set(cut_from.values()))


def _with_external(column: BoardColumn, order: Sequence[str], external_rows: Mapping[str, ReportedRow]) -> BoardColumn:
    """A column with its cells in the order of the rows, those of external rows last."""
    own = [column.cell(name) for name in order]
    external = [reported_cell(row, name, column) for name, row in external_rows.items()]
    return column.model_copy(update={"cells": (*own, *external)})
