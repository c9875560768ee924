"""What passes the gate, and what does not."""

import pytest

from trialogue.findings import Contrast, Findings, League, Measure, Standing
from trialogue.findings.systems.answer import answer, primary_league, texts_of, threats_in_verdict
from trialogue.findings.threats import Severity, Threat, ThreatCode, Validity
from trialogue.findings.threats.detect import threats_of
from trialogue.findings.threats.gate import gate_leagues
from trialogue.records import Estimate, Interval, Manifest, Raters


def value(number: float) -> Estimate:
    interval = Interval(low=number - 0.1, high=number + 0.1, method="made up")
    return Estimate(value=number, interval=interval, n=40, clusters=40)


def league(*, name: str = "human:liked", by: str = "people") -> League:
    """Three systems; a is better than b and c, b and c are open."""
    measure = Measure.model_validate({"name": name, "title": "Liked", "by": by, "better": "higher", "unit": "share"})
    return League(
        measure=measure,
        standings=tuple(Standing(system=each, estimate=value(at)) for each, at in (("a", 0.9), ("b", 0.5), ("c", 0.4))),
        contrasts=(
            Contrast(a="a", b="b", difference=value(0.4), p_adjusted=0.001, verdict="a"),
            Contrast(a="a", b="c", difference=value(0.5), p_adjusted=0.001, verdict="a"),
            Contrast(a="b", b="c", difference=value(0.1), p_adjusted=0.6, verdict="inconclusive"),
        ),
    )


def threat(severity: Severity, *systems: str, **more: object) -> Threat:
    facts = {"failed": 40, "missing": 0, "dialogues": 40, "clusters": 4}
    code = ThreatCode.NEVER_FINISHED if severity is Severity.BLOCKS else ThreatCode.FEW_CLUSTERS
    return Threat(code=code, severity=severity, systems=systems, facts=facts, **more)


def ranks(found: League) -> dict[str, tuple[int | None, int | None]]:
    return {each.system: (each.rank_low, each.rank_high) for each in found.standings}


def test_without_threats_ranks_are_those_of_the_comparisons() -> None:
    (found,) = gate_leagues([league()], [])
    assert ranks(found) == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
    assert {each.validity for each in found.contrasts} == {Validity.FIRM}


def test_a_blocked_system_has_no_rank_and_stands_last_and_the_others_are_ranked_without_it() -> None:
    (found,) = gate_leagues([league()], [threat(Severity.BLOCKS, "a")])
    assert ranks(found) == {"b": (1, 2), "c": (1, 2), "a": (None, None)}
    assert found.standings[-1].system == "a"
    assert {(each.a, each.b): each.verdict for each in found.contrasts} == {
        ("a", "b"): "undefined",
        ("a", "c"): "undefined",
        ("b", "c"): "inconclusive",
    }
    sentences = texts_of(answer([found], None, [threat(Severity.BLOCKS, "a")]))
    assert "better" not in sentences[0]
    assert any("none of a's 40 dialogues finished" in sentence.lower() for sentence in sentences)


def test_a_verdict_against_a_blocked_system_moves_nobody_s_rank() -> None:
    """A system below the baselines loses its rank; that others beat it stays, and is no place in the ranking."""
    below = Threat(
        code=ThreatCode.BASELINE_NOT_BEATEN,
        severity=Severity.BLOCKS,
        systems=("c",),
        facts={"baseline": "echo"},
        only_if_ahead=True,
    )
    (gated,) = gate_leagues([league()], [below])
    assert {(each.a, each.b): each.verdict for each in gated.contrasts}["a", "c"] == "a"
    assert ranks(gated) == {"a": (1, 1), "b": (2, 2), "c": (None, None)}


def test_one_sentence_names_all_systems_that_the_same_threat_blocks() -> None:
    threats = [threat(Severity.BLOCKS, name) for name in "ab"]
    sentences = texts_of(answer(gate_leagues([league()], threats), None, threats))
    assert [each for each in sentences if "40 dialogues finished" in each] == [
        "None of a and b's 40 dialogues finished without a failure."
    ]


def test_a_system_whose_rank_a_threat_takes_is_not_called_incomparable() -> None:
    pair = Contrast(a="a", b="b", difference=value(0.4), p_adjusted=0.001, verdict="a")
    two = league().model_copy(update={"contrasts": (pair,)})
    standings = tuple(each.model_copy(update={"rank_low": 1 if each.system == "a" else None}) for each in two.standings)
    first = texts_of(answer([two.model_copy(update={"standings": standings})], None))[0]
    assert "a is better than b by" in first
    assert "c could not be compared" in first
    assert "b and c" not in first


