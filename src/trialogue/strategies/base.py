"""Interfaces of strategy classifiers, and the labelled sentences they are trained on.

A classifier maps sentences to probabilities over its classes. It is created by a *fit*: a function from examples to a
classifier, which is all that calibration and evaluation need to know about a model.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import NO_STRATEGY, STRATEGIES, Dialogue, Record, Speaker, Utterance

CLASSES: tuple[str, ...] = (*STRATEGIES, NO_STRATEGY)

PRINTED = {"redibility": "credibility", "acknowledgement": "acknowledgment", "none": "no_strategy"}
"""Spellings found in print: "redibility" is Yang et al. (SIGIR 2024), section 3.1."""


def canonical(name: str, *, mapping: Mapping[str, str] | None = None) -> str:
    """Canonical strategy of a name, ignoring case, blanks and hyphens.

    Args:
        name: as found in a file.
        mapping: other people's names to ours; looked up first, as written.

    Raises:
        UnknownNameError: it is none of the 14; the nearest are in the message.

    >>> canonical("Opinion Inquiry"), canonical("ask", mapping={"ask": "opinion_inquiry"})
    ('opinion_inquiry', 'opinion_inquiry')
    """
    meant = (mapping or {}).get(name, name)
    plain = re.sub(r"[\s-]+", "_", meant.strip().lower())
    plain = PRINTED.get(plain, plain)
    if plain not in CLASSES:
        hint = "Map the names of another label set to these with a file of pairs, such as {'ask': 'opinion_inquiry'}."
        raise UnknownNameError("strategy", meant, CLASSES, hint=hint)
    return plain


Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Context: TypeAlias = tuple[tuple[Speaker, str], ...]
"""Dialogue history before a sentence, oldest first: (speaker, text)."""

MAX_CONTEXT = 6  # utterances of context kept with an example; none of our models looks further back


class Example(Record):
    """A recommender's sentence with its strategy, for training and evaluation."""

    kind: ClassVar[str] = "example"

    text: str
    """Text of the sentence."""
    label: str
    """Name of its strategy, such as ``opinion_inquiry``."""
    dialogue_id: str | None = None
    """Dialogue it is from: sentences of one dialogue are never on both sides of a split by dialogue."""
    context: Context = ()
    """Utterances before it, oldest first; (): none, or not kept."""
    source: str | None = None
    """Corpus or file it is from."""


@runtime_checkable
class StrategyClassifier(Protocol):
    """Protocol of strategy classifiers."""

    @property
    def name(self) -> str:
        """Kind of model, such as ``"tfidf"``."""
        ...

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies in the order of its probabilities."""
        ...

    @property
    def origin(self) -> str:
        """Model, version and hash of its training data, such as ``"tfidf|v1|data:abc123"``."""
        ...

    @property
    def uses_context(self) -> bool:
        """Whether probabilities depend on the preceding utterances."""
        ...

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """Probability of each class for each sentence, shape (n, n_classes); rows sum to 1.

        A row depends on its own sentence (and context) only, never on the others. Contexts are ignored by models that
        do not use them; a model that does takes a missing context for the beginning of a dialogue.
        """
        ...


class PairClassifier(Protocol):
    """Protocol of pair classifiers, such as ``CrossEncoder``: whether two sentences share a strategy."""

    @property
    def origin(self) -> str:
        """Model, version and hash of its training data."""
        ...

    def same_probability(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Probability that each pair shares a strategy, at a prior of one half; shape (n,)."""
        ...


Fit: TypeAlias = Callable[[Sequence[Example]], StrategyClassifier]
"""Trains a labeller; the same examples in the same order give the same labeller."""


def ordered_classes(labels: Iterable[str]) -> tuple[str, ...]:
    """Distinct labels: the 13 strategies in the paper's order, ``no_strategy``, then others by name.

    >>> ordered_classes(["no_strategy", "similarity", "credibility", "similarity"])
    ('credibility', 'similarity', 'no_strategy')
    """
    distinct = set(labels)
    return (*(name for name in CLASSES if name in distinct), *sorted(distinct.difference(CLASSES)))


def data_hash(examples: Iterable[Example]) -> str:
    """Six hex digits that depend on every text, label, dialogue and context, and on the order of the examples."""
    digest = hashlib.sha256()
    for example in examples:
        row = [example.text, example.label, example.dialogue_id, example.context]
        digest.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return digest.hexdigest()[:6]


