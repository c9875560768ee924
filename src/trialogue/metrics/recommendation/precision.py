"""Precision at k: the share of correct items among the first k of a ranking."""

from collections.abc import Sequence

from trialogue.metrics.base import RatioMetric, Reply, Undefined
from trialogue.metrics.names import whole_number
from trialogue.metrics.recommendation.ranks import ranks_of
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, Variant

CARD = Card(
    name="precision",
    title="Precision@k",
    summary="Share of the first k items of the system's ranking that are correct.",
    unit="share",
    low=0,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("ranking", "targets"),
    variants={
        "per_example": Variant(
            summary="Correct items among the first k, divided by k, averaged over replies.",
            source="trec_eval and ir_measures P@k: a ranking shorter than k is divided by k, too.",
        ),
        "shown": Variant(
            summary="The same, divided by the number of items that the ranking has among its first k.",
            source="Ours, for systems that show as many items as they like; undefined for an empty ranking.",
        ),
    },
    default="per_example",
    parameters={"k": "how many items of the ranking count (default 10)"},
    caveats=(
        "Most conversational corpora have one or two targets per reply, so precision is at most 1/k or 2/k; "
        "recall@k then gives the same information on the full scale.",
    ),
    citation="Voorhees & Harman (TREC, 2005); in conversational recommendation: Yang et al. (SIGIR 2024), sec. 2",
    family="recommendation",
)


class Precision(RatioMetric):
    """Precision at k."""

    card = CARD

    def __init__(self, *, variant: str | None = None, k: int = 10) -> None:
        self.declare(variant, k=whole_number(k, "k"))
        self._k = k

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(precision, 1)."""
        ranks = ranks_of(unit)
        if isinstance(ranks, Undefined):
            return ranks
        places = min(self._k, len(unit.utterance.ranking or ())) if self.variant == "shown" else self._k
        if not places:
            return Undefined(Reason.of(ReasonCode.NO_RANKING))
        return (sum(rank <= self._k for rank in ranks) / places, 1.0)
