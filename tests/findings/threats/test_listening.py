"""Outcomes by needs that an agent wins without listening, and lift without service."""

import pytest

from trialogue.findings import Contrast, Findings, League, Measure, Standing
from trialogue.findings.systems.answer import answer, primary_league, texts_of
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.findings.threats.detect import threats_of
from trialogue.findings.threats.gate import gate_leagues
from trialogue.metrics import get_metric
from trialogue.records import Estimate, Interval, Manifest, Reason, ReasonCode

WIDE, NARROW = 0.1, 0.01


def estimate(value: float | None, half: float = WIDE) -> Estimate:
    if value is None:
        return Estimate(value=None, n=12, clusters=12, why=Reason.of(ReasonCode.TOO_FEW_NEEDS, needs=12, least=30))
    return Estimate(value=value, interval=Interval(low=value - half, high=value + half, method="t"), n=99, clusters=99)


def league(name: str, values: dict[str, float | None], verdict: str = "inconclusive", *, half: float = WIDE) -> League:
    """Two systems, a and b, on a metric."""
    metric = get_metric(name)
    card = metric.card
    measure = Measure(name=metric.measure, title=card.title, by="metric", better=card.better, unit=card.unit, card=card)
    gap = None if None in values.values() else (values["a"] or 0.0) - (values["b"] or 0.0)
    contrast = Contrast.model_validate(
        {
            "a": "a",
            "b": "b",
            "difference": estimate(gap),
            "p_adjusted": None if gap is None else 0.01,
            "verdict": verdict,
        }
    )
    order = sorted(values, key=lambda each: -(values[each] or 0.0))
    return League(
        measure=measure,
        standings=tuple(Standing(system=each, estimate=estimate(values[each], half)) for each in order),
        contrasts=(contrast,) if gap is not None else (),
    )


def findings(*leagues: League) -> Findings:
    return Findings(
        title="x", answer=(), systems=(), leagues=leagues, primary=None, manifest=Manifest(command="evaluate")
    )


def codes(found: Findings, code: ThreatCode) -> list[tuple[tuple[str, ...], Severity]]:
    return [(threat.systems, threat.severity) for threat in threats_of(found) if threat.code is code]


def test_a_system_that_is_not_shown_to_listen_cannot_lead_on_need_met() -> None:
    found = findings(league("lift", {"a": 0.02, "b": 0.3}, "b"), league("need_met", {"a": 0.6, "b": 0.3}, "a"))
    assert codes(found, ThreatCode.NOT_LISTENING) == [(("a",), Severity.BLOCKS)]
    gated = gate_leagues(found.leagues, threats_of(found))
    assert gated[1].contrasts[0].verdict == "undefined"


def test_a_lift_within_the_margin_is_called_not_listening() -> None:
    found = findings(league("lift", {"a": 0.001, "b": 0.3}, "b", half=NARROW))
    (threat,) = [each for each in threats_of(found) if each.code is ThreatCode.NOT_LISTENING]
    assert (threat.systems, threat.severity, threat.facts["is_negligible"]) == (("a",), Severity.NOTES, True)


def test_who_listens_more_and_serves_less_is_not_better() -> None:
    found = findings(league("lift", {"a": 0.4, "b": 0.1}, "a"), league("need_met", {"a": 0.3, "b": 0.6}, "b"))
    assert codes(found, ThreatCode.SERVES_LESS) == [(("a", "b"), Severity.BLOCKS)]
    threats = threats_of(found)
    texts = " ".join(texts_of(answer(gate_leagues(found.leagues, threats), None, threats)))
    assert "a listens more than b and meets its users' needs significantly less often" in texts
    assert "a is better" not in texts


def test_who_listens_more_and_serves_as_much_is_better() -> None:
    found = findings(league("lift", {"a": 0.4, "b": 0.1}, "a"), league("need_met", {"a": 0.5, "b": 0.5}))
    assert codes(found, ThreatCode.SERVES_LESS) == []


def test_without_lift_an_outcome_by_needs_is_conditional() -> None:
    for others in ((), (league("lift", {"a": None, "b": None}),)):
        found = findings(*others, league("need_met", {"a": 0.6, "b": 0.3}, "a"))
        assert codes(found, ThreatCode.LISTENING_UNKNOWN) == [((), Severity.DEMOTES)]


@pytest.mark.parametrize("order", [("lift", "need_met"), ("need_met", "lift")])
def test_lift_leads_before_other_outcomes(order: tuple[str, str]) -> None:
    made = {"lift": league("lift", {"a": 0.4, "b": 0.1}), "need_met": league("need_met", {"a": 0.6, "b": 0.3}, "a")}
    leading = primary_league([made[name] for name in order])
    assert leading is not None
    assert leading.measure.title == "Lift"


def test_an_agent_of_another_catalogue_is_conditional() -> None:
    outside = league("out_of_catalogue", {"a": 0.8, "b": 0.1})
    found = findings(league("need_met", {"a": 0.1, "b": 0.3}), league("lift", {"a": 0.1, "b": 0.2}), outside)
    own = [each for each in threats_of(found) if each.code is ThreatCode.OTHER_CATALOGUE]
    assert {each.systems for each in own} == {("a",)}
    assert {get_metric(str(each.measure)).card.name for each in own} == {"need_met", "lift"}
