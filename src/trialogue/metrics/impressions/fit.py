"""Fit judges of impressions to people's labels of replies and dialogues.

Two stages. A kernel ridge regression (Gaussian kernel on standardised features) learns each question about replies. A linear
ridge regression learns each question about dialogues, from the mean predictions of the replies and the points of the
satisfaction estimator. The second stage is fitted to out-of-fold predictions of the first, and the penalty of the first is
chosen by leaving out one system at a time: both within whatever dialogues are being fitted, so that a fit without a system
has seen nothing of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import DataError, Problem
from trialogue.fingerprints import TrainingDialogues, training_dialogues
from trialogue.metrics.base import Array, Undefined
from trialogue.metrics.impressions.features import IN_CONTEXT, WITH_REACTION, dialogue_rows
from trialogue.metrics.satisfaction.features import features_of
from trialogue.metrics.satisfaction.fit import Domain, domain_of, unseen_mask
from trialogue.metrics.satisfaction.metric import Satisfaction
from trialogue.records import Dialogue, Record, Score

Mask = NDArray[np.bool_]

PENALTIES = (1.0, 4.0)
"""Of the first stage, of which inner cross-validation chooses."""
WIDTH = 0.5
"""Of the kernel, exp(-WIDTH * mean squared difference of standardised features)."""
SECOND_PENALTY = 0.3
"""Of the second stage; with three inputs its choice hardly matters."""
FURTHEST = 4.0
"""Standard deviations at which a feature is cut off: beyond, there were no training data."""
SAME = 1e-9
"""Standard deviation below which a feature does not vary."""
MIN_REPLIES = 50
"""Labelled replies that a first stage needs."""
MIN_SYSTEMS = 3
"""Systems of the training data: cross-validation leaves out one, and one more inside."""


class ReplyFit(Record):
    """First stage: predicted answers about replies, from their features."""

    means: tuple[float, ...]
    """Mean of each feature over the replies that it was fitted on."""
    scales: tuple[float, ...]
    """Standard deviation of each feature there; 1 where it does not vary."""
    intercepts: dict[str, float]
    """Mean answer, by question."""
    coefficients: dict[str, tuple[float, ...]]
    """By question: the weight of each training reply; 0 for those that it was not fitted on."""

    def predict(self, known: Array, rows: Array) -> dict[str, Array]:
        """Predicted answers by question, each of shape (m,), for ``rows`` (m, k), with training replies ``known`` (n, k)."""
        kernel = kernel_of(_standard(rows, self.means, self.scales), _standard(known, self.means, self.scales))
        return {name: kernel @ np.array(values) + self.intercepts[name] for name, values in self.coefficients.items()}


class DialogueFit(Record):
    """Second stage: a predicted answer about a dialogue."""

    means: tuple[float, ...]
    """Mean of each input."""
    scales: tuple[float, ...]
    """Standard deviation of each input; 1 where it does not vary."""
    weights: tuple[float, ...]
    """Change of the answer per standard deviation of each input."""
    intercept: float
    """Mean answer, predicted where every input is at its mean."""

    def predict(self, rows: Array) -> Array:
        """Predicted answers of shape (m,) for inputs of shape (m, q)."""
        predicted: Array = _standard(rows, self.means, self.scales) @ np.array(self.weights) + self.intercept
        return predicted


class Stages(Record):
    """Everything fitted on one set of dialogues."""

    penalty: float
    """Penalty of the first stage, chosen by inner cross-validation."""
    in_context: ReplyFit
    """For replies whose reaction is unknown."""
    with_reaction: ReplyFit
    """For replies in a dialogue."""
    dialogues: dict[str, DialogueFit]
    """Second stage, by question."""
    satisfaction: float
    """Mean points of the satisfaction estimator, for dialogues for which it has none."""


@dataclass(frozen=True)
class Labels:
    """Labelled dialogues, with features."""

    dialogues: tuple[Dialogue, ...]
    """With a reply each, at least."""
    rows: Array
    """Features of all replies, shape (n, k)."""
    owner: Array
    """Place of each reply's dialogue, shape (n,)."""
    replies: Mapping[str, Array]
    """Answers about replies by question, shape (n,); NaN where there is none."""
    wholes: Mapping[str, Array]
    """Answers about dialogues by question, shape (number of dialogues,); NaN where there is none."""
    points: Array
    """Points of the satisfaction estimator, by dialogue; NaN where it has none."""


