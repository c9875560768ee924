"""Agreement as findings: baselines, contrasts, ceilings, halo, the answer, validity cards."""

from pathlib import Path

import numpy as np
import pytest

from tests.findings.raters import MANIFEST, rated, truth, votes
from trialogue.errors import DataError
from trialogue.findings.resampling import Resampling
from trialogue.findings.validity import (
    Validity,
    bundled_validity,
    chance_card,
    known_validity,
    read_validity,
    validity_lines,
    write_validity,
)
from trialogue.records import Score
from trialogue.stats import spearman_brown
from trialogue.subjects.agreement.agreement import Plan, agreement
from trialogue.subjects.agreement.answer import warnings_of
from trialogue.subjects.agreement.ceilings import ceiling_of
from trialogue.subjects.agreement.discriminant import discriminant
from trialogue.subjects.agreement.records import AgreementFindings
from trialogue.subjects.agreement.score_pairs import judgement_tables

FEW = Resampling(0, 300)


def found(noise: float = 0.5) -> AgreementFindings:
    good, systems = truth(240)
    rng = np.random.default_rng(4)
    people = (good + 0.5 * rng.normal(size=240) > 2.5).astype(float)
    scores = rated(good + noise * rng.normal(size=240), people, systems)
    scores += rated(rng.normal(size=240) + 0.2 * good, [None] * 240, systems, measure="length@words|v1")
    plan = Plan(baselines=("length@words|v1",), resampling=FEW)
    return agreement(scores, votes(good, systems, tie=0.5), title="t", data="made up", manifest=MANIFEST, plan=plan)


def test_the_answer_names_the_best_measure_and_holds_it_against_the_baseline() -> None:
    result = found()
    assert result.answer[0].startswith("metric agrees best with people's satisfaction (dialogues): AUC 0.")
    assert "significantly better than the best baseline" in result.answer[1]
    assert result.baselines == ("length@words|v1",)
    assert {(each.a, each.scope) for each in result.contrasts} == {("metric", "pooled"), ("metric", "within")}
    assert "pairwise votes" in result.answer[-1]


def test_a_metric_that_loses_to_a_baseline_is_reported() -> None:
    good, systems = truth(240)
    rng = np.random.default_rng(4)
    scores = rated(rng.normal(size=240), (good > 2.5).astype(float), systems)
    scores += rated(good, [None] * 240, systems, measure="length@words|v1")
    plan = Plan(baselines=("length@words|v1",), resampling=FEW)
    result = agreement(scores, title="t", data="d", manifest=MANIFEST, plan=plan)
    assert "no metric agrees better on this question" in result.answer[1]


def noise(units: int, *, seed: int = 3) -> AgreementFindings:
    rng = np.random.default_rng(seed)
    people, systems = (rng.random(units) > 0.5).astype(float), ["a", "b"] * (units // 2)
    scores = rated(rng.normal(size=units), people, systems, measure="noise-0")
    for number in range(1, 8):
        scores += rated(rng.normal(size=units), [None] * units, systems, measure=f"noise-{number}")
    return agreement(scores, title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=FEW))


def test_on_pure_noise_no_metric_is_called_the_best() -> None:
    sentence = noise(60).answer[0]
    assert sentence.startswith(
        "No metric agrees significantly better than chance with people's satisfaction (dialogues)"
    )
    assert "(0 of 8 after correction)" in sentence


def test_what_rests_on_a_handful_of_dialogues_does_not_lead() -> None:
    (sentence,) = noise(8).answer
    assert sentence == (
        "No metric can be compared with people's satisfaction (dialogues): 8 independent clusters (people or dialogues) are "
        "too few; at least 10 are needed."
    )


def test_nothing_in_common_is_said_plainly() -> None:
    result = agreement([], title="t", data="d", manifest=MANIFEST)
    assert result.answer[0].startswith("Agreement between measures and people cannot be computed")


def test_abstaining_is_warned_of() -> None:
    good, systems = truth(100)
    values = np.where(np.arange(100) < 40, np.nan, good)
    result = agreement(rated(values, good, systems), title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=FEW))
    assert any("has no value for 40% of the 100 rated dialogues" in text for text in result.warnings)


