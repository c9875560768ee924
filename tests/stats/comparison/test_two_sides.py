"""One way to compare: which method meets which data, and that interval and p-value never contradict each other."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.inference import interval_of
from trialogue.stats.comparison.permutation import PermutationTest
from trialogue.stats.comparison.two_sides import (
    HALL,
    SMALLER_SIDE,
    STANDARD_ERROR,
    UNITS_DISAGREE,
    UNSEEN,
    ComparisonSettings,
    Limit,
    compare_samples,
    hall_difference,
)
from trialogue.stats.resampling.clusters import ClusterSums, cluster_sums, contributions


def mean_of(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def geometric(sums: Floats) -> Floats:
    return np.exp(mean_of(sums))


def side(given_values: npt.ArrayLike, start: int = 0, units: int = 1) -> ClusterSums:
    values = np.asarray(given_values, dtype=float)
    return cluster_sums(
        np.column_stack([values * units, np.full(len(values), float(units))]), range(start, start + len(values))
    )


def test_0_of_15_against_10_of_100_is_no_difference() -> None:
    found = compare_samples(
        side(np.zeros(15)), side(np.arange(100) < 10, 100), mean_of, ComparisonSettings(is_share=True)
    )
    assert found.method == "Newcombe's hybrid score"
    assert found.p is not None
    assert found.p > 0.15


def test_pairs_of_yes_and_no_have_tangos_interval() -> None:
    a, b = np.array([1] * 11 + [0] * 3 + [1] * 26), np.array([0] * 11 + [1] * 3 + [1] * 26)
    found = compare_samples(side(a), side(b), mean_of, ComparisonSettings(is_share=True))
    assert found.method == "Tango's score of pairs"
    assert found.p == pytest.approx(0.0325, abs=1e-4)  # McNemar: (11 - 3) / sqrt(14) = 2.138


def test_means_are_compared_by_permutation_and_pairs_by_sign_flips_and_by_halls_t() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=9), rng.normal(size=9)
    apart, pairs, half = (compare_samples(side(a), side(b, start), mean_of) for start in (100, 0, 4))
    assert apart.method == f"larger of studentised permutation and {HALL}"
    assert pairs.method == f"larger of studentised sign flips and {HALL}"
    assert half.method == f"larger of studentised sign flips and permutation and {HALL}"
    assert [one.facts["arrangements"] for one in (apart, pairs, half)] == [10_000, 512, 2**5 * 70]  # 2^9; C(8, 4) = 70


def test_p_is_the_larger_and_the_interval_the_wider_of_both() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.exponential(size=7), rng.exponential(size=8)
    found = compare_samples(side(a), side(b, 50), mean_of)
    flips, hall = (
        PermutationTest(a, b, 0),
        hall_difference(contributions(side(a), mean_of), contributions(side(b), mean_of), 0),
    )
    assert hall.p is not None
    assert hall.low is not None
    assert hall.high is not None
    assert found.p == pytest.approx(max(flips.p_value(), hall.p))
    low, high = flips.interval()
    assert (found.low, found.high) == pytest.approx((min(low, hall.low), max(high, hall.high)))


def test_fewer_than_six_pairs_are_not_tested() -> None:
    """2 of 2^5 sign flips are p = .0625 at best."""
    a, b = np.arange(5.0) ** 2 + 1, np.arange(5.0)
    for is_share in (False, True):
        sides = (side(a > 3 if is_share else a), side(b > 3 if is_share else b))
        found = compare_samples(*sides, mean_of, ComparisonSettings(is_share=is_share))
        assert (found.p, found.low, found.limit) == (None, None, Limit.TOO_FEW_CLUSTERS)
    assert compare_samples(side(np.append(a, 40)), side(np.append(b, 5)), mean_of).p is not None


@pytest.mark.parametrize(
    ("size_a", "size_b", "tested"), [(2, 100, False), (3, 5, False), (3, 100, False), (4, 4, True)]
)
def test_groups_of_fewer_than_four_are_not_tested(size_a: int, size_b: int, tested: bool) -> None:
    rng = np.random.default_rng(1)
    found = compare_samples(side(rng.normal(size=size_a)), side(rng.normal(size=size_b), 200), mean_of)
    assert (found.p is not None) == tested


def test_one_cluster_says_nothing() -> None:
    assert compare_samples(side(np.ones(1)), side(np.arange(9.0), 50), mean_of).limit is Limit.ONE_CLUSTER
    assert interval_of(side(np.ones(1)), mean_of).limit is Limit.ONE_CLUSTER
    assert interval_of(side(np.ones(1)), mean_of, is_share=True).limit is Limit.ONE_CLUSTER


def test_without_variation_there_is_no_interval_and_no_certainty() -> None:
    apart = compare_samples(side(np.ones(5)), side(np.zeros(5), 50), mean_of)
    assert (apart.low, apart.p, apart.limit) == (None, None, Limit.NO_VARIATION)
    same = compare_samples(side(np.arange(8.0)), side(np.arange(8.0)), mean_of)
    assert (same.p, same.low, same.limit) == (1.0, None, Limit.NO_VARIATION)
    assert interval_of(side(np.ones(5)), mean_of).limit is Limit.NO_VARIATION


def test_equal_values_may_hide_what_their_number_allows() -> None:
    """30 people all say 5, as many say 4, of 1 to 5: 1.96^2 / (30 + 1.96^2) = .1135 of either may say something else."""
    told = ComparisonSettings(scale=(1.0, 5.0))
    found = compare_samples(side(np.full(30, 5.0)), side(np.full(30, 4.0), 50), mean_of, told)
    assert found.low == pytest.approx(1 - np.hypot(0.1135 * 4, 0.1135 * 1), abs=1e-3)
    assert found.high == pytest.approx(1 + 0.1135 * 3, abs=1e-3)  # nobody can say more than 5, but less than 4
    few = compare_samples(side(np.full(10, 5.0)), side(np.full(10, 4.0), 50), mean_of, told)
    assert found.p is not None
    assert few.p is not None
    assert found.p < 0.01 < 0.05 < few.p  # .278 of ten: 1.11 > 1


def test_pairs_that_all_differ_by_the_same_may_hide_one_that_differs_otherwise() -> None:
    given = np.tile([1.0, 2.0, 3.0], 10)
    found = compare_samples(side(given + 1), side(given), mean_of, ComparisonSettings(scale=(1.0, 5.0)))
    assert found.low == pytest.approx(1 - 0.1135 * 5, abs=1e-3)  # down to -4
    assert compare_samples(side(given + 1), side(given), mean_of).p is None


def test_a_side_without_variation_on_a_scale_without_an_end_is_marked() -> None:
    values = np.tile([3.0, 4.0, 6.0], 20)
    turns = ComparisonSettings(scale=(1.0, None))
    low = compare_samples(side(np.full(60, 2.0)), side(values), mean_of, turns)  # how many turns did it not show?
    high = compare_samples(side(np.full(60, 9.0)), side(values), mean_of, turns)  # at least one
    assert low.facts[UNSEEN] == 1.0
    assert UNSEEN not in high.facts
    assert UNSEEN not in compare_samples(side(values + 1), side(values[::-1]), mean_of, turns).facts


@pytest.mark.parametrize(("size", "rare"), [(12, 0.1), (30, 0.02), (300, 0.005)])
def test_a_rare_success_is_not_held_against_its_expectation(size: int, rare: float) -> None:
    """Successes with chances around ``rare``, minus these chances: sign flips call up to .9 of them below 0."""
    rng, below = np.random.default_rng(4), 0
    for _ in range(200):
        chances = rare * rng.uniform(0.2, 1.8, size)
        hits = (rng.random(size) < chances).astype(float)
        told = ComparisonSettings(scale=(0.0, 1.0), permutations=199)
        p = compare_samples(side(hits), side(chances), mean_of, told).p
        below += p is not None and p < 0.05
    assert below <= 12 + 2 * 3.4  # .06 of 200, and two errors


def test_shares_without_variation_have_an_interval_all_the_same() -> None:
    found = compare_samples(
        side(np.ones(8), units=3), side(np.zeros(8), units=3), mean_of, ComparisonSettings(is_share=True)
    )
    assert found.low is not None
    assert 0 < found.low < 0.7
    whole = interval_of(side(np.ones(8), units=3), mean_of, is_share=True)
    assert whole.low is not None
    assert 0.5 < whole.low < 0.7  # of 8 clusters: 8 / (8 + 2.3646^2) = .589


def test_a_statistic_that_is_no_ratio_is_compared_by_what_clusters_contribute() -> None:
    rng = np.random.default_rng(2)
    a, b = side(rng.normal(size=20) + 1), side(rng.normal(size=15), 50)
    found = compare_samples(a, b, geometric)
    assert found.value == pytest.approx(np.exp(mean_of(a.total)) - np.exp(mean_of(b.total)))
    assert found.p is not None
    assert found.p < 0.05


def test_without_skewness_halls_t_is_welchs_and_the_paired_one() -> None:
    from scipy.stats import ttest_ind, ttest_rel

    rng = np.random.default_rng(3)
    half = rng.normal(size=(2, 15))
    a, b = (np.concatenate([one, -one]) * scale + at for one, scale, at in zip(half, (1, 3), (0, 1), strict=True))
    parts = contributions(side(a), mean_of), contributions(side(b), mean_of)
    found, expected = hall_difference(*parts, 0), ttest_ind(a, b, equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval()))
    gaps = a - b - (a - b).mean()
    found, pairs = hall_difference(*parts, 30), ttest_rel(a, b)
    assert found.facts["skewness"] == pytest.approx(
        abs(np.mean(gaps**3)) / np.mean(gaps**2) ** 1.5 / 30**0.5 * (29 / 30) ** 1.5
    )
    symmetric = np.concatenate([half[0] + 0.2, 0.2 - half[0]])
    found, pairs = (
        hall_difference(contributions(side(symmetric), mean_of), contributions(side(np.zeros(30)), mean_of), 30),
        ttest_rel(symmetric, np.zeros(30)),
    )
    assert found.p == pytest.approx(pairs.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(pairs.confidence_interval()))


def test_many_clusters_are_compared_by_halls_t_alone() -> None:
    rng = np.random.default_rng(4)
    assert compare_samples(side(rng.normal(size=300)), side(rng.normal(size=250), 1000), mean_of).method == HALL


def test_one_person_who_holds_most_units_counts_as_one() -> None:
    """Ten people of whom one gave 300 of 345 units, against 40 of five: the difference is that of the people's means."""
    sizes, rng = np.array([300.0] + [5.0] * 9), np.random.default_rng(5)
    a = cluster_sums(np.column_stack([rng.normal(size=10) * sizes, sizes]), range(10))
    b = side(rng.normal(size=40), 50, units=5)
    found = compare_samples(a, b, mean_of)
    assert found.value == pytest.approx((a.sums[:, 0] / sizes).mean() - mean_of(b.total))
    units = float(mean_of(a.total) - mean_of(b.total))
    assert found.low is not None
    assert found.high is not None
    is_inside = found.low <= units <= found.high and units * found.value > 0
    assert found.facts[UNITS_DISAGREE] == (not is_inside)
    even = compare_samples(side(rng.normal(size=10), units=5), b, mean_of)
    assert UNITS_DISAGREE not in even.facts


