"""Decision protocols: the choices that decide a comparison, fixed before there are data, and deviations from them.

A result is stronger if the measure, the level, the margins, the exclusions and the sample were fixed before anybody saw the
data. The protocol stores these choices as values; deviations of a run are a typed list, which is a threat to
validity like any other (``threats.detect``).
"""

from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from trialogue.findings.threat import ThreatCode
from trialogue.options import Alpha
from trialogue.records import JsonValue, MeasureName, Record
from trialogue.stats.comparison.families import look_level

PRIMARY = "Primary measure: a metric such as turns, or a question to people, such as human:satisfaction."
"""What is missing without it; pydantic would read it from the docstring, in 40 ms."""
SHORT = 12  # hex digits of a hash that a reader compares


def _as_list(given: object) -> object:
    """A single value as a list of one."""
    return [given] if isinstance(given, str | dict) else given


class Correction(StrEnum):
    """Scope of the correction of p-values."""

    WITHIN = "within"
    """Over the pairs of systems of each measure."""
    ACROSS = "across"
    """Over the pairs of systems of the primary measure and the listed measures together."""


class Margins(Record):
    """Practically relevant differences, in the unit of the primary measure."""

    matters: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Smallest difference that matters: the answer says of each pair whether the difference is larger, smaller, or open."""
    superiority: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """A system is better only if it is better by more than this."""
    non_inferiority: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """A system is not worse if it is certainly not worse by more than this."""
    equivalence: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Two systems are equivalent if they certainly differ by less than this."""


class Exclusion(Record):
    """Rule that excludes dialogues before measurement. One rule is one of its fields."""

    user_turns_below: int | None = Field(default=None, ge=1, strict=True)
    """Dialogues with fewer utterances of the user, unless they failed: failures are outcomes and never left out."""
    participants: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = ()
    """Dialogues, ratings and votes of these people, such as those of a pilot."""

    @model_validator(mode="after")
    def _is_one_rule(self) -> Self:
        if (self.user_turns_below is not None) == bool(self.participants):
            raise ValueError("an exclusion has exactly one rule: user_turns_below or participants.")
        return self


class DecisionProtocol(Record):
    """Decision protocol, fixed before there are data."""

    measure: MeasureName = Field(description=PRIMARY)
    """Primary measure: a metric such as turns, or a question to people, such as human:satisfaction."""
    users: str | None = Field(default=None, min_length=1)
    """The kind of simulated users whose dialogues decide; null: dialogues with people, or replies to
    given situations."""
    measures: Annotated[tuple[MeasureName, ...], BeforeValidator(_as_list)] = ()
    """Further measures of the same dialogues that are in the family with correction: across."""
    correction: Correction = Correction.WITHIN
    """Whether p-values are corrected within each measure, or across the primary and the further measures."""
    alpha: Alpha = 0.05
    """Significance level, after correction."""
    margin: Margins = Margins()
    """Margins of superiority, non-inferiority and equivalence."""
    exclude: tuple[Exclusion, ...] = ()
    """Rules by which dialogues are left out."""
    blocks: Annotated[tuple[ThreatCode, ...], BeforeValidator(_as_list)] = ()
    """Threats that block a verdict, whatever they do otherwise."""
    n: int | None = Field(default=None, ge=1, strict=True)
    """Planned dialogues of each system; null: open."""
    systems: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = ()
    """The systems that are compared; empty: open."""
    looks: tuple[Annotated[int, Field(ge=1, strict=True)], ...] = ()
    """Planned looks at a growing sample: people or dialogues (clusters) of each system at each look, ascending; the last is
    the whole sample. Each look has a part of ``alpha``, so that all together keep it; empty: one look."""

    @model_validator(mode="after")
    def _family_has_measures(self) -> Self:
        if self.correction is Correction.ACROSS and not self.measures:
            raise ValueError("correction: across needs further measures. Name them with measures: [NAME].")
        if self.measure in self.measures:
            raise ValueError("the primary measure is already in the family. Leave it out of measures.")
        if any(later <= earlier for earlier, later in pairwise(self.looks)):
            raise ValueError(f"looks must ascend, got {list(self.looks)}.")
        if self.n is not None and self.looks and self.n < self.looks[-1]:
            raise ValueError(
                f"the last look is planned at {self.looks[-1]} people or dialogues, which {self.n} dialogues (n) cannot "
                "have. Raise n, or look earlier."
            )
        return self

    def looks_until(self, clusters: int) -> int:
        """Number of planned looks that a sample of so many clusters has reached."""
        return sum(planned <= clusters for planned in self.looks)

    def level_at(self, clusters: int) -> float:
        """Level of the look at so many clusters of each system: ``alpha`` without looks, 0 before the first one.

        A look may come later than planned, and spends by what there is; the last one spends what is left.
        """
        reached = self.looks_until(clusters)
        if not self.looks:
            return self.alpha
        if not reached:
            return 0.0
        times = [*self.looks[: reached - 1], min(clusters, self.looks[-1])]
        return look_level([each / self.looks[-1] for each in times], alpha=self.alpha)


