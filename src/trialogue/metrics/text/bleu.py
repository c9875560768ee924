"""BLEU-k: n-gram overlap of a reply with the human reference, in each of the formulas known by this name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.metrics.base import Array, Reply, Undefined, ratio
from trialogue.metrics.batch import Batch, Rows, where
from trialogue.metrics.names import full_name, whole_number
from trialogue.metrics.references import (
    EMPTY,
    NOT_COMPARED,
    lacking_reference,
    lacking_references,
    reference_card,
    with_several,
)
from trialogue.metrics.text.overlap import matches, matches_in_any
from trialogue.metrics.text.tokens import (
    PACKAGES,
    TOKENISERS,
    Rule,
    Words,
    bare_words_after_the_first,
    mteval_words,
    sacrebleu_words,
    spaced_answer_words,
    spaced_words,
    words,
)
from trialogue.records import TextUse, Variant


@dataclass(frozen=True, eq=False)
class Counts:
    """n-gram counts of replies and their references."""

    hits: Callable[[int], Array]
    """n-grams of each reply that are in its reference, shape (replies,), for n = 1, 2, ..."""
    length: Array
    """Shape (replies,): words of the replies."""
    reference: Array
    """Shape (replies,): words of the references."""

    def total(self, n: int) -> Array:
        """Number of n-grams of the replies, shape (replies,)."""
        return np.maximum(self.length - (n - 1), 0.0)

    def precision(self, n: int) -> Array:
        """Share of each reply's n-grams that occur in its reference; 0 without n-grams."""
        return self.hits(n) / np.maximum(self.total(n), 1.0)


def counts(reply: Words, references: Sequence[Words], order: int) -> Counts:
    """Counts of one reply up to an order.

    Of several references, n-grams may come from any, and the length is that of the one nearest in length, the shorter one of
    two (Papineni et al. 2002, sec. 2.2).
    """
    first = references[0]
    found = matches(reply, first, order) if len(references) == 1 else matches_in_any(reply, references, order)
    nearest = min(map(len, references), key=lambda length: (abs(length - len(reply)), length))
    return Counts(lambda n: np.array([float(found[n - 1])]), np.array([float(len(reply))]), np.array([float(nearest)]))


def brevity(length: npt.ArrayLike, reference: npt.ArrayLike) -> Array:
    """Brevity penalty: 1 for a reply longer than its reference, exp(1 - reference / length) else, 0 for an empty one."""
    ours, theirs = np.asarray(length, dtype=float), np.asarray(reference, dtype=float)
    short = np.where(ours > 0, np.exp(1 - theirs / np.maximum(ours, 1.0)), 0.0)
    penalty: Array = np.where(ours > theirs, 1.0, short)
    return penalty


def individual(found: Counts, order: int) -> Array:
    """BLEU of a single order, without smoothing: brevity penalty times n-gram precision."""
    return brevity(found.length, found.reference) * found.precision(order)


def with_floor(found: Counts, order: int, *, epsilon: float) -> Array:
    """Cumulative BLEU with ``epsilon`` in place of zero matches: method 1 of Chen & Cherry (WMT 2014), sec. 3.

    0 if not even a word matches, as in NLTK.
    """
    logs = np.zeros(len(found.length))
    for n in range(1, order + 1):
        hits = found.hits(n)
        logs += np.log(np.where(hits > 0, hits, epsilon) / np.maximum(found.total(n), 1.0))
    return np.where(found.hits(1) > 0, brevity(found.length, found.reference) * np.exp(logs / order), 0.0)


def with_neighbours(found: Counts, order: int) -> Array:
    """Cumulative BLEU by method 7 of Chen & Cherry (WMT 2014), sec. 3: method 4, then averages of neighbouring orders.

    As in NLTK: k = 5 in method 4, and the last order's upper neighbour is always the precision of 5-grams. It is not
    bounded by 1: a reply that equals its reference exceeds it. 0 if not even a word matches.
    """
    precisions = _for_short_replies(found, order)
    upper = [*precisions[1:], found.precision(5)]
    before, logs = precisions[0] + 1, np.zeros(len(found.length))
    for own, above in zip(precisions, upper, strict=True):
        before = (before + own + above) / 3
        logs += np.log(before)
    return np.where(found.hits(1) > 0, brevity(found.length, found.reference) * np.exp(logs / order), 0.0)


def _for_short_replies(found: Counts, order: int, *, k: float = 5.0) -> list[Array]:
    """Precisions by method 4: the i-th order without a match gets ln(length) / (2^i k) matches."""
    precisions = []
    missing = np.zeros(len(found.length))
    instead = np.log(np.maximum(found.length, 1.0)) / k
    for n in range(1, order + 1):
        precision = found.precision(n)
        none = (precision == 0) & (found.length > 1)
        missing = missing + none
        precisions.append(np.where(none, instead / 2.0**missing / np.maximum(found.total(n), 1.0), precision))
    return precisions


