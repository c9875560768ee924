"""Repetition: replies that repeat earlier text in the dialogue, within themselves, or across dialogues."""

from collections.abc import Sequence
from typing import Self

import numpy as np

from trialogue.errors import UsageError
from trialogue.metrics.base import Array, DistinctTypes, RatioMetric, Reply, Undefined
from trialogue.metrics.batch import Batch, Rows, mean_rows
from trialogue.metrics.names import full_name, whole_number
from trialogue.metrics.references import EMPTY
from trialogue.metrics.text.distinct import shares_of_distinct
from trialogue.metrics.text.tokens import share_of_distinct, words
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, TextUse, Variant

CARD = Card(
    name="repetition",
    title="Repetition",
    summary="How often a system repeats itself.",
    unit="share",
    low=0,
    high=1,
    better="lower",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    variants={
        "self": Variant(
            summary="Share of replies identical to an earlier reply of the system in the same dialogue, ignoring "
            "white space.",
            source="Trialogue. Words and case must be the same.",
        ),
        "ngram": Variant(
            summary="Share of a reply's n-grams that occur earlier in it, 1 - distinct / all; mean over replies; words "
            "between white space.",
            source="Welleck et al. (ICLR 2020), 'Neural Text Generation with Unlikelihood Training', seq-rep-n.",
            text=TextUse(unit="word"),
        ),
        "corpus": Variant(
            summary="Share of a system's replies that repeat an earlier one in any dialogue, 1 - distinct / all "
            "replies, ignoring white space; the first occurrence does not count.",
            source="Trialogue. 1 - @ratio of distinct-n with whole replies as n-grams.",
        ),
    },
    default="self",
    parameters={"n": "only for @ngram: length of the n-grams, in words (default 4)"},
    caveats=(
        "The share of repeated replies does not separate satisfied from frustrated users on CRSArena-Dial (AUC .491).",
        "@corpus grows with the number of replies and also counts harmless repetition, such as greetings.",
    ),
    citation="",
)

NGRAM = 4  # words; the length that the paper reports
EARLIER = Undefined(Reason.of(ReasonCode.EARLIER_REPLIES_UNKNOWN))


class Repetition:
    """Share of repeated content; empty replies are excluded."""

    card = CARD

    def __new__(cls, *, variant: str = CARD.default, n: int | None = None) -> Self:
        """Select the kind of metric by variant: @corpus counts over all replies, the others are means over replies."""
        kinds = {"self": _InDialogue, "ngram": _InReply, "corpus": _InCorpus}
        kind = kinds.get(variant, cls) if cls is Repetition else cls
        return object.__new__(kind)  # type: ignore[return-value]  # a subclass of Repetition, whichever it is

    def __init__(self, *, variant: str = CARD.default, n: int | None = None) -> None:
        if n is not None and variant != "ngram":
            raise UsageError(f"Only repetition@ngram has an n; omit it for repetition@{variant}.")
        self._n = NGRAM if n is None else whole_number(n, "n")
        self.measure: str = full_name(CARD, variant, {"n": self._n} if variant == "ngram" else {})
        if variant == "self":
            self.card = CARD.model_copy(update={"needs": ("dialogue",)})


class _InDialogue(Repetition, RatioMetric):
    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(1 if an earlier system utterance of the dialogue is identical, 1)."""
        if unit.situation_id is not None:
            return EARLIER
        said = words(unit.text)
        if not said:
            return EMPTY
        repeats = any(words(before.text) == said for before in unit.context if before.speaker == "system")
        return (float(repeats), 1.0)

    def statistics_of(self, batch: Batch) -> Rows:
        """The same of a batch: each reply of a dialogue is looked up among those before it."""
        found: list[float | Undefined] = []
        for conversation in batch.conversations:
            if conversation.dialogue is None:
                rows = map(self.statistics, conversation.replies)
                found += [row if isinstance(row, Undefined) else row[0] for row in rows]
                continue
            earlier: set[tuple[str, ...]] = set()
            for text in conversation.texts:
                said = tuple(words(text))
                found.append(float(said in earlier) if said else EMPTY)
                earlier.add(said)
        undefined = {place: each for place, each in enumerate(found) if isinstance(each, Undefined)}
        values = np.array([0.0 if isinstance(each, Undefined) else each for each in found])
        return mean_rows(values, undefined)


class _InReply(Repetition, RatioMetric):
    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(share of n-grams seen before in the reply, 1)."""
        found = share_of_distinct(unit.text, self._n)
        return found if isinstance(found, Undefined) else (1 - found, 1.0)

    def statistics_of(self, batch: Batch) -> Rows:
        """The same of a batch."""
        shares, undefined = shares_of_distinct(batch, self._n)
        return mean_rows(1 - shares, undefined)


class _InCorpus(Repetition):
    def types(self, unit: Reply) -> DistinctTypes | Undefined:
        """The reply as one thing."""
        said = words(unit.text)
        return DistinctTypes((said,)) if said else EMPTY

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        """1 - distinct / total."""
        return 1 - distinct / total
