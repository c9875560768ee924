"""Ratings of systems: who is better, and what must not be said."""

from pathlib import Path

import numpy as np
import pytest

from tests.subjects.people.made import analysed, participants, rated
from trialogue.errors import DataError
from trialogue.findings.threat import Validity
from trialogue.inputs.study_data import Presentation, Scale
from trialogue.records import Reason, ReasonCode, Score
from trialogue.subjects.people.records import RatingFindings


@pytest.fixture(scope="module")
def study() -> RatingFindings:
    """Twenty-four workers, steps of 0.8 logits, the first position 0.5 higher; three workers hit a rule."""
    scores, shown = rated(np.random.default_rng(1), position=0.6)
    people = participants(24, flagged=(3, 7, 12))
    rules = {"failed_attention": "answered a check wrongly"}
    return analysed(scores, people=people, rules=rules, presentations=shown, models=True)


def test_known_effects_come_back(study: RatingFindings) -> None:
    assert [one.system for one in study.systems] == ["rcrs", "kgsf", "kbrd"]
    assert study.league is not None
    assert [pair.leader for pair in study.league.contrasts] == ["kgsf", "rcrs", "rcrs"]
    assert study.model is not None
    truth = {("rcrs", "kgsf"): 0.8, ("rcrs", "kbrd"): 1.6, ("kgsf", "kbrd"): 0.8}
    for pair in study.model.pairs:
        assert pair.odds_ratio.interval is not None
        assert pair.odds_ratio.interval.contains(np.exp(truth[pair.a, pair.b]))


def test_the_model_is_fitted_on_request_and_decides_nothing() -> None:
    scores, _ = rated(np.random.default_rng(4), workers=8, situations=4)
    without, beside = analysed(scores), analysed(scores, models=True)
    assert without.model is None
    assert beside.model is not None
    assert (without.league, without.systems) == (beside.league, beside.systems)


def test_excluded_and_unfinished_people_do_not_count(study: RatingFindings) -> None:
    assert {one.raters for one in study.systems} == {21}


def test_each_rule_stands_alone_in_the_sensitivity_analysis(study: RatingFindings) -> None:
    rows = {row.name: row for row in study.sensitivity}
    assert rows["Planned exclusions (main analysis)"].main
    assert rows["No exclusions"].participants == 24
    assert rows["No exclusions, unfinished participants included"].participants == 24
    assert len(rows) == 3  # with one planned rule and no other flag there is nothing else to leave out
    assert all(row.verdicts == ("b", "b", "b") for row in study.sensitivity)


def test_the_effect_of_position_is_found_and_taken_into_account(study: RatingFindings) -> None:
    assert study.position is not None
    assert set(study.position.shifts) == {"2", "3"}
    for shift in study.position.shifts.values():
        assert shift.value is not None
        assert shift.value < 0
        assert (shift.p or 1) < 0.05
    assert study.model is not None
    assert study.model.fixed == ("system", "position")


def test_agreement_has_every_coefficient_and_intervals_where_they_cover(study: RatingFindings) -> None:
    """Fleiss' kappa is of the eight dialogues with equally many ratings, which are too few for a jackknife."""
    found = {one.name: one.estimate for one in study.agreement}
    for name in ("Krippendorff's alpha, ordinal", "ICC(2,1)", "ICC(2,k)"):
        assert found[name].interval is not None
    fleiss = found["Fleiss' kappa"]
    assert fleiss.value is not None
    assert fleiss.why == Reason.of(ReasonCode.TOO_FEW_FOR_JACKKNIFE, clusters=8, needed=10)
    assert (found["Correlation within raters"].value or 0) > 0


def test_a_lower_rating_can_be_the_better_one() -> None:
    scores, _ = rated(np.random.default_rng(1), workers=12, effects=(0, 0, 2.5))
    found = analysed(scores, scale=Scale("Effort", better="lower"))
    assert found.systems[-1].system == "rcrs"
    assert found.league is not None
    leaders = {pair.leader for pair in found.league.contrasts if "rcrs" in (pair.a, pair.b)}
    assert leaders == {"kbrd", "kgsf"}


def test_one_system_is_described_and_not_compared() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=8)
    found = analysed([score for score in scores if score.system == "kbrd"])
    assert found.systems[0].mean.value is not None
    assert found.league is None
    assert "nothing to compare" in str(found.why)


def test_three_raters_of_everything_stand_for_themselves_and_two_are_refused() -> None:
    scores, _ = rated(np.random.default_rng(5), workers=3, situations=40)
    found = analysed(scores)
    assert found.league is not None
    for pair in found.league.contrasts:
        assert pair.validity is Validity.CONDITIONAL
        assert pair.difference.interval is not None
        assert pair.difference.interval.facts["raters"] == 3
    two = analysed([score for score in scores if score.rater != "P002"]).league
    assert two is not None
    assert {pair.verdict for pair in two.contrasts} == {"undefined"}
    assert "only 2 people rated both systems" in str(two.contrasts[0].difference.why)


def test_a_rating_given_twice_is_refused() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=2)
    with pytest.raises(DataError, match="twice"):
        analysed([*scores, scores[0]])


def test_skipped_questions_and_strangers_are_reported() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=8)
    skipped = scores[0].model_copy(update={"value": None, "why": "skipped"})
    stranger = scores[1].model_copy(update={"rater": "X"})
    found = analysed([skipped, stranger, *scores[3:]], people=participants(8))
    assert any("1 ratings without a value" in warning for warning in found.warnings)
    assert any("not in the table of participants" in warning for warning in found.warnings)


def test_nothing_left_is_said() -> None:
    scores, _ = rated(np.random.default_rng(2), workers=2)
    found = analysed(scores, people=participants(2, flagged=(0, 1)))
    assert found.systems == ()
    assert "no ratings are left" in str(found.why)


def test_the_same_seed_gives_the_same_findings() -> None:
    scores, shown = rated(np.random.default_rng(4), workers=8, situations=4)
    one, other = (analysed(scores[::step], presentations=shown) for step in (1, -1))
    assert one.league is not None
    assert other.league is not None
    for a, b in zip(one.league.contrasts, other.league.contrasts, strict=True):
        assert a.verdict == b.verdict
        assert a.difference.p == pytest.approx(b.difference.p)
    assert [each.counts for each in one.systems] == [each.counts for each in other.systems]


def test_a_position_that_is_not_known_for_all_is_left_out() -> None:
    scores, shown = rated(np.random.default_rng(4), workers=8)
    shown[next(iter(shown))] = Presentation()
    found = analysed(scores, presentations=shown, models=True)
    assert found.position is None
    assert found.model is not None
    assert "position" in found.model.left_out


@pytest.mark.mirror
def test_raters_of_inspired2_agree_as_published(mirror: Path) -> None:
    """Krippendorff's alpha .275 over 1,860 replies of four systems, as in the analysis of the released workbooks."""
    from trialogue.datasets.corpora.inspired2_study import read_study
    from trialogue.records import Response
    from trialogue.subjects.people.agreement import numeric_agreement
    from trialogue.subjects.people.table import table_of

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
    found = analysed(scores)
    assert len(found.points) == 10
    assert all(sum(one.counts) == 72 for one in found.systems)
    assert found.league is not None
    assert found.league.contrasts[0].leader == "b"
    assert any("different values" in warning for warning in found.warnings)
