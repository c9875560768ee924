"""Summarise dialogues for a passport: counts and features of the user's side, and gate results."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from trialogue.fingerprints import TrainingDialogues, normalise
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records import Dialogue, Ending
from trialogue.subjects.simulated_users.commands.beside import user_messages
from trialogue.subjects.simulated_users.commands.realism_features import (
    acts_of,
    features_of,
    is_annotated,
    user_turns_of,
)
from trialogue.subjects.simulated_users.distances import Aspect
from trialogue.subjects.simulated_users.gates import GateFlags
from trialogue.subjects.simulated_users.user_sample import UserSample

LONG = 5  # words of a message that is a copy if somebody else wrote the same; shorter ones recur
SHARED_LABELS = 0.5  # of the labels on each side that both must know, so that annotated acts can be compared
ENDINGS = {
    Ending.AGENDA_EMPTY: "user",
    Ending.USER_GAVE_UP: "user",
    Ending.USER_ENDED: "user",
    Ending.AGENT_ENDED: "agent",
    Ending.TURN_LIMIT: "limit",
    Ending.OTHER: "other",
}
"""Party that ended a dialogue; all failures are one further kind."""


def user_side(dialogues: Sequence[Dialogue], *, from_labels: bool) -> UserSample:
    """The users of some dialogues, counted.

    Args:
        dialogues: dialogues in each of which the user says something.
        from_labels: whether acts are those annotated, or those recognised in the text.
    """
    said = [user_turns_of(dialogue) for dialogue in dialogues]
    counts: dict[str, tuple[Counter[Hashable], ...]] = {
        Aspect.ACTS: tuple(Counter[Hashable](acts_of(each, from_labels=from_labels)) for each in dialogues),
        Aspect.VOCABULARY: tuple(Counter[Hashable](word for turn in each.words for word in turn) for each in said),
        Aspect.LENGTHS: tuple(Counter[Hashable](len(turn) for turn in each.words) for each in said),
        Aspect.TURNS: tuple(Counter[Hashable]([len(each.turns)]) for each in said),
        Aspect.ENDINGS: tuple(map(_ending, dialogues)),
        Aspect.COPYING: tuple(map(_long_messages, dialogues)),
    }
    return UserSample(
        rows=np.array([features_of(dialogue) for dialogue in dialogues], dtype=np.float64),
        clusters=tuple(dialogue.cluster for dialogue in dialogues),
        systems=tuple(dialogue.system or "" for dialogue in dialogues),
        counts=counts,
    )


def _ending(dialogue: Dialogue) -> Counter[Hashable]:
    """Party that ended a dialogue; empty if not recorded."""
    if dialogue.ended_by is None:
        return Counter()
    return Counter([ENDINGS.get(dialogue.ended_by, "failure")])


def _long_messages(dialogue: Dialogue) -> Counter[Hashable]:
    texts = [normalise(each.text) for each in dialogue.utterances if each.speaker == "user"]
    return Counter(text for text in texts if len(text.split()) >= LONG)


def annotated_alike(real: Sequence[Dialogue], simulated: Sequence[Dialogue]) -> bool:
    """Whether acts are annotated on both sides, mostly with labels that both sides have."""
    if not (is_annotated(real) and is_annotated(simulated)):
        return False
    sides = [sum((acts_of(each, from_labels=True) for each in side), Counter[str]()) for side in (real, simulated)]
    shared = set(sides[0]) & set(sides[1])
    return all(sum(side[label] for label in shared) >= SHARED_LABELS * side.total() for side in sides)


def gate_flags(dialogues: Sequence[Dialogue], catalogue: str | None = None) -> GateFlags:
    """Results of every gate on dialogues, with the values of their needs.

    Args:
        dialogues: the dialogues.
        catalogue: of the items that needs are about, as ``load_catalogue`` takes it; None: unknown.
    """
    vocabulary = vocabulary_of(each.need for each in dialogues if each.need is not None)
    facts = None
    if catalogue is not None and any(each.need for each in dialogues):
        from trialogue.inputs.knowledge import facts_of_catalogue  # here: most evaluations need no catalogue

        facts = facts_of_catalogue(catalogue)
    flags = tuple(gates_in(each, vocabulary, facts) for each in dialogues)
    return GateFlags(flags, tuple(each.cluster for each in dialogues))


def copied_dialogues(real: Iterable[Dialogue], simulated: Sequence[Dialogue]) -> int:
    """Simulated dialogues whose every message stands, in this order, in a real one."""
    known = {tuple(each.text for each in dialogue.utterances) for dialogue in real}
    return sum(tuple(each.text for each in dialogue.utterances) in known for dialogue in simulated)


def recognised_dialogues(real: Sequence[Dialogue], trained: TrainingDialogues | None) -> int:
    """Real dialogues that users were fitted on."""
    return 0 if trained is None else sum(trained.recognise(each) is not None for each in real)


def models_of(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    """Messages of users by the model that answered for them, with its fingerprint where the endpoint gives one."""
    counts: Counter[str] = Counter()
    for each in user_messages(dialogues):
        if (model := each.meta.get("model")) is not None:
            fingerprint = each.meta.get("system_fingerprint")
            counts[str(model) if fingerprint is None else f"{model} ({fingerprint})"] += 1
    return dict(sorted(counts.items()))


def with_names(dialogues: Iterable[Dialogue], names: Mapping[str, str]) -> list[Dialogue]:
    """Dialogues whose systems have the names that simulated users know them by."""
    return [each.model_copy(update={"system": names.get(each.system or "", each.system)}) for each in dialogues]