def labels_of(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> Labels:
    """Join dialogues with people's answers; several answers to a question are averaged.

    Raises:
        DataError: too few labelled replies, labelled dialogues or systems; every shortage at once.
    """
    answers: dict[tuple[str, int | None, str], list[float]] = {}
    for score in scores:
        if score.rater is not None and score.value is not None and score.dialogue_id is not None:
            answers.setdefault((score.dialogue_id, score.utterance, str(score.measure)), []).append(score.value)
    kept = tuple(each for each in dialogues if any(one.speaker == "system" for one in each.utterances))
    places = [
        (number, place)
        for number, each in enumerate(kept)
        for place, one in enumerate(each.utterances)
        if one.speaker == "system"
    ]
    ids = {each.id for each in kept}
    questions = {
        kind: sorted({name for owner, place, name in answers if owner in ids and (place is None) == (kind == "whole")})
        for kind in ("whole", "reply")
    }

    def mean(dialogue: str, place: int | None, name: str) -> float:
        found = answers.get((dialogue, place, name))
        return float(np.mean(found)) if found else float("nan")

    labels = Labels(
        dialogues=kept,
        rows=np.array([row for each in kept for row in dialogue_rows(each)]).reshape(-1, len(WITH_REACTION)),
        owner=np.array([number for number, _ in places], dtype=float),
        replies={name: np.array([mean(kept[n].id, at, name) for n, at in places]) for name in questions["reply"]},
        wholes={name: np.array([mean(each.id, None, name) for each in kept]) for name in questions["whole"]},
        points=np.array([satisfaction_points(each) for each in kept]),
    )
    _check(labels)
    return labels


def satisfaction_points(dialogue: Dialogue) -> float:
    """Log odds of satisfaction, from weights fitted without the dialogue's system; NaN if there are none."""
    weights = Satisfaction().part_for(dialogue)
    return (
        float("nan") if isinstance(weights, Undefined) else float(weights.points(np.array([features_of(dialogue)]))[0])
    )


def fit_stages(labels: Labels, kept: Mask) -> Stages:
    """Fit both stages on the dialogues of a mask of shape (number of dialogues,)."""
    systems = np.array([each.system or "" for each in labels.dialogues])
    members = kept[labels.owner.astype(int)]
    folds = [systems == name for name in sorted(set(systems[kept].tolist()))]
    tried = {penalty: _left_out(labels, kept, folds, penalty) for penalty in PENALTIES}
    errors = {
        penalty: sum(
            float(np.nanmean((found[name][members] - answers[members]) ** 2))
            for name, answers in labels.replies.items()
        )
        for penalty, found in tried.items()
    }
    penalty = min(errors, key=lambda each: (errors[each], each))
    level = float(np.nanmean(np.append(labels.points[kept], np.nan if np.isfinite(labels.points[kept]).any() else 0.0)))
    inputs = second_inputs(labels, tried[penalty], level)
    return Stages(
        penalty=penalty,
        in_context=_fit_replies(labels, members, penalty, len(IN_CONTEXT)),
        with_reaction=_fit_replies(labels, members, penalty, len(WITH_REACTION)),
        dialogues={
            name: _fit_linear(inputs[known], answers[known])
            for name, answers in labels.wholes.items()
            if (known := kept & np.isfinite(answers)).any()
        },
        satisfaction=round(level, 6),
    )


def second_inputs(labels: Labels, replies: Mapping[str, Array], level: float) -> Array:
    """Inputs of the second stage, by dialogue: mean predictions of its replies, and points of satisfaction."""
    owner = labels.owner.astype(int)
    counts = np.bincount(owner, minlength=len(labels.dialogues))
    means = [np.bincount(owner, found, minlength=len(labels.dialogues)) / counts for found in replies.values()]
    return np.column_stack([*means, np.where(np.isfinite(labels.points), labels.points, level)])


class ImpressionModel(Record):
    """A judge of impressions: its stages from all training dialogues, and per system without it."""

    format: int = 1
    """Version of this format."""
    origin: str
    """What it was trained on, in words."""
    features: tuple[str, ...]
    """Names of the features; must be those of this version."""
    questions: dict[str, tuple[float, float]]
    """Lowest and highest answer by question; predictions are cut off there."""
    known: tuple[tuple[float, ...], ...]
    """Features of the training replies. Numbers only, but keep the file as private as the dialogues."""
    everything: Stages
    """From all training dialogues."""
    without: dict[str, Stages]
    """By system: from dialogues of other systems with other people."""
    fingerprints: TrainingDialogues
    """Fingerprints of the training dialogues, by system."""
    domain: Domain
    """Domain of the training dialogues."""


def train_impressions(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, origin: str) -> ImpressionModel:
    """Train a judge of impressions on people's answers about replies and about dialogues.

    Args:
        dialogues: what was judged.
        scores: the answers; those of metrics (without a rater) are ignored.
        origin: what the data are, in words, for the card.

    Raises:
        DataError: too few labels or systems.
    """
    labels = labels_of(dialogues, scores)
    everyone = np.ones(len(labels.dialogues), dtype=bool)
    without = {
        system: fit_stages(labels, kept)
        for system in sorted({each.system or "" for each in labels.dialogues})
        if _is_enough(labels, kept := unseen_mask(labels.dialogues, [system]).astype(bool))
    }
    answers = {**labels.replies, **labels.wholes}
    return ImpressionModel(
        origin=origin,
        features=WITH_REACTION,
        questions={name: (float(np.nanmin(found)), float(np.nanmax(found))) for name, found in sorted(answers.items())},
        known=tuple(tuple(round(float(value), 5) for value in row) for row in labels.rows),
        everything=fit_stages(labels, everyone),
        without=without,
        fingerprints=training_dialogues((each.system or "", each) for each in labels.dialogues),
        domain=domain_of(labels.dialogues),
    )


def kernel_of(rows: Array, others: Array) -> Array:
    """Gaussian kernel of standardised rows, shape (m, n)."""
    squares = (rows**2).sum(1)[:, None] + (others**2).sum(1)[None] - 2 * rows @ others.T
    kernel: Array = np.exp(-WIDTH * np.maximum(squares, 0) / rows.shape[1])
    return kernel


def _standard(rows: Array, means: Sequence[float], scales: Sequence[float]) -> Array:
    """Standardised rows, of as many features as there are means."""
    cut: Array = np.clip((rows[:, : len(means)] - np.array(means)) / np.array(scales), -FURTHEST, FURTHEST)
    return cut


def _moments(rows: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    spread = rows.std(axis=0)
    scales = np.where(spread > SAME, spread, 1.0)
    return tuple(round(float(one), 6) for one in rows.mean(axis=0)), tuple(round(float(one), 6) for one in scales)


def _fit_replies(labels: Labels, members: Mask, penalty: float, width: int) -> ReplyFit:
    """Fit the first ``width`` features of the replies of a mask to every question about them."""
    means, scales = _moments(labels.rows[members][:, :width])
    standard = _standard(labels.rows, means, scales)
    intercepts, coefficients = {}, {}
    for name, answers in labels.replies.items():
        known = members & np.isfinite(answers)
        kernel, level = kernel_of(standard[known], standard[known]), float(answers[known].mean())
        weights = np.zeros(len(answers))
        weights[known] = np.linalg.solve(kernel + penalty * np.eye(len(kernel)), answers[known] - level)
        intercepts[name] = round(level, 6)
        coefficients[name] = tuple(round(float(one), 6) for one in weights)
    return ReplyFit(means=means, scales=scales, intercepts=intercepts, coefficients=coefficients)


def _left_out(labels: Labels, kept: Mask, folds: Sequence[Mask], penalty: float) -> dict[str, Array]:
    """Predictions about the replies of kept dialogues, each system's by a fit without it; others by none (0)."""
    owner = labels.owner.astype(int)
    found = {name: np.zeros(len(owner)) for name in labels.replies}
    for fold in folds:
        inside, members = (kept & fold)[owner], (kept & ~fold)[owner]
        fit = _fit_replies(labels, members, penalty, len(WITH_REACTION))
        for name, values in fit.predict(labels.rows, labels.rows[inside]).items():
            found[name][inside] = values
    return found


def _fit_linear(rows: Array, answers: Array) -> DialogueFit:
    means, scales = _moments(rows)
    standard, level = _standard(rows, means, scales), float(answers.mean())
    squares = standard.T @ standard / len(rows) + SECOND_PENALTY * np.eye(rows.shape[1])
    weights = np.linalg.solve(squares, standard.T @ (answers - level) / len(rows))
    return DialogueFit(
        means=means, scales=scales, weights=tuple(round(float(one), 6) for one in weights), intercept=round(level, 6)
    )


def _is_enough(labels: Labels, kept: Mask) -> bool:
    """Whether the dialogues of a mask can be fitted, each system of them left out in turn."""
    systems = np.array([each.system or "" for each in labels.dialogues])
    names = sorted(set(systems[kept].tolist()))
    owner = labels.owner.astype(int)
    counts = [
        int(np.isfinite(answers[(kept & (systems != name))[owner]]).sum())
        for answers in labels.replies.values()
        for name in names
    ]
    return len(names) >= MIN_SYSTEMS - 1 and min(counts, default=0) >= MIN_REPLIES


def _check(labels: Labels) -> None:
    systems = {each.system or "" for each in labels.dialogues}
    problems = []
    if not labels.replies:
        problems.append("no reply has a human label; the first stage learns from labels of replies.")
    if not labels.wholes:
        problems.append("no dialogue has a human label.")
    for name, answers in labels.replies.items():
        if (count := int(np.isfinite(answers).sum())) < MIN_REPLIES:
            problems.append(f"{count} replies have a label for {name!r}; training needs at least {MIN_REPLIES}.")
    if len(systems) < MIN_SYSTEMS:
        problems.append(f"there are dialogues with {len(systems)} systems; training needs at least {MIN_SYSTEMS}.")
    if not problems and not _is_enough(labels, np.ones(len(labels.dialogues), dtype=bool)):
        problems.append(f"when one of the systems is held out, fewer than {MIN_REPLIES} labelled replies are left.")
    if problems:
        raise DataError([Problem(each) for each in problems], hint="Corpora with such labels: CRSArena-Eval.")
