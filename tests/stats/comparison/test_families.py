"""Families of comparisons: single-step max-T beside Bonferroni."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import studentized_range

from trialogue.stats import bonferroni
from trialogue.stats.comparison.families import MAX_SYSTEMS, MIN_CLUSTERS, FamilyMethod, PairTest, single_step


def independent(values: list[float], errors: list[float], clusters: float = 50) -> list[PairTest]:
    """All pairs of systems whose values have independent normal errors of known size."""
    found = []
    for i, j in combinations(range(len(values)), 2):
        error = float(np.hypot(errors[i], errors[j]))
        p = 2 * float(ndtr(-abs(values[i] - values[j]) / error))
        found.append(PairTest(i, j, p, error, clusters))
    return found


@pytest.mark.parametrize("systems", [3, 5, 9])
def test_simultaneous_intervals_of_equal_groups_are_as_wide_as_tukeys(systems: int) -> None:
    """The largest of all differences is the studentised range: its quantile over sqrt(2) (Tukey 1953; Kramer 1956)."""
    family = single_step(independent([0.0] * systems, [1.0] * systems))
    assert family.method is FamilyMethod.MAX_T
    quantile = float(studentized_range.ppf(0.95, systems, np.inf)) / 2**0.5
    assert family.level == pytest.approx(2 * ndtr(-quantile), rel=0.05)  # 5% of 20,000 draws, known to 3%


def test_every_pair_is_corrected_as_tukey_does() -> None:
    family = single_step(independent([0.0, 0.5, 4.2], [1.0, 1.0, 1.0]))
    for p, gap in zip(family.adjusted, (0.5, 4.2, 3.7), strict=True):
        assert p == pytest.approx(float(studentized_range.sf(gap, 3, np.inf)), abs=0.01)  # the range over one error


@given(st.lists(st.floats(-4, 4), min_size=2, max_size=6), st.floats(1, 100))
def test_a_pair_is_below_the_level_exactly_where_its_simultaneous_interval_leaves_zero_out(
    drawn: list[float], clusters: float
) -> None:
    pairs = independent(drawn, [1.0] * len(drawn), clusters)
    family = single_step(pairs)
    for pair, p in zip(pairs, family.adjusted, strict=True):
        assert p is not None
        assert pair.p is not None
        if abs(p - 0.05) > 1e-3:
            assert (p < 0.05) == (pair.p < family.level)


def test_pairs_that_share_their_luck_are_corrected_less() -> None:
    """Two systems that answer alike differ from a third together: it is nearly one comparison."""
    alike = [PairTest("a", "b", 0.5, 0.01, 40), PairTest("a", "c", 0.02, 1.0, 40), PairTest("b", "c", 0.021, 1.0, 40)]
    found = single_step(alike).adjusted
    assert found[1] is not None
    assert 0.02 <= found[1] < 0.045  # Bonferroni: 3 * .02


@pytest.mark.parametrize(
    "changed",
    [
        {"clusters": MIN_CLUSTERS - 1},
        {"clusters": None},
        {"error": None},
        {"error": 0.0},
        {"p": None},
    ],
)
def test_where_the_dependence_is_not_known_bonferroni_corrects(changed: dict[str, float | None]) -> None:
    pairs = independent([0.0, 1.0, 3.0], [1.0, 1.0, 1.0])
    pairs[1] = replace(pairs[1], **changed)
    family = single_step(pairs)
    assert family.method is FamilyMethod.BONFERRONI
    assert list(family.adjusted) == bonferroni([pair.p for pair in pairs])
    assert family.level == pytest.approx(0.05 / sum(pair.p is not None for pair in pairs))


def test_two_systems_and_many_are_corrected_by_bonferroni() -> None:
    assert single_step(independent([0.0, 2.0], [1.0, 1.0])).method is FamilyMethod.BONFERRONI
    many = MAX_SYSTEMS + 1
    assert single_step(independent([0.0] * many, [1.0] * many)).method is FamilyMethod.BONFERRONI
    assert single_step([]).adjusted == ()


@given(
    st.lists(st.floats(-4, 4), min_size=3, max_size=6).flatmap(
        lambda values: st.tuples(
            st.just(values), st.lists(st.floats(0.1, 3), min_size=len(values), max_size=len(values))
        )
    )
)
def test_adjusted_p_values_lie_between_the_raw_ones_and_bonferronis_and_keep_their_order(
    drawn: tuple[list[float], list[float]],
) -> None:
    pairs = independent(*drawn)
    family = single_step(pairs)
    raw, by_bonferroni = [pair.p or 0.0 for pair in pairs], bonferroni([pair.p for pair in pairs])
    adjusted = [p if p is not None else np.nan for p in family.adjusted]
    for p, own, most in zip(raw, adjusted, by_bonferroni, strict=True):
        assert most is not None
        assert p <= own <= most + 1e-12
    order = np.argsort(raw, kind="stable")
    assert (np.diff(np.array(adjusted)[order]) >= 0).all()
    assert 0.05 / len(pairs) <= family.level <= 0.05


def test_the_order_of_the_pairs_changes_no_p_value() -> None:
    pairs = independent([0.0, 0.7, 2.4, 2.9], [1.0, 0.5, 0.8, 1.2])
    forward = dict(zip(pairs, single_step(pairs).adjusted, strict=True))
    turned = list(reversed(pairs))
    for pair, p in zip(turned, single_step(turned).adjusted, strict=True):
        assert p == pytest.approx(forward[pair], abs=0.01)


@pytest.mark.parametrize(("values", "null"), [([0.0] * 5, range(5)), ([2.5, 2.5, 0.0, 0.0, 0.0], range(2, 5))])
def test_a_family_of_true_nulls_is_rarely_called(values: list[float], null: range) -> None:
    """Full and partial nulls with exact p-values. Standard error of 300 families: .013."""
    rng = np.random.default_rng(len(null))
    equal = [values[i] == values[j] for i, j in combinations(range(5), 2)]
    called = []
    for _ in range(300):
        family = single_step(independent(list(np.array(values) + rng.normal(size=5)), [1.0] * 5))
        called.append(any(p is not None and p < 0.05 and same for p, same in zip(family.adjusted, equal, strict=True)))
    assert 0.005 < np.mean(called) <= 0.05 + 2 * 0.013