@given(
    shared=st.sampled_from([0, 1, 3, 5, 6, 7, 20, 199, 200, 201]),
    only_a=st.sampled_from([0, 1, 3, 4, 6, 50, 201, 2_000]),
    only_b=st.sampled_from([0, 1, 2, 4, 7, 201, 1_801, 2_901]),
    kind=st.sampled_from(["normal", "flat", "share", "ceiling"]),
    seed=st.integers(0, 9),
)
@settings(max_examples=150, deadline=None)
def test_every_mix_of_shared_and_one_sided_clusters_has_an_answer(
    shared: int, only_a: int, only_b: int, kind: str, seed: int
) -> None:
    """Sizes around every threshold: pairs, groups, tables of arrangements, Hall's t alone."""
    rng = np.random.default_rng(seed)

    def draw(size: int) -> Floats:
        if kind == "normal":
            return rng.normal(size=size)
        if kind == "flat":
            return np.full(size, 2.0)
        rare = np.where(rng.random(size) < 0.05, 1.0, 0.0)
        return rare if kind == "share" else 5 - rare

    if not (shared + only_a and shared + only_b):
        return
    a, b = side(draw(shared + only_a)), side(draw(shared + only_b))
    b = ClusterSums((*range(shared), *range(10_000, 10_000 + only_b)), b.sums, b.n)
    found = compare_samples(a, b, mean_of, ComparisonSettings(is_share=kind == "share", permutations=200))
    assert found.value == pytest.approx(mean_of(a.total) - mean_of(b.total), abs=1e-12)
    assert found.p is None or 0 < found.p <= 1
    if found.low is not None and found.high is not None:
        assert np.isfinite([found.low, found.high]).all()
        assert found.low <= found.value <= found.high
        assert found.p is not None
        assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
    else:
        assert found.limit is not None
    if kind == "normal" and (shared + min(only_a, only_b) >= 6 or min(only_a, only_b) >= 4):
        assert found.p is not None


