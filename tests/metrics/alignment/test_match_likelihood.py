"""Intervals and differences of implicit alignment hold the error of the calibration, too."""

from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.metrics import Conversation, Reply, Settings, get_metric, measure
from trialogue.metrics.alignment.implicit_alignment import ImplicitAlignment
from trialogue.metrics.alignment.match_likelihood import (
    GRID,
    Calibration,
    calibration_gradient,
    calibration_variance,
    likeliest_share,
    share_without_each,
    variance_of_difference,
)
from trialogue.metrics.base import Array, Undefined
from trialogue.metrics.fit_uncertainty import widen, widen_at_end
from trialogue.records import (
    Estimate,
    Interval,
    Labeller,
    Reason,
    ReasonCode,
    Score,
    StrategyDistribution,
    StrategyLabel,
    Utterance,
)
from trialogue.stats import ClusterSums, bootstrap_sums

Error = tuple[float, float, float] | None
MATCHING, ERROR = (1.0, 0.0), (0.05, -0.02, 0.04)


def belief(probability: float, error: Error, origin: str = "m|1") -> StrategyDistribution:
    shares = {"credibility": probability, "similarity": 1 - probability}
    return StrategyDistribution(origin=origin, probabilities=shares, matching=MATCHING, matching_error=error)


def conversations(
    system: str, shares: float, *, seed: int, error: Error = ERROR, origin: str = "m|1", dialogues: int = 30
) -> list[Conversation]:
    """Twelve replies in each dialogue, whose calibrated probabilities have density 2r where they match, else 2 (1 - r)."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(dialogues):
        r = np.sqrt(rng.random(12))
        chances = np.where(rng.random(12) < shares, r, 1 - r)
        reference = Utterance(speaker="system", text="", strategy_distribution=belief(1.0, error, origin))
        replies = tuple(
            Reply(
                system,
                Utterance(speaker="system", text="", strategy_distribution=belief(chance, error, origin)),
                reference=reference,
                turn=turn,
            )
            for turn, chance in enumerate(chances.tolist(), start=2)
        )
        found.append(Conversation(system, f"d{number}", replies))
    return found


def measured(*systems: list[Conversation], variant: str = "emq", confidence: float = 0.95) -> list[Score]:
    chosen = Settings(resamples=200, permutations=200, confidence=confidence)
    return measure(
        [each for system in systems for each in system], [ImplicitAlignment(variant=variant)], settings=chosen
    )


def sums_of(conversations_: list[Conversation]) -> Array:
    metric = ImplicitAlignment()
    rows = [[metric.statistics(reply) for reply in each.replies] for each in conversations_]
    return np.asarray(np.array(rows, dtype=float).sum(axis=1))


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def estimate(value: float, low: float, high: float, clusters: int | None = 41) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, method="m"), n=99, clusters=clusters)


def test_errors_of_dialogues_and_of_the_calibration_add_in_squares() -> None:
    found = widen(estimate(0.4, 0.35, 0.48), 0.02**2)
    # t(.975, 40) / 1.95996 = 2.02108 / 1.95996 = 1.03118, times sqrt(41 / 40) = 1.01242: 1.04399;
    # below sqrt((1.04399 .05)^2 + (1.95996 .02)^2) = sqrt(.0027248 + .0015366) = .06528; above sqrt(.0069754 + .0015366)
    assert ends(found.interval) == pytest.approx((0.33472, 0.49226), abs=1e-4)
    assert (found.value, found.n, found.clusters) == (0.4, 99, 41)


def test_intervals_stay_on_the_scale() -> None:
    low, high = ends(widen(estimate(0.02, 0.0, 0.05, clusters=2), 0.1).interval)
    # above sqrt((12.706 / 1.96 sqrt(2) .03)^2 + (1.96 sqrt(.1))^2) = sqrt(.07568 + .38415) = .6781
    assert (low, high) == pytest.approx((0.0, 0.6981), abs=0.001)
    assert ends(widen(estimate(0.98, 0.95, 1.0), 1.0).interval) == (0.0, 1.0)


@pytest.mark.parametrize(
    "without",
    [Estimate(value=None, why="nothing"), Estimate(value=0.3, clusters=1, why="one"), estimate(0.3, 0.2, 0.4, None)],
)
def test_what_has_no_interval_gets_none(without: Estimate) -> None:
    assert widen(without, 0.1) == without


@pytest.mark.parametrize("clusters", [0, 1])
def test_an_error_that_is_known_from_no_clusters_is_not_taken_for_that_of_all(clusters: int) -> None:
    found = widen(estimate(0.4, 0.35, 0.48), 0.0, clusters=clusters)
    assert (found.value, found.interval, found.why) == (0.4, None, Reason.of(ReasonCode.TOO_FEW_CLUSTERS_WITH_ERROR))
    assert widen(estimate(0.4, 0.35, 0.48), 0.0, clusters=41) == widen(estimate(0.4, 0.35, 0.48), 0.0)


def test_many_dialogues_and_a_perfect_calibration_leave_an_interval_as_it_is() -> None:
    before = estimate(0.3, 0.2, 0.45, clusters=100_000)
    assert ends(widen(before, 0.0).interval) == pytest.approx(ends(before.interval), abs=1e-4)


def test_the_variance_is_that_of_the_linear_function() -> None:
    rng = np.random.default_rng(0)
    covariance = np.array([[0.04, 0.03], [0.03, 0.09]])
    moved = np.array([0.5, -0.2])
    drawn = rng.multivariate_normal([1, 2], covariance, size=50_000) @ moved
    assert calibration_variance(moved, (0.04, 0.03, 0.09)) == pytest.approx(float(drawn.var()), rel=0.03)


def test_a_covariance_that_is_none_gives_no_negative_variance() -> None:
    assert calibration_variance(np.array([1.0, -1.0]), (0.01, 0.5, 0.01)) == 0.0


def test_what_moves_both_systems_alike_cancels_and_another_calibration_does_not() -> None:
    one, other = Calibration("m", MATCHING, (0.25, 0.5, 1.0)), Calibration("n", MATCHING, (0.25, 0.5, 1.0))
    a, b = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    # (1, 2): .25 + 2 + 4 = 6.25; (1, 1): .25 + 1 + 1 = 2.25; (0, 1): 1
    assert variance_of_difference({one: a}, {one: a}) == 0.0
    assert variance_of_difference({one: a}, {one: b}) == 1.0
    assert variance_of_difference({one: a}, {other: b}) == 6.25 + 2.25
    assert variance_of_difference({one: a}, {}) == 6.25
    missing = variance_of_difference({one: a}, {Calibration("old", MATCHING, None): b})
    assert isinstance(missing, Undefined)
    assert "calibration error of old is unknown" in str(missing.why)


def test_a_difference_has_the_errors_of_both_and_one_standard_error_for_interval_and_p() -> None:
    far, near = conversations("a", 0.7, seed=1), conversations("b", 0.1, seed=2)
    *_, found = measured(far, near)
    sides = [sums_of(far), sums_of(near)]
    totals = [side.sum(axis=0) for side in sides]
    gap = np.subtract(*(share_without_each(side, total) for side, total in zip(sides, totals, strict=True)))
    moved = np.subtract(*(calibration_gradient(total, MATCHING) for total in totals))
    own = 29 / 30 * float(((gap - gap.mean()) ** 2).sum())  # the jackknife of 30 paired dialogues
    both = own + calibration_variance(moved, ERROR)
    value = float(likeliest_share(totals[0]) - likeliest_share(totals[1]))
    assert found.value == pytest.approx(value)
    low, high = ends(found.interval)
    assert (high - low) / 2 == pytest.approx(2.04523 * both**0.5, rel=1e-5)  # t(.975, 29)
    assert both > 1.05 * own  # where systems are far apart, the calibration counts
    from scipy.stats import t

    assert found.p == pytest.approx(2 * t.sf(value / both**0.5, 29))
    assert found.interval is not None
    assert found.interval.method == "jackknife over 30 clusters, t, including the error of the calibration"


@settings(max_examples=30, deadline=None)
@given(
    share=st.floats(0, 1), other=st.floats(0, 1), seed=st.integers(0, 99), confidence=st.sampled_from([0.8, 0.95, 0.99])
)
def test_p_is_below_the_level_exactly_where_the_interval_leaves_out_zero(
    share: float, other: float, seed: int, confidence: float
) -> None:
    sides = conversations("a", share, seed=seed, dialogues=6), conversations("b", other, seed=seed + 1, dialogues=6)
    *_, found = measured(*sides, confidence=confidence)
    if found.p is None:
        assert found.interval is None
        assert found.why
    else:
        low, high = ends(found.interval)
        assert (found.p < 1 - confidence) == (low > 0 or high < 0)
        assert -1 <= low <= high <= 1


def test_systems_and_the_signature_say_that_the_calibration_is_in() -> None:
    first, _, difference = measured(conversations("a", 0.5, seed=1), conversations("b", 0.2, seed=2))
    assert first.interval is not None
    assert first.interval.method.endswith("Student's t, including the error of the calibration")
    for score in (first, difference):
        assert score.signature is not None
        assert score.signature.endswith("|interval:calibration")
        assert "labels:m|1|" in score.signature
        assert score.why is None


def test_an_unknown_error_is_left_out_and_said_of_systems_and_differences() -> None:
    known = measured(conversations("a", 0.6, seed=1), conversations("b", 0.1, seed=2))
    unknown = measured(conversations("a", 0.6, seed=1, error=None), conversations("b", 0.1, seed=2, error=None))
    for then, now in zip(known, unknown, strict=True):
        assert now.value == then.value
        assert (
            str(now.why)
            == "the calibration error of m|1 is unknown and not in the interval, which is therefore too narrow"
        )
        assert now.signature is not None
        assert now.signature.endswith("|interval:without calibration")
        (low, high), (outer, upper) = ends(now.interval), ends(then.interval)
        assert outer < low < high < upper


def test_one_system_of_an_older_file_is_distinguished_from_the_others() -> None:
    first, second, gap = measured(
        conversations("a", 0.6, seed=1, error=None, origin="old|1"), conversations("b", 0.1, seed=2)
    )
    assert "calibration error of old|1" in str(first.why)
    assert second.why is None
    assert "calibration error of old|1" in str(gap.why)
    assert (gap.signature or "").endswith("|interval:calibration|interval:without calibration")


def test_a_calibration_beyond_all_bounds_is_unknown() -> None:
    huge = Calibration("m", MATCHING, (1e308, 0.0, 1e308))
    found = variance_of_difference({huge: np.array([10.0, 10.0])}, {})
    assert isinstance(found, Undefined)
    assert "is unbounded" in str(found.why)


@pytest.mark.parametrize("variant", ["thresholded", "mean_probability"])
def test_variants_that_do_not_rest_on_the_calibration_alone_keep_their_intervals(variant: str) -> None:
    with_error, without = (
        measured(conversations("a", 0.6, seed=1, error=error), conversations("b", 0.1, seed=2), variant=variant)
        for error in (ERROR, None)
    )
    assert with_error == without
    assert not any("interval:" in (score.signature or "") for score in without)


def test_an_estimate_at_an_end_has_an_interval_that_resampling_cannot_give() -> None:
    bare, beside, gap = measured(conversations("a", 0.0, seed=7), conversations("b", 0.0, seed=8))
    assert bare.value == 0.0
    low, high = ends(bare.interval)
    assert low == 0.0
    assert 0.02 < high < 0.2  # 360 replies, of which none matches
    assert bare.interval is not None
    assert bare.interval.method.startswith("jackknife over 30 clusters, t")
    assert gap.p is not None
    assert gap.p > 0.05
    assert beside.value is not None


def test_at_an_end_the_interval_is_the_jackknifes_cut_off() -> None:
    found = widen_at_end(
        Estimate(value=0.0, n=9, clusters=3, why="all alike"), np.array([-0.3, 0.0, 0.5]), 0.0, confidence=0.95
    )
    # mean .0667; squares .13444 + .00444 + .18778 = .32667; sqrt(2/3 .32667) = .46667; t(.975, 2) = 4.3027: above 1
    assert ends(found.interval) == (0.0, 1.0)
    found = widen_at_end(Estimate(value=1.0, n=9, clusters=3), 1 + np.array([-0.03, 0.0, 0.05]), 0.01, confidence=0.95)
    # .046667^2 + .01 = .012178, its root .110353 times 4.30265 = .474813
    assert ends(found.interval) == pytest.approx((1 - 0.474813, 1.0), abs=1e-5)
    assert found.why is None


def test_at_an_end_one_cluster_or_no_variation_gives_no_interval() -> None:
    one = widen_at_end(Estimate(value=1.0, n=1, clusters=1), np.array([np.nan]), 0.1, confidence=0.95)
    assert one.interval is None
    assert one.why == Reason.of(ReasonCode.ONE_CLUSTER)
    alike = widen_at_end(Estimate(value=0.0, n=4, clusters=2), np.zeros(2), 0.1, confidence=0.95)
    assert alike.interval is None
    assert "cannot be estimated" in str(alike.why)


def repeated(system: str, chance: float, *, dialogues: int = 30) -> list[Conversation]:
    """One reply, said again and again to one reference."""
    reference = Utterance(speaker="system", text="", strategy_distribution=belief(1.0, ERROR))
    said = Utterance(speaker="system", text="", strategy_distribution=belief(chance, ERROR))
    replies = tuple(Reply(system, said, reference=reference, turn=turn) for turn in (2, 3))
    return [Conversation(system, f"d{number}", replies) for number in range(dialogues)]


@pytest.mark.parametrize(("chance", "value"), [(0.0, 0.0), (1.0, 1.0)])
def test_an_estimate_of_repeated_replies_keeps_an_interval_at_the_end(chance: float, value: float) -> None:
    (found,) = measured(repeated("a", chance))
    assert (found.value, found.why) == (value, None)
    assert found.interval is not None
    # 30 sure observations: (1 - reach)^30 = exp(-t(.975, 29)^2 / 2), t = 2.04523: reach = 1 - exp(-2.09148 / 30)
    assert abs(found.interval.low - found.interval.high) == pytest.approx(0.06734, abs=2e-4)
    assert found.interval.method.startswith("likelihood ratio, 30 identical clusters")


def test_repeated_replies_of_which_little_is_known_have_a_wider_interval() -> None:
    widths = []
    for chance in (0.0, 0.2, 0.4, 0.5):
        (found,) = measured(repeated("a", chance))
        assert found.value == 0.0
        widths.append(ends(found.interval)[1])
    assert widths == sorted(widths)
    assert widths[-1] == 1.0  # a chance of one half says nothing
    assert widths[1] < widths[2]


def test_repeated_replies_of_one_dialogue_give_no_interval() -> None:
    (found,) = measured(repeated("a", 0.0, dialogues=1))
    assert (found.value, found.interval) == (0.0, None)
    assert found.why is not None


def test_at_an_end_an_interval_is_not_narrower_than_that_of_as_many_independent_replies() -> None:
    """Two kinds of dialogues that hardly differ spread next to nothing, which is not to know everything."""
    both = [*repeated("a", 0.3)[:15], *repeated("a", 0.301)[15:]]
    (found,) = measured(both)
    assert found.value == 0.0
    assert found.interval is not None
    assert found.interval.method.startswith("jackknife")
    # 60 pairs of .3: (1 - reach (1 - .3 / .7))^60 = exp(-1.95996^2 / 2): reach = (1 - exp(-1.92073 / 60)) 7 / 4
    assert found.interval.high > 0.055


def test_sums_are_kept_apart_by_model_and_add_up() -> None:
    half = conversations("a", 0.4, seed=3), conversations("a", 0.4, seed=4, origin="other|1")
    both = [each for side in half for each in side]
    metric = get_metric("implicit_alignment")
    assert isinstance(metric, ImplicitAlignment)
    parts: dict[Hashable, Array] = {
        Calibration(name, MATCHING, ERROR): sums_of(side).sum(axis=0) for name, side in zip("mn", half, strict=True)
    }
    whole = sum(parts.values(), np.zeros(len(GRID)))
    apart, together = (
        metric.fit_variance(parts, {}),
        metric.fit_variance({Calibration("m", MATCHING, ERROR): whole}, {}),
    )
    assert isinstance(apart, float)
    assert isinstance(together, float)
    assert apart == pytest.approx(together / 2, rel=0.1)  # two errors, each moving half: (1/2)^2 + (1/2)^2
    (found,) = measured(both)
    assert found.interval is not None
    assert found.signature is not None
    assert "labels:m|1+other|1|" in found.signature


def labelled(shares: float, system: str, *, seed: int, labels: int) -> list[Conversation]:
    """As ``conversations``; people labelled the replies of the first few dialogues, and match as those were drawn."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(30):
        matches = rng.random(12) < shares
        r = np.sqrt(rng.random(12))
        replies = []
        for turn, (match, chance) in enumerate(
            zip(matches.tolist(), np.where(matches, r, 1 - r).tolist(), strict=True), 2
        ):
            truth = [
                StrategyLabel(strategy=name, origin="ann", by=Labeller.PERSON) for name in ("credibility", "similarity")
            ]
            said, reference = (
                Utterance(
                    speaker="system",
                    text="",
                    strategy_distribution=belief(share, None),
                    strategies=(label,) if number < labels else None,
                )
                for share, label in ((chance, truth[0 if match else 1]), (1.0, truth[0]))
            )
            replies.append(Reply(system, said, reference=reference, turn=turn))
        found.append(Conversation(system, f"d{number}", tuple(replies)))
    return found


