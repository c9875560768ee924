"""Pairs of reply and reference used by alignment, with their labels and beliefs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trialogue.metrics import Conversation, Undefined
from trialogue.metrics.alignment.behavior_alignment import BehaviorAlignment
from trialogue.metrics.alignment.implicit_alignment import belief_of_labels
from trialogue.metrics.base import Reply
from trialogue.records import Labeller, Utterance, has_ground_truth, labeller_of


@dataclass(frozen=True, slots=True)
class Pair:
    """A counted reply with its reference."""

    reply: Reply
    """The system's reply; its ``reference`` is the other side."""
    cluster: str
    """The dialogue it is from."""
    match: float
    """1 if the labels match, else 0."""
    chance: float | Undefined
    """Calibrated probability that both share a strategy, where half of all pairs do; Undefined, and why, without beliefs."""
    labellers: tuple[Labeller, ...]
    """Labellers of both sides if the labels serve as a reference; () otherwise."""

    @property
    def is_labelled(self) -> bool:
        """Whether its labels are reference labels for models."""
        return bool(self.labellers)


def counted_pairs(conversations: Iterable[Conversation]) -> Iterator[Pair]:
    """Pairs counted by explicit alignment by default: labelled on both sides, without first turns."""
    metric = BehaviorAlignment()
    for conversation in conversations:
        for reply in conversation.replies:
            found = metric.statistics(reply)
            if isinstance(found, Undefined) or reply.reference is None:
                continue
            chance = belief_of_labels(reply.reference, reply.utterance)
            yield Pair(reply, conversation.cluster, found[0], chance, _labellers(reply.reference, reply.utterance))


def _labellers(reference: Utterance, said: Utterance) -> tuple[Labeller, ...]:
    if not (has_ground_truth(reference) and has_ground_truth(said)):
        return ()
    return tuple(by for each in (reference, said) if (by := labeller_of(each)) is not None)
