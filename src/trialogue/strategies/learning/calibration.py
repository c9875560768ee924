"""Probability calibration: temperature scaling, the probability of a shared strategy, and a confidence threshold.

All of it is fitted on out-of-fold predictions, never on predictions of the training data.

Covariance of the calibration of matches, over resampled labelled dialogues.

By the infinitesimal jackknife over dialogues: the derivatives of slope and intercept by each dialogue's weight, squared and
summed. A pair belongs to the dialogues of both its ends, so those that share one are not independent. It takes
the time of one fit, and is tested against calibrations of bootstrapped dialogues.
"""

import hashlib
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from trialogue.errors import UsageError
from trialogue.records import NO_STRATEGY, Record
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.corpus_profile import CorpusProfile, profile_of
from trialogue.strategies.learning.dyads import Pairs, draw_matching, draw_pairs
from trialogue.strategies.learning.folds import places_of

MIN_GROUPS = 10
"""Dialogues below which their spread says next to nothing of what others would have given."""


def matching_error(
    scores: Floats, pairs: Pairs, fitted: tuple[float, float], columns: Ints, groups: Sequence[Hashable]
) -> tuple[float, float, float] | None:
    """Variance of the slope, covariance, and variance of the intercept of a logistic regression on ``draw_matching``.

    Efron (1982), "The Jackknife, the Bootstrap and Other Resampling Plans", sec. 6.2 (infinitesimal jackknife), with the
    estimating equations of the regression; times g / (g - 1) for g groups.

    How pairs are drawn moves along: the left end of a match stands for a share of all rows, the right one for a share of
    those with its label, and the ratio of the two kinds of pairs is fixed. So a dialogue that counts more takes from others.

    Args:
        scores: log odds of each pair, shape (n,).
        pairs: drawn by ``draw_matching``, their ends being rows.
        fitted: (slope, intercept) of ``platt`` on them.
        columns: label of each row as a number from 0, shape (rows,).
        groups: dialogue of each row.

    Returns:
        None with fewer than 10 groups, or where the regression is not determined.
    """
    of_row = places_of(groups)
    size = int(of_row.max()) + 1
    if size < MIN_GROUPS:
        return None
    design = np.column_stack([scores, np.ones(len(scores))])
    chances = 1 / (1 + np.exp(-np.clip(design @ np.array(fitted), -30, 30)))
    curvature = (design * (chances * (1 - chances))[:, None]).T @ design
    if np.linalg.cond(curvature) > 1e10:
        return None
    moved = _influence_of(design * (pairs.same - chances)[:, None], pairs, columns, of_row, size)
    influence = np.linalg.solve(curvature, moved.T)
    covariance = influence @ influence.T * size / (size - 1)
    return float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])


def _influence_of(pull: Floats, pairs: Pairs, columns: Ints, of_row: Ints, size: int) -> Floats:
    """Derivatives of the estimating equations by the weight of each group, shape (size, 2), from each pair's (n, 2)."""
    left, right, same = of_row[pairs.left], of_row[pairs.right], pairs.same
    moved = np.zeros((size, 2))
    np.add.at(moved, left, pull)
    np.add.at(moved, right, pull)
    by_label = np.zeros((int(columns.max()) + 1, 2))
    np.add.at(by_label, columns[pairs.left[same]], pull[same])
    rows = np.zeros((size, len(by_label)))
    np.add.at(rows, (of_row, columns), 1)
    moved -= rows / np.maximum(rows.sum(axis=0), 1) @ by_label
    moved -= _shares(left[same], size)[:, None] * pull[same].sum(axis=0)
    ends = _shares(left[~same], size) + _shares(right[~same], size)
    return np.asarray(moved - ends[:, None] * pull[~same].sum(axis=0))


def _shares(places: Ints, size: int) -> Floats:
    return np.asarray(np.bincount(places, minlength=size) / len(places))


CLIP = 1e-6
"""Probabilities are kept this far from 0 and 1 before a logit. Code that applies ``same`` must clip likewise."""

PAIRS = 20_000  # of each kind, from which ``same`` is fitted: enough that drawing others changes the third decimal
OTHERS = (
    4  # for each match, in fitting ``matching``: real systems match in .1 to .35 of cases, so it must be best there
)
SIGNED_DIGITS = 6  # of each number: what two machines compute differently is no other calibration
KEPT = 0.95  # share of people's sentences with a strategy that are to be sure enough
TEMPERATURES = (0.05, 20.0)
STEPS = 100  # of Newton's method for two parameters, which takes about eight


