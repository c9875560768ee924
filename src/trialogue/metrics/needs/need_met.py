"""Need-based outcomes: whether and when the system finds an item that satisfies the user's need, and whether it listens.

They use no labels, acts or opinions. Simulated users have a hidden need that few items of the catalogue satisfy
(``simulation.needs``). What is counted is which items the system was first to name, and when (``recommended``), without
interpreting its utterances.

Lift is by how much more often it meets its user's need than other users' needs. A list of popular items meets many needs
without a question asked. What it meets of the own user's need, it meets of the other users' needs as well; what a system
that listens finds is for this user. The statistic is in ``stats.lift``, and how it is collected in
``metrics.engine.lift_totals``.

Extract a system's recommendations in a dialogue, by item and turn, for all need-based outcomes.

Counted are items that the *system* names first; items that the user named, or that were recommended before, are not. Titles
that are asked about, rejected or only compared with are not recommendations. At most three new items per turn count, in
order: a list of two hundred titles is not two hundred recommendations.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from math import comb
from typing import NamedTuple

from trialogue.catalogue.naming import recommended_mentions
from trialogue.long_work import PerObject
from trialogue.metrics.base import NeedCourse, RatioMetric, Undefined
from trialogue.metrics.failure_policy import failure_of
from trialogue.metrics.names import full_name, whole_number
from trialogue.metrics.recommendation.items import item_key
from trialogue.records import Card, Dialogue, FailurePolicy, Fault, Need, Reason, ReasonCode, Utterance, Variant

PER_TURN = 3


class Recommended(NamedTuple):
    """One item that the system puts forward."""

    key: str
    """Its id, or title where that is all that is known."""
    turn: int
    """User turns so far: 1 for the reply to the user's first; 0 for a greeting."""
    place: int
    """Its place among the new items of the turn, from 0; that of a repeated one is that of the next new one."""
    is_new: bool
    """Whether the item is named for the first time."""


def _recommendations(dialogue: Dialogue) -> Sequence[Recommended] | Undefined:
    found: list[Recommended] = []
    named: set[str] = set()
    turn = place = 0
    speaker = ""
    for said in dialogue.utterances:
        if said.speaker == "user":
            turn, place = turn + (speaker != "user"), 0
            named.update(map(item_key, said.mentions or ()))
        elif said.mentions:
            for key in _recommended_by(said):
                found.append(Recommended(key, turn, place, key not in named))
                place += key not in named
                named.add(key)
        elif said.mentions is None and said.text.strip():
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED_BY_SYSTEM))
        speaker = said.speaker
    return tuple(found)


recommended_in = PerObject(_recommendations, 512)
"""The system's recommendations in order, or the reason why they are unknown; seven measures ask for those of a batch."""


@PerObject
def _recommended_by(said: Utterance) -> tuple[str, ...]:
    return tuple(map(item_key, recommended_mentions(said.text, said.mentions or ())))


def need_of(dialogue: Dialogue) -> Need | Undefined:
    """The user's need, or the reason why it is unknown."""
    need = dialogue.need
    return need if need is not None and need.acceptable else Undefined(Reason.of(ReasonCode.NEED_UNKNOWN))


TURNS = 10
EVERYTHING = 1_000_000  # more than any turn names
PARAMETERS = {"turns": "maximum number of user turns considered (default 10)"}
OURS = "Trialogue; see docs/background/simulation.md."
NAMED = Variant(summary="The first three new items of each turn count.", source=OURS)
LIMITS = {"named": PER_TURN, "first": 1, "listed": EVERYTHING}
VARIANTS = {
    "named": NAMED,
    "first": Variant(summary="Only the first new item of each turn counts.", source=OURS),
    "listed": Variant(
        summary="Every new item of a turn counts, so a list of the whole catalogue meets every need. The difference "
        "from the default, which counts three items of a turn, shows the effect of listing.",
        source=OURS,
    ),
}
CAVEATS = (
    "The measure shows whether the system finds what simulated users need, not whether people would be satisfied.",
    "Rules for English sentences decide which titles are asked about, rejected or only used as a comparison.",
    "Titles that a system declares are used; without declared titles, the linker finds them in the text.",
)

