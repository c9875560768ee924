"""Metric interfaces and the units that metrics score.

A metric scores *units*: replies (``Reply``) or whole dialogues. It is one of three kinds, defined by what its value is a
function of; the kind decides how its error is estimated:

* ``SumMetric``: a function of sums of sufficient statistics over units (a mean, a ratio of totals, corpus BLEU from n-gram
  matches). Its interval is a cluster bootstrap of the sums, so it costs one matrix product whatever the metric.
* ``CountMetric``: a function of how many *distinct* things occur (distinct-n). Resampling with replacement loses distinct
  things, so the bootstrap is biased; the interval is a delete-one-cluster jackknife.
* ``NeedMetric``: a function of all dialogues and all needs together (lift). Its interval is a delete-one-need jackknife.

There is no base class that a metric must inherit from: a class with the right attributes is a metric (see
``docs/guide/metrics.md``). ``RatioMetric`` has those that most metrics share.
"""

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, ClassVar, Literal, Protocol, TypeVar, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.names import Parameter, full_name
from trialogue.records import Card, Dialogue, Ending, Reason, Role, Utterance

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, init=False)
class Undefined:
    """Returned instead of a value: the reason why there is none."""

    why: Reason

    def __init__(self, why: Reason | str) -> None:
        """From a reason; a plain string, as from a plug-in, becomes ``OTHER``."""
        object.__setattr__(self, "why", why if isinstance(why, Reason) else Reason.other(why))


Value = float | Undefined


@dataclass(frozen=True, slots=True)
class Reply:
    """A system utterance in its context, as response metrics receive it."""

    system: str
    """Name of the system that said it."""
    utterance: Utterance
    """Utterance, with its labels, mentions and ranking."""
    context: Sequence[Utterance] = ()
    """Dialogue history, oldest first."""
    reference: Utterance | None = None
    """The human recommender's reply in the same situation, if known."""
    references: tuple[str, ...] | None = None
    """Texts that metrics of texts compare with, none of them blank; None: that of ``reference`` alone."""
    targets: tuple[str, ...] | None = None
    """Ids of the items that were right to recommend; None: unknown."""
    turn: int = 0
    """System turns before this one; 0 for the first."""
    index: int | None = None
    """Index of the utterance in its dialogue."""
    dialogue_id: str | None = None
    """The dialogue it was said in; None for a reply to a situation."""
    situation_id: str | None = None
    """The situation it answers, in offline evaluation."""
    failure: Ending | None = None
    """Failure of the system to reply; None: it replied."""
    role: Role = Role.SYSTEM
    """Whether the system is evaluated, or a baseline."""

    @property
    def reference_texts(self) -> tuple[str, ...]:
        """Texts that metrics of texts compare with."""
        if self.references is not None:
            return self.references
        return () if self.reference is None else (self.reference.text,)

    @property
    def text(self) -> str:
        """Text of the reply."""
        return self.utterance.text


@dataclass(frozen=True, slots=True)
class Conversation:
    """One system's share of a conversation: its replies, and the dialogue if the system took part in one."""

    system: str
    """Name of the system."""
    cluster: str
    """Resampling unit: the person or the dialogue."""
    replies: Sequence[Reply]
    """Its replies, in order; those of a dialogue are made anew by each look at them."""
    dialogue: Dialogue | None = None
    """The dialogue; None for replies to situations of other people's dialogues."""
    dialogue_id: str | None = None
    """Id of the dialogue, or of the dialogue that the situations were cut from."""
    role: Role = Role.SYSTEM
    """Whether the system is evaluated, or a baseline."""

    @property
    def utterances(self) -> list[Utterance]:
        """What the system says in the replies."""
        if isinstance(self.replies, DialogueReplies):
            return self.replies.utterances
        return [reply.utterance for reply in self.replies]

    @property
    def texts(self) -> list[str]:
        """Texts of the replies."""
        return [said.text for said in self.utterances]

    @property
    def user_texts(self) -> list[str]:
        """What the user says in the dialogue."""
        said = () if self.dialogue is None else self.dialogue.utterances
        return [utterance.text for utterance in said if utterance.speaker == "user"]

    @property
    def unanswered(self) -> list[str]:
        """What the user said last, without a reply; the latest first."""
        said = () if self.dialogue is None else self.dialogue.utterances
        return [each.text for each in takewhile(lambda each: each.speaker == "user", reversed(said))]