def test_labels_of_people_need_no_calibration_and_their_dialogues_are_counted() -> None:
    first, second, gap = measured(
        labelled(0.4, "a", seed=1, labels=6), labelled(0.2, "b", seed=2, labels=6), variant="ppi"
    )
    for score in (first, second, gap):
        assert score.why is None
        assert (score.signature or "").endswith("|interval:labels")
        assert "error of the" not in (score.interval.method if score.interval else "")
    metric = ImplicitAlignment(variant="ppi")
    rows = [[metric.statistics(reply) for reply in each.replies] for each in labelled(0.4, "a", seed=1, labels=6)]
    sums = np.array(rows, dtype=float).sum(axis=1)
    assert metric.labelled_mask(sums).tolist() == [True] * 6 + [False] * 24
    plain = bootstrap_sums(
        ClusterSums(tuple(f"d{n}" for n in range(30)), sums, 360),
        metric.combine,
        rng=np.random.default_rng(0),
        resamples=2_000,
    )
    assert plain.value == pytest.approx(first.value)
    low, high = ends(first.interval)
    inner, outer = ends(plain.interval)
    # t(.975, 5) / 1.95996 sqrt(6 / 5) = 2.57058 / 1.95996 1.09545 = 1.43673 times as wide, up to two draws of resamples
    assert (high - low) / (outer - inner) == pytest.approx(1.43673, rel=0.12)
    assert gap.interval is not None
    assert gap.interval.method == "jackknife over 30 clusters, t"