_card = partial(Card, low=0, high=1, level="dialogue", needs=("need",), parameters=PARAMETERS, family="simulation")
"""What the cards of this module have in common."""

NEED_MET = _card(
    name="need_met",
    title="Need met",
    summary="Share of dialogues in which the system is the first to name an item that satisfies the user's hidden "
    "need.",
    unit="share of dialogues",
    is_share=True,
    better="higher",
    failed=FailurePolicy.WORST,
    variants=VARIANTS,
    default="named",
    caveats=CAVEATS,
    is_task_outcome=True,
)


class _OfNeeds(RatioMetric):
    """Common base of outcomes by needs: the need, and the counted recommendations."""

    def __init__(self, *, variant: str | None = None, turns: int = TURNS) -> None:
        self.declare(variant, turns=whole_number(turns, "turns"))
        self._turns, self._most = turns, LIMITS.get(self.variant, PER_TURN)

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(value of the dialogue, 1)."""
        need, found = need_of(unit), recommended_in(unit)
        if isinstance(need, Undefined):
            return need
        if isinstance(found, Undefined):
            return found
        new = [each for each in found if each.is_new and each.turn <= self._turns and each.place < self._most]
        value = self.of_dialogue(need, new)
        return value if isinstance(value, Undefined) else (value, 1.0)

    @abstractmethod
    def of_dialogue(self, need: Need, found: Sequence[Recommended]) -> float | Undefined:
        """Value of a dialogue with a need, from the new recommendations that count."""


class NeedMet(_OfNeeds):
    """Share of dialogues in which the need is met."""

    card = NEED_MET

    def of_dialogue(self, need: Need, found: Sequence[Recommended]) -> float | Undefined:
        """1 if it is met."""
        return float(not set(need.acceptable).isdisjoint(each.key for each in found))


AFTER_REVISION = _card(
    name="need_met_after_revision",
    title="Need met after revision",
    summary="Of the dialogues in which the user gave up a wish because the system said that nothing fits: share in "
    "which the system is the first to name an item that meets the remaining wishes.",
    unit="share of dialogues",
    is_share=True,
    better="higher",
    failed=FailurePolicy.UNDEFINED,
    variants={"named": NAMED},
    default="named",
    caveats=(
        "This measure does not replace need met: a system that immediately says that nothing fits faces easier needs.",
        *CAVEATS,
    ),
)


class NeedMetAfterRevision(_OfNeeds):
    """Share of the dialogues with a revised need in which what is left of it is met."""

    card = AFTER_REVISION

    def of_dialogue(self, need: Need, found: Sequence[Recommended]) -> float | Undefined:
        """1 if it is met."""
        if not need.relaxed:
            return Undefined(Reason.of(ReasonCode.NEED_NOT_REVISED))
        return float(not {*need.acceptable, *need.acceptable_relaxed}.isdisjoint(each.key for each in found))


TURNS_UNTIL = _card(
    name="turns_until_need_met",
    title="Turns until the need is met",
    summary="How many user utterances it takes until the system names an item that meets the need.",
    unit="user turns",
    high=None,
    better="lower",
    failed=FailurePolicy.UNDEFINED,
    variants={
        "met": Variant(summary="Over dialogues in which the need is met; read it together with need met.", source=OURS),
        "capped": Variant(
            summary="Over all dialogues; one in which the need is not met counts as one turn more than the limit.",
            source="Average turns, with failures counted at the cap: PEPPER and attribute-based conversational "
            "recommendation.",
        ),
    },
    default="met",
    caveats=CAVEATS,
)


class TurnsUntilNeedMet(_OfNeeds):
    """Mean number of user turns up to the first item that satisfies the need."""

    card = TURNS_UNTIL

    def __init__(self, *, variant: str | None = None, turns: int = TURNS) -> None:
        super().__init__(variant=variant, turns=turns)
        if self.variant == "capped":
            self.card = TURNS_UNTIL.model_copy(update={"failed": FailurePolicy.WORST, "high": float(turns + 1)})

    def of_dialogue(self, need: Need, found: Sequence[Recommended]) -> float | Undefined:
        """Number of the turn."""
        turn = next((each.turn for each in found if each.key in need.acceptable), None)
        if turn is not None:
            return float(turn)
        if self.variant == "capped":
            return float(self._turns + 1)
        return Undefined(Reason.of(ReasonCode.NEED_NOT_MET))


CONSTRAINTS = _card(
    name="constraints_satisfied",
    title="Constraints satisfied",
    summary="Share of the user's constraints that the system's recommendations satisfy.",
    unit="share of constraints",
    is_share=True,
    better="higher",
    failed=FailurePolicy.WORST,
    variants={
        "best": Variant(
            summary="Share for the best counted recommendation of a dialogue; 0 if there is none.", source=OURS
        ),
        "mean": Variant(
            summary="Mean share over the counted recommendations of a dialogue; 0 if there are none. Naming more "
            "items does not help.",
            source=OURS,
        ),
    },
    default="best",
    caveats=(
        *CAVEATS,
        "A long list contains a good item by chance: a random list satisfies a large part of most needs.",
    ),
)


class ConstraintsSatisfied(_OfNeeds):
    """Mean share of the constraints that the best recommendation of a dialogue satisfies, or all of them on average."""

    card = CONSTRAINTS

    def of_dialogue(self, need: Need, found: Sequence[Recommended]) -> float | Undefined:
        """Share of the constraints."""
        if not need.is_resolved:
            return Undefined(Reason.of(ReasonCode.NEED_NOT_RESOLVED))
        shares = [need.fits.get(each.key, 0.0) for each in found] or [0.0]
        return sum(shares) / len(shares) if self.variant == "mean" else max(shares)


BY_CHANCE = _card(
    name="need_met_by_chance",
    title="Need met by chance",
    summary="Probability that random items of the catalogue would have met the need, if as many were drawn as the "
    "system named.",
    unit="probability",
    better="neither",
    failed=FailurePolicy.UNDEFINED,
    variants={
        "drawn": Variant(
            summary="1 - C(N - K, m) / C(N, m): N items in the catalogue, K of them acceptable, m counted recommendations.",
            source="Hypergeometric distribution.",
        )
    },
    default="drawn",
    caveats=("Compare with need met: a system that names more items has more chances.",),
)


class NeedMetByChance(_OfNeeds):
    """Mean probability that random items meet the need."""

    card = BY_CHANCE

    def of_dialogue(self, need: Need, found: Sequence[Recommended]) -> float | Undefined:
        """Probability."""
        if need.catalogue_size is None:
            return Undefined(Reason.of(ReasonCode.CATALOGUE_UNKNOWN))
        return probability_by_chance(need.catalogue_size, len(need.acceptable), len(found))


def probability_by_chance(items: int, acceptable: int, named: int) -> float:
    """The probability that at least one of some items drawn without repetition is acceptable.

    >>> probability_by_chance(476, 4, 0), probability_by_chance(10, 1, 5), round(probability_by_chance(476, 4, 9), 4)
    (0.0, 0.5, 0.0737)
    """
    named = min(named, items)
    return 1.0 - comb(max(0, items - acceptable), named) / comb(items, named)


EARLIER = (
    "Version 1 kept a need open after an item that does not count had met it, although the user then leaves; lists of 50 "
    "items had a lift of -.002 by chance."
)

LIFT = _card(
    name="lift",
    title="Lift",
    summary="How much more often the system meets its user's need than the same items meet other users' needs, while the "
    "need is open; each need counts once. 0 for a system that ignores the user.",
    unit="difference of shares",
    low=-1,
    better="higher",
    failed=FailurePolicy.WORST,
    variants={
        name: VARIANTS[name].model_copy(update={"version": 2, "source": f"{VARIANTS[name].source} {EARLIER}"})
        for name in ("named", "first")
    },
    default="named",
    caveats=(
        "Lift shows that a system uses what users say; it can still meet few needs. Read lift together with need met.",
        "It is not known whether lift agrees with what people prefer.",
        *CAVEATS,
    ),
    is_task_outcome=True,
    beside="need_met",
    negligible=0.02,
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
