"""Linear mixed models against published fits and closed forms of balanced data."""

import numpy as np
import pytest

from tests.stats.studies import ratings_of
from trialogue.stats.mixed_models.crossed import CrossedDesign
from trialogue.stats.mixed_models.lmm import Form, lmm

# Yield of dyestuff from six batches (Davies 1947), as in Bates et al. (2015); lme4's REML fit: criterion 319.6543,
# standard deviations 42.00 (batch) and 49.51, mean 1527.5 with standard error 19.38.
DYESTUFF = [
    [1545, 1440, 1440, 1520, 1580],
    [1540, 1555, 1490, 1560, 1495],
    [1595, 1550, 1605, 1510, 1560],
    [1445, 1440, 1595, 1465, 1545],
    [1595, 1630, 1515, 1635, 1625],
    [1520, 1455, 1450, 1480, 1445],
]


def test_dyestuff_gives_what_lme4_gives() -> None:
    values = [float(value) for batch in DYESTUFF for value in batch]
    found = lmm(values, {}, {"batch": np.repeat(range(6), 5).tolist()})
    assert found.criterion == pytest.approx(319.6543, abs=1e-3)
    assert found.spreads["batch"] == pytest.approx(42.00, abs=0.01)
    assert found.noise == pytest.approx(49.51, abs=0.01)
    assert found.mean.value == pytest.approx(1527.5)
    interval = found.mean.interval
    assert interval is not None
    assert interval.high - 1527.5 == pytest.approx(19.38 * 2.5706, rel=1e-3)  # t with 5 degrees of freedom


def test_one_pair_of_systems_is_a_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    own = rng.normal(0, 2, 15)
    a, b = own + rng.normal(0, 1, 15), own + 0.5 + rng.normal(0, 1, 15)
    found = lmm([*a, *b], {"system": ["a"] * 15 + ["b"] * 15}, {"worker": [*range(15), *range(15)]})
    from scipy.stats import ttest_rel

    expected = ttest_rel(b, a)
    assert found.coefficients["system=b"].p == pytest.approx(expected.pvalue, rel=1e-3)
    pair = found.pairs("system")[0]
    assert pair.freedom == pytest.approx(14, abs=0.05)


def test_crossed_factors_agree_with_statsmodels() -> None:
    pandas = pytest.importorskip("pandas")
    api = pytest.importorskip("statsmodels.api")
    made = ratings_of(np.random.default_rng(3), workers=10, step=0.5, pool=12, situations=6)
    frame = pandas.DataFrame({"y": made.rating, "s": made.system, "w": made.worker, "i": made.item, "all": 1})
    model = api.MixedLM.from_formula("y ~ s", frame, groups="all", vc_formula={"w": "0+C(w)", "i": "0+C(i)"})
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = model.fit(reml=True, method="powell")
    ours = lmm(made.rating, {"system": made.system}, {"w": made.worker, "i": made.item})
    assert ours.coefficients["system=s2"].value == pytest.approx(theirs.params["s[T.s2]"], abs=1e-3)
    assert ours.criterion is not None
    # Theirs drops a constant of the restricted likelihood; spreads are compared instead.
    spreads = dict(zip(["i", "w"], np.sqrt(np.asarray(theirs.vcomp)), strict=True))
    assert ours.spreads["w"] == pytest.approx(spreads["w"], rel=0.02)
    assert ours.spreads["i"] == pytest.approx(spreads["i"], rel=0.02)


def test_ratings_that_do_not_vary_are_undefined() -> None:
    found = lmm([3, 3, 3, 3], {"system": list("aabb")}, {"worker": [1, 2, 1, 2]})
    assert found.noise is None
    assert found.why is not None
    assert "do not vary" in str(found.why)
    assert found.pairs("system")[0].difference.value is None


def test_the_slope_of_the_criterion_is_that_of_differences() -> None:
    made = ratings_of(np.random.default_rng(1), workers=8, step=0.4, taste=0.5)
    matrix = np.column_stack([np.ones(len(made.rating)), [float(name == "s1") for name in made.system]])
    form = Form(np.array(made.rating), matrix, CrossedDesign({"w": made.worker, "i": made.item, "t": made.taste}))
    at = np.array([0.3, 0.5, 0.2])
    _, slope = form._with_slope(at)
    rises = [form.criterion(at + step) - form.criterion(at - step) for step in 1e-5 * np.eye(3)]
    assert slope == pytest.approx(np.array(rises) / 2e-5, abs=1e-5)
