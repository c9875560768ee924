import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.strategies.next_strategy.gru import (
    Batch,
    Masks,
    Weights,
    loss_and_gradient,
    new_weights,
    probabilities,
    sigmoid,
)
from trialogue.strategies.next_strategy.recurrent import RecurrentFit
from trialogue.strategies.next_strategy.sequence import START, Tokens, next_distribution

AB = ("a", "b")
QUICK = RecurrentFit(hidden=6, width=4, members=2, epochs=3, classes=AB)
DATA: list[Tokens] = [(START, "a", "u", "b", "a"), (START, "b", "a"), (START, "u", "a", "u", "b"), (START, "u")]


def small(rng: np.random.Generator) -> tuple[Weights, Batch]:
    weights = new_weights(5, 3, width=4, hidden=3, rng=rng)
    weights["gates"] += rng.standard_normal(9)
    inputs = np.array([[0, 1, 2, 3], [4, 1, 1, 0]])
    return weights, Batch(inputs, np.array([[1, -1, 0, 2], [2, 0, -1, -1]]))  # the second is padded


def off_by(
    weights: Weights, batch: Batch, name: str, place: tuple[int, ...], step: float, masks: Masks | None
) -> float:
    moved = {key: value.copy() for key, value in weights.items()}
    moved[name][place] += step
    return loss_and_gradient(moved, batch, masks)[0]


@pytest.mark.parametrize("dropped", [False, True])
def test_the_gradient_is_that_of_differences(dropped: bool) -> None:
    rng = np.random.default_rng(0)
    weights, batch = small(rng)
    masks = (
        Masks(np.asarray((rng.random((2, 4)) < 0.5) * 2.0), np.asarray((rng.random((2, 3)) < 0.7) / np.float64(0.7)))
        if dropped
        else None
    )
    _, gradient = loss_and_gradient(weights, batch, masks)
    for name, slopes in gradient.items():
        for place in np.ndindex(slopes.shape):
            ends = [off_by(weights, batch, name, place, step, masks) for step in (1e-5, -1e-5)]
            assert slopes[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-8), (name, place)


def test_the_loss_is_that_of_the_probabilities() -> None:
    weights, batch = small(np.random.default_rng(1))
    rows = [probabilities(weights, inputs) for inputs in batch.inputs]
    chosen = [rows[0][0, 1], rows[0][2, 0], rows[0][3, 2], rows[1][0, 2], rows[1][1, 0]]
    assert loss_and_gradient(weights, batch)[0] == pytest.approx(-np.log(chosen).mean())


def test_one_step_is_as_the_equations_say() -> None:
    weights, _ = small(np.random.default_rng(2))
    x, h = weights["embedding"][1], np.zeros(3)
    r, z = (sigmoid(x @ weights["input"][:, s] + weights["gates"][s]) for s in (slice(0, 3), slice(3, 6)))
    n = np.tanh(x @ weights["input"][:, 6:] + r * (h @ weights["state"][:, 6:]) + weights["gates"][6:])
    scores = ((1 - z) * n + z * h) @ weights["output"] + weights["bias"]
    assert probabilities(weights, np.array([1]))[0] == pytest.approx(np.exp(scores) / np.exp(scores).sum())


def test_what_pads_changes_nothing() -> None:
    weights, batch = small(np.random.default_rng(3))
    other = Batch(np.array([[0, 1, 2, 3], [4, 1, 3, 3]]), batch.targets)
    assert loss_and_gradient(weights, other)[0] == loss_and_gradient(weights, batch)[0]


def test_a_gate_far_out_does_not_overflow() -> None:
    assert sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("history", [(), (START,), (START, "a", "martian", "b"), ("martian",)])
def test_every_distribution_sums_to_one_also_after_nothing_and_after_unseen_tokens(history: Tokens) -> None:
    rows = QUICK(DATA).prefix_distributions(history)
    assert rows.shape == (len(history) + 1, 2)
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert (rows > 0).all()


def test_training_twice_gives_the_same_weights_and_another_seed_does_not() -> None:
    first, again = QUICK(DATA), QUICK(DATA)
    assert first.origin == again.origin
    assert first.prefix_distributions(DATA[0]).tolist() == again.prefix_distributions(DATA[0]).tolist()
    other = RecurrentFit(hidden=6, width=4, members=2, epochs=3, classes=AB, seed=1)(DATA)
    assert other.prefix_distributions(DATA[0]).tolist() != first.prefix_distributions(DATA[0]).tolist()


def test_it_learns_what_no_short_memory_can() -> None:
    # the fourth token repeats the first, behind two that say nothing
    once: list[Tokens] = [(START, first, "u", "u", first) for first in AB]
    model = RecurrentFit(hidden=12, width=6, members=1, epochs=30, dropout=0.0, classes=AB)(once * 16)
    assert next_distribution(model, (START, "a", "u", "u"))[0] > 0.9
    assert next_distribution(model, (START, "b", "u", "u"))[1] > 0.9


def test_a_row_does_not_depend_on_what_follows() -> None:
    model = QUICK(DATA)
    assert model.prefix_distributions(DATA[0])[:3] == pytest.approx(model.prefix_distributions(DATA[0][:2]))


def test_it_looks_back_to_the_beginning() -> None:
    assert QUICK(DATA).memory is None


@pytest.mark.parametrize("settings", [{"hidden": 0}, {"members": 0}, {"epochs": 0}, {"batch": 0}, {"width": -1}])
def test_sizes_under_one_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="must be at least 1"):
        RecurrentFit(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [{"dropout": 1.0}, {"decay": -1.0}, {"rate": 0.0}])
def test_impossible_rates_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="dropout must be at least 0 and below 1"):
        RecurrentFit(**settings)  # type: ignore[arg-type]


def test_sequences_with_nothing_to_predict_are_refused() -> None:
    with pytest.raises(UsageError, match="a strategy to predict"):
        QUICK([(START, "u")])
