"""Accumulate a metric of needs and dialogues for one system: courses as they come, the statistic at the end.

Needs are told apart by the items that satisfy them: two needs with the same items are one. What is kept of a dialogue is
its need and its counted items, some dozens of bytes.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from trialogue.metrics.base import Array, Conversation, NeedCourse, NeedMetric, Undefined
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.conversations import fingerprint_of
from trialogue.metrics.engine.sum_totals import NO_DIALOGUE, Settings, empty_estimate
from trialogue.metrics.engine.unit_scores import ColumnSink, Sink
from trialogue.metrics.pieces import Ints
from trialogue.records import Estimate, FailurePolicy, MeasureName, MeasureSums, Reason, ReasonCode
from trialogue.stats import jackknife, jackknife_difference
from trialogue.stats.lift import Hits, LiftResult, lift

Need = frozenset[str]

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
    _courses: "_Courses" = field(default_factory=lambda: _Courses())
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
        self._courses.extend(other._courses)
        self.dialogue_ids += other.dialogue_ids
        self._result = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "metric": None, "_result": None}

    @property
    def _needs(self) -> dict[Need, int]:
        """The different needs, numbered in an order that does not depend on that of the dialogues."""
        return {need: place for place, need in enumerate(sorted(self._courses.needs, key=sorted))}

    def _result_of_all(self) -> LiftResult:
        """The lift, computed once for all comparisons."""
        if self._result is None:
            needs, courses = self._needs, self._courses
            places = np.array([needs[need] for need in courses.needs], dtype=np.int64)
            own, failed = places[as_ints(courses.own)], np.array(courses.failed, dtype=bool)
            hits = courses.hits(places, self.metric.turns)
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


def as_ints(numbers: "array[int]") -> Ints:
    """Numbers as an array of their own."""
    return np.array(numbers, dtype=np.int64)


class _Courses:
    """Courses as columns, with needs and items as numbers: 12 bytes an item, where a pair of Python objects takes 70."""

    def __init__(self) -> None:
        self.needs: dict[Need, int] = {}
        """Number of each need, by first occurrence."""
        self.own, self.failed = array("i"), array("b")
        """Of each course: its need, and whether it failed."""
        self._items: dict[str, int] = {}
        self._sizes = array("i")
        """Of each course: how many items count, and how many are beyond."""
        self._named, self._turns = array("i"), array("i")

    def __len__(self) -> int:
        return len(self.own)

    def append(self, course: NeedCourse) -> None:
        """Add a course."""
        self.own.append(self.needs.setdefault(course.acceptable, len(self.needs)))
        self.failed.append(course.is_failed)
        for items in (course.items, course.beyond):
            self._sizes.append(len(items))
            for item, turn in items:
                self._named.append(self._items.setdefault(item, len(self._items)))
                self._turns.append(turn)

    def extend(self, other: "_Courses") -> None:
        """Add other courses."""
        needs = [self.needs.setdefault(need, len(self.needs)) for need in other.needs]
        items = [self._items.setdefault(item, len(self._items)) for item in other._items]
        self.own.extend(needs[each] for each in other.own)
        self._named.extend(items[each] for each in other._named)
        for own, more in ((self.failed, other.failed), (self._sizes, other._sizes), (self._turns, other._turns)):
            own.extend(more)

    def hits(self, places: Ints, turns: int) -> Hits:
        """The first turn in which each course's items meet each need, and whether an item that counts then meets it.

        Args:
            places: by number of a need, its place.
            turns: more than any turn.
        """
        known = self._items
        met = sorted((known[each], need) for need, own in enumerate(self.needs) for each in own if each in known)
        item, need = np.array(met, dtype=np.int64).reshape(-1, 2).T
        named = as_ints(self._named)
        first = np.searchsorted(item, named)
        times = np.searchsorted(item, named, side="right") - first
        before = np.repeat(np.cumsum(times) - times, times)
        place = places[need[np.repeat(first, times) + np.arange(len(before)) - before]]
        side = np.repeat(np.arange(len(self._sizes)), as_ints(self._sizes))  # of courses: odd beyond
        # Sorted as one number each, of course, need, turn and side; the first of course and need is what happened first.
        turn = np.repeat(as_ints(self._turns) * 2 + side % 2, times)
        pair = np.repeat(side // 2, times) * len(places) + place
        found = np.sort(pair * (2 * turns) + turn)
        pair, turn = np.divmod(found, 2 * turns)
        is_first = np.concatenate([[True], pair[1:] != pair[:-1]])[: len(pair)]
        pair, turn = pair[is_first], turn[is_first]
        return Hits(pair // len(places), pair % len(places), turn // 2, turn % 2 == 0)
