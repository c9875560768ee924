"""Correlations from a few labels and a judge, against the whole and against Pearson's formula."""

import numpy as np
import pytest
import scipy.stats

from trialogue.errors import UsageError
from trialogue.records import ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.correction.association import Statistic, corrected_correlation
from trialogue.stats.correction.table import Estimand, judged_table


def world(rng: np.random.Generator, *, judge: float, labels: int) -> tuple[Floats, Floats, Floats, Floats]:
    """(column, truth, judge's scores, labels) of 300 units; the column has correlation .5 with the truth."""
    truth = rng.standard_normal(300)
    column = 0.5 * truth + 0.75**0.5 * rng.standard_normal(300)
    scores = judge * truth + (1 - judge**2) ** 0.5 * rng.standard_normal(300)
    return column, truth, scores, np.where(np.arange(300) < labels, truth, np.nan)


def test_labels_alone_give_pearsons_of_the_labelled_units() -> None:
    column, truth, scores, labels = world(np.random.default_rng(0), judge=0.8, labels=30)
    found = corrected_correlation(judged_table(["a"] * 300, scores, labels), column)
    assert found.alone.value == pytest.approx(float(np.corrcoef(column[:30], truth[:30])[0, 1]))
    assert found.judge == pytest.approx(float(np.corrcoef(column, scores)[0, 1]))


def test_all_labels_give_the_correlation_of_these_units_without_error() -> None:
    column, truth, scores, _ = world(np.random.default_rng(1), judge=0.8, labels=300)
    table = judged_table(["a"] * 300, scores, truth)
    found = corrected_correlation(table, column).corrected
    expected = float(np.corrcoef(column, truth)[0, 1])
    assert found.value == pytest.approx(expected)
    assert found.interval is not None
    assert found.interval.high - found.interval.low < 1e-6
    fisher = corrected_correlation(table, column, estimand=Estimand.POPULATION).corrected.interval
    assert fisher is not None
    assert np.arctanh(fisher.high) - np.arctanh(expected) == pytest.approx(1.96 / 297**0.5, rel=0.15)


@pytest.mark.parametrize(("judge", "widest"), [(0.85, 0.8), (0.0, 1.03)])
def test_intervals_hold_the_truth_and_a_good_judge_narrows_them(judge: float, widest: float) -> None:
    rng = np.random.default_rng(2)
    held, ours, theirs = [], [], []
    for _ in range(200):
        column, truth, scores, labels = world(rng, judge=judge, labels=30)
        found = corrected_correlation(judged_table(["a"] * 300, scores, labels), column)
        one, other = found.corrected.interval, found.alone.interval
        assert one is not None
        assert other is not None
        held.append(one.contains(float(np.corrcoef(column, truth)[0, 1])))
        ours.append(one.high - one.low)
        theirs.append(other.high - other.low)
    assert np.mean(held) >= 0.9  # .94 less 2.4 standard errors of 200
    assert np.mean(ours) / np.mean(theirs) < widest


def test_few_labels_a_constant_column_and_another_length_are_refused() -> None:
    column, _, scores, labels = world(np.random.default_rng(3), judge=0.8, labels=19)
    few = corrected_correlation(judged_table(["a"] * 300, scores, labels), column).corrected
    assert few.why is not None
    assert few.why.code is ReasonCode.TOO_FEW_LABELS
    table = judged_table(["a"] * 300, scores, np.where(np.arange(300) < 30, scores, np.nan))
    flat = corrected_correlation(table, np.zeros(300)).corrected
    assert flat.why is not None
    assert flat.why.code is ReasonCode.STATISTIC_UNDEFINED
    with pytest.raises(UsageError, match="equal lengths"):
        corrected_correlation(table, column[:-1])


STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "kendall")


def of_scipy(statistic: Statistic, x: Floats, y: Floats) -> float:
    if statistic == "pearson":
        return float(scipy.stats.pearsonr(x, y)[0])
    if statistic == "spearman":
        return float(scipy.stats.spearmanr(x, y)[0])
    return float(scipy.stats.kendalltau(x, y)[0])


