"""Occurrence counts of distinct types, so that two runs of different size can be compared by rarefaction without the texts.

How many distinct types a smaller sample would have held depends only on how many clusters each type occurs in (see
``trialogue.stats.resampling.rarefaction``), so types of one cluster that occur equally often are counted and not listed:
a few numbers per cluster, and no text.
"""

from itertools import pairwise
from typing import ClassVar, Self

from pydantic import Field, model_validator

from trialogue.records.base import Record
from trialogue.records.measure_name import MeasureName


class DistinctCounts(Record):
    """Distinct types (such as n-grams) in one system's replies, by cluster."""

    kind: ClassVar[str] = "distinct_counts"

    measure: MeasureName
    """Full name of the measure that is a function of them."""
    system: str
    """The system."""
    replies: int = Field(ge=0)
    """Replies that count."""
    clusters: tuple[str, ...]
    """Names of the clusters: dialogues or people."""
    total: tuple[int, ...]
    """Things in each cluster, with repetitions."""
    extra: tuple[float, ...]
    """Additional sums in each cluster, such as its number of replies."""
    occurrences: tuple[int, ...]
    """Numbers of clusters that some thing occurs in, ascending."""
    things: tuple[int, ...]
    """Number of distinct types by the number of clusters in which they occur."""
    groups: tuple[int, ...]
    """Number of the pairs below in each cluster, in order."""
    places: tuple[int, ...]
    """A cluster has things that occur in ``occurrences[place]`` clusters ..."""
    held: tuple[int, ...]
    """... and so many of them."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Things counted by cluster and in all must be the same things, or a damaged file would give a wrong difference."""
        size = len(self.clusters)
        for name, own in (("total", self.total), ("extra", self.extra), ("groups", self.groups)):
            if len(own) != size:
                raise ValueError(f"{name} has {len(own)} numbers for {size} clusters")
        if len(set(self.clusters)) != size:
            raise ValueError("a cluster occurs twice")
        if len(self.things) != len(self.occurrences) or any(a >= b for a, b in pairwise(self.occurrences)):
            raise ValueError("occurrences must ascend and be as many as the things")
        if not len(self.places) == len(self.held) == sum(self.groups) or min(self.groups, default=0) < 0:
            raise ValueError(
                f"groups count {sum(self.groups)} pairs, places {len(self.places)} and held {len(self.held)}"
            )
        found = [0] * len(self.occurrences)
        for place, held in zip(self.places, self.held, strict=True):
            if not 0 <= place < len(found) or held < 1:
                raise ValueError(f"a cluster has {held} things at place {place} of {len(found)}")
            found[place] += held
        if found != [times * many for times, many in zip(self.occurrences, self.things, strict=True)]:
            raise ValueError("the things of the clusters do not add up to those of all")
        return self
