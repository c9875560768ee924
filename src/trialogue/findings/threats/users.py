"""Detectors of threats from the user side: simulated users that do not behave as users."""

from collections.abc import Collection, Container, Iterable, Iterator
from itertools import combinations

from trialogue.findings.records import Findings, SeparateUsers, SystemFacts
from trialogue.findings.standings import Measure
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.llm.families import family_of
from trialogue.records import ClusterKind, JsonValue, MeasuredUnits, PopulationKind
from trialogue.records.kinds.suspicions import HINTS, Gate
from trialogue.stats.contingency import fisher_p

OF_SITUATIONS = frozenset({"reference", "targets"})
"""What cards need whose measures are of replies to situations."""
GATED = 0.05
"""Share of a system's dialogues with user faults from which verdicts on simulated users are conditional. Of people's written
dialogues 0 to 2.6% have one in six corpora of 75 or more (benchmarks/GATES.md)."""
HINTED = 0.5
"""Share from which hints of one gate count, too: a tenth of them would have to be right, and on unseen authors .69 and more
were (lower ends of their intervals: .42 and more)."""

GUESSABLE_SEED = 2**32
"""Seeds below can be found by trying all of them on a few users; ``--seed fresh`` draws larger ones."""


def user_faults(findings: Findings) -> Iterator[Threat]:
    """Systems whose users did not behave as users; for people only where that is common."""
    for facts in findings.systems:
        common = facts.gated >= GATED * facts.dialogues
        if not facts.gated or not (facts.simulated or common):
            continue
        yield Threat(
            code=ThreatCode.USER_FAULTS,
            severity=Severity.DEMOTES if common and facts.simulated == facts.dialogues else Severity.NOTES,
            systems=(facts.system,),
            facts=_gate_facts(facts),
        )


def _gate_facts(facts: SystemFacts) -> dict[str, JsonValue]:
    gates = _counts(facts, frozenset(Gate) - HINTS)
    return {"faulty": facts.gated, "dialogues": facts.dialogues, "simulated": facts.simulated, "gates": gates}


def _counts(facts: SystemFacts, among: Container[Gate]) -> dict[str, JsonValue]:
    return {gate.value: facts.gates[gate] for gate in Gate if gate in facts.gates and gate in among}


def user_fault_hints(findings: Findings) -> Iterator[Threat]:
    """Systems with dialogues that a gate with many false alarms, or that misses much, takes for a fault of the user."""
    for facts in findings.systems:
        gates = _counts(facts, HINTS)
        most = max((facts.gates.get(gate, 0) for gate in HINTS), default=0)
        if most and (facts.simulated or most >= GATED * facts.dialogues):
            decides = most >= HINTED * facts.dialogues and facts.simulated == facts.dialogues
            yield Threat(
                code=ThreatCode.USER_FAULT_HINTS,
                severity=Severity.DEMOTES if decides else Severity.NOTES,
                systems=(facts.system,),
                facts={"dialogues": facts.dialogues, "gates": gates},
            )


def known_seeds(findings: Findings) -> Iterator[Threat]:
    """Systems whose simulated users follow from a seed that could be known in advance."""
    for facts in findings.systems:
        known = ", ".join(str(seed) for seed in facts.seeds if seed < GUESSABLE_SEED)
        if known:
            yield Threat(
                code=ThreatCode.KNOWN_SEED,
                severity=Severity.NOTES,
                systems=(facts.system,),
                facts={"seeds": known},
            )


def user_fault_differences(findings: Findings) -> Iterator[Threat]:
    """Pairs whose simulated users are at fault more often with one of them."""
    for one, other in combinations([facts for facts in findings.systems if facts.simulated == facts.dialogues > 0], 2):
        if fishers_p(one, other) <= findings.alpha:
            yield Threat(
                code=ThreatCode.USER_FAULT_DIFFERENCE,
                severity=Severity.DEMOTES,
                systems=(one.system, other.system),
                is_of_pair=True,
                facts={
                    "rate": round(one.gated / one.dialogues, 4),
                    "other_rate": round(other.gated / other.dialogues, 4),
                },
            )


def several_models(findings: Findings) -> Iterator[Threat]:
    """Systems, or their users, for which more than one model answered: a batch of them is a mixture.

    A system may choose among models by design, so that is noted; users are meant to be one simulator.
    """
    for facts in findings.systems:
        for code, severity, models in (
            (ThreatCode.SEVERAL_USER_MODELS, Severity.DEMOTES, facts.user_models),
            (ThreatCode.SEVERAL_MODELS, Severity.NOTES, facts.models),
        ):
            if len(models) > 1:
                yield Threat(code=code, severity=severity, systems=(facts.system,), facts={"models": list(models)})


