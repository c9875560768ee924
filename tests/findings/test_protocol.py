"""Decision protocols: what they hold, in what a run differs from them, and what they make of verdicts."""

from typing import Any, Literal

import pytest
from pydantic import ValidationError

from trialogue.findings import Contrast, Findings, League, Measure, Standing, StatementKind, SystemFacts
from trialogue.findings.decision.check import check_protocol, declared_deviations, measured_deviations
from trialogue.findings.decision.margins import margin_sentences, simultaneous_bounds
from trialogue.findings.decision.verdict import decide_findings
from trialogue.findings.protocol import (
    Correction,
    DecisionProtocol,
    Deviation,
    DeviationKind,
    Exclusion,
    Margins,
    ProtocolCheck,
)
from trialogue.findings.threats import Severity, Threat, ThreatCode, Validity
from trialogue.findings.threats.detect import protocols
from trialogue.findings.threats.protocol_texts import TEXTS, status
from trialogue.records import CompletionCounts, Ending, Estimate, Interval, Manifest, MeasureName

RATED = MeasureName("human:satisfaction")
HASH = "0123456789abcdef"


def protocol(**fields: Any) -> DecisionProtocol:
    return DecisionProtocol.model_validate({"measure": RATED, **fields})


def league(
    name: str = RATED, *, difference: float = 1.0, p: float = 0.01, half: float = 0.6, n: int = 40, low: bool = False
) -> League:
    """Aria and bolt on one measure: aria minus bolt is the difference."""
    measure = Measure(
        name=name,
        title=name,
        by="people" if name == RATED else "metric",
        better="lower" if low else "higher",
        unit="points",
    )
    estimate = Estimate(
        value=difference,
        interval=Interval(low=difference - half, high=difference + half, method="t"),
        n=2 * n,
        clusters=2 * n,
        p=p,
    )
    verdict: Literal["a", "b", "inconclusive"] = "inconclusive" if p > 0.05 else ("b" if low else "a")
    standings = (
        Standing(system="aria", estimate=Estimate(value=3 + difference, n=n, clusters=n), rank_low=1, rank_high=1),
        Standing(system="bolt", estimate=Estimate(value=3.0, n=n, clusters=n), rank_low=2, rank_high=2),
    )
    contrast = Contrast(a="aria", b="bolt", difference=estimate, p_adjusted=p, verdict=verdict)
    return League(measure=measure, standings=standings, contrasts=(contrast,))


def findings(*leagues: League, threats: tuple[Threat, ...] = (), dialogues: int = 40) -> Findings:
    return Findings(
        title="t",
        answer=(),
        systems=tuple(SystemFacts(system=name, dialogues=dialogues, replies=dialogues) for name in ("aria", "bolt")),
        leagues=leagues or (league(),),
        primary=None,
        threats=threats,
        manifest=Manifest(command="evaluate"),
    )


def decided(found: Findings, of: DecisionProtocol, *deviations: Deviation) -> Findings:
    check = ProtocolCheck(protocol=of, sha256=HASH, deviations=deviations)
    return decide_findings(found.model_copy(update={"protocol": check}))


def test_a_protocol_and_its_check_are_the_same_after_a_round_trip() -> None:
    full = protocol(
        measures=["turns"],
        correction="across",
        margin={"equivalence": 0.2},
        exclude=[{"user_turns_below": 2}, {"participants": "P01"}],
        blocks="failures",
        n=10,
        systems=["aria"],
    )
    assert DecisionProtocol.model_validate_json(full.model_dump_json()) == full
    assert (full.blocks, full.exclude[1].participants) == ((ThreatCode.FAILURES,), ("P01",))
    check = ProtocolCheck(protocol=full, sha256=HASH, deviations=(Deviation(what=DeviationKind.WITHDRAWN),))
    assert ProtocolCheck.model_validate_json(check.model_dump_json()) == check


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"correction": "across"}, "needs further measures"),
        ({"measures": [RATED]}, "already in the family"),
        ({"exclude": [{}]}, "one rule"),
        ({"exclude": [{"user_turns_below": 2, "participants": ["P"]}]}, "one rule"),
        ({"margin": {"superiority": 0}}, "greater than 0"),
        ({"n": 0}, "greater than or equal to 1"),
        ({"blocks": ["everything"]}, "failures"),
    ],
)
def test_a_protocol_that_makes_no_sense_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        protocol(**fields)


