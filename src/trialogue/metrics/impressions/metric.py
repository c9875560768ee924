"""Predicted impressions of dialogues and of replies, by a judge that its user trained (``trialogue judge train``).

No model is bundled: the labels it was measured on carry no clear licence (a badge, without a licence text). A dialogue of
the training data is scored by stages fitted without its system and the people who met it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.metrics.base import Reply, Undefined
from trialogue.metrics.impressions.features import WITH_REACTION, dialogue_rows, reply_features
from trialogue.metrics.impressions.fit import ImpressionModel, Stages, satisfaction_points
from trialogue.metrics.satisfaction.learned import ONE_SIDED, LearnedMetric, model_hash, read_model
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, TextUse, Variant

EMPTY = Reason.of(ReasonCode.REPLY_EMPTY)
TRAIN = "Train one: trialogue judge train CORPUS --out FILE (no model is bundled, for licensing reasons)."
PARAMETERS = {
    "model": "file written by 'trialogue judge train' (required: no model is bundled)",
    "aspect": "the question of the training labels to predict",
}
LIMITS = (
    "Trained and evaluated on CRSArena-Eval's public sample (150 dialogues, nine systems; scored system and its "
    "users held out), its Spearman correlation with overall impression is .44 [.26, .56] within systems and .52 "
    "[.37, .63] pooled (length: .02 and .28). Features were chosen on this sample, so these numbers are optimistic. "
    "For the aspects efficiency and explanation, it is no better than the length of replies.",
    "The judge knows nothing about films: a wrong year, genre or plot looks as good as a right one.",
    "The judge rewards lists, titles, variety and echoing the user (an echo scores .68 of 4, above the worst real "
    "systems). A system that is optimised for it will produce them, so never use it as a training objective.",
    "The mean prediction is that of the training labels. Correct it with labels of your own: trialogue judge.",
)

CARD = Card(
    name="impression",
    title="Predicted impression",
    summary="Predicted human answer to a question about a dialogue, such as its overall quality, from a judge "
    "trained on human answers. No language model is used.",
    unit="predicted answer, on the scale of the training labels",
    better="higher",
    level="dialogue",
    is_fitted_to_people=True,
    text=TextUse(unit="word", languages=("en",), speakers=("system", "user")),
    failed=FailurePolicy.WORST,
    variants={
        "kernel": Variant(
            summary="Kernel ridge regression on features of each reply and the reaction to it, then a linear model "
            "on the mean over replies and the estimated satisfaction.",
            source="Trialogue.",
        )
    },
    default="kernel",
    parameters=PARAMETERS,
    caveats=LIMITS,
    family="dialogue",
)
REPLY_CARD = CARD.model_copy(
    update={
        "name": "reply_impression",
        "title": "Predicted impression of a reply",
        "summary": "Predicted human answer to a question about a reply in its context, such as its relevance, from "
        "a judge trained on human answers. No language model is used.",
        "level": "response",
        "variants": {
            "kernel": Variant(
                summary="Kernel ridge regression on features of the reply and its context.",
                source="Trialogue.",
            )
        },
    }
)


class _Learned(LearnedMetric[Stages]):
    """What both metrics share: the model, the question and the training data."""

    model: ImpressionModel

    def __init__(self, variant: str | None, model: str | ImpressionModel | None, aspect: str, known: str) -> None:
        if model is None:
            raise UsageError(f"{self.card.name} needs a model, as in {self.card.name}(model=judge.json). {TRAIN}")
        self.model = read_impressions(model) if isinstance(model, str) else model
        stages = self.model.everything
        names = set(stages.dialogues) if known == "dialogues" else set(stages.with_reaction.intercepts)
        if aspect not in names:
            raise UsageError(
                f"this judge does not predict the aspect {aspect!r} of {known}. It predicts: "
                f"{', '.join(sorted(names))}."
            )
        self.aspect = aspect
        low, high = self.model.questions[aspect]
        self.declare(variant, model=model_hash(self.model), aspect=aspect)
        caveats = (f"Trained on {self.model.origin}.", *self.card.caveats)
        self.card = self.card.model_copy(update={"low": low, "high": high, "caveats": caveats})
        self.training = np.array(self.model.known)

    def clip_to_scale(self, value: float) -> float:
        """The value, within the range of the training labels."""
        low, high = self.model.questions[self.aspect]
        return min(max(value, low), high)


class Impression(_Learned):
    """Mean predicted answer about dialogues."""

    card = CARD

    def __init__(
        self,
        *,
        variant: str | None = None,
        model: str | ImpressionModel | None = None,
        aspect: str = "dialogue_overall",
    ) -> None:
        """Use a trained judge, as an object or a file, for one of its questions about dialogues."""
        super().__init__(variant, model, aspect, "dialogues")

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(predicted answer, 1)."""
        speaking = {utterance.speaker for utterance in unit.utterances if utterance.text.strip()}
        if speaking != {"user", "system"}:
            return Undefined(ONE_SIDED)
        stages = self.part_for(unit)
        if isinstance(stages, Undefined):
            return stages
        points = satisfaction_points(unit)
        replies = stages.with_reaction.predict(self.training, np.array(dialogue_rows(unit)))
        row = [
            *(float(found.mean()) for found in replies.values()),
            points if np.isfinite(points) else stages.satisfaction,
        ]
        return (self.clip_to_scale(float(stages.dialogues[self.aspect].predict(np.array([row]))[0])), 1.0)


class ReplyImpression(_Learned):
    """Mean predicted answer about replies in their context."""

    card = REPLY_CARD

    def __init__(
        self, *, variant: str | None = None, model: str | ImpressionModel | None = None, aspect: str = "relevance"
    ) -> None:
        """Use a trained judge, as an object or a file, for one of its questions about replies."""
        super().__init__(variant, model, aspect, "replies")

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(predicted answer, 1)."""
        if not unit.text.strip():
            return Undefined(EMPTY)
        stages = self.part_for(Dialogue(id="reply", utterances=(*unit.context, unit.utterance)))
        if isinstance(stages, Undefined):
            return stages
        row = np.array([list(reply_features(unit.context, unit.text).values())])
        return (self.clip_to_scale(float(stages.in_context.predict(self.training, row)[self.aspect][0])), 1.0)


def read_impressions(path: Path | str) -> ImpressionModel:
    """Read a judge written by ``write_model``.

    Raises:
        DataError: it is none, or was fitted on other features than this version has.
    """
    hint = f"This is not a file written by 'trialogue judge train'. {TRAIN}"
    model = read_model(path, ImpressionModel, hint=hint)
    if model.features != WITH_REACTION:
        raise DataError(
            Problem(
                "it was fitted by another version of Trialogue, with other features. Train it again.", file=str(path)
            )
        )
    return model
