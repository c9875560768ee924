"""Overlap of a reply's words with the human reference: Token F1, ROUGE-L, METEOR and NIST."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from trialogue.errors import MissingExtraError
from trialogue.extras import need
from trialogue.metrics.base import Array
from trialogue.metrics.batch import Batch
from trialogue.metrics.names import whole_number
from trialogue.metrics.references import NOT_COMPARED, MeanAgainstReference, reference_card
from trialogue.metrics.text.overlap import common, f1, longest_common_subsequence
from trialogue.metrics.text.tokens import (
    REMEMBERED,
    Rule,
    alphanumeric_words,
    answer_words,
    lower_words,
    mteval_words,
    words,
)
from trialogue.metrics.text.word_hashes import longest_common_subsequences
from trialogue.records import TextUse, Variant

TOKEN_F1 = reference_card(
    name="token_f1",
    title="Token F1",
    summary="F1 of the words that a reply and the human reply have in common, in any order.",
    unit="F1",
    text=TextUse(unit="word"),
    variants={
        "parlai": Variant(
            summary="In lower case, without punctuation and the articles a, an and the; mean over replies.",
            source="ParlAI, core/metrics.py, _f1_score over normalize_answer; KBRD.",
            text=TextUse(unit="word", languages=("en",)),  # deletes the articles a, an, the
        ),
        "crslab": Variant(
            summary="Words are split at white space; mean over replies that are not empty.",
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

    card = TOKEN_F1

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


ROUGE_L = reference_card(
    name="rouge_l",
    title="ROUGE-L",
    summary="How much of a reply appears in the human recommender's reply in the same order, gaps allowed.",
    unit="ROUGE-L",
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
        "The Spearman correlation of ROUGE-L with human ratings of that study's 1,860 replies is .24.",
        "The tokeniser drops other alphabets and accented letters, so text without a-z or 0-9 scores 0.",
    ),
    citation="Lin (ACL workshop Text Summarization Branches Out 2004), 'ROUGE: A Package for Automatic Evaluation of "
    "Summaries'",
)


class RougeL(MeanAgainstReference):
    """Mean ROUGE-L; a reply or reference without a word scores 0."""

    card = ROUGE_L
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


METEOR = reference_card(
    name="meteor",
    title="METEOR",
    summary="Weighted F-score of aligned words (recall counts nine times as much), minus a penalty for "
    "scattered alignments.",
    unit="METEOR",
    text=TextUse(unit="word", languages=("en",)),  # stemmer and WordNet are of English
    variants={
        "nltk": Variant(
            summary="METEOR 1.0 (alpha .9, beta 3, gamma .5): words are aligned if they are equal, share a Porter "
            "stem, or are WordNet synonyms; lower case, tokenised by 13a; mean over replies. Needs WordNet.",
            source="nltk.translate.meteor_score.single_meteor_score; Lavie & Agarwal (WMT 2007).",
        ),
        "exact_stem": Variant(
            summary="As @nltk, without synonyms; WordNet is not needed.",
            source="nltk.translate.meteor_score.single_meteor_score with an empty WordNet.",
        ),
    },
    default="nltk",
    caveats=(
        NOT_COMPARED,
        "Of several references, the one with the highest value counts, as in nltk's meteor_score.",
        "NLTK looks up the stems of words in WordNet ('movi' for 'movie'), so many synonyms are missed.",
        "This is not METEOR 1.5 (Denkowski & Lavie 2014), whose weights, paraphrase tables and function words differ.",
        "A reply equal to its reference scores a little below 1: the penalty for its single chunk remains.",
    ),
    citation="Lavie & Agarwal (WMT 2007), 'METEOR: An Automatic Metric for MT Evaluation with High Levels of "
    "Correlation with Human Judgments'",
    extra="text",
)


class Meteor(MeanAgainstReference):
    """Mean METEOR; no aligned word, or an empty side, scores 0.

    Raises:
        MissingExtraError: NLTK, or WordNet for @nltk, is not on this machine.
    """

    card = METEOR

    def __init__(self, *, variant: str | None = None) -> None:
        self.declare(variant)
        self._nltk = need("nltk.translate.meteor_score", extra="text", purpose="compute METEOR")
        self._stemmer = _CachingStemmer()
        self._wordnet = wordnet() if self.variant == "nltk" else _NoSynonyms()

    def _score(self, reply: str, reference: str) -> float:
        value: float = self._nltk.single_meteor_score(
            mteval_words(reference), mteval_words(reply), stemmer=self._stemmer, wordnet=self._wordnet
        )
        return value


class _CachingStemmer:
    """Porter's stemmer, each word once."""

    def __init__(self) -> None:
        porter = need("nltk.stem.porter", extra="text", purpose="compute METEOR")
        self.stem = lru_cache(REMEMBERED)(porter.PorterStemmer().stem)


