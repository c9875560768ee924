"""Distinct-n: lexical diversity of a system's replies, in each of the formulas known by this name."""

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import UsageError
from trialogue.metrics.base import Array, DistinctTypes, EqualSize, RatioMetric, Reply, Undefined
from trialogue.metrics.batch import Batch, Rows, TypeRows, mean_rows, where
from trialogue.metrics.names import Parameter, full_name, whole_number
from trialogue.metrics.references import EMPTY
from trialogue.metrics.text.tokens import (
    Rule,
    bare_words_after_the_first,
    laps_words,
    lower_words,
    ngrams,
    share_of_distinct,
    words,
    words_and_marks,
)
from trialogue.metrics.text.word_hashes import NGrams, distinct
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, TextUse, Variant

LAPS_BUDGET = 7_012  # tokens that LAPS truncates to, so that systems of different verbosity are compared at one length
LAPS_SEED = 42  # of the shuffles, in LAPS' code
MESE_LONGEST = 100  # words from which on MESE's code leaves a reply out of the numerator
BERT_VOCABULARY = 30_522  # words of bert-base-uncased, the size that the authors of EAD take

CARD = Card(
    name="distinct",
    title="Distinct-n",
    summary="How varied the wording of replies is: distinct n-grams over all n-grams, or per reply.",
    unit="share of n-grams, or n-grams per reply",
    low=0,
    better="higher",
    level="response",
    text=TextUse(unit="word"),
    failed=FailurePolicy.AS_IS,
    variants={
        "ratio": Variant(
            summary="Distinct word n-grams over all word n-grams of a system's replies together; words between white space, "
            "case and punctuation kept.",
            source="Li et al. (NAACL 2016); C2-CRS.",
        ),
        "per_response": Variant(
            summary="Number of distinct word n-grams of a system, divided by its number of non-blank replies; words "
            "between white space, case and punctuation kept. Not a share: more words give a higher value.",
            source="UniCRS, evaluate_conv.py, ConvEvaluator.report; KGSF, distinct_metrics. "
            "KBRD does the same without each reply's first token.",
        ),
        "ratio_marks": Variant(
            summary="As @ratio, for lower-cased words and individual punctuation marks.",
            source="Trialogue.",
        ),
        "per_response_marks": Variant(
            summary="Per response, for lower-cased words and individual punctuation marks; a blank reply counts "
            "as one. This variant predicts satisfaction best, because users like lists of titles with years, which "
            "contain much punctuation.",
            source="Trialogue: a trivial baseline (AUC .779 for satisfaction on CRSArena-Dial).",
        ),
        "chars": Variant(
            summary="Distinct character n-grams, spaces included, over replies that are not blank.",
            source="CRSLab, evaluator/standard.py and conv.py, gen_evaluate: a bug, reported in 2022 (issue 42). Words "
            "were intended.",
            text=TextUse(unit="character"),
        ),
        "laps": Variant(
            summary="Distinct over all word n-grams in lower case, without full stops and newlines; words are split at "
            f"spaces. Undefined for systems with more than {LAPS_BUDGET:,} words: LAPS takes the mean over 100 random "
            "orders of the replies, each cut at that length. Use @laps_all, or the function laps_distinct, which reorders.",
            source="LAPS, dialogue_evaluation/diversity/metrics.py, DistinctNgrams; CRSArena-Dial, tool/metrics.py. Version "
            "1 split at newlines and tabs as well.",
            version=2,
        ),
        "laps_all": Variant(
            summary="As @laps, over all n-grams of a system, however many words it has.",
            source="LAPS, dialogue_evaluation/diversity/metrics.py, calculate_distinct_n: without its cut.",
        ),
        "music_crs": Variant(
            summary="Distinct over all n-grams of lower-cased words between white space.",
            source="RecSys Challenge 2026 (Music-CRS), music-crs-evaluator, metrics_diversity.py.",
        ),
        "mese": Variant(
            summary="Distinct word n-grams over replies; lower case, punctuation deleted, each reply's first word "
            f"dropped; replies of {MESE_LONGEST} words or more count in the denominator only.",
            source="MESE (Yang et al., NAACL Findings 2022), its evaluation code.",
        ),
        "intra": Variant(
            summary="Distinct over all word n-grams within each reply, averaged over replies; words between white space.",
            source="Common practice ('intra-distinct'); Gu et al. (ICLR 2019), sec. 4.",
        ),
        "ead": Variant(
            summary="Distinct word n-grams over the number expected if each were drawn evenly from V^n, V being the "
            "parameter vocabulary: V^n (1 - (1 - 1/V^n)^C) for C n-grams. The paper covers n = 1; we extended it to "
            "other n.",
            source="Liu et al. (ACL 2022), 'Rethinking and Refining the Distinct Metric'.",
        ),
    },
    default="ratio",
    parameters={
        "n": "length of the n-grams, in words or characters (default 2)",
        "vocabulary": f"only for @ead: vocabulary size (default {BERT_VOCABULARY})",
    },
    caveats=(
        "Variants differ widely: for the same 465 replies, DIST-2 is .50, .53, 1.27 or 2.77, and DIST-4 is .73, 2.45 "
        "or 6.69.",
        (
            "On 467 CRSArena-Eval dialogues, the rank correlation with the overall human rating is .00 for the ratio "
            "and .41 per response. The latter depends on the amount of text, so compare it with the length of "
            "replies."
        ),
        (
            "@ratio falls with the amount of text, so values of systems with unequal amounts cannot be compared. "
            "Differences between systems are therefore computed at equal numbers of n-grams (rarefaction), and need "
            "not equal the difference of the two values."
        ),
        "@chars counts characters: four-character n-grams say nothing about words.",
        "A challenge that scored lexical diversity was won by post-processing the replies.",
    ),
    citation="Li et al. (NAACL 2016), 'A Diversity-Promoting Objective Function for Neural Conversation Models'",
)