def settings_mark(recipe: object) -> str:
    """Suffix of an origin for non-default settings: ``|set:`` and six hex digits, or empty.

    The encoder and whether context counts are left out: origins name them themselves, and a folder's path says nothing.

    Args:
        recipe: a dataclass whose fields are settings.
    """
    own = {each.name: getattr(recipe, each.name) for each in fields(recipe)}  # type: ignore[arg-type]
    usual = {each.name: _default_of(each) for each in fields(recipe)}  # type: ignore[arg-type]
    others = {name: value for name, value in own.items() if name not in NAMED_ELSEWHERE and value != usual[name]}
    if not others:
        return ""
    return "|set:" + hashlib.sha256(json.dumps(others, sort_keys=True, default=str).encode()).hexdigest()[:6]


NAMED_ELSEWHERE = ("encoder", "use_context")


def _default_of(setting: "Field[Any]") -> object:
    return setting.default_factory() if setting.default_factory is not MISSING else setting.default


def check_examples(examples: Sequence[Example], *, least_classes: int = 2) -> None:
    """Raise UsageError unless there are examples of at least this many classes, each with text."""
    if not examples:
        raise UsageError("there are no labelled sentences to train on. Do the data contain strategy labels?")
    classes = ordered_classes(example.label for example in examples)
    if len(classes) < least_classes:
        raise UsageError(f"expected at least {least_classes} different strategies, got only {', '.join(classes)}.")
    if empty := sum(not example.text.strip() for example in examples):
        raise UsageError(f"{empty} of {len(examples)} labelled sentences are empty. Remove them.")


def examples_of(
    dialogues: Iterable[Dialogue],
    *,
    origin: str = "expert",
    classes: Sequence[str] = CLASSES,
    context: int = 3,
    mapping: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """Extract the labelled sentences of the system's utterances, in order.

    A label that names its sentence (``StrategyLabel.text``) belongs to it, any other to the whole utterance; of several
    for one sentence the first counts. Sentences without text are left out.

    Args:
        dialogues: dialogues with labels.
        origin: whose labels; the default are a corpus' own first labels.
        classes: labels of other classes are left out. All 13 strategies and ``no_strategy`` by default.
        context: how many utterances before are kept with each example.
        mapping: names in the data to names of classes; other spellings of ours ("Opinion Inquiry") are understood anyway.

    Raises:
        UnknownNameError: a label is none of the 14 and not mapped, and ``classes`` are among the 14.
        UsageError: more than MAX_CONTEXT utterances of context are asked for.
    """
    if not 0 <= context <= MAX_CONTEXT:
        raise UsageError(f"context must be 0 to {MAX_CONTEXT} utterances, got {context}.")
    names = _Names(frozenset(classes), mapping or {})
    for dialogue in dialogues:
        before: list[tuple[Speaker, str]] = []
        for utterance in dialogue.utterances:
            for text, given in _labels(utterance, origin):
                label = names.class_of(given)
                if label is not None and text.strip():
                    said = tuple(before[-context:]) if context else ()
                    yield Example(text=text, label=label, dialogue_id=dialogue.id, context=said, source=dialogue.source)
            before.append((utterance.speaker, utterance.text))


@dataclass(frozen=True)
class _Names:
    wanted: frozenset[str]
    mapping: Mapping[str, str]

    def class_of(self, given: str) -> str | None:
        """The class that a label means; None for one that is not wanted."""
        name = self.mapping.get(given, given)
        if name not in self.wanted and name not in CLASSES and self.wanted <= set(CLASSES):
            name = canonical(name)
        return name if name in self.wanted else None


def _labels(utterance: Utterance, origin: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    if utterance.speaker == "system":
        for label in utterance.strategies or ():
            if label.origin == origin:
                found.setdefault(utterance.text if label.text is None else label.text, label.strategy)
    return list(found.items())


class Savable(StrategyClassifier, Protocol):
    """A classifier that can be saved to a folder."""

    def save(self, folder: Path) -> None:
        """Write the model into an existing folder, in files of its own names (not ``model.json``)."""
        ...


@dataclass(frozen=True)
class Kind:
    """A kind of model, with its training and loading functions. Registered as ``trialogue.strategies``."""

    name: str
    """Name on the command line, such as ``"tfidf"``."""
    summary: str
    """Description in one sentence."""
    recipe: Callable[..., Callable[[Sequence[Example]], Savable]]
    """Takes the settings as keyword arguments (all with defaults, all JSON values) and gives the fit."""
    load: Callable[[Path], Savable]
    """Reads what ``save`` wrote into a folder."""
