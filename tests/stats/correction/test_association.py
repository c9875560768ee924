"""Correlations from a few labels and a judge, against the whole and against Pearson's formula."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.correction.association import corrected_correlation
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
