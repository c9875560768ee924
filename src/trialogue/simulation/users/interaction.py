"""Interaction models: transition counts of acts in annotated dialogues.

A model holds counts and no text: which user label follows which (a Markov chain, sampled by the interaction model CIR6 of
Zhang and Balog, KDD 2020), which user label answers an agent label, the same chain with the agent's messages between as
classes of QRFA (Query, Request, Feedback, Answer; Vakulenko et al., ECIR 2019), and the label sequences of whole dialogues.
``agenda`` samples from it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Dialogue, JsonValue, Speaker
from trialogue.records.files.jsonl import read_lines
from trialogue.records.files.opening import write_text
from trialogue.simulation.actions import KDD2020, QRFA_RELEASED, ActionSpace, Qrfa
from trialogue.simulation.random_source import Weighted

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


SCHEMA = 1
SHORTEST_TRACE = 4  # user turns; the released code takes dialogues with "more than 3" for its QRFA agendas


@dataclass(frozen=True)
class Trace:
    """User labels of one dialogue, and how typical its transitions are."""

    labels: tuple[str, ...]
    """User labels in order."""
    score: float
    """Mean count of its class bigrams in all dialogues; the higher, the more typical."""


@dataclass(frozen=True)
class InteractionModel:
    """Transition counts from annotated dialogues. Labels are in order of appearance, which fixes random draws."""

    name: str
    """Name of the data."""
    chain: Counts
    """Counts of the user's next label (or ``END``) after a user label."""
    replies: Counts
    """Counts of user labels directly after an agent label."""
    steps: Counts
    """As ``chain``, with the classes Request and Answer of the agent's messages between."""
    traces: tuple[Trace, ...]
    """Whole dialogues with more than three user turns, the most typical first."""
    openings: Mapping[str, int]
    """Counts of first user labels."""
    dialogues: int
    """Number of dialogues that the counts are from."""
    space: ActionSpace = KDD2020
    """Meaning of the labels."""
    sequences: tuple[tuple[Label, ...], ...] = ()
    """(speaker, label) of the dialogues with user labels; (): not kept by the version that fitted the model."""

    def without_sequences(self, purpose: str) -> UsageError:
        """Error if the dialogues are needed and were not kept."""
        return UsageError(
            f"the users {self.name!r} contain no annotated dialogues, but the option {purpose} them. Fit them again "
            "(trialogue users fit)."
        )

    def with_qrfa(self, qrfa: Qrfa) -> "InteractionModel":
        """The model with other classes of labels; unchanged for the classes that models are fitted with.

        Raises:
            UsageError: the dialogues were not kept.
        """
        if qrfa == QRFA_RELEASED:
            return self
        if not self.sequences:
            raise self.without_sequences("qrfa: paper counts classes in")
        return replace(
            self,
            steps=_count_steps(self.sequences, qrfa),
            traces=_traces(self.sequences, qrfa, class_bigrams(self.sequences, qrfa=qrfa)),
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """User labels that can be sampled, in order of appearance."""
        drawn = [*self.chain, *(label for counts in self.replies.values() for label in counts)]
        return tuple(dict.fromkeys(drawn))

    @cached_property
    def next_label(self) -> dict[str, Weighted[str]]:
        """Weights of the next user label, or ``END``, by user label."""
        return _tables(self.chain)

    @cached_property
    def next_step(self) -> dict[str, Weighted[str]]:
        """Weights of the next user label, agent class or ``END``, by user label or agent class."""
        return _tables(self.steps)

    @cached_property
    def reply_to(self) -> dict[str, Weighted[str]]:
        """Weights of the user label that answers an agent label."""
        return _tables(self.replies)

    @cached_property
    def any_reply(self) -> Weighted[str]:
        """Weights of the user label that answers an agent label without counts of its own: those over all agent labels.

        All labels of the model weigh the same if no reply was counted at all.
        """
        total: Counter[str] = Counter()
        for counts in self.replies.values():
            total.update(counts)
        return Weighted(total or dict.fromkeys(self.labels or (self.opening_label,), 1))

    @cached_property
    def opening_label(self) -> str:
        """The user's first label: that of the action space, or else the most frequent first one."""
        own = self.space.roles.opening
        if own in self.chain or not self.openings:
            return own
        return max(self.openings, key=lambda label: self.openings[label])

    def to_json(self) -> dict[str, JsonValue]:
        """Plain JSON values."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "dialogues": self.dialogues,
            "chain": {label: dict(counts) for label, counts in self.chain.items()},
            "replies": {label: dict(counts) for label, counts in self.replies.items()},
            "steps": {label: dict(counts) for label, counts in self.steps.items()},
            "openings": dict(self.openings),
            "traces": [{"labels": list(trace.labels), "score": trace.score} for trace in self.traces],
            "space": self.space.to_json(),
            "sequences": [[list(label) for label in labels] for labels in self.sequences],
        }

    def save(self, path: Path | str) -> None:
        """Write as JSON."""
        write_text(Path(path), json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path | str) -> "InteractionModel":
        """Read a file written by ``save``.

        Raises:
            DataError: no such file, or not an interaction model.
        """
        text = "".join(line for _, line in read_lines(Path(path)))
        try:
            return cls.from_json(json.loads(text))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            hint = "Fit the users again, or restore the file."
            raise DataError(Problem(f"this is not an interaction model ({error!r}).", str(path), hint=hint)) from error

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "InteractionModel":
        """Inverse of ``to_json``; ValueError, TypeError, LookupError or AttributeError for anything else."""
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']!r} instead of {SCHEMA}")
        return cls(
            name=str(data["name"]),
            chain=_counts(data["chain"]),
            replies=_counts(data["replies"]),
            steps=_counts(data["steps"]),
            traces=tuple(Trace(tuple(map(str, trace["labels"])), float(trace["score"])) for trace in data["traces"]),
            openings={str(label): int(count) for label, count in data["openings"].items()},
            dialogues=int(data["dialogues"]),
            space=ActionSpace.from_json(data["space"]),
            sequences=tuple(
                tuple((speaker, str(label)) for speaker, label in labels) for labels in data.get("sequences", ())
            ),
        )


def fit_interaction(
    dialogues: Iterable[Dialogue],
    *,
    name: str = "fitted",
    space: ActionSpace = KDD2020,
    qrfa: Qrfa = QRFA_RELEASED,
    usual: Mapping[tuple[str, str], int] | None = None,
) -> InteractionModel:
    """Count an interaction model in annotated dialogues; utterances without an act are skipped.

    Args:
        dialogues: annotated dialogues.
        name: name of the data.
        space: meaning of the labels.
        qrfa: classes of labels.
        usual: counts of class bigrams by which a dialogue's typicality is scored; None: those of these dialogues. (The
            released code has one table for its three agents.)

    Raises:
        DataError: no utterance of a user has a label.
    """
    sequences = [labels for dialogue in dialogues if (labels := labels_of(dialogue))]
    users = [tuple(label for speaker, label in labels if speaker == "user") for labels in sequences]
    if not any(users):
        hint = "Users are fitted on dialogues with an act on every utterance, such as those of kdd2020."
        raise DataError(Problem("no user utterance of these dialogues has an act.", hint=hint))
    return InteractionModel(
        name=name,
        chain=transition_counts(users),
        replies=replies(sequences),
        steps=_count_steps(sequences, qrfa),
        traces=_traces(sequences, qrfa, class_bigrams(sequences, qrfa=qrfa) if usual is None else usual),
        openings=dict(Counter(user_labels[0] for user_labels in users if user_labels)),
        dialogues=len(sequences),
        space=space,
        sequences=tuple(tuple(labels) for labels, own in zip(sequences, users, strict=True) if own),
    )


def _count_steps(sequences: Iterable[Sequence[Label]], qrfa: Qrfa) -> Counts:
    return transition_counts(with_classes(labels, qrfa) for labels in sequences)


def _traces(
    sequences: Sequence[Sequence[Label]], qrfa: Qrfa, usual: Mapping[tuple[str, str], int]
) -> tuple[Trace, ...]:
    """Dialogues that are long enough, the most typical first."""
    traces = [
        Trace(tuple(label for speaker, label in labels if speaker == "user"), typicality(labels, qrfa, usual))
        for labels in sequences
    ]
    return tuple(sorted((t for t in traces if len(t.labels) >= SHORTEST_TRACE), key=lambda trace: -trace.score))


def _tables(counts: Counts) -> dict[str, Weighted[str]]:
    return {label: Weighted(following) for label, following in counts.items() if any(following.values())}


def _counts(data: Mapping[str, Any]) -> Counts:
    return {
        str(label): {str(name): int(count) for name, count in following.items()} for label, following in data.items()
    }