def test_the_interval_of_a_mean_is_cut_off_where_the_scale_ends_but_holds_the_value() -> None:
    found = interval_of(side(np.array([1.0, 1.0, 1.0, 1.0, 0.2])), mean_of, scale=(0.0, 1.0))
    assert found.high == 1.0
    clipped = compare_samples(
        side([0.6, 1, 1, 0.8]), side([0.1, 0.3, 0.1, 0.5], 9), mean_of, ComparisonSettings(scale=(0.1, 1))
    )
    assert clipped.high == 0.9


UNITS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=2, max_size=9)


@given(a=UNITS, b=UNITS, start=st.integers(0, 9), is_share=st.booleans(), ratio=st.booleans())
@settings(max_examples=100, deadline=None)
def test_interval_and_p_value_never_contradict_each_other(
    a: list[tuple[int, int]], b: list[tuple[int, int]], start: int, is_share: bool, ratio: bool
) -> None:
    """Paired, partly paired and independent; shares, means and other statistics; any small data."""

    def sums(units: list[tuple[int, int]], first: int) -> ClusterSums:
        rows = [(min(y, m) if is_share else y, m) for y, m in units]
        return cluster_sums(np.array(rows, dtype=float), range(first, first + len(rows)))

    how = ComparisonSettings(is_share=is_share and ratio, permutations=300)
    found = compare_samples(sums(a, 0), sums(b, start), mean_of if ratio else geometric, how)
    if found.low is None or found.high is None:
        assert found.limit is not None
        return
    assert found.p is not None
    assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
    assert found.low <= found.value <= found.high


