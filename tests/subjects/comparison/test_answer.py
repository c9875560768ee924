"""What a comparison of two versions says."""

from trialogue.records import Estimate, Interval
from trialogue.subjects.comparison.gate import comparison_answer
from trialogue.subjects.comparison.records import Light, MeasureComparison

UNTESTED = Estimate(value=None, why="the numbers of replies differ")


def judged(
    measure: str, light: Light = "inconclusive", *, p: float | None = 0.5, decides: bool = True
) -> MeasureComparison:
    found = UNTESTED if p is None else Estimate(value=0.1, interval=Interval(low=-0.1, high=0.3, method="made up"))
    return MeasureComparison(
        measure=measure, title=measure.title(), light=light, difference=found, p_adjusted=p, decides=decides
    )


def said(light: Light, *judgements: MeasureComparison) -> tuple[str, ...]:
    return comparison_answer(light, "v1", "v2", judgements, margin=None, alpha=0.05)


def test_measures_that_could_not_be_tested_are_named_and_not_counted() -> None:
    answer = said("better", judged("success", "better"), judged("bleu", p=None), judged("recall"))
    assert answer == (
        "v2 is significantly better than v1 on Success.",
        "The verdict is based on 2 measures (Success and Recall) at level 0.05, corrected across these measures. Bleu could "
        "not be tested.",
    )


def test_where_nothing_that_decides_could_be_tested_nobody_says_that_versions_are_alike() -> None:
    assert said("inconclusive", judged("bleu", p=None), judged("length", "changed", decides=False)) == (
        "On Bleu, v2 and v1 cannot be compared: the numbers of replies differ.",
    )


def test_what_could_not_have_been_seen_is_half_the_interval_of_the_first_measure_that_does_not_tell() -> None:
    answer = said("inconclusive", judged("bleu", p=None), judged("recall"))
    assert answer[-1].startswith("On Recall, only a measured difference of about 0.2 or more ")  # (.3 + .1) / 2


def test_without_a_measure_that_decides_nothing_is_said_of_tests() -> None:
    assert said("inconclusive", judged("length", "changed", decides=False))[0].startswith(
        "No measure decides between v2"
    )
