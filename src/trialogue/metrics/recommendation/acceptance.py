"""Acceptance: whether, how often and how soon the user accepts an item, read from user acts without ratings."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.dialogue.acts import Exchange, exchanges, why_unlabelled
from trialogue.metrics.dialogue.turns import KDD2020
from trialogue.metrics.recommendation.items import item_key
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Variant

TAKES, NOTES, GOODBYES, RECORDED, ENDED = "Note-end", "Note", ("Complete", "Complete-complain"), "Record", "End"


def _accepts(turn: Exchange) -> bool:
    """Takes an item: says so, or takes note of one and the system records it."""
    return turn.act == TAKES or (turn.act == NOTES and RECORDED in turn.burst)


RULES: dict[str, Callable[[Exchange], bool]] = {
    "accepted": _accepts,
    "note_end": lambda turn: turn.act == TAKES,
    "note": lambda turn: turn.act in (TAKES, NOTES),
    "goodbye": lambda turn: turn.act in GOODBYES and ENDED in turn.burst,
}
"""Whether a turn of the user is what a variant looks for."""

WORDS = {
    "accepted": "the user takes an item (Note-end), or takes note of one (Note) and the system records it (Record)",
    "note_end": "the user takes an item (Note-end)",
    "note": "the user takes an item or takes note of one (Note-end, Note)",
    "goodbye": "the user says goodbye (Complete) and the system ends the dialogue (End)",
}
OURS = "Acts of KDD 2020. For one of its systems, which never records, Note alone can also mean 'not seen'."
SOURCES = {
    "accepted": OURS,
    "note_end": "What UserSimCRS counts as an accepted recommendation, in the acts of KDD 2020.",
    "note": "The most lenient reading.",
    "goodbye": "The point at which the paper's user model ends the dialogue.",
}
CAVEAT = (
    "Acceptance by a simulated user reveals more about the simulator than about the system: on the same four "
    "systems, its correlation with human satisfaction ratings ranges from -.40 to +.80 depending on "
    "the simulator."
)


def _variants(form: str, *names: str) -> dict[str, Variant]:
    return {name: Variant(summary=form.format(WORDS[name]), source=SOURCES[name]) for name in names}


def turns_that(dialogue: Dialogue, rule: Callable[[Exchange], bool]) -> list[Exchange] | Undefined:
    """The user's turns that a rule holds for; why there are none where the user's acts are not known."""
    missing = why_unlabelled(dialogue.utterances, "user")
    return missing or [turn for turn in exchanges(dialogue) if rule(turn)]


_card = partial(
    Card, low=0, level="dialogue", needs=("user_acts",), default="accepted", citation=KDD2020, family="simulation"
)
"""What the cards of this module have in common."""

TASK_SUCCESS = _card(
    name="task_success",
    is_task_outcome=True,
    title="Task success",
    summary="Share of dialogues in which the user accepts a recommendation, as shown by the user's acts.",
    unit="share of dialogues",
    is_share=True,
    high=1,
    better="higher",
    failed=FailurePolicy.WORST,
    variants=_variants("At least once, {}.", "accepted", "note_end", "note", "goodbye"),
    caveats=(CAVEAT, "Success as reported by the user or the corpus is a different measure: success_rate."),
)


class TaskSuccess(RatioMetric):
    """Share of dialogues with an acceptance."""

    card = TASK_SUCCESS

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """Statistics (1 if an item is accepted, 1)."""
        found = turns_that(unit, RULES[self.variant])
        return found if isinstance(found, Undefined) else (float(bool(found)), 1.0)


ACCEPTED = _card(
    name="accepted_recommendations",
    title="Accepted recommendations per dialogue",
    summary="How many recommendations the user accepts in a dialogue.",
    unit="recommendations per dialogue",
    better="higher",
    failed=FailurePolicy.WORST,
    variants={
        **_variants("Turns in which {}.", "accepted", "note_end", "note"),
        "items": Variant(
            summary="Distinct items accepted: for each acceptance, the last item that the system named before it.",
            source="Turns as in accepted, items by the annotation or the title linker.",
        ),
    },
    caveats=(CAVEAT, "Users who stop at the first item they like accept at most one."),
)


class AcceptedRecommendations(RatioMetric):
    """Mean number of acceptances."""

    card = ACCEPTED
    of_variants: ClassVar = {"items": {"needs": ("user_acts", "mentions")}}

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(acceptances, 1)."""
        found = turns_that(unit, RULES.get(self.variant, _accepts))
        if isinstance(found, Undefined):
            return found
        if self.variant != "items":
            return (float(len(found)), 1.0)
        if any(said.speaker == "system" and said.mentions is None for said in unit.utterances):
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED_BY_SYSTEM))
        taken = {_last_item_before(unit, turn.place) for turn in found} - {None}
        return (float(len(taken)), 1.0)


def _last_item_before(dialogue: Dialogue, place: int) -> str | None:
    """The item that the system named last before a place; None if it named none."""
    for said in reversed(dialogue.utterances[:place]):
        if said.speaker == "system" and said.mentions:
            return item_key(said.mentions[-1])
    return None


ROUNDS = _card(
    name="rounds_until_acceptance",
    title="Rounds until acceptance",
    summary="How many user utterances it takes until a recommendation is accepted, including the acceptance.",
    unit="user turns",
    low=1,
    better="lower",
    failed=FailurePolicy.UNDEFINED,
    variants=_variants("Number of the first user utterance in which {}.", "accepted", "note_end", "note"),
    caveats=(
        "Dialogues without acceptance are left out and counted as skipped: read it together with task success.",
        CAVEAT,
    ),
)


class RoundsUntilAcceptance(RatioMetric):
    """Mean number of user turns up to the first acceptance, over the dialogues that have one."""

    card = ROUNDS

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(number of the turn, 1)."""
        missing = why_unlabelled(unit.utterances, "user")
        if missing is not None:
            return missing
        for number, turn in enumerate(exchanges(unit), start=1):
            if RULES[self.variant](turn):
                return (float(number), 1.0)
        return Undefined(Reason.of(ReasonCode.NOTHING_ACCEPTED))
