"""Shares of what a system says that the catalogue lacks or contradicts: titles that it presents, facts that it states."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from trialogue.metrics.base import Undefined, UtteranceMetric
from trialogue.records import Card, ClaimVerdict, FailurePolicy, MentionedBy, Reason, ReasonCode, Utterance, Variant

OURS = "Trialogue. He et al. (CIKM 2023) count generated names that match no item of a corpus."

_card = partial(
    Card,
    is_share=True,
    low=0,
    high=1,
    better="lower",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    family="recommendation",
)
"""What the cards of this module have in common."""

UNRECOGNISED = _card(
    name="unrecognised_titles",
    title="Unrecognised titles",
    summary="Share of the titles in replies that are neither in the catalogue nor on a list of real items. They are "
    "invented or, without such a list, may be real items that the catalogue lacks.",
    unit="share of titles",
    needs=("unrecognised",),
    variants={
        "presented": Variant(
            summary="Of the items that the linker found and the titles that are presented as such (in lists, in "
            "quotation marks, with a year, after words such as 'recommend'): share that matches no name in the "
            "catalogue or the list, even if misspelt. Titles newer than the catalogue are left out. Version 1 "
            "counted them as lacking.",
            source=OURS,
            version=2,
        ),
        "outside": Variant(
            summary="Of the same titles: share that is on the list of real items, but not in the catalogue.",
            source=OURS,
        ),
        "newer": Variant(
            summary="Of all titles: share that is on neither, with a year after the catalogue's date. Such items may "
            "or may not exist.",
            source=OURS,
        ),
    },
    default="presented",
    caveats=(
        "Without a list of real items, an existing item that the catalogue lacks also counts as unrecognised.",
        "Titles in sentences are recognised in English only; in lists, quotation marks and with years in any "
        "language. Replies in other languages that name items in other ways are omitted.",
        "Up to 2% of the titles in people's own recommendations are wrongly counted (benchmarks/INVENTIONS.md).",
    ),
    citation="He et al. (CIKM 2023), 'Large Language Models as Zero-Shot Conversational Recommenders'",
)


class UnrecognisedTitles(UtteranceMetric):
    """Pooled share of the titles that the catalogue lacks."""

    card = UNRECOGNISED
    of_variants: ClassVar = {
        "outside": {"title": "Real titles outside the catalogue", "needs": ("outside",), "better": "neither"},
        "newer": {"title": "Titles newer than the catalogue", "needs": ("newer",), "better": "neither"},
    }

    def of_utterance(self, said: Utterance) -> Sequence[float] | Undefined:
        """(titles of the kind, titles)."""
        if said.unrecognised is None:
            looked = ReasonCode.ITEMS_NOT_LINKED if said.claims is None else ReasonCode.TITLES_NOT_RECOGNISABLE
            return Undefined(Reason.of(looked))
        if said.outside is None and self.variant == "outside":
            return Undefined(Reason.of(ReasonCode.NO_LIST_OF_ITEMS))
        newer = sum(each.by is MentionedBy.NEWER for each in said.unrecognised)
        unknown, outside = len(said.unrecognised) - newer, len(said.outside or ())
        whole = len(said.mentions or ()) + unknown + outside + (newer if self.variant == "newer" else 0)
        if not whole:
            return Undefined(Reason.of(ReasonCode.NO_TITLE_PRESENTED))
        return (float({"presented": unknown, "outside": outside, "newer": newer}[self.variant]), float(whole))


CONTRADICTED = _card(
    name="contradicted_facts",
    title="Facts the catalogue contradicts",
    summary="Share of statements about items (year, director, author, genre, running time, price, other columns) that "
    "contradict the catalogue.",
    unit="share of statements",
    needs=("claims",),
    variants={
        "stated": Variant(
            summary="Over statements that the catalogue supports or contradicts; statements on which it has no value "
            "are left out.",
            source="Trialogue.",
        )
    },
    default="stated",
    caveats=(
        "Only statements in English are recognised, and not all of those (benchmarks/INVENTIONS.md).",
        "The catalogue may be wrong or incomplete; a genre counts as contradicted only if the item has none of the "
        "genres named with it. Statements about actors never count as contradicted.",
    ),
    citation="",
)


class ContradictedFacts(UtteranceMetric):
    """Pooled share of contradicted statements."""

    card = CONTRADICTED

    def of_utterance(self, said: Utterance) -> Sequence[float] | Undefined:
        """(contradicted, contradicted and supported)."""
        claims = said.claims
        if claims is None:
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED))
        found = [each.verdict for each in claims if each.verdict is not ClaimVerdict.UNKNOWN]
        if not found:
            return Undefined(Reason.of(ReasonCode.NO_FACT_STATED))
        return (float(found.count(ClaimVerdict.CONTRADICTED)), float(len(found)))
