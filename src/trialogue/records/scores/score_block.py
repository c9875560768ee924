"""Blocks of scores in one line: one system's unit scores on all measures, as columns.

One line per reply score repeats the names of measure, system and dialogue, which made up nine tenths of a file; a block
holds each once. ``read_records`` yields its scores one by one, so that readers of ``Score`` need not know about blocks.
"""

from collections.abc import Iterator
from typing import ClassVar, Self

from pydantic import model_validator

from trialogue.records.base import Block, Record
from trialogue.records.measure_name import MeasureName
from trialogue.records.reasons.reason import Reason
from trialogue.records.score import Level, Score


class Gap(Record):
    """Units without a value, for one reason."""

    why: Reason
    """Why these units have no value."""
    replies: tuple[int, ...] = ()
    """Places of the replies."""
    dialogues: tuple[int, ...] = ()
    """Places of the dialogues."""


class ScoreColumn(Record):
    """Scores of one measure. An entry without a value and without a reason has no score."""

    measure: MeasureName
    """Full name of the measure."""
    replies: tuple[float | None, ...] = ()
    """A value for each reply; (): it has none for replies."""
    dialogues: tuple[float | None, ...] = ()
    """A value for each dialogue; (): it has none for dialogues."""
    gaps: tuple[Gap, ...] = ()
    """Missing values with reasons."""


class ScoreBlock(Block):
    """Block of one system's unit scores."""

    kind: ClassVar[str] = "scores"

    system: str
    """Name of the system that all scores are of."""
    dialogues: tuple[str | None, ...]
    """Ids of the dialogues; None: the replies are of no known dialogue, which then has no scores of its own."""
    replies: tuple[int, ...]
    """Number of replies in each dialogue, in order."""
    utterances: tuple[int | None, ...] = ()
    """Index of each reply in its dialogue; (): they are replies to situations."""
    situations: tuple[str | None, ...] = ()
    """Id of the situation of each reply; (): they are utterances of dialogues."""
    columns: tuple[ScoreColumn, ...]
    """Scores of each measure, aligned with the replies and dialogues of the block."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Every column has a place for every unit, or none."""
        replies = sum(self.replies)
        if len(self.replies) != len(self.dialogues) or min(self.replies, default=0) < 0:
            raise ValueError(f"{len(self.dialogues)} dialogues have {len(self.replies)} numbers of replies")
        for name, size in (("utterances", len(self.utterances)), ("situations", len(self.situations))):
            if size not in (0, replies):
                raise ValueError(f"there are {replies} replies, but {size} {name}")
        for column in self.columns:
            for name, found, size in (
                ("replies", column.replies, replies),
                ("dialogues", column.dialogues, len(self.dialogues)),
            ):
                if len(found) not in (0, size):
                    raise ValueError(f"{column.measure} has {len(found)} values for {size} {name}")
            for gap in column.gaps:
                if any(not 0 <= place < len(column.replies) for place in gap.replies) or any(
                    not 0 <= place < len(column.dialogues) for place in gap.dialogues
                ):
                    raise ValueError(f"{column.measure} has a gap at a place where it has no column")
        return self

    def records(self) -> Iterator[Score]:
        """Iterate over the scores: for each measure those of the replies in order, then those of the dialogues."""
        owners = [place for place, count in enumerate(self.replies) for _ in range(count)]
        for column in self.columns:
            # A missing value with a reason is an undefined score; without one there is no score at all.
            of_replies = {place: gap.why for gap in column.gaps for place in gap.replies}
            for place, value in enumerate(column.replies):
                if value is not None or place in of_replies:
                    yield self._reply_score(
                        column.measure, place, self.dialogues[owners[place]], value, of_replies.get(place)
                    )
            of_dialogues = {place: gap.why for gap in column.gaps for place in gap.dialogues}
            for place, value in enumerate(column.dialogues):
                name = self.dialogues[place]
                if name is not None and (value is not None or place in of_dialogues):
                    yield self._score(column.measure, "dialogue", name, value, of_dialogues.get(place))

    def _reply_score(
        self, measure: MeasureName, place: int, dialogue: str | None, value: float | None, why: Reason | None
    ) -> Score:
        situation = self.situations[place] if self.situations else None
        utterance = self.utterances[place] if self.utterances else None
        level: Level = "utterance" if situation is None else "response"
        return self._score(measure, level, dialogue, value, why, situation=situation, utterance=utterance)

    def _score(
        self,
        measure: MeasureName,
        level: Level,
        dialogue: str | None,
        value: float | None,
        why: Reason | None,
        *,
        situation: str | None = None,
        utterance: int | None = None,
    ) -> Score:
        return Score(
            measure=measure,
            level=level,
            value=value,
            why=why,
            system=self.system,
            dialogue_id=dialogue,
            situation_id=situation,
            utterance=utterance,
        )


Score.block = ScoreBlock
