"""Ratings of systems: who is better, and what must not be said."""

from pathlib import Path

import numpy as np
import pytest

from tests.findings.people.made import CUTS, participants, rated
from tests.untraced import untraced
from trialogue.errors import DataError
from trialogue.findings.people import Presentation, Scale, analyse_ratings
from trialogue.findings.people.rating_comparison import rank_test
from trialogue.findings.people.records import RatingFindings
from trialogue.findings.people.table import RatingTable, Row
from trialogue.records import Reason, ReasonCode, Score
from trialogue.stats import friedman


@pytest.fixture(scope="module")
def study() -> RatingFindings:
    """Twenty-four workers, steps of 0.8 logits, the first position 0.5 higher; three workers hit a rule."""
    scores, shown = rated(np.random.default_rng(1), position=0.6)
    people = participants(24, flagged=(3, 7, 12))
    return analyse_ratings(
        scores, people=people, rules={"failed_attention": "answered a check wrongly"}, presentations=shown
    )


def test_known_effects_come_back(study: RatingFindings) -> None:
    assert [one.system for one in study.systems] == ["rcrs", "kgsf", "kbrd"]
    assert [pair.verdict for pair in study.pairs] == ["a", "a", "a"]
    truth = {("rcrs", "kgsf"): 0.8, ("rcrs", "kbrd"): 1.6, ("kgsf", "kbrd"): 0.8}
    for pair in study.pairs:
        assert pair.odds_ratio.interval is not None
        assert pair.odds_ratio.interval.contains(np.exp(truth[pair.a, pair.b]))


def test_every_way_of_looking_agrees_where_effects_are_large(study: RatingFindings) -> None:
    assert [test.name for test in study.tests] == [
        "likelihood ratio, as F",
        "F (Satterthwaite)",
        "Friedman",
        "Kruskal-Wallis",
    ]
    assert study.tests[0].main
    assert all((test.p or 1) < 0.001 for test in study.tests[:2])
    for pair in study.pairs:
        assert (pair.difference.value or 0) > 0
        assert (pair.superiority.value or 0) > 0.5


def test_means_of_people_who_share_replies_are_not_tested(study: RatingFindings) -> None:
    assert study.tests[2].p is None
    assert str(study.tests[2].why).startswith("not computed: the means of 21 people who judged the same")
    for pair in study.pairs:
        assert pair.wilcoxon_p_adjusted is None
        assert pair.rank_biserial.value is not None
        assert pair.rank_biserial.interval is None


@pytest.mark.parametrize("share", [True, False])
def test_the_rank_test_that_is_made_keeps_its_level_where_replies_vary(share: bool) -> None:
    """No system differs, replies vary by .85 logits: 300 studies of 40 people with nine situations each."""
    rng = np.random.default_rng(12)
    studies, workers, pool = 300, 40, 40 if share else 360
    shown, raw = [], []
    for _ in range(studies):
        latent = rng.normal(0, 0.85, (pool, 3)) + rng.normal(0, 0.6, (pool, 1))
        tastes = rng.normal(0, 0.4, (workers, 1, 3)) + rng.normal(0, 0.8, (workers, 1, 1))
        places = np.arange(workers * 9).reshape(workers, 9) % pool
        ratings = 1.0 + np.searchsorted(CUTS, latent[places] + tastes + rng.logistic(size=(workers, 9, 3)))
        table = RatingTable(
            tuple(
                Row(float(ratings[w, k, s]), f"w{w}", "abc"[s], f"i{i}", (i, s), f"i{i}", None, None)
                for (w, k), i in np.ndenumerate(places)
                for s in range(3)
            )
        )
        means = table.means("abc")[1]
        shown.append(rank_test(table, means).p)
        raw.append(friedman(means).test.p or 1.0)
    false = np.mean(np.array(raw) < 0.05)
    if share:
        assert shown == [None] * studies
        assert false > 0.10  # which is why: 40 people share 40 situations
    else:
        assert shown == raw
        assert false == pytest.approx(0.05, abs=2 * (0.05 * 0.95 / studies) ** 0.5)


def test_single_ratings_of_few_people_are_not_tested(study: RatingFindings) -> None:
    naive = study.tests[-1]
    assert naive.p is None
    assert naive.why is not None
    assert "567 ratings by 21 people are not 567 independent observations" in str(naive.why)  # 21 x 9 x 3


