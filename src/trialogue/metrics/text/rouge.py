"""ROUGE-L: longest common subsequence of a reply and the human reference."""

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

import numpy as np

from trialogue.extras import need
from trialogue.metrics.base import Array
from trialogue.metrics.batch import Batch
from trialogue.metrics.references import NOT_COMPARED, MeanAgainstReference
from trialogue.metrics.text.multisets import longest_common_subsequences
from trialogue.metrics.text.overlap import f1, longest_common_subsequence
from trialogue.metrics.text.tokens import REMEMBERED, Rule, alphanumeric_words
from trialogue.records import Card, FailurePolicy, TextUse, Variant

CARD = Card(
    name="rouge_l",
    title="ROUGE-L",
    summary="How much of a reply appears in the human recommender's reply in the same order, gaps allowed.",
    unit="ROUGE-L",
    low=0,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("reference",),
    text=TextUse(unit="word", languages=("en",)),  # its words are runs of a-z; its stemmer is of English
    variants={
        "f1": Variant(
            summary="Harmonic mean of precision and recall of the longest common subsequence; words are runs of a-z and 0-9 "
            "in lower case, not stemmed; mean over replies.",
            source="rouge_score, RougeScorer(['rougeL'], use_stemmer=False), fmeasure.",
        ),
        "recall": Variant(
            summary="Length of the longest common subsequence divided by that of the reference; words as in @f1; "
            "mean over replies.",
            source="rouge_score, RougeScorer(['rougeL'], use_stemmer=False), recall; Lin (2004), eq. 2.",
        ),
        "f1_stem": Variant(
            summary="As @f1, with words of more than three letters cut by Porter's stemmer; needs the extra 'text'.",
            source="rouge_score, RougeScorer(['rougeL'], use_stemmer=True), fmeasure.",
        ),
    },
    default="f1",
    caveats=(
        NOT_COMPARED,
        "Of several references, the one with the highest F1 is used (also for @recall), as in rouge_score's "
        "score_multi.",
        "Stemming alone raises ROUGE-L from .136 to .145 on the INSPIRED2 study; @recall rewards long replies.",
        "Its Spearman correlation with human ratings of the 1,860 replies of that study is .24.",
        "Words of other alphabets and accented letters are dropped by its tokeniser: text without a-z or 0-9 scores 0.",
    ),
    citation="Lin (ACL workshop Text Summarization Branches Out 2004), 'ROUGE: A Package for Automatic Evaluation of "
    "Summaries'",
)


class RougeL(MeanAgainstReference):
    """Mean ROUGE-L; a reply or reference without a word scores 0."""

    card = CARD
    of_variants: ClassVar = {"f1_stem": {"extra": "text"}}

    def __init__(self, *, variant: str | None = None) -> None:
        self.declare(variant)
        self._tokenise: Rule = _stemmer() if self.variant == "f1_stem" else alphanumeric_words

    def _f1(self, reply: str, reference: str) -> float:
        first, second = self._tokenise(reply), self._tokenise(reference)
        return f1(longest_common_subsequence(first, second), len(first), len(second))

    def _score(self, reply: str, reference: str) -> float:
        if self.variant != "recall":
            return self._f1(reply, reference)
        first, second = self._tokenise(reply), self._tokenise(reference)
        return longest_common_subsequence(first, second) / len(second) if second else 0.0

    def _best(self, reply: str, references: Sequence[str]) -> float:
        """Score against the reference with the highest F1, as in rouge_score; of equal ones, the first."""
        return self._score(reply, max(references, key=lambda reference: self._f1(reply, reference)))

    def scores_of(self, batch: Batch) -> Array:
        """Batch version; pairs with a very long text are computed separately."""
        first, second = batch.words(self._tokenise), batch.words(self._tokenise, "reference")
        hits, known = longest_common_subsequences(first, second)
        over = second.lengths if self.variant == "recall" else first.lengths + second.lengths
        scores: Array = (1 if self.variant == "recall" else 2) * hits / np.maximum(over, 1)
        for place in np.flatnonzero(~known).tolist():
            scores[place] = self._score(batch.texts()[place], batch.texts("reference")[place])
        return scores


def _stemmer() -> Rule:
    """ROUGE's words, stemmed."""
    porter = need("nltk.stem.porter", extra="text", purpose="stem words for rouge_l@f1_stem")
    stem = lru_cache(REMEMBERED)(porter.PorterStemmer().stem)

    @Rule
    def stems(text: str) -> Sequence[str]:
        return [stem(word) if len(word) > 3 else word for word in alphanumeric_words.cut(text)]

    return stems