class DeviationKind(StrEnum):
    """Kinds of deviations from a protocol."""

    PRIMARY_CHANGED = "primary_changed"
    FAMILY_CHANGED = "family_changed"
    ALPHA_CHANGED = "alpha_changed"
    MARGIN_CHANGED = "margin_changed"
    EXCLUSIONS_CHANGED = "exclusions_changed"
    BLOCKS_CHANGED = "blocks_changed"
    SAMPLE_CHANGED = "sample_changed"
    SYSTEMS_CHANGED = "systems_changed"
    LOOKS_CHANGED = "looks_changed"
    LOOK_TOO_EARLY = "look_too_early"
    """There are fewer clusters than the first planned look has."""
    LOOK_TOO_LATE = "look_too_late"
    """There are more clusters than the last planned look has: the level was spent there."""
    WITHDRAWN = "withdrawn"
    """The experiment's file no longer holds a protocol."""
    DELETED = "deleted"
    """The written protocol is gone; an earlier report in the folder rests on it."""
    EDITED = "edited"
    """The written protocol does not match its own hash, or cannot be read."""
    REPLACED = "replaced"
    """The first report in the folder rests on another one, whose hash is ``planned``."""
    AFTER_RESULTS = "after_results"
    """It was written when results were in the folder already."""
    MEASURE_MISSING = "measure_missing"
    """The primary measure, or one of the family, was not measured."""
    FEWER_DIALOGUES = "fewer_dialogues"
    MORE_DIALOGUES = "more_dialogues"
    SYSTEM_MISSING = "system_missing"
    SYSTEM_ADDED = "system_added"
    OTHER_USERS = "other_users"
    """A system met others than the planned simulated users."""


class Deviation(Record):
    """One deviation from the protocol."""

    what: DeviationKind
    """Kind of deviation."""
    planned: JsonValue = None
    """As it was planned: a value of the protocol, or a number of dialogues; None: does not apply."""
    actual: JsonValue = None
    """What is there in its place; None: does not apply."""
    system: str | None = None
    """The system it is about; None: none in particular."""


class ProtocolCheck(Record):
    """Whether an experiment kept its protocol."""

    protocol: DecisionProtocol | None = None
    """The protocol that decides: the one that was written first. None: there is none."""
    sha256: str | None = None
    """Hash of the written protocol; None: there is none."""
    data_existed: bool = False
    """Whether the conversations that it judges were there already when it was written."""
    deviations: tuple[Deviation, ...] = ()
    """Deviations from the protocol."""

    @property
    def is_kept(self) -> bool:
        """Whether there is a protocol without deviations."""
        return self.sha256 is not None and not self.deviations

    @property
    def first_hash(self) -> str:
        """Abbreviated hash of the protocol behind the first report in the folder."""
        replaced = (each.planned for each in self.deviations if each.what is DeviationKind.REPLACED)
        return str(next(replaced, self.short_hash))

    @property
    def short_hash(self) -> str:
        """Abbreviated hash; "" without a protocol."""
        return (self.sha256 or "")[:SHORT]
