"""NIST: precision of word n-grams, each weighted by how much information it carries."""

import math
from collections import Counter
from collections.abc import Sequence

from trialogue.metrics.names import whole_number
from trialogue.metrics.references import MeanAgainstReference
from trialogue.metrics.text.tokens import lower_words, words
from trialogue.records import Card, FailurePolicy, TextUse, Variant

CARD = Card(
    name="nist",
    title="NIST",
    summary="Share of the reply's n-grams that the human reply has, rare ones counting most, summed over lengths 1 to n.",
    unit="bits",
    low=0,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("reference",),
    text=TextUse(unit="word"),
    variants={
        "nltk": Variant(
            summary="Words between white space as they are; information from the reply's own reference; mean over replies.",
            source="NLTK, sentence_nist. A length of which the reply has no n-gram scores 0; NLTK stops with an error.",
        ),
        "nltk_lower": Variant(
            summary="As @nltk, in lower case.",
            source="NLTK, sentence_nist on lower-cased text, as mteval does by default.",
        ),
    },
    default="nltk",
    parameters={"n": "longest n-grams (default 5)"},
    caveats=(
        "The corpus-level score takes information from all references of the run, so a reply's score would change with the "
        "others in the run; only the score by reply is given here.",
        "Of several references, the one with the highest value counts; NLTK counts n-grams of all of them together.",
        "It has no upper limit: a perfect reply scores log2 of its length for words alone, so long references weigh more.",
    ),
    citation="Doddington (HLT 2002), 'Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence "
    "Statistics'; named in Zhang & Balog (KDD 2020), sec. 2.3",
)
PENALTY = math.log(0.5) / math.log(1.5) ** 2  # a reply two thirds as long as the reference keeps half of its score


class Nist(MeanAgainstReference):
    """Mean NIST of replies; an empty reply scores 0."""

    card = CARD

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