@pytest.mark.slow
@pytest.mark.atlas
@pytest.mark.parametrize(("size", "shared"), [(8, 8), (12, 6), (25, 10)])
def test_pairs_and_partly_shared_clusters_keep_the_level(size: int, shared: int) -> None:
    """Exponential values that share half their variance; 5% of 600 tests give 30, standard error 5.3."""
    rng, called = np.random.default_rng(5), 0
    for _ in range(600):
        taste = rng.exponential(size=2 * size - shared)
        a = taste[:size] + rng.exponential(size=size)
        b = taste[size - shared :] + rng.exponential(size=size)
        order = [*range(size - shared, size), *range(size - shared)]  # shared clusters first on both sides
        called += PermutationTest(a[order], b, shared, max_arrangements=400).p_value() < 0.05
    assert 15 <= called <= 45


def test_a_family_is_given_the_error_of_a_difference_however_small() -> None:
    """Of pairs that differ by 0 and .2 in turn: sd .2 * (12 / 44)^.5, over 12^.5."""
    low = np.linspace(0, 1, 12)
    high = low + np.tile([0.0, 0.2], 6)
    facts = compare_samples(side(high), side(low), mean_of).facts
    assert facts[STANDARD_ERROR] == pytest.approx(0.2 * (12 / 44 / 12) ** 0.5)
    assert facts[SMALLER_SIDE] == 12


@pytest.mark.parametrize("value", [0.1, 0.11670366078, 1 / 3, 1e-9, 12345.678])
@pytest.mark.parametrize(("few", "many", "start"), [(100, 3000, 0), (100, 3000, 5000), (30, 31, 100), (12, 150, 6)])
def test_equal_values_are_equal_however_many_are_summed(value: float, few: int, many: int, start: int) -> None:
    """Sums of 3,000 equal values and of 100 differ by rounding, which sign flips once found significant."""
    found = compare_samples(side(np.full(many, value)), side(np.full(few, value), start), mean_of)
    assert (found.value, found.p, found.limit) == (0.0, 1.0, Limit.NO_VARIATION)


def test_the_error_of_two_samples_adds_the_variances_of_both() -> None:
    wide, narrow = np.tile([0.0, 1.0], 8), np.tile([0.4, 0.6], 10)
    facts = compare_samples(side(wide), side(narrow, 100), mean_of).facts
    expected = (wide.var(ddof=1) / len(wide) + narrow.var(ddof=1) / len(narrow)) ** 0.5
    assert facts[STANDARD_ERROR] == pytest.approx(expected)
    assert facts[SMALLER_SIDE] == 16
