"""Batches of one system's conversations, for metrics that score many replies at once.

Beside ``statistics`` (or ``types``) of one reply, a metric of replies may implement ``statistics_of`` (or ``types_of``) of a
batch, which returns the same for all its replies. Intermediate results that several metrics need, such as tokenised texts,
are computed once per batch.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.base import Array, Conversation, DialogueReplies, Reply, Undefined, UtteranceMetric
from trialogue.metrics.failure_policy import failure_of
from trialogue.metrics.pieces import Ints, Pieces
from trialogue.metrics.text.tokens import Rule
from trialogue.metrics.text.word_hashes import Encoded, NGrams, Vocabulary, characters, common
from trialogue.records import Dialogue, Utterance

Side = Literal["reply", "reference"]
MadeT = TypeVar("MadeT")


class Batch:
    """Conversations of one system, and their replies in order."""

    def __init__(self, conversations: Sequence[Conversation], vocabulary: Vocabulary | None = None) -> None:
        self._given = conversations
        self._vocabulary = vocabulary or Vocabulary()
        self._vocabulary.forget_if_full()
        self._made: dict[Hashable, object] = {}

    @property
    def conversations(self) -> Sequence[Conversation]:
        """The conversations."""
        return self._given

    @cached_property
    def clusters(self) -> list[str]:
        """The cluster of each conversation."""
        return [conversation.cluster for conversation in self.conversations]

    @cached_property
    def replies(self) -> list[Reply]:
        """All replies."""
        return [reply for conversation in self.conversations for reply in conversation.replies]

    @cached_property
    def owner(self) -> Ints:
        """Index of each reply's conversation, ascending, shape (replies,)."""
        sizes = [len(texts) for texts in self._texts_by_conversation]
        return np.repeat(np.arange(len(sizes)), sizes)

    @cached_property
    def _texts_by_conversation(self) -> list[list[str]]:
        return [[said.text for said in own] for own in self._utterances_by_conversation]

    @cached_property
    def is_of_dialogues(self) -> bool:
        """Whether all replies are utterances of dialogues: these answer no situation, have no reference and cannot fail."""
        return all(isinstance(each.replies, DialogueReplies) for each in self.conversations)

    @cached_property
    def _utterances_by_conversation(self) -> list[Sequence[Utterance]]:
        return [conversation.utterances for conversation in self.conversations]

    @cached_property
    def utterances(self) -> list[Utterance]:
        """What the system says in the replies."""
        return [*chain.from_iterable(self._utterances_by_conversation)]

    @cached_property
    def _places_of_utterances(self) -> tuple[list[Utterance], Ints]:
        numbers: dict[int, int] = {}
        which = [numbers.setdefault(id(said), len(numbers)) for said in self.utterances]
        return [*{id(said): said for said in self.utterances}.values()], np.array(which, dtype=np.int64)

    @property
    def different_utterances(self) -> list[Utterance]:
        """Each utterance once: equal ones of a file are one object."""
        return self._places_of_utterances[0]

    @property
    def which_utterance(self) -> Ints:
        """Place of each reply's utterance among the different ones, shape (replies,)."""
        return self._places_of_utterances[1]

    @cached_property
    def failed(self) -> list[int]:
        """Places of the replies that failed."""
        if self.is_of_dialogues:
            return []
        return [place for place, reply in enumerate(self.replies) if failure_of(reply) is not None]

    @cached_property
    def situations(self) -> Sequence[str]:
        """Id of the situation that each reply answers; none where they are of dialogues."""
        is_of_dialogues = self.is_of_dialogues or not self.replies or self.replies[0].situation_id is None
        return () if is_of_dialogues else [str(reply.situation_id) for reply in self.replies]

    @cached_property
    def failed_dialogues(self) -> list[int]:
        """Places of the dialogues that failed."""
        return [place for place, dialogue in enumerate(self.dialogues) if failure_of(dialogue) is not None]

    @cached_property
    def dialogues(self) -> list[Dialogue]:
        """Dialogues of the conversations that have one."""
        return [each.dialogue for each in self.conversations if each.dialogue is not None]

    @cached_property
    def dialogue_owner(self) -> Ints:
        """Index of each dialogue's conversation, shape (dialogues,)."""
        return np.flatnonzero([each.dialogue is not None for each in self.conversations])

    @cached_property
    def has_reference(self) -> NDArray[np.bool_]:
        """Whether each reply has a text to be compared with, shape (replies,)."""
        if self.is_of_dialogues:
            return np.zeros(len(self.owner), dtype=bool)
        return np.array([bool(reply.reference_texts) for reply in self.replies], dtype=bool)

    @cached_property
    def compared_with_several(self) -> dict[int, Reply]:
        """Replies that have several texts to be compared with, by place."""
        return {place: reply for place, reply in enumerate(self.replies) if len(reply.reference_texts) > 1}

    def texts(self, side: Side = "reply") -> list[str]:
        """Texts of the replies or of their first references; "" where unknown."""
        if side == "reply":
            return self.memoize("texts", lambda: [*chain.from_iterable(self._texts_by_conversation)])
        return self.memoize("references", lambda: [next(iter(reply.reference_texts), "") for reply in self.replies])

    def words(self, rule: Rule, side: Side = "reply") -> Encoded:
        """Tokens of each text under a rule."""
        return self.memoize((rule, side), lambda: self._vocabulary.encode(self._pieces(side), rule))

    def characters(self, side: Side = "reply") -> Encoded:
        """Characters of each text, including white space."""
        return self.memoize(("characters", side), lambda: characters(self.texts(side)))

    def letters(self, side: Side = "reply") -> list[str]:
        """Texts without white space."""
        return self.memoize(("letters", side), lambda: ["".join(text.split()) for text in self.texts(side)])

    def common_words(self, rule: Rule, n: int) -> Ints:
        """Number of word n-grams that each reply shares with its reference, shape (replies,)."""
        return self.memoize(
            ("common", rule, n), lambda: self._common(self.words(rule), self.words(rule, "reference"), n)
        )

    def _common(self, left: Encoded, right: Encoded, n: int) -> Ints:
        return common(left.grams(n), right.grams(n), len(self.replies))

    def _pieces(self, side: Side) -> Pieces:
        return self.memoize(("pieces", side), lambda: self._vocabulary.cut(self.texts(side)))

    def memoize(self, key: Hashable, make: Callable[[], MadeT]) -> MadeT:
        """Compute a value for this batch once per key."""
        if key not in self._made:
            self._made[key] = make()
        return cast(MadeT, self._made[key])