def test_a_demoted_verdict_stays_and_says_what_it_is_conditional_on() -> None:
    doubt = threat(Severity.DEMOTES, "a")
    (found,) = gate_leagues([league()], [doubt])
    assert [each.validity for each in found.contrasts] == [Validity.CONDITIONAL, Validity.CONDITIONAL, Validity.FIRM]
    (sentence,) = texts_of(answer([found], None, [doubt]))
    assert sentence.startswith("Conditional: On Liked, a is significantly better than b and c")
    assert sentence.endswith(", but a has only 4 independent clusters (people or dialogues).")
    assert threats_in_verdict(found, [doubt, threat(Severity.DEMOTES, "d")]) == [doubt]


def test_a_verdict_of_a_gated_league_stays_conditional_where_its_threats_are_not_at_hand() -> None:
    (found,) = gate_leagues([league()], [threat(Severity.DEMOTES, "a")])
    assert texts_of(answer([found], None))[0].startswith(
        "Conditional: On Liked, a is significantly better than b and c"
    )


def test_what_makes_a_system_look_better_does_not_weaken_a_verdict_against_it() -> None:
    (against,) = gate_leagues([league()], [threat(Severity.DEMOTES, "b", only_if_ahead=True)])
    assert against.contrasts[0].validity is Validity.FIRM
    (for_it,) = gate_leagues([league()], [threat(Severity.DEMOTES, "a", only_if_ahead=True)])
    assert for_it.contrasts[0].validity is Validity.CONDITIONAL


def test_firm_verdicts_come_before_conditional_ones() -> None:
    doubt = threat(Severity.DEMOTES, "c")
    (found,) = gate_leagues([league()], [doubt])
    first, second = texts_of(answer([found], None, [doubt]))
    assert first.startswith("On Liked, a is better than b by ")
    assert second.startswith("Conditional: On Liked, a is better than c by ")
    assert second.endswith(" In all, 2 of 3 pairs differ after correction.")
    assert threats_in_verdict(found, [doubt]) == [doubt]
    assert threats_in_verdict(league(), [doubt]) == []


def test_a_threat_to_one_measure_leaves_the_others_alone() -> None:
    doubt = threat(Severity.DEMOTES, measure="turns|v1")
    people, turns = gate_leagues([league(), league(name="turns|v1", by="metric")], [doubt])
    assert (people.validity, turns.validity) == (Validity.FIRM, Validity.CONDITIONAL)


@pytest.mark.parametrize(("severity", "leads"), [(Severity.DEMOTES, "second"), (Severity.BLOCKS, "second")])
def test_a_measure_that_a_threat_demotes_or_blocks_does_not_lead_if_another_can(severity: Severity, leads: str) -> None:
    doubt = threat(severity, measure="first")
    found = gate_leagues([league(name="first", by="metric"), league(name="second", by="metric")], [doubt])
    primary = primary_league(found)
    assert primary is not None
    assert primary.measure.name == leads


def test_people_never_give_way_to_a_metric_because_of_a_threat() -> None:
    found = gate_leagues([league(), league(name="m", by="metric")], [threat(Severity.DEMOTES, measure="human:liked")])
    primary = primary_league(found)
    assert primary is not None
    assert primary.measure.by == "people"


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        ((Raters.INVENTED,), ThreatCode.INVENTED_RATERS),
        ((Raters.SCRIPTED, Raters.PEOPLE), ThreatCode.SCRIPTED_RATERS),
        ((Raters.MODEL,), ThreatCode.MODEL_RATERS),
        ((Raters.PEOPLE,), None),
        ((), None),
    ],
)
def test_ratings_that_are_not_people_s_demote_their_measure(kinds: tuple[Raters, ...], code: ThreatCode | None) -> None:
    one = league()
    one = one.model_copy(update={"measure": one.measure.model_copy(update={"raters": kinds})})
    findings = Findings(
        title="t", answer=(), systems=(), leagues=(one,), primary=None, manifest=Manifest(command="evaluate")
    )
    found = [each for each in threats_of(findings) if each.severity is Severity.DEMOTES]
    assert [each.code for each in found] == ([] if code is None else [code])
    (after,) = gate_leagues([one], found)
    assert after.validity is (Validity.FIRM if code is None else Validity.CONDITIONAL)
