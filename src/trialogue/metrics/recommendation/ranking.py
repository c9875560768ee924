"""Ranking metrics at k: Recall, NDCG and MRR, per label, per mention and per example; precision per example.

A target that is not among the first k is a miss, even if the ranking is shorter than k. A target that is given twice is one
label and two mentions.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from trialogue.metrics.base import RatioMetric, Reply, Undefined
from trialogue.metrics.names import whole_number
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, Utterance, Variant


def ranks_of(reply: Reply, *, novel: bool = False, repeated: bool = False) -> list[float] | Undefined:
    """Rank of each target in the reply's ranking, from 1; infinity if absent.

    An item listed twice keeps both places, and its first one counts.

    Args:
        reply: reply with its ranking and targets.
        novel: leave out targets that the context mentions, by item id (by title where a mention has no id).
        repeated: count a target as often as it is given; otherwise once.
    """
    if reply.utterance.ranking is None:
        return Undefined(Reason.of(ReasonCode.NO_RANKING))
    targets = _targets(reply, novel=novel, repeated=repeated)
    if isinstance(targets, Undefined):
        return targets
    places: dict[str, int] = {}
    for place, item in enumerate(reply.utterance.ranking, start=1):
        places.setdefault(item, place)
    return [float(places.get(target, math.inf)) for target in targets]


def _targets(reply: Reply, *, novel: bool, repeated: bool) -> Sequence[str] | Undefined:
    if reply.targets is None:
        return Undefined(Reason.of(ReasonCode.TARGETS_UNKNOWN))
    targets = list(reply.targets if repeated else dict.fromkeys(reply.targets))
    if not targets:
        return Undefined(Reason.of(ReasonCode.TARGETS_EMPTY))
    return _new_targets(targets, reply.context) if novel else targets


def _new_targets(targets: Sequence[str], context: Sequence[Utterance]) -> Sequence[str] | Undefined:
    ids: set[str] = set()
    titles: set[str] = set()
    for utterance in context:
        if utterance.mentions is None:
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED_IN_CONTEXT))
        for mention in utterance.mentions:
            if mention.item_id is not None:
                ids.add(mention.item_id)
            else:
                titles.add(mention.title.casefold())
    fresh = [target for target in targets if target not in ids and target.casefold() not in titles]
    return fresh or Undefined(Reason.of(ReasonCode.TARGETS_ALL_MENTIONED))


PER_MENTION = "per_mention"
NOVEL = "_novel"  # suffix of the variants that leave out targets already mentioned
OURS = "Trialogue; equal to CRSLab and iEvaLM wherever no target is given twice."
K = {"k": "how many items of the ranking count (default 10)"}
CAVEATS = (
    (
        "About half of reported accuracy is repetition (Kostric & Balog 2026). Targets already mentioned in the "
        "context make up 12.6% (ReDial) and 35.7% (OpenDialKG) of iEvaLM's test cases; copying the context beats "
        "every trained model there at k=1 (.054 and .328 per label) and drops to .003 and .001 on novel targets. "
        "Compare systems with the baselines."
    ),
    "The same rankings have different values per label and per example: .054 and .073 for copying the context, at "
    "k=1 on ReDial.",
    (
        "A target that is given twice counts once, except with @per_mention. An item that occurs twice in a ranking "
        "takes two places."
    ),
    (
        "A reply for which no correct item is known has no value and is counted as omitted. Tools for document "
        "retrieval, such as ranx, give it 0."
    ),
    "A ranking shorter than k is used as it is. CRSLab drops such examples silently (standard.py:69).",
    (
        "iEvaLM derives ChatGPT's ranking from the similarity of embeddings, not from its replies, so ranking and reply "
        "can disagree."
    ),
)


def _with_novel(variants: dict[str, Variant]) -> dict[str, Variant]:
    """Each variant, and the same over novel targets only."""
    novel = {
        f"{name}{NOVEL}": Variant(
            summary=f"{variant.summary} Targets already mentioned in the context are left out.",
            source=f"{variant.source} Novel targets: He et al. (CIKM 2023), on repeated versus novel items.",
        )
        for name, variant in variants.items()
    }
    return variants | novel


_card = partial(
    Card,
    low=0,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("ranking", "targets"),
    parameters=K,
    family="recommendation",
)
"""What the cards of this module have in common."""
_card_of_labels = partial(_card, default="per_label", caveats=CAVEATS)
"""The same of the measures per label."""


class _AtK(RatioMetric):
    """Common base of recall, NDCG and MRR: a value of ranks, averaged over labels or over examples."""

    card: Card
    gain: ClassVar[Callable[[float], float]]
    """Gain of one target at this rank, within k."""
    examples: ClassVar[dict[str, Callable[[Sequence[float], int], float]]]
    """By variant: what an example is worth whose targets are at these ranks, given k."""

    def __init__(self, *, variant: str | None = None, k: int = 10) -> None:
        self.declare(variant, k=whole_number(k, "k"))
        self._k = k
        self._novel = self.variant.endswith(NOVEL)
        self._example = self.examples.get(self.variant.removesuffix(NOVEL))
        self._repeated = self.variant.removesuffix(NOVEL) == PER_MENTION
        if self._novel:
            self.card = self.card.model_copy(update={"needs": (*self.card.needs, "context", "mentions")})

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(sum over labels or mentions, their number), or (value of the example, 1)."""
        ranks = ranks_of(unit, novel=self._novel, repeated=self._repeated)
        if isinstance(ranks, Undefined):
            return ranks
        if self._example is not None:
            return (self._example(ranks, self._k), 1.0)
        return (_sum_of_gains(type(self).gain, ranks, self._k), float(len(ranks)))


