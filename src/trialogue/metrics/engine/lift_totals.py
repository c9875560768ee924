"""Accumulate a metric of needs and dialogues for one system: courses as they come, the statistic at the end.

Needs are told apart by the items that satisfy them: two needs with the same items are one. What is kept of a dialogue is
its need and its counted items, some dozens of bytes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from trialogue.metrics.base import Array, Conversation, NeedCourse, NeedMetric, Undefined
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.conversations import fingerprint_of
from trialogue.metrics.engine.sum_totals import NO_DIALOGUE, Settings, empty_estimate
from trialogue.metrics.engine.unit_scores import ColumnSink, Sink
from trialogue.records import Estimate, FailurePolicy, MeasureName, MeasureSums, Reason, ReasonCode
from trialogue.stats import jackknife, jackknife_difference
from trialogue.stats.lift import Hits, LiftResult, lift

Need = frozenset[str]

NEVER = 1_000_000
"""More turns than any dialogue has."""
EXACT = 12
"""Decimals beyond which a lift is rounding error."""


@dataclass
class LiftTotals:
    """Courses of one system's dialogues."""

    metric: NeedMetric
    failed: FailurePolicy | None = None
    """Policy used in place of the card's."""
    skipped: Counter[Reason] = field(default_factory=Counter)
    dialogue_ids: list[str] = field(default_factory=list)
    """Of the dialogues that have a course."""
    _courses: list[NeedCourse] = field(default_factory=list)
    _result: LiftResult | None = None

    def add(self, conversations: Sequence[Conversation] | Batch, sink: Sink | ColumnSink | None = None) -> None:
        """Add conversations; unit values are known at the end only, so that the sink gets none."""
        batch = conversations if isinstance(conversations, Batch) else Batch(conversations)
        missing = len(batch.conversations) - len(batch.dialogues)
        if missing:
            self.skipped[NO_DIALOGUE] += missing
        for dialogue in batch.dialogues:
            course = self.metric.course(dialogue)
            if isinstance(course, NeedCourse) and course.is_failed and self.failed is FailurePolicy.UNDEFINED:
                course = Undefined(Reason.of(ReasonCode.SYSTEM_FAILED))
            if isinstance(course, Undefined):
                self.skipped[course.why] += 1
            else:
                self._courses.append(course)
                self.dialogue_ids.append(dialogue.id)
        self._result = None

    def merge(self, other: "LiftTotals") -> None:
        """Add the courses of other dialogues of the same system."""
        self.skipped.update(other.skipped)
        self._courses += other._courses
        self.dialogue_ids += other.dialogue_ids
        self._result = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "metric": None, "_result": None}

    @property
    def _needs(self) -> dict[Need, int]:
        """The different needs, numbered in an order that does not depend on that of the dialogues."""
        return {
            need: place for place, need in enumerate(sorted({each.acceptable for each in self._courses}, key=sorted))
        }

    def _result_of_all(self) -> LiftResult:
        """The lift, computed once for all comparisons."""
        if self._result is None:
            needs = self._needs
            own = np.array([needs[course.acceptable] for course in self._courses], dtype=np.int64)
            failed = np.array([course.is_failed for course in self._courses], dtype=bool)
            hits = _hits(self._courses, needs)
            found = lift(own, hits, needs=len(needs), turns=self.metric.turns, failed=failed)
            # A list that is the same for all has exactly 0: what summing leaves of 1e-18 has no interval and no p-value.
            self._result = replace(
                found, value=round(found.value, EXACT) + 0.0, without=np.round(found.without, EXACT) + 0.0
            )
        return self._result

    def _values_without(self) -> dict[Need, float]:
        return dict(zip(self._needs, self._result_of_all().without.tolist(), strict=True))

    def _why_undefined(self) -> Estimate | None:
        if not self._courses:
            return empty_estimate(self.skipped)
        needs, least = len(self._needs), self.metric.least_needs
        if needs < least:
            return Estimate(
                value=None,
                n=len(self._courses),
                clusters=needs,
                why=Reason.of(ReasonCode.TOO_FEW_NEEDS, needs=needs, least=least),
            )
        return None

    def of_dialogues(self) -> Array | None:
        """Shape (dialogues,): lift of each; None where the system has no value."""
        return None if self._why_undefined() else self._result_of_all().of_dialogues

    def parts(self, system: str) -> MeasureSums | None:
        """The values without each need, as a run stores them; None where there is no value."""
        if self._why_undefined():
            return None
        without = self._values_without()
        return MeasureSums(
            measure=MeasureName(self.metric.measure),
            system=system,
            rows_of="without",
            n=len(self._courses),
            keys=tuple(fingerprint_of(*sorted(need)) for need in without),
            width=1,
            sums=tuple(without.values()),
        )

    def estimate(self, system: str, settings: Settings) -> Estimate:
        """The system's value with its jackknife interval over needs; deterministic.

        Few needs are met: with needs - 1 degrees of freedom the interval covered 0 in .92 of 500 runs of random items.
        """
        undefined = self._why_undefined()
        if undefined is not None:
            return undefined
        without = list(self._values_without().values())
        value, n = self._result_of_all().value, len(self._courses)
        return jackknife(without, value, n, confidence=settings.confidence, are_rare=True)

    def minus(self, other: "LiftTotals", settings: Settings) -> Estimate:
        """Difference, by jackknife over the needs of both: a need that both have met is left out of both."""
        undefined = self._why_undefined() or other._why_undefined()
        if undefined is not None:
            return undefined
        return jackknife_difference(
            self._values_without(),
            other._values_without(),
            self._result_of_all().value,
            other._result_of_all().value,
            n=len(self._courses) + len(other._courses),
            confidence=settings.confidence,
            are_rare=True,
        )


def _hits(courses: Sequence[NeedCourse], needs: dict[Need, int]) -> Hits:
    """The first turn in which each dialogue's items meet each need, and whether one of them counts."""
    met_by: dict[str, list[int]] = {}
    for need, place in needs.items():
        for item in need:
            met_by.setdefault(item, []).append(place)
    rows: list[tuple[int, int, int, bool]] = []
    for number, course in enumerate(courses):
        counted, beyond = (_first_turns(items, met_by) for items in (course.items, course.beyond))
        for place in counted.keys() | beyond.keys():
            turns = counted.get(place, NEVER), beyond.get(place, NEVER)
            rows.append((number, place, min(turns), turns[0] <= turns[1]))
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4)
    return Hits(table[:, 0], table[:, 1], table[:, 2], table[:, 3] == 1)


def _first_turns(items: Iterable[tuple[str, int]], met_by: Mapping[str, Sequence[int]]) -> dict[int, int]:
    """The first turn of some items, which are in order, that meets each need."""
    first: dict[int, int] = {}
    for item, turn in items:
        for place in met_by.get(item, ()):
            first.setdefault(place, turn)
    return first
