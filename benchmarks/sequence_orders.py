"""Compare next-strategy models by perplexity, and choose the order and smoothing of one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate
from trialogue.stats import bootstrap_sums, cluster_sums
from trialogue.strategies.base import CLASSES
from trialogue.strategies.next_strategy.evaluation import FOLDS, NOTHING, Predictions, cross_validate, to_perplexity
from trialogue.strategies.next_strategy.ngram import NGramFit, Smoothing
from trialogue.strategies.next_strategy.sequence import Tokens, UserTokens


def perplexity_ratio(
    model: Predictions, other: Predictions, *, rng: np.random.Generator | None, resamples: int = 10_000
) -> Estimate:
    """Perplexity of a model over that of another for the same places, under 1 if it is better; dialogues resampled.

    Raises:
        UsageError: they are about different places.
    """
    if model.dialogues != other.dialogues or not np.array_equal(model.places, other.places):
        raise UsageError(
            "the two models made predictions for different turns. Use the same dialogues and folds for both."
        )
    gaps = model.losses - other.losses
    data = cluster_sums(np.column_stack([gaps, np.ones(len(gaps))]), model.dialogues)
    return bootstrap_sums(data, to_perplexity, rng=rng, resamples=resamples, undefined=NOTHING)


@dataclass(frozen=True)
class OrderChoice:
    """An order with the smoothing, and how every candidate did."""

    best: NGramFit
    perplexities: dict[tuple[int, Smoothing], float]
    """Cross-validated perplexity of each order and smoothing that was tried."""


def choose_order(
    sequences: Mapping[str, Tokens],
    *,
    orders: Sequence[int] = (1, 2, 3, 4, 5),
    smoothings: Sequence[Smoothing] = ("witten_bell", "kneser_ney"),
    classes: tuple[str, ...] = CLASSES,
    user: UserTokens = "acts",
    folds: int = FOLDS,
    rng: np.random.Generator,
) -> OrderChoice:
    """The order and smoothing of lowest perplexity by cross-validation over dialogues; of equal ones the first.

    Raises:
        UsageError: fewer dialogues than folds, or no candidates.
    """
    candidates = [NGramFit(order, smoothing, classes, user) for smoothing in smoothings for order in orders]
    if not candidates:
        raise UsageError("there are no orders or smoothings to choose from.")
    seed = int(rng.integers(2**63))  # all candidates on the same folds
    found = {}
    for fit in candidates:
        predictions = cross_validate(fit, sequences, folds=folds, rng=np.random.default_rng(seed))
        found[fit.order, fit.smoothing] = math.exp(float(predictions.losses.mean()))
    best = min(candidates, key=lambda fit: found[fit.order, fit.smoothing])
    return OrderChoice(best, found)