def test_a_measure_that_leaves_out_what_it_gets_wrong_does_not_lead() -> None:
    good, systems = truth(200)
    rng = np.random.default_rng(8)
    guess = good + 2 * rng.normal(size=200)
    wrong = np.abs(guess - good)
    scores = rated(np.where(wrong > np.quantile(wrong, 0.6), np.nan, guess), good, systems, measure="picky")
    scores += rated(good + rng.normal(size=200), [None] * 200, systems, measure="length@words|v1")
    plan = Plan(baselines=("length@words|v1",), resampling=FEW)
    result = agreement(scores, title="t", data="d", manifest=MANIFEST, plan=plan)
    picky, baseline = (each.get("spearman") for each in sorted(result.ratings, key=lambda each: each.measure)[::-1])
    assert picky is not None
    assert baseline is not None
    assert (picky.estimate.value or 0) > (baseline.estimate.value or 0) > (picky.headline.value or 0)
    assert result.answer[0].startswith("length@words|v1 agrees best")
    contrast = next(each for each in result.contrasts if each.a == "picky")
    assert contrast.common is not None
    assert (contrast.common.value or 0) > 0 > (contrast.difference.value or 0)
    assert next(card for card in result.validity if card.measure == "picky").spearman == picky.headline


def test_a_user_s_other_dialogues_are_said_where_they_tell_more_than_any_metric() -> None:
    rng = np.random.default_rng(9)
    generous = np.repeat(rng.normal(size=50) * 3, 3)
    people, raters = generous + rng.normal(size=150), [f"p{place // 3}" for place in range(150)]
    noisy = rated(people + 5 * rng.normal(size=150), people, ["a", "b", "c"] * 50, raters=raters)
    result = agreement(noisy, title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=FEW))
    [reference] = result.references
    assert (reference.scored, reference.rated) == (150, 150)
    assert result.answer[1].startswith("A user's mean rating of their other dialogues, which uses no dialogue content")
    best = rated(people, people, ["a", "b", "c"] * 50, raters=raters)
    messages = agreement(best, title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=FEW))
    assert not any("other dialogues" in sentence for sentence in messages.answer)


def test_the_same_scores_in_another_order_give_the_same_findings() -> None:
    good, systems = truth(60)
    scores = rated(good, (good > 2.5).astype(float), systems)
    one, other = (
        agreement(given, title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=FEW))
        for given in (scores, scores[::-1])
    )
    assert one == other


def test_a_ceiling_needs_several_raters() -> None:
    good, systems = truth(60)
    [table] = judgement_tables(rated(good, good, systems))
    assert ceiling_of(table, resampling=FEW).ceiling is None


def test_the_ceiling_is_the_root_of_the_mean_s_reliability() -> None:
    rng = np.random.default_rng(9)
    good, systems = truth(200, between=0.0)
    scores = [
        score.model_copy(update={"rater": rater, "value": float(np.round(score.value + rng.normal()))})
        for rater in ("x", "y", "z")
        for score in rated(good, good, systems)
        if score.rater and score.value is not None
    ]
    [table] = judgement_tables(scores)
    ceiling = ceiling_of(table, resampling=FEW)
    assert ceiling.single is not None
    assert ceiling.single == pytest.approx(0.48, abs=0.1)  # variance 1 of the truth, 1 + 1/12 of a rounded rating
    assert ceiling.mean == pytest.approx(spearman_brown(ceiling.single, 3))
    assert ceiling.ceiling == pytest.approx((ceiling.mean or 0) ** 0.5)


def aspects(own: float, shared: float, *, seed: int = 0) -> list[Score]:
    """People's three aspects, and a run's: the own part of each aspect, and a part that all of its aspects share."""
    rng = np.random.default_rng(seed)
    scores, halo = [], rng.normal(size=150)
    for name in ("relevance", "fun", "length"):
        truth_of = rng.normal(size=150) + 0.5 * halo
        values = own * truth_of + shared * halo + 0.5 * rng.normal(size=150)
        scores += rated(values, truth_of, ["s"] * 150, measure=f"run:{name}", question=name)
    return scores


def test_a_halo_is_found_and_an_oracle_with_noise_passes() -> None:
    one = discriminant(judgement_tables(aspects(0.3, 3.0)), "run", resampling=FEW)
    other = discriminant(judgement_tables(aspects(1.0, 0.0)), "run", resampling=FEW)
    assert one is not None
    assert one.verdict == "halo"
    assert one.measure > 0.9
    assert other is not None
    assert other.verdict != "halo"
    assert other.confused == ()


