"""Merge consecutive utterances of one speaker into turns.

Needed for corpora that store single sentences or message bursts.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from trialogue.records.dialogue import (
    MENTIONS,
    Dialogue,
    DialogueAct,
    Mention,
    Rating,
    SlotValue,
    StrategyLabel,
    Utterance,
)
from trialogue.records.kinds.origins import ActOrigin, UnknownAct

PartT = TypeVar("PartT", SlotValue, Mention)


def merge_turns(dialogue: Dialogue) -> Dialogue:
    """Merge every run of utterances of one speaker into one, joined by single spaces.

    Labels of a joined utterance keep the text of the sentence they belong to; offsets of mentions and slots are moved; the
    ranking is the last one given; what is unknown for every part stays unknown. The id and meta are the first part's.
    A dialogue whose speakers alternate comes back unchanged.
    """
    runs = [tuple(run) for _, run in groupby(dialogue.utterances, key=lambda utterance: utterance.speaker)]
    if len(runs) == len(dialogue.utterances):
        return dialogue
    return dialogue.model_copy(update={"utterances": tuple(map(_join_utterances, runs))})


def _join_utterances(run: Sequence[Utterance]) -> Utterance:
    if len(run) == 1:
        return run[0]
    starts, length = [], 0
    for part in run:
        starts.append(length)
        length += len(part.text) + 1
    rankings = [part.ranking for part in run if part.ranking is not None]
    return Utterance(
        speaker=run[0].speaker,
        text=" ".join(part.text for part in run),
        id=run[0].id,
        acts=_concatenate([_moved_acts(part.acts, start) for part, start in zip(run, starts, strict=True)]),
        acts_by=_weakest_origin(run),
        acts_labeller=next((part.acts_labeller for part in run if part.acts_labeller is not None), None),
        acts_unknown=_why_unknown(run),
        strategies=_concatenate([_with_text(part) for part in run]),
        **{
            name: _concatenate(
                [_shift_all(getattr(each, name), start) for each, start in zip(run, starts, strict=True)]
            )
            for name in MENTIONS
        },
        ranking=rankings[-1] if rankings else None,
        ratings=_ratings(run),
        meta=run[0].meta,
    )


def _weakest_origin(run: Sequence[Utterance]) -> ActOrigin | None:
    """The weakest origin of the acts of several parts: one that was recognised makes the whole rest on recognition."""
    origins = {part.acts_by for part in run if part.acts is not None}
    weakest = (ActOrigin.RECOGNISED, None, ActOrigin.DECLARED, ActOrigin.ANNOTATED)
    return next((origin for origin in weakest if origin in origins), None)


def _why_unknown(run: Sequence[Utterance]) -> UnknownAct | None:
    """Why no part has an act, by the first that says so; None where a part has one."""
    if any(part.acts for part in run):
        return None
    return next((part.acts_unknown for part in run if part.acts_unknown is not None), None)


ValueT = TypeVar("ValueT")


def _concatenate(parts: Iterable[tuple[ValueT, ...] | None]) -> tuple[ValueT, ...] | None:
    known = [part for part in parts if part is not None]
    return tuple(value for part in known for value in part) if known else None


def _with_text(part: Utterance) -> tuple[StrategyLabel, ...] | None:
    if part.strategies is None:
        return None
    return tuple(
        label if label.text is not None else label.model_copy(update={"text": part.text}) for label in part.strategies
    )


def _moved_acts(acts: tuple[DialogueAct, ...] | None, by: int) -> tuple[DialogueAct, ...] | None:
    if acts is None or by == 0:
        return acts
    return tuple(act.model_copy(update={"slots": tuple(_shift(slot, by) for slot in act.slots)}) for act in acts)


def _shift_all(mentions: tuple[Mention, ...] | None, by: int) -> tuple[Mention, ...] | None:
    return None if mentions is None else tuple(_shift(mention, by) for mention in mentions)


def _shift(part: PartT, by: int) -> PartT:
    changes = {name: value + by for name in ("start", "end") if (value := getattr(part, name)) is not None}
    return part.model_copy(update=changes)


def _ratings(run: Sequence[Utterance]) -> tuple[Rating, ...]:
    return tuple(rating for part in run for rating in part.ratings)
