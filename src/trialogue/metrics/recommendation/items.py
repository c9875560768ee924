"""Item ratio and catalogue coverage of replies."""

from collections.abc import Sequence
from typing import ClassVar

from trialogue.metrics.base import Array, DistinctTypes, RatioMetric, Reply, Undefined
from trialogue.metrics.names import Parameter, full_name, whole_number
from trialogue.records import Card, FailurePolicy, Mention, Reason, ReasonCode, Variant

UNSEARCHED = Reason.of(ReasonCode.ITEMS_NOT_LINKED)

SLOT = "<movie>"

CARD = Card(
    name="item_ratio",
    title="Item ratio",
    summary="How often replies name items. A reply can name an item without recommending it.",
    unit="share of replies, or items or slots per reply",
    low=0,
    better="neither",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("mentions",),
    variants={
        "any": Variant(
            summary="Share of replies that name at least one item; an empty reply names none if it was searched for "
            "items.",
            source="NTRD (Liang et al., EMNLP 2021), 'item ratio'. Version 1 counted an empty reply as naming no item even "
            "if nothing had searched it for items.",
            version=2,
        ),
        "count": Variant(
            summary="Items named, repetitions included, per reply that is not empty.",
            source="Trialogue: @slots for replies with titles in them.",
        ),
        "slots": Variant(
            summary=f"Placeholders {SLOT}, repetitions included, per reply that is not empty: for texts in which titles are "
            "not yet filled in.",
            source="UniCRS, evaluate_conv.py, compute_item_ratio.",
        ),
    },
    default="any",
    caveats=(
        "Three formulas share this name, and similar names (valid generation ratio, integration ratio) mean something "
        "else.",
        (
            "It is only as good as the linker that found the mentions: see the linker's card for its "
            "precision and recall. @slots needs no linker."
        ),
        (
            "Naming items correlates only weakly with human ratings: Spearman .20 with meaningfulness on the 1,860 "
            "responses of the INSPIRED2 study; .28 and .26 with relevance and interestingness of "
            "CRSArena-Eval turns."
        ),
    ),
    citation="Liang et al. (EMNLP 2021), 'Learning Neural Templates for Recommender Dialogue System'",
    family="recommendation",
)


class ItemRatio(RatioMetric):
    """Share or number of items named in replies."""

    card = CARD
    of_variants: ClassVar = {
        "any": {"unit": "share of replies", "high": 1.0, "is_share": True},
        "count": {"unit": "items per reply"},
        "slots": {"unit": "slots per reply", "needs": ()},
    }

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(items or slots, 1), or (1 if there is any, 1)."""
        if self.variant != "any" and not unit.text.strip():
            return Undefined(Reason.of(ReasonCode.REPLY_EMPTY_NOT_COUNTED))
        if self.variant == "slots":
            return (float(unit.text.count(SLOT)), 1.0)
        found = mentions_in(unit)
        if isinstance(found, Undefined):
            return found
        return (float(len(found) if self.variant == "count" else bool(found)), 1.0)


def mentions_in(reply: Reply) -> Sequence[Mention] | Undefined:
    """Items that a reply names; Undefined where nobody looked for them, also in an empty reply."""
    if reply.utterance.mentions is not None:
        return reply.utterance.mentions
    return Undefined(Reason.of(ReasonCode.ITEMS_ARE_SLOTS, slot=SLOT) if SLOT in reply.text else UNSEARCHED)


def item_key(mention: Mention) -> str:
    """Key of an item: its id, or else its case-folded title."""
    return mention.item_id if mention.item_id is not None else mention.title.casefold()


COVERAGE = Card(
    name="coverage",
    title="Catalogue coverage",
    summary="Share of the catalogue that the system recommends to anyone at all.",
    unit="share of the catalogue",
    low=0,
    better="neither",
    level="response",
    failed=FailurePolicy.AS_IS,
    needs=("ranking", "mentions"),
    variants={
        "ranking": Variant(
            summary="Distinct items among the first k of any ranking, over the size of the catalogue.",
            source="RecSys Challenge 2026 (Music-CRS), metrics_diversity.py: unique recommended tracks / catalogue.",
        ),
        "mentions": Variant(
            summary="Distinct items named in any reply, over the size of the catalogue.",
            source="The same formula over the text that the user reads.",
        ),
    },
    default="ranking",
    parameters={
        "size": "number of items in the catalogue; without it the value is undefined",
        "k": "how many items of each ranking count (default 10; ignored by @mentions)",
    },
    caveats=(
        "It grows with the number of replies: compare systems only on the same situations.",
        "A system that recommends at random covers most of the catalogue: read it together with recall.",
    ),
    citation="Ge et al. (RecSys 2010), 'Beyond accuracy: evaluating recommender systems by coverage and serendipity'",
    family="recommendation",
)


class Coverage:
    """Distinct items recommended over the size of the catalogue."""

    card = COVERAGE

    def __init__(self, *, variant: str = COVERAGE.default, size: int | None = None, k: int = 10) -> None:
        card = type(self).card
        whole_number(k, "k")
        parameters: dict[str, Parameter] = {"k": k} if variant == "ranking" else {}
        if size is not None:
            parameters["size"] = whole_number(size, "size")
        self.measure = full_name(card, variant, parameters)
        self.card = card.model_copy(update={"needs": (variant,)})
        self._size, self._k, self._ranked = size, k, variant == "ranking"

    def types(self, unit: Reply) -> DistinctTypes | Undefined:
        """Items of one reply."""
        if self._size is None:
            return Undefined(Reason.of(ReasonCode.CATALOGUE_SIZE_UNKNOWN))
        if not self._ranked:
            found = mentions_in(unit)
            return found if isinstance(found, Undefined) else DistinctTypes([item_key(mention) for mention in found])
        if unit.utterance.ranking is None:
            return Undefined(Reason.of(ReasonCode.NO_RANKING))
        return DistinctTypes(unit.utterance.ranking[: self._k])

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        """Distinct items over the size of the catalogue."""
        share: Array = distinct / float(self._size or 0)
        return share
