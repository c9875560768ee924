"""Leagues order systems, correct p-values over pairs, and leave open what the tests leave open."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.special import ndtr

from trialogue.findings import Contrast, League, Measure
from trialogue.findings.family import corrected_together
from trialogue.findings.league import leagues
from trialogue.findings.league_verdicts import count_better_and_worse, verdict
from trialogue.findings.systems.answer import answer, primary_league, texts_of
from trialogue.findings.threats import Validity
from trialogue.findings.wording import render_estimate
from trialogue.records import Estimate, Interval, Level, Score
from trialogue.records.scale import Scale
from trialogue.stats.comparison.families import FamilyMethod


def score(level: Level, system: str, value: float | None, versus: str | None = None, p: float | None = None) -> Score:
    return Score(
        measure="m",
        level=level,
        system=system,
        versus=versus,
        value=value,
        why=None if value is not None else "no replies",
        interval=None if value is None else Interval(low=value - 0.1, high=value + 0.1, method="test"),
        n=20,
        clusters=20,
        p=p,
        signature="m|seed:0",
    )


def measure(better: str = "higher", by: str = "people") -> Measure:
    return Measure.model_validate({"name": "m", "title": "Merit", "by": by, "better": better, "unit": "share"})


def league(
    values: dict[str, float | None], p: dict[tuple[str, str], float], *, better: str = "higher", by: str = "people"
) -> League:
    scores = [score("system", system, value) for system, value in values.items()]
    for a, b in combinations(values, 2):
        first, second = values[a], values[b]
        gap = None if first is None or second is None else first - second
        scores.append(score("difference", a, gap, b, p.get((a, b), 0.9) if gap is not None else None))
    (found,) = leagues(scores, [measure(better, by)])
    return found


SURE = {("a", "b"): 0.0001, ("a", "c"): 0.0001, ("b", "c"): 0.5}


def test_the_best_system_comes_first_and_undefined_ones_last() -> None:
    found = league({"a": 0.1, "b": None, "c": 0.7}, {})
    assert [standing.system for standing in found.standings] == ["c", "a", "b"]
    assert str(found.standings[-1].estimate.why) == "no replies"


def test_where_lower_is_better_the_lowest_comes_first_and_wins() -> None:
    found = league({"a": 0.9, "b": 0.1, "c": 0.2}, SURE, better="lower")
    assert [standing.system for standing in found.standings] == ["b", "c", "a"]
    assert found.contrasts[0].verdict == "b"


def test_a_measure_without_direction_ranks_nothing() -> None:
    found = league({"a": 0.9, "b": 0.1, "c": 0.2}, SURE, better="neither")
    assert [standing.system for standing in found.standings] == ["a", "b", "c"]
    assert {standing.rank_low for standing in found.standings} == {None}
    assert {contrast.verdict for contrast in found.contrasts} == {"inconclusive"}


def test_p_values_are_corrected_over_the_pairs_of_a_measure() -> None:
    found = league({"a": 0.9, "b": 0.5, "c": 0.1}, {("a", "b"): 0.02, ("a", "c"): 0.01, ("b", "c"): 0.04})
    # Bonferroni: 3 * .01, 3 * .02, 3 * .04
    adjusted = {(contrast.a, contrast.b): contrast.p_adjusted for contrast in found.contrasts}
    assert adjusted == pytest.approx({("a", "c"): 0.03, ("a", "b"): 0.06, ("b", "c"): 0.12})


def test_rank_ranges_are_what_the_corrected_differences_leave_open() -> None:
    found = league({"a": 0.9, "b": 0.3, "c": 0.2}, SURE)
    ranges = {standing.system: (standing.rank_low, standing.rank_high) for standing in found.standings}
    assert ranges == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}


def test_one_system_has_no_rank() -> None:
    assert league({"a": 0.9}, {}).standings[0].rank_low is None


def test_values_of_single_dialogues_are_kept_for_pictures() -> None:
    scores = [score("system", "a", 0.5), score("dialogue", "a", 0.4), score("dialogue", "a", 0.6)]
    (found,) = leagues(scores, [measure()])
    assert found.values == {"a": (0.4, 0.6)}


def test_of_very_many_values_pictures_take_those_at_evenly_spaced_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.findings.league.MAX_DRAWN", 3)
    scores = [score("system", "a", 0.5), *(score("dialogue", "a", each / 10) for each in (5, 1, 4, 2, 3))]
    (found,) = leagues(scores, [measure()])
    assert found.values == {"a": (0.1, 0.3, 0.5)}  # the lowest, the median, the highest
    (found,) = leagues(scores[:4], [measure()])
    assert found.values == {"a": (0.5, 0.1, 0.4)}  # all three, as they came


def test_scores_of_other_measures_are_passed_over() -> None:
    other = score("system", "z", 1.0).model_copy(update={"measure": "other"})
    (found,) = leagues([score("system", "a", 0.5), other], [measure()])
    assert [standing.system for standing in found.standings] == ["a"]


@given(difference=st.floats(-1, 1), p=st.floats(0, 1))
def test_a_verdict_needs_a_small_p_and_follows_the_sign(difference: float, p: float) -> None:
    decided = verdict(difference, p, better="higher", alpha=0.05)
    assert decided == ("inconclusive" if p > 0.05 or difference == 0 else "a" if difference > 0 else "b")
    mirrored = {"a": "b", "b": "a"}.get(decided, decided)
    assert verdict(difference, p, better="lower", alpha=0.05) == mirrored


def test_without_a_difference_or_a_p_value_there_is_no_verdict() -> None:
    assert verdict(None, 0.01, better="higher", alpha=0.05) == "undefined"
    assert verdict(0.5, None, better="higher", alpha=0.05) == "undefined"


def test_beaten_counts_both_sides() -> None:
    def won(a: str, b: str, by: str) -> Contrast:
        return Contrast.model_validate({"a": a, "b": b, "difference": {"value": 1.0}, "verdict": by})

    contrasts = [won("x", "y", "a"), won("z", "x", "a"), won("x", "w", "inconclusive")]
    assert count_better_and_worse("x", contrasts) == (1, 1)


def said(found: list[League]) -> tuple[str, ...]:
    return texts_of(answer(found, None))


def test_the_answer_names_the_best_and_whom_it_beats() -> None:
    (sentence,) = said([league({"a": 0.9, "b": 0.3, "c": 0.2}, SURE)])
    assert sentence == (
        "On Merit, a is significantly better than b and c (a over b by 0.60 [0.50, 0.70], p < .001); 2 of 3 pairs differ "
        "after correction."
    )


def test_the_answer_of_two_systems_gives_the_difference() -> None:
    (sentence,) = said([league({"a": 0.9, "b": 0.3}, {("a", "b"): 0.0004})])
    assert sentence == "On Merit, a is better than b by 0.60 [0.50, 0.70], a significant difference (p < .001)."


def test_systems_that_are_better_than_the_same_ones_are_named_together() -> None:
    p = {("a", "b"): 0.8, ("a", "c"): 0.0001, ("b", "c"): 0.0001}
    (sentence,) = said([league({"a": 0.9, "b": 0.85, "c": 0.2}, p)])
    assert sentence.startswith(
        "On Merit, a and b are significantly better than c (a over c by 0.70 [0.60, 0.80], p < .001)"
    )


def test_systems_that_are_better_than_different_ones_are_named_apart() -> None:
    p = {("a", "b"): 0.8, ("a", "c"): 0.0001, ("b", "c"): 0.8}
    (sentence,) = said([league({"a": 0.9, "b": 0.5, "c": 0.2}, p)])
    assert sentence.startswith("On Merit, a is better than c by 0.70")
    assert sentence.endswith("; 1 of 3 pairs differ after correction.")


def test_the_leading_system_has_a_sentence_of_its_own_and_the_other_pairs_follow() -> None:
    p = {("a", "c"): 0.0001, ("a", "d"): 0.0001, ("b", "d"): 0.0001}
    first, second = said([league({"a": 0.9, "b": 0.7, "c": 0.3, "d": 0.2}, p)])
    assert first == ("On Merit, a is significantly better than c and d (a over c by 0.60 [0.50, 0.70], p < .001).")
    assert second == "Also, b is significantly better than d. In all, 3 of 6 pairs differ after correction."


def test_where_lower_is_better_the_leader_is_lower_by_a_positive_number() -> None:
    (sentence,) = said([league({"a": 0.9, "b": 0.3}, {("a", "b"): 0.0004}, better="lower")])
    assert sentence == "On Merit, b is better than a: 0.60 [0.50, 0.70] lower, a significant difference (p < .001)."


def test_differences_of_shares_are_in_percentage_points() -> None:
    share = league({"a": 0.9, "b": 0.3}, {("a", "b"): 0.0004})
    scale = Scale(low=0, high=1)
    (sentence,) = said([share.model_copy(update={"measure": share.measure.model_copy(update={"scale": scale})})])
    assert sentence == "On Merit, a is better than b by 60 points [50, 70], a significant difference (p < .001)."


def test_where_nothing_is_sure_the_answer_says_so() -> None:
    (sentence,) = said([league({"a": 0.9, "b": 0.85}, {})])
    assert sentence == "On Merit, a and b do not differ significantly (a minus b: 0.05 [-0.05, 0.15], p = .900)."


def test_one_system_has_nothing_to_be_compared_with() -> None:
    (sentence,) = said([league({"a": 0.9}, {})])
    assert sentence == "a scores 0.90 [0.80, 1.00] on Merit; there is no second system to compare."


def test_an_answer_from_a_metric_alone_says_that_nobody_was_asked() -> None:
    sentences = said([league({"a": 0.9, "b": 0.85}, {}, by="metric")])
    assert sentences[-1].startswith("The data contain no human judgement")


def test_people_s_ratings_that_compare_nothing_are_not_said_to_be_missing() -> None:
    people = league({"a": 0.9, "b": None}, {})  # one system has no value: no pair can be compared
    sentences = said([people, league({"a": 0.9, "b": 0.85}, {}, by="metric")])
    assert sentences[-1] == "b has no ratings by people that count: a metric does not show what people prefer."


def test_people_s_ratings_that_a_threat_blocks_are_not_said_to_be_too_few() -> None:
    people = league({"a": 0.9, "b": 0.3}, SURE)
    blocked = [
        each.model_copy(update={"verdict": "undefined", "validity": Validity.BLOCKED}) for each in people.contrasts
    ]
    people = people.model_copy(update={"contrasts": tuple(blocked)})
    sentences = said([people, league({"a": 0.9, "b": 0.85}, {}, by="metric")])
    assert sentences[-1].startswith("A threat blocks any ranking by people's ratings")


def test_people_come_before_metrics() -> None:
    people = league({"a": 0.5, "b": 0.4}, {})
    metric = league({"a": 0.5, "b": 0.4}, {}, by="metric")
    assert primary_league([metric, people]) is people
    assert primary_league([league({"a": 1.0}, {}, better="neither")]) is None


def test_nothing_to_rank_is_said() -> None:
    assert "The systems cannot be ranked" in said([])[0]


def test_a_value_is_written_with_the_digits_that_its_interval_supports() -> None:
    wide = Estimate(value=0.5234, interval=Interval(low=0.38, high=0.67, method="x"))
    narrow = Estimate(value=0.5234, interval=Interval(low=0.5214, high=0.5254, method="x"))
    assert render_estimate(wide) == "0.52 [0.38, 0.67]"
    assert render_estimate(narrow) == "0.5234 [0.5214, 0.5254]"
    assert render_estimate(Estimate(value=None, why="no replies")) == "undefined (no replies)"


def differing(a: str, b: str, gap: float, *, clusters: float = 40, error: float = 1.0) -> Score:
    facts = {"standard_error": error, "smaller_side": clusters}
    interval = Interval(low=gap - 1.96 * error, high=gap + 1.96 * error, method="test", facts=facts)
    p = 2 * float(ndtr(-abs(gap) / error))
    return score("difference", a, gap, b, p).model_copy(update={"interval": interval, "clusters": 10_000})


def three(**options: float) -> League:
    values = {"a": 0.0, "b": 1.9, "c": 2.5}
    scores = [score("system", system, value) for system, value in values.items()]
    scores += [differing(x, y, values[x] - values[y], **options) for x, y in combinations(values, 2)]
    (found,) = leagues(scores, [measure()])
    return found


def test_pairs_of_enough_clusters_are_corrected_by_max_t_and_others_by_bonferroni() -> None:
    together, apart = three(), three(clusters=19)
    assert (together.correction, apart.correction) == (FamilyMethod.MAX_T, FamilyMethod.BONFERRONI)
    for one, other in zip(together.contrasts, apart.contrasts, strict=True):
        assert one.p_adjusted is not None
        assert other.p_adjusted is not None
        assert one.p_adjusted <= other.p_adjusted


def test_simultaneous_intervals_are_wider_and_single_step() -> None:
    """Three systems of equal error: Tukey's quantile of the range is 3.3145, over sqrt(2) 2.3437."""
    for found in three().contrasts:
        pairwise, together, value = found.difference.interval, found.simultaneous, found.difference.value
        assert pairwise is not None
        assert together is not None
        assert value is not None
        if together.high != 0 and together.low != 0:
            assert together.high - value == pytest.approx(2.3437, abs=0.03)
        assert together.low <= pairwise.low
        assert together.high >= pairwise.high
        assert "single-step" in together.method
        assert together.confidence == 0.95


