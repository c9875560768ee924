"""Threats to a passport from users' faults."""

import pytest

from trialogue.findings.threat import Severity, ThreatCode
from trialogue.records.kinds.suspicions import Gate
from trialogue.subjects.simulated_users.behavior import Copies
from trialogue.subjects.simulated_users.gates import GateFlags, gate_shares
from trialogue.subjects.simulated_users.threats import passport_threats


def flags(gate: Gate, count: int) -> GateFlags:
    """Of 20 dialogues so many that show a fault."""
    names = tuple(str(number) for number in range(20))
    return GateFlags(tuple(dict.fromkeys(Gate, False) | {gate: number < count} for number in range(20)), names)


@pytest.mark.parametrize(
    ("gate", "count", "of_people", "expected"),
    [
        (Gate.LOOP, 2, 0, ThreatCode.USER_FAULTS),
        (Gate.LOOP, 2, 2, None),
        (Gate.TRUNCATED, 9, 0, None),
        (Gate.TRUNCATED, 10, 0, ThreatCode.USER_FAULT_HINTS),
        (Gate.TRUNCATED, 10, 1, None),
    ],
)
def test_hints_count_from_half_of_the_dialogues_on(
    gate: Gate, count: int, of_people: int, expected: ThreatCode | None
) -> None:
    gates = gate_shares(flags(gate, of_people), flags(gate, count))
    found = passport_threats(None, gates, Copies(), shared=(), models={})
    assert [(each.code, each.severity) for each in found] == ([(expected, Severity.DEMOTES)] if expected else [])
    assert all(each.facts["gates"] == {gate.value: count} for each in found)
