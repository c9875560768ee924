"""Where detectors of threats draw their lines."""

import pytest

from trialogue.findings import Findings, SystemFacts
from trialogue.findings.threat import Severity
from trialogue.findings.threats.detect import abstentions
from trialogue.records import CompletionCounts, Manifest


@pytest.mark.parametrize(("answered", "expected"), [(20, []), (19, [Severity.NOTES]), (18, [Severity.DEMOTES])])
def test_a_system_that_answers_less_than_95_percent_of_its_situations_abstains(
    answered: int, expected: list[Severity]
) -> None:
    done = CompletionCounts(system="crs", situations=20, answered=answered)  # 19 / 20 = .95
    facts = SystemFacts(system="crs", dialogues=0, replies=answered, completion=done)
    findings = Findings(
        title="x", answer=(), systems=(facts,), leagues=(), primary=None, manifest=Manifest(command="evaluate")
    )
    assert [threat.severity for threat in abstentions(findings)] == expected