@dataclass(frozen=True)
class Rows:
    """Sufficient statistics of the replies of a batch."""

    values: Array
    """Shape (replies, k); rows of undefined replies mean nothing."""
    undefined: Mapping[int, Undefined] = field(default_factory=dict)
    """By place of the reply: why it has none."""


@dataclass(frozen=True)
class TypeRows:
    """Contributions of a batch's replies to a count of distinct types."""

    grams: NGrams
    """The things as 64-bit hashes, with the places of the replies; none of undefined replies."""
    extra: Array
    """Shape (replies,): a further amount that is summed."""
    undefined: Mapping[int, Undefined] = field(default_factory=dict)
    """By place of the reply: why it contributes nothing."""
    key: Hashable = None
    """Metrics with the same key share counts; None: no sharing."""


@runtime_checkable
class BatchSumMetric(Protocol):
    """Summed metric that processes a batch at once."""

    def statistics_of(self, batch: Batch) -> Rows:
        """Statistics of every reply, equal to those of ``statistics``."""
        ...


@runtime_checkable
class BatchCountMetric(Protocol):
    """Counted metric that processes a batch at once."""

    def types_of(self, batch: Batch) -> TypeRows:
        """Types of every reply, equal to those of ``types``."""
        ...


def rows_of_utterances(metric: UtteranceMetric, batch: Batch) -> Rows:
    """Statistics of every reply by what it says; each different utterance is measured once."""
    rows, which = rows_of([*map(metric.of_utterance, batch.different_utterances)]), batch.which_utterance
    undefined = {
        place: rows.undefined[own]
        for place, own in enumerate(which.tolist() if rows.undefined else ())
        if own in rows.undefined
    }
    return Rows(rows.values[which], undefined)


def rows_of(found: Sequence[Sequence[float] | Undefined]) -> Rows:
    """Statistics of one unit after the other as a matrix."""
    undefined = {place: row for place, row in enumerate(found) if isinstance(row, Undefined)}
    width = next((len(row) for row in found if not isinstance(row, Undefined)), 0)
    nothing = (0.0,) * width
    rows = [nothing if isinstance(row, Undefined) else row for row in found] if undefined else found
    return Rows(np.array(rows, dtype=float).reshape(len(rows), width), undefined)


def where(undefined: NDArray[np.bool_], why: Undefined) -> dict[int, Undefined]:
    """Map all positions to the same reason."""
    return dict.fromkeys(np.flatnonzero(undefined).tolist(), why)


def mean_rows(values: Array, undefined: Mapping[int, Undefined] | None = None) -> Rows:
    """Statistics of a mean: (value, 1) per reply."""
    return Rows(np.column_stack([values, np.ones(len(values))]), undefined or {})
