"""Exchanges of a dialogue: the act labels of a user turn and of the system turn that follows.

An utterance's label is the intent of its first act that has one, as in corpora with one act per utterance.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trialogue.metrics.base import Undefined
from trialogue.records import Dialogue, Reason, ReasonCode, Speaker, Utterance
from trialogue.records.kinds.acts import ACCEPTABLE, AGENT_LABELS, USERSIMCRS_AGENT, paper_label, spelt_right

NO_WORDS = Reason.of(ReasonCode.SPEAKER_SILENT, speaker="user")
_KNOWN: dict[Speaker, Collection[str]] = {
    "user": ACCEPTABLE,
    "system": {*AGENT_LABELS, *USERSIMCRS_AGENT, "Explain"},
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One user utterance and the system's messages directly after it."""

    act: str | None
    """The user's act; None: not annotated, or not recognised."""
    burst: tuple[str | None, ...]
    """Acts of each system message; () if the user speaks again, or the dialogue ends."""
    place: int
    """Index of the user utterance in the dialogue."""


def label_of(utterance: Utterance) -> str | None:
    """Intent of the first act that has one, mapped to the paper's label if it is UserSimCRS'; None without any."""
    intent = next((act.intent for act in utterance.acts or () if act.intent), None)
    return None if intent is None else paper_label(intent, of_user=utterance.speaker == "user")


def exchanges(dialogue: Dialogue) -> list[Exchange]:
    """One exchange per user utterance, in order; system messages before the first are not included."""
    found: list[Exchange] = []
    said = dialogue.utterances
    for place, utterance in enumerate(said):
        if utterance.speaker == "user":
            end = place + 1
            while end < len(said) and said[end].speaker == "system":
                end += 1
            burst = tuple(label_of(message) for message in said[place + 1 : end])
            found.append(Exchange(label_of(utterance), burst, place))
    return found


def user_acts(dialogue: Dialogue) -> list[str | None] | Undefined:
    """Label of every user utterance, or the reason if none is in the action space."""
    missing = why_unlabelled(dialogue.utterances, "user")
    return missing or [label_of(said) for said in dialogue.utterances if said.speaker == "user"]


def why_unlabelled(utterances: Sequence[Utterance], speaker: Speaker) -> Undefined | None:
    """Reason why a speaker's labels are unusable; None if they are usable.

    A speaker who says nothing, whom nobody annotated, or whose labels are all of another action space. Single unknown
    labels (typos) are labels like others, that answer nothing and are answered by nothing.
    """
    own = [said for said in utterances if said.speaker == speaker]
    if not own:
        return Undefined(Reason.of(ReasonCode.SPEAKER_SILENT, speaker=speaker))
    if all(said.acts is None for said in own):
        return Undefined(Reason.of(ReasonCode.ACTS_MISSING, speaker=speaker))
    labels = {spelt_right(label) for label in map(label_of, own) if label is not None}
    if labels and labels.isdisjoint(_KNOWN[speaker]):
        return Undefined(Reason.of(ReasonCode.ACTS_OF_OTHER_SPACE, speaker=speaker, acts=sorted(labels)[:3]))
    return None