def test_every_deviation_has_a_text() -> None:
    assert set(TEXTS) == set(DeviationKind)


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"measure": "turns"}, DeviationKind.PRIMARY_CHANGED, "changed from people's satisfaction to turns"),
        (
            {"measures": ["turns"], "correction": "across"},
            DeviationKind.FAMILY_CHANGED,
            "to across (further measures: turns)",
        ),
        ({"alpha": 0.1}, DeviationKind.ALPHA_CHANGED, "the level was changed from 0.05 to 0.1"),
        ({"margin": {"superiority": 0.5}}, DeviationKind.MARGIN_CHANGED, "from none to superiority 0.5"),
        (
            {"exclude": [{"user_turns_below": 2}]},
            DeviationKind.EXCLUSIONS_CHANGED,
            "from none to dialogues with fewer than 2 user utterances",
        ),
        ({"exclude": [{"participants": ["P1"]}]}, DeviationKind.EXCLUSIONS_CHANGED, "the participants P1"),
        ({"blocks": ["failures"]}, DeviationKind.BLOCKS_CHANGED, "from none to failures"),
        ({"n": 1000}, DeviationKind.SAMPLE_CHANGED, "from open to 1,000"),
        ({"systems": ["aria", "bolt"]}, DeviationKind.SYSTEMS_CHANGED, "from open to aria, bolt"),
        ({"looks": [30, 60]}, DeviationKind.LOOKS_CHANGED, "from one to at 30, 60"),
    ],
)
def test_every_choice_that_is_changed_is_a_deviation_of_its_own(
    changes: dict[str, Any], kind: DeviationKind, words: str
) -> None:
    (deviation,) = declared_deviations(protocol(), protocol(**changes))
    assert deviation.what is kind
    text = status(ProtocolCheck(sha256=HASH, deviations=(deviation,)))
    assert text.startswith("Decision protocol 0123456789ab: not kept: ")
    assert words in text


def test_the_order_of_lists_is_no_deviation() -> None:
    one = protocol(measures=["turns", "length"], blocks=["failures", "few_clusters"], systems=["a", "b"])
    other = protocol(measures=["length", "turns"], blocks=["few_clusters", "failures"], systems=["b", "a"])
    assert declared_deviations(one, other) == ()


def test_with_other_users_the_plan_of_those_that_were_to_decide_is_not_compared() -> None:
    before = protocol(measure="turns", users="cir6-pkg", n=12, systems=["aria"])
    kinds = [each.what for each in declared_deviations(before, protocol())]
    assert kinds == [DeviationKind.PRIMARY_CHANGED]


def test_fewer_dialogues_than_planned_and_many_more_are_deviations() -> None:
    found = findings(dialogues=40)

    def kinds(n: int) -> list[tuple[DeviationKind, str | None]]:
        return [(each.what, each.system) for each in measured_deviations(protocol(n=n), found)]

    assert kinds(41) == [(DeviationKind.FEWER_DIALOGUES, "aria"), (DeviationKind.FEWER_DIALOGUES, "bolt")]
    assert kinds(40) == []
    assert kinds(37) == []  # 1.1 * 37 = 40.7
    assert kinds(36) == [(DeviationKind.MORE_DIALOGUES, "aria"), (DeviationKind.MORE_DIALOGUES, "bolt")]  # 39.6


def test_dialogues_that_nobody_rated_or_that_somebody_else_broke_do_not_count() -> None:
    found = findings(league(n=30), dialogues=40)
    first, second = measured_deviations(protocol(n=40), found)
    assert (first.actual, second.actual) == (30, 30)  # rated
    completion = CompletionCounts(system="aria", dialogues=40, failed={Ending.HARNESS_ERROR: 5, Ending.AGENT_ERROR: 7})
    broken = found.model_copy(
        update={
            "leagues": (league("turns"),),
            "systems": (found.systems[0].model_copy(update={"completion": completion}),),
        }
    )
    (deviation,) = measured_deviations(protocol(measure="turns", n=40), broken)
    assert deviation.actual == 35  # 40 - 5; the agent's own failures are outcomes


