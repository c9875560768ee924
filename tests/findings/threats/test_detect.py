"""Where detectors of threats draw their lines."""

import pytest

from trialogue.findings import Contrast, Findings, League, Measure, SystemFacts
from trialogue.findings.threat import Severity
from trialogue.findings.threats.detect import abstentions, baselines
from trialogue.metrics import get_metrics
from trialogue.records import CompletionCounts, Estimate, Manifest, Reason, ReasonCode


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


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0.1, Severity.DEMOTES), (-0.1, Severity.BLOCKS), (0.0, Severity.BLOCKS), (None, Severity.BLOCKS)],
)
def test_a_system_that_is_not_above_the_baseline_of_an_outcome_cannot_lead(
    better: str, gap: float | None, expected: Severity
) -> None:
    card = get_metrics(["need_met"])[0].card
    measure = Measure.model_validate(
        {"name": "need_met", "title": "x", "by": "metric", "better": better, "unit": "share", "card": card}
    )
    value = None if gap is None else gap if better == "higher" else -gap
    why = None if gap is not None else Reason.of(ReasonCode.NO_STANDARD_ERROR)
    contrast = Contrast(a="mine", b="random", difference=Estimate(value=value, why=why), verdict="inconclusive")
    league = League(measure=measure, standings=(), contrasts=(), above_baseline=(contrast,))
    findings = Findings(
        title="x", answer=(), systems=(), leagues=(league,), primary=None, manifest=Manifest(command="evaluate")
    )
    (threat,) = baselines(findings)
    assert (threat.severity, threat.systems, threat.facts["baseline"]) == (expected, ("mine",), "random")
