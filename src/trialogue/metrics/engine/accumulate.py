"""Accumulate one metric for one system: unit values as they come, an estimate at the end.

Memory grows with the number of conversations (a row of sums each) and, for counted metrics, with the number of distinct
things, never with the text. Totals of parts of the data can be merged.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from trialogue.metrics.base import AnyMetric, Conversation, CountMetric, NeedMetric
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.distinct_totals import CountedTotals
from trialogue.metrics.engine.lift_totals import LiftTotals
from trialogue.metrics.engine.sum_totals import NO_DIALOGUE, NO_UNITS, Settings, SummedTotals, is_share, pool_clusters
from trialogue.metrics.engine.unit_scores import NO_VALUE, ColumnSink, Sink
from trialogue.metrics.human_ratings import HumanRating, rating_scores, repeated_rater
from trialogue.records import Estimate, FailurePolicy, Reason, Score
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


__all__ = [
    "NO_DIALOGUE",
    "NO_UNITS",
    "NO_VALUE",
    "Accumulator",
    "CountedTotals",
    "LiftTotals",
    "Settings",
    "Sink",
    "SummedTotals",
    "accumulator_for",
    "is_share",
    "pool_clusters",
]


class Accumulator(Protocol):
    """Running totals of one metric for one system."""

    def add(self, conversations: Sequence[Conversation] | Batch, sink: Sink | ColumnSink | None = None) -> None:
        """Add conversations; unit and conversation scores go to the sink, if there is one."""
        ...

    def merge(self, other: Any) -> None:
        """Add the totals of other conversations of the same system."""
        ...

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """The system's value with its interval."""
        ...

    def minus(self, other: Any, settings: Settings) -> Estimate:
        """Difference to another system's totals of the same metric, with interval and p-value."""
        ...

    @property
    def skipped(self) -> Counter[Reason]:
        """Counts of skipped units by reason."""
        ...


def accumulator_for(metric: AnyMetric, *, failed: FailurePolicy | None = None) -> Accumulator:
    """Create the accumulator of a metric; ``failed`` overrides the failure policy on its card."""
    match metric:
        case CountMetric():
            return CountedTotals(metric)
        case HumanRating():
            return RatedTotals(metric, failed)
        case NeedMetric():
            return LiftTotals(metric, failed)
        case _:
            return SummedTotals(metric, failed)
