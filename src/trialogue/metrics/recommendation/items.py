"""Items that replies name, and their ratio."""

from collections.abc import Sequence
from typing import ClassVar

from trialogue.metrics.base import Undefined, UtteranceMetric
from trialogue.records import Card, FailurePolicy, Mention, Reason, ReasonCode, Utterance, Variant

UNSEARCHED = Reason.of(ReasonCode.ITEMS_NOT_LINKED)

SLOT = "<movie>"

ITEM_RATIO = Card(
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
            source="Trialogue: as @slots, for replies that contain titles.",
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
            "The ratio is only as accurate as the linker that found the items: see the precision and recall on its "
            "card. @slots needs no linker."
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


class ItemRatio(UtteranceMetric):
    """Share or number of items named in replies."""

    card = ITEM_RATIO
    of_variants: ClassVar = {
        "any": {"unit": "share of replies", "high": 1.0, "is_share": True},
        "count": {"unit": "items per reply"},
        "slots": {"unit": "slots per reply", "needs": ()},
    }

    def of_utterance(self, said: Utterance) -> Sequence[float] | Undefined:
        """(items or slots, 1), or (1 if there is any, 1)."""
        if self.variant != "any" and not said.text.strip():
            return Undefined(Reason.of(ReasonCode.REPLY_EMPTY_NOT_COUNTED))
        if self.variant == "slots":
            return (float(said.text.count(SLOT)), 1.0)
        found = mentions_in(said)
        if isinstance(found, Undefined):
            return found
        return (float(len(found) if self.variant == "count" else bool(found)), 1.0)


def mentions_in(reply: Utterance) -> Sequence[Mention] | Undefined:
    """Items that a reply names; Undefined where nobody looked for them, also in an empty reply."""
    if reply.mentions is not None:
        return reply.mentions
    return Undefined(Reason.of(ReasonCode.ITEMS_ARE_SLOTS, slot=SLOT) if SLOT in reply.text else UNSEARCHED)


def item_key(mention: Mention) -> str:
    """Key of an item: its id, or else its case-folded title."""
    return mention.item_id if mention.item_id is not None else mention.title.casefold()