def test_a_renamed_system_is_one_that_is_missing_and_one_that_was_not_planned() -> None:
    deviations = list(measured_deviations(protocol(systems=["aria", "bold"]), findings()))
    assert [(each.what, each.system) for each in deviations] == [
        (DeviationKind.SYSTEM_MISSING, "bold"),
        (DeviationKind.SYSTEM_ADDED, "bolt"),
    ]


def test_a_measure_without_values_is_missing() -> None:
    (deviation,) = measured_deviations(protocol(measure="turns"), findings())
    assert deviation == Deviation(what=DeviationKind.MEASURE_MISSING, planned="turns")
    assert [each.what for each in measured_deviations(protocol(), None)] == [DeviationKind.MEASURE_MISSING]


def test_an_analysis_without_a_declared_decision_is_exploratory() -> None:
    (threat,) = protocols(findings())
    assert (threat.code, threat.severity) == (ThreatCode.NO_PROTOCOL, Severity.NOTES)
    undecided = findings(threats=(threat,))
    assert ThreatCode.NO_PROTOCOL not in {each.code for each in decided(undecided, protocol()).threats}


def test_a_protocol_that_was_not_kept_makes_every_verdict_conditional() -> None:
    found = decided(findings(), protocol(), Deviation(what=DeviationKind.AFTER_RESULTS))
    assert {contrast.validity for contrast in found.leagues[0].contrasts} == {Validity.CONDITIONAL}
    assert found.answer[0].text.startswith("Conditional: On ")
    assert "was not kept (it was written when the folder already had results" in found.answer[0].text
    kept = decided(findings(), protocol())
    assert {contrast.validity for contrast in kept.leagues[0].contrasts} == {Validity.FIRM}


def test_conversations_that_were_there_first_are_noted_and_demote_nothing() -> None:
    check = ProtocolCheck(protocol=protocol(), sha256=HASH, data_existed=True)
    found = decide_findings(findings().model_copy(update={"protocol": check}))
    assert [(threat.code, threat.severity) for threat in found.threats] == [
        (ThreatCode.PROTOCOL_AFTER_DATA, Severity.NOTES)
    ]
    assert found.leagues[0].contrasts[0].validity is Validity.FIRM


def test_the_answer_rests_on_the_primary_measure_even_if_another_one_leads() -> None:
    found = decided(findings(league(), league("turns", p=0.5)), protocol(measure="turns"))
    assert found.primary == "turns"
    assert found.answer[0].text.startswith("On turns, aria and bolt do not differ significantly")


def test_a_primary_measure_that_is_missing_leaves_no_verdict() -> None:
    found = decided(findings(), protocol(measure="turns"))
    assert found.primary is None
    assert found.answer[0].text.startswith("There is no verdict: the decision protocol rests it on turns")


def test_a_threat_that_the_protocol_names_blocks() -> None:
    few = Threat(code=ThreatCode.FEW_CLUSTERS, severity=Severity.DEMOTES, systems=("aria",), facts={"clusters": 4})
    found = decided(findings(threats=(few,)), protocol(blocks=["few_clusters"]))
    assert found.leagues[0].contrasts[0].verdict == "undefined"
    assert found.threats[0].severity is Severity.BLOCKS
    assert StatementKind.THREAT in {statement.kind_of for statement in found.answer}
    assert decided(findings(threats=(few,)), protocol()).leagues[0].contrasts[0].verdict == "a"


def test_a_blocked_primary_measure_leaves_no_verdict() -> None:
    chance = Threat(
        code=ThreatCode.AT_CHANCE, severity=Severity.DEMOTES, facts={"asked": "satisfaction", "data": "x", "auc": 0.5}
    )
    found = decided(findings(threats=(chance,)), protocol(blocks=["at_chance"]))
    assert found.answer[0].text == "There is no verdict on human:satisfaction: a threat blocks it."


def test_p_values_are_corrected_across_the_family() -> None:
    family = protocol(measures=["turns"], correction=Correction.ACROSS)
    found = decided(findings(league(p=0.03), league("turns", p=0.04), league("other", p=0.04)), family)
    adjusted = {each.measure.name: each.contrasts[0].p_adjusted for each in found.leagues}
    assert adjusted == {RATED: 0.06, "turns": 0.08, "other": 0.04}  # Bonferroni over the two of the family
    assert [each.contrasts[0].verdict for each in found.leagues] == ["inconclusive", "inconclusive", "a"]
    assert (found.leagues[0].standings[0].rank_low, found.leagues[0].standings[0].rank_high) == (1, 2)


