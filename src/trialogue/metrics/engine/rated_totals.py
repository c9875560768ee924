"""Running totals of ratings, with who gave them: raters of several dialogues are a second thing that repeats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from trialogue.metrics.base import Conversation
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.settings import Settings
from trialogue.metrics.engine.sum_totals import SummedTotals
from trialogue.metrics.engine.unit_scores import ColumnSink, Sink
from trialogue.metrics.human_ratings import HumanRating, rating_scores, repeated_rater
from trialogue.records import Estimate, Score
from trialogue.stats.comparison.crossed_raters import Ratings, rater_difference


@dataclass
class RatedTotals(SummedTotals):
    """Totals of a question to people."""

    _given: list[tuple[str, Score]] = field(default_factory=list)

    def add(self, conversations: Sequence[Conversation] | Batch, sink: Sink | ColumnSink | None = None) -> None:
        """Add conversations, and their single ratings."""
        batch = conversations if isinstance(conversations, Batch) else Batch(conversations)
        super().add(batch, sink)
        self._given += self._answers(batch)

    def _answers(self, batch: Batch) -> Iterator[tuple[str, Score]]:
        assert isinstance(self.metric, HumanRating)
        for each in batch.conversations:
            for score in rating_scores(each, self.metric.filed):
                if score.measure == self.metric.measure:
                    yield each.cluster, score

    def merge(self, other: SummedTotals) -> None:
        """Add the totals of other conversations of the same system."""
        super().merge(other)
        assert isinstance(other, RatedTotals)
        self._given += other._given

    @property
    def ratings(self) -> Ratings:
        """Single ratings with their clusters and raters."""
        return Ratings(
            clusters=tuple(cluster for cluster, _ in self._given),
            raters=tuple(repeated_rater(score) for _, score in self._given),
            values=np.array([score.value for _, score in self._given], dtype=float),
        )

    def minus(self, other: SummedTotals, settings: Settings) -> Estimate:
        """Difference with interval and p-value; over dialogues and raters where both repeat."""
        assert isinstance(other, RatedTotals)
        card = self.metric.card
        most = None if card.low is None or card.high is None else card.high - card.low
        crossed = None
        if self._given and other._given:
            crossed = rater_difference(self.ratings, other.ratings, most=most, confidence=settings.confidence)
        return crossed or super().minus(other, settings)
