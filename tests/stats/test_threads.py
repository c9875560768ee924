"""BLAS threads inside fits."""

from typing import Any

import pytest
import scipy.linalg  # noqa: F401  (its BLAS library is loaded before threads are counted)

from trialogue.stats import clmm, lmm
from trialogue.stats.mixed_models.fixed_effects import one_blas_thread
from trialogue.stats.mixed_models.laplace import Likelihood
from trialogue.stats.mixed_models.lmm import Form


def threads() -> list[int]:
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_one_thread_inside_and_as_many_as_before_afterwards() -> None:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=2, user_api="blas"):
        with one_blas_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {2}


@pytest.mark.parametrize("model", [clmm, lmm])
def test_models_are_fitted_with_one_thread(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from threadpoolctl import threadpool_limits

    inside: list[int] = []
    likelihood, criterion = Likelihood.__call__, Form._inner

    def spied(original: Any) -> Any:
        def call(*args: Any) -> Any:
            inside.extend(threads())
            return original(*args)

        return call

    monkeypatch.setattr(Likelihood, "__call__", spied(likelihood))
    monkeypatch.setattr(Form, "_inner", spied(criterion))
    ratings, workers = [1, 2, 3, 2, 3, 1, 1, 3], [1, 2, 3, 4, 1, 2, 3, 4]
    with threadpool_limits(limits=2, user_api="blas"):
        found = model(ratings, {"system": list("aaaabbbb")}, {"worker": workers})
        found.pairs("system")
    assert set(inside) == {1}
