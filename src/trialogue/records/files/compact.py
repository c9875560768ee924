"""Memory-efficient storage of records: less than half the memory for hundreds of thousands of them."""

from trialogue.records.base import Record
from trialogue.records.dialogue import MENTIONS, Dialogue, Utterance

_SETS: dict[frozenset[str], set[str]] = {}


def compact(dialogue: Dialogue) -> Dialogue:
    """Copy of a dialogue that shares pydantic's bookkeeping of set fields with other records, to save memory.

    That is a set for each record, 216 to 728 bytes, and as large as what an act or a mention says itself. Frozen records
    never change theirs, and a copy gets one of its own.
    """
    _share(dialogue)
    for said in dialogue.utterances:
        _share_utterance(said)
    return dialogue


def _share_utterance(said: Utterance) -> None:
    _share(said)
    for act in said.acts or ():
        _share(act)
        for slot in act.slots:
            _share(slot)
    for name in MENTIONS:
        for mention in getattr(said, name) or ():
            _share(mention)


def _share(record: Record) -> None:
    given = record.__pydantic_fields_set__
    shared = _SETS.setdefault(frozenset(given), given)
    object.__setattr__(record, "__pydantic_fields_set__", shared)
