"""Threats to a passport: copies, fitting on the same text, few users, agents met by one side only, failures."""

from collections.abc import Iterator, Mapping, Sequence

from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.users import GATED, HINTED
from trialogue.records.kinds.suspicions import HINTS
from trialogue.subjects.simulated_users.behavior import Copies
from trialogue.subjects.simulated_users.distances import Aspect
from trialogue.subjects.simulated_users.records import Behavior, Gates

FEW = 50  # independent users; below, a classifier may miss what it would find with more
HALF = 0.5
ORDER = (Severity.BLOCKS, Severity.DEMOTES, Severity.NOTES)


def passport_threats(
    behavior: Behavior | None,
    gates: Gates | None,
    copies: Copies,
    *,
    shared: Sequence[str],
    models: Mapping[str, int],
) -> tuple[Threat, ...]:
    """Every threat, what blocks first.

    Args:
        behavior: part one; None: it could not be had.
        gates: part five.
        copies: what is somebody else's.
        shared: agents that both real and simulated users met.
        models: messages by the model that answered for the users.
    """
    found = [*_of_copies(behavior, copies), *_of_sample(behavior, shared), *_of_gates(gates), *_of_models(models)]
    return tuple(sorted(found, key=lambda threat: ORDER.index(threat.severity)))


def _of_copies(behavior: Behavior | None, copies: Copies) -> Iterator[Threat]:
    sample = behavior.sample if behavior is not None else None
    if sample is not None and copies.dialogues:
        much = copies.dialogues >= HALF * min(sample.real, sample.simulated)
        yield Threat(
            code=ThreatCode.COPIED_DIALOGUES,
            severity=Severity.BLOCKS if much else Severity.NOTES,
            facts={"copied": copies.dialogues, "dialogues": sample.simulated},
        )
    if sample is not None and copies.failed:
        yield Threat(
            code=ThreatCode.SIMULATIONS_FAILED,
            severity=Severity.BLOCKS if copies.failed >= HALF * sample.simulated else Severity.NOTES,
            facts={"failed": copies.failed, "dialogues": sample.simulated},
        )
    for each in behavior.distances if behavior is not None else ():
        excess = each.excess.interval
        if each.name == Aspect.COPYING and excess is not None and excess.low > 0:
            yield Threat(
                code=ThreatCode.COPIED_MESSAGES,
                severity=Severity.DEMOTES,
                facts={"share": each.value.value, "yardstick": each.yardstick.value},
            )
    if copies.recognised and sample is not None:
        yield Threat(
            code=ThreatCode.FITTED_ON_SAME_TEXT,
            severity=Severity.DEMOTES,
            facts={"recognised": copies.recognised, "dialogues": sample.real},
        )
    if copies.is_fitted_on_known_text is False:
        yield Threat(code=ThreatCode.FITTED_ON_UNKNOWN_TEXT, severity=Severity.NOTES)


def _of_sample(behavior: Behavior | None, shared: Sequence[str]) -> Iterator[Threat]:
    if behavior is None:
        return
    sample = behavior.sample
    if min(sample.people, sample.cases) < FEW:
        yield Threat(
            code=ThreatCode.FEW_REAL_USERS,
            severity=Severity.NOTES,
            facts={"people": sample.people, "cases": sample.cases},
        )
    if len(shared) < 2:
        yield Threat(code=ThreatCode.ONE_AGENT, severity=Severity.DEMOTES, facts={"shared": len(shared)})


def _of_models(models: Mapping[str, int]) -> Iterator[Threat]:
    """Users that more than one model played, so that they are not one simulator."""
    if len(models) > 1:
        facts = {"models": sorted(models), "messages": sum(models.values())}
        yield Threat(code=ThreatCode.SEVERAL_USER_MODELS, severity=Severity.DEMOTES, facts=facts)


def _of_gates(gates: Gates | None) -> Iterator[Threat]:
    """Faulty users, from one in twenty dialogues more than people's own on; hints of a gate, from half of them on."""
    if gates is None:
        return
    excess = {
        share.gate: share.simulated.value - (share.real.value or 0.0)
        for share in gates.shares
        if share.simulated.value is not None
    }
    shares = {share.gate: share.simulated for share in gates.shares}
    counts = {gate: round(share.value * share.n) for gate, share in shares.items() if gate is not None and share.value}
    faults = {gate.value: count for gate, count in counts.items() if gate not in HINTS}
    hints = {gate.value: count for gate, count in counts.items() if gate in HINTS}
    any_fault = shares[None]
    if any_fault.value is not None and excess[None] >= GATED:
        yield Threat(
            code=ThreatCode.USER_FAULTS,
            severity=Severity.DEMOTES,
            facts={
                "faulty": round(any_fault.value * any_fault.n),
                "dialogues": any_fault.n,
                "simulated": any_fault.n,
                "gates": dict(faults),
            },
        )
    if any(excess.get(gate, 0.0) >= HINTED for gate in HINTS):
        yield Threat(
            code=ThreatCode.USER_FAULT_HINTS,
            severity=Severity.DEMOTES,
            facts={"dialogues": gates.sample.simulated, "gates": dict(hints)},
        )
