import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.made import rng
from trialogue.errors import UsageError
from trialogue.simulation.random_source import BLOCK, RandomSource, Weighted


def test_numbers_are_those_of_the_generator_in_its_order() -> None:
    drawn = rng(5)
    expected = np.random.default_rng(5).random(2 * BLOCK + 3)
    assert [drawn.share() for _ in expected] == expected.tolist()


@given(st.integers(0, 1000), st.lists(st.integers(), unique=True, max_size=20), st.integers(0, 25))
def test_some_are_different_things_and_as_many_as_there_are(seed: int, things: list[int], count: int) -> None:
    chosen = rng(seed).sample(things, count)
    assert len(chosen) == len(set(chosen)) == min(count, len(things))
    assert set(chosen) <= set(things)


def test_weights_are_met() -> None:
    drawn, table = rng(1), Weighted({"a": 1, "b": 3, "never": 0})
    counts = [table.draw(drawn) for _ in range(4000)].count("a")
    assert abs(counts - 1000) < 5 * (4000 * 0.25 * 0.75) ** 0.5  # five standard deviations of a binomial
    assert table.things == ("a", "b")


def test_nothing_to_draw_from_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to sample from"):
        Weighted({"a": 0})


def test_rounding_never_draws_beyond_the_last_thing() -> None:
    class Highest(RandomSource):
        def share(self) -> float:
            return float(np.nextafter(1, 0))

    assert Weighted({"a": 0.1, "b": 0.2}).draw(Highest(np.random.default_rng(0))) == "b"
