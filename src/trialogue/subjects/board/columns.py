"""Columns of a board: values of all entries, and a league for each set of conditions that several of them share.

Ranks and verdicts exist within a league only, and have passed the gate; a value outside the first league of its column says
why, in typed reasons.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.league import leagues
from trialogue.findings.standings import League, Measure
from trialogue.findings.threat import Severity, Threat, Validity, lowest_validity
from trialogue.findings.threats.gate import gate_leagues, threats_to, validity_of
from trialogue.findings.threats.users import separate_users
from trialogue.records import Estimate, PopulationKind, Reason, ReasonCode, Score
from trialogue.subjects.board.conditions import Conditions, differences
from trialogue.subjects.board.entries import ColumnKey, Entry
from trialogue.subjects.board.pooling import Pooled, Sampling, entry_difference, value_of
from trialogue.subjects.board.records import BoardCell, BoardColumn


def measure_of(entries: Sequence[Entry], key: ColumnKey) -> Measure:
    """The measure of a column, named after the simulated users where there are any; signatures are those of cells."""
    ordered = sorted(entries, key=lambda entry: entry.name)
    found = (run.columns[key] for entry in ordered for run in entry.runs if key in run.columns)
    measure, users = next(found).measure.model_copy(update={"signature": None}), key[1]
    return measure.with_simulated(users) if users is not None and measure.users is None else measure


def comparable(entries: Sequence[Entry], key: ColumnKey, values: Mapping[str, Pooled]) -> list[list[Entry]]:
    """Entries that one evaluation would compare, with a value, at least two in each group; the largest group first."""
    groups: dict[Conditions, list[list[Entry]]] = {}
    for entry in entries:
        conditions = entry.conditions(key)
        if conditions is None or values[entry.name].estimate.value is None:
            continue
        if len(entry.runs) == 1:
            parts = groups.setdefault(conditions.of_any_sample, [])
            linked = [part for part in parts if any(have_common_units(entry, other, key) for other in part)]
            parts[:] = [part for part in parts if part not in linked]
            parts.append([*(other for part in linked for other in part), entry])
        elif conditions.are_known:
            same = groups.setdefault(conditions.shared, [[]])
            same[0].append(entry)
    every = (group for parts in groups.values() for group in parts if len(group) > 1)
    return sorted(every, key=lambda group: (-len(group), group[0].name))


def have_common_units(a: Entry, b: Entry, key: ColumnKey) -> bool:
    """Whether two entries of one run each met some of the same situations or needs; of people, any will do."""
    one, other = a.runs[0], b.runs[0]
    if one.findings is other.findings:
        return True
    match one.met(one.columns[key].measure).kind_of:
        case PopulationKind.PEOPLE:
            return True
        case PopulationKind.SITUATIONS:
            return Pairing.of(one.side, other.side).shared > 0
        case _:
            tables = [table.model_copy(update={"system": run.run}) for run in (one, other) for table in run.side.tables]
            return not separate_users(tables, {one.run, other.run})


def league_of_group(
    group: Sequence[Entry],
    key: ColumnKey,
    values: Mapping[str, Pooled],
    measure: Measure,
    *,
    alpha: float,
    sampling: Sampling,
) -> League:
    """A league of comparable entries before the gate, as an evaluation of all of them makes it."""
    scores = []
    for entry in group:
        estimate = values[entry.name].estimate
        scores.append(Score.of_estimate(estimate, measure=measure.name, system=entry.name))
    for a, b in combinations(sorted(group, key=lambda entry: entry.name), 2):
        scores.append(
            Score.of_estimate(entry_difference(a, b, key, sampling), measure=measure.name, system=a.name, versus=b.name)
        )
    (league,) = leagues(scores, [measure], alpha=alpha)
    return league.model_copy(update={"measure": measure})


def gated_column(
    entries: Sequence[Entry],
    key: ColumnKey,
    values: Mapping[str, Pooled],
    own_leagues: Sequence[League],
    threats: Sequence[Threat],
) -> BoardColumn:
    """The column with what threats leave of its leagues, and the reasons of cells that the first league does not hold."""
    measure = measure_of(entries, key)
    concerning = [threat for threat in threats if threat.concerns_measure(measure.name)]
    gated = gate_leagues(own_leagues, concerning)
    places = {standing.system: (index, standing) for index, league in enumerate(gated) for standing in league.standings}
    known = {entry.name: entry.conditions(key) for entry in entries}
    valued = [name for name in known if known[name] is not None and values[name].estimate.value is not None]
    ranked_first = next((name for name in valued if name in places and places[name][0] == 0), None)
    cells = []
    for entry in entries:
        index, standing = places.get(entry.name, (None, None))
        own = known[entry.name]
        reference = ranked_first or next((name for name in valued if name != entry.name), None)
        conditions = known[reference] if reference is not None else None
        ranked = standing is not None and standing.rank_low is not None
        cells.append(
            BoardCell(
                row=entry.name,
                estimate=values[entry.name].estimate,
                runs=len(entry.runs),
                between=values[entry.name].between,
                signature=_signature(entry, key),
                conditions=own,
                rank_low=standing.rank_low if standing is not None else None,
                rank_high=standing.rank_high if standing is not None else None,
                group=index,
                why=() if ranked and index == 0 else tuple(_reasons(entry, values, own, conditions, concerning, index)),
                validity=validity_in_column(concerning, entry.name),
            )
        )
    return BoardColumn(measure=measure, cells=tuple(cells), leagues=gated)


def _reasons(
    entry: Entry,
    values: Mapping[str, Pooled],
    own: Conditions | None,
    others: Conditions | None,
    threats: Iterable[Threat],
    group: int | None,
) -> list[Reason]:
    estimate: Estimate = values[entry.name].estimate
    blocking = blocking_codes(threats, entry.name)
    if blocking:
        return [Reason.of(ReasonCode.BOARD_BLOCKED)]
    if estimate.value is None:
        return [Reason.of(ReasonCode.BOARD_UNDEFINED, estimate.why)]
    found = list(differences(own, others)) if own is not None and others is not None else []
    if found or group == 0:
        return found or [Reason.of(ReasonCode.BOARD_UNTESTED)]
    if own is not None and not own.are_known:
        return [Reason.of(ReasonCode.BOARD_POPULATION_UNKNOWN)]
    return [Reason.of(ReasonCode.BOARD_ALONE)]


def validity_in_column(threats: Iterable[Threat], row: str) -> Validity:
    """What threats leave of the verdicts about a row: one to a pair leaves those against other rows, conditionally."""
    own = list(threats_to(threats, row))
    return lowest_validity([validity_of(own, row), *([Validity.CONDITIONAL] if own else [])])


def blocking_codes(threats: Iterable[Threat], row: str) -> list[str]:
    """Codes of the threats that block every verdict about a row."""
    return list(
        dict.fromkeys(
            threat.code.value
            for threat in threats
            if threat.severity is Severity.BLOCKS and threat.concerns_system(row)
        )
    )


def _signature(entry: Entry, key: ColumnKey) -> str | None:
    league = entry.runs[0].columns.get(key)
    return league.measure.signature if league is not None else None


def worst_validity(columns: Iterable[BoardColumn], row: str) -> Validity:
    """What threats leave of the verdicts about a row on any column on which it has a value."""
    order = list(Validity)
    cells = (cell for column in columns for cell in column.cells if cell.row == row and cell.estimate.value is not None)
    return max((cell.validity for cell in cells), key=order.index, default=Validity.FIRM)


def values_of(entries: Sequence[Entry], key: ColumnKey) -> dict[str, Pooled]:
    """Values of all entries on a column, by row."""
    return {entry.name: value_of(entry, key) for entry in entries}
