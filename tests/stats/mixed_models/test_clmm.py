"""Cumulative-link mixed models against R's ordinal package, quadrature, and simulated ratings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stats.studies import WINE, Ratings, ratings_of
from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.clmm import clmm, odds_ratio
from trialogue.stats.mixed_models.crossed import CrossedDesign
from trialogue.stats.mixed_models.laplace import Likelihood, Link

# Bitterness of wines (Randall 1989), in print in many places; what R 4's ordinal::clmm gives for them is in the vignette of
# that package: temp 3.063, contact 1.835, judge 1.131, logLik -81.565 (Laplace); without judges 2.503, 1.528, -86.492.


def test_the_wine_ratings_give_what_r_gives() -> None:
    found = clmm(WINE.rating, WINE.fixed, {"judge": WINE.rater})
    assert found.log_likelihood == pytest.approx(-81.565, abs=5e-4)
    assert [found.coefficients[name].value for name in ("temp=warm", "contact=yes")] == pytest.approx(
        [3.063, 1.835], abs=5e-4
    )
    assert found.spreads["judge"].value == pytest.approx(1.131, abs=5e-4)
    assert [one.value for one in found.thresholds.values()] == pytest.approx([-1.624, 1.513, 4.229, 6.089], abs=1e-3)


def test_the_wine_ratings_without_judges_give_what_r_gives() -> None:
    found = clmm(WINE.rating, WINE.fixed, {})
    assert found.log_likelihood == pytest.approx(-86.492, abs=5e-4)
    assert [one.value for one in found.coefficients.values()] == pytest.approx([2.503, 1.528], abs=5e-4)


def test_standard_errors_of_the_wine_ratings_are_those_of_r() -> None:
    found = clmm(WINE.rating, WINE.fixed, {"judge": WINE.rater})
    interval = found.coefficients["temp=warm"].interval
    assert interval is not None
    assert (interval.high - interval.low) / (2 * 1.959964) == pytest.approx(0.5954, abs=2e-3)  # R: Std. Error 0.5954


def by_quadrature(likelihood: Likelihood, flat: Floats, nodes: int = 60) -> float:
    """log of the integral over two crossed factors of two and two levels: a grid of Gauss-Hermite points."""
    from scipy.special import expit

    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    parameters = likelihood.unflat(flat)
    edges = np.concatenate([[-np.inf], parameters.thresholds, [np.inf]])
    base = likelihood.matrix @ parameters.slopes
    crossing = likelihood.crossing
    grid = np.stack(np.meshgrid(*[np.arange(nodes)] * crossing.n_levels, indexing="ij"), -1).reshape(
        -1, crossing.n_levels
    )
    total = np.zeros(len(grid))
    for row in range(len(likelihood.rating)):
        eta = np.full(len(grid), base[row])
        for place, name in enumerate(crossing.names):
            level = crossing.starts[name] + crossing.codes[name][row]
            eta += parameters.scales[place] * points[grid[:, level]]
        rating = likelihood.rating[row]
        total += np.log(expit(edges[rating + 1] - eta) - expit(edges[rating] - eta))
    return float(np.log(np.sum(np.exp(total) * weights[grid].prod(axis=1))))


def test_laplace_is_near_quadrature_where_effects_are_small() -> None:
    """A second implementation: the same integral by brute force over a grid of 24^4 points."""
    rng = np.random.default_rng(0)
    raters, items = np.repeat([0, 1], 12), np.tile(np.repeat([0, 1], 6), 2)
    rating = rng.integers(0, 3, 24)
    rating[:3] = [0, 1, 2]
    matrix = np.tile([0.0, 1.0], 12)[:, None]
    likelihood = Likelihood(rating, matrix, CrossedDesign({"w": raters.tolist(), "i": items.tolist()}), "logit")
    for scales, error in (([0.05, 0.05], 1e-5), ([0.3, 0.2], 3e-3), ([0.6, 0.4], 0.02)):  # the error grows with scales
        flat = np.array([-0.7, 0.6, 0.4, *scales])
        value, _ = likelihood(likelihood.unflat(flat))
        assert value == pytest.approx(by_quadrature(likelihood, flat, nodes=24), abs=error)


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("factors", [0, 1, 3])
def test_the_gradient_is_that_of_differences(link: Link, factors: int) -> None:
    rng = np.random.default_rng(3)
    n = 90
    raters, items, systems = rng.integers(0, 6, n), rng.integers(0, 9, n), rng.integers(0, 3, n)
    levels = {
        "w": raters.tolist(),
        "i": items.tolist(),
        "ws": [f"{w}:{s}" for w, s in zip(raters, systems, strict=True)],
    }
    crossing = CrossedDesign(dict(list(levels.items())[:factors]))
    matrix = (systems[:, None] == np.array([1, 2])).astype(float)
    likelihood = Likelihood(rng.permutation(np.arange(n) % 5), matrix, crossing, link)
    at = np.concatenate([[-1.2, -0.3, 0.4, 1.3], [0.3, -0.2], [0.5, 0.8, 0.3][:factors]])
    _, gradient = likelihood(likelihood.unflat(at))
    steps = 1e-5 * np.eye(len(at))
    rises = [likelihood(likelihood.unflat(at + s))[0] - likelihood(likelihood.unflat(at - s))[0] for s in steps]
    assert gradient == pytest.approx(np.array(rises) / 2e-5, abs=1e-5)


def test_effects_and_spreads_of_simulated_ratings_come_back() -> None:
    made = ratings_of(np.random.default_rng(5), workers=80, step=0.8, worker=0.8, item=0.6)
    found = clmm(made.rating, {"system": made.system}, {"worker": made.worker, "item": made.item})
    for name, truth in (("system=s1", 0.8), ("system=s2", 1.6)):
        interval = found.coefficients[name].interval
        assert interval is not None
        assert interval.contains(truth)
    for name, truth in (("worker", 0.8), ("item", 0.6)):
        interval = found.spreads[name].interval
        assert interval is not None
        assert interval.contains(truth)


def test_tastes_of_workers_widen_the_interval_of_a_difference() -> None:
    made = ratings_of(np.random.default_rng(1), workers=30, step=0.3, taste=0.8)
    plain = clmm(made.rating, {"system": made.system}, {"worker": made.worker})
    with_tastes = clmm(made.rating, {"system": made.system}, {"worker": made.worker, "taste": made.taste})
    widths = []
    for found in (plain, with_tastes):
        interval = found.coefficients["system=s1"].interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[1] > 1.3 * widths[0]


def test_the_order_of_rows_and_the_names_of_levels_change_nothing() -> None:
    made = ratings_of(np.random.default_rng(2), workers=12, step=0.5)
    order = np.random.default_rng(9).permutation(len(made.rating)).tolist()
    shuffled = made.reordered(order)
    one = clmm(made.rating, {"system": made.system}, {"w": made.worker, "i": made.item})
    other = clmm(
        shuffled.rating, {"system": shuffled.system}, {"w": [f"x{w}" for w in shuffled.worker], "i": shuffled.item}
    )
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)
    assert other.coefficients["system=s2"].value == pytest.approx(one.coefficients["system=s2"].value, abs=1e-4)


@given(shift=st.floats(-5, 5), stretch=st.floats(0.1, 10))
@settings(max_examples=5)
def test_only_the_order_of_points_counts(shift: float, stretch: float) -> None:
    one = clmm(WINE.rating, WINE.fixed, {})
    moved = [shift + stretch * value**2 for value in WINE.rating]
    assert clmm(moved, WINE.fixed, {}).log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)


def test_a_system_with_only_the_best_ratings_has_no_bound() -> None:
    found = clmm([1, 2, 1, 2, 3, 3, 3, 3], {"system": list("aaaabbbb")}, {})
    assert not found.converged
    assert found.coefficients["system=b"].value is None
    assert found.why is not None
    assert "only the lowest or only the highest" in str(found.why)


def test_effects_that_vary_together_are_named() -> None:
    found = clmm([1, 2, 1, 2], {"system": list("aabb"), "page": list("xxyy")}, {})
    assert found.why is not None
    assert "the effect of page cannot be separated" in str(found.why)


def test_every_pair_is_corrected_over_all_pairs() -> None:
    made = ratings_of(np.random.default_rng(4), workers=25, step=0.5)
    pairs = clmm(made.rating, {"system": made.system}, {"worker": made.worker}).pairs("system")
    assert [(pair.a, pair.b) for pair in pairs] == [("s0", "s1"), ("s0", "s2"), ("s1", "s2")]
    assert all((pair.p_adjusted or 0) >= (pair.difference.p or 0) for pair in pairs)
    values = [pair.difference.value for pair in pairs]
    assert None not in values
    assert values[1] == pytest.approx((values[0] or 0) + (values[2] or 0))


def test_odds_are_exponentials_of_log_odds() -> None:
    found = clmm(WINE.rating, WINE.fixed, {})
    ratio = odds_ratio(found.coefficients["temp=warm"])
    assert ratio.value == pytest.approx(np.exp(2.5031), rel=1e-3)
    assert ratio.interval is not None
    assert ratio.interval.low > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1, 1], {"s": list("aab")}, {}), "two different values"),
        (([1, 2, None], {"s": list("aab")}, {}), "missing"),
        (([1, 2, 1], {"s": list("ab")}, {}), "2 values for 3 ratings"),
        (([1, 2, 1], {"s": list("aaa")}, {}), "single value"),
        (([1, 2, 1], {"s": list("aab")}, {"w": [1, 2]}), "2 values for 3 ratings"),
    ],
)
def test_mistakes_are_reported(arguments: tuple[object, object, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        clmm(*arguments)  # type: ignore[arg-type]


def test_a_study_of_1620_crossed_ratings_takes_few_factorisations() -> None:
    """60 workers x 9 situations x 3 systems; growth, not time: ten times the ratings cost no more evaluations."""
    calls = []
    for workers in (6, 60):
        made: Ratings = ratings_of(np.random.default_rng(0), workers=workers, step=0.5)
        found = clmm(made.rating, {"system": made.system}, {"worker": made.worker, "item": made.item})
        assert found.converged
        calls.append(found.likelihood.evaluations)
    assert calls[1] < 3 * calls[0]


def test_few_degrees_of_freedom_make_a_test_more_careful() -> None:
    found = clmm(WINE.rating, WINE.fixed, {"judge": WINE.rater})
    normal, t = found.pairs("temp")[0], found.pairs("temp", freedom=lambda _: 8.0)[0]
    assert t.difference.interval is not None
    assert normal.difference.interval is not None
    assert t.difference.interval.low < normal.difference.interval.low
    assert t.freedom == 8