def group_by_system(conversations: Iterable[Conversation]) -> dict[str, list[Conversation]]:
    """Group conversations by system, in order of first occurrence."""
    groups: dict[str, list[Conversation]] = {}
    for conversation in conversations:
        groups.setdefault(conversation.system, []).append(conversation)
    return groups


UnitT = TypeVar("UnitT", bound=Reply | Dialogue, contravariant=True)


class Metric(Protocol):
    """Attributes common to both kinds of metrics."""

    @property
    def card(self) -> Card:
        """Card of the metric."""
        ...

    @property
    def measure(self) -> str:
        """Full name: metric, parameters, variant and version, such as ``distinct(n=2)@ratio|v1``."""
        ...


@runtime_checkable
class SumMetric(Metric, Protocol[UnitT]):
    """Protocol of metrics that are a function of sums over units (``card.level`` names the unit)."""

    @property
    def per_dialogue(self) -> bool:
        """Whether the system's value is the mean over conversations of their values (otherwise pooled over units)."""
        ...

    def statistics(self, unit: UnitT) -> Sequence[float] | Undefined:
        """The unit's sufficient statistics, always of the same length; Undefined units do not count."""
        ...

    def combine(self, sums: Array) -> Array:
        """Values of shape (...) from sums of shape (..., k); NaN where undefined."""
        ...


@runtime_checkable
class HasDefaultRow(Protocol):
    """A metric whose undefined units count as one default row, if the system has defined ones.

    Files of some formats record how a dialogue ended only if something failed. Leaving the others out would make the share
    of failures 1 as soon as one dialogue failed; where nothing at all is recorded, there is no share.
    """

    @property
    def default_row(self) -> Sequence[float]:
        """Statistics of an undefined unit."""
        ...


@dataclass(frozen=True, slots=True)
class DistinctTypes:
    """One reply's contribution to a count of distinct types."""

    seen: Sequence[Hashable]
    """The things, with repetitions."""
    extra: float = 0.0
    """A further amount that is summed (1 for a counted reply, say)."""


@dataclass(frozen=True)
class EqualSize:
    """Quantity that is equalised between systems before distinct types are compared (see ``stats.rarefaction``)."""

    of: Literal["total", "extra"]
    """Equalised quantity: number of instances, or an extra sum (such as replies)."""
    noun: str
    """Name of the quantity, such as ``"n-grams"``."""


@runtime_checkable
class CountMetric(Metric, Protocol):
    """Protocol of metrics that are a function of (distinct types, tokens, summed extra).

    With an attribute ``equal_size``, two systems are rarefied to equal amounts of this quantity and then compared;
    without one, systems whose numbers of replies differ are not compared.
    """

    def types(self, unit: Reply) -> DistinctTypes | Undefined:
        """Contribution of a reply."""
        ...

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        """Metric values from counts, elementwise; NaN where undefined."""
        ...


@runtime_checkable
class ConcentrationMetric(CountMetric, Protocol):
    """Protocol of count metrics that are a function of how many types occur in how many clusters, such as Gini's."""

    def concentration(self, occurrences: Array, items: Array) -> float:
        """The value where ``items[i]`` types occur in ``occurrences[i]`` clusters, ascending; NaN where undefined."""
        ...


@dataclass(frozen=True, slots=True)
class NeedCourse:
    """What a dialogue contributes to a metric of needs: its user's need, and the items that the system offered."""

    acceptable: frozenset[str]
    """Ids of the items that satisfy the need."""
    items: tuple[tuple[str, int], ...]
    """(id, turn) of every counted item, in order."""
    beyond: tuple[tuple[str, int], ...] = ()
    """(id, turn) of items that do not count, such as the fourth item of a turn. A need that such an item satisfies
    first counts as unmet.
    """
    is_failed: bool = False
    """Whether the dialogue failed by the agent's fault, so that its need counts as unmet."""


