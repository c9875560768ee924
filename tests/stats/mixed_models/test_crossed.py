"""The factorised matrix of crossed and nested effects, against the same matrix written out."""

import numpy as np
import pytest

from trialogue.stats.arrays import Floats
from trialogue.stats.mixed_models.crossed import CrossedDesign, Factorisation

RATINGS = 240


def columns(rng: np.random.Generator, names: str) -> dict[str, list[str]]:
    rater, item, system = (rng.integers(0, size, RATINGS) for size in (8, 20, 3))
    everything = {
        "r": [f"r{a}" for a in rater],
        "rs": [f"r{a}s{s}" for a, s in zip(rater, system, strict=True)],
        "i": [f"i{a}" for a in item],
        "is": [f"i{a}s{s}" for a, s in zip(item, system, strict=True)],
        "d": [f"d{a // 4}" for a in item],
        "ds": [f"d{a // 4}s{s}" for a, s in zip(item, system, strict=True)],
    }
    return {name: everything[name] for name in names.split()}


def written_out(crossing: CrossedDesign, weights: Floats, scales: dict[str, float]) -> tuple[Floats, Floats]:
    """H, and Z S with a column for each level."""
    design = np.zeros((RATINGS, crossing.n_levels))
    for name in crossing.order:
        design[np.arange(RATINGS), crossing.codes[name] + crossing.starts[name]] = scales[name]
    return np.eye(crossing.n_levels) + design.T @ (weights[:, None] * design), design


@pytest.mark.parametrize("names", ["r", "r i", "i is", "i is d", "r rs i is", "is rs", "r rs i is d ds", "d ds i is"])
def test_everything_is_as_with_the_whole_matrix(names: str) -> None:
    rng = np.random.default_rng(len(names))
    crossing = CrossedDesign(columns(rng, names))
    scales = dict(zip(crossing.names, rng.uniform(0.2, 1.5, len(crossing.names)).tolist(), strict=True))
    weights = rng.uniform(0.05, 0.4, RATINGS)
    whole, design = written_out(crossing, weights, scales)
    factorisation = Factorisation(crossing, weights, scales)
    inverse = np.linalg.inv(whole)
    right = rng.normal(size=(crossing.n_levels, 2))
    assert factorisation.log_determinant == pytest.approx(float(np.linalg.slogdet(whole)[1]), rel=1e-12)
    assert factorisation.solve(right) == pytest.approx(inverse @ right, abs=1e-10)
    assert factorisation.solve(right[:, 0]) == pytest.approx(inverse @ right[:, 0], abs=1e-10)
    for name, found in factorisation.posterior_covariances().items():
        own = np.zeros_like(design)
        at = (np.arange(RATINGS), crossing.codes[name] + crossing.starts[name])
        own[at] = 1.0
        assert found == pytest.approx(np.einsum("nl,lk,nk->n", own, inverse, design), abs=1e-10)


def test_replies_and_their_items_are_eliminated_together() -> None:
    crossing = CrossedDesign(columns(np.random.default_rng(0), "r rs i is"))
    assert crossing.chain == ("is", "i")
    assert crossing.n_dense_levels == crossing.sizes["r"] + crossing.sizes["rs"]
