"""METEOR: alignment of a reply with the human reference by exact, stemmed and synonymous words, with an order penalty."""

from functools import lru_cache
from typing import Any

from trialogue.errors import MissingExtraError
from trialogue.extras import need
from trialogue.metrics.references import NOT_COMPARED, MeanAgainstReference
from trialogue.metrics.text.tokens import REMEMBERED, mteval_words
from trialogue.records import Card, FailurePolicy, TextUse, Variant

CARD = Card(
    name="meteor",
    title="METEOR",
    summary="Weighted F-score of aligned words (recall counts nine times as much), minus a penalty for "
    "scattered alignments.",
    unit="METEOR",
    low=0,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("reference",),
    text=TextUse(unit="word", languages=("en",)),  # stemmer and WordNet are of English
    variants={
        "nltk": Variant(
            summary="METEOR 1.0 (alpha .9, beta 3, gamma .5): words are aligned if they are equal, share a Porter "
            "stem, or are WordNet synonyms; lower case, tokenised by 13a; mean over replies. Needs WordNet.",
            source="nltk.translate.meteor_score.single_meteor_score; Lavie & Agarwal (WMT 2007).",
        ),
        "exact_stem": Variant(
            summary="The same without synonyms, so without WordNet.",
            source="nltk.translate.meteor_score.single_meteor_score with an empty WordNet.",
        ),
    },
    default="nltk",
    caveats=(
        NOT_COMPARED,
        "Of several references, the one with the highest value counts, as in nltk's meteor_score.",
        "NLTK looks up the stems of words in WordNet ('movi' for 'movie'), so many synonyms are missed.",
        "Not METEOR 1.5 (Denkowski & Lavie 2014), whose weights, paraphrase tables and function words differ.",
        "A reply equal to its reference scores a little below 1: the penalty for its one chunk remains.",
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

    card = CARD

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