def test_a_difference_that_rests_on_labels_in_few_dialogues_has_the_degrees_of_freedom_of_few() -> None:
    sides = labelled(0.4, "a", seed=1, labels=4), labelled(0.2, "b", seed=2, labels=4)
    *_, found = measured(*sides, variant="ppi")
    metric = ImplicitAlignment(variant="ppi")
    gaps = []
    for side in sides:
        sums = np.array([[metric.statistics(reply) for reply in each.replies] for each in side], dtype=float).sum(
            axis=1
        )
        without = metric.leave_one_out(sums, sums.sum(axis=0))
        gaps.append((without.mean() - without) * (29 / 30) ** 0.5)
    squares = (gaps[0] - gaps[1]) ** 2
    few, many = float(squares[:4].sum()), float(squares[4:].sum())
    from scipy.stats import t

    freedom = (few + many) ** 2 / (few**2 / 3 + many**2 / 25)  # 4 dialogues with labels, 26 without
    assert 3 < freedom < 6
    low, high = ends(found.interval)
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, freedom) * (few + many) ** 0.5)
    assert found.p == pytest.approx(2 * t.sf(abs(found.value or 0.0) / (few + many) ** 0.5, freedom))


@pytest.mark.parametrize(("share", "expected"), [(0.0, (0.0, 0.24249)), (1.0, (0.75751, 1.0))])
def test_where_all_labels_of_people_say_the_same_the_interval_is_wilsons_of_the_dialogues_that_hold_them(
    share: float, expected: tuple[float, float]
) -> None:
    (found,) = measured(labelled(share, "a", seed=1, labels=12), variant="ppi")
    # 12 of 30 dialogues: 1.95996^2 / (12 + 1.95996^2) = 3.84146 / 15.84146 = .24249
    assert (found.value, found.clusters, found.why) == (share, 30, None)
    assert ends(found.interval) == pytest.approx(expected, abs=1e-5)
    assert found.interval is not None
    assert found.interval.method == "Wilson score of 12 identical clusters"


