"""Threats on a board: those of the runs under the names of rows, and those that only rows side by side show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from trialogue.findings.decision.check import check_protocol
from trialogue.findings.differences.missing import missing_values
from trialogue.findings.differences.re_estimates import CHANGES, re_estimates
from trialogue.findings.differences.system_sample import SystemSample
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.records import Findings, SystemFacts
from trialogue.findings.sample.collect import look_across, sample_of
from trialogue.findings.standings import League
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import OF_PROTOCOL, abstentions, few_clusters, is_superseded, protocols
from trialogue.findings.threats.failures import failed_replies, failure_differences, failures
from trialogue.findings.threats.sample import missing_values as missing_values_of
from trialogue.findings.threats.sample import suspicions, turned_verdicts
from trialogue.findings.threats.users import no_common_users, separate_users
from trialogue.records import CompletionCounts, Manifest, MeasuredUnits
from trialogue.subjects.board.entries import ColumnKey, Entry, EntryRun
from trialogue.subjects.board.pooling import above_baselines

DETECTED = frozenset(
    {
        ThreatCode.NEVER_FINISHED,
        ThreatCode.MISSING_DIALOGUES,
        ThreatCode.FAILURES,
        ThreatCode.FAILURE_DIFFERENCE,
        ThreatCode.ABSTENTION,
        ThreatCode.FEW_CLUSTERS,
        ThreatCode.UNASSIGNED_PEOPLE,
        ThreatCode.USERS_DIFFER,
    }
)
"""Detected on the board itself, over the pooled runs; the runs' own would count single runs."""
OF_SINGLE_RUNS = frozenset({ThreatCode.MISSING_VALUES, *CHANGES})
"""Detected on the board itself between entries of one run each; pooled ones have those of their runs."""
DETECTORS = (
    failures,
    failed_replies,
    failure_differences,
    abstentions,
    suspicions,
    turned_verdicts,
    missing_values_of,
    few_clusters,
    no_common_users,
)
"""Their detectors."""
OF_A_RUN = frozenset({ThreatCode.SEVERAL_MEASURES, ThreatCode.NO_HUMAN_JUDGEMENT})
"""What is said of a run as a whole, and not of a value in it."""


def board_threats(
    entries: Sequence[Entry],
    keys: Mapping[ColumnKey, str],
    leagues: Sequence[League],
    columns: Mapping[str, Mapping[str, str]],
    *,
    alpha: float,
    protocol: DecisionProtocol | None = None,
) -> tuple[Threat, ...]:
    """All threats to the rows, blocking ones first, each once.

    Args:
        entries: the rows that rest on runs.
        keys: the columns that are shown, and their names.
        leagues: leagues of comparable rows, before the gate.
        columns: for each run, the board's column for each of its columns; others are not shown.
        alpha: level at which failure rates are compared.
        protocol: the one that decides; None: there is none.
    """
    tables = look_across(
        [
            table.model_copy(update={"system": entry.name})
            for entry in entries
            for run in entry.runs
            for table in run.side.tables
        ]
    )
    sides = _sides(entries, keys, tables)
    whole = Findings(
        title="",
        answer=(),
        systems=tuple(pooled_facts(entry) for entry in entries),
        leagues=tuple(leagues),
        populations=tuple(
            each.model_copy(update={"system": entry.name})
            for entry in entries
            for run in entry.runs
            for each in run.findings.populations
            if each.system == run.side.system
        ),
        separate_users=separate_users(tables, {entry.name for entry in entries}),
        sample=sample_of(tables),
        re_estimates=re_estimates(leagues, sides, alpha=alpha),
        missing=tuple(missing_values(leagues, sides)),
        primary=None,
        alpha=alpha,
        manifest=Manifest(command="board"),
    )
    check = None if protocol is None else check_protocol(whole, protocol, _planned_systems(protocol, entries))
    own = protocols(whole.model_copy(update={"protocol": check})) if check is not None else ()
    known = [
        *(threat for detect in DETECTORS for threat in detect(whole)),
        *(each for each in _inherit_threats(entries, columns) if not is_superseded(each, check)),
        *_unbeaten_baselines(entries, keys, alpha),
        *own,
    ]
    order = list(Severity)
    unique = {threat.model_dump_json(): threat for threat in known}
    return tuple(sorted(unique.values(), key=lambda threat: order.index(threat.severity)))


def _sides(
    entries: Sequence[Entry], keys: Mapping[ColumnKey, str], tables: Sequence[MeasuredUnits]
) -> dict[str, SystemSample]:
    """Entries of one run each, with the units of the columns under the board's names."""
    sides = {}
    for entry in (each for each in entries if len(each.runs) == 1):
        (run,) = entry.runs
        own = {name: run.columns[key].measure.name for key, name in keys.items() if key in run.columns}
        sides[entry.name] = replace(
            run.side,
            measures={name: run.side.measures[each] for name, each in own.items()},
            values={name: run.side.values[each] for name, each in own.items() if each in run.side.values},
            rows={name: run.side.rows[each] for name, each in own.items() if each in run.side.rows},
            tables=[each for each in tables if each.system == entry.name],
        )
    return sides