def test_single_ratings_are_tested_where_everybody_gave_one() -> None:
    rng = np.random.default_rng(3)
    scores = [
        Score(
            measure="human:x",
            level="dialogue",
            value=float(rng.integers(1, 6)),
            system="ab"[i % 2],
            dialogue_id=f"d{i}",
            rater=f"P{i}",
        )
        for i in range(40)
    ]
    found = analyse_ratings(scores)
    assert found.tests[-1].p is not None
    assert found.model is not None
    assert found.model.left_out["rater"] == Reason.of(ReasonCode.ONE_RATING_EACH)


def test_excluded_and_unfinished_people_do_not_count(study: RatingFindings) -> None:
    assert {one.raters for one in study.systems} == {21}


def test_each_rule_stands_alone_in_the_sensitivity_analysis(study: RatingFindings) -> None:
    rows = {row.name: row for row in study.sensitivity}
    assert rows["Planned exclusions (main analysis)"].main
    assert rows["No exclusions"].participants == 24
    assert rows["No exclusions, unfinished participants included"].participants == 24
    assert len(rows) == 3  # with one planned rule and no other flag there is nothing else to leave out
    assert all(row.verdicts == ("a", "a", "a") for row in study.sensitivity)


def test_the_effect_of_position_is_found_and_taken_into_account(study: RatingFindings) -> None:
    assert study.position is not None
    assert (study.position.test.p or 1) < 0.05
    assert set(study.position.odds) == {"2", "3"}
    assert all((one.value or 1) < 1 for one in study.position.odds.values())
    assert study.model is not None
    assert study.model.fixed == ("system", "position")


def test_agreement_has_every_coefficient_with_intervals(study: RatingFindings) -> None:
    found = {one.name: one.estimate for one in study.agreement}
    for name in ("Krippendorff's alpha, ordinal", "Fleiss' kappa", "ICC(2,1)", "ICC(2,k)"):
        assert found[name].interval is not None
    assert (found["Correlation within raters"].value or 0) > 0


def test_a_lower_rating_can_be_the_better_one() -> None:
    scores, _ = rated(np.random.default_rng(1), workers=12, effects=(0, 0, 2.5))
    found = analyse_ratings(scores, scale=Scale("Effort", better="lower"))
    assert found.systems[-1].system == "rcrs"
    verdicts = {(pair.a, pair.b): pair.verdict for pair in found.pairs}
    assert verdicts[found.systems[0].system, "rcrs"] == "a"


def test_raters_who_are_not_known_are_not_tested() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=8)
    found = analyse_ratings([score.model_copy(update={"rater": "aggregate"}) for score in scores[:27]])
    assert found.pairs == ()
    assert found.tests[0].p is None
    assert "raters are unknown" in str(found.tests[0].why)


def test_one_system_is_described_and_not_compared() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=8)
    found = analyse_ratings([score for score in scores if score.system == "kbrd"])
    assert found.systems[0].mean.value is not None
    assert "nothing to compare" in str(found.tests[0].why)


def test_three_raters_are_taken_as_they_are() -> None:
    scores, _ = rated(np.random.default_rng(5), workers=3, situations=30)
    found = analyse_ratings(scores)
    assert found.model is not None
    assert "rater" in found.model.fixed
    assert "rater x system" in found.model.left_out
    assert any("3 people rated" in warning for warning in found.warnings)


def test_a_system_with_only_the_best_ratings_falls_back_on_the_linear_model() -> None:
    rng = np.random.default_rng(0)
    scores = [
        Score(
            measure="human:x",
            level="response",
            value=5.0 if system == "a" else float(rng.integers(1, 5)),
            system=system,
            situation_id=f"s{item}",
            rater=f"P{worker}",
        )
        for worker in range(8)
        for item in range(6)
        for system in "ab"
    ]
    found = analyse_ratings(scores)
    assert found.pairs[0].odds_ratio.value is None
    assert found.pairs[0].verdict == "a"
    assert next(test for test in found.tests if test.main).name == "F (Satterthwaite)"
    assert any("could not be fitted" in warning for warning in found.warnings)