def test_that_several_measures_were_looked_at_is_no_threat_to_what_was_fixed_before() -> None:
    several = Threat(code=ThreatCode.SEVERAL_MEASURES, severity=Severity.NOTES, facts={"measures": 3})
    assert decided(findings(threats=(several,)), protocol()).threats == ()
    changed = decided(findings(threats=(several,)), protocol(), Deviation(what=DeviationKind.WITHDRAWN))
    assert ThreatCode.SEVERAL_MEASURES in {threat.code for threat in changed.threats}


def test_nobody_is_better_by_less_than_the_margin_of_superiority() -> None:
    found = findings(league(difference=1.0, half=0.6))  # [0.4, 1.6]
    assert decided(found, protocol(margin={"superiority": 0.3})).leagues[0].contrasts[0].verdict == "a"
    short = decided(found, protocol(margin={"superiority": 0.5}))
    assert short.leagues[0].contrasts[0].verdict == "inconclusive"
    assert short.answer[0].text == (
        "On human:satisfaction, no system is shown to be better than another one by more than 0.5 "
        "(difference 1.0 [0.4, 1.6])."
    )


def test_not_worse_is_claimed_only_of_the_side_whose_interval_leaves_the_margin_out() -> None:
    even = league(difference=0.1, half=0.3, p=0.5)  # [-0.2, 0.4]

    def say(margin: float) -> list[str]:
        return list(margin_sentences(even, Margins(non_inferiority=margin), (), alpha=0.05))

    assert say(0.1) == ["No system is shown to be non-inferior to another one within 0.1 (non-inferiority margin)."]
    assert say(0.3) == ["Not worse by more than 0.3 (non-inferiority margin): aria against bolt."]
    assert say(0.5) == ["Not worse by more than 0.5 (non-inferiority margin): aria against bolt and bolt against aria."]
    lower = league(difference=0.1, half=0.3, p=0.5, low=True)  # lower is better: bolt is ahead
    (text,) = margin_sentences(lower, Margins(non_inferiority=0.3), (), alpha=0.05)
    assert text.endswith(": bolt against aria.")


def test_equivalent_is_claimed_only_if_the_whole_interval_is_within_the_margin() -> None:
    even = league(difference=0.1, half=0.3, p=0.5)  # [-0.2, 0.4]
    assert "No pair" in next(margin_sentences(even, Margins(equivalence=0.4), (), alpha=0.05))  # the end is not within
    text = next(margin_sentences(even, Margins(equivalence=0.41), (), alpha=0.05))
    assert text == "Equivalent (differ by less than 0.41): aria and bolt."


def test_a_claim_in_favour_of_a_failing_system_is_conditional_and_one_against_it_is_not() -> None:
    even = league(difference=0.0, half=0.1, p=0.9)
    failing = Threat(
        code=ThreatCode.FAILURES,
        severity=Severity.DEMOTES,
        systems=("bolt",),
        only_if_ahead=True,
        facts={"failed": 9, "dialogues": 40},
    )
    firm, conditional = margin_sentences(even, Margins(non_inferiority=0.5), (failing,), alpha=0.05)
    assert firm.endswith(": aria against bolt.")
    assert conditional.startswith("Conditional")
    assert conditional.endswith(": bolt against aria.")


def test_intervals_of_several_pairs_are_wider() -> None:
    difference = league().contrasts[0].difference  # half 0.6, 80 clusters: 39 degrees of freedom
    ends = simultaneous_bounds(difference, pairs=3, alpha=0.05)
    assert ends is not None
    # t(39) at 1 - .05/6 is 2.50166 (scipy.stats.t.ppf), at .975 it is 2.02269: 0.6 * 2.50166 / 2.02269 = 0.74208
    assert ends == pytest.approx((1 - 0.74208, 1 + 0.74208), abs=1e-4)
    assert simultaneous_bounds(Estimate(value=1.0, n=2), pairs=1, alpha=0.05) is None


def test_an_exclusion_is_one_rule() -> None:
    assert Exclusion(user_turns_below=2).participants == ()