def _sum_of_gains(gain: Callable[[float], float], ranks: Sequence[float], k: int) -> float:
    return float(sum(gain(rank) for rank in ranks if rank <= k))


def _one(rank: float) -> float:
    return 1.0


def _discount(rank: float) -> float:
    return 1.0 / math.log2(rank + 1)


def _reciprocal(rank: float) -> float:
    return 1.0 / rank


def _any_hit(ranks: Sequence[float], k: int) -> float:
    return float(min(ranks) <= k)


def _share_of_hits(ranks: Sequence[float], k: int) -> float:
    return _sum_of_gains(_one, ranks, k) / len(ranks)


def _normalise(ranks: Sequence[float], k: int) -> float:
    return _sum_of_gains(_discount, ranks, k) / _sum_of_gains(_discount, range(1, len(ranks) + 1), k)


def _best_reciprocal(ranks: Sequence[float], k: int) -> float:
    return _sum_of_gains(_reciprocal, [min(ranks)], k)


RECALL = _card_of_labels(
    is_share=True,  # of targets or of replies; @per_example_fraction averages shares, which are no counts
    name="recall",
    title="Recall@k (Hit@k)",
    summary="How many of the correct items are among the first k items of the system's ranking.",
    unit="share",
    variants=_with_novel(
        {
            "per_label": Variant(
                summary="Share of targets that are among the first k; a repeated target counts once.",
                source=OURS,
            ),
            PER_MENTION: Variant(
                summary="As @per_label, but a target that is given twice counts twice.",
                source="CRSLab HitMetric, KGSF, UniCRS, iEvaLM RecMetric; He et al. (CIKM 2023), evaluate.py.",
            ),
            "per_example": Variant(
                summary="Share of replies with at least one target among the first k.",
                source="Hit rate in the recommendation literature.",
            ),
            "per_example_fraction": Variant(
                summary="Share of a reply's targets among the first k, averaged over replies.",
                source="Recall in information retrieval; PEPPER; Music-CRS.",
            ),
        }
    ),
    citation="Chen et al. (EMNLP 2019), 'Towards Knowledge-Based Recommender Dialog System'",
)


class Recall(_AtK):
    """Recall at k, also called Hit at k."""

    card = RECALL
    gain = _one
    examples: ClassVar = {"per_example": _any_hit, "per_example_fraction": _share_of_hits}


NDCG_CARD = _card_of_labels(
    name="ndcg",
    title="NDCG@k",
    summary="How high the correct items are ranked: 1 at the top, decreasing with the logarithm of the rank.",
    unit="gain",
    variants=_with_novel(
        {
            "per_label": Variant(
                summary="Mean of 1/log2(rank + 1) over targets, 0 beyond k; a repeated target counts once.",
                source=OURS,
            ),
            PER_MENTION: Variant(
                summary="As @per_label, but a target that is given twice counts twice.",
                source="CRSLab NDCGMetric, UniCRS, iEvaLM RecMetric; He et al. (CIKM 2023), evaluate.py.",
            ),
            "per_example": Variant(
                summary="Gains of all targets divided by those of the best possible ranking, averaged over replies.",
                source="Järvelin & Kekäläinen (TOIS 2002) with binary relevance; Music-CRS.",
            ),
        }
    ),
    citation="Järvelin & Kekäläinen (TOIS 2002), 'Cumulated gain-based evaluation of IR techniques'",
)


class NDCG(_AtK):
    """Normalised discounted cumulative gain at k."""

    card = NDCG_CARD
    gain = _discount
    examples: ClassVar = {"per_example": _normalise}


MRR_CARD = _card_of_labels(
    name="mrr",
    title="MRR@k",
    summary="How high the first correct item is ranked: one over its rank, 0 beyond k.",
    unit="reciprocal rank",
    variants=_with_novel(
        {
            "per_label": Variant(
                summary="Mean of 1/rank over targets, 0 beyond k; a repeated target counts once.",
                source=OURS,
            ),
            PER_MENTION: Variant(
                summary="As @per_label, but a target that is given twice counts twice.",
                source="CRSLab MRRMetric, UniCRS, iEvaLM RecMetric; He et al. (CIKM 2023), evaluate.py.",
            ),
            "per_example": Variant(
                summary="1/rank of the highest-ranked target, averaged over replies.",
                source="Voorhees (TREC-8, 1999).",
            ),
        }
    ),
    citation="Voorhees (TREC-8, 1999), 'The TREC-8 Question Answering Track Report'",
)


class MRR(_AtK):
    """Mean reciprocal rank at k."""

    card = MRR_CARD
    gain = _reciprocal
    examples: ClassVar = {"per_example": _best_reciprocal}


PRECISION = _card(
    name="precision",
    title="Precision@k",
    summary="Share of the first k items of the system's ranking that are correct.",
    unit="share",
    variants={
        "per_example": Variant(
            summary="Correct items among the first k, divided by k, averaged over replies.",
            source="trec_eval and ir_measures P@k: a ranking shorter than k is divided by k, too.",
        ),
        "shown": Variant(
            summary="As @per_example, divided by the length of the ranking if that is below k.",
            source="Trialogue, for systems that choose how many items they show; undefined for an empty ranking.",
        ),
    },
    default="per_example",
    caveats=(
        "Most conversational corpora have one or two targets per reply, so precision is at most 1/k or 2/k; "
        "recall@k then gives the same information on the full scale.",
    ),
    citation="Voorhees & Harman (TREC, 2005); in conversational recommendation: Yang et al. (SIGIR 2024), sec. 2",
)


class Precision(RatioMetric):
    """Precision at k."""

    card = PRECISION

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