class Calibration(Record):
    """Calibration fitted on out-of-fold probabilities."""

    temperature: float = Field(gt=0)
    """Probabilities are raised to 1 / temperature: over 1 the raw model was too sure, under 1 not sure enough."""
    same: tuple[float, float]
    """(slope, intercept): logit(sum of p_k q_k) to the log odds that two sentences share a strategy, half of all pairs
    doing so."""
    matching: tuple[float, float] | None = None
    """The same where a match is as likely whatever the strategy of one of the two is, as for replies set beside
    references: what the share of matches is estimated with. Fitted where one of five matches, and then moved to one of two
    by Bayes' rule. None: a model made before this was fitted."""
    matching_error: tuple[float, float, float] | None = None
    """(variance of the slope, covariance, variance of the intercept) of ``matching``, over other dialogues that might have
    been labelled: what the calibration adds to the error of an estimate. None: not fitted by dialogues, by fewer than ten,
    or a model made before this was."""
    unsure_below: float = Field(ge=0, le=1)
    """A sentence whose likeliest class has less than this fits none; 95% of people's sentences with a strategy have more
    on one of the strategies."""
    kept: float
    """Share of people's unseen sentences with a strategy that fit one: it is the likeliest class and sure enough."""
    rejected: float | None
    """Share of people's unseen ``no_strategy`` sentences that fit none; None: there are none."""
    n: int
    """Sentences it was fitted on."""
    profile: CorpusProfile | None = None
    """Words and strategies of these sentences, by which texts from elsewhere are recognised; None: not recorded, as by
    earlier versions."""

    @property
    def signature(self) -> str:
        """Six hexadecimal digits of what is done to probabilities, for the origins of labels."""
        error = self.matching_error or ()
        numbers = (self.temperature, *self.same, *(self.matching or ()), *error, self.unsure_below)
        text = " ".join(f"{number:.{SIGNED_DIGITS}g}" for number in numbers)
        return hashlib.sha256(text.encode()).hexdigest()[:6]


def fit_calibration(
    probabilities: Floats,
    labels: Sequence[str],
    classes: Sequence[str],
    *,
    rng: np.random.Generator,
    groups: Sequence[Hashable] | None = None,
    texts: Sequence[str] | None = None,
) -> Calibration:
    """Fit the calibration on out-of-fold probabilities.

    Args:
        probabilities: probabilities of the raw model for sentences it was not trained on, shape (n, n_classes).
        labels: their strategies.
        classes: the order of the columns.
        rng: source of randomness of the pairs for ``same``.
        groups: dialogue of each sentence; None: unknown, and so is ``matching_error``.
        texts: the sentences; None: the corpus has no profile, and texts from elsewhere are not recognised.
    """
    columns = codes(labels, classes)
    temperature = temperature_of(probabilities, columns)
    clear = sharpen(probabilities, temperature)
    pairs = draw_pairs(columns, PAIRS, rng=rng)
    same = platt(logit(shared_mass(clear[pairs.left], clear[pairs.right])), pairs.same)
    beside = draw_matching(columns, PAIRS, PAIRS * OTHERS, rng=rng)
    scores = logit(shared_mass(clear[beside.left], clear[beside.right]))
    slope, intercept = platt(scores, beside.same)
    human = np.array([label != NO_STRATEGY for label in labels])
    limit = _unsure_below(clear[human], classes) if human.any() else 0.0
    fit = fits(clear, classes, limit)
    profile = None
    if texts is not None:
        chances = 1 / (1 + np.exp(-(slope * scores + intercept + np.log(OTHERS))))
        doubt = float(np.mean([(chances * (1 - chances))[beside.same == match].mean() for match in (True, False)]))
        own = range(len(labels)) if groups is None else groups
        profile = profile_of(texts, clear, classes, own, doubt=doubt, rng=rng)
    return Calibration(
        temperature=temperature,
        same=same,
        matching=(slope, intercept + float(np.log(OTHERS))),
        matching_error=None if groups is None else matching_error(scores, beside, (slope, intercept), columns, groups),
        unsure_below=limit,
        kept=float(fit[human].mean()) if human.any() else 0.0,
        rejected=None if human.all() else float(1 - fit[~human].mean()),
        n=len(labels),
        profile=profile,
    )


