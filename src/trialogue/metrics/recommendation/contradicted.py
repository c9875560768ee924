"""Share of a system's statements about items that the catalogue contradicts."""

from collections.abc import Sequence

from trialogue.metrics.base import RatioMetric, Reply, Undefined
from trialogue.records import Card, ClaimVerdict, FailurePolicy, Reason, ReasonCode, Variant

CARD = Card(
    name="contradicted_facts",
    title="Facts the catalogue contradicts",
    summary="Share of statements about items (year, director, author, genre, running time, price, other columns) that "
    "contradict the catalogue.",
    unit="share of statements",
    is_share=True,
    low=0,
    high=1,
    better="lower",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("claims",),
    variants={
        "stated": Variant(
            summary="Over the statements that the catalogue supports or contradicts; those on which it has no value are "
            "left out.",
            source="Trialogue.",
        )
    },
    default="stated",
    caveats=(
        "Statements are recognised in English only, and not all of them (benchmarks/INVENTIONS.md).",
        "The catalogue may be wrong or incomplete; a genre counts as contradicted only if the item has none of "
        "the genres named with it; statements about actors never do.",
    ),
    citation="",
    family="recommendation",
)


class ContradictedFacts(RatioMetric):
    """Pooled share of contradicted statements."""

    card = CARD

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(contradicted, contradicted and supported)."""
        claims = unit.utterance.claims
        if claims is None:
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED))
        found = [each.verdict for each in claims if each.verdict is not ClaimVerdict.UNKNOWN]
        if not found:
            return Undefined(Reason.of(ReasonCode.NO_FACT_STATED))
        return (float(found.count(ClaimVerdict.CONTRADICTED)), float(len(found)))
