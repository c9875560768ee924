"""Threats from users who do not behave as users."""

import pytest

from trialogue.findings import Findings, SystemFacts
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.texts import sentence
from trialogue.findings.threats.users import (
    fishers_p,
    several_models,
    shared_families,
    user_fault_differences,
    user_fault_hints,
    user_faults,
)
from trialogue.records import Manifest
from trialogue.records.kinds.suspicions import Gate


def facts(system: str, gated: int, *, of: int = 100, simulated: int | None = None) -> SystemFacts:
    gates = {Gate.LOOP: gated} if gated else {}
    return SystemFacts(
        system=system,
        dialogues=of,
        replies=of,
        simulated=of if simulated is None else simulated,
        gates=gates,
        gated=gated,
    )


def hinted(count: int, *, simulated: int = 100) -> SystemFacts:
    return facts("a", 0, simulated=simulated).model_copy(update={"gates": {Gate.NEED_CONTRADICTED: count}})


def findings(*systems: SystemFacts) -> Findings:
    return Findings(
        title="x", answer=(), systems=systems, leagues=(), primary=None, manifest=Manifest(command="evaluate")
    )


@pytest.mark.parametrize(
    ("gated", "simulated", "expected"),
    [
        (0, 100, None),
        (4, 100, Severity.NOTES),
        (5, 100, Severity.DEMOTES),
        (5, 99, Severity.NOTES),
        (4, 0, None),
        (5, 0, Severity.NOTES),
    ],
)
def test_from_five_percent_of_simulated_users_on_verdicts_are_conditional(
    gated: int, simulated: int, expected: Severity | None
) -> None:
    found = list(user_faults(findings(facts("a", gated, simulated=simulated))))
    assert [each.severity for each in found] == ([] if expected is None else [expected])


def test_what_users_did_is_said_with_its_number() -> None:
    (threat,) = user_faults(findings(facts("guided", 7)))
    assert sentence(threat) == "In 7 of 100 dialogues with guided the user did not behave as a user (loops 7)."
    assert Threat.model_validate_json(threat.model_dump_json()) == threat


@pytest.mark.parametrize(
    ("count", "simulated", "expected"),
    [
        (1, 100, Severity.NOTES),
        (49, 100, Severity.NOTES),
        (50, 100, Severity.DEMOTES),
        (50, 99, Severity.NOTES),
        (4, 0, None),
        (5, 0, Severity.NOTES),
    ],
)
def test_what_a_gate_finds_that_is_often_wrong_is_a_hint(count: int, simulated: int, expected: Severity | None) -> None:
    given = findings(hinted(count, simulated=simulated))
    assert list(user_faults(given)) == []
    assert [each.severity for each in user_fault_hints(given)] == ([] if expected is None else [expected])


def test_hints_and_faults_are_told_apart() -> None:
    both = facts("a", 7).model_copy(update={"gates": {Gate.LOOP: 7, Gate.TRUNCATED: 2}})
    assert [sentence(each) for each in user_faults(findings(both))] == [
        "In 7 of 100 dialogues with a the user did not behave as a user (loops 7)."
    ]
    assert [sentence(each) for each in user_fault_hints(findings(both))] == [
        "In some of 100 dialogues with a the user may not have behaved as a user (empty or cut messages 2): read them, "
        "since these gates miss faults and give false alarms."
    ]


def test_pairs_whose_users_differ_are_conditional() -> None:
    # Fisher's exact test of 0 of 100 against 6 of 100 gives p = .029, against 5 of 100 p = .059
    assert fishers_p(facts("a", 0), facts("b", 6)) == pytest.approx(0.029, abs=5e-4)
    assert fishers_p(facts("a", 0), facts("b", 5)) == pytest.approx(0.059, abs=5e-4)
    (threat,) = user_fault_differences(findings(facts("a", 0), facts("b", 6), facts("c", 3)))
    assert (threat.systems, threat.severity, threat.is_of_pair) == (("a", "b"), Severity.DEMOTES, True)
    assert sentence(threat) == "The simulated users of a and b were at fault in 0% and 6% of their dialogues."


def test_people_are_not_compared_and_neither_is_nothing() -> None:
    assert list(user_fault_differences(findings(facts("a", 0, simulated=0), facts("b", 60)))) == []
    assert list(user_fault_differences(findings(facts("a", 0, of=0), facts("b", 60)))) == []


def test_a_system_of_the_family_of_its_simulated_users_may_be_favoured() -> None:
    one = facts("a", 0).model_copy(update={"models": ("gpt-4o fp_1",), "user_models": ("openai/gpt-5-mini fp_2",)})
    two = facts("b", 0).model_copy(update={"models": ("claude-x",), "user_models": ("gpt-5-mini",)})
    named = facts("llama3", 0).model_copy(update={"user_models": ("Llama-3.1-8B",)})
    unknown = facts("c", 0).model_copy(update={"models": ("tiny",), "user_models": ("tiny",)})
    found = list(shared_families(findings(one, two, named, unknown, facts("gpt-4o", 0))))
    assert [(each.code, each.severity, each.systems) for each in found] == [
        (ThreatCode.USER_FAMILY, Severity.DEMOTES, ("a",)),
        (ThreatCode.USER_FAMILY, Severity.DEMOTES, ("llama3",)),
    ]
    assert sentence(found[0]) == "A and the simulated users are built on the same family of language models (GPT)."


def test_several_models_in_one_batch_are_a_mixture_of_users_or_of_the_system() -> None:
    one = facts("a", 0).model_copy(update={"models": ("m fp_1",), "user_models": ("u fp_1", "u fp_2")})
    two = facts("b", 0).model_copy(update={"models": ("m fp_1", "m fp_2"), "user_models": ("u fp_1",)})
    found = list(several_models(findings(one, two, facts("c", 0))))
    assert [(each.code, each.severity, each.systems) for each in found] == [
        (ThreatCode.SEVERAL_USER_MODELS, Severity.DEMOTES, ("a",)),
        (ThreatCode.SEVERAL_MODELS, Severity.NOTES, ("b",)),
    ]
    assert [sentence(each) for each in found] == [
        "Several models played the users of a: u fp_1 and u fp_2.",
        "Several models answered for b: m fp_1 and m fp_2.",
    ]
