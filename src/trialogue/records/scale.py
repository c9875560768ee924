"""Rating scales: declared with the question and stored with every answer."""

from functools import lru_cache
from typing import Self, TypeVar

from pydantic import model_validator

from trialogue.records.base import Record

ScaleT = TypeVar("ScaleT", bound="Scale")


class Scale(Record):
    """Lowest and highest possible answer."""

    low: float | None = None
    """Lowest value; None: unknown, or there is none."""
    high: float | None = None
    """Highest value; None: unknown, or there is none."""

    @model_validator(mode="after")
    def _is_a_scale(self) -> Self:
        if self.low is None and self.high is None:
            raise ValueError("a scale needs at least one end; omit the scale if neither is known")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"a scale goes from a lower to a higher number, got {self.low:g} to {self.high:g}")
        return self

    @classmethod
    def of(cls, low: float | None, high: float | None) -> Self | None:
        """The scale between two ends; None if neither is known, or they do not form a scale."""
        return _scale(cls, low, high)

    @property
    def is_share(self) -> bool:
        """Whether answers are 0 and 1, so that their mean is a share."""
        return (self.low, self.high) == (0, 1)

    @property
    def width(self) -> float | None:
        """Largest possible difference of two answers; None: unbounded."""
        return None if self.low is None or self.high is None else self.high - self.low

    def holds(self, value: float) -> bool:
        """Whether a value lies on the scale."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def words(self) -> str:
        """Both ends in words: ``1 to 5``, ``0 to ?``."""
        low, high = ("?" if end is None else f"{end:g}" for end in (self.low, self.high))
        return f"{low} to {high}"


@lru_cache(maxsize=1_000)
def _scale(kind: type[ScaleT], low: float | None, high: float | None) -> ScaleT | None:
    """One object for each scale: a corpus has many answers on few."""
    if (low is None and high is None) or (low is not None and high is not None and low >= high):
        return None
    return kind(low=low, high=high)


def off_scale_text(name: str, value: float, low: float | None, high: float | None) -> str:
    """Message about a rating outside its declared scale.

    >>> off_scale_text("satisfaction", 7, 1, 5)
    'satisfaction has the rating 7, but the scale is declared to go from 1 to 5'
    """
    ends = [f"{word} {end:g}" for word, end in (("from", low), ("to", high)) if end is not None]
    return f"{name} has the rating {value:g}, but the scale is declared to go {' '.join(ends)}"
