"""Detectors of threats from the user side: simulated users that do not behave as users."""

from collections.abc import Iterator
from itertools import combinations

from trialogue.findings.records import Findings, SystemFacts
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.records import JsonValue
from trialogue.records.kinds.gates import Gate
from trialogue.stats.fisher import fisher_p

GATED = 0.05
"""Share of a system's dialogues with user faults from which verdicts on simulated users are conditional. Of people's written
dialogues 0 to 2.6% have one in six corpora of 75 or more (benchmarks/GATES.md)."""


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
    gates: dict[str, JsonValue] = {gate.value: facts.gates[gate] for gate in Gate if gate in facts.gates}
    return {"faulty": facts.gated, "dialogues": facts.dialogues, "simulated": facts.simulated, "gates": gates}


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


def fishers_p(one: SystemFacts, other: SystemFacts) -> float:
    """Fisher's exact p-value of two systems' shares of dialogues with a user fault."""
    return fisher_p(one.gated, one.dialogues, other.gated, other.dialogues)
