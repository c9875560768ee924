"""The paper's pair classifiers: training pairs "Original" and "Mixed-hard" of any corpus, and their evaluation.

They serve as the baseline: with an equal encoder, labelling each sentence and multiplying the two beliefs does better, needs
one pass per sentence instead of one per pair, and is symmetric.

Rebuild the paper's training pairs, "Original" and "Mixed-hard", from any labelled corpus, and export them.

Yang et al. (SIGIR 2024), section 5.1: 50,000 pairs with one strategy and 50,000 with two. In Mixed-hard 10,000 of the latter
are replaced by hard ones. A strategy is hard if a classifier recalls less than .7 of its sentences; its hard pairs join one
of its sentences with one of the strategy that it is most often mistaken for. The released material does not say how pairs
were sampled. Here no pair of Original occurs twice, and hard ones are spread evenly over the hard strategies.

Hard strategies and the classes they are confused with, measured on the user's own data.

The paper's are ``pairs.PAPER_CONFUSIONS``; its pair set "Mixed-hard" is made with them. Measurement is out of fold,
split by dialogue, on the sentences that pairs are then made of and on no others: in a cross-validation anew for each fold.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import STRATEGIES
from trialogue.records.files.opening import open_replacing
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Fit, Floats, Ints, PairClassifier, check_examples, ordered_classes
from trialogue.strategies.classifiers.tfidf import TfidfFit
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
from trialogue.strategies.learning.dyads import RESAMPLES, Bools, Pairs, count_pairs, draw_exact_pairs, draw_pairs
from trialogue.strategies.learning.folds import Split, fold_of_each, groups_of, out_of_fold
from trialogue.strategies.learning.scoring import LabelScores

N_SAME, N_DIFFERENT, N_HARD = 50_000, 50_000, 10_000  # pairs of the paper
HARD_RECALL_BELOW = 0.7  # of the paper

PAPER_CONFUSIONS: dict[str, str] = {
    "personal_experience": "credibility",
    "rephrase_preference": "preference_confirmation",
    "self_modeling": "personal_experience",
    "similarity": "acknowledgment",
    "transparency": "opinion_inquiry",
}
"""The paper's own hard strategies, each with the one it is most often mistaken for (Table 2)."""

COLUMNS = ("Input Text Part 1", "Input Text Part 2", "Ground Truth Label")
"""Columns of the released files, so that their readers can read ours."""


@dataclass(frozen=True, eq=False)
class PairSet:
    """Pairs of labelled sentences."""

    examples: tuple[Example, ...]
    left: Ints
    """Index of one sentence of each pair, shape (n,)."""
    right: Ints
    """Index of the other."""
    same: Bools
    """Whether they share a strategy."""
    hard: Bools
    """Whether it was added as a hard negative."""

    def __len__(self) -> int:
        return len(self.left)

    def rows(self) -> Iterator[tuple[Example, Example, bool]]:
        """Iterate over pairs: both sentences, and whether they share a strategy."""
        for left, right, same in zip(self.left.tolist(), self.right.tolist(), self.same.tolist(), strict=True):
            yield self.examples[left], self.examples[right], same


def original_pairs(
    examples: Sequence[Example], *, rng: np.random.Generator, same: int = N_SAME, different: int = N_DIFFERENT
) -> PairSet:
    """The paper's "Original": pairs with one strategy and pairs with two, in random order.

    Raises:
        UsageError: the examples do not have so many pairs.
    """
    labels = [example.label for example in examples]
    drawn = draw_exact_pairs(codes(labels, ordered_classes(labels)), same, different, rng=rng)
    order = rng.permutation(same + different)
    no_hard_ones = np.zeros(len(order), dtype=bool)
    return PairSet(tuple(examples), drawn.left[order], drawn.right[order], drawn.same[order], no_hard_ones)


def mixed_hard_pairs(
    pairs: PairSet, confusions: Mapping[str, str], *, rng: np.random.Generator, count: int = N_HARD
) -> PairSet:
    """The paper's "Mixed-hard": replace ``count`` of the pairs with two strategies by hard ones.

    Args:
        pairs: an Original set.
        confusions: hard strategies, each with the one it is most often mistaken for: of ``hard_classes``, or
            ``PAPER_CONFUSIONS``.
        rng: source of randomness.
        count: number of hard pairs, spread evenly over the hard strategies; the first ones take what is left over.

    Raises:
        UsageError: no hard strategy has sentences on both sides, or there are fewer pairs with two strategies.
    """
    members: dict[str, list[int]] = {}
    for index, example in enumerate(pairs.examples):
        members.setdefault(example.label, []).append(index)
    usable = [(hard, other) for hard, other in confusions.items() if {hard, other} <= members.keys() and hard != other]
    negatives = np.flatnonzero(~pairs.same)
    if not usable or len(negatives) < count:
        raise UsageError(
            f"{count} hard pairs cannot be added: there are {len(negatives)} pairs with two strategies, and "
            f"{len(usable)} of the {len(confusions)} hard strategies have sentences both of their own and of the "
            "strategy they are confused with."
        )
    left, right, marked = pairs.left.copy(), pairs.right.copy(), pairs.hard.copy()
    replaced = rng.choice(negatives, size=count, replace=False)
    for (hard, other), places in zip(usable, np.array_split(replaced, len(usable)), strict=True):
        left[places] = rng.choice(members[hard], size=len(places))
        right[places] = rng.choice(members[other], size=len(places))
        marked[places] = True
    return PairSet(pairs.examples, left, right, pairs.same, marked)


def hard_classes(scores: LabelScores, *, below: float = HARD_RECALL_BELOW) -> dict[str, str]:
    """Strategies with a recall below ``below``, and the class each is most often mistaken for."""
    return {
        each.strategy: each.confusions[0].strategy
        for each in scores.classes
        if each.recall is not None and each.recall < below and each.confusions
    }


def write_pairs(path: Path | str, pairs: PairSet) -> int:
    """Write pairs as ``.csv`` (columns of the released files, UTF-8 with BOM) or ``.jsonl``; returns their number.

    JSON Lines also say the strategies, the dialogues, and whether a pair is a hard one.

    Raises:
        UsageError: the name ends in neither.
    """
    path = Path(path)
    check_pairs_name(path)
    with open_replacing(path) as stream:
        if path.suffix == ".jsonl":
            for line in _lines(pairs):
                stream.write(line.encode())
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", write_through=True)
            table = csv.writer(text)
            table.writerow(COLUMNS)
            table.writerows((one.text, other.text, int(same)) for one, other, same in pairs.rows())
            text.detach()  # else closing the wrapper would close the stream, which ``open_replacing`` renames after that
    return len(pairs)


def check_pairs_name(path: Path) -> None:
    """Raise UsageError unless a name ends in .csv or .jsonl."""
    if path.suffix not in (".csv", ".jsonl"):
        raise UsageError(f"pairs can be written to .csv or .jsonl, got {path.name!r}.")


def _lines(pairs: PairSet) -> Iterator[str]:
    for (one, other, same), hard in zip(pairs.rows(), pairs.hard.tolist(), strict=True):
        row = {"texts": [one.text, other.text], "strategies": [one.label, other.label], "same": same, "hard": hard}
        row["dialogues"] = [one.dialogue_id, other.dialogue_id]
        yield json.dumps(row, ensure_ascii=False) + "\n"


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