def shared_families(findings: Findings) -> Iterator[Threat]:
    """Systems that are built on the same family of language models as their simulated users, who may favour them."""
    for facts in findings.systems:
        own = {family_of(model) for model in facts.models or (facts.system,)}
        shared = sorted(each for each in own & {family_of(model) for model in facts.user_models} if each is not None)
        if shared:
            yield Threat(
                code=ThreatCode.USER_FAMILY,
                severity=Severity.DEMOTES,
                systems=(facts.system,),
                facts={"families": [each.value for each in shared]},
            )


def different_users(findings: Findings) -> Iterator[Threat]:
    """Pairs of systems that met different kinds of users, on measures of dialogues."""
    measures = [league.measure for league in findings.leagues if _is_of_dialogues(league.measure)]
    # An experiment has a column of its own for each kind of simulated users; only its other columns may mix users.
    has_parts = any(measure.users is not None for measure in measures)
    met = {facts.system: _users(findings, facts, has_parts=has_parts) for facts in findings.systems}
    for one, other in combinations([system for system in met if met[system]], 2):
        if met[one] == met[other]:
            continue
        for measure in measures:
            if measure.users is None:
                yield Threat(
                    code=ThreatCode.USERS_DIFFER,
                    severity=Severity.BLOCKS,
                    systems=(one, other),
                    measure=measure.name,
                    is_of_pair=True,
                    facts={"users": list(met[one]), "others": list(met[other])},
                )


def _is_of_dialogues(measure: Measure) -> bool:
    return measure.card is None or OF_SITUATIONS.isdisjoint(measure.card.needs)


def _users(findings: Findings, facts: SystemFacts, *, has_parts: bool) -> tuple[str, ...]:
    """The users that a system met; () where it had no dialogues."""
    own = [each for each in findings.populations if each.system == facts.system]
    kinds = {
        each.users or "people"
        for each in own
        if each.kind_of is not PopulationKind.SITUATIONS and not (has_parts and each.users is not None)
    }
    models = facts.user_models if kinds - {"people"} else ()
    return (*sorted(kinds), *models)


def separate_users(tables: Iterable[MeasuredUnits], systems: Collection[str]) -> tuple[SeparateUsers, ...]:
    """Pairs of systems without a person or need in common; systems some of whose users are unknown are in none."""
    met: dict[tuple[PopulationKind, str], set[str]] = {}
    unknown = set()
    for each in tables:
        if each.kind_of is PopulationKind.SITUATIONS or each.system not in systems:
            continue
        met.setdefault((each.kind_of, each.system), set()).update(each.clusters)
        if each.clustered_by not in (ClusterKind.PERSON, ClusterKind.NEED):
            unknown.add((each.kind_of, each.system))
    return tuple(
        SeparateUsers(kind_of=a[0], a=a[1], b=b[1])
        for a, b in combinations(sorted(met.keys() - unknown), 2)
        if a[0] is b[0] and met[a].isdisjoint(met[b])
    )


def no_common_users(findings: Findings) -> Iterator[Threat]:
    """Pairs of systems without a person or need in common, on measures of their dialogues.

    People come to systems for reasons of their own. In a simulation, each system gets the same needs, drawn in advance.
    """
    has_parts = any(league.measure.users is not None for league in findings.leagues)
    for pair in findings.separate_users:
        is_simulated = pair.kind_of is PopulationKind.SIMULATED
        for league in findings.leagues:
            measure = league.measure
            if measure.better == "neither" or not _is_of_dialogues(measure):
                continue
            if (measure.users is not None) == (is_simulated and has_parts):
                yield Threat(
                    code=ThreatCode.USERS_DIFFER if is_simulated else ThreatCode.UNASSIGNED_PEOPLE,
                    severity=Severity.BLOCKS if is_simulated else Severity.DEMOTES,
                    systems=(pair.a, pair.b),
                    measure=measure.name,
                    is_of_pair=True,
                )


def fishers_p(one: SystemFacts, other: SystemFacts) -> float:
    """Fisher's exact p-value of two systems' shares of dialogues with a user fault."""
    return fisher_p(one.gated, one.dialogues, other.gated, other.dialogues)
