"""Base class of metrics that score each reply against its reference and take the mean."""

from collections.abc import Callable, Sequence

import numpy as np

from trialogue.metrics.base import Array, Reply, Undefined, ratio
from trialogue.metrics.batch import Batch, Rows, mean_rows, where
from trialogue.records import Reason, ReasonCode

NO_REFERENCE = Undefined(Reason.of(ReasonCode.NO_REFERENCE))
EMPTY = Undefined(Reason.of(ReasonCode.REPLY_EMPTY))


class MeanAgainstReference:
    """Mean over replies of a score of (reply, reference); replies without a reference are left out."""

    per_dialogue = False
    _score: Callable[[str, str], float]
    _empty_counts: bool = True
    """Whether an empty reply is scored (else: it is left out)."""

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(score, 1)."""
        if unit.reference is None:
            return NO_REFERENCE
        if not unit.text and not self._empty_counts:
            return EMPTY
        return (self._score(unit.text, unit.reference.text), 1.0)

    def scores_of(self, batch: Batch) -> Array:
        """Score of every reply, shape (replies,); arbitrary for those without a reference."""
        pairs = zip(batch.texts(), batch.texts("reference"), strict=True)
        return np.array([self._score(reply, reference) for reply, reference in pairs], dtype=float)

    def statistics_of(self, batch: Batch) -> Rows:
        """Batch version of ``statistics``."""
        undefined = where(~batch.has_reference, NO_REFERENCE)
        if not self._empty_counts:
            empty = np.array([not text for text in batch.texts()], dtype=bool)
            undefined |= where(empty & batch.has_reference, EMPTY)
        return mean_rows(self.scores_of(batch), undefined)

    def combine(self, sums: Array) -> Array:
        """Mean over replies."""
        return ratio(sums)
