"""Gated recurrent unit over tokens, with its gradients, in numpy.

For one sequence of inputs x_1 ... x_T (rows of the embedding) and h_0 = 0:

    r = sigmoid(x W_r + h U_r + b_r)          z = sigmoid(x W_z + h U_z + b_z)
    n = tanh(x W_n + r * (h U_n) + b_n)       h' = (1 - z) * n + z * h

and the distribution over classes is softmax(h' V + c). Cho et al. (EMNLP 2014), with the reset gate applied after the matrix
as in common libraries. Columns of W and U hold r, z, n in this order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from trialogue.strategies.base import Floats, Ints

Weights: TypeAlias = dict[str, Floats]
"""``embedding`` (n_tokens, d), ``input`` (d, 3h), ``state`` (h, 3h), ``gates`` (3h,), ``output`` (h, n_classes), ``bias``
(n_classes,)."""


@dataclass(frozen=True)
class Batch:
    """Sequences side by side, padded at the end."""

    inputs: Ints
    """Index of each token, shape (n, T); what pads is any valid index."""
    targets: Ints
    """Class that follows each token, shape (n, T); -1 where nothing is to be predicted."""


@dataclass(frozen=True)
class Masks:
    """Dropout masks of the inputs, shape (n, d), and of the state before the output, (n, h); equal at all steps of a
    sequence (Gal & Ghahramani, 2016)."""

    inputs: Floats
    state: Floats


@dataclass(frozen=True)
class _Step:
    """Values of one step needed for backpropagation: shapes (n, h), inputs (n, d)."""

    x: Floats
    before: Floats
    reset: Floats
    update: Floats
    fresh: Floats
    recalled: Floats


def new_weights(tokens: int, classes: int, *, width: int, hidden: int, rng: np.random.Generator) -> Weights:
    """Random weights: normal, with variance one over the number of inputs; biases 0."""

    def draw(rows: int, columns: int) -> Floats:
        return np.asarray(rng.standard_normal((rows, columns)) / np.sqrt(rows))

    return {
        "embedding": rng.standard_normal((tokens, width)),
        "input": draw(width, 3 * hidden),
        "state": draw(hidden, 3 * hidden),
        "gates": np.zeros(3 * hidden),
        "output": draw(hidden, classes),
        "bias": np.zeros(classes),
    }


def probabilities(weights: Mapping[str, Floats], inputs: Ints) -> Floats:
    """Distribution over the classes after each token of one sequence of shape (T,), shape (T, n_classes)."""
    states, _ = _forward_pass(weights, inputs[None], None)
    return softmax(states[:, 0] @ weights["output"] + weights["bias"])


def loss_and_gradient(weights: Weights, batch: Batch, masks: Masks | None = None) -> tuple[float, Weights]:
    """Mean -ln of the probability of the targets, and its derivative by every weight.

    Args:
        weights: weights of the network.
        batch: batch with at least one target.
        masks: dropout masks; None: no dropout.
    """
    states, steps = _forward_pass(weights, batch.inputs, masks)
    kept = states if masks is None else states * masks.state
    shares = softmax(kept @ weights["output"] + weights["bias"])  # (T, n, n_classes)
    rows, columns = np.nonzero(batch.targets.T >= 0)
    right = batch.targets.T[rows, columns]
    loss = -float(np.log(shares[rows, columns, right]).mean())
    slopes = np.zeros_like(shares)
    slopes[rows, columns] = shares[rows, columns]
    slopes[rows, columns, right] -= 1
    slopes /= len(right)
    gradient = {name: np.zeros_like(value) for name, value in weights.items()}
    gradient["output"] = np.einsum("tnh,tnk->hk", kept, slopes)
    gradient["bias"] = slopes.sum(axis=(0, 1))
    behind = slopes @ weights["output"].T
    _backward(weights, batch.inputs, steps, behind if masks is None else behind * masks.state, masks, gradient)
    return loss, gradient


def _forward_pass(weights: Mapping[str, Floats], inputs: Ints, masks: Masks | None) -> tuple[Floats, list[_Step]]:
    """States after each step, shape (T, n, h), and what the way back needs."""
    hidden = len(weights["state"])
    state = np.zeros((len(inputs), hidden))
    states, steps = np.empty((inputs.shape[1], len(inputs), hidden)), []
    for time in range(inputs.shape[1]):
        x = weights["embedding"][inputs[:, time]]
        x = x if masks is None else x * masks.inputs
        from_x = x @ weights["input"] + weights["gates"]
        from_state = state @ weights["state"]
        gates = sigmoid(from_x[:, : 2 * hidden] + from_state[:, : 2 * hidden])
        reset, update = gates[:, :hidden], gates[:, hidden:]
        recalled = from_state[:, 2 * hidden :]
        fresh = np.tanh(from_x[:, 2 * hidden :] + reset * recalled)
        steps.append(_Step(x, state, reset, update, fresh, recalled))
        state = (1 - update) * fresh + update * state
        states[time] = state
    return states, steps


def _backward(
    weights: Weights, inputs: Ints, steps: list[_Step], slopes: Floats, masks: Masks | None, gradient: Weights
) -> None:
    """Adds to the gradient what comes through the states; ``slopes`` are of the loss by each state, shape (T, n, h)."""
    behind = np.zeros_like(slopes[0])
    for time in reversed(range(len(steps))):
        step = steps[time]
        down = slopes[time] + behind
        by_fresh = down * (1 - step.update) * (1 - step.fresh**2)
        by_update = down * (step.before - step.fresh) * step.update * (1 - step.update)
        by_reset = by_fresh * step.recalled * step.reset * (1 - step.reset)
        by_x = np.concatenate([by_reset, by_update, by_fresh], axis=1)
        by_state = np.concatenate([by_reset, by_update, by_fresh * step.reset], axis=1)
        gradient["input"] += step.x.T @ by_x
        gradient["gates"] += by_x.sum(axis=0)
        gradient["state"] += step.before.T @ by_state
        to_embedding = by_x @ weights["input"].T
        np.add.at(
            gradient["embedding"], inputs[:, time], to_embedding if masks is None else to_embedding * masks.inputs
        )
        behind = down * step.update + by_state @ weights["state"].T


def softmax(scores: Floats) -> Floats:
    """Probabilities over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(values / 2)))
