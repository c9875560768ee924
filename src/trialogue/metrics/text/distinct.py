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
from trialogue.metrics.text.distinct_card import BERT_VOCABULARY, CARD, LAPS_BUDGET, LAPS_SEED, MESE_LONGEST
from trialogue.metrics.text.multisets import distinct
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
from trialogue.metrics.text.word_hashes import NGrams
from trialogue.records import Reason, ReasonCode

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
        blank = np.array([not text.strip() for text in batch.texts()], dtype=bool)
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
