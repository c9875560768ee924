"""The corrected mean beside that of ``cje-eval``, where it is installed: ``pip install cje-eval``.

It calibrates by isotonic regression in folds and ours by a line, so the two agree as far as that allows. How often their
intervals hold the truth, and how wide they are: benchmarks/JUDGING.md.
"""

from typing import Any

import numpy as np
import pytest

from trialogue.records import Estimate
from trialogue.stats.arrays import Floats
from trialogue.stats.correction.means import corrected_means
from trialogue.stats.correction.table import Estimand, judged_table

cje: Any = pytest.importorskip("cje", reason="cje-eval is not installed, so there is nothing to compare with")
HIGH = 4.0  # of the labels; cje-eval takes them from 0 to 1


def units(seed: int, *, size: int = 300) -> tuple[Floats, Floats]:
    """(the judge's scores, labels from 0 to 4)."""
    rng = np.random.default_rng(seed)
    quality = rng.standard_normal(size)
    labels = np.digitize(quality, [-1.2, -0.4, 0.4, 1.2]).astype(np.float64)
    return 0.8 * quality + 0.6 * rng.standard_normal(size), labels


def ours(judge: Floats, given: Floats) -> Estimate:
    return corrected_means(
        judged_table(["a"] * len(judge), judge, given), estimand=Estimand.POPULATION
    ).overall.corrected


def test_with_all_labels_both_are_the_mean_of_the_labels_with_its_t_interval() -> None:
    judge, labels = units(0)
    theirs, own = cje.calibrated_mean_ci(judge, labels / HIGH), ours(judge, labels)
    assert own.value == pytest.approx(HIGH * theirs.estimate)
    assert own.interval is not None
    assert (own.interval.low, own.interval.high) == pytest.approx(tuple(HIGH * end for end in theirs.ci), abs=2e-3)


@pytest.mark.parametrize("seed", range(5))
def test_with_some_labels_both_move_the_mean_of_the_labels_alike(seed: int) -> None:
    """They differ by less than the standard error that either states, and have intervals of nearly the same width."""
    judge, labels = units(seed)
    given = np.where(np.arange(len(judge)) < 60, labels, np.nan)
    theirs, own = cje.calibrated_mean_ci(judge, given / HIGH, correction_weight="tuned"), ours(judge, given)
    assert own.value is not None
    assert own.interval is not None
    assert abs(own.value - HIGH * theirs.estimate) < HIGH * theirs.se
    width = own.interval.high - own.interval.low
    assert 0.8 < width / (HIGH * (theirs.ci[1] - theirs.ci[0])) < 1.1