def test_an_aspect_that_never_varies_is_left_out_of_the_halo() -> None:
    """A metric that says the same of every dialogue has no correlation with anything, which is no reason to crash."""

    def flat(names: tuple[str, ...]) -> list[Score]:
        return [
            score.model_copy(update={"value": 1.0}) if score.rater is None and score.measure in names else score
            for score in aspects(1.0, 0.0)
        ]

    found = discriminant(judgement_tables(flat(("run:fun",))), "run", resampling=FEW)
    assert found is not None
    assert found.aspects == ("length", "relevance")
    assert discriminant(judgement_tables(flat(("run:fun", "run:length"))), "run", resampling=FEW) is None


def test_an_aspect_is_held_against_its_own_question_only() -> None:
    result = agreement(aspects(1.0, 0.0), title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=FEW))
    assert {(each.measure, each.question) for each in result.ratings} == {
        ("run:relevance", "relevance"),
        ("run:fun", "fun"),
        ("run:length", "length"),
    }


def test_validity_cards_are_the_same_after_a_trip_through_a_file(tmp_path: Path) -> None:
    cards = found().validity
    write_validity(cards, tmp_path / "validity.json")
    assert read_validity(tmp_path / "validity.json") == cards
    lines = validity_lines(next(card for card in cards if card.measure == "metric"))
    assert lines[0].startswith("against people's satisfaction (dialogues), made up: AUC 0.")
    assert "decisive votes shared" in lines[0]


def test_damaged_cards_are_refused_with_every_mistake(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text('[{"measure": 3}, {"data": ""}]')
    with pytest.raises(DataError) as caught:
        read_validity(tmp_path / "v.json")
    assert len(caught.value.problems) > 3
    (tmp_path / "v.json").write_text("{")
    with pytest.raises(DataError, match="not JSON"):
        read_validity(tmp_path / "v.json")


def test_a_measure_that_is_no_better_than_chance_is_called_so() -> None:
    card = chance_card("distinct(n=2)@ratio|v1")
    assert card is not None
    assert card.question == "human:satisfaction"
    assert card.data.startswith("CRSArena-Dial")
    assert chance_card("satisfaction@linear|v1") is None
    assert chance_card("nobody knows") is None


def test_the_bundled_cards_know_the_baselines_and_the_estimator() -> None:
    cards = {card.measure: card for card in reversed(bundled_validity())}  # the first of a measure
    estimate = cards["satisfaction@linear|v1"]
    assert estimate.auc is not None
    assert estimate.auc.value == pytest.approx(0.847, abs=0.001)
    assert "never" in (estimate.remark or "") or "neither" in (estimate.remark or "")
    assert "length@words|v1" in cards
    elsewhere = [card.spearman for card in known_validity("satisfaction@linear|v1") if card.auc is None]
    assert [round(each.value or 0, 2) for each in elsewhere if each] == [0.11, 0.13, 0.12]  # CCPE, SGD, RecLLMSim
    own = Validity(measure="length@words|v1", data="mine", question="q", level="dialogue", source="s")
    assert next(card.data for card in known_validity("length@words|v1", more=[own])) == "mine"


def test_few_independent_clusters_are_warned_of_and_enough_are_not() -> None:
    warning = "Fewer than 10 independent clusters: the intervals are too narrow to trust."
    assert warning in warnings_of(noise(8))
    assert warning not in warnings_of(noise(60))


def test_metrics_that_beat_the_baseline_are_counted() -> None:
    good, systems = truth(240)
    rng = np.random.default_rng(4)
    people = (good + 0.5 * rng.normal(size=240) > 2.5).astype(float)
    scores = rated(good + 0.4 * rng.normal(size=240), people, systems)
    for name, spread in (("second", 0.5), ("useless", 50.0)):
        scores += rated(good + spread * rng.normal(size=240), [None] * 240, systems, measure=name)
    scores += rated(rng.normal(size=240) + 0.2 * good, [None] * 240, systems, measure="length@words|v1")
    plan = Plan(baselines=("length@words|v1",), resampling=FEW)
    result = agreement(scores, title="t", data="made up", manifest=MANIFEST, plan=plan)
    assert "Only 2 metrics are significantly better than that baseline (2 of 3)." in result.answer[1]
