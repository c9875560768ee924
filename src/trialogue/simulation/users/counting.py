"""Count act transitions in annotated dialogues, over labels, QRFA classes and coarse actions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from trialogue.records import Dialogue, Speaker
from trialogue.simulation.actions import QRFA_RELEASED, Qrfa

END = "<end>"
"""Successor of the last label."""

Label = tuple[Speaker, str]
Counts = Mapping[str, Mapping[str, int]]
"""Transition counts: inner value by label (outer key) and next label (inner key), in order of appearance."""


def labels_of(dialogue: Dialogue) -> list[Label]:
    """(speaker, label) of every annotated utterance in order; the first act's if there are several.

    Utterances without an act, or with empty intents only, are left out.
    """
    found: list[Label] = []
    for utterance in dialogue.utterances:
        label = next((act.intent for act in utterance.acts or () if act.intent), None)
        if label is not None:
            found.append((utterance.speaker, label))
    return found


def bigrams(dialogues: Iterable[Sequence[Label]]) -> Counter[tuple[Label, Label]]:
    """Counts of directly consecutive labels within dialogues, without start and end."""
    return Counter(pair for labels in dialogues for pair in pairwise(labels))


def class_bigrams(dialogues: Iterable[Sequence[Label]], *, qrfa: Qrfa = QRFA_RELEASED) -> Counter[tuple[str, str]]:
    """Counts of consecutive QRFA classes; pairs with an unclassified label are omitted."""
    counts: Counter[tuple[str, str]] = Counter()
    for (first, second), count in bigrams(dialogues).items():
        before, after = qrfa.class_of(*first), qrfa.class_of(*second)
        if before and after:
            counts[before, after] += count
    return counts


def state_bigrams(dialogues: Iterable[Sequence[Label]], states: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """Counts of consecutive coarse user actions, with ``END`` after the last; unmapped labels are kept."""
    counts: Counter[tuple[str, str]] = Counter()
    for labels in dialogues:
        said = [states.get(label, label) for speaker, label in labels if speaker == "user"]
        counts.update(zip(said, [*said[1:], END], strict=False))
    return counts


def transition_counts(sequences: Iterable[Sequence[str]]) -> Counts:
    """Counts of labels, or ``END``, following each label in these sequences."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for labels in sequences:
        for before, after in pairwise((*labels, END)):
            counts[before][after] += 1
    return {label: dict(following) for label, following in counts.items()}


def replies(dialogues: Iterable[Sequence[Label]]) -> Counts:
    """Counts of user labels directly after each agent label.

    (The released code counts an agent message after another one, too, so that its users may try to "List".)
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for labels in dialogues:
        for (first, before), (second, after) in pairwise(labels):
            if first == "system" and second == "user":
                counts[before][after] += 1
    return {label: dict(following) for label, following in counts.items()}


def with_classes(labels: Iterable[Label], qrfa: Qrfa) -> list[str]:
    """User labels, and QRFA classes of agent labels; unclassified agent labels are omitted."""
    mixed = [label if speaker == "user" else qrfa.class_of(speaker, label) for speaker, label in labels]
    return [label for label in mixed if label is not None]


def typicality(labels: Sequence[Label], qrfa: Qrfa, usual: Mapping[tuple[str, str], int]) -> float:
    """Mean count, in ``usual``, of a dialogue's class bigrams; 0 for a dialogue without any."""
    classes = [qrfa.class_of(speaker, label) or "" for speaker, label in labels]
    pairs = list(pairwise(classes))
    return sum(usual.get(pair, 0) for pair in pairs) / len(pairs) if pairs else 0.0
