"""Assemble the findings of a board: its columns with their leagues, threats, histories, and the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trialogue.findings.board.answer import board_answer
from trialogue.findings.board.columns import (
    comparable,
    gated_column,
    league_of_group,
    measure_of,
    values_of,
    worst_validity,
)
from trialogue.findings.board.entries import ColumnKey, Entry, with_declared_scales
from trialogue.findings.board.history import histories
from trialogue.findings.board.pooling import Pooled, Sampling
from trialogue.findings.board.records import BoardColumn, BoardFindings, BoardRow, LeftOut
from trialogue.findings.board.reported import ReportedRow, reported_cell, reported_row
from trialogue.findings.board.threats import board_threats, pooled_facts
from trialogue.findings.decision.verdict import leagues_under, raised_threats
from trialogue.findings.family import corrected_over_questions
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.standings import League
from trialogue.findings.threat import Validity
from trialogue.findings.titles import retitle, titles_of
from trialogue.records import Manifest, PopulationKind

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
    """Its title."""
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
