"""Ranks of the target items in a system's ranking, the input of Recall, NDCG and MRR."""

import math
from collections.abc import Sequence

from trialogue.metrics.base import Reply, Undefined
from trialogue.records import Reason, ReasonCode, Utterance


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