def corpus_statistics(found: Counts, order: int, *, at_least: int = 0) -> Array:
    """Sums for corpus BLEU, shape (replies, 2 order + 2): matches and n-grams by order, then words of replies and of
    references.

    Args:
        found: counts of some replies.
        order: longest n-gram.
        at_least: the n-grams of a reply that is too short for any; NLTK has 1 here, which lowers every score a little.
    """
    orders = range(1, order + 1)
    totals = [np.maximum(found.total(n), float(at_least)) for n in orders]
    return np.column_stack([*map(found.hits, orders), *totals, found.length, found.reference])


def corpus_bleu(sums: Array, order: int, *, halving: bool) -> Array:
    """Corpus BLEU of shape (...) from sums of ``corpus_statistics`` of shape (..., 2 order + 2).

    Args:
        sums: summed statistics.
        order: longest n-gram.
        halving: take 1/2, 1/4, ... matches for the first, second, ... order without any (sacreBLEU's "exp", method 3 of
            Chen & Cherry); else such an order makes the score 0.
    """
    hits, totals = sums[..., :order], sums[..., order : 2 * order]
    replies, references = sums[..., -2], sums[..., -1]
    none = hits == 0
    smoothed = 0.5 ** np.cumsum(none, axis=-1) if halving else np.zeros_like(hits)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(none, smoothed, hits) / totals)
        penalty = np.where(replies < references, 1 - references / replies, 0.0)
        score = np.exp(logs.mean(axis=-1) + penalty)
    defined = hits.any(axis=-1) & (totals > 0).all(axis=-1)
    value: Array = np.where(defined, score, 0.0)
    return value


CARD = reference_card(
    name="bleu",
    title="BLEU-k",
    summary="Share of a reply's n-grams that are in the human recommender's reply, times a penalty for short replies.",
    unit="BLEU",
    text=TextUse(unit="word"),
    variants={
        "sacrebleu": Variant(
            summary="Corpus BLEU, cumulative, 13a tokenisation, case kept, 'exp' smoothing; sacreBLEU's score "
            "divided by 100.",
            source="Post (WMT 2018); sacrebleu.BLEU(max_ngram_order=k), signature nrefs:1|case:mixed|tok:13a|smooth:exp.",
        ),
        "zh": Variant(
            summary="As @sacrebleu, with tokeniser 'zh': every Chinese character is a word, and other text is split "
            "as by 13a.",
            source="sacrebleu.BLEU(tokenize='zh', max_ngram_order=k).",
            text=TextUse(unit="character"),
        ),
        "ja-mecab": Variant(
            summary="As @sacrebleu, with tokeniser 'ja-mecab': Japanese words, found by MeCab with IPADIC; needs the "
            "extra 'japanese'.",
            source="sacrebleu.BLEU(tokenize='ja-mecab', max_ngram_order=k).",
            text=TextUse(unit="subword"),
        ),
        "ko-mecab": Variant(
            summary="As @sacrebleu, with tokeniser 'ko-mecab': Korean morphemes, found by MeCab-ko; needs the extra "
            "'korean'.",
            source="sacrebleu.BLEU(tokenize='ko-mecab', max_ngram_order=k).",
            text=TextUse(unit="subword"),
        ),
        "crslab": Variant(
            summary="Precision of k-grams only, without shorter ones; with brevity penalty, without smoothing; words "
            "are split at single spaces; mean over replies that are not empty.",
            source="CRSLab, evaluator/metrics/gen.py, BleuMetric.compute.",
        ),
        "unicrs": Variant(
            summary="As @crslab, split at any white space; mean over replies that are not blank.",
            source="UniCRS, evaluate_conv.py, ConvEvaluator.compute_bleu.",
        ),
        "mese": Variant(
            summary="Cumulative, smoothed by method 7, lower case, punctuation deleted, first word of reply and reference "
            "dropped; mean over replies. Can exceed 1.",
            source="MESE (Yang et al., NAACL Findings 2022), its evaluation code; nltk sentence_bleu, method7.",
        ),
        "kbrd": Variant(
            summary="Cumulative, method 1 with epsilon 1e-12, lower case, punctuation and articles removed; "
            "mean over replies.",
            source="KBRD; ParlAI, core/metrics.py, _bleu (which has k = 4).",
            text=TextUse(unit="word", languages=("en",)),  # deletes the articles a, an, the
        ),
        "nltk_corpus": Variant(
            summary="Corpus BLEU, cumulative, split at white space, not smoothed.",
            source="nltk.translate.bleu_score.corpus_bleu with weights 1/k.",
        ),
        "nltk_method1": Variant(
            summary="Cumulative, method 1 with epsilon 0.1, split at white space; mean over replies.",
            source="nltk.translate.bleu_score.sentence_bleu with weights 1/k and method1.",
        ),
    },
    default="sacrebleu",
    parameters={"k": "length of the longest n-grams (default 4)"},
    caveats=(
        NOT_COMPARED,
        (
            "Of several references, an n-gram may match any, and the one nearest in length sets the penalty, as in "
            "sacreBLEU and NLTK."
        ),
        "Variants differ widely: BLEU-4 of the same 465 replies is .0007 with @crslab and .054 with @sacrebleu, 77 "
        "times as much.",
        (
            "The variant can decide which system wins: in the INSPIRED2 study, RB-CRS scores higher than CRB-CRS "
            "with @crslab (BLEU-2 .0098 against .0089) and lower with @mese (.074 against .107). Compare all "
            "variants before you rank systems by BLEU."
        ),
        (
            "The Spearman correlation of BLEU with human ratings of that study's 1,860 replies is low: .24 "
            "(@sacrebleu), .23 (@nltk_method1), .20 to .21 (@mese), .11 to .13 (@crslab). Tokenisation and smoothing "
            "alone double it."
        ),
        "A reply that recommends another good film in different words scores about 0.",
        "Scores depend on whether item titles are replaced by placeholders, in replies and references alike.",
    ),
    citation="Papineni et al. (ACL 2002), 'BLEU: a Method for Automatic Evaluation of Machine Translation'",
)

