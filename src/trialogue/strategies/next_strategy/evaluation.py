"""Evaluate next-strategy prediction on held-out dialogues, against baselines without history.

Every system utterance with a label among the classes is predicted from everything before it in its
dialogue. Intervals resample whole dialogues, which also make up the folds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import bootstrap_sums, cluster_sums
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.folds import align_classes, fold_of_each
from trialogue.strategies.next_strategy.sequence import SequenceFit, SequenceModel, Tokens

FOLDS = 5
TIE = 1e-12  # probabilities that differ by less are equal: sums in another order must not decide a rank


NOTHING = Reason.of(ReasonCode.NOTHING_TO_PREDICT)


@dataclass(frozen=True)
class Predictions:
    """The predictions at each place."""

    classes: tuple[str, ...]
    dialogues: tuple[str, ...]
    """Dialogue of each place."""
    places: Ints
    """Index of the predicted token in its sequence, shape (n,)."""
    targets: Ints
    """Class that came, as an index, shape (n,)."""
    probabilities: Floats
    """Shape (n, n_classes)."""

    @property
    def losses(self) -> Floats:
        """-ln of the probability of the observed strategy, shape (n,)."""
        return np.asarray(-np.log(self.probabilities[np.arange(len(self.targets)), self.targets]))

    def hits(self, k: int) -> Floats:
        """Whether the observed strategy was among the k most probable, shape (n,); for ties the expected share."""
        own = self.probabilities[np.arange(len(self.targets)), self.targets][:, None]
        above = (self.probabilities > own + TIE).sum(axis=1)
        equal = (np.abs(self.probabilities - own) <= TIE).sum(axis=1)
        return np.asarray(np.clip((k - above) / equal, 0.0, 1.0))

    def restrict(self, classes: Sequence[str]) -> "Predictions":
        """The places where one of these classes occurred, with predictions conditional on that.

        Raises:
            UsageError: none of them ever came.
        """
        new = {label: column for column, label in enumerate(classes)}
        kept = np.array([self.classes[target] in new for target in self.targets.tolist()], dtype=bool)
        if not kept.any():
            raise UsageError(f"no label is one of these strategies: {', '.join(classes)}.")
        targets = np.array([new[self.classes[target]] for target in self.targets[kept].tolist()], dtype=np.int64)
        rows = align_classes(self.probabilities[kept], self.classes, classes)
        chosen = replace(self, classes=tuple(classes), targets=targets, probabilities=rows)
        return chosen._select(kept)

    def where(self, kept: Callable[[int], bool]) -> "Predictions":
        """Only those at places that a condition holds for, such as ``lambda place: place < 5``."""
        mask = np.array([kept(place) for place in self.places.tolist()], dtype=bool)
        return replace(self, targets=self.targets[mask], probabilities=self.probabilities[mask])._select(mask)

    def _select(self, mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> "Predictions":
        dialogues = tuple(name for name, kept in zip(self.dialogues, mask.tolist(), strict=True) if kept)
        return replace(self, dialogues=dialogues, places=self.places[mask])


@dataclass(frozen=True)
class NextStrategyAccuracy:
    """Accuracy of next-strategy prediction, with intervals by resampling dialogues."""

    perplexity: Estimate
    """exp of the mean loss: as unsure as a choice among so many equally likely strategies."""
    top1: Estimate
    """Share of places where the most probable strategy came."""
    top3: Estimate
    """Share of places where one of the three most probable came."""


def predict(model: SequenceModel, sequences: Mapping[str, Tokens]) -> Predictions:
    """Predictions of a model at each labelled position of held-out dialogues.

    Places where something came that is none of the model's classes are left out.
    """
    columns = {label: column for column, label in enumerate(model.classes)}
    dialogues, places, rows = [], [], [np.empty((0, len(model.classes)))]
    for name, tokens in sequences.items():
        found = [place for place, token in enumerate(tokens) if token in columns]
        dialogues += [name] * len(found)
        places += found
        rows.append(model.prefix_distributions(tokens)[found])
    targets = [columns[sequences[name][place]] for name, place in zip(dialogues, places, strict=True)]
    return Predictions(
        model.classes,
        tuple(dialogues),
        np.array(places, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.concatenate(rows),
    )


def cross_validate(
    fit: SequenceFit, sequences: Mapping[str, Tokens], *, folds: int = FOLDS, rng: np.random.Generator
) -> Predictions:
    """Out-of-fold predictions, by models trained on the dialogues of the other folds.

    Folds hold whole dialogues and about the same share of each token; the same ``rng`` state gives the same folds,
    whatever the model.

    Raises:
        UsageError: fewer dialogues than folds.
    """
    fold_of = folds_of(sequences, folds=folds, rng=rng)
    parts = []
    for fold in range(folds):
        model = fit([tokens for name, tokens in sequences.items() if fold_of[name] != fold])
        parts.append(predict(model, {name: tokens for name, tokens in sequences.items() if fold_of[name] == fold}))
    return Predictions(
        parts[0].classes,
        tuple(name for part in parts for name in part.dialogues),
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.probabilities for part in parts]),
    )


def folds_of(sequences: Mapping[str, Tokens], *, folds: int, rng: np.random.Generator) -> dict[str, int]:
    """The fold of each dialogue."""
    groups = [name for name, tokens in sequences.items() for _ in tokens]
    labels = [token for tokens in sequences.values() for token in tokens]
    fold_of = fold_of_each(labels, groups, folds=folds, rng=rng)
    return dict(zip(groups, fold_of.tolist(), strict=True))


def next_strategy_accuracy(
    predictions: Predictions, *, rng: np.random.Generator | None, resamples: int = 10_000
) -> NextStrategyAccuracy:
    """Accuracy of predictions; undefined, with a reason, if there are none.

    Args:
        predictions: predictions of one model.
        rng: random generator for the intervals; None: values only.
        resamples: number of bootstrap resamples.
    """
    columns = (predictions.losses, predictions.hits(1), predictions.hits(3))

    def estimate(column: Floats, combine: Callable[[Floats], Floats]) -> Estimate:
        data = cluster_sums(np.column_stack([column, np.ones(len(column))]), predictions.dialogues)
        return bootstrap_sums(data, combine, rng=rng, resamples=resamples, undefined=NOTHING)

    return NextStrategyAccuracy(
        estimate(columns[0], to_perplexity), estimate(columns[1], _mean), estimate(columns[2], _mean)
    )


def _mean(sums: Floats) -> Floats:
    return np.asarray(
        np.divide(sums[..., 0], sums[..., 1], out=np.full(sums.shape[:-1], np.nan), where=sums[..., 1] > 0)
    )


def to_perplexity(sums: Floats) -> Floats:
    """Perplexity of (loss, count) sums over the last axis."""
    return np.asarray(np.exp(_mean(sums)))
