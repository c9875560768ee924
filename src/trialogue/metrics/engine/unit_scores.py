"""Scores of single replies and dialogues: as columns for a batch, in a table, or as single records on request."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from trialogue.metrics.base import AnyMetric, Array, Conversation, Reply, Undefined
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
    units: Sequence[Reply | Dialogue]
    """The replies of the batch, or its dialogues."""
    owner: Ints
    """Shape (units,): the place of each one's conversation."""
    of_units: Values
    """Their values."""
    left_out: frozenset[int]
    """Places of the units that the measure does not count."""
    whole: Ints
    """Shape (conversations,): places of the conversations that have values of their own; none where dialogues are units."""
    of_whole: Values
    """These values."""

    def scores(self) -> Iterator[Score]:
        """Iterate over records: first the skipped units, then the others, then the conversations."""
        values = list(self.of_units)
        for place in (*sorted(self.left_out), *(each for each in range(len(values)) if each not in self.left_out)):
            yield self._of_unit(self.units[place], self.batch.conversations[self.owner[place]], values[place])
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
    missing = np.flatnonzero(~np.isfinite(numbers)).tolist()
    if not missing:
        return Values(numbers)
    return Values(np.where(np.isfinite(numbers), numbers, np.nan), dict.fromkeys(missing, no_value(metric)))


def spread(values: Values, places: Ints, count: int, left_out: Mapping[int, Undefined]) -> Values:
    """Scatter values of some units among all ``count`` units; the others get their reason."""
    numbers = np.full(count, np.nan)
    numbers[places] = values.numbers
    reasons = {int(places[place]): why for place, why in values.reasons.items()}
    return Values(numbers, reasons | {place: undefined.why for place, undefined in left_out.items()})


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
        of_replies = scores.units is scores.batch.replies
        whole, places = (scores.of_whole, scores.whole) if of_replies else (scores.of_units, scores.owner)
        numbers = np.full(size, np.nan)
        numbers[places] = whole.numbers
        reasons = {int(places[place]): why for place, why in whole.reasons.items()}
        self._blocks[-1].columns.append(
            Column(scores.measure, scores.of_units if of_replies else None, Values(numbers, reasons))
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
    return Block(
        system=batch.conversations[0].system,
        dialogues=tuple(each.dialogue_id for each in batch.conversations),
        replies=tuple(len(each.replies) for each in batch.conversations),
        utterances=tuple(reply.index for reply in batch.replies),
        situations=tuple(reply.situation_id for reply in batch.replies),
    )
