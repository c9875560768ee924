"""Scores of metrics and of people in one record type, so that agreement between the two is a join."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from trialogue.records.base import Record
from trialogue.records.estimate import Estimate, Interval
from trialogue.records.kinds.origins import Raters, Role
from trialogue.records.measure_name import MeasureName
from trialogue.records.reasons.reason import Reason
from trialogue.records.scale import Scale, off_scale_text

Level = Literal["utterance", "response", "dialogue", "system", "difference"]
"""Unit of a score. ``difference``: system minus ``versus``."""

AGGREGATE = "aggregate"
"""Rater of scores that are known only as a mean or vote of several people."""


class Score(Record):
    """One value of one measure for one unit; None, with a reason, if undefined. Undefined is never zero."""

    kind: ClassVar[str] = "score"

    measure: MeasureName
    """The metric with variant, parameters and version (``distinct(n=2)@ratio|v1``), or the question a person answered."""
    level: Level
    """Unit of the score."""
    value: float | None
    """The value, in the unit of the measure's card."""
    why: Reason | None = None
    """Why there is no value or no interval, or what the interval leaves out."""
    system: str | None = None
    """The system it is about."""
    versus: str | None = None
    """The system it is compared with (level ``difference``)."""
    role: Role = Role.SYSTEM
    """Whether the system is evaluated, or a baseline."""
    versus_role: Role = Role.SYSTEM
    """The same for the system it is compared with."""
    dialogue_id: str | None = None
    """The dialogue it is about."""
    situation_id: str | None = None
    """The situation it is about."""
    utterance: int | None = None
    """Index of the utterance in its dialogue."""
    rater: str | None = None
    """Code of the person who gave it; ``"aggregate"`` where only a mean or vote of people is known; None for a metric."""
    raters: Raters = Raters.PEOPLE
    """Kind of rater; meaningless for metrics, which have no rater."""
    scale: Scale | None = None
    """The scale of the answer, where it was declared; None for a metric, whose card says it."""
    better: Literal["higher", "lower"] = "higher"
    """Which end of the scale is the better one; of a metric its card says it."""
    interval: Interval | None = None
    """Its interval, where it is an estimate."""
    n: int | None = None
    """Units an estimate is based on."""
    clusters: int | None = None
    """Independent clusters among them."""
    skipped: int | None = None
    """Units that an estimate leaves out because they are undefined."""
    left_out: Reason | None = None
    """Why they are left out: how many, and the commonest reason as its ``cause``."""
    p: float | None = Field(default=None, ge=0, le=1)
    """p-value of a difference, not corrected for multiplicity."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    """The same, corrected across all pairs of systems."""
    labels_from: tuple[str, ...] = ()
    """Labellers of the labels or beliefs that the measure reads (levels ``system`` and ``difference``); (): it reads
    none."""
    is_calibrated: bool = False
    """Whether the value rests on a calibration that was fitted on other data."""
    signature: str | None = None
    """Everything that made it: measure, label origin, seed, data hash, versions."""

    @classmethod
    def of_estimate(
        cls, estimate: Estimate, *, measure: str, system: str, versus: str | None = None, **fields: object
    ) -> Self:
        """A score from an estimate, of one system or of its difference to another (``versus``), with further ``fields``."""
        return cls.model_validate(
            {name: getattr(estimate, name) for name in ("value", "why", "interval", "n", "clusters", "p")}
            | {"measure": measure, "level": "system" if versus is None else "difference"}
            | {"system": system, "versus": versus, **fields}
        )

    @model_validator(mode="after")
    def _missing_has_a_reason(self) -> Self:
        if self.value is None and not self.why:
            raise ValueError("a score without a value needs a reason (why)")
        if self.value is not None and self.scale is not None and not self.scale.holds(self.value):
            raise ValueError(off_scale_text(self.measure.short, self.value, self.scale.low, self.scale.high))
        return self


class Preference(Record):
    """Choice of a person (or metric) between two systems, responses or dialogues."""

    kind: ClassVar[str] = "preference"

    id: str
    """Unique within its file."""
    a: str
    """Name of one system."""
    b: str
    """Name of the other system; may be the same where two dialogues are compared."""
    choice: Literal["a", "b", "tie"]
    """Which side is preferred; ``tie``: neither."""
    rater: str | None = None
    """Code of the person who chose."""
    raters: Raters = Raters.PEOPLE
    """Kind of rater; people where nothing else is stated."""
    dialogue_a: str | None = None
    """Dialogue with ``a``, where it is on record."""
    dialogue_b: str | None = None
    """Dialogue with ``b``, likewise."""
    situation_id: str | None = None
    """The situation both answered, where responses are compared."""
    reason: str | None = None
    """Why, in the rater's words."""
    source: str | None = None
    """Corpus it comes from."""

    @model_validator(mode="after")
    def _compares_two(self) -> Self:
        if self.a == self.b and self.dialogue_a == self.dialogue_b:
            raise ValueError(f"a preference needs two different sides, got {self.a!r} twice")
        return self
