"""Hard strategies and the classes they are confused with, measured on the user's own data.

The paper's are ``pairs.PAPER_CONFUSIONS``; its pair set "Mixed-hard" is made with them. Measurement is out of fold,
split by dialogue, on the sentences that pairs are then made of and on no others: in a cross-validation anew for each fold.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from trialogue.errors import UsageError
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Fit, check_examples, ordered_classes
from trialogue.strategies.classifiers.tfidf import TfidfFit
from trialogue.strategies.learning.calibration import codes
from trialogue.strategies.learning.folds import fold_of_each, groups_of, out_of_fold
from trialogue.strategies.pairs.training_pairs import HARD_RECALL_BELOW

Measure: TypeAlias = Callable[[Sequence[Example]], Mapping[str, str]]
"""Finds the hard strategies of labelled sentences, with what each is taken for."""
Hard: TypeAlias = Mapping[str, str] | Measure
"""Hard strategies with what each is taken for, or how they are found in the sentences that pairs are made of."""

FOLDS = 5


def measure_hard_strategies(
    examples: Sequence[Example],
    *,
    fit: Fit | None = None,
    below: float = HARD_RECALL_BELOW,
    folds: int = FOLDS,
    seed: int = 0,
) -> dict[str, str]:
    """The strategies of these sentences that are found less often than ``below``, with what each is most often taken for.

    Yang et al. (SIGIR 2024), section 5.1, with .7. Of strategies that one is equally often taken for, the first counts.

    Args:
        examples: labelled sentences.
        fit: trains a labeller on the other folds; None: TF-IDF.
        below: share of a strategy's sentences.
        folds: parts, by dialogue (sentences without one by their words).
        seed: seed for the folds.

    Raises:
        UsageError: nothing is hard, or there are too few sentences, strategies or dialogues.
    """
    check_examples(examples)
    labels = [example.label for example in examples]
    classes = ordered_classes(labels)
    fold_of = fold_of_each(labels, groups_of(examples, "dialogue"), folds=folds, rng=rng_for(seed, "hard folds"))
    unseen = out_of_fold(fit or TfidfFit(), examples, fold_of, classes)
    table = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(table, (codes(labels, classes), unseen.argmax(axis=1)), 1)
    found = {}
    for place, name in enumerate(classes):
        right, n = table[place, place], table[place].sum()
        if right < below * n:
            table[place, place] = 0
            found[name] = classes[int(table[place].argmax())]
    if not found:
        raise UsageError(
            f"none of the {len(classes)} strategies is hard: all have a recall of at least {below:.0%}. "
            "Omit the hard pairs, or use those of the paper."
        )
    return found


def measure(*, seed: int) -> Measure:
    """``measure_hard_strategies`` with this seed, to be applied to whatever sentences pairs are made of."""
    return partial(measure_hard_strategies, seed=seed)


def taken_for(hard: Hard, examples: Sequence[Example]) -> Mapping[str, str]:
    """The hard strategies: as they are given, or as they are found in these sentences."""
    return hard(examples) if callable(hard) else hard