def test_labels_of_one_dialogue_that_say_the_same_give_no_interval() -> None:
    (found,) = measured(labelled(0.0, "a", seed=1, labels=1), variant="ppi")
    assert (found.value, found.interval) == (0.0, None)
    assert found.why == Reason.of(ReasonCode.UNDEFINED_WITHOUT_A_CLUSTER)


def test_an_estimate_that_people_correct_beyond_the_end_is_not_taken_for_one_without_a_match() -> None:
    # N, f, ff, n, y, fl, yf. In all: y = 6 / 40, f .1 of all and .4 of the labelled, covariance 5.4 / 40 - .15 .4 = .075,
    # variance .05 - .01 = .04: .15 + .075 / .04 (.1 - .4) = -.4125, cut off at 0
    clusters = np.array([[100, 10, 5, 10, y, 4, 0.9 * y] for y in (1.0, 2.0, 1.0, 2.0)])
    metric = ImplicitAlignment(variant="ppi")
    assert metric.combine(clusters.sum(axis=0)) == 0.0
    # without a cluster of one match: y = 5 / 30, covariance 4.5 / 30 - .4 / 6 = .08333: .16667 - .625 = -.45833;
    # without one of two: y = 4 / 30, 3.6 / 30 - .05333 = .06667: .13333 - .5 = -.36667
    without = metric.leave_one_out(clusters, clusters.sum(axis=0))
    assert without == pytest.approx([-0.45833, -0.36667, -0.45833, -0.36667], abs=1e-5)
    found = widen_at_end(Estimate(value=0.0, n=400, clusters=4), without, 0.0, confidence=0.95, seen=4)
    # sqrt(3 / 4 4 .045833^2) = .079386, t(.975, 3) = 3.18245
    assert ends(found.interval) == pytest.approx((0.0, 3.18245 * 0.079386), abs=1e-5)


def test_nothing_depends_on_the_order_of_the_conversations() -> None:
    sides = conversations("a", 0.5, seed=1), conversations("b", 0.2, seed=2)
    assert measured(*sides) == measured(*(side[::-1] for side in sides[::-1]))