@runtime_checkable
class NeedMetric(Metric, Protocol):
    """Protocol of metrics that compare what dialogues offer with the needs of all of them (``stats.lift``)."""

    @property
    def turns(self) -> int:
        """Number of turns that count."""
        ...

    @property
    def least_needs(self) -> int:
        """Minimum number of different needs for a value."""
        ...

    def course(self, unit: Dialogue) -> NeedCourse | Undefined:
        """Contribution of a dialogue."""
        ...


AnyMetric = SumMetric[Any] | CountMetric | NeedMetric

OFFLINE_NEEDS = frozenset({"reference", "targets", "ranking"})


def needs_offline(metric: AnyMetric) -> bool:
    """Whether a metric is only meaningful for replies to given situations."""
    return not OFFLINE_NEEDS.isdisjoint(metric.card.needs)


def ratio(sums: Array) -> Array:
    """First sum over the second, shape (...) from (..., k): ``combine`` of a mean or a pooled ratio."""
    first: Array = sums[..., 0] / sums[..., 1]
    return first


class RatioMetric:
    """Base of metrics whose value is one sum over another: a mean over replies or dialogues, or a pooled share.

    A subclass has ``card`` and ``statistics``: (amount, weight) of a unit. One with parameters has its own ``__init__``,
    which calls ``declare``.
    """

    card: Card
    measure: str
    variant: str
    per_dialogue = False
    of_variants: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """By variant: fields of the card that have other values."""
    dialogue_means: ClassVar[Collection[str]] = ()
    """Variants whose value is the mean over conversations of their values."""

    def __init__(self, *, variant: str | None = None) -> None:
        self.declare(variant)

    def declare(self, variant: str | None, **parameters: Parameter) -> None:
        """Set the variant (None: the card's default), the full name with its parameters, and the card of the variant."""
        self.variant = self.card.default if variant is None else variant
        self.measure = full_name(self.card, self.variant, parameters)
        self.per_dialogue = self.variant in self.dialogue_means
        if self.variant in self.of_variants:
            self.card = self.card.model_copy(update=self.of_variants[self.variant])

    def combine(self, sums: Array) -> Array:
        """First sum over the second: the mean, or the share."""
        return ratio(sums)


class UtteranceMetric(RatioMetric):
    """Base of metrics of what a reply says, whatever was said before; an utterance that occurs again is measured once."""

    @abstractmethod
    def of_utterance(self, said: Utterance) -> Sequence[float] | Undefined:
        """(amount, weight) of an utterance."""

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(amount, weight) of a reply."""
        return self.of_utterance(unit.utterance)


class DialogueReplies(Sequence[Reply]):
    """Every system utterance of a dialogue as a reply with its context; consecutive ones share a turn number.

    They are made by each look at them: kept, their contexts would take more memory than the dialogue.
    """

    __slots__ = ("_dialogue", "_system")

    def __init__(self, dialogue: Dialogue, system: str) -> None:
        self._dialogue, self._system = dialogue, system

    @property
    def utterances(self) -> list[Utterance]:
        """The utterances alone."""
        return [said for said in self._dialogue.utterances if said.speaker == "system"]

    @property
    def indexes(self) -> list[int]:
        """Index of each in the dialogue."""
        return [index for index, said in enumerate(self._dialogue.utterances) if said.speaker == "system"]

    def __iter__(self) -> Iterator[Reply]:
        system, said, name = self._system, self._dialogue.utterances, self._dialogue.id
        turn = -1
        before = "user"
        for index, utterance in enumerate(said):
            if utterance.speaker == "system":
                turn += before == "user"
                yield Reply(system, utterance, context=said[:index], turn=turn, index=index, dialogue_id=name)
            before = utterance.speaker

    def __len__(self) -> int:
        return len(self.utterances)

    @overload
    def __getitem__(self, place: int) -> Reply: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Reply, ...]: ...

    def __getitem__(self, place: int | slice) -> Reply | tuple[Reply, ...]:
        """One reply or a slice; makes all of them."""
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of a dialogue


def replies_of(dialogue: Dialogue, system: str) -> DialogueReplies:
    """The replies of a dialogue under a name of its system."""
    return DialogueReplies(dialogue, system)
