"""Extract a system's recommendations in a dialogue, by item and turn, for all need-based outcomes.

Counted are items that the *system* names first; items that the user named, or that were recommended before, are not. Titles
that are asked about, rejected or only compared with are not recommendations. At most three new items per turn count, in
order: a list of two hundred titles is not two hundred recommendations.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trialogue.catalogue.naming import recommended_mentions
from trialogue.long_work import PerObject
from trialogue.metrics.base import Undefined
from trialogue.metrics.recommendation.items import item_key
from trialogue.records import Dialogue, Need, Reason, ReasonCode

PER_TURN = 3


class Recommended(NamedTuple):
    """One item that the system puts forward."""

    key: str
    """Its id, or title where that is all that is known."""
    turn: int
    """User turns so far: 1 for the reply to the user's first; 0 for a greeting."""
    place: int
    """Its place among the new items of the turn, from 0; that of a repeated one is that of the next new one."""
    is_new: bool
    """Whether the item is named for the first time."""


def _recommendations(dialogue: Dialogue) -> Sequence[Recommended] | Undefined:
    if any(said.speaker == "system" and said.mentions is None and said.text.strip() for said in dialogue.utterances):
        return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED_BY_SYSTEM))
    return tuple(_iterate_recommendations(dialogue))


recommended_in = PerObject(_recommendations, 512)
"""The system's recommendations in order, or the reason why they are unknown; seven measures ask for those of a batch."""


def _iterate_recommendations(dialogue: Dialogue) -> Iterator[Recommended]:
    named: set[str] = set()
    turn = place = 0
    speaker = ""
    for said in dialogue.utterances:
        if said.speaker == "user":
            turn, place = turn + (speaker != "user"), 0
            named.update(map(item_key, said.mentions or ()))
        else:
            for mention in recommended_mentions(said.text, said.mentions or ()):
                key = item_key(mention)
                yield Recommended(key, turn, place, key not in named)
                place += key not in named
                named.add(key)
        speaker = said.speaker


def need_of(dialogue: Dialogue) -> Need | Undefined:
    """The user's need, or the reason why it is unknown."""
    need = dialogue.need
    return need if need is not None and need.acceptable else Undefined(Reason.of(ReasonCode.NEED_UNKNOWN))
