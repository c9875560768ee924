"""Put the dialogue acts that people gave messages in labelling studies into the dialogues, to fit users on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.errors import DataError, Problem
from trialogue.inputs.study_answers import labeller_of
from trialogue.inputs.study_files import read_export
from trialogue.records import ActOrigin, Dialogue, DialogueAct, Labeller, Utterance
from trialogue.simulation.users.interaction import labels_of
from trialogue.subjects.people.commands.items import names_of
from trialogue.subjects.people.labels import final_labels

FORMULATION, RETRIEVAL = ("Disclose", "Reveal"), ("Inquire", "Navigate", "Note", "Complete")
"""Actions of CIR6 that belong to query formulation and to set retrieval (Zhang and Balog, KDD 2020, Table 1)."""


@dataclass(frozen=True)
class LabelledActs:
    """Dialogues with the acts that people gave their messages."""

    dialogues: tuple[Dialogue, ...]
    """All dialogues, with the labels as their only acts."""
    labelled: int
    """Messages with a final label."""
    undecided: int
    """Messages without one, because annotators disagree: without an act."""
    unlabelled: int
    """Messages that nobody labelled: without an act."""
    rehearsals: tuple[str, ...]
    """Exports whose labels were given by scripts, not people."""


def with_labelled_acts(dialogues: Sequence[Dialogue], exports: Sequence[Path | str]) -> LabelledActs:
    """Dialogues with acts from the exports of labelling studies; acts that they had are dropped.

    The final label of a message is the adjudicator's, else that of more than half of the annotators who count.

    Args:
        dialogues: the dialogues that the studies were made of.
        exports: folders of exports, usually one of messages of users and one of recommenders.

    Raises:
        DataError: an export cannot be read, or its labels are of other dialogues.
    """
    found: dict[tuple[str, int], str | None] = {}
    rehearsals = tuple(str(export) for export in exports if labeller_of(Path(export)) is Labeller.SCRIPTED)
    for export in exports:
        found |= final_labels(read_export(export)[0].counted_labels)
    names = names_of(dialogues)
    strange = sorted({name for name, _ in found} - {*names})
    if strange or not found:
        what = f"labels of {strange[0]!r}, which is none of the {len(names)} dialogues" if strange else "no labels"
        hint = "Give the files that the labelling studies were made of, all of them and in the same order."
        raise DataError(Problem(f"{what}.", ", ".join(map(str, exports)), hint=hint))
    made = tuple(_with_acts(dialogue, name, found) for dialogue, name in zip(dialogues, names, strict=True))
    messages = sum(bool(said.text.strip()) for dialogue in dialogues for said in dialogue.utterances)
    decided = sum(label is not None for label in found.values())
    return LabelledActs(made, decided, len(found) - decided, messages - len(found), rehearsals)


def _with_acts(dialogue: Dialogue, name: str, found: Mapping[tuple[str, int], str | None]) -> Dialogue:
    said = [_with_act(one, found.get((name, place))) for place, one in enumerate(dialogue.utterances)]
    return dialogue.model_copy(update={"utterances": tuple(said)})


def _with_act(said: Utterance, label: str | None) -> Utterance:
    acts = None if label is None else (DialogueAct(intent=label),)
    return said.model_copy(update={"acts": acts, "acts_by": None if acts is None else ActOrigin.ANNOTATED})


def is_successful(dialogue: Dialogue, states: Mapping[str, str]) -> bool:
    """Whether a dialogue covers query formulation and set retrieval (Zhang and Balog, KDD 2020, sec. 5.2).

    The paper regards such dialogues as successful; we read it as at least one act of the user of either kind.

    Args:
        dialogue: with acts.
        states: action of CIR6 by user label.
    """
    said = {states.get(label, label) for speaker, label in labels_of(dialogue) if speaker == "user"}
    return not said.isdisjoint(FORMULATION) and not said.isdisjoint(RETRIEVAL)
