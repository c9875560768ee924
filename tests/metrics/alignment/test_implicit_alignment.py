"""Implicit alignment: beliefs on both sides, corrected for how rare matches are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.metrics import Conversation, Reply, Settings, get_metric, measure
from trialogue.metrics.alignment.implicit_alignment import ImplicitAlignment, same_strategy
from trialogue.metrics.alignment.match_likelihood import (
    GRID,
    calibration_gradient,
    likeliest_share,
    on_grid,
    share_without_each,
)
from trialogue.metrics.base import Array, Undefined
from trialogue.records import Labeller, PairBelief, StrategyDistribution, StrategyLabel, Utterance

FEW = Settings(resamples=300, permutations=300)


def belief(
    probability: float, *, origin: str = "m|1", matching: tuple[float, float] | None = (1.0, 0.0)
) -> StrategyDistribution:
    """Belief in two strategies; against ``certain`` the raw probability of a match is ``probability``."""
    return StrategyDistribution(
        origin=origin, probabilities={"credibility": probability, "similarity": 1 - probability}, matching=matching
    )


CERTAIN = belief(1.0)


def reply(probability: float, turn: int = 3, label: str | None = None) -> Reply:
    labels = (StrategyLabel(strategy=label, origin="expert", by=Labeller.PERSON),) if label else None
    reference = Utterance(
        speaker="system",
        text="",
        strategy_distribution=CERTAIN,
        strategies=(StrategyLabel(strategy="credibility", origin="expert", by=Labeller.PERSON),) if label else None,
    )
    said = Utterance(speaker="system", text="", strategy_distribution=belief(probability), strategies=labels)
    return Reply("a", said, reference=reference, turn=turn)


def drawn(share: float, n: int, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Calibrated balanced-prior probabilities of n pairs, a share of which match: r has density 2r or 2(1-r)."""
    match = rng.random(n) < share
    r = np.sqrt(rng.random(n))
    return np.where(match, r, 1 - r)


@given(r=st.floats(0, 1))
def test_a_value_on_the_grid_keeps_its_mass_and_its_mean(r: float) -> None:
    row = on_grid(np.array([r]))[0]
    assert row.sum() == pytest.approx(1)
    assert row @ GRID == pytest.approx(r, abs=1e-12)


@pytest.mark.parametrize("share", [0.05, 0.15, 0.3, 0.5, 0.7])
def test_the_corrected_share_is_right_where_the_naive_ones_are_not(share: float) -> None:
    """With densities 2r and 2(1-r) a threshold reports .25 + .5 share, the mean 1/3 + share/3: simple integrals."""
    rng = np.random.default_rng(int(share * 100))
    sums = on_grid(np.array(list(drawn(share, 20_000, rng)))).sum(axis=0)
    assert likeliest_share(sums) == pytest.approx(share, abs=0.02)
    naive = ImplicitAlignment(variant="thresholded").combine(sums)
    assert naive == pytest.approx(0.25 + 0.5 * share, abs=0.02)
    assert ImplicitAlignment(variant="mean_probability").combine(sums) == pytest.approx((1 + share) / 3, abs=0.02)
    adjusted = ImplicitAlignment(variant="adjusted_count", tpr=0.75, fpr=0.25).combine(sums)
    assert adjusted == pytest.approx(share, abs=0.03)


def test_the_grid_agrees_with_the_exact_likelihood() -> None:
    """Against the iterations of Saerens et al. (2002) on the single values."""
    values = drawn(0.2, 3_000, np.random.default_rng(5))
    share = 0.5
    for _ in range(3_000):
        odds = share * values
        share = float(np.mean(odds / (odds + (1 - share) * (1 - values))))
    assert likeliest_share(on_grid(np.array(list(values))).sum(axis=0)) == pytest.approx(share, abs=1e-3)


def test_all_matches_and_none() -> None:
    assert likeliest_share(on_grid(np.array([1.0]))[0]) == pytest.approx(1)
    assert likeliest_share(on_grid(np.array([0.0]))[0]) == pytest.approx(0)
    assert np.isnan(likeliest_share(np.zeros(len(GRID))))