def graded(values: Floats) -> Floats:
    """Answers from 0 to 4, with many ties."""
    return np.digitize(values, [-1.0, -0.2, 0.5, 1.3]).astype(np.float64)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_with_ties_all_labels_give_what_scipy_gives(statistic: Statistic) -> None:
    column, truth, scores, _ = world(np.random.default_rng(1), judge=0.8, labels=300)
    found = corrected_correlation(judged_table(["a"] * 300, scores, graded(truth)), column, statistic=statistic)
    assert found.corrected.value == pytest.approx(of_scipy(statistic, column, graded(truth)))
    assert found.judge == pytest.approx(of_scipy(statistic, column, scores))


@pytest.mark.parametrize("statistic", ["spearman", "kendall"])
def test_rank_correlations_do_not_change_with_a_rising_transformation(statistic: Statistic) -> None:
    column, truth, scores, labels = world(np.random.default_rng(4), judge=0.8, labels=40)
    plain = corrected_correlation(judged_table(["a"] * 300, scores, labels), column, statistic=statistic)
    bent = corrected_correlation(judged_table(["a"] * 300, np.exp(scores), labels**3), column**3, statistic=statistic)
    assert bent.corrected.value == pytest.approx(plain.corrected.value)
    assert bent.alone == plain.alone
    assert truth.shape == column.shape


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("judge", "widest"), [(0.85, 0.85), (0.0, 1.02)])
def test_rank_correlations_of_graded_labels_are_covered(statistic: Statistic, judge: float, widest: float) -> None:
    rng = np.random.default_rng(5)
    held, ours, theirs = [], [], []
    for _ in range(150):
        column, truth, scores, labels = world(rng, judge=judge, labels=30)
        given = np.where(np.isnan(labels), np.nan, graded(truth))
        found = corrected_correlation(judged_table(["a"] * 300, scores, given), column, statistic=statistic)
        one, other = found.corrected.interval, found.alone.interval
        assert one is not None
        assert other is not None
        held.append(one.contains(of_scipy(statistic, column, graded(truth))))
        ours.append(one.high - one.low)
        theirs.append(other.high - other.low)
    assert np.mean(held) >= 0.9  # .95 less 2.8 standard errors of 150
    assert np.mean(ours) / np.mean(theirs) < widest


def test_labels_drawn_within_systems_count_by_what_they_stand_for() -> None:
    """Of a small system all are labelled, of a large one a tenth: unweighted, the small one would be half of the labels."""
    rng = np.random.default_rng(6)
    errors: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(60):
        system = np.arange(330) < 30
        truth = rng.standard_normal(330)
        column = np.where(system, -1.0, 1.0) * truth + rng.standard_normal(330)
        labels = np.where(system, truth, np.nan)
        chosen = rng.permutation(np.flatnonzero(~system))[:30]
        labels[chosen] = truth[chosen]
        table = judged_table(np.where(system, "small", "large").tolist(), rng.standard_normal(330), labels)
        whole = float(np.corrcoef(column, truth)[0, 1])
        for overall in errors:
            value = corrected_correlation(table, column, drawn_overall=overall).corrected.value
            assert value is not None
            errors[overall].append(value - whole)
    assert abs(np.mean(errors[False])) < 0.05
    assert np.mean(errors[True]) < -0.3


def test_a_system_without_labels_that_were_drawn_within_systems_leaves_the_whole_unknown() -> None:
    column, _, scores, labels = world(np.random.default_rng(7), judge=0.8, labels=40)
    table = judged_table(["a"] * 150 + ["b"] * 150, scores, labels)
    found = corrected_correlation(table, column, drawn_overall=False).corrected
    assert found.why is not None
    assert found.why.code is ReasonCode.SYSTEMS_WITHOUT_ESTIMATE
    assert corrected_correlation(table, column).corrected.value is not None
