"""Rating agreement: joining scores, scopes, Simpson's paradox, abstaining, contrasts."""

import numpy as np
import pytest

from tests.findings.raters import rated, truth
from trialogue.findings.resampling import Resampling
from trialogue.records import Reason, ReasonCode, Score
from trialogue.stats import auc, spearman
from trialogue.subjects.agreement.rating_agreement import rating_agreement, user_mean_agreement
from trialogue.subjects.agreement.score_pairs import judgement_tables, system_means

FEW = Resampling(0, 200)


def test_scores_of_people_and_measures_meet_at_their_unit() -> None:
    [table] = judgement_tables(rated([1.0, 2.0, 3.0], [0, 1, None], ["a", "a", "b"]))
    assert (table.question, table.level) == ("human:satisfaction", "dialogue")
    assert table.systems == ("a", "a")  # the third was not rated
    assert table.people.tolist() == [0.0, 1.0]
    assert table.values["metric"].tolist() == [1.0, 2.0]
    assert table.is_binary
    assert system_means(table, table.people) == {"a": 0.5}


def test_people_are_the_clusters_where_each_dialogue_has_one_rater() -> None:
    [table] = judgement_tables(rated([1.0, 2.0, 3.0], [0, 1, 1], ["a", "b", "a"], raters=["ann", "ann", "bob"]))
    assert (table.clusters, table.clustered_by) == (("ann", "bob", "ann"), "person")  # sorted by system


def test_dialogues_are_the_clusters_where_several_people_or_nobody_known_rated() -> None:
    scores = rated([1.0, 2.0], [0, 1], ["a", "b"], raters=["aggregate", "aggregate"])
    [table] = judgement_tables(scores)
    assert (table.clusters, table.clustered_by) == (("a-0", "b-1"), "dialogue")


def test_several_ratings_of_one_unit_are_averaged_and_kept() -> None:
    scores = rated([1.0, 2.0], [0, 1], ["a", "b"], raters=["x", "x"])
    scores += [score.model_copy(update={"rater": "y", "value": 1.0}) for score in scores if score.rater]
    [table] = judgement_tables(scores)
    assert table.people.tolist() == [0.5, 1.0]
    assert table.raters[0] == {"x": 0.0, "y": 1.0}


def test_other_people_s_answers_are_a_measure_and_the_same_people_s_are_not() -> None:
    scores = rated([1.0, 2.0], [0, 1], ["a", "b"], raters=["x", "y"])
    third = [Score(measure="human:overall", level="dialogue", value=v, system=s, dialogue_id=d, rater="aggregate")
             for v, s, d in ((0.0, "a", "a-0"), (4.0, "b", "b-1"))]  # fmt: skip
    own = [score.model_copy(update={"measure": "human:liked"}) for score in scores if score.rater]
    table = next(each for each in judgement_tables([*scores, *third, *own]) if each.question == "human:satisfaction")
    assert set(table.values) == {"metric", "human:overall"}


def test_coefficients_are_those_of_stats() -> None:
    good, systems = truth()
    people, values = (good > 2).astype(float), good + np.random.default_rng(1).normal(size=len(good))
    [table] = judgement_tables(rated(values, people, systems))
    found = rating_agreement(table, "metric", resampling=FEW)
    area = found.get("auc")
    assert area is not None
    assert area.estimate.value == auc(table.values["metric"], table.people).value
    within = found.get("auc", "within")
    assert within is not None
    expected = auc(table.values["metric"], table.people, groups=table.systems, method="percentile").value
    assert within.estimate.value == pytest.approx(expected)
    ranked = found.get("spearman")
    assert ranked is not None
    assert ranked.estimate.value == pytest.approx(spearman(table.values["metric"], table.people).value)
    assert ranked.estimate.interval is not None
    assert {each.scope for each in found.agreed} == {"pooled", "within", "between"}


def test_a_measure_of_which_less_is_better_is_turned_around() -> None:
    good, systems = truth()
    people = (good > 2).astype(float)
    [up] = judgement_tables(rated(good, people, systems))
    [down] = judgement_tables(rated(-good, people, systems))
    one, other = (
        rating_agreement(up, "metric", resampling=FEW),
        rating_agreement(down, "metric", lower=True, resampling=FEW),
    )
    assert one.agreed == other.agreed


