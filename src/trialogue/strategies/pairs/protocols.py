"""Evaluation protocols for pair classifiers, such as the paper's, which are trained on pairs of sentences.

They serve as the baseline: with an equal encoder, labelling each sentence and multiplying the two beliefs does better, needs
one pass per sentence instead of one per pair, and is symmetric.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from trialogue.records import STRATEGIES
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Floats, PairClassifier
from trialogue.strategies.evaluation.protocols import PAIRS, evaluate_run, name_of, prepare_data
from trialogue.strategies.evaluation.results import (
    EvaluationResult,
    Protocol,
    ProtocolPredictions,
    draw,
    mask_of_repeated_sentences,
    mask_of_training_sentences,
)
from trialogue.strategies.learning.calibration import codes
from trialogue.strategies.learning.dyads import RESAMPLES, Pairs, count_pairs, draw_pairs
from trialogue.strategies.learning.folds import Split, fold_of_each, groups_of
from trialogue.strategies.pairs.training_pairs import (
    N_HARD,
    N_SAME,
    Hard,
    PairSet,
    mixed_hard_pairs,
    original_pairs,
    taken_for,
)

PairFit: TypeAlias = Callable[[PairSet], PairClassifier]
"""Trains a classifier of pairs."""


@dataclass(frozen=True)
class _Plan:
    fit: PairFit
    classes: tuple[str, ...]
    folds: int
    seed: int
    train_pairs: int
    hard: Hard | None
    hard_pairs: int
    pairs: int


def evaluate_pairs(
    fit: PairFit,
    examples: Sequence[Example],
    *,
    protocol: Protocol = "dialogue",
    test: Sequence[Example] | None = None,
    classes: Sequence[str] = STRATEGIES,
    folds: int = 5,
    seed: int = 0,
    train_pairs: int = N_SAME,
    hard: Hard | None = None,
    hard_pairs: int = N_HARD,
    pairs: int = PAIRS,
    resamples: int = RESAMPLES,
    leak_test: bool = True,
) -> EvaluationResult:
    """Evaluate pair classifiers under a protocol; the result has pair scores only, no labels.

    Args:
        fit: trains a classifier.
        examples: labelled sentences; for ``transfer`` those to train on.
        protocol: one of ``results.PROTOCOLS``; ``pairs`` is the paper's.
        test: the other corpus, for ``transfer``.
        classes: strategies; sentences with other labels are left out.
        folds: parts of the data.
        seed: random seed.
        train_pairs: number of training pairs of either kind ("Original"); as many as there are, at most.
        hard: strategies with what they are taken for, or how to measure that on the sentences of each training set
            (``hard.measure``): puts hard negatives in ("Mixed-hard"); None: none.
        hard_pairs: how many of those; a fifth of the pairs with two strategies at most, as in the paper.
        pairs: balanced pairs to judge, of either kind, at most. ``pairs`` judges those it trains on in turn.
        resamples: bootstrap replicates of every interval.
        leak_test: also run it on permuted labels (twice the time).

    Raises:
        UsageError: too few examples, dialogues or classes; ``test`` without ``transfer`` or the reverse.
    """
    data = prepare_data(examples, protocol, test, classes)
    plan = _Plan(fit, data.classes, folds, seed, train_pairs, hard, hard_pairs, pairs)

    def runner(kept: Sequence[Example], tested: Sequence[Example] | None) -> ProtocolPredictions:
        if tested is not None:
            return _transfer(plan, kept, tested)
        if protocol == "pairs":
            return _cross_validate_pairs(plan, kept)
        return _cross_validate_groups(plan, kept, protocol)  # type: ignore[arg-type]

    result = evaluate_run(runner, data, seed=seed, resamples=resamples, leak_test=leak_test)
    return result.model_copy(
        update={"model": name_of(fit), "protocol": protocol, "folds": None if protocol == "transfer" else folds}
    )


def training_pairs(
    examples: Sequence[Example],
    *,
    rng: np.random.Generator,
    count: int = N_SAME,
    hard: Hard | None = None,
    hard_pairs: int = N_HARD,
) -> PairSet:
    """The paper's Original, or Mixed-hard, as far as the examples have enough pairs.

    Raises:
        UsageError: the examples have no pairs of one kind; nothing is hard, or not so many pairs can be put in.
    """
    most = min(count_pairs(codes([example.label for example in examples], _labels(examples))))
    size = min(count, most)
    pairs = original_pairs(examples, rng=rng, same=size, different=size)
    if hard is None:
        return pairs
    return mixed_hard_pairs(pairs, taken_for(hard, examples), rng=rng, count=min(hard_pairs, size // 5))


def _labels(examples: Sequence[Example]) -> list[str]:
    return sorted({example.label for example in examples})


def _train(plan: _Plan, examples: Sequence[Example], name: str) -> PairClassifier:
    rng = rng_for(plan.seed, "training pairs", name)
    return plan.fit(
        training_pairs(examples, rng=rng, count=plan.train_pairs, hard=plan.hard, hard_pairs=plan.hard_pairs)
    )


def _chances(model: PairClassifier, examples: Sequence[Example], pairs: Pairs) -> Floats:
    left = [examples[place].text for place in pairs.left.tolist()]
    right = [examples[place].text for place in pairs.right.tolist()]
    return np.asarray(model.same_probability(left, right), dtype=np.float64)


def _cross_validate_groups(plan: _Plan, kept: Sequence[Example], split: Split) -> ProtocolPredictions:
    labels = [example.label for example in kept]
    fold_of = fold_of_each(labels, groups_of(kept, split), folds=plan.folds, rng=rng_for(plan.seed, "folds"))
    columns = codes(labels, plan.classes)
    drawn, chances = [], []
    for fold in range(plan.folds):
        own = np.flatnonzero(fold_of == fold)
        others = [example for example, of in zip(kept, fold_of.tolist(), strict=True) if of != fold]
        inside = draw_pairs(columns[own], plan.pairs // plan.folds, rng=rng_for(plan.seed, "pairs", str(fold)))
        drawn.append(Pairs(own[inside.left], own[inside.right], inside.same))
        chances.append(_chances(_train(plan, others, str(fold)), kept, drawn[-1]))
    together = Pairs(*(np.concatenate(part) for part in zip(*drawn, strict=True)))
    return ProtocolPredictions(None, together, np.concatenate(chances), mask_of_repeated_sentences(kept, fold_of), 1.0)


def _cross_validate_pairs(plan: _Plan, kept: Sequence[Example]) -> ProtocolPredictions:
    rng = rng_for(plan.seed, "training pairs")
    made = training_pairs(kept, rng=rng, count=plan.train_pairs, hard=plan.hard, hard_pairs=plan.hard_pairs)
    fold_of = rng_for(plan.seed, "pair folds").permutation(np.arange(len(made)) % plan.folds)
    pairs, chances = Pairs(made.left, made.right, made.same), np.empty(len(made))
    for fold in range(plan.folds):
        train, own = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        model = plan.fit(
            PairSet(made.examples, made.left[train], made.right[train], made.same[train], made.hard[train])
        )
        chances[own] = _chances(model, kept, Pairs(pairs.left[own], pairs.right[own], pairs.same[own]))
    return ProtocolPredictions(None, pairs, chances, np.ones(len(kept), dtype=bool), 1.0)


def _transfer(plan: _Plan, kept: Sequence[Example], tested: Sequence[Example]) -> ProtocolPredictions:
    drawn = draw(tested, plan.classes, plan.pairs, plan.seed)
    chances = _chances(_train(plan, kept, "all"), tested, drawn)
    return ProtocolPredictions(None, drawn, chances, mask_of_training_sentences(tested, kept), 1.0)