Value = Callable[[Array, Array, Array], Array]
"""From distinct n-grams, n-grams, and the summed extra."""


@dataclass(frozen=True)
class Formula:
    """One corpus-level variant: the counted units and the final formula."""

    rule: Rule | None
    """Tokenisation rule; None: characters."""
    value: Value
    share: bool = True
    """Whether values are shares of n-grams (else: n-grams per reply)."""
    blank_counts: bool = False
    """Whether a reply without words is a reply."""
    extra: Literal["replies", "words"] = "replies"
    """Quantity summed besides the n-grams; words are those between white space, whatever the rule makes of them."""
    shorter_than: int | None = None
    """Words from which on the n-grams of a reply do not count; None: they always do."""

    @property
    def equal_size(self) -> EqualSize:
        """Quantity equalised between systems: the denominator."""
        return EqualSize("total", "n-grams") if self.share else EqualSize("extra", "replies")


def _of_total(distinct: Array, total: Array, extra: Array) -> Array:
    return distinct / total


def _of_replies(distinct: Array, total: Array, extra: Array) -> Array:
    return distinct / extra


def _of_at_most_the_budget(distinct: Array, total: Array, extra: Array) -> Array:
    return np.where(extra <= LAPS_BUDGET, distinct / total, np.nan)


def _ratio_to_expected(possible: float) -> Value:
    def value(distinct: Array, total: Array, extra: Array) -> Array:
        expected: Array = -possible * np.expm1(total * np.log1p(-1 / possible))
        return distinct / expected

    return value


FORMULAS = {
    "ratio": Formula(words, _of_total),
    "per_response": Formula(words, _of_replies, share=False),
    "ratio_marks": Formula(words_and_marks, _of_total),
    "per_response_marks": Formula(words_and_marks, _of_replies, share=False, blank_counts=True),
    "chars": Formula(None, _of_replies, share=False),
    "laps": Formula(laps_words, _of_at_most_the_budget, extra="words"),
    "laps_all": Formula(laps_words, _of_total),
    "music_crs": Formula(lower_words, _of_total),
    "mese": Formula(
        bare_words_after_the_first, _of_replies, share=False, blank_counts=True, shorter_than=MESE_LONGEST - 1
    ),
}


class Distinct:
    """Distinct-n of a system's replies; empty replies are left out (@mese counts them)."""

    card = CARD

    def __new__(cls, *, variant: str = CARD.default, n: int = 2, vocabulary: int | None = None) -> Self:
        """Select the kind of metric by variant: @intra is a mean over replies, the others count over all of them."""
        kind = cls if cls is not Distinct else _WithinReplies if variant == "intra" else _OverReplies
        return object.__new__(kind)  # type: ignore[return-value]  # a subclass of Distinct, whichever it is

    def __init__(self, *, variant: str = CARD.default, n: int = 2, vocabulary: int | None = None) -> None:
        parameters: dict[str, Parameter] = {"n": whole_number(n, "n")}
        if variant == "ead":
            vocabulary = BERT_VOCABULARY if vocabulary is None else whole_number(vocabulary, "vocabulary")
            parameters["vocabulary"] = vocabulary
        elif vocabulary is not None:
            raise UsageError(f"Only distinct@ead has a vocabulary; omit it for distinct@{variant}.")
        self.measure: str = full_name(CARD, variant, parameters)
        self._n = n
        self._formula = FORMULAS.get(variant) or Formula(words, _ratio_to_expected(float(vocabulary or 1) ** n))
        self.card = CARD.model_copy(update=_scale(self._formula, variant))
        if variant == "laps":
            self.no_value = Reason.of(ReasonCode.LAPS_TOO_LONG)


