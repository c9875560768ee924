"""Share of the titles that a system presents which the catalogue does not have."""

from collections.abc import Sequence

from trialogue.metrics.base import Array, Reply, Undefined, ratio
from trialogue.metrics.names import full_name
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, Variant

CARD = Card(
    name="unrecognised_titles",
    title="Titles the catalogue lacks",
    summary="Share of the titles that replies present which are not in the catalogue: invented, or of items that are not "
    "offered here.",
    unit="share of titles",
    is_share=True,
    low=0,
    high=1,
    better="lower",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("unrecognised",),
    variants={
        "presented": Variant(
            summary="Over the items that the linker found and the titles that are presented as such (in lists, in quotation "
            "marks, with a year, behind words such as 'recommend') and that the catalogue has under no name, however "
            "misspelt.",
            source="Trialogue. He et al. (CIKM 2023) count generated names that match no item of a corpus.",
        )
    },
    default="presented",
    caveats=(
        "An item that exists and is not in the catalogue counts, too: with a catalogue of all that exists the share is that "
        "of inventions.",
        "Titles in sentences are recognised in English only; in lists, quotation marks and with years in any language.",
        "Up to two in a hundred of the titles that people recommend are taken for ones that it lacks, though they are "
        "none or are there (benchmarks/INVENTIONS.md).",
    ),
    citation="He et al. (CIKM 2023), 'Large Language Models as Zero-Shot Conversational Recommenders'",
    family="recommendation",
)


class UnrecognisedTitles:
    """Pooled share of the titles that the catalogue lacks."""

    card = CARD
    per_dialogue = False

    def __init__(self, *, variant: str = CARD.default) -> None:
        self.measure = full_name(CARD, variant, {})

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(titles that the catalogue lacks, all titles)."""
        unknown = unit.utterance.unrecognised
        if unknown is None:
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED))
        whole = len(unknown) + len(unit.utterance.mentions or ())
        if not whole:
            return Undefined(Reason.of(ReasonCode.NO_TITLE_PRESENTED))
        return (float(len(unknown)), float(whole))

    def combine(self, sums: Array) -> Array:
        """The share."""
        return ratio(sums)