class _NoSynonyms:
    """A WordNet that knows no word."""

    def synsets(self, word: str) -> tuple[Any, ...]:
        return ()


def wordnet() -> Any:
    """Load NLTK's WordNet.

    Raises:
        MissingExtraError: its data are not on this machine.
    """
    reader = need("nltk.corpus", extra="text", purpose="compute METEOR").wordnet
    try:
        reader.ensure_loaded()
    except (LookupError, OSError) as missing:  # not there, or not whole
        raise MissingExtraError(
            "meteor@nltk needs WordNet, which NLTK does not include. Download it once with: python -m "
            "nltk.downloader wordnet. Or use meteor@exact_stem, which needs no synonyms."
        ) from missing
    return reader


NIST = reference_card(
    name="nist",
    title="NIST",
    summary="Share of the reply's n-grams that also occur in the human reply, weighted by rarity and summed over "
    "lengths 1 to n.",
    unit="bits",
    high=None,
    text=TextUse(unit="word"),
    variants={
        "nltk": Variant(
            summary="Words are split at white space; weights come from the reply's own reference; mean over replies.",
            source="NLTK, sentence_nist. A length scores 0 if the reply has no n-gram of it; NLTK stops with an error.",
        ),
        "nltk_lower": Variant(
            summary="As @nltk, in lower case.",
            source="NLTK, sentence_nist on lower-cased text, as mteval does by default.",
        ),
    },
    default="nltk",
    parameters={"n": "longest n-grams (default 5)"},
    caveats=(
        "Only the score of single replies is given. Corpus-level NIST weights n-grams by all references, so a "
        "reply's score would depend on the other replies in the run.",
        "Of several references, the one with the highest value counts; NLTK counts the n-grams of all references "
        "together.",
        "NIST has no upper limit: for single words, a perfect reply scores log2 of its length, so long references "
        "weigh more.",
    ),
    citation="Doddington (HLT 2002), 'Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence "
    "Statistics'; named in Zhang & Balog (KDD 2020), sec. 2.3",
)
PENALTY = math.log(0.5) / math.log(1.5) ** 2  # a reply two thirds as long as the reference keeps half of its score


class Nist(MeanAgainstReference):
    """Mean NIST of replies; an empty reply scores 0."""

    card = NIST

    def __init__(self, *, variant: str | None = None, n: int = 5) -> None:
        self.declare(variant, n=whole_number(n, "n"))
        self._tokenise = lower_words if self.variant == "nltk_lower" else words
        self._n = n

    def _score(self, reply: str, reference: str) -> float:
        return nist(self._tokenise(reply), self._tokenise(reference), self._n)


def nist(reply: Sequence[str], reference: Sequence[str], n: int = 5) -> float:
    """NIST of words against the words of one reference; 0 if either has none.

    >>> nist(["a", "b"], ["a", "b"])        # a and b of 2 words: 1 bit each; "a b" is certain after "a": 0 bits
    1.0
    """
    if not reply or not reference:
        return 0.0
    known = {size: _grams(reference, size) for size in range(1, n + 1)}
    total = 0.0
    for size in range(1, n + 1):
        said = _grams(reply, size)
        shared = said & known[size]
        bits = sum(count * _information(gram, known, len(reference)) for gram, count in shared.items())
        total += bits / said.total() if said else 0.0
    return total * _length_penalty(len(reply), len(reference))


def _grams(units: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(units[start : start + size]) for start in range(len(units) - size + 1))


def _information(gram: tuple[str, ...], known: dict[int, Counter[tuple[str, ...]]], length: int) -> float:
    """Bits: log2 of how often its beginning occurs over how often it does."""
    begun = known[len(gram) - 1][gram[:-1]] if len(gram) > 1 else length
    return math.log2(begun / known[len(gram)][gram])


def _length_penalty(reply: int, reference: int) -> float:
    """1 for a reply as long as the reference or longer."""
    return math.exp(PENALTY * math.log(reply / reference) ** 2) if reply < reference else 1.0
