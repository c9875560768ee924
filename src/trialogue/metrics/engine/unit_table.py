"""Fill a score table with a metric's unit values of a batch."""

from collections.abc import Sequence

import numpy as np

from trialogue.metrics.base import Array
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.unit_scores import UnitScores
from trialogue.records.scores.score_table import Block, Column, ScoreTable, Values


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
