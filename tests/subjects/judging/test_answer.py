"""Tests of the answer about judged systems: it names a better system only where a corrected difference is significant."""

import pytest

from trialogue.findings.threat import Severity, Threat, ThreatCode, Validity
from trialogue.records import Estimate, Interval
from trialogue.records.reasons.codes import ReasonCode
from trialogue.records.reasons.reason import Reason
from trialogue.subjects.judging.answer import answer
from trialogue.subjects.judging.records import JudgedDifference, JudgedSystem, JudgedValue, JudgeVerdict


def value(mean: float, *, judge: float = 4.0) -> JudgedValue:
    estimate = Estimate(value=mean, interval=Interval(low=mean - 0.25, high=mean + 0.25, method="t"), n=40)
    return JudgedValue(judge=judge, alone=estimate, corrected=estimate, weight=0.5, width_ratio=0.8)


def system(name: str, mean: float, *, judge: float = 4.0) -> JudgedSystem:
    return JudgedSystem(system=name, judged=80, labels=40, value=value(mean, judge=judge))


def difference(
    a: str, b: str, size: float, verdict: JudgeVerdict, validity: Validity = Validity.FIRM
) -> JudgedDifference:
    return JudgedDifference(a=a, b=b, value=value(size), p_adjusted=0.02, verdict=verdict, validity=validity)


def test_no_system_leads_a_sentence_that_finds_no_difference() -> None:
    systems = [system("A", 3.1), system("B", 3.0), system("C", 2.9)]
    pairs = [difference(a, b, 0.1, "inconclusive") for a, b in (("A", "B"), ("A", "C"), ("B", "C"))]
    first = answer("task_completion", systems, pairs, ())[0]
    assert first == (
        "On task completion, no two of 3 systems differ significantly (0 of 3 pairs after correction); their corrected "
        "means lie between 2.90 and 3.10."
    )


def test_pairs_that_differ_are_named_from_better_to_worse_with_the_size() -> None:
    systems = [system("B", 3.6), system("A", 3.0), system("C", 3.0)]
    pairs = [
        difference("A", "B", -0.6, "worse"),
        difference("B", "C", 0.6, "better"),
        difference("A", "C", 0.0, "inconclusive"),
    ]
    assert answer("overall", systems, pairs, ())[0] == (
        "On overall, B is significantly better than A and C (B minus A: 0.60 [0.35, 0.85], p = .020); 2 of 3 pairs differ "
        "after correction for all pairs."
    )


def test_two_systems_without_a_difference_show_its_size() -> None:
    pair = difference("A", "B", 0.1, "inconclusive")
    first = answer("overall", [system("A", 3.1), system("B", 3.0)], [pair], ())[0]
    assert first == "On overall, A and B do not differ significantly (A minus B: 0.10 [-0.15, 0.35])."


def test_what_holds_under_conditions_is_said_after_what_holds_and_names_its_conditions() -> None:
    systems = [system("A", 4.0), system("B", 3.4), system("C", 3.0)]
    pairs = [
        difference("A", "B", 0.6, "better"),
        difference("A", "C", 1.0, "better", Validity.CONDITIONAL),
        difference("B", "C", 0.4, "better", Validity.CONDITIONAL),
    ]
    threat = Threat(
        code=ThreatCode.LABELS_CHOSEN,
        severity=Severity.DEMOTES,
        systems=("C",),
        facts={"labelled": 1.0, "others": 3.0},
    )
    firm, conditional, *_ = answer("overall", systems, pairs, [threat])
    assert firm.startswith("On overall, A is significantly better than B (")
    assert conditional.startswith("Conditional: On overall, A and B are significantly better than C (A minus C: 1.00 ")
    assert ", but the labelled units of C are not a random sample" in conditional
    assert "the judge scores them 1.00, the others 3.00" in conditional


def test_the_largest_error_of_the_judge_is_said_with_both_values() -> None:
    systems = [system("A", 3.1, judge=3.0), system("B", 3.0, judge=4.5)]
    pairs = [difference("A", "B", 0.1, "inconclusive")]
    assert answer("overall", systems, pairs, ())[1] == (
        "The judge alone is off by up to 1.50: it gives B 4.50; the corrected value is 3.00."
    )


def test_without_any_corrected_value_the_reason_is_the_answer() -> None:
    missing = Estimate(value=None, n=5, why=Reason(code=ReasonCode.TOO_FEW_LABELS, facts={"labels": 5, "least": 10}))
    undefined = JudgedValue(judge=4.0, alone=missing, corrected=missing, weight=0.0)
    sentences = answer("overall", [JudgedSystem(system="A", judged=80, labels=5, value=undefined)], [], ())
    assert len(sentences) == 1
    assert sentences[0].startswith("There is no corrected value for any system: ")


@pytest.mark.parametrize(
    ("ratio", "said"),
    [(0.6, "40% narrower than"), (1.5, "50% wider than"), (1.004, "as wide as"), (0.996, "as wide as")],
)
def test_what_the_judge_saves_is_said(ratio: float, said: str) -> None:
    size = value(0.1).model_copy(update={"width_ratio": ratio})
    pairs = [difference("A", other, 0.1, "inconclusive").model_copy(update={"value": size}) for other in ("B", "C")]
    sentences = answer("task_completion", [system("A", 3.1), system("B", 3.0), system("C", 3.0)], pairs, ())
    assert f"With the judge, intervals of differences are on average {said} those of the labels alone." in sentences
