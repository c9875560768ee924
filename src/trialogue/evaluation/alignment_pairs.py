"""The pairs of reply and reference that alignment counts, with what labels and beliefs say of each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trialogue.metrics import Conversation, Undefined
from trialogue.metrics.base import Reply
from trialogue.metrics.behavior_alignment import BehaviorAlignment
from trialogue.metrics.implicit_alignment import believed_apart
from trialogue.records import by_people


@dataclass(frozen=True, slots=True)
class Pair:
    """A reply that counts."""

    reply: Reply
    """With its reference."""
    cluster: str
    """The dialogue it is from."""
    match: float
    """1 if the labels match, else 0."""
    chance: float | Undefined
    """Calibrated probability that both share a strategy, where half of all pairs do; Undefined, and why, without beliefs."""
    is_labelled: bool
    """Whether the labels of both sides are people's."""


def counted_pairs(conversations: Iterable[Conversation]) -> Iterator[Pair]:
    """The pairs that explicit alignment counts by default: labelled on both sides, first turns left out."""
    metric = BehaviorAlignment()
    for conversation in conversations:
        for reply in conversation.replies:
            found = metric.statistics(reply)
            if isinstance(found, Undefined) or reply.reference is None:
                continue
            people = by_people(reply.reference) and by_people(reply.utterance)
            yield Pair(reply, conversation.cluster, found[0], believed_apart(reply.reference, reply.utterance), people)
