"""Estimated satisfaction, learned from people's own answers, without a language model.

The weights come from CRSArena-Dial and are numbers only. They are stored with fingerprints of the training dialogues: a
dialogue that is recognised is scored with weights fitted without its system and without the people who met it, whatever the
system's current name, and has no value if there are no such weights. No value comes from weights fitted on the same
dialogue.
"""

import importlib.resources
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.languages import ENGLISH
from trialogue.metrics.base import Undefined
from trialogue.metrics.satisfaction.features import FEATURES, features_of
from trialogue.metrics.satisfaction.fit import SatisfactionModel, Weights
from trialogue.metrics.satisfaction.learned import ONE_SIDED, LearnedMetric, model_hash, read_model
from trialogue.records import Card, Dialogue, FailurePolicy, TextUse, Variant

CARD = Card(
    name="satisfaction",
    title="Estimated satisfaction",
    summary="Estimated probability that the user is satisfied with a dialogue, from the variety, length and "
    "repetition of the replies and the user's reactions. No language model, no catalogue, no "
    "download.",
    unit="estimated share of satisfied users",
    low=0,
    high=1,
    better="higher",
    level="dialogue",
    is_fitted_to_people=True,
    text=TextUse(unit="word", languages=("en",), speakers=("system", "user")),
    failed=FailurePolicy.WORST,
    variants={
        "linear": Variant(
            summary=f"Logistic regression on {len(FEATURES)} text features, each weight restricted to the sign "
            "declared before fitting.",
            source="Trialogue; weights fitted on CRSArena-Dial (Bernard et al., WSDM 2025, revision dd7f4e7). Each "
            "of the nine systems of that corpus is scored with weights fitted without that system and its users.",
        )
    },
    default="linear",
    parameters={
        "model": "file with an estimator of your own; the full name contains its hash (default: the bundled one)"
    },
    caveats=(
        "The estimator was trained on nine systems from 2019 to 2023 that discuss films in English, in short "
        "dialogues. It is a default metric only for such dialogues; on others, it agrees only weakly with people.",
        (
            "On CRSArena-Dial, for held-out systems and people: AUC .847 pooled and .765 within systems; the "
            "best baseline, distinct bigrams per reply, has .778 and .682. The features and the penalty were "
            "chosen on this corpus, so these numbers are optimistic."
        ),
        (
            "On unseen corpora: Spearman's correlation with satisfaction .11 [.03, .20] on CCPE, .13 [.07, "
            ".19] on SGD, .12 [.04, .19] on RecLLMSim (.06 [-.01, .15] within systems there)."
        ),
        (
            "FACE (hundreds of LLM calls per turn) has AUC .880 pooled and .830 within systems on 467 conversations "
            "of CRSArena-Dial, as published. On the 150 conversations published with FACE's scores, neither is "
            "significantly better (.881 against .823, difference .059 [-.000, .127]); on the 317 others, an "
            "evaluation outside this project found the estimator below FACE (.830 against .907, difference -.076 "
            "[-.131, -.026])."
        ),
        "On other data, only differences are meaningful: .30 does not mean 30% of users.",
        (
            "The estimator rewards lists and variety. A system that is optimised for it will produce them, so never use "
            "it as a training objective."
        ),
    ),
    citation="",
    family="dialogue",
)

BUNDLED = "satisfaction.json"
WORDS_OF_ENGLISH = (
    "Its words of pleasure, displeasure, yes and no are English: in other languages these features say nothing. In Chinese, "
    "a word is what stands between marks or spaces; trained on 964 Chinese dialogues of 61 people, it correlates .16 with "
    "the satisfaction of other people there."
)


class Satisfaction(LearnedMetric[Weights]):
    """Estimated share of satisfied users: mean of the estimated probabilities."""

    card = CARD
    model: SatisfactionModel

    def __init__(self, *, variant: str | None = None, model: str | SatisfactionModel | None = None) -> None:
        """Use the bundled estimator, or a custom one (``train``): the object, or its file."""
        self.model = read_satisfaction(model) if isinstance(model, str) else model or load_bundled_weights()
        own = self.model != load_bundled_weights()
        self.declare(variant, **({"model": model_hash(self.model)} if own else {}))
        if own:
            languages = self.model.languages
            caveats = f"Weights fitted on {self.model.origin}.", *(() if languages == ENGLISH else (WORDS_OF_ENGLISH,))
            text = TextUse(unit="word", languages=languages, speakers=("system", "user"))
            self.card = CARD.model_copy(update={"caveats": caveats, "text": text})

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(probability of satisfaction, 1)."""
        if {utterance.speaker for utterance in unit.utterances} != {"user", "system"}:
            return Undefined(ONE_SIDED)
        weights = self.part_for(unit)
        return weights if isinstance(weights, Undefined) else (self.probability(unit, weights), 1.0)

    def probability(self, dialogue: Dialogue, weights: Weights) -> float:
        """Estimated probability that the user is satisfied, by given weights."""
        # One intercept for all: that of the weights in use would tell how satisfied the *other* systems' users are.
        points = weights.points(np.array([features_of(dialogue)]))[0] + self.model.everything.intercept
        return float(1 / (1 + np.exp(-points)))


@cache
def load_bundled_weights() -> SatisfactionModel:
    """Load the bundled weights."""
    resource = importlib.resources.files("trialogue.metrics") / "bundled" / BUNDLED
    return SatisfactionModel.model_validate_json(resource.read_text("utf-8"))


def read_satisfaction(path: Path | str) -> SatisfactionModel:
    """Read an estimator written by ``write_model``.

    Raises:
        DataError: it is none, or was fitted on other features than this version has.
    """
    model = read_model(path, SatisfactionModel, hint="This is not a satisfaction estimator.")
    if model.features != tuple(FEATURES):
        raise DataError(
            Problem(
                "this model was fitted by another version of Trialogue, with other features. Train it again.",
                file=str(path),
            )
        )
    return model
