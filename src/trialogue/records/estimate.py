"""Estimates: a value with its interval and counts, and the reason for anything missing."""

from collections.abc import Callable
from math import inf
from typing import Self, TypeAlias

from pydantic import Field, model_validator

from trialogue.records.base import Record
from trialogue.records.reasons.reason import Reason

Writer: TypeAlias = Callable[[float, int], str]
"""Writes a number with so many decimals."""
MORE_DECIMALS = 12  # than asked for, for an end beside 0: smaller ones are 0 to any reader


class Interval(Record):
    """A confidence interval."""

    low: float
    """Lower end, in the unit of the estimate; never above ``high``."""
    high: float
    """Upper end, in the unit of the estimate."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Share of repetitions in which such an interval covers the truth."""
    method: str
    """Method, such as ``"cluster bootstrap, percentile, 10000 resamples"``."""
    facts: dict[str, float] = Field(default_factory=dict)
    """Numbers behind it, such as degrees of freedom (``freedom``), how many independent units those of clusters are worth
    (``effective_units``), units of the smallest and largest cluster, their intraclass correlation (``correlation``), or the
    arrangements of a permutation test."""

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"the lower end {self.low} is above the upper end {self.high}")
        return self

    def contains(self, value: float) -> bool:
        """Whether a value lies in the interval, ends included."""
        return self.low <= value <= self.high

    def render(self, write: Writer, decimals: int = 0) -> str:
        """Both ends in brackets, as every table and sentence shows them.

        An end beside 0 has more decimals where it would read 0, as if the interval contained it.

        Args:
            write: one end as text.
            decimals: its decimals.

        >>> Interval(low=0.04, high=1.5, method="").render("{:.{}f}".format, 1)
        '[0.04, 1.5]'
        """
        return f"[{self.write(self.low, write, decimals)}, {self.write(self.high, write, decimals)}]"

    def write(self, number: float, write: Writer, decimals: int) -> str:
        """An end, or the value between them, which reads 0 only where the interval contains 0."""
        text = write(number, decimals)
        if not self.contains(0):
            texts = (write(number, decimals + more) for more in range(MORE_DECIMALS))
            text = next((each for each in texts if any(digit in each for digit in "123456789")), text)
        return text

    def cut_off(self, low: float | None, high: float | None) -> Self:
        """The interval up to the ends of a scale; None: the scale has no end there."""
        bottom, top = -inf if low is None else low, inf if high is None else high
        return self.model_copy(update={"low": max(bottom, self.low), "high": min(top, self.high)})

    def negate(self) -> Self:
        """Interval of the negated difference."""
        return self.model_copy(update={"low": 0.0 - self.high, "high": 0.0 - self.low})


class Estimate(Record):
    """A value with its interval and counts; None, with a reason, if undefined."""

    value: float | None
    """The estimate; None: undefined."""
    interval: Interval | None = None
    """Its interval; None where it cannot be had (one cluster, say)."""
    n: int = 0
    """Units it is based on: replies, dialogues, pairs, ..."""
    clusters: int | None = None
    """Independent clusters among them (people, dialogues)."""
    why: Reason | None = None
    """Why the value, or the interval, is missing."""
    p: float | None = Field(default=None, ge=0, le=1)
    """p-value of a test that the value is zero (differences only)."""

    @model_validator(mode="after")
    def _missing_has_a_reason(self) -> Self:
        if self.value is None and not self.why:
            raise ValueError("a missing value needs a reason (why)")
        return self

    def cut_off(self, low: float | None, high: float | None) -> Self:
        """The estimate with its interval up to the ends of a scale; None: the scale has no end there."""
        return self.model_copy(update={"interval": None if self.interval is None else self.interval.cut_off(low, high)})

    def render(self, write: Writer, decimals: int = 0, *, undefined: str, unit: str = "", without: str = "") -> str:
        """The value and its interval: ``0.52 [0.38, 0.67]``.

        Args:
            write: one number as text.
            decimals: its decimals.
            undefined: written in place of a missing value.
            unit: written after the value, with its space.
            without: written after a value that has no interval.

        >>> Estimate(value=0.5).render("{:.{}f}".format, 1, undefined="—", without="(no interval)")
        '0.5 (no interval)'
        """
        if self.value is None:
            return undefined
        if self.interval is None:
            return f"{write(self.value, decimals)}{unit} {without}".rstrip()
        value = self.interval.write(self.value, write, decimals)
        return f"{value}{unit} {self.interval.render(write, decimals)}"

    @property
    def facts(self) -> dict[str, float]:
        """Numbers behind the interval; none without one."""
        return {} if self.interval is None else self.interval.facts

    def negate(self) -> Self:
        """Estimate of the negated difference."""
        value = None if self.value is None else 0.0 - self.value  # of no difference, not -0.0
        return self.model_copy(update={"value": value, "interval": self.interval and self.interval.negate()})
