"""Combine the findings of an experiment's stages and apply its decision protocol."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trialogue.findings import Findings
from trialogue.findings.decision.check import measured_deviations
from trialogue.findings.decision.verdict import decide_findings
from trialogue.findings.protocol import DecisionProtocol, ProtocolCheck
from trialogue.workflows.experiment.registration import Registration


@dataclass(frozen=True)
class Parts:
    """Findings of each measuring stage."""

    people: Findings | None
    """Findings on conversations with people."""
    simulated: Mapping[str, Findings]
    """Findings on simulated dialogues, by kind of users."""
    aligned: Findings | None
    """Findings on replies to given situations."""

    @property
    def labelled_findings(self) -> list[tuple[str | None, Findings]]:
        """(Kind of simulated users, findings) of each part: people first, replies to situations last."""
        given: list[tuple[str | None, Findings | None]] = [
            (None, self.people),
            *self.simulated.items(),
            (None, self.aligned),
        ]
        return [(users, part) for users, part in given if part is not None]

    def place_that_decides(self, protocol: DecisionProtocol) -> int | None:
        """Index of the part with the primary measure, from the right dialogues; None if there is none.

        Where no part has it, it is the first of the right dialogues.
        """
        right = [place for place, (users, _) in enumerate(self.labelled_findings) if users == protocol.users]
        having = [place for place in right if _has(self.labelled_findings[place][1], protocol)]
        return next(iter([*having, *right]), None)


def _has(part: Findings, protocol: DecisionProtocol) -> bool:
    return any(league.measure.measured == protocol.measure for league in part.leagues)


def check_protocol(parts: Parts, registration: Registration, *, inputs: Iterable[str]) -> ProtocolCheck:
    """Check whether the protocol was kept.

    Args:
        parts: what was found.
        registration: the protocol, as first written.
        inputs: sha256 of the files that were read.
    """
    protocol = registration.protocol
    if protocol is None:
        return ProtocolCheck(sha256=registration.sha256, deviations=registration.deviations)
    place = parts.place_that_decides(protocol)
    part = None if place is None else parts.labelled_findings[place][1]
    return ProtocolCheck(
        protocol=protocol,
        sha256=registration.sha256,
        data_existed=protocol.users is None and not registration.inputs.isdisjoint(inputs),
        deviations=(*registration.deviations, *measured_deviations(protocol, part)),
    )


def apply_check(parts: Parts, check: ProtocolCheck) -> Parts:
    """Apply the protocol's verdicts to the parts."""
    place = None if check.protocol is None else parts.place_that_decides(check.protocol)
    decided = (
        decide_findings(part.model_copy(update={"protocol": check}), decides=number == place)
        for number, (_, part) in enumerate(parts.labelled_findings)
    )
    return Parts(  # in the order of ``labelled_findings``
        people=None if parts.people is None else next(decided),
        simulated={users: next(decided) for users in parts.simulated},
        aligned=None if parts.aligned is None else next(decided),
    )
