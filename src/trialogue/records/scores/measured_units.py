"""What a run stores so that its systems can be compared with those of another run as if both had been evaluated together.

Ids are given anew in every run, so a unit is recognised by what it is: a situation by its context and references, a dialogue
by its cluster (the content of the need, the person, or the task). A dialogue that has only
an id is equal to no dialogue of another system.

Occurrence counts of distinct types, so that two runs of different size can be compared by rarefaction without the texts.

How many distinct types a smaller sample would have held depends only on how many clusters each type occurs in (see
``trialogue.stats.resampling.rarefaction``), so types of one cluster that occur equally often are counted and not listed:
a few numbers per cluster, and no text.

Populations: which dialogues a system was evaluated on, as fingerprints that two runs can compare.

A run keeps only fingerprints, so that two runs can say whether their systems met the same needs or situations, and whether
one of them is a copy of the other, without the records.
"""

from enum import StrEnum
from itertools import pairwise
from typing import ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from trialogue.records.base import JsonValue, Record
from trialogue.records.kinds.suspicions import Suspicion
from trialogue.records.measure_name import MeasureName
from trialogue.records.reading import ClusterKind


class PopulationKind(StrEnum):
    """What a system was evaluated on."""

    SITUATIONS = "situations"
    """Replies to situations cut from other people's dialogues."""
    SIMULATED = "simulated"
    """Dialogues with simulated users."""
    PEOPLE = "people"
    """Dialogues with people, or of unknown users."""


class Population(Record):
    """What one system was evaluated on."""

    system: str
    """Name of the system."""
    kind_of: PopulationKind
    """Whether these are situations, or dialogues with people or simulated users."""
    users: str | None = None
    """The kind of simulated users; None for people and situations."""
    units: int = Field(ge=1)
    """How many dialogues or situations there are."""
    sample: str | None
    """Fingerprint of what the system met (situations; needs of simulated users), which another system can meet, too. Of
    dialogues with people the dialogues themselves, which no other run has. None: nobody recorded what users wanted."""
    replies: str
    """Fingerprint of what the system answered to it: equal ones are copies."""


class DistinctCounts(Record):
    """Distinct types (such as n-grams) in one system's replies, by cluster."""

    kind: ClassVar[str] = "distinct_counts"

    measure: MeasureName
    """Full name of the measure that is a function of them."""
    system: str
    """Name of the system."""
    replies: int = Field(ge=0)
    """Number of its replies that the measure counts."""
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


class MeasuredUnits(Record):
    """The dialogues of one system, or the situations that it answered."""

    kind: ClassVar[str] = "measured_units"

    system: str
    """Name of the system."""
    kind_of: PopulationKind
    """What the units are."""
    users: str | None = None
    """The kind of simulated users; None for people and situations."""
    ids: tuple[str, ...]
    """Ids of the dialogues or situations."""
    clustered_by: ClusterKind
    """What the clusters are."""
    clusters: tuple[str, ...]
    """The cluster of each. Equal names of needs, people or tasks are equal clusters in every run."""
    contents: tuple[str, ...] = ()
    """Of situations: the fingerprint of context and references of each."""
    sources: tuple[str, ...] = ()
    """The corpus, file or channel that each comes from; (): all from one, or unknown."""
    times: tuple[float | None, ...] = ()
    """When each dialogue with a person began, in seconds, or its number among the person's dialogues; (): unknown."""
    addresses: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By a hash of an address that people under several codes share: ids of their dialogues."""
    chances: tuple[float | None, ...] = ()
    """With which chance each was drawn to be rated, by a plan; None: it was not drawn. (): nothing records a draw."""
    suspects: dict[Suspicion, tuple[str, ...]] = Field(default_factory=dict)
    """Ids of units that look like failures that nobody recorded, by the sign; see ``findings.sample.failure_texts``."""
    unanswered: tuple[str, ...] = ()
    """Ids of dialogues that end with a question of the user; suspects, if users of other systems rarely end so."""
    echoes: tuple[str, ...] = ()
    """Ids of situations in which the reply repeats the reference; see ``findings.sample.copies``."""
    copies: tuple[tuple[str, ...], ...] = ()
    """Groups of ids whose texts are equal, and long; see ``findings.sample.copies``."""
    texts: tuple[str, ...] = ()
    """A hash of the text of each dialogue; "": too short to be a copy. (): all are, or the file is older."""
    unnamed: tuple[str, ...] = ()
    """A hash of the text without the system's name; "": the name is not in it. (): it is in none, or the file is older."""
    openings: tuple[str, ...] = ()
    """A hash of what each person began with, of a few words at least; "": of fewer. (): all are, or nobody is a person."""
    twins: tuple[str, ...] = ()
    """Ids of units whose text, but for the system's name, is also one of another system, in another cluster."""
    one_sided: tuple[tuple[str, ...], ...] = ()
    """Groups of ids that people of many codes began with the same words, which those of other systems hardly say."""
    near_copies: tuple[tuple[str, ...], ...] = ()
    """Groups of ids of different clusters whose texts are nearly equal, the exact copies among them."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name in ("clusters", "contents", "sources", "times", "chances", "texts", "unnamed", "openings"):
            given = len(getattr(self, name))
            if given != len(self.ids) and (given or name == "clusters"):
                raise ValueError(f"{len(self.ids)} ids need as many {name}, got {given}")
        return self


Rows = Literal["replies", "dialogues", "sums", "without"]


class MeasureSums(Record):
    """What a measure's value of a system is made of, so that it can be computed again from a part, or without a cluster."""

    kind: ClassVar[str] = "measure_sums"

    measure: MeasureName
    """Full name of the measure."""
    system: str
    """Name of the system."""
    rows_of: Rows
    """``replies`` or ``dialogues``: the value is the mean of their scores, and no sums are stored. ``sums``: it is a
    function of the sums below. ``without``: these are its values without each key in turn, for a jackknife."""
    n: int = Field(ge=0)
    """Number of units that the value counts: dialogues, or replies."""
    keys: tuple[str, ...] = ()
    """What each row is of: a cluster, or a situation where the units are situations."""
    width: int = Field(default=0, ge=0)
    """Sums in a row."""
    sums: tuple[float, ...] = ()
    """The rows, one after the other."""
    fits: tuple[JsonValue, ...] = ()
    """What was fitted on other data and the value rests on; (): nothing."""
    fit_sums: tuple[float, ...] = ()
    """The sums that rest on each of them, one after the other."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.sums) != self.width * len(self.keys):
            raise ValueError(f"{len(self.keys)} rows of {self.width} sums need as many numbers, got {len(self.sums)}")
        return self


StoredParts: TypeAlias = DistinctCounts | MeasuredUnits | MeasureSums
"""What ``counts.jsonl`` holds."""
