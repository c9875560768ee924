"""Accumulate one metric for one system: unit values as they come, an estimate at the end.

Memory grows with the number of conversations (a row of sums each) and, for counted metrics, with the number of distinct
things, never with the text. Totals of parts of the data can be merged.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from trialogue.metrics.base import AnyMetric, Conversation, CountMetric, NeedMetric
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.distinct_totals import CountedTotals
from trialogue.metrics.engine.lift_totals import LiftTotals
from trialogue.metrics.engine.rated_totals import RatedTotals
from trialogue.metrics.engine.settings import Settings
from trialogue.metrics.engine.sum_totals import NO_DIALOGUE, NO_UNITS, SummedTotals, is_share, pool_clusters
from trialogue.metrics.engine.unit_scores import NO_VALUE, ColumnSink, Sink
from trialogue.metrics.human_ratings import HumanRating
from trialogue.records import Estimate, FailurePolicy, Reason

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
