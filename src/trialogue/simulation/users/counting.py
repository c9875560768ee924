"""Count act transitions in annotated dialogues, over labels, QRFA classes and coarse actions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from trialogue.records import Dialogue, Speaker
from trialogue.simulation.actions import QRFA_RELEASED, Qrfa

END = "<end>"
"""What follows the last label."""

Label = tuple[Speaker, str]
Counts = Mapping[str, Mapping[str, int]]
"""How often (inner value) a label (inner key) follows a label (outer key), in order of appearance."""


def labels_of(dialogue: Dialogue) -> list[Label]:
    """(speaker, label) of every annotated utterance in order, the first act's where there are several.

    Utterances without an act, or with empty intents only, are left out.
    """
    found: list[Label] = []
    for utterance in dialogue.utterances:
        label = next((act.intent for act in utterance.acts or () if act.intent), None)
        if label is not None:
            found.append((utterance.speaker, label))
    return found


def bigrams(dialogues: Iterable[Sequence[Label]]) -> Counter[tuple[Label, Label]]:
    """How often a label follows a label directly, within dialogues; start and end are no labels."""
    return Counter(pair for labels in dialogues for pair in pairwise(labels))


def class_bigrams(dialogues: Iterable[Sequence[Label]], *, qrfa: Qrfa = QRFA_RELEASED) -> Counter[tuple[str, str]]:
    """The same for classes of QRFA; pairs with a label of no class are left out."""
    counts: Counter[tuple[str, str]] = Counter()
    for (first, second), count in bigrams(dialogues).items():
        before, after = qrfa.class_of(*first), qrfa.class_of(*second)
        if before and after:
            counts[before, after] += count
    return counts


def state_bigrams(dialogues: Iterable[Sequence[Label]], states: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """How often a coarse user action follows another, ``END`` after the last; labels without one stand for themselves."""
    counts: Counter[tuple[str, str]] = Counter()
    for labels in dialogues:
        said = [states.get(label, label) for speaker, label in labels if speaker == "user"]
        counts.update(zip(said, [*said[1:], END], strict=False))
    return counts


def successions(sequences: Iterable[Sequence[str]]) -> Counts:
    """How often a label, or ``END``, follows a label in these sequences."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for labels in sequences:
        for before, after in pairwise((*labels, END)):
            counts[before][after] += 1
    return {label: dict(following) for label, following in counts.items()}


def replies(dialogues: Iterable[Sequence[Label]]) -> Counts:
    """How often a user label comes right after an agent label; other neighbours do not count.

    (The released code counts an agent message after another one, too, so that its users may try to "List".)
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for labels in dialogues:
        for (first, before), (second, after) in pairwise(labels):
            if first == "system" and second == "user":
                counts[before][after] += 1
    return {label: dict(following) for label, following in counts.items()}


def with_classes(labels: Iterable[Label], qrfa: Qrfa) -> list[str]:
    """User labels as they are, and for agent labels their QRFA class; agent labels of no class are left out."""
    mixed = [label if speaker == "user" else qrfa.class_of(speaker, label) for speaker, label in labels]
    return [label for label in mixed if label is not None]


def usualness(labels: Sequence[Label], qrfa: Qrfa, usual: Mapping[tuple[str, str], int]) -> float:
    """Mean count, in ``usual``, of a dialogue's class bigrams; 0 for a dialogue without any."""
    classes = [qrfa.class_of(speaker, label) or "" for speaker, label in labels]
    pairs = list(pairwise(classes))
    return sum(usual.get(pair, 0) for pair in pairs) / len(pairs) if pairs else 0.0
