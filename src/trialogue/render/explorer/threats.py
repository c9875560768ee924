"""Rows affected by a threat to validity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trialogue.findings import Findings
from trialogue.findings.threat import Threat, ThreatCode
from trialogue.findings.threats.texts import clause
from trialogue.records import Fault
from trialogue.records.base import JsonValue

MAX_THREATS = 200  # threats to choose from; of 60 systems there may be thousands that are about a pair
_OF_FAULTS: Mapping[ThreatCode, tuple[Fault, ...]] = {
    ThreatCode.NEVER_FINISHED: tuple(Fault),
    ThreatCode.FAILURES: (Fault.AGENT,),
    ThreatCode.FAILURE_DIFFERENCE: (Fault.AGENT,),
    ThreatCode.MISSING_DIALOGUES: tuple(fault for fault in Fault if fault is not Fault.AGENT),
}
_OF_GATES = frozenset({ThreatCode.USER_FAULTS, ThreatCode.USER_FAULT_HINTS, ThreatCode.USER_FAULT_DIFFERENCE})


@dataclass(frozen=True)
class ThreatRows:
    """A threat, as a condition on rows."""

    key: tuple[str, ...]
    """Key in addresses: code, users and systems."""
    severity: str
    text: str
    systems: tuple[str, ...]
    """() for all."""
    users: str | None
    """None for all."""
    faults: tuple[Fault, ...]
    """Only rows that failed through one of them; () for all."""
    of_gates: bool
    """Only rows whose user shows a fault."""

    def to_json(self) -> dict[str, JsonValue]:
        """As the page reads it."""
        return {
            "key": list(self.key),
            "severity": self.severity,
            "text": self.text,
            "systems": list(self.systems),
            "users": self.users,
            "faults": [fault.value for fault in self.faults],
            "gated": self.of_gates,
        }


def threat_key(threat: Threat) -> tuple[str, ...]:
    """Key of a threat in addresses; threats that differ in the measure only share their rows and key."""
    return (threat.code.value, threat.users or "", *threat.systems)


def threat_rows(findings: Findings) -> Sequence[ThreatRows]:
    """The threats that are about some rows, each once, those that block first; one about everything filters nothing."""
    found: dict[tuple[str, ...], ThreatRows] = {}
    for threat in findings.threats:
        faults, of_gates = _OF_FAULTS.get(threat.code, ()), threat.code in _OF_GATES
        if threat.systems or threat.users or faults or of_gates:
            key = threat_key(threat)
            rows = ThreatRows(
                key, threat.severity.value, clause(threat), threat.systems, threat.users, faults, of_gates
            )
            found.setdefault(key, rows)
    return list(found.values())[:MAX_THREATS]