def test_a_rating_given_twice_is_refused() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=2)
    with pytest.raises(DataError, match="twice"):
        analyse_ratings([*scores, scores[0]])


def test_skipped_questions_and_strangers_are_reported() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=8)
    skipped = scores[0].model_copy(update={"value": None, "why": "skipped"})
    stranger = scores[1].model_copy(update={"rater": "X"})
    found = analyse_ratings([skipped, stranger, *scores[3:]], people=participants(8))
    assert any("1 ratings without a value" in warning for warning in found.warnings)
    assert any("not in the table of participants" in warning for warning in found.warnings)


def test_nothing_left_is_said() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=2)
    found = analyse_ratings(scores, people=participants(2, flagged=(0, 1)))
    assert found.systems == ()
    assert "no ratings are left" in str(found.tests[0].why)


def test_the_same_seed_gives_the_same_findings() -> None:
    scores, shown = rated(np.random.default_rng(4), workers=8, situations=4)
    one, other = (analyse_ratings(scores[::step], presentations=shown) for step in (1, -1))
    assert [pair.verdict for pair in one.pairs] == [pair.verdict for pair in other.pairs]
    assert one.systems == other.systems


def test_a_position_that_is_not_known_for_all_is_left_out() -> None:
    scores, shown = rated(np.random.default_rng(4), workers=8)
    shown[next(iter(shown))] = Presentation()
    found = analyse_ratings(scores, presentations=shown)
    assert found.position is None
    assert found.model is not None
    assert "position" in found.model.left_out


@untraced()
def test_false_positives_stay_near_the_level_in_a_few_simulated_studies() -> None:
    """The short form of ``benchmarks/studies.py``: strong tastes of workers, no true difference."""
    from trialogue.findings.people.models import effects_of, fit
    from trialogue.findings.people.table import table_of

    main = naive = 0
    for seed in range(12):
        scores, _ = rated(np.random.default_rng(200 + seed), workers=10, effects=(0, 0, 0), situations=5, taste=1.2)
        table, _ = table_of(scores)
        effects = effects_of(table)
        main += (fit(table, effects, confidence=0.95).likelihood_ratio("system", below=18).p or 1) < 0.05
        plain = type(effects)(effects.fixed, {"rater": effects.random["rater"]}, {})
        naive += (fit(table, plain, confidence=0.95).wald_test("system").p or 1) < 0.05
    assert main <= 4  # P(more than 4 of 12 at 5%) = .0002
    assert naive > main


@pytest.mark.mirror
def test_raters_of_inspired2_agree_as_published(mirror: Path) -> None:
    """Krippendorff's alpha .275 over 1,860 replies of four systems, as in the analysis of the released workbooks."""
    from trialogue.datasets.corpora.inspired2_study import read_study
    from trialogue.findings.people.agreement import numeric_agreement
    from trialogue.findings.people.table import table_of
    from trialogue.records import Response

    scores = [
        Score(
            measure="human:meaningfulness",
            level="response",
            value=rating.value,
            system=record.system,
            situation_id=record.situation_id,
            dialogue_id=record.situation_id.partition("#")[0],
            rater=rating.rater,
        )
        for record in read_study(mirror / "inspired2_study", note=lambda _: None)
        if isinstance(record, Response)
        for rating in record.utterance.ratings
    ]
    table, _ = table_of(scores)
    alpha = numeric_agreement(table.group_by_thing(), table.groups(), rng=np.random.default_rng(0))[0].estimate
    assert (alpha.n, len(table.systems)) == (1860, 4)
    assert alpha.value == pytest.approx(0.275, abs=5e-4)


def test_a_slider_is_shown_in_classes_and_compared() -> None:
    rng = np.random.default_rng(0)
    scores = [
        Score(
            measure="human:x",
            level="response",
            value=float(np.round(rng.normal(50 + 15 * (system == "b"), 12))),
            system=system,
            situation_id=f"s{item}",
            rater=f"P{rater}",
        )
        for rater in range(12)
        for item in range(6)
        for system in "ab"
    ]
    found = analyse_ratings(scores)
    assert len(found.points) == 10
    assert all(sum(one.counts) == 72 for one in found.systems)
    assert found.pairs[0].verdict == "a"
    assert any("different values" in warning for warning in found.warnings)
