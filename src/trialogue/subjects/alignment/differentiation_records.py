"""Records of differentiation results."""

from typing import ClassVar

from trialogue.findings.standings import Measure
from trialogue.records import Estimate, Reason, Record


class Mixture(Record):
    """Result of one mixture."""

    share: float
    """Share of preferred replies."""
    estimate: Estimate
    """The metric's value, n pairs."""


class Differentiation(Record):
    """One metric as a function of the share of preferred replies."""

    kind: ClassVar[str] = "differentiation"

    measure: Measure
    """Full name of the measure."""
    mixes: tuple[Mixture, ...]
    """From the worst system (0) to the ideal one (1)."""
    gain: Estimate
    """Ideal minus worst, on the same pairs."""
    pairs: int
    """Pairs that the metric is defined for on both sides."""
    why: Reason | None = None
    """Why there are no values, where there are none."""

    @property
    def tells(self) -> bool | None:
        """Whether the ideal system scores significantly better than the worst one; None: undecided."""
        interval = self.gain.interval
        if interval is None:
            return None
        return interval.low > 0 if self.measure.better != "lower" else interval.high < 0
