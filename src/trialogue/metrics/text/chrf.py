"""chrF: character n-gram F-score of a reply against the human reference."""

import string
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from trialogue.metrics.base import Array, RatioMetric, Reply, Undefined
from trialogue.metrics.batch import Batch, Rows
from trialogue.metrics.pieces import Ints
from trialogue.metrics.references import (
    NOT_COMPARED,
    lacking_reference,
    lacking_references,
    reference_card,
    with_several,
)
from trialogue.metrics.text.common_characters import common_characters
from trialogue.metrics.text.overlap import matches
from trialogue.metrics.text.tokens import REMEMBERED, Rule
from trialogue.records import TextUse, Variant

CHARACTERS = 6  # longest n-gram of characters
WORDS = 2  # longest n-gram of words in chrF++
BETA = 2.0  # recall counts beta squared times as much as precision
_PUNCTUATION = frozenset(string.punctuation)

CARD = reference_card(
    name="chrf",
    title="chrF",
    summary="F-score of the character n-grams that a system's replies share with the human recommender's.",
    unit="chrF",
    text=TextUse(unit="character"),
    variants={
        "sacrebleu": Variant(
            summary="chrF2: n-grams of 1 to 6 characters without white space, case kept, counts pooled over replies, "
            "recall weighted twice. sacreBLEU's score divided by 100.",
            source="Popović (WMT 2015); sacrebleu.CHRF(), signature nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no.",
        ),
        "plusplus": Variant(
            summary="chrF2++: the same plus word unigrams and bigrams.",
            source="Popović (WMT 2017); sacrebleu.CHRF(word_order=2), nc:6|nw:2.",
            text=TextUse(unit="word"),
        ),
    },
    default="sacrebleu",
    caveats=(
        NOT_COMPARED,
        "Of several references, each reply is compared with the one that gives it the highest chrF, as in sacreBLEU.",
        "The Spearman correlation of chrF with human ratings of the 1,860 replies in the INSPIRED2 study is .23, "
        "similar to BLEU's.",
    ),
    citation="Popović (WMT 2015), 'chrF: character n-gram F-score for automatic MT evaluation'",
)


class ChrF(RatioMetric):
    """chrF of a system, from counts pooled over its replies; an empty reply matches nothing."""

    card = CARD

    def __init__(self, *, variant: str | None = None) -> None:
        self.declare(variant)
        self._words = WORDS if self.variant == "plusplus" else 0

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """For every order: n-grams of the reply, of the reference, and common ones."""
        if (lacking := lacking_reference(unit)) is not None:
            return lacking
        found = [self._of_pair(unit.text, reference) for reference in unit.reference_texts]
        return max(found, key=lambda one: float(self.combine(np.array(one)))) if len(found) > 1 else found[0]

    def _of_pair(self, reply: str, reference: str) -> tuple[float, ...]:
        found = _of_characters(reply, reference)
        return (*found, *_of_words(reply, reference)) if self._words else found

    def statistics_of(self, batch: Batch) -> Rows:
        """Batch version of ``statistics``."""
        sides = batch.letters(), batch.letters("reference")
        columns = _triples_of(_lengths(sides[0]), _lengths(sides[1]), common_characters(*sides, CHARACTERS))
        if self._words:
            sizes = batch.words(_words).lengths, batch.words(_words, "reference").lengths
            columns += _triples_of(*sizes, [batch.common_words(_words, n) for n in range(1, WORDS + 1)])
        rows = Rows(np.column_stack(columns), lacking_references(batch))
        return with_several(rows, batch, self.statistics)

    def combine(self, sums: Array) -> Array:
        """F-score of the mean precision and mean recall over the orders that both sides have; 0 if there are none."""
        replies, references, hits = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        both = (replies > 0) & (references > 0)
        orders = np.maximum(both.sum(axis=-1), 1)
        precision = np.where(both, hits / np.maximum(replies, 1), 0).sum(axis=-1) / orders
        recall = np.where(both, hits / np.maximum(references, 1), 0).sum(axis=-1) / orders
        weighted = BETA**2 * precision + recall
        score: Array = (1 + BETA**2) * precision * recall / np.where(weighted > 0, weighted, 1)
        return score


@lru_cache(REMEMBERED)
def _of_characters(reply: str, reference: str) -> tuple[float, ...]:
    sides = "".join(reply.split()), "".join(reference.split())
    return tuple(_triples(*sides, CHARACTERS))


def _of_words(reply: str, reference: str) -> tuple[float, ...]:
    return tuple(_triples(_words(reply), _words(reference), WORDS))


def _triples(reply: Sequence[str], reference: Sequence[str], longest: int) -> Iterator[float]:
    """By order: (n-grams of the reply, of the reference, common); sacreBLEU takes the first as 0 if the second is."""
    for n, hits in enumerate(matches(reply, reference, longest), start=1):
        theirs = max(len(reference) - n + 1, 0)
        ours = max(len(reply) - n + 1, 0) if theirs else 0
        yield from (float(ours), float(theirs), float(hits))


def _lengths(texts: Sequence[str]) -> Ints:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _triples_of(replies: Ints, references: Ints, hits: Iterable[Ints]) -> list[Array]:
    """The same triples of a batch, one column after the other, from lengths of texts and common n-grams by n."""
    columns: list[Array] = []
    for n, found in enumerate(hits, start=1):
        ours, theirs = np.maximum(replies - (n - 1), 0), np.maximum(references - (n - 1), 0)
        columns += [np.where(theirs > 0, ours, 0).astype(float), theirs.astype(float), found.astype(float)]
    return columns


@Rule
def _words(text: str) -> Sequence[str]:
    """Words between white space, with one punctuation mark at the end, or else at the beginning, set apart."""
    found: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            found += (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            found += (word[0], word[1:])
        else:
            found.append(word)
    return found
