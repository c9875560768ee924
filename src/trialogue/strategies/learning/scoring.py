"""Classification scores: accuracy, macro-F1, kappa, log-loss, top-2, calibration error and confusion."""

from collections.abc import Hashable, Sequence

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode, Record
from trialogue.stats import bootstrap_sums, cluster_sums
from trialogue.stats.raters.kappa import kappa_of_counts
from trialogue.strategies.base import Floats, Ints

BINS = 15  # of confidence, equally wide, as in Guo et al. (2017)
RESAMPLES = 2_000
MIN_PROBABILITY = 1e-12  # in the log-loss, so that a single certain error does not make it infinite


class Confusion(Record):
    """Count of one strategy mistaken for another."""

    strategy: str
    """The strategy that the model named instead."""
    n: int
    """Number of sentences labelled so by mistake."""


class ClassScore(Record):
    """Scores of one strategy."""

    strategy: str
    """Name of the true strategy."""
    n: int
    """Sentences that have it."""
    recall: float | None
    """Share of them that are found; None: there are none."""
    precision: float | None
    """Share of the sentences called so that are; None: none is called so."""
    confusions: tuple[Confusion, ...] = ()
    """Most frequent confusions, at most three."""


class LabelScores(Record):
    """Scores of a model's labels."""

    n: int
    """Number of sentences scored."""
    clusters: int
    """Dialogues, or different texts, that intervals are drawn from."""
    unit: str
    """Resampling unit: ``"dialogue"`` or ``"sentence"``."""
    accuracy: Estimate
    """Share of sentences whose likeliest strategy is the true one."""
    macro_f1: Estimate
    """Mean over strategies of F1; one that neither occurs nor is answered does not count."""
    kappa: Estimate
    """Agreement beyond chance (Cohen)."""
    log_loss: Estimate
    """Mean negative logarithm of the true strategy's probability, in nats."""
    top2: Estimate
    """Share of sentences whose true strategy is one of the two likeliest."""
    calibration_error: Estimate
    """Mean gap between confidence and accuracy over 15 equally wide bins of confidence, weighted by their size."""
    classes: tuple[ClassScore, ...]
    """Scores of each strategy."""


def label_scores(
    probabilities: Floats,
    truth: Ints,
    classes: Sequence[str],
    clusters: Sequence[Hashable],
    *,
    unit: str,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> LabelScores:
    """Compute all scores of n labelled sentences.

    Args:
        probabilities: shape (n, n_classes).
        truth: column of the true strategy, shape (n,).
        classes: names of the columns.
        clusters: what is drawn as one for the intervals.
        unit: what a cluster is.
        rng: source of randomness.
        resamples: bootstrap replicates.
    """
    size, n = len(classes), len(truth)
    answer = probabilities.argmax(axis=1)
    cells = np.zeros((n, size * size))
    cells[np.arange(n), truth * size + answer] = 1
    loss = -np.log(np.maximum(probabilities[np.arange(n), truth], MIN_PROBABILITY))
    above = (probabilities > probabilities[np.arange(n), truth][:, None]).sum(axis=1)
    confusion = cluster_sums(cells, clusters)
    means = cluster_sums(np.column_stack([answer == truth, loss, above < 2, np.ones(n)]), clusters)

    def mean(column: int) -> Estimate:
        return bootstrap_sums(means, lambda sums: sums[..., column] / sums[..., 3], rng=rng, resamples=resamples)

    return LabelScores(
        n=n,
        clusters=len(confusion.keys),
        unit=unit,
        accuracy=mean(0),
        macro_f1=bootstrap_sums(confusion, lambda sums: macro_f1(_table(sums, size)), rng=rng, resamples=resamples),
        kappa=bootstrap_sums(confusion, lambda sums: _kappa(_table(sums, size)), rng=rng, resamples=resamples),
        log_loss=mean(1),
        top2=mean(2),
        calibration_error=Estimate(
            value=calibration_error(probabilities.max(axis=1), answer == truth),
            n=n,
            clusters=len(confusion.keys),
            why=Reason.of(ReasonCode.CALIBRATION_ERROR_HAS_NO_INTERVAL),
        ),
        classes=_classes(_table(confusion.total, size), classes),
    )


def macro_f1(tables: Floats) -> Floats:
    """Macro-F1 of tables of shape (..., truth, answer), over classes that occur in either; shape (...).

    >>> float(macro_f1(np.array([[2.0, 1.0, 0], [0, 3.0, 0], [0, 0, 0]])))    # (4/5 + 6/7) / 2
    0.8285714285714285
    """
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    either = tables.sum(axis=-1) + tables.sum(axis=-2)
    scores = np.where(either > 0, 2 * right / np.where(either > 0, either, 1), 0)
    return np.asarray(scores.sum(axis=-1) / (either > 0).sum(axis=-1))


def _kappa(tables: Floats) -> Floats:
    matches = np.diagonal(tables, axis1=-2, axis2=-1).sum(axis=-1)
    return kappa_of_counts(matches, tables.sum(axis=-1), tables.sum(axis=-2))


def calibration_error(confidence: Floats, right: Sequence[bool] | np.ndarray) -> float:
    """Expected calibration error of confidences of shape (n,), in 15 bins; Guo et al. (2017), eq. 3.

    >>> round(calibration_error(np.array([0.9, 0.9, 0.5]), [True, False, True]), 4)   # (2 |.9 - .5| + |.5 - 1|) / 3
    0.4333
    """
    which = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(which, weights=confidence - np.asarray(right, dtype=np.float64), minlength=BINS)
    return float(np.abs(gaps).sum() / len(confidence))


def _table(sums: Floats, size: int) -> Floats:
    return np.asarray(sums.reshape((*sums.shape[:-1], size, size)))


def _classes(table: Floats, classes: Sequence[str]) -> tuple[ClassScore, ...]:
    found = []
    for column, label in enumerate(classes):
        row, answered = table[column], table[:, column].sum()
        others = sorted(
            (Confusion(strategy=classes[other], n=int(row[other])) for other in range(len(classes)) if other != column),
            key=lambda confusion: -confusion.n,
        )
        found.append(
            ClassScore(
                strategy=label,
                n=int(row.sum()),
                recall=float(row[column] / row.sum()) if row.sum() else None,
                precision=float(row[column] / answered) if answered else None,
                confusions=tuple(confusion for confusion in others[:3] if confusion.n),
            )
        )
    return tuple(found)
