"""Bradley-Terry strengths: the likelihood's maximum, whatever the order; and where there is none."""

from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats import BradleyTerry, Vote, bradley_terry

NAMES = "stuvw"
TRUTH = np.array([1.0, 0.4, 0.0, -0.5, -0.9])


def battles(seed: int, n: int = 200, raters: int = 50, *, nu: float = 0.8) -> list[Vote]:
    """Battles after Davidson's model."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        a, b = rng.choice(5, size=2, replace=False)
        lead = (TRUTH[a] - TRUTH[b]) / 2
        chances = np.array([np.exp(lead), np.exp(-lead), nu])
        choice = rng.choice(["a", "b", "tie"], p=chances / chances.sum()).item()
        found.append(Vote(NAMES[a], NAMES[b], choice, f"rater {i % raters}"))
    return found


def log_strengths(model: BradleyTerry) -> dict[str, float]:
    return {one.name: one.log_strength for one in model.strengths if one.log_strength is not None}


def by_scipy(votes: list[Vote], ties: str, regularisation: float = 0.0) -> dict[str, float]:
    """The maximum by a general optimiser, battle by battle."""
    from scipy.optimize import minimize

    names = sorted({name for vote in votes for name in (vote.a, vote.b)})

    def loss(parameters: Any) -> float:
        strength, log_nu = dict(zip(names, parameters, strict=False)), parameters[-1]
        total = 0.0
        for vote in votes:
            lead = strength[vote.a] - strength[vote.b]
            if ties == "davidson":
                logs = {"a": lead / 2, "b": -lead / 2, "tie": log_nu}
                total += np.logaddexp.reduce(list(logs.values())) - logs[vote.choice]
            else:
                won = {"a": 1.0, "b": 0.0, "tie": 0.5}[vote.choice]
                total += won * np.logaddexp(0, -lead) + (1 - won) * np.logaddexp(0, lead)
        for one in parameters[:-1]:
            total += regularisation / 2 * (np.logaddexp(0, -one) + np.logaddexp(0, one))
        return float(total)

    found = minimize(loss, np.zeros(len(names) + 1), method="BFGS", options={"gtol": 1e-8}).x
    return dict(zip(names, (found[:-1] - found[:-1].mean()).tolist(), strict=True))


@pytest.mark.parametrize("ties", ["davidson", "half"])
@pytest.mark.parametrize("regularisation", [0.0, 2.0])
def test_strengths_are_where_a_general_optimiser_finds_them(ties: Any, regularisation: float) -> None:
    votes = battles(0, n=60)
    found = log_strengths(bradley_terry(votes, ties=ties, regularisation=regularisation))
    assert found == pytest.approx(by_scipy(votes, ties, regularisation), abs=1e-4)


def test_two_contestants_are_worked_by_hand() -> None:
    votes = [Vote("x", "y", "a")] * 4 + [Vote("x", "y", "b")] + [Vote("x", "y", "tie")] * 4
    davidson, half = bradley_terry(votes), bradley_terry(votes, ties="half")
    # Davidson: shares 4/9, 4/9, 1/9, so odds of 4, and nu = share of ties / sqrt(4/9 * 1/9) = (4/9) / (2/9) = 2
    assert log_strengths(davidson)["x"] == pytest.approx(np.log(4) / 2)
    assert davidson.tie_parameter == pytest.approx(2.0)
    # half: 6 of 9 wins, odds of 2: 120.4 points between them (400 / ln 10 * ln 2)
    assert half.tie_parameter is None
    x, y = (one.rating.value for one in half.strengths)
    assert x is not None
    assert y is not None
    assert x - y == pytest.approx(400 * np.log10(2))
    assert x + y == pytest.approx(2_000)


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_the_order_of_battles_and_sides_changes_nothing(ties: Any) -> None:
    votes = battles(1)
    mirrored = {"a": "b", "b": "a", "tie": "tie"}
    order = np.random.default_rng(2).permutation(len(votes))
    other = [Vote(v.b, v.a, mirrored[v.choice], v.rater) for v in (votes[i] for i in order)]  # type: ignore[arg-type]
    options: Any = {"ties": ties, "resamples": 300}
    first = bradley_terry(votes, rng=np.random.default_rng(0), **options)
    assert first == bradley_terry(other, rng=np.random.default_rng(0), **options)


def test_without_ties_both_treatments_agree_and_nu_is_zero() -> None:
    votes = battles(3, nu=0.0)
    davidson, half = bradley_terry(votes), bradley_terry(votes, ties="half")
    assert log_strengths(davidson) == pytest.approx(log_strengths(half), abs=1e-9)
    assert davidson.tie_parameter == 0.0


def test_many_battles_bring_the_truth_back() -> None:
    votes = battles(4, n=20_000)
    found = bradley_terry(votes)
    assert log_strengths(found) == pytest.approx(dict(zip(NAMES, TRUTH - TRUTH.mean(), strict=True)), abs=0.07)
    assert found.tie_parameter == pytest.approx(0.8, abs=0.03)
    assert [one.name for one in found.strengths] == list(NAMES)


def test_intervals_and_ranks_come_from_drawing_raters() -> None:
    votes = battles(5, n=300, raters=60)
    found = bradley_terry(votes, rng=np.random.default_rng(0), resamples=4_000)
    rng, loop = np.random.default_rng(1), []
    for _ in range(250):
        drawn = [f"rater {i}" for i in rng.integers(0, 60, size=60)]
        sample = [vote for rater in drawn for vote in votes if vote.rater == rater]
        loop.append({one.name: one.rating.value for one in bradley_terry(sample).strengths})
    for one in found.strengths:
        assert one.rating.interval is not None
        low, high = np.quantile([each[one.name] for each in loop], [0.025, 0.975])
        assert (one.rating.interval.low, one.rating.interval.high) == pytest.approx((low, high), abs=25)
        assert one.rank.low is not None
        assert one.rank.high is not None
        assert one.rank.low <= (one.rank.rank or 0) <= one.rank.high
    assert (found.battles, found.raters) == (300, 60)
    assert found.strengths[0].rating.interval.method == "cluster bootstrap by rater, percentile, 4000 resamples"  # type: ignore[union-attr]


def test_votes_of_few_raters_say_less_than_the_same_of_many() -> None:
    votes = battles(6, n=60, raters=60)
    copies = [Vote(v.a, v.b, v.choice, v.rater) for v in votes for _ in range(5)]
    strangers = [Vote(v.a, v.b, v.choice) for v in copies]  # nobody known: every battle is drawn alone
    few, many = (
        bradley_terry(each, rng=np.random.default_rng(0), resamples=500).strengths[0].rating.interval
        for each in (copies, strangers)
    )
    assert few is not None
    assert many is not None
    assert few.high - few.low > 1.8 * (many.high - many.low)  # sqrt 5 = 2.2 times as wide


def test_one_who_never_loses_has_no_finite_strength_and_is_named() -> None:
    votes = [Vote("x", "y", "a"), Vote("x", "z", "a"), Vote("y", "z", "a"), Vote("z", "y", "a")]
    found = bradley_terry(votes, rng=np.random.default_rng(0))
    assert found.why is not None
    assert str(found.why).startswith("x never lost to or tied with any of the others")
    assert [(one.rating.value, one.rank.rank, one.log_strength) for one in found.strengths] == [(None, None, None)] * 3
    assert found.tie_parameter is None


def test_groups_that_never_met_are_named() -> None:
    votes = [Vote(a, b, choice) for a, b in ("pq", "rs") for choice in ("a", "b")]
    why = bradley_terry(votes).why
    assert why is not None
    assert (why.code, why.facts) == (ReasonCode.STRENGTHS_UNBOUNDED, {"names": ["p", "q"]})


def test_regularisation_bounds_strengths_and_is_declared() -> None:
    votes = [Vote("x", "y", "a")] * 5
    found = bradley_terry(votes, regularisation=1.0)
    # x has 5 wins, and half a win in one battle with the average: 5 / (1 + e^(2s)) + 1/2 = 1 / (1 + e^-s), y mirrors it
    strength = log_strengths(found)["x"]
    assert 5 / (1 + np.exp(2 * strength)) + 0.5 == pytest.approx(1 / (1 + np.exp(-strength)))
    assert found.regularisation == 1.0
    assert str(found.why) == "no interval was requested (no rng)"


def test_a_tie_links_contestants_like_a_win_and_a_loss() -> None:
    found = bradley_terry([Vote("x", "y", "a"), Vote("x", "y", "tie")])
    assert found.strengths[0].name == "x"
    assert bradley_terry([Vote("x", "y", "tie")], ties="half").strengths[0].log_strength == pytest.approx(0.0)


@pytest.mark.parametrize(
    "votes",
    [
        [Vote("x", "y", "tie")],
        [
            Vote("x", "y", "a"),
            Vote("x", "z", "tie"),
            Vote("y", "z", "tie"),
        ],  # x twice as far ahead of y as of z, and nu between
    ],
)
def test_results_that_davidsons_model_explains_without_error_have_no_maximum(votes: list[Vote]) -> None:
    found = bradley_terry(votes)
    assert found.why is not None
    assert "win rates" in str(found.why)
    assert found.strengths[0].rating.value is None
    assert bradley_terry(votes, ties="half").strengths[0].rating.value is not None


def test_resamples_without_a_maximum_withhold_the_intervals() -> None:
    votes = [Vote("x", "y", "a")] * 30 + [Vote("x", "y", "b")]  # the only loss is missing in (30/31)^31 = 36% of them
    found = bradley_terry(votes, rng=np.random.default_rng(0))
    assert found.why is not None
    assert str(found.why).startswith("in 3")
    assert found.strengths[0].rating.value is not None
    assert found.strengths[0].rating.interval is None
    assert found.strengths[0].rank.low is None
    bounded = bradley_terry(votes, rng=np.random.default_rng(0), regularisation=0.5)
    assert bounded.strengths[0].rating.interval is not None


def test_one_rater_has_strengths_without_intervals() -> None:
    votes = [Vote("x", "y", choice, "ann") for choice in ("a", "b", "a")]
    found = bradley_terry(votes, rng=np.random.default_rng(0))
    assert found.strengths[0].name == "x"
    assert found.why == Reason.of(ReasonCode.ONE_RATER)


def test_no_battles_have_no_strengths() -> None:
    found = bradley_terry([], rng=np.random.default_rng(0))
    assert (found.strengths, found.why) == ((), Reason.of(ReasonCode.NO_BATTLES))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "rao"}, "no treatment 'rao' of ties. Known: davidson, half"),
        ({"regularisation": -1}, "regularisation must be 0 or a positive number"),
        ({"regularisation": float("inf")}, "regularisation must be 0 or a positive number"),
        ({"confidence": 0}, "confidence"),
        ({"resamples": 0}, "resamples must be at least 1"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        bradley_terry([Vote("x", "y", "a")], **options)


def test_gaps_between_contestants_are_differences_of_strengths_with_a_test() -> None:
    votes = [Vote("x", "y", "a", f"r{n}") for n in range(30)] + [Vote("y", "x", "a", f"s{n}") for n in range(10)]
    model = bradley_terry(votes, rng=np.random.default_rng(0), resamples=500)
    (gap,) = model.gaps
    assert gap.points.value == pytest.approx(400 / np.log(10) * np.log(3))  # 30 of 40: odds of 3
    # The asymptotic error is sqrt(1/30 + 1/10) = .3651: t(39) = 3.009, p = .0046; the bootstrap's error is a little larger.
    assert gap.points.p == pytest.approx(0.0046, abs=0.004)
    assert gap.points.interval is not None
    assert gap.points.interval.low > 0


def test_without_randomness_or_strengths_gaps_have_no_test() -> None:
    even = [Vote("x", "y", "a", "r1"), Vote("y", "x", "a", "r2")]
    assert [gap.points.p for gap in bradley_terry(even).gaps] == [None]
    unbeaten = bradley_terry([Vote("x", "y", "a", "r1")], rng=np.random.default_rng(0), resamples=50)
    assert [gap.points.value for gap in unbeaten.gaps] == [None]