@given(p=st.floats(0.01, 0.99), q=st.floats(0.01, 0.99))
def test_sharing_a_strategy_is_symmetric_and_a_probability(p: float, q: float) -> None:
    one, other = same_strategy(belief(p), belief(q)), same_strategy(belief(q), belief(p))
    assert isinstance(one, float)
    assert one == pytest.approx(other)
    assert one == pytest.approx(p * q + (1 - p) * (1 - q))  # slope 1, intercept 0 change nothing


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (None, CERTAIN, "no strategy probabilities"),
        (CERTAIN, belief(1.0, origin="n|1"), "different models"),
        (belief(1.0, matching=None), belief(1.0, matching=None), "no fitted calibration"),
        (CERTAIN, belief(1.0, matching=(2.0, 0.0)), "different calibrations of the model"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(
    a: StrategyDistribution | None, b: StrategyDistribution | None, why: str
) -> None:
    found = same_strategy(a, b)
    assert isinstance(found, Undefined)
    assert why in str(found.why)


def test_a_reply_without_reference_and_a_first_turn_are_left_out() -> None:
    metric = ImplicitAlignment()
    alone = Reply("a", Utterance(speaker="system", text=""), turn=3)
    assert isinstance(metric.statistics(alone), Undefined)
    assert isinstance(metric.statistics(reply(0.5, turn=0)), Undefined)
    assert not isinstance(ImplicitAlignment(first="include").statistics(reply(0.5, turn=0)), Undefined)


def test_a_system_gets_an_interval_over_conversations() -> None:
    rng = np.random.default_rng(3)
    conversations = [
        Conversation("a", f"d{i}", tuple(reply(float(r)) for r in drawn(0.2, 5, rng)), dialogue_id=f"d{i}")
        for i in range(200)
    ]
    (score,) = measure(conversations, [get_metric("implicit_alignment")], settings=FEW)
    assert score.measure == "implicit_alignment@emq|v1"
    assert score.interval is not None
    assert score.interval.contains(0.2)
    assert score.value == pytest.approx(0.2, abs=0.07)


def summed(metric: ImplicitAlignment, rows: list[Reply]) -> Array:
    found = [metric.statistics(row) for row in rows]
    total: Array = np.array([row for row in found if not isinstance(row, Undefined)]).sum(axis=0)
    return total


def test_human_labels_correct_a_biased_model() -> None:
    """The model says .9 for every pair; 40 of 200 are labelled by people, a tenth of them as matches."""
    rows = [reply(0.9) for _ in range(160)]
    rows += [reply(0.9, label="credibility" if i % 10 == 0 else "similarity") for i in range(40)]
    metric = ImplicitAlignment(variant="ppi")
    sums = summed(metric, rows)
    assert metric.combine(sums) == pytest.approx(0.1)  # no spread in the predictions: the labels alone
    without = summed(metric, [reply(0.9)] * 3)
    assert np.isnan(metric.combine(without))


def test_predictions_that_say_something_narrow_the_labels() -> None:
    """Variance over repetitions: 50 labels of 1,000 pairs, with and without predictions (theory: less than the labels')."""
    rng = np.random.default_rng(8)
    metric = ImplicitAlignment(variant="ppi")
    powered, plain = [], []
    for _ in range(150):
        y = rng.random(1_000) < 0.3
        f = np.where(y, 0.8, 0.2) + rng.normal(0, 0.05, 1_000)
        sums = np.array([1_000, f.sum(), (f**2).sum(), 50, y[:50].sum(), f[:50].sum(), (y * f)[:50].sum()])
        powered.append(float(metric.combine(sums)))
        plain.append(float(y[:50].mean()))
    assert np.mean(powered) == pytest.approx(0.3, abs=0.02)
    assert np.std(powered) < 0.5 * np.std(plain)


@pytest.mark.parametrize(
    "name", ["implicit_alignment@adjusted_count", "implicit_alignment(tpr=0.2,fpr=0.3)@adjusted_count"]
)
def test_adjusted_count_needs_the_rates_of_the_model(name: str) -> None:
    with pytest.raises(UsageError, match="0 <= fpr < tpr <= 1"):
        get_metric(name)


def test_other_variants_take_no_rates() -> None:
    with pytest.raises(UsageError, match="are for adjusted_count"):
        get_metric("implicit_alignment(tpr=0.9,fpr=0.1)@emq")


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_the_estimate_moves_with_the_calibration_as_its_derivative_says(share: float) -> None:
    rng = np.random.default_rng(0)
    match = rng.random(20_000) < share
    raw = rng.normal(np.where(match, 1.0, -1.5), 1.2)  # log odds

    def chances(slope: float, intercept: float) -> Array:
        return np.asarray(1 / (1 + np.exp(-(slope * raw + intercept))))

    def estimate(slope: float, intercept: float) -> float:
        return float(likeliest_share(on_grid(chances(slope, intercept)).sum(axis=0)))

    slope, intercept = calibration_gradient(on_grid(chances(1.5, 0.4)).sum(axis=0), (1.5, 0.4))
    # both by differences of .02 around it
    assert slope == pytest.approx((estimate(1.51, 0.4) - estimate(1.49, 0.4)) / 0.02, abs=0.005)
    assert intercept == pytest.approx((estimate(1.5, 0.41) - estimate(1.5, 0.39)) / 0.02, abs=0.005)


@pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
def test_an_estimate_of_sure_or_empty_beliefs_does_not_move(probability: float) -> None:
    sums = on_grid(np.full(10, probability)).sum(axis=0)
    assert calibration_gradient(sums, (1.0, 0.0)).tolist() == [0.0, 0.0]
    assert calibration_gradient(np.zeros(len(GRID)), (1.0, 0.0)).tolist() == [0.0, 0.0]


def test_at_an_end_the_gradient_is_that_of_one_newton_step() -> None:
    sums = on_grid(np.full(10, 0.25)).sum(axis=0)
    assert float(likeliest_share(sums)) == 0.0
    # at 0 each m is 1 - r = .75: pull .25 (.75) / .75^2 = 1/3, curvature (.5 / .75)^2 = 4/9, so d/d(intercept) = 3/4;
    # the raw log odds are log(1/3), so d/d(slope) = -3/4 log 3
    assert calibration_gradient(sums, (1.0, 0.0)) == pytest.approx([-0.75 * np.log(3), 0.75])


def test_the_gradient_of_a_part_is_its_share_of_the_whole() -> None:
    some, others = on_grid(np.full(4, 0.75)).sum(axis=0), on_grid(np.array([0.1, 0.3, 0.25])).sum(axis=0)
    whole = some + others
    parts = [calibration_gradient(whole, (1.2, 0.1), part=part) for part in (some, others)]
    assert parts[0] + parts[1] == pytest.approx(calibration_gradient(whole, (1.2, 0.1)))


def test_without_each_cluster_is_near_the_exact_share_without_it() -> None:
    rng = np.random.default_rng(8)
    clusters = np.array([on_grid(drawn(0.3, 20, rng)).sum(axis=0) for _ in range(40)])
    total = clusters.sum(axis=0)
    exact = likeliest_share(total - clusters)
    steps = share_without_each(clusters, total)
    assert np.abs(steps - exact).max() < 0.002
    assert float(steps.std()) == pytest.approx(float(exact.std()), rel=0.05)


def test_at_an_end_the_share_without_each_cluster_is_not_bounded() -> None:
    clusters = np.array([on_grid(np.full(n, 0.25)).sum(axis=0) for n in (1, 2, 3)])
    # at 0: slope of a pair (2 (.25) - 1) / .75 = -2/3, curvature 4/9, of all six 8/3. Slopes -2/3, -4/3, -2, their mean
    # -4/3: 0 - (2/3) / (8/3) (3/2) = -.375; 0; .375
    assert share_without_each(clusters, clusters.sum(axis=0)) == pytest.approx([-0.375, 0.0, 0.375])
    assert np.isnan(share_without_each(clusters[:1], clusters[0])).all()
    nothing = on_grid(np.full(2, 0.5))
    assert np.isnan(share_without_each(nothing, nothing.sum(axis=0))).all()


def test_one_dialogue_with_nearly_all_of_the_information_does_not_blow_the_error_up() -> None:
    sure = on_grid(np.array([0.99])).sum(axis=0)
    others = [on_grid(np.full(3, 0.03)).sum(axis=0) for _ in range(17)]
    clusters = np.array([sure, *others])
    total = clusters.sum(axis=0)
    exact, linear = likeliest_share(total - clusters), share_without_each(clusters, total)
    assert float(exact.std()) / 2 < float(linear.std()) < 3 * float(exact.std())


def judged(probability: float | None, turn: int = 3) -> Reply:
    """A reply that a pair classifier has read."""
    said = None if probability is None else PairBelief(origin="cross|1", probability=probability)
    utterance = Utterance(speaker="system", text="", same_as_reference=said)
    return Reply("a", utterance, reference=Utterance(speaker="system", text=""), turn=turn)


def test_by_pair_the_classifiers_probability_is_taken_as_it_is() -> None:
    metric = ImplicitAlignment(variant="mean_probability", by="pair")
    assert metric.measure == "implicit_alignment(by=pair)@mean_probability|v1"
    sums = np.zeros(len(GRID))
    for each in (0.2, 0.6, 1.0):
        found = metric.statistics(judged(each))
        assert not isinstance(found, Undefined)
        sums += found
    assert metric.combine(sums) == pytest.approx(0.6)  # (.2 + .6 + 1) / 3


def test_by_pair_a_reply_that_no_classifier_has_read_is_undefined() -> None:
    found = ImplicitAlignment(by="pair").statistics(judged(None))
    assert isinstance(found, Undefined)
    assert "pair_model" in str(found.why)


def test_by_pair_the_signature_names_the_classifier_which_nothing_calibrates() -> None:
    rng = np.random.default_rng(3)
    talks = [
        Conversation("a", str(n), tuple(judged(float(r), turn) for turn, r in enumerate(drawn(0.4, 6, rng), start=1)))
        for n in range(30)
    ]
    (whole,) = measure(talks, [ImplicitAlignment(by="pair")], settings=FEW)
    assert "labels:cross|1" in (whole.signature or "")
    assert str(whole.why) == "nothing calibrates cross|1, so the interval ignores how inaccurate it may be"
    assert whole.interval is not None


def test_another_origin_of_the_probability_is_refused() -> None:
    with pytest.raises(UsageError, match="marginals or pair"):
        ImplicitAlignment(by="both")
