"""Scores of single replies and dialogues: as columns for a batch, in a table, or as single records on request."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from trialogue.metrics.base import AnyMetric, Array, Conversation, DialogueReplies, Reply, Undefined
from trialogue.metrics.batch import Batch
from trialogue.metrics.pieces import Ints
from trialogue.records import Dialogue, Level, Reason, ReasonCode, Score
from trialogue.records.scores.score_table import Block, Column, ScoreTable, Values

NO_VALUE = Reason.of(ReasonCode.FORMULA_WITHOUT_VALUE)


@dataclass(frozen=True, eq=False)
class UnitScores:
    """One measure's scores of a batch's units and conversations."""

    measure: str
    """Full name of the measure."""
    batch: Batch
    """Scored batch."""
    of_replies: bool
    """Whether the units are the replies of the batch; else its dialogues."""
    owner: Ints
    """Shape (units,): the place of each one's conversation."""
    of_units: Values
    """Their values."""
    left_out: Ints
    """Ascending places of the units that the measure does not count."""
    whole: Ints
    """Shape (conversations,): places of the conversations that have values of their own; none where dialogues are units."""
    of_whole: Values
    """These values."""

    def scores(self) -> Iterator[Score]:
        """Iterate over records: first the skipped units, then the others, then the conversations."""
        units: Sequence[Reply | Dialogue] = self.batch.replies if self.of_replies else self.batch.dialogues
        values = list(self.of_units)
        for place in (*self.left_out.tolist(), *np.delete(np.arange(len(values)), self.left_out).tolist()):
            yield self._of_unit(units[place], self.batch.conversations[self.owner[place]], values[place])
        for place, value in zip(self.whole.tolist(), self.of_whole, strict=True):
            conversation = self.batch.conversations[place]
            if conversation.dialogue_id is not None:
                yield _score(self.measure, conversation, "dialogue", value)

    def _of_unit(self, unit: Reply | Dialogue, conversation: Conversation, value: float | Reason) -> Score:
        if isinstance(unit, Dialogue):
            return _score(self.measure, conversation, "dialogue", value)
        level: Level = "response" if unit.situation_id is not None else "utterance"
        return _score(self.measure, conversation, level, value, situation_id=unit.situation_id, utterance=unit.index)


Sink = Callable[[Score], None]
"""Takes single scores."""


@runtime_checkable
class ColumnSink(Protocol):
    """Sink that accepts a batch of scores at once."""

    def take(self, scores: UnitScores) -> None:
        """Receive the scores of one measure."""
        ...


def deliver(sink: Sink | ColumnSink, scores: UnitScores) -> None:
    """Pass scores to the sink."""
    if isinstance(sink, ColumnSink):
        sink.take(scores)
        return
    for score in scores.scores():
        sink(score)


def no_value(metric: AnyMetric) -> Reason:
    """Reason why a formula has no value; a metric may give a more specific one than division by zero."""
    return Undefined(getattr(metric, "no_value", NO_VALUE)).why


def values_of(metric: AnyMetric, numbers: Array) -> Values:
    """A formula's values, with a reason where they are NaN."""
    missing = np.flatnonzero(~np.isfinite(numbers))
    if not len(missing):
        return Values(numbers)
    return Values(np.where(np.isfinite(numbers), numbers, np.nan), {no_value(metric): missing})


def gaps_of(undefined: Mapping[int, Undefined]) -> dict[Reason, Ints]:
    """Ascending places of the undefined units by reason, in the order in which these occur."""
    same: dict[int, tuple[Reason, list[int]]] = {}  # a few objects for many units: compared, each would take longer
    for place, each in undefined.items():
        same.setdefault(id(each.why), (each.why, []))[1].append(place)
    found: dict[Reason, list[int]] = {}
    for why, places in same.values():
        found.setdefault(why, []).extend(places)
    return {why: np.sort(np.array(places, dtype=np.int64)) for why, places in found.items()}


def places_in(gaps: Mapping[Reason, Ints]) -> Ints:
    """All places of gaps, ascending."""
    return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *gaps.values()]))


def spread(values: Values, places: Ints, count: int, gaps: Mapping[Reason, Ints]) -> Values:
    """Scatter values of some units among all ``count`` units; the others get their reason."""
    numbers = np.full(count, np.nan)
    numbers[places] = values.numbers
    found = dict(gaps)
    for why, own in values.gaps.items():
        found[why] = np.sort(np.concatenate([places[own], gaps.get(why, places[:0])]))
    return Values(numbers, found)


def _score(
    measure: str,
    conversation: Conversation,
    level: Level,
    value: float | Reason,
    *,
    situation_id: str | None = None,
    utterance: int | None = None,
) -> Score:
    return Score(
        measure=measure,
        level=level,
        value=None if isinstance(value, Reason) else value,
        why=value if isinstance(value, Reason) else None,
        system=conversation.system,
        dialogue_id=conversation.dialogue_id,
        situation_id=situation_id,
        utterance=utterance,
    )


class UnitTable(ScoreTable):
    """Score table that is a sink of ``measure``."""

    def __init__(self) -> None:
        super().__init__()
        self._batch: Batch | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_batch": None}

    def take(self, scores: UnitScores) -> None:
        """Receive the scores of one measure."""
        if scores.batch is not self._batch:
            self._batch = scores.batch
            self._blocks.append(_block_of(scores.batch))
        size = len(scores.batch.conversations)
        of_replies = scores.of_replies
        whole, places = (scores.of_whole, scores.whole) if of_replies else (scores.of_units, scores.owner)
        self._blocks[-1].columns.append(
            Column(scores.measure, scores.of_units if of_replies else None, spread(whole, places, size, {}))
        )

    def add_dialogues(self, system: str, measure: str, dialogues: Sequence[str], numbers: Array) -> None:
        """Add values of dialogues that were known only after all batches."""
        block = Block(system, tuple(dialogues), (0,) * len(dialogues), (), ())
        block.columns.append(Column(measure, None, Values(numbers)))
        self._blocks.append(block)
        self._batch = None

    def extend(self, other: ScoreTable) -> None:
        """Append the scores of another table."""
        super().extend(other)
        self._batch = None


def _block_of(batch: Batch) -> Block:
    indexes, situations, sizes = list[int | None](), list[str | None](), list[int]()
    for each in batch.conversations:
        if isinstance(each.replies, DialogueReplies):
            own: Sequence[int | None] = each.replies.indexes
            situations += [None] * len(own)
        else:
            own = [reply.index for reply in each.replies]
            situations += [reply.situation_id for reply in each.replies]
        indexes += own
        sizes.append(len(own))
    return Block(
        system=batch.conversations[0].system,
        dialogues=tuple(each.dialogue_id for each in batch.conversations),
        replies=tuple(sizes),
        utterances=tuple(indexes),
        situations=tuple(situations) if any(each is not None for each in situations) else (),
    )
