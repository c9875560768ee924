"""Spending of a level over looks: published boundaries, and the level of simulated looks."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from trialogue.errors import UsageError
from trialogue.stats.comparison.families import look_level, spending


@pytest.mark.parametrize(
    "boundaries",
    [
        (2.9626, 1.9686),  # the values that ldbounds and gsDesign print for two-sided .05
        (3.7103, 2.5114, 1.9930),
        (4.8769, 3.3570, 2.6803, 2.2898, 2.0310),
    ],
)
def test_boundaries_of_equal_looks_are_the_published_ones(boundaries: tuple[float, ...]) -> None:
    looks = [(look + 1) / len(boundaries) for look in range(len(boundaries))]
    found = [-ndtri(look_level(looks[: look + 1]) / 2) for look in range(len(boundaries))]
    assert found == pytest.approx(list(boundaries), abs=2e-4)


@given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=5), st.sampled_from([0.01, 0.05, 0.2]))
def test_a_look_has_less_than_the_level_and_the_last_one_what_is_left(steps: list[float], alpha: float) -> None:
    times = [min(1.0, each / sum(steps)) for each in accumulate(steps)]
    times[-1] = 1.0
    levels = [look_level(times[: look + 1], alpha=alpha) for look in range(len(times))]
    assert all(0 <= level <= alpha + 1e-6 for level in levels)
    assert sum(levels) >= alpha - 1e-4  # Bonferroni
    assert 2 * spending(1.0, alpha) == pytest.approx(alpha)


@pytest.mark.parametrize("looks", range(1, 9))
def test_levels_of_equal_looks_grow(looks: int) -> None:
    """Those of uneven ones need not: a look soon after another one has little to spend."""
    times = [(look + 1) / looks for look in range(looks)]
    levels = [look_level(times[: look + 1]) for look in range(looks)]
    assert levels == sorted(levels)


def test_all_looks_at_growing_sums_keep_the_level() -> None:
    """Normal sums at uneven looks; 5% of 40,000 are known to .0011."""
    times = np.array([0.2, 0.35, 0.7, 1.0])
    steps = np.random.default_rng(0).normal(size=(40_000, 4)) * np.sqrt(np.diff(times, prepend=0.0))
    z = np.abs(np.cumsum(steps, axis=1) / np.sqrt(times))
    ends = np.array([-ndtri(look_level(times[: look + 1].tolist()) / 2) for look in range(4)])
    assert np.mean((z > ends).any(axis=1)) == pytest.approx(0.05, abs=3 * 0.0011)


@pytest.mark.parametrize("times", [[], [0.0], [0.5, 0.5], [0.5, 1.1], [0.7, 0.3]])
def test_information_ascends_to_one(times: list[float]) -> None:
    with pytest.raises(UsageError, match="must ascend"):
        look_level(times)
