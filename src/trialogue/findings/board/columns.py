"""Columns of a board: values of all entries, and a league for each set of conditions that several of them share.

Ranks and verdicts exist within a league only, and have passed the gate; a value outside the first league of its column says
why, in typed reasons.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from trialogue.findings.board.conditions import Conditions, differences
from trialogue.findings.board.entries import ColumnKey, Entry
from trialogue.findings.board.pooling import Pooled, Sampling, entry_difference, value_of
from trialogue.findings.board.records import BoardCell, BoardColumn
from trialogue.findings.league_verdicts import verdict, with_ranks
from trialogue.findings.standings import Contrast, League, Measure, Standing
from trialogue.findings.threat import Severity, Threat, Validity
from trialogue.findings.threats.gate import gate_leagues, validity_of
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import holm
from trialogue.stats.comparison.families import FamilyMethod


def measure_of(entries: Sequence[Entry], key: ColumnKey) -> Measure:
    """The measure of a column, named after the simulated users where there are any; signatures are those of cells."""
    ordered = sorted(entries, key=lambda entry: entry.name)
    leagues = (run.columns[key] for entry in ordered for run in entry.runs if key in run.columns)
    measure, users = next(leagues).measure.model_copy(update={"signature": None}), key[1]
    return measure.with_simulated(users) if users is not None and measure.users is None else measure


def comparable(entries: Sequence[Entry], key: ColumnKey, values: Mapping[str, Pooled]) -> list[list[Entry]]:
    """Entries with equal conditions and a value, at least two in each group; the largest group first."""
    groups: dict[Conditions, list[Entry]] = {}
    for entry in entries:
        conditions = entry.conditions(key)
        if conditions is None or values[entry.name].estimate.value is None:
            continue
        if conditions.are_known or len({run.run for run in entry.runs}) == 1:
            groups.setdefault(_within_run(conditions, entry), []).append(entry)
    return sorted(
        (group for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group[0].name)
    )


def _within_run(conditions: Conditions, entry: Entry) -> Conditions:
    """Conditions with a run in place of an unknown population: systems of one run are compared as the run compares them."""
    if conditions.are_known:
        return conditions.shared
    met = tuple(each.model_copy(update={"sample": f"run {entry.runs[0].run}"}) for each in conditions.met)
    return conditions.model_copy(update={"met": met})


def league_of_group(
    group: Sequence[Entry],
    key: ColumnKey,
    values: Mapping[str, Pooled],
    measure: Measure,
    *,
    alpha: float,
    sampling: Sampling,
) -> League:
    """A league of comparable entries before the gate: every pair tested, p-values corrected by Holm's method.

    Where the entries are all systems of one run, its own comparisons stand, with the correction that the run reports.
    """
    own = _own_contrasts(group, key)
    if own is not None:
        return _ordered_league(group, values, measure, *own)
    pairs = list(combinations(sorted(group, key=lambda entry: entry.name), 2))
    gaps = [entry_difference(a, b, key, sampling) for a, b in pairs]
    contrasts = tuple(
        Contrast(
            a=a.name,
            b=b.name,
            difference=gap,
            p_adjusted=p,
            verdict=verdict(gap.value, p, better=measure.better, alpha=alpha),
        )
        for (a, b), gap, p in zip(pairs, gaps, holm([gap.p for gap in gaps]), strict=True)
    )
    return _ordered_league(group, values, measure, contrasts, FamilyMethod.HOLM)


def _own_contrasts(group: Sequence[Entry], key: ColumnKey) -> tuple[tuple[Contrast, ...], FamilyMethod] | None:
    """The comparisons of one run, where the entries are all systems that it has a value of; None otherwise."""
    runs = [run for entry in group for run in entry.runs]
    league = runs[0].columns[key]
    valued = {each.system for each in league.standings if each.estimate.value is not None}
    if any(run.findings is not runs[0].findings for run in runs) or {run.side.system for run in runs} != valued:
        return None
    names = {run.side.system: run.side.name for run in runs}
    kept = [each for each in league.contrasts if each.a in names and each.b in names]
    contrasts = tuple(each.model_copy(update={"a": names[each.a], "b": names[each.b]}) for each in kept)
    return contrasts, league.correction


def _ordered_league(
    group: Sequence[Entry],
    values: Mapping[str, Pooled],
    measure: Measure,
    contrasts: tuple[Contrast, ...],
    correction: FamilyMethod,
) -> League:
    sign = -1.0 if measure.better == "higher" else 1.0
    ordered = sorted(group, key=lambda entry: (sign * (values[entry.name].estimate.value or 0.0), entry.name))
    standings = tuple(Standing(system=entry.name, estimate=values[entry.name].estimate) for entry in ordered)
    return League(
        measure=measure,
        standings=with_ranks(standings, contrasts, better=measure.better),
        contrasts=contrasts,
        correction=correction,
    )


def gated_column(
    entries: Sequence[Entry],
    key: ColumnKey,
    values: Mapping[str, Pooled],
    leagues: Sequence[League],
    threats: Sequence[Threat],
) -> BoardColumn:
    """The column with what threats leave of its leagues, and the reasons of cells that the first league does not hold."""
    measure = measure_of(entries, key)
    concerning = [threat for threat in threats if threat.concerns_measure(measure.name)]
    gated = gate_leagues(leagues, concerning)
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
                validity=validity_of(concerning, entry.name),
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
