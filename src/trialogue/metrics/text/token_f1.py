"""Token F1: unordered word overlap of a reply and the human reference."""

import numpy as np

from trialogue.metrics.base import Array
from trialogue.metrics.batch import Batch
from trialogue.metrics.references import NOT_COMPARED, MeanAgainstReference
from trialogue.metrics.text.overlap import common, f1
from trialogue.metrics.text.tokens import answer_words, words
from trialogue.records import Card, FailurePolicy, TextUse, Variant

CARD = Card(
    name="token_f1",
    title="Token F1",
    summary="Harmonic mean of the shares of words that reply and human reply have in common, in any order.",
    unit="F1",
    low=0,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("reference",),
    text=TextUse(unit="word"),
    variants={
        "parlai": Variant(
            summary="Lower case, punctuation and the articles a, an, the removed; mean over replies.",
            source="ParlAI, core/metrics.py, _f1_score over normalize_answer; KBRD.",
            text=TextUse(unit="word", languages=("en",)),  # deletes the articles a, an, the
        ),
        "crslab": Variant(
            summary="Words between white space as they are; mean over replies that are not empty.",
            source="CRSLab, evaluator/metrics/gen.py, F1Metric.compute.",
        ),
    },
    default="parlai",
    caveats=(
        NOT_COMPARED,
        "Of several references, the one with the highest value counts, as in ParlAI and CRSLab.",
        "Token F1 agrees better with people on the INSPIRED2 study than the other overlap metrics, but not well "
        "(Spearman .27 over 1,860 replies; with three raters per reply, at most about .77 is possible).",
    ),
    citation="Rajpurkar et al. (EMNLP 2016), 'SQuAD', sec. 6.1, for the metric; Dinan et al. (ICLR 2019) for dialogue",
)


class TokenF1(MeanAgainstReference):
    """Mean token F1; no common word scores 0."""

    card = CARD

    def __init__(self, *, variant: str | None = None) -> None:
        self.declare(variant)
        self._tokenise = words if self.variant == "crslab" else answer_words
        self._empty_counts = self.variant != "crslab"

    def _score(self, reply: str, reference: str) -> float:
        first, second = self._tokenise(reply), self._tokenise(reference)
        return f1(common(first, second), len(first), len(second))

    def scores_of(self, batch: Batch) -> Array:
        """Batch version."""
        rule = self._tokenise
        first, second = batch.words(rule).lengths, batch.words(rule, "reference").lengths
        score: Array = 2 * batch.common_words(rule, 1) / np.maximum(first + second, 1)
        return score