def _planned_systems(protocol: DecisionProtocol, entries: Sequence[Entry]) -> tuple[str, ...]:
    """Planned systems to look for: none where rows are versions, which a protocol does not name."""
    return protocol.systems if all(entry.name == entry.system for entry in entries) else ()


def _inherit_threats(entries: Sequence[Entry], columns: Mapping[str, Mapping[str, str]]) -> Iterator[Threat]:
    """Threats of the runs about what the board shows, under the names of rows."""
    for entry in entries:
        pooled = _pooled_with_baselines(entry) if len(entry.runs) > 1 else {}
        for run in entry.runs:
            for threat in run.findings.threats:
                if threat.code in OF_A_RUN or (threat.code in DETECTED and not _has_parts(run)):
                    continue
                if threat.code in OF_SINGLE_RUNS and len(entry.runs) == 1:
                    continue
                if threat.code is ThreatCode.BASELINE_NOT_BEATEN and threat.measure in pooled.get(run.run, ()):
                    continue  # of several runs, one misses it by chance; the pooled difference says
                systems = _rows(threat, entry, run, entries)
                for measure in _targets(threat, run, columns[run.run]) if systems is not None else ():
                    yield threat.model_copy(update={"systems": systems, "measure": measure})


def _has_parts(run: EntryRun) -> bool:
    """Whether a run is an experiment, which has people and each kind of simulated users apart; its counts of a system are
    of all parts together, so that what failed in one of them only its own threats say."""
    return any(league.measure.users is not None for league in run.findings.leagues)


def _targets(threat: Threat, run: EntryRun, columns: Mapping[str, str]) -> Sequence[str | None]:
    """Columns of the board that a threat of a run is about; (None,): all of them."""
    if threat.measure is not None:
        return (columns[threat.measure],) if threat.measure in columns else ()
    if not _has_parts(run) or threat.code in OF_PROTOCOL:
        return (None,)
    measures = [league.measure for league in run.findings.leagues]
    return [columns[each.name] for each in measures if each.name in columns and each.users == threat.users]


def _pooled_with_baselines(entry: Entry) -> dict[str, set[str]]:
    """By run, its columns on which the entry is compared with baselines over all runs."""
    keys = [key for key in entry.runs[0].columns if above_baselines(entry, key) is not None]
    return {run.run: {run.columns[key].measure.name for key in keys} for run in entry.runs}


def _unbeaten_baselines(entries: Sequence[Entry], keys: Mapping[ColumnKey, str], alpha: float) -> Iterator[Threat]:
    """Pooled entries that are not significantly better than the best baseline; as in a run, one that is not above blocks."""
    for entry in (each for each in entries if len(each.runs) > 1):
        for key, name in keys.items():
            found = above_baselines(entry, key)
            if found is None:
                continue
            baseline, gap = found
            measure = entry.runs[0].columns[key].measure
            is_above = gap.value is not None and gap.value != 0 and (gap.value > 0) == (measure.better == "higher")
            if is_above and gap.p is not None and gap.p <= alpha:
                continue
            is_outcome = measure.card is not None and measure.card.family == "simulation"
            yield Threat(
                code=ThreatCode.BASELINE_NOT_BEATEN,
                severity=Severity.BLOCKS if is_outcome and not is_above else Severity.DEMOTES,
                systems=(entry.name,),
                measure=name,
                only_if_ahead=True,
                facts={"baseline": baseline},
            )


def _rows(threat: Threat, entry: Entry, run: EntryRun, entries: Iterable[Entry]) -> tuple[str, ...] | None:
    """The rows that a threat of a run is about; None where it is not about this entry, or the other one is not shown."""
    if not threat.is_of_pair:
        return (entry.name,) if threat.concerns_system(run.side.system) else None
    if threat.systems[0] != run.side.system:
        return None  # the other system's entry brings it
    others = [
        each.name
        for each in entries
        for own in each.runs
        if own.findings is run.findings and own.side.system == threat.systems[1]
    ]
    return (entry.name, others[0]) if others else None


def pooled_facts(entry: Entry) -> SystemFacts:
    """Counts over the runs of an entry."""
    every = [run.facts for run in entry.runs]
    completed = [facts.completion for facts in every if facts.completion is not None]
    total: CompletionCounts | None = None
    for counts in completed if len(completed) == len(every) else ():
        named = counts.model_copy(update={"system": entry.name})
        total = named if total is None else total + named
    people = [facts.people for facts in every if facts.people is not None]
    return SystemFacts(
        system=entry.name,
        dialogues=sum(facts.dialogues for facts in every),
        replies=sum(facts.replies for facts in every),
        people=sum(people) if people else None,
        simulated=sum(facts.simulated for facts in every),
        models=tuple(sorted({model for facts in every for model in facts.models})),
        user_models=tuple(sorted({model for facts in every for model in facts.user_models})),
        completion=total.model_copy(update={"system": entry.name})
        if total is not None and len(completed) == len(every)
        else None,
    )
