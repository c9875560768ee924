"""Base class of metrics that score each reply against its reference and take the mean."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from trialogue.metrics.base import Array, RatioMetric, Reply, Undefined
from trialogue.metrics.batch import Batch, Rows, mean_rows, where
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode

NO_REFERENCE = Undefined(Reason.of(ReasonCode.NO_REFERENCE))
BLANK_REFERENCE = Undefined(Reason.of(ReasonCode.REFERENCE_BLANK))
EMPTY = Undefined(Reason.of(ReasonCode.REPLY_EMPTY))


NOT_COMPARED = (
    "Replies with a missing or blank reference are omitted; the original tools give a blank reference the score 0."
)
"""Caveat of the metrics that compare texts with references."""
FIRST_REFERENCE = "Of several references, only the first is compared."
"""Caveat of the metrics that compare anything else."""


reference_card = partial(
    Card, low=0, high=1, better="higher", level="response", failed=FailurePolicy.WORST, needs=("reference",)
)
"""What the cards of metrics that compare texts with references have in common."""


def lacking_reference(reply: Reply) -> Undefined | None:
    """Why there is no text to compare a reply with; None if there is one."""
    if reply.reference_texts:
        return None
    return NO_REFERENCE if reply.reference is None else BLANK_REFERENCE


def lacking_references(batch: Batch) -> dict[int, Undefined]:
    """The same of a batch, by place of the reply."""
    found = {place: lacking_reference(batch.replies[place]) for place in np.flatnonzero(~batch.has_reference).tolist()}
    return {place: why for place, why in found.items() if why is not None}


def with_several(rows: Rows, batch: Batch, statistics: Callable[[Reply], Sequence[float] | Undefined]) -> Rows:
    """Rows of comparisons with first references; those of replies with several are computed anew, one by one."""
    places = [place for place in batch.compared_with_several if place not in rows.undefined]
    if not places:
        return rows
    values = rows.values.copy()
    for place in places:
        row = statistics(batch.replies[place])
        assert not isinstance(row, Undefined)  # what is undefined has its place among the rows' reasons
        values[place] = row
    return Rows(values, rows.undefined)


class MeanAgainstReference(RatioMetric):
    """Mean over replies of a score of (reply, reference), the best one where there are several references.

    Replies without a reference are left out.
    """

    _empty_counts: bool = True
    """Whether an empty reply is scored (else: it is left out)."""

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(score, 1)."""
        if (lacking := lacking_reference(unit)) is not None:
            return lacking
        if not unit.text and not self._empty_counts:
            return EMPTY
        return (self._best(unit.text, unit.reference_texts), 1.0)

    @abstractmethod
    def _score(self, reply: str, reference: str) -> float:
        """Score of a reply against one reference."""

    def _best(self, reply: str, references: Sequence[str]) -> float:
        """Score of a reply against several references: the highest one."""
        return max(self._score(reply, reference) for reference in references)

    def scores_of(self, batch: Batch) -> Array:
        """Score of every reply against its first reference, shape (replies,); arbitrary for those without one."""
        pairs = zip(batch.texts(), batch.texts("reference"), strict=True)
        return np.array([self._score(reply, reference) for reply, reference in pairs], dtype=float)

    def statistics_of(self, batch: Batch) -> Rows:
        """Batch version of ``statistics``."""
        undefined = lacking_references(batch)
        if not self._empty_counts:
            empty = np.array([not text for text in batch.texts()], dtype=bool)
            undefined |= where(empty & batch.has_reference, EMPTY)
        return with_several(mean_rows(self.scores_of(batch), undefined), batch, self.statistics)