@pytest.mark.parametrize(
    ("difference", "half", "p", "expected"),
    [
        (1.0, 0.3, 0.001, "Better by more than 0.5, the smallest difference that matters: aria than bolt."),
        (
            0.6,
            0.3,
            0.001,
            "Better, but it is open whether by 0.5 or more, the smallest difference that matters: aria than bolt.",
        ),
        (0.2, 0.1, 0.001, "Better, but by less than 0.5, the smallest difference that matters: aria than bolt."),
        (0.1, 0.3, 0.5, "No difference that matters (of 0.5 or more): aria and bolt."),
        (0.3, 0.4, 0.2, "Undecided whether there is a difference that matters (of 0.5 or more): aria and bolt."),
    ],
)
def test_a_difference_is_held_against_the_smallest_one_that_matters(
    difference: float, half: float, p: float, expected: str
) -> None:
    found = league(difference=difference, half=half, p=p)
    assert list(margin_sentences(found, Margins(matters=0.5), (), alpha=0.05)) == [expected]
    turned = league(difference=-difference, half=half, p=p, low=True)  # fewer is better, and aria has fewer
    turned = turned.model_copy(
        update={
            "contrasts": tuple(
                each.model_copy(update={"verdict": "a" if p < 0.05 else each.verdict}) for each in turned.contrasts
            )
        }
    )
    assert list(margin_sentences(turned, Margins(matters=0.5), (), alpha=0.05)) == [expected]


@pytest.mark.parametrize(
    ("clusters", "p", "verdict", "said"),
    [
        (29, 1e-9, "inconclusive", "before the first planned look, at 30, nothing is significant"),
        (30, 0.001, "inconclusive", "Look 1 of 3, at 30 of 90"),
        (30, 0.0001, "a", "at most 0.00021"),  # boundary 3.7103 of three equal looks
        (60, 0.011, "a", "at most 0.012"),  # 2.5114
        (60, 0.013, "inconclusive", "at most 0.012"),
        (90, 0.046, "a", "at most 0.046"),  # 1.993
        (200, 0.046, "a", "Look 3 of 3"),
    ],
)
def test_each_look_has_a_part_of_the_level(clusters: int, p: float, verdict: str, said: str) -> None:
    found = decided(findings(league(p=p, n=clusters)), protocol(looks=[30, 60, 90]))
    assert found.leagues[0].contrasts[0].verdict == verdict
    assert any(said in statement.text for statement in found.answer)


def test_a_look_before_the_first_planned_one_is_a_deviation() -> None:
    checked = check_protocol(findings(league(n=20), dialogues=20), protocol(looks=[30, 60], n=60))
    assert [each.what for each in checked.deviations] == [DeviationKind.LOOK_TOO_EARLY]
    assert "20 people or dialogues of a system, and the first look was planned at 30" in status(checked)


def test_a_look_after_the_last_planned_one_is_a_deviation() -> None:
    """The last one spends what is left: who goes on until a difference is significant finds one too often."""
    for clusters, found in ((66, []), (67, [DeviationKind.LOOK_TOO_LATE])):  # a tenth more is none
        checked = check_protocol(findings(league(n=clusters), dialogues=clusters), protocol(looks=[30, 60]))
        assert [each.what for each in checked.deviations] == found
    assert "67 people or dialogues of each system, and the last look was planned at 60" in status(checked)


def test_a_look_that_the_planned_dialogues_cannot_reach_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"the last look is planned at 60 .* 50 dialogues \(n\) cannot have"):
        protocol(looks=[30, 60], n=50)


def test_a_look_that_no_p_of_so_few_arrangements_can_pass_says_so() -> None:
    few = league(p=0.005, n=30)
    contrasts = [
        each.model_copy(
            update={
                "difference": each.difference.model_copy(
                    update={
                        "interval": Interval(
                            low=0.1, high=0.9, confidence=0.95, method="permutation", facts={"arrangements": 400.0}
                        )
                    }
                )
            }
        )
        for each in few.contrasts
    ]
    found = decided(findings(few.model_copy(update={"contrasts": tuple(contrasts)})), protocol(looks=[30, 60, 90]))
    assert any("With 400 arrangements (resamples), no p is below 0.005" in each.text for each in found.answer)


def test_looks_must_ascend() -> None:
    with pytest.raises(ValidationError, match="looks must ascend"):
        protocol(looks=[60, 30])