def _scale(formula: Formula, variant: str) -> dict[str, object]:
    if not formula.share:
        return {"unit": "distinct n-grams per reply"}
    if variant == "ead":
        return {"unit": "distinct n-grams per expected one"}
    return {"unit": "share of n-grams", "high": 1.0}


class _OverReplies(Distinct):
    """Distinct n-grams over all replies of a system: a function of counts."""

    @property
    def equal_size(self) -> EqualSize:
        """Equalised quantity: n-grams for shares (also @laps and @ead), replies for counts per reply."""
        return self._formula.equal_size

    def types(self, unit: Reply) -> DistinctTypes | Undefined:
        """The reply's n-grams."""
        formula = self._formula
        if not formula.blank_counts and not unit.text.strip():
            return EMPTY
        units = unit.text if formula.rule is None else formula.rule(unit.text)
        if formula.shorter_than is not None and len(units) >= formula.shorter_than:
            units = ()
        return DistinctTypes(ngrams(units, self._n), float(len(words(unit.text))) if formula.extra == "words" else 1.0)

    def types_of(self, batch: Batch) -> TypeRows:
        """The same of a batch."""
        formula = self._formula
        blank = batch.words(words).lengths == 0
        undefined = {} if formula.blank_counts else where(blank, EMPTY)
        units = batch.characters() if formula.rule is None else batch.words(formula.rule)
        keep = ~blank | formula.blank_counts
        if formula.shorter_than is not None:
            keep &= units.lengths < formula.shorter_than
        extra = batch.words(words).lengths if formula.extra == "words" else np.ones(len(blank))
        key = (formula.rule, self._n, formula.blank_counts, formula.shorter_than)
        return TypeRows(_of_texts(units.grams(self._n), keep), extra.astype(float), undefined, key)

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        """The variant's formula, elementwise."""
        return self._formula.value(distinct, total, extra)


class _WithinReplies(Distinct, RatioMetric):
    """Distinct n-grams within each reply, averaged over replies."""

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(share of distinct n-grams, 1)."""
        found = share_of_distinct(unit.text, self._n)
        return found if isinstance(found, Undefined) else (found, 1.0)

    def statistics_of(self, batch: Batch) -> Rows:
        """The same of a batch."""
        return mean_rows(*shares_of_distinct(batch, self._n))


def _of_texts(grams: NGrams, keep: NDArray[np.bool_]) -> NGrams:
    """Only those of some texts."""
    if keep.all():
        return grams
    own = keep[grams.owner]
    return NGrams(grams.hashes[own], grams.owner[own])


def shares_of_distinct(batch: Batch, n: int) -> tuple[Array, dict[int, Undefined]]:
    """Share of distinct n-grams in each reply, shape (replies,), and reasons by position where there are none."""
    said = batch.words(words)
    totals = said.totals(n)
    shares: Array = distinct(said.grams(n), len(totals)) / np.maximum(totals, 1)
    return shares, where(totals == 0, Undefined(Reason.of(ReasonCode.REPLY_TOO_SHORT, n=n)))


def laps_distinct(
    texts: Iterable[str], *, n: int, seed: int = LAPS_SEED, budget: int = LAPS_BUDGET, shuffles: int = 100
) -> float | None:
    """Distinct-n as LAPS computes it, for any number of replies; equals ``distinct@laps`` up to the budget.

    Replies are shuffled, joined in that order until ``budget`` words between white space, the last one cut there, and the
    distinct share of n-grams (none across two replies) is averaged over the shuffles. It needs all replies at once, which a
    measurement in one pass does not have. The shuffles are the tool's, so the order of the replies matters as it does there.

    Args:
        texts: the replies.
        n: length of the n-grams, in words.
        seed: of the shuffles.
        budget: how many words are looked at.
        shuffles: how many orders are averaged; one is enough, and taken, where the budget holds everything.

    Returns:
        The mean share; None if there is no n-gram.
    """
    replies = list(texts)
    if sum(len(words(text)) for text in replies) <= budget:
        shuffles = 1
    rng = random.Random(seed)
    shares = [_share_within(rng.sample(replies, len(replies)), n, budget) for _ in range(shuffles)]
    # an order without any n-gram within the budget counts as 0, as in the tool
    return None if set(shares) == {None} else sum(filter(None, shares)) / shuffles


def _share_within(replies: Sequence[str], n: int, budget: int) -> float | None:
    """Distinct share of the n-grams of the first ``budget`` words; None if there is none."""
    seen: set[Hashable] = set()
    total = 0
    for text in replies:
        own = words(text)
        found = ngrams(laps_words(text if len(own) <= budget else " ".join(own[:budget])), n)
        seen.update(found)
        total += len(found)
        if len(own) > budget:
            break
        budget -= len(own)
    return len(seen) / total if total else None