def codes(labels: Sequence[str], classes: Sequence[str]) -> Ints:
    """Column of each label, shape (n,); UsageError for a label that is not a class."""
    columns = {label: column for column, label in enumerate(classes)}
    if strange := sorted(set(labels).difference(columns)):
        raise UsageError(f"labels {', '.join(strange)} are not among the classes: {', '.join(classes)}.")
    return np.array([columns[label] for label in labels], dtype=np.int64)


def sharpen(probabilities: Floats, temperature: float) -> Floats:
    """Temperature-scale probabilities: raise to 1 / temperature and renormalise.

    >>> sharpen(np.array([[0.8, 0.2]]), 0.5).round(4).tolist()     # .64 and .04 of .68
    [[0.9412, 0.0588]]
    """
    powers = np.log(np.clip(probabilities, 1e-300, None)) / temperature
    powers = np.exp(powers - powers.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def temperature_of(probabilities: Floats, columns: Ints) -> float:
    """Maximum-likelihood temperature, between .05 and 20.

    Guo et al. (2017), "On Calibration of Modern Neural Networks", sec. 4.2.
    """
    from scipy.optimize import minimize_scalar

    rows = np.arange(len(columns))

    def loss(log_temperature: float) -> float:
        chosen = sharpen(probabilities, float(np.exp(log_temperature)))[rows, columns]
        return float(-np.log(np.clip(chosen, 1e-12, None)).mean())

    low, high = np.log(TEMPERATURES)
    return float(np.exp(minimize_scalar(loss, bounds=(low, high), method="bounded").x))


def shared_mass(left: Floats, right: Floats) -> Floats:
    """Sum of p_k q_k: probability of a shared strategy for independent beliefs; shape (n,)."""
    return np.asarray(np.einsum("ij,ij->i", left, right), dtype=np.float64)


def logit(probabilities: Floats) -> Floats:
    """Log odds of probabilities clipped by CLIP from 0 and 1."""
    kept = np.clip(probabilities, CLIP, 1 - CLIP)
    odds: Floats = np.log(kept / (1 - kept))
    return odds


def same_probability(left: Floats, right: Floats, same: tuple[float, float]) -> Floats:
    """Calibrated probability that two sentences share a strategy, at a prior of one half, shape (n,).

    >>> same_probability(np.array([[0.9, 0.1]]), np.array([[0.5, 0.5]]), (1.0, 0.0)).round(3).tolist()
    [0.5]
    """
    slope, intercept = same
    chances: Floats = 1 / (1 + np.exp(-(slope * logit(shared_mass(left, right)) + intercept)))
    return chances


def platt(scores: Floats, truth: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """(slope, intercept) of a logistic regression on scores (Platt scaling), by Newton's method.

    Where the scores separate the truth perfectly there is no finite answer; steps then end at a slope that is steep
    enough. Platt (1999), without his shift of the targets, which matters for tens of cases and not for thousands.

    Raises:
        UsageError: the truth is the same for all.
    """
    if not 0 < truth.mean() < 1:
        raise UsageError("fitting the probability that two sentences share a strategy requires both kinds of pairs.")
    design = np.column_stack([scores, np.ones(len(scores))])
    beta = np.zeros(2)
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        weights = np.maximum(chances * (1 - chances), 1e-10)
        step = np.linalg.solve(design.T @ (design * weights[:, None]) + 1e-9 * np.eye(2), design.T @ (truth - chances))
        beta += np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-9 or np.abs(beta).max() > 100:
            break
    return float(beta[0]), float(beta[1])


def fits(probabilities: Floats, classes: Sequence[str], limit: float) -> npt.NDArray[np.bool_]:
    """Whether the likeliest class is a strategy other than ``no_strategy`` with probability at least ``limit``; shape (n,).

    >>> fits(np.array([[0.6, 0.4], [0.4, 0.6], [0.55, 0.45]]), ["similarity", "no_strategy"], 0.6).tolist()
    [True, False, False]
    """
    is_strategy = np.array([label != NO_STRATEGY for label in classes])
    return np.asarray(is_strategy[probabilities.argmax(axis=1)] & (probabilities.max(axis=1) >= limit))


def _unsure_below(probabilities: Floats, classes: Sequence[str]) -> float:
    strategies = [column for column, label in enumerate(classes) if label != NO_STRATEGY]
    return float(np.quantile(probabilities[:, strategies].max(axis=1), 1 - KEPT)) if strategies else 0.0
