"""Lift: whether the system listens, by how much more often it meets its user's need than other users' needs.

A list of popular items meets many needs without a question asked. What it meets of the own user's need, it meets of the
other users' needs as well; what a system that listens finds is for this user. The statistic is in ``stats.lift``, and how
it is collected in ``metrics.engine.lift_totals``.
"""

from trialogue.metrics.base import NeedCourse, Undefined
from trialogue.metrics.failure_policy import failure_of
from trialogue.metrics.names import full_name, whole_number
from trialogue.metrics.needs.need_met import CAVEATS, LIMITS, PARAMETERS, TURNS, VARIANTS
from trialogue.metrics.needs.recommendations import PER_TURN, need_of, recommended_in
from trialogue.records import Card, Dialogue, FailurePolicy, Fault, Reason, ReasonCode

EARLIER = (
    "Version 1 kept a need open after an item that does not count had met it, although the user then leaves; lists of 50 "
    "items had a lift of -.002 by chance."
)

LIFT = Card(
    name="lift",
    title="Lift",
    summary="How much more often the system meets its user's need than the same items meet other users' needs, while the "
    "need is open; each need counts once. 0 for a system that ignores the user.",
    unit="difference of shares",
    low=-1,
    high=1,
    better="higher",
    level="dialogue",
    failed=FailurePolicy.WORST,
    needs=("need",),
    variants={
        name: VARIANTS[name].model_copy(update={"version": 2, "source": f"{VARIANTS[name].source} {EARLIER}"})
        for name in ("named", "first")
    },
    default="named",
    parameters=PARAMETERS,
    caveats=(
        "It measures listening, not service: a system can listen and still meet few needs. Read it together with need met.",
        "Nobody has shown yet that it agrees with what people prefer.",
        *CAVEATS,
    ),
    is_task_outcome=True,
    beside="need_met",
    negligible=0.02,
    family="simulation",
)


class Lift:
    """Mean over needs and their dialogues of: need met, less what the same items meet of the run's other needs."""

    card = LIFT
    least_needs = 30
    """Different needs below which it has no value: what other users' needs would have met is too uncertain."""

    def __init__(self, *, variant: str = LIFT.default, turns: int = TURNS) -> None:
        self.turns = whole_number(turns, "turns") + 1  # the greeting is turn 0
        self.measure = full_name(LIFT, variant, {"turns": turns})
        self._most = LIMITS.get(variant, PER_TURN)

    def course(self, unit: Dialogue) -> NeedCourse | Undefined:
        """The need, and the counted recommendations with their turns."""
        ending = failure_of(unit)
        if ending is not None and ending.fault is not Fault.AGENT:
            return Undefined(Reason.of(ReasonCode.OTHERS_FAILED, ending=ending, fault=ending.fault))
        need, found = need_of(unit), recommended_in(unit)
        if isinstance(need, Undefined):
            return need
        if isinstance(found, Undefined):
            return found
        new = [each for each in found if each.is_new and each.turn < self.turns]
        items, beyond = (
            tuple((each.key, each.turn) for each in new if (each.place < self._most) is counts)
            for counts in (True, False)
        )
        return NeedCourse(frozenset(need.acceptable), items, beyond, is_failed=ending is not None)
