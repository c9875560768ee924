"""Corrected means against formulas worked by hand, ppi_py's numbers, and populations whose truth is known."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t as student

from trialogue.errors import UsageError
from trialogue.records import Interval, ReasonCode
from trialogue.stats import wilson
from trialogue.stats.arrays import Floats
from trialogue.stats.correction.means import Corrections, corrected_means
from trialogue.stats.correction.table import Estimand, JudgedTable, RaterLabel, judged_table
from trialogue.stats.correction.weights import PowerSums, power_tuned_mean

LABELS = np.array([1.0, 0, 2, 3, 1, 2, 4, 0, 1, 3, 2, 1])
JUDGE = np.array([1, 0.5, 1, 2, 1, 1.5, 2, 0, 0.5, 2, 1, 1])
REST = np.array([0.5, 1, 1.5, 2, 0, 1, 2, 1.5, 0.5, 1, 1, 2, 1.5, 0.5])
NAN = float("nan")


def small(**options: object) -> JudgedTable:
    """Twelve labelled and fourteen other units of one system."""
    labels = np.concatenate([LABELS, np.full(len(REST), NAN)])
    return judged_table(["a"] * 26, np.concatenate([JUDGE, REST]), labels, **options)  # type: ignore[arg-type]


def ends(found: Interval | None) -> tuple[float, float]:
    assert found is not None
    return found.low, found.high


def value(found: float | None) -> float:
    assert found is not None
    return found


def world(
    rng: np.random.Generator, size: int, *, within: float = 0.6, systems: int = 3
) -> tuple[list[str], Floats, Floats]:
    """(systems, judge, ordinal truths)."""
    system = np.arange(size) % systems
    noise = rng.standard_normal(size)
    judge = within * noise + (1 - within**2) ** 0.5 * rng.standard_normal(size)
    return (
        [f"s{each}" for each in system],
        judge,
        np.digitize(noise + 0.4 * system, [-0.5, 0.3, 1.0, 1.6]).astype(float),
    )


def drawn(truth: Floats, names: list[str], each: int, rng: np.random.Generator) -> Floats:
    """So many labels of each system."""
    labels = np.full(len(truth), NAN)
    for name in set(names):
        own = rng.permutation([place for place, other in enumerate(names) if other == name])[:each]
        labels[own] = truth[own]
    return labels


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.66666667), (0.5, 1.67559524), (1.0, 1.68452381)])
def test_a_fixed_weight_gives_the_point_estimates_of_ppi_py(share: float, expected: float) -> None:
    # ppi_py 0.2.3: ppi_mean_pointestimate(LABELS, JUDGE, REST, lam=share). Its weight is on the mean of the rest, ours on
    # the mean of all 26, 14/26 of which it moves: ours is 26/14 of theirs.
    found = corrected_means(small(), weight=share * 26 / 14)
    assert found.overall.corrected.value == pytest.approx(expected, abs=1e-8)


def test_the_tuned_weight_is_that_of_ppi_py_but_for_its_degrees_of_freedom() -> None:
    # ppi_py 0.2.3 gives 1.68305474 with the weight tuned, labels alone 1.66666667. It divides the judge's pooled variance
    # by N - 1, where we divide by N: our weight is 26/25 of its.
    both = np.concatenate([JUDGE, REST])
    units = [PowerSums.of_unit(score, label) for score, label in zip(JUDGE, LABELS, strict=True)]
    units += [PowerSums.of_unit(score, None) for score in REST]
    found = float(power_tuned_mean(PowerSums.from_columns(np.array(units).sum(axis=0))))
    assert sum(each.scores for each in units) == pytest.approx(both.sum())
    assert found == pytest.approx(5 / 3 + (1.68305474 - 5 / 3) * 26 / 25, abs=1e-7)


def test_of_a_population_the_error_is_that_of_two_phases() -> None:
    # Fixed weight w: rows add (y - w f - mean) / n if labelled, times sqrt(n / (n - 1)), and w (f - mean f) / N each.
    weight = 1.2
    found = corrected_means(small(), weight=weight, estimand=Estimand.POPULATION).overall.corrected
    rest = LABELS - weight * JUDGE
    both = np.concatenate([JUDGE, REST])
    rows = weight * (both - both.mean()) / 26
    rows[:12] += (rest - rest.mean()) / 12 * (12 / 11) ** 0.5
    assert found.interval is not None
    assert found.interval.facts["error"] == pytest.approx(float(np.sum(rows**2)) ** 0.5)
    # ppi_py adds w'^2 var(F) / N' and var(y - w' f) / n, with w' = w 14/26; both estimate one variance
    theirs = (weight * 14 / 26) ** 2 * REST.var() / 14 + (LABELS - weight * 14 / 26 * JUDGE).var() / 12
    assert found.interval.facts["error"] == pytest.approx(theirs**0.5, rel=0.1)


def test_labels_alone_have_t_with_the_correction_for_a_finite_number() -> None:
    found = corrected_means(small()).overall.alone
    error = (LABELS.var(ddof=1) / 12 * (1 - 12 / 26)) ** 0.5
    reach = float(student.ppf(0.975, 11)) * error
    assert ends(found.interval) == pytest.approx((5 / 3 - reach, 5 / 3 + reach))
    assert found.n == 12


def test_of_a_population_labels_alone_have_the_ordinary_t_interval() -> None:
    found = corrected_means(small(), estimand=Estimand.POPULATION).overall.alone
    reach = float(student.ppf(0.975, 11)) * (LABELS.var(ddof=1) / 12) ** 0.5
    assert ends(found.interval) == pytest.approx((5 / 3 - reach, 5 / 3 + reach))


def test_the_weight_of_each_label_is_fitted_without_it() -> None:
    table = small()
    found = corrected_means(table).overall
    fixed, weights = [], []
    both = np.concatenate([JUDGE, REST])
    for place in range(12):  # ordinary least squares on the other eleven, shrunk by 1 - 1 / t^2
        f, y = np.delete(JUDGE, place), np.delete(LABELS, place)
        slope = np.cov(f, y)[0, 1] / f.var(ddof=1)
        r = np.corrcoef(f, y)[0, 1]
        squared_t = r**2 / (1 - r**2) * (11 - 2)
        weights.append(slope * (1 - 1 / squared_t))
        fixed.append(LABELS[place] - weights[-1] * (JUDGE[place] - both.mean()))
    assert found.corrected.value == pytest.approx(5 / 3 + np.mean(weights) * (both.mean() - JUDGE.mean()))
    assert found.corrected.interval is not None
    error = (np.var(fixed, ddof=1) / 12 * (1 - 12 / 26)) ** 0.5
    assert found.corrected.interval.facts["error"] == pytest.approx(error)


def test_everything_labelled_leaves_no_error_in_these_units_but_in_their_population() -> None:
    table = judged_table(["a"] * 12, JUDGE, LABELS)
    these, all_of_them = (corrected_means(table, estimand=each).overall.corrected for each in Estimand)
    assert ends(these.interval) == pytest.approx((5 / 3, 5 / 3))
    assert all_of_them.value == pytest.approx(5 / 3)
    reach = float(student.ppf(0.975, 10)) * (LABELS.var(ddof=1) / 12) ** 0.5
    low, high = ends(all_of_them.interval)
    assert (high - low) / 2 == pytest.approx(reach, rel=0.1)


def test_another_scale_of_the_judge_changes_nothing() -> None:
    labels = np.concatenate([LABELS, np.full(14, NAN)])
    both = np.concatenate([JUDGE, REST])
    first = corrected_means(judged_table(["a"] * 26, both, labels)).overall
    second = corrected_means(judged_table(["a"] * 26, 1000 + both / 50, labels)).overall
    assert second.corrected.value == pytest.approx(value(first.corrected.value), abs=1e-6)
    assert ends(second.corrected.interval) == pytest.approx(ends(first.corrected.interval), abs=1e-6)
    assert second.weight == pytest.approx(first.weight * 50, rel=1e-6)


@pytest.mark.parametrize("judge", [np.zeros(26), -np.concatenate([JUDGE, REST]), np.full(26, NAN)])
def test_a_judge_that_is_constant_contrary_or_silent_is_not_used(judge: Floats) -> None:
    labels = np.concatenate([LABELS, np.full(14, NAN)])
    found = corrected_means(judged_table(["a"] * 26, judge, labels)).overall
    assert found.weight == 0
    assert found.width_ratio == pytest.approx(1.0)
    assert found.corrected.value == pytest.approx(5 / 3)


def test_fewer_than_ten_labels_are_refused_and_say_why() -> None:
    labels = np.concatenate([LABELS[:9], np.full(17, NAN)])
    found = corrected_means(judged_table(["a"] * 26, np.concatenate([JUDGE, REST]), labels)).systems["a"]
    for estimate in (found.alone, found.corrected):
        assert estimate.value is None
        assert estimate.why is not None
        assert estimate.why.code is ReasonCode.TOO_FEW_LABELS
        assert estimate.why.facts == {"labels": 9, "least": 10}


def test_a_system_without_enough_labels_has_no_part_in_differences_ranks_and_the_whole() -> None:
    rng = np.random.default_rng(1)
    names, judge, truth = world(rng, 90)
    labels = drawn(truth, names, 12, rng)
    labels[[place for place, name in enumerate(names) if name == "s1"][:25]] = NAN
    table = judged_table(names, judge, labels)
    found = corrected_means(table)
    assert set(found.differences) == {("s0", "s2")}
    assert found.ranks["s1"].rank is None
    why = found.overall.corrected.why
    assert why is not None
    assert why.code is ReasonCode.SYSTEMS_WITHOUT_ESTIMATE
    assert why.facts == {"systems": ["s1"]}
    assert corrected_means(table, drawn_overall=True).overall.corrected.value is not None


def test_labels_that_do_not_vary_give_no_interval_unless_they_are_all() -> None:
    some = np.where(np.arange(26) < 12, 3.0, NAN)
    found = corrected_means(judged_table(["a"] * 26, np.zeros(26), some)).systems["a"]
    for estimate in (found.alone, found.corrected):
        assert (estimate.value, estimate.interval) == (3.0, None)
        assert estimate.why is not None
        assert estimate.why.code is ReasonCode.CLUSTERS_ALL_EQUAL
    everything = corrected_means(judged_table(["a"] * 26, np.zeros(26), np.full(26, 3.0))).systems["a"].alone
    assert ends(everything.interval) == (3.0, 3.0)
    names = ["a"] * 26 + ["b"] * 26
    pair = corrected_means(judged_table(names, np.zeros(52), np.concatenate([some, some + 1]))).differences["a", "b"]
    assert (pair.corrected.value, pair.corrected.p, pair.corrected.interval) == (-1.0, None, None)


def test_a_judge_that_never_erred_on_twelve_labels_may_err_on_one() -> None:
    labels = np.concatenate([LABELS, np.full(14, NAN)])
    truth = np.concatenate([LABELS, 2 * REST])
    found = corrected_means(judged_table(["a"] * 26, truth, labels)).overall
    assert found.alone.interval is not None
    assert found.corrected.interval is not None
    assert found.corrected.interval.facts["error"] == pytest.approx(found.alone.interval.facts["error"] / 12**0.5)


def test_a_stratum_with_one_label_is_refused() -> None:
    strata = ["x"] * 11 + ["y"] * 15
    found = corrected_means(small(strata=strata)).systems["a"].corrected
    assert found.why is not None
    assert found.why.code is ReasonCode.STRATUM_TOO_FEW_LABELS


def test_strata_count_by_their_share_of_the_units() -> None:
    strata = (["x"] * 6 + ["y"] * 6) + (["x"] * 3 + ["y"] * 11)  # 9 and 17 units
    found = corrected_means(small(strata=strata)).systems["a"].alone
    first, second = LABELS[:6], LABELS[6:]
    assert found.value == pytest.approx((9 * first.mean() + 17 * second.mean()) / 26)
    variance = sum(
        (size / 26) ** 2 * (1 - 6 / size) * part.var(ddof=1) / 6 for size, part in ((9, first), (17, second))
    )
    assert found.interval is not None
    assert found.interval.facts["error"] == pytest.approx(variance**0.5)


def test_equal_chances_are_the_same_as_none() -> None:
    plain = corrected_means(small()).overall.corrected
    given = corrected_means(small(chances=[12 / 26] * 26)).overall.corrected
    assert given.value == pytest.approx(value(plain.value))
    assert ends(given.interval) == pytest.approx(ends(plain.interval))


def test_labels_chosen_by_the_judges_score_are_right_with_their_chances_and_wrong_without() -> None:
    rng = np.random.default_rng(2)
    names, judge, truth = world(rng, 3_000, systems=1)
    chances = 1 / (1 + np.exp(-(judge - 1.5) * 1.5))  # the better a dialogue, the likelier its label
    bias: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(60):
        labels = np.where(rng.random(3_000) < chances, truth, NAN)
        for known in bias:
            table = judged_table(names, np.zeros(3_000), labels, chances=chances if known else None)
            bias[known].append(value(corrected_means(table).overall.alone.value) - float(truth.mean()))
    assert abs(np.mean(bias[True])) < 0.02
    assert np.mean(bias[False]) > 0.2


def test_small_strata_share_one_weight_and_large_ones_have_their_own() -> None:
    rng = np.random.default_rng(3)
    names = ["a"] * 60 + ["b"] * 60
    judge = rng.standard_normal(120)
    truth = np.where(np.arange(120) < 60, 3 * judge, 1 * judge) + 0.2 * rng.standard_normal(120)
    few, many = (corrected_means(judged_table(names, judge, drawn(truth, names, each, rng))) for each in (15, 40))
    weights = [few.systems[name].weight for name in ("a", "b")]
    assert weights[0] == pytest.approx(weights[1], abs=0.1)
    assert 1.2 < weights[0] < 2.8
    assert [many.systems[name].weight for name in ("a", "b")] == pytest.approx((3.0, 1.0), abs=0.1)


def test_turns_of_one_dialogue_are_one_cluster() -> None:
    clusters = [place // 2 for place in range(26)]
    found = corrected_means(small(clusters=clusters), weight=0.0, estimand=Estimand.POPULATION).overall.alone
    sums = (LABELS - LABELS.mean()).reshape(6, 2).sum(axis=1) / 12
    error = float(np.sum(sums**2) * 6 / 5) ** 0.5
    reach = float(student.ppf(0.975, 5)) * error
    assert ends(found.interval) == pytest.approx((5 / 3 - reach, 5 / 3 + reach))
    assert found.clusters == 6


def test_two_systems_on_the_same_needs_are_compared_within_them() -> None:
    rng = np.random.default_rng(4)
    need = 2 * rng.standard_normal(40)
    judge = np.concatenate([need, need]) + rng.standard_normal(80)
    truth = np.concatenate([need + 0.5, need]) + 0.1 * rng.standard_normal(80)
    labels = np.where(np.tile(np.arange(40) < 20, 2), truth, NAN)
    names, keys = ["a"] * 40 + ["b"] * 40, [f"n{place}" for place in range(40)] * 2
    paired = corrected_means(judged_table(names, judge, labels, clusters=keys), weight=0.0).differences["a", "b"]
    apart = corrected_means(judged_table(names, judge, labels), weight=0.0).differences["a", "b"]
    gaps = (truth[:40] - truth[40:])[:20]
    assert paired.alone.value == pytest.approx(float(gaps.mean()))
    assert paired.alone.interval is not None
    assert apart.alone.interval is not None
    assert paired.alone.interval.facts["error"] == pytest.approx((gaps.var(ddof=1) / 20 * 0.5) ** 0.5)
    assert apart.alone.interval.facts["error"] > 5 * paired.alone.interval.facts["error"]


def test_raters_noise_counts_also_where_every_unit_is_labelled() -> None:
    # Two raters, balanced, D = a - b over 12 rows: residual is var(D) / 2, each row's mean has half of it
    other = LABELS + np.array([1, -1] * 6)
    rows = [RaterLabel(place, "a", each) for place, each in enumerate(LABELS.tolist())]
    rows += [RaterLabel(place, "b", each) for place, each in enumerate(other.tolist())]
    found = corrected_means(judged_table(["s"] * 12, JUDGE, rater_labels=rows))
    gaps = np.array([-1, 1] * 6)
    assert found.raters.residual == pytest.approx(gaps.var(ddof=1) / 2)
    assert found.raters.leniency == 0.0
    assert found.overall.corrected.interval is not None
    assert found.overall.corrected.interval.facts["error"] == pytest.approx((gaps.var(ddof=1) / 2 / 2 / 12) ** 0.5)


def test_a_lenient_rater_counts_for_other_raters_and_for_these_only_by_unequal_shares() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 5, 40).astype(float)
    rows = [RaterLabel(place, "a", truth[place]) for place in range(40)]
    both = [*rows, *(RaterLabel(place, "b", truth[place] + 1 + 0.1 * (place % 2)) for place in range(40))]
    table = judged_table(["s"] * 40, np.zeros(40), rater_labels=both)
    panel, all_raters = (corrected_means(table, raters=each).overall.alone for each in Estimand)
    assert panel.interval is not None
    assert all_raters.interval is not None
    assert panel.interval.facts["error"] < 0.02
    # sd of two raters one apart is about .75, their mean's .74 / sqrt 2
    assert all_raters.interval.facts["error"] == pytest.approx(1.05 / 2, abs=0.03)
    assert all_raters.interval.facts["freedom"] == pytest.approx(1, abs=0.01)
    uneven = judged_table(["s"] * 40, np.zeros(40), rater_labels=[*rows, *both[40:52]])
    found = corrected_means(uneven).overall.alone.interval
    assert found is not None
    assert found.facts["error"] > 0.2


def test_a_share_by_labels_alone_has_wilsons_interval() -> None:
    labels = np.concatenate([(LABELS > 1.5).astype(float), np.full(14, NAN)])  # 6 of 12
    table = judged_table(["a"] * 26, np.concatenate([JUDGE, REST]), labels)
    found = corrected_means(table, estimand=Estimand.POPULATION)
    expected = wilson(6, 12).interval
    assert found.is_share
    assert ends(found.overall.alone.interval) == pytest.approx(ends(expected))
    these = corrected_means(table).overall.alone.interval  # 12 labels of 26 are worth 12 / (1 - 12/26) = 22.29
    z = NormalDist().inv_cdf(0.975)
    units = 12 / (1 - 12 / 26)
    reach = z / (1 + z**2 / units) * (0.25 / units + z**2 / (4 * units**2)) ** 0.5
    assert ends(these) == pytest.approx((0.5 - reach, 0.5 + reach))


def test_the_share_over_equal_systems_is_worth_the_labels_of_all() -> None:
    answers = np.tile([1.0, 0.0, 1.0, 0.0], 9)  # 6 of 12 in each of three systems
    names = [f"s{place}" for place in range(3) for _ in range(12)]
    found = corrected_means(judged_table(names, np.zeros(36), answers), estimand=Estimand.POPULATION).overall.alone
    units, quantile = 0.25 / (0.25 / 33), float(student.ppf(0.975, 33))  # variance (1/9) 3 (.25 / 11)
    reach = quantile / (1 + quantile**2 / units) * (0.25 / units + quantile**2 / (4 * units**2)) ** 0.5
    assert ends(found.interval) == pytest.approx((0.5 - reach, 0.5 + reach))


def test_ten_labels_of_one_kind_leave_a_share_open() -> None:
    labels = np.concatenate([np.ones(10), np.full(90, NAN)])
    judge = np.concatenate([np.ones(10), np.ones(45), np.zeros(45)])
    found = corrected_means(judged_table(["a"] * 100, judge, labels)).overall
    assert found.corrected.value == 1.0
    assert ends(found.corrected.interval)[0] < 0.75
    assert ends(found.corrected.interval) == pytest.approx(ends(found.alone.interval))


def test_the_p_value_of_a_difference_of_shares_is_where_its_interval_ends_at_zero() -> None:
    rng = np.random.default_rng(6)
    names, judge, truth = world(rng, 300, systems=2)
    table = judged_table(names, judge, drawn((truth > 2).astype(float), names, 40, rng))
    found = corrected_means(table).differences["s0", "s1"].corrected
    assert found.p is not None
    at_p = corrected_means(table, confidence=1 - found.p).differences["s0", "s1"].corrected
    assert min(abs(end) for end in ends(at_p.interval)) < 1e-6


def test_several_looks_widen_every_interval_to_bonferronis() -> None:
    once, five = (corrected_means(small(), looks=looks).overall.alone for looks in (1, 5))
    ratio = (ends(five.interval)[1] - ends(five.interval)[0]) / (ends(once.interval)[1] - ends(once.interval)[0])
    assert ratio == pytest.approx(float(student.ppf(0.995, 11) / student.ppf(0.975, 11)))
    assert five.interval is not None
    assert five.interval.confidence == pytest.approx(0.99)


def test_stopping_at_the_first_look_that_leaves_zero_out_errs_no_more_often_than_stated() -> None:
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(150):
        truth = rng.standard_normal(400)
        truth -= truth.mean()
        order = rng.permutation(400)
        judge = truth + rng.standard_normal(400)
        for labels in (10, 20, 40, 80, 160):
            given = np.full(400, NAN)
            given[order[:labels]] = truth[order[:labels]]
            found = corrected_means(judged_table(["a"] * 400, judge, given), looks=5).overall.corrected.interval
            assert found is not None
            if not found.contains(0.0):
                wrong += 1
                break
    assert wrong <= 14  # .05 of 150 is 7.5, plus 2.4 standard errors


def test_ranks_hold_only_what_significant_differences_say() -> None:
    rng = np.random.default_rng(8)
    names, judge, truth = world(rng, 300)
    truth = truth + np.array([0.0, 0.1, 5.0])[np.arange(300) % 3]
    found = corrected_means(judged_table(names, judge, drawn(truth, names, 20, rng)))
    assert (found.ranks["s2"].rank, found.ranks["s2"].low, found.ranks["s2"].high) == (1, 1, 1)
    assert {found.ranks[name].rank for name in ("s0", "s1")} == {2, 3}
    assert min(value(found.ranks[name].low) for name in ("s0", "s1")) == 2
    worst = corrected_means(judged_table(names, judge, drawn(truth, names, 20, rng)), higher_is_better=False)
    assert worst.ranks["s2"].rank == 3


def flat(found: Corrections) -> list[float | None]:
    cells = [*found.systems.values(), found.overall, *found.differences.values()]
    return [each.corrected.value for each in cells]


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    names, judge, truth = world(rng, 120)
    labels = drawn(truth, names, 12, rng)
    order = rng.permutation(120)
    first = corrected_means(judged_table(names, judge, labels))
    second = corrected_means(judged_table([names[place] for place in order], judge[order], labels[order]))
    assert flat(second) == pytest.approx(flat(first))


def test_intervals_hold_the_truth_and_a_random_judge_costs_next_to_nothing() -> None:
    rng = np.random.default_rng(10)
    for within, widest in ((0.6, 0.95), (0.0, 1.02)):
        held, ours, theirs = [], [], []
        for _ in range(60):
            names, judge, truth = world(rng, 300, within=within)
            found = corrected_means(judged_table(names, judge, drawn(truth, names, 10, rng)))
            for (a, b), each in found.differences.items():
                means = [float(truth[[name == side for name in names]].mean()) for side in (a, b)]
                low, high = ends(each.corrected.interval)
                held.append(low <= means[0] - means[1] <= high)
                ours.append(high - low)
                theirs.append(ends(each.alone.interval)[1] - ends(each.alone.interval)[0])
        assert np.mean(held) > 0.92
        assert np.mean(ours) / np.mean(theirs) < widest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": LABELS, "chances": [2.0] * 12}, "probability that a row is labelled"),
        ({"labels": LABELS, "chances": [0.0] * 12}, "probability that a row is labelled"),
        ({"labels": LABELS[:3]}, "equal lengths"),
        ({}, "either labels"),
        ({"rater_labels": [RaterLabel(12, "a", 1.0)]}, "refers to row 12"),
    ],
)
def test_impossible_columns_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        judged_table(["a"] * 12, JUDGE, **options)  # type: ignore[arg-type]


def test_no_rows_and_no_labels_are_refused() -> None:
    with pytest.raises(UsageError, match="no judged rows"):
        judged_table([], [], [])
    with pytest.raises(UsageError, match="no labels"):
        corrected_means(judged_table(["a"], [1.0], [None]))
