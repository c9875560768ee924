"""Check a run against its decision protocol: deviations in the declaration and in the measurements."""

import hashlib
from collections.abc import Iterator, Sequence

from trialogue.findings.protocol import DecisionProtocol, Deviation, DeviationKind, ProtocolCheck
from trialogue.findings.records import Findings, SystemFacts
from trialogue.findings.standings import League
from trialogue.records import Fault, JsonValue

MORE = 1.1  # times the plan: from there on a sample is not the planned one, but a longer one


def declared_deviations(written: DecisionProtocol, declared: DecisionProtocol) -> tuple[Deviation, ...]:
    """Deviations of the currently declared protocol from the registered one.

    If other dialogues are to decide, the plan of those that were to is not compared.
    """
    before, after = _choices(written), _choices(declared)
    kinds = [kind for kind in before if before[kind] != after[kind]]
    if written.users != declared.users:
        kinds = [kind for kind in kinds if kind not in (DeviationKind.SAMPLE_CHANGED, DeviationKind.SYSTEMS_CHANGED)]
    return tuple(Deviation(what=kind, planned=before[kind], actual=after[kind]) for kind in kinds)


def _choices(protocol: DecisionProtocol) -> dict[DeviationKind, JsonValue]:
    """Changeable settings as plain values; the order of list items is irrelevant."""
    measures: list[JsonValue] = [*sorted(map(str, protocol.measures))]
    rules = sorted((rule.to_json() for rule in protocol.exclude), key=str)
    blocks: list[JsonValue] = [*sorted(code.value for code in protocol.blocks)]
    return {
        DeviationKind.PRIMARY_CHANGED: {"measure": str(protocol.measure), "users": protocol.users},
        DeviationKind.FAMILY_CHANGED: {"correction": protocol.correction.value, "measures": measures},
        DeviationKind.ALPHA_CHANGED: protocol.alpha,
        DeviationKind.MARGIN_CHANGED: protocol.margin.to_json(),
        DeviationKind.EXCLUSIONS_CHANGED: [*rules],
        DeviationKind.BLOCKS_CHANGED: blocks,
        DeviationKind.SAMPLE_CHANGED: protocol.n,
        DeviationKind.SYSTEMS_CHANGED: [*sorted(protocol.systems)],
        DeviationKind.LOOKS_CHANGED: [*protocol.looks],
    }


def check_protocol(
    findings: Findings, protocol: DecisionProtocol, systems: Sequence[str] | None = None
) -> ProtocolCheck:
    """A protocol that was given with the data, with what deviates from it in them.

    Args:
        findings: what was measured.
        protocol: the one that decides.
        systems: the planned systems that these data can show; None: all.
    """
    digest = hashlib.sha256(protocol.model_dump_json().encode()).hexdigest()
    planned = protocol if systems is None else protocol.model_copy(update={"systems": tuple(systems)})
    deviations = tuple(measured_deviations(planned, findings))
    return ProtocolCheck(protocol=protocol, sha256=digest, data_existed=True, deviations=deviations)


def measured_deviations(protocol: DecisionProtocol, part: Findings | None) -> Iterator[Deviation]:
    """Deviations of the data from the plan.

    Args:
        protocol: the one that decides.
        part: findings of the dialogues that decide; None: there are none.
    """
    valued = [] if part is None else [league for league in part.leagues if _has_values(league)]
    leagues = {str(league.measure.measured): league for league in valued}
    clusters = fewest_clusters(leagues.get(str(protocol.measure)))
    if protocol.looks and clusters is not None and clusters < protocol.looks[0]:
        yield Deviation(what=DeviationKind.LOOK_TOO_EARLY, planned=protocol.looks[0], actual=clusters)
    if protocol.looks and clusters is not None and clusters > MORE * protocol.looks[-1]:
        yield Deviation(what=DeviationKind.LOOK_TOO_LATE, planned=protocol.looks[-1], actual=clusters)
    for name in (protocol.measure, *protocol.measures):
        if str(name) not in leagues:
            yield Deviation(what=DeviationKind.MEASURE_MISSING, planned=str(name))
    yield from _other_users(protocol, part)
    facts = {} if part is None else {each.system: each for each in part.systems}
    for system in protocol.systems:
        if system not in facts:
            yield Deviation(what=DeviationKind.SYSTEM_MISSING, system=system)
    for system, known in facts.items():
        if protocol.systems and system not in protocol.systems:
            yield Deviation(what=DeviationKind.SYSTEM_ADDED, system=system)
        else:
            yield from _sample(protocol, known, leagues.get(str(protocol.measure)))


def _other_users(protocol: DecisionProtocol, part: Findings | None) -> Iterator[Deviation]:
    """Systems that met others than the planned simulated users; a protocol that names no users does not look."""
    if part is None or protocol.users is None:
        return
    met: dict[str, set[str]] = {}
    for each in part.populations:
        met.setdefault(each.system, set()).add(each.users or each.kind_of.value)
    for system, kinds in sorted(met.items()):
        if others := sorted(kinds - {protocol.users}):
            yield Deviation(what=DeviationKind.OTHER_USERS, planned=protocol.users, actual=[*others], system=system)


def fewest_clusters(league: League | None) -> int | None:
    """People or dialogues of the system that has fewest on a measure; None: not known."""
    found = [] if league is None else [each.estimate.clusters for each in league.standings]
    return min((each for each in found if each is not None), default=None)


def _has_values(league: League) -> bool:
    return any(standing.estimate.value is not None for standing in league.standings)


def _sample(protocol: DecisionProtocol, facts: SystemFacts, league: League | None) -> Iterator[Deviation]:
    """Fewer dialogues than planned, or so many more that the sample is another one.

    A sample that goes on until a difference is significant makes one too often, so more is a deviation, too; a few more, as
    when participants end at the same time, are none.
    """
    if protocol.n is None:
        return
    count = _dialogues(facts, league)
    if count < protocol.n and not protocol.looks:
        what = DeviationKind.FEWER_DIALOGUES
    elif count > MORE * protocol.n:
        what = DeviationKind.MORE_DIALOGUES
    else:
        return  # a planned look at part of the sample is none
    yield Deviation(what=what, planned=protocol.n, actual=count, system=facts.system)


def _dialogues(facts: SystemFacts, league: League | None) -> int:
    """Dialogues of a system that carry data: for ratings of dialogues, those with answers."""
    done = facts.completion
    missing = sum(done.failed.values()) - done.failures_by(Fault.AGENT) if done is not None else 0
    rated: list[int] = []
    if league is not None and league.measure.measured.level == "dialogue":
        rated = [each.estimate.n for each in league.standings if each.system == facts.system]
    return min([facts.dialogues - missing, *rated])