def test_simpson_s_paradox_is_found_where_it_was_planted() -> None:
    rng = np.random.default_rng(0)
    place = np.repeat(np.arange(6), 30)
    inside = rng.normal(size=180)
    values, people = 3.0 * place + inside, 3.0 * place - inside  # systems agree, their dialogues disagree
    [table] = judgement_tables(rated(values, people, [f"s{number}" for number in place]))
    found = rating_agreement(table, "metric", resampling=FEW)
    pooled, within = found.get("spearman"), found.get("spearman", "within")
    assert pooled is not None
    assert within is not None
    assert pooled.estimate.value is not None and pooled.estimate.value > 0.8  # noqa: PT018
    assert within.estimate.value is not None and within.estimate.value < -0.9  # noqa: PT018
    assert "Simpson" in str(found.note)


def test_a_measure_that_only_knows_the_system_is_distinguished_from_one_that_knows_the_dialogue() -> None:
    good, systems = truth(240, between=2.0)
    only = np.array([float("abcdef".index(system)) for system in systems]) + 0.01 * np.random.default_rng(2).normal(
        size=240
    )
    [table] = judgement_tables(rated(only, good, systems))
    assert rating_agreement(table, "metric", resampling=FEW).note == Reason.of(ReasonCode.SEPARATES_SYSTEMS_ONLY)


def test_abstaining_on_the_hard_ones_raises_agreement_but_not_the_penalised_number() -> None:
    good, systems = truth(300, between=0.0)
    values = good + np.random.default_rng(3).normal(size=300)
    people = good
    easy = np.abs(values - values.mean()) > np.quantile(np.abs(values - values.mean()), 0.4)
    [full] = judgement_tables(rated(values, people, systems))
    [part] = judgement_tables(rated(np.where(easy, values, np.nan), people, systems))
    everything, abstaining = (rating_agreement(table, "metric", resampling=FEW) for table in (full, part))
    one, other = everything.get("spearman"), abstaining.get("spearman")
    assert one is not None
    assert other is not None
    assert abstaining.coverage == pytest.approx(0.6)
    assert (other.estimate.value or 0) > (one.estimate.value or 0)  # what the official evaluators would show
    assert one.penalised is None  # nothing is missing
    assert one.headline == one.estimate
    assert (other.headline.value or 0) < (one.headline.value or 0)
    assert other.headline.n == 300
    assert other.headline.interval is not None


def test_every_scope_is_penalised_and_without_gaps_none_is() -> None:
    good, systems = truth(120)
    values = np.where(np.arange(120) % 5 == 0, np.nan, good)
    people = [f"p{place // 2}" for place in range(120)]
    [table] = judgement_tables(rated(values, good, systems, raters=people), group_of=lambda _: "all")
    found = rating_agreement(table, "metric", resampling=FEW)
    assert {each.scope for each in found.agreed} == {"pooled", "within", "within_users", "between", "group:all"}
    for each in found.agreed:
        assert (each.headline.value or 0) < (each.estimate.value or 0), each
    [whole] = judgement_tables(rated(good, good, systems, raters=people))
    assert all(each.penalised is None for each in rating_agreement(whole, "metric", resampling=FEW).agreed)


def generous_people() -> tuple[list[float], list[float], list[str]]:
    """40 people, some more generous, rate three dialogues each; a measure knows who is generous, and a bit of the rest."""
    rng = np.random.default_rng(7)
    level, inside = np.repeat(rng.normal(size=40) * 3, 3), rng.normal(size=120)
    values = level + 0.3 * inside + rng.normal(size=120)
    return values.tolist(), (level + inside).tolist(), [f"p{place // 3}" for place in range(120)]


def test_within_users_a_measure_is_not_helped_by_knowing_who_is_generous() -> None:
    values, people, raters = generous_people()
    [table] = judgement_tables(rated(values, people, ["a", "b", "c"] * 40, raters=raters))
    found = rating_agreement(table, "metric", resampling=FEW)
    pooled, inside = found.get("pearson"), found.get("pearson", "within_users")
    assert pooled is not None
    assert inside is not None
    centred = [
        np.subtract(column, np.repeat(np.reshape(column, (40, 3)).mean(axis=1), 3)) for column in (values, people)
    ]
    assert inside.estimate.value == pytest.approx(np.corrcoef(*centred)[0, 1])
    assert (inside.estimate.value or 0) < 0.5 < 0.8 < (pooled.estimate.value or 0)


