"""Intervals of implicit alignment include the error of transfer to another corpus; shares from labels use Wilson's."""

import math

import numpy as np
import pytest

from tests.metrics.alignment.test_match_likelihood import conversations
from trialogue.metrics import Conversation, Settings, get_metric, measure
from trialogue.metrics.alignment.match_likelihood import TransferLoad, transfer_variance
from trialogue.metrics.fit_uncertainty import score_interval
from trialogue.records import Estimate, Interval, ReasonCode, Score, StrategyDistribution, Utterance
from trialogue.records.kinds.shifts import CorpusShift, TransferError

ERROR = TransferError(none_match=0.004, both=0.001, all_match=0.02, of_system=0.0005)


def shifted(talks: list[Conversation], error: TransferError | None, *, reference: bool = False) -> list[Conversation]:
    """The conversations with replies (or references) from another corpus."""
    far = CorpusShift(
        sentences=100, unknown_words=0.3, unknown_words_limit=0.1, mix_distance=0, mix_distance_limit=0.1, error=error
    )

    def marked(said: Utterance) -> Utterance:
        belief = said.strategy_distribution
        assert isinstance(belief, StrategyDistribution)
        return said.model_copy(update={"strategy_distribution": belief.model_copy(update={"shift": far})})

    return [
        Conversation(
            talk.system,
            talk.cluster,
            tuple(
                type(reply)(
                    reply.system,
                    reply.utterance if reference else marked(reply.utterance),
                    reference=marked(reply.reference) if reference and reply.reference else reply.reference,
                    turn=reply.turn,
                    situation_id=reply.situation_id,
                )
                for reply in talk.replies
            ),
            dialogue_id=talk.dialogue_id,
        )
        for talk in talks
    ]


def scores(talks: list[Conversation]) -> list[Score]:
    return measure(talks, [get_metric("implicit_alignment")], settings=Settings(resamples=300, seed=1))


def of_system(talks: list[Conversation]) -> Score:
    return next(score for score in scores(talks) if score.level == "system")


def width(score: Score) -> float:
    assert score.interval is not None
    return score.interval.high - score.interval.low


@pytest.mark.parametrize("reference", [False, True])
def test_the_interval_of_texts_from_elsewhere_is_wider_by_the_error_measured_there(reference: bool) -> None:
    talks = conversations("A", 0.4, seed=1)
    plain, other = of_system(talks), of_system(shifted(talks, ERROR, reference=reference))
    assert other.value == plain.value
    assert plain.value is not None
    p = plain.value
    added = (1 - p) ** 2 * 0.004 + 2 * p * (1 - p) * 0.001 + p**2 * 0.02 + 0.0005
    sides = [abs(end - p) for end in (plain.interval.low, plain.interval.high)]  # type: ignore[union-attr]
    expected = sum(math.hypot(side, 1.959964 * math.sqrt(added)) for side in sides)
    assert width(other) == pytest.approx(expected, rel=1e-3)


def test_texts_that_are_too_far_are_not_estimated() -> None:
    found = of_system(shifted(conversations("A", 0.4, seed=1), None))
    assert found.value is None
    assert found.why is not None
    assert found.why.code is ReasonCode.CORPUS_TOO_FAR
    assert "(30% of their words are unknown; usually at most 10%)" in str(found.why)


def test_what_two_systems_share_of_the_error_cancels_in_their_difference() -> None:
    one = TransferLoad.of(0.3, 1.0)
    assert transfer_variance({ERROR: one}, {ERROR: one}) == pytest.approx(2 * 0.0005)
    apart = transfer_variance({ERROR: one}, {ERROR: TransferLoad.of(0.7, 1.0)})
    assert apart == pytest.approx(0.4**2 * (0.004 + 0.02 - 2 * 0.001) + 2 * 0.0005)  # loads differ by (.4, -.4)
    alone = transfer_variance({ERROR: one}, {})
    assert alone == pytest.approx(0.49 * 0.004 + 0.42 * 0.001 + 0.09 * 0.02 + 0.0005)
    half = transfer_variance({ERROR: TransferLoad.of(0.3, 0.5)}, {})
    assert half == pytest.approx(alone / 4)


def bootstrapped(value: float, error: float) -> Estimate:
    reach = 1.959964 * error
    return Estimate(
        value=value, n=50, clusters=50, interval=Interval(low=value - reach, high=value + reach, method="b")
    )


def test_an_interval_from_labels_is_wilsons_with_the_effective_number_of_observations() -> None:
    size = 400
    error = math.sqrt(0.2 * 0.8 / size) / math.sqrt(size / (size - 1))
    found = score_interval(bootstrapped(0.2, error), clusters=size).interval
    t = 1.965927  # Student's t, 399 degrees of freedom
    middle = (0.2 + t * t / 800) / (1 + t * t / 400)
    reach = t / (1 + t * t / 400) * math.sqrt(0.2 * 0.8 / 400 + t * t / (4 * 400**2))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((middle - reach, middle + reach), abs=1e-5)
    assert found.method.startswith("Wilson")


def test_a_spread_that_happens_to_be_small_does_not_give_fewer_observations_than_clusters() -> None:
    small = score_interval(bootstrapped(0.004, 0.02), clusters=40).interval  # implies 10 observations
    assert small is not None
    assert small.high < 0.12
    assert small.low >= 0
    assert score_interval(bootstrapped(0.004, 0.02), clusters=1).interval is None


def test_few_matches_among_few_labels_are_covered_more_often_than_by_the_percentile_interval() -> None:
    rng = np.random.default_rng(0)
    covered = {"percentile": 0, "given": 0}
    for _ in range(400):
        hits = rng.binomial(50, 0.05)
        if hits == 0:
            covered["given"] += 1  # the end of the scale has an interval of its own, up to .07
            continue
        p = hits / 50
        draws = rng.binomial(50, p, size=400) / 50
        low, high = np.quantile(draws, [0.025, 0.975])
        plain = Estimate(value=p, n=50, clusters=50, interval=Interval(low=low, high=high, method="b"))
        given = score_interval(plain, clusters=50).interval
        covered["percentile"] += low <= 0.05 <= high
        assert given is not None
        covered["given"] += given.contains(0.05)
    assert covered["percentile"] < 0.91 * 400
    assert covered["given"] > 0.93 * 400