NEIGHBOUR = 5  # method 7 of every order reads the precision of 5-grams
Statistics = Callable[[Counts, int], Array]
"""From counts of replies, of shape (replies, k)."""


@dataclass(frozen=True)
class Formula:
    """One variant: tokenisation, summed statistics, and final formula."""

    words: Rule | None
    """None: sacreBLEU's tokeniser of the variant's name, made when it is needed."""
    statistics: Statistics
    combine: Callable[[Array, int], Array] = lambda sums, order: ratio(sums)
    high: float | None = 1.0
    leaves_out: Callable[[str], bool] = lambda text: False
    """Whether a reply is left out for being empty (else: it scores 0)."""


def _mean(score: Callable[[Counts, int], Array]) -> Statistics:
    def statistics(found: Counts, order: int) -> Array:
        return np.column_stack([score(found, order), np.ones(len(found.length))])

    return statistics


def _of_sacrebleu(rule: Rule | None) -> Formula:
    return Formula(rule, corpus_statistics, lambda sums, order: corpus_bleu(sums, order, halving=True))


FORMULAS = {
    "sacrebleu": _of_sacrebleu(mteval_words),
    **{name: _of_sacrebleu(None) for name in TOKENISERS},
    "crslab": Formula(spaced_words, _mean(individual), leaves_out=lambda text: not text),
    "unicrs": Formula(words, _mean(individual), leaves_out=lambda text: not text.strip()),
    "mese": Formula(bare_words_after_the_first, _mean(with_neighbours), high=None),
    "kbrd": Formula(spaced_answer_words, _mean(lambda found, order: with_floor(found, order, epsilon=1e-12))),
    "nltk_corpus": Formula(
        words,
        lambda found, order: corpus_statistics(found, order, at_least=1),
        lambda sums, order: corpus_bleu(sums, order, halving=False),
    ),
    "nltk_method1": Formula(words, _mean(lambda found, order: with_floor(found, order, epsilon=0.1))),
}


class Bleu:
    """BLEU-k of replies against the human recommender's, from 0 to 1; corpus formulas pool over replies.

    An empty reply scores 0, except with @crslab, which leaves it out, and @unicrs, which leaves out blank ones.
    """

    per_dialogue = False

    card = CARD

    def __init__(self, *, variant: str = CARD.default, k: int = 4) -> None:
        self.measure = full_name(CARD, variant, {"k": whole_number(k, "k")})
        self._k = k
        self._order = max(k, NEIGHBOUR)
        self._formula = FORMULAS[variant]
        self._words = self._formula.words or sacrebleu_words(variant)
        extra = PACKAGES[variant][0] if variant in PACKAGES else None
        self.card = CARD.model_copy(update={"high": self._formula.high, "extra": extra})

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(score, 1), or the sufficient statistics of corpus BLEU."""
        if (lacking := lacking_reference(unit)) is not None:
            return lacking
        formula = self._formula
        if formula.leaves_out(unit.text):
            return EMPTY
        found = counts(self._words(unit.text), [*map(self._words, unit.reference_texts)], self._order)
        return tuple(formula.statistics(found, self._k)[0].tolist())

    def statistics_of(self, batch: Batch) -> Rows:
        """Batch version of ``statistics``."""
        formula = self._formula
        found = Counts(
            lambda n: batch.common_words(self._words, n).astype(float),
            batch.words(self._words).lengths.astype(float),
            batch.words(self._words, "reference").lengths.astype(float),
        )
        empty = np.array([formula.leaves_out(text) for text in batch.texts()], dtype=bool)
        undefined = lacking_references(batch) | where(empty & batch.has_reference, EMPTY)
        return with_several(Rows(formula.statistics(found, self._k), undefined), batch, self.statistics)

    def combine(self, sums: Array) -> Array:
        """Mean over replies, or corpus BLEU."""
        return self._formula.combine(sums, self._k)