def test_a_single_pair_has_no_simultaneous_interval() -> None:
    scores = [score("system", "a", 1.0), score("system", "b", 0.0), differing("a", "b", 1.0)]
    (found,) = leagues(scores, [measure()])
    assert [contrast.simultaneous for contrast in found.contrasts] == [None]


def test_measures_are_corrected_together_on_request() -> None:
    """Six pairs in two measures: the smallest p, .0124 (2.5 errors), counts six times."""
    other = three().measure.model_copy(update={"name": "n", "measured": "n"})
    found = corrected_together((three(), three().model_copy(update={"measure": other})), {"m", "n"}, alpha=0.05)
    p = 2 * float(ndtr(-2.5))
    assert found[0].contrasts[1].p_adjusted == pytest.approx(6 * p)
    assert [each.correction for each in found] == [FamilyMethod.BONFERRONI] * 2
    assert {each.leader for each in found[0].contrasts} == {None}
    alone = corrected_together((three(), found[1]), {"m"}, alpha=0.05)
    assert alone[0].contrasts[1].p_adjusted == pytest.approx(3 * p)
    assert alone[0].contrasts[1].leader == "c"
    assert alone[1] == found[1]


def test_what_is_no_measure_is_refused_as_what_it_is() -> None:
    with pytest.raises(ValidationError) as caught:
        Measure.model_validate("success")
    assert [error["input"] for error in caught.value.errors()] == ["success"]