def test_people_who_rated_one_unit_are_left_out_within_users() -> None:
    values, people, raters = generous_people()
    raters[-3:] = ["once", "one time", "a third"]
    [table] = judgement_tables(rated(values, people, ["a"] * 120, raters=raters))
    inside = rating_agreement(table, "metric", resampling=FEW).get("pearson", "within_users")
    assert inside is not None
    assert (inside.estimate.n, inside.estimate.clusters) == (117, 39)
    [alone] = judgement_tables(rated(values, people, ["a"] * 120))  # nobody rated two
    assert rating_agreement(alone, "metric", resampling=FEW).get("pearson", "within_users") is None
    assert user_mean_agreement(alone) is None


def test_a_user_s_other_dialogues_are_the_reference() -> None:
    ratings = [1.0, 2.0, 3.0, 5.0, 4.0, 3.0]
    [table] = judgement_tables(rated(ratings, ratings, ["a"] * 6, raters=["x", "x", "x", "y", "y", "z"]))
    found = user_mean_agreement(table, resampling=FEW)
    assert found is not None
    # the others' means are 2.5, 2, 1.5 and 4, 5; z rated one dialogue alone
    assert (found.scored, found.rated) == (5, 6)
    pooled = found.get("pearson")
    assert pooled is not None
    assert pooled.estimate.value == pytest.approx(np.corrcoef([2.5, 2.0, 1.5, 4.0, 5.0], [1, 2, 3, 5, 4])[0, 1])
    assert pooled.penalised is None
    assert found.get("pearson", "within_users") is None


def test_turns_of_the_same_dialogue_are_not_among_a_user_s_other_dialogues() -> None:
    def turn(dialogue: str, place: int, value: float, rater: str | None) -> Score:
        name = "human:liked" if rater else "metric"
        return Score(
            measure=name, level="utterance", value=value, system="a", dialogue_id=dialogue, utterance=place, rater=rater
        )

    given = [("d1", 1, 1.0), ("d1", 3, 2.0), ("d2", 1, 5.0), ("d2", 3, 4.0)]
    scores = [turn(*each, rater) for each in given for rater in ("x", None)]
    [table] = judgement_tables(scores)
    found = user_mean_agreement(table, resampling=FEW)
    assert found is not None
    pooled = found.get("pearson")
    assert pooled is not None  # 4.5, 4.5, 1.5, 1.5 against 1, 2, 5, 4
    assert pooled.estimate.value == pytest.approx(np.corrcoef([4.5, 4.5, 1.5, 1.5], [1, 2, 5, 4])[0, 1])


def test_groups_have_coefficients_of_their_own() -> None:
    good, systems = truth()
    [table] = judgement_tables(
        rated(good, good, systems), group_of=lambda system: "first" if system < "d" else "second"
    )
    found = rating_agreement(table, "metric", resampling=FEW)
    assert found.rated_by_group == {"first": 60, "second": 60}
    assert found.get("pearson", "group:first") is not None


def test_what_never_varies_says_which_side() -> None:
    [table] = judgement_tables(rated([1.0, 1.0, 1.0], [0, 1, 1], ["a", "b", "a"]))
    found = rating_agreement(table, "metric", resampling=FEW).get("pearson")
    assert found is not None
    assert (found.estimate.value, found.estimate.why) == (None, Reason.of(ReasonCode.MEASURE_CONSTANT))


def test_scores_without_people_make_no_table() -> None:
    assert judgement_tables([Score(measure="m", level="dialogue", value=1.0, system="a", dialogue_id="1")]) == []


def test_with_very_many_people_kendall_has_a_value_and_says_why_it_has_no_interval() -> None:
    good, systems = truth(1_100)
    [table] = judgement_tables(rated(good, good + 1.0 * np.arange(1_100) % 7, systems))
    found = rating_agreement(table, "metric", resampling=Resampling(0, 2)).get("kendall")
    assert found is not None
    assert found.estimate.value is not None
    assert found.estimate.interval is None
    assert "1,000 clusters" in str(found.estimate.why)
