"""Gwet's AC1 against a published value and arithmetic."""

import numpy as np
import pytest

from trialogue.stats import krippendorff_alpha
from trialogue.stats.raters.kappa import gwet_ac1

# Four raters, twelve units, five labels, gaps: the standard example of the field (Krippendorff 2011; Gwet 2014), for which
# alpha (nominal) is .743 and AC1 .775.
FOUR_RATERS = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]


def test_the_standard_example() -> None:
    assert krippendorff_alpha(FOUR_RATERS, level="nominal").value == pytest.approx(0.743, abs=5e-4)
    assert gwet_ac1(FOUR_RATERS).value == pytest.approx(0.775, abs=5e-4)


def test_it_stays_high_where_one_label_prevails() -> None:
    table = [["no", "no"]] * 95 + [["yes", "no"]] * 3 + [["no", "yes"]] * 2
    alpha, ac1 = krippendorff_alpha(table, level="nominal").value, gwet_ac1(table).value
    assert alpha is not None
    assert ac1 is not None
    assert alpha < 0
    assert ac1 > 0.9


def test_the_interval_draws_clusters() -> None:
    rng = np.random.default_rng(0)
    table = [[label, label if rng.random() < 0.8 else "c"] for label in "ab" * 40]
    found = gwet_ac1(table, clusters=[i // 8 for i in range(80)], rng=rng, resamples=500)
    assert found.interval is not None
    assert found.value is not None
    assert found.interval.contains(found.value)
    assert found.clusters == 10


@pytest.mark.parametrize("table", [[], [["a", None]], [["a", "a"], ["a", "a"]]])
def test_an_undefined_value_has_a_reason(table: list[list[str | None]]) -> None:
    assert gwet_ac1(table).value is None
