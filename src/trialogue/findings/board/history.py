"""Histories: one measure of one system over its versions, each compared with a baseline version."""

from collections.abc import Sequence

from trialogue.findings.board.conditions import differences
from trialogue.findings.board.records import BoardCell, BoardColumn, BoardRow, History, HistoryPoint
from trialogue.findings.standings import Contrast
from trialogue.records import Reason, ReasonCode


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
