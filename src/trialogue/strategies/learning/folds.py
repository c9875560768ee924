"""Cross-validation: grouping of sentences into folds, and out-of-fold probabilities."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from trialogue.errors import UsageError
from trialogue.strategies.base import Example, Fit, Floats, Ints, StrategyClassifier, check_examples, ordered_classes

Split: TypeAlias = Literal["dialogue", "text"]
"""Whose sentences stay on one side: those of one dialogue, or those with the same words."""


def normalise_words(text: str) -> str:
    """Normalise case, punctuation and spacing: texts that agree in it count as one.

    >>> normalise_words("Me, too!") == normalise_words("me too") == "me too"
    True
    """
    plain = " ".join(re.findall(r"\w+", text.lower().replace("’", "").replace("'", "")))
    return plain or text.strip()


def groups_of(examples: Sequence[Example], split: Split) -> list[str]:
    """Group of each example; one without a dialogue is grouped by its words.

    >>> groups_of([Example(text="Hi!", label="no_strategy"), Example(text="Hi", label="x", dialogue_id="7")], "dialogue")
    ['text:hi', 'dialogue:7']
    """
    if split not in ("dialogue", "text"):
        raise UsageError(f"split must be 'dialogue' or 'text', got {split!r}.")
    by_text = split == "text"
    return [
        f"text:{normalise_words(example.text)}"
        if by_text or example.dialogue_id is None
        else f"dialogue:{example.dialogue_id}"
        for example in examples
    ]


def places_of(groups: Sequence[Hashable]) -> Ints:
    """Group index from 0 in order of first occurrence, shape (n,).

    >>> places_of(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return np.array([numbers[group] for group in groups], dtype=np.int64)


def fold_of_each(labels: Sequence[str], groups: Sequence[Hashable], *, folds: int, rng: np.random.Generator) -> Ints:
    """Fold of each row, 0 to folds - 1: grouped, and approximately stratified by label.

    Groups are taken largest first, equal ones in random order, each to the fold where it disturbs the balance of labels
    least. Shape (n,).

    Raises:
        UsageError: fewer than two folds, or fewer groups than folds.
    """
    of_row = places_of(groups)
    size = len(set(groups))
    if folds < 2 or size < folds:
        raise UsageError(
            f"{folds} folds are impossible: expected at least 2, and at least one group (dialogue or distinct text) "
            f"for each, got {size} groups."
        )
    classes = {label: code for code, label in enumerate(ordered_classes(labels))}
    counts = np.zeros((size, len(classes)))
    np.add.at(counts, (of_row, np.array([classes[label] for label in labels])), 1)
    order = rng.permutation(size)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    weights = 1 / counts.sum(axis=0) ** 2
    filled = np.zeros((folds, len(classes)))
    fold_of_group = np.zeros(size, dtype=np.int64)
    for group in order:
        cost = ((2 * filled + counts[group]) * counts[group] * weights).sum(axis=1)  # growth of the sum of squares
        fold = int(np.lexsort((np.arange(folds), filled.sum(axis=1), cost))[0])
        filled[fold] += counts[group]
        fold_of_group[group] = fold
    return np.asarray(fold_of_group[of_row], dtype=np.int64)


def align_classes(probabilities: Floats, known: Sequence[str], classes: Sequence[str]) -> Floats:
    """Map probabilities over ``known`` to ``classes``: unknown classes get 0, rows are renormalised.

    A row that has nothing on any of the classes becomes uniform.
    """
    columns = {label: column for column, label in enumerate(known)}
    rows = np.zeros((len(probabilities), len(classes)))
    for column, label in enumerate(classes):
        if label in columns:
            rows[:, column] = probabilities[:, columns[label]]
    totals = rows.sum(axis=1, keepdims=True)
    return np.where(totals > 0, rows / np.where(totals > 0, totals, 1), 1 / len(classes))


@dataclass(frozen=True)
class WithExtra:
    """A fit with additional training sentences that are never tested."""

    fit: Fit
    extra: tuple[Example, ...]
    """Additional training sentences; those of classes that the data lack are excluded."""

    @property
    def name(self) -> str:
        """Name of the fit, and the number of added sentences."""
        return f"{getattr(self.fit, 'name', type(self.fit).__name__)} and {len(self.extra)} sentences"

    def __call__(self, examples: Sequence[Example]) -> StrategyClassifier:
        """Train on the examples and the additional sentences."""
        classes = {example.label for example in examples}
        return self.fit([*examples, *(example for example in self.extra if example.label in classes)])


def ask(labeller: StrategyClassifier, examples: Sequence[Example], classes: Sequence[str]) -> Floats:
    """A labeller's probabilities for examples, over the given classes, shape (n, n_classes)."""
    texts, contexts = [example.text for example in examples], [example.context for example in examples]
    return align_classes(labeller.probabilities(texts, contexts), labeller.classes, classes)


def out_of_fold(
    fit: Fit, examples: Sequence[Example], fold_of: Ints, classes: Sequence[str], *, n_jobs: int = 1
) -> Floats:
    """Out-of-fold probabilities of each example.

    The same whatever ``n_jobs`` is; with more than one, ``fit`` must be picklable (joblib).
    """
    check_examples(examples)
    folds = sorted(set(fold_of.tolist()))
    found = _map(fit, examples, fold_of, classes, folds, n_jobs)
    rows = np.empty((len(examples), len(classes)))
    for fold, probabilities in zip(folds, found, strict=True):
        rows[fold_of == fold] = probabilities
    return rows


def _map(
    fit: Fit, examples: Sequence[Example], fold_of: Ints, classes: Sequence[str], folds: list[int], n_jobs: int
) -> list[Floats]:
    if n_jobs == 1:
        return [_one_fold(fit, examples, fold_of, classes, fold) for fold in folds]
    from joblib import Parallel, delayed

    jobs = (delayed(_one_fold)(fit, examples, fold_of, classes, fold) for fold in folds)
    return list(Parallel(n_jobs=n_jobs)(jobs))


def _one_fold(fit: Fit, examples: Sequence[Example], fold_of: Ints, classes: Sequence[str], fold: int) -> Floats:
    train = [example for example, of in zip(examples, fold_of.tolist(), strict=True) if of != fold]
    test = [example for example, of in zip(examples, fold_of.tolist(), strict=True) if of == fold]
    return ask(fit(train), test, classes)
