"""Turns before the first recommendation, and success rate.

The field uses each of the two names for four different definitions; all are implemented as variants.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.dialogue.turns import turns_of
from trialogue.metrics.recommendation.items import item_key
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Variant

BA = "Yang et al. (SIGIR 2024), 'Behavior Alignment', Table 1"

TURNS_BEFORE = Card(
    name="turns_before_recommendation",
    title="Turns before the first recommendation",
    summary="Number of turns before the system first names an item. Systems based on LLMs name one earlier than "
    "people do.",
    unit="system turns",
    low=0,
    better="neither",
    level="dialogue",
    failed=FailurePolicy.UNDEFINED,
    needs=("mentions",),
    variants={
        "turns": Variant(
            summary="System turns (runs of utterances) before the one in which the system first names an item.",
            source="INSPIRED dev and test: 3.35 over 189 dialogues; 9 have no recommendation.",
        ),
        "turn_number": Variant(
            summary="Number of the system turn in which the system first names an item; 1 if it does so in its first turn.",
            source=f"{BA}, as its 1.000 for Llama 2 suggests (the paper gives no definition). INSPIRED dev and "
            "test: 4.35.",
        ),
        "new_item_turns": Variant(
            summary="System turns before the one in which the system first names an item not named before.",
            source="INSPIRED dev and test: 3.44 over 187 dialogues; 11 have none.",
        ),
        "utterances": Variant(
            summary="Utterances of both speakers before the one in which the system first names an item.",
            source="INSPIRED dev and test, counted in rows of its files: a mean of 10.65.",
        ),
    },
    default="turns",
    caveats=(
        "The paper reports 2.500 for people (20 dialogues), 1.158 for GPT-3.5 and 1.000 for Llama 2 and does not "
        "define the measure; INSPIRED itself gives 3.35, 4.35, 3.44 or 10.65.",
        "Dialogues without a recommendation are left out and counted as skipped: the value says nothing about a "
        "system that never recommends.",
        "Naming an item counts as recommending it.",
    ),
    citation=BA,
    family="dialogue",
)


class TurnsBeforeRecommendation(RatioMetric):
    """Mean number of turns before the first recommendation, over the dialogues that have one."""

    card = TURNS_BEFORE
    of_variants: ClassVar = {"utterances": {"unit": "utterances"}}

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(turns or utterances before the first recommendation, 1)."""
        first = _first_new_item(unit) if self.variant == "new_item_turns" else _first_item(unit)
        if isinstance(first, Undefined):
            return first
        if self.variant == "utterances":
            return (float(first), 1.0)
        number = turns_of(unit.utterances[: first + 1], "system")
        return (float(number if self.variant == "turn_number" else number - 1), 1.0)


def _first_item(dialogue: Dialogue) -> int | Undefined:
    for index, utterance in enumerate(dialogue.utterances):
        if utterance.speaker != "system":
            continue
        if utterance.mentions is None:
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED_BY_SYSTEM))
        if utterance.mentions:
            return index
    return Undefined(Reason.of(ReasonCode.NO_ITEM_NAMED))


def _first_new_item(dialogue: Dialogue) -> int | Undefined:
    known: set[str] = set()
    for index, utterance in enumerate(dialogue.utterances):
        if utterance.mentions is None:
            return Undefined(Reason.of(ReasonCode.ITEMS_NOT_LINKED_IN_DIALOGUE))
        named = {item_key(mention) for mention in utterance.mentions}
        if utterance.speaker == "system" and named - known:
            return index
        known |= named
    return Undefined(Reason.of(ReasonCode.NO_NEW_ITEM_NAMED))


SUCCESS = Card(
    name="success_rate",
    is_task_outcome=True,
    title="Success rate",
    summary="Share of dialogues with a good outcome, as reported by the user or the corpus.",
    unit="share of dialogues",
    is_share=True,
    low=0,
    high=1,
    better="higher",
    level="dialogue",
    failed=FailurePolicy.WORST,
    needs=("outcome",),
    variants={
        "satisfied": Variant(
            summary="The user's own rating named 'satisfaction' lies above the middle of its scale.",
            source="CRSArena-Dial (Bernard et al., WSDM 2025): satisfied or frustrated.",
        ),
        "accept_rating_good": Variant(
            summary="The outcome 'fine' is 'accept_rating_good': the user accepted and rated the film 4 or 5 after "
            "the trailer.",
            source="INSPIRED (Hayati et al., EMNLP 2020), column fine_label or case; 53.1% of its 1,001 dialogues.",
        ),
        "accept": Variant(
            summary="The value of the outcome 'coarse' starts with 'accept'.",
            source="INSPIRED, column coarse_label; 86.5% of its 1,001 dialogues.",
        ),
        "any_accept": Variant(
            summary="The value of the outcome 'fine' starts with 'accept', whatever the user thought of the trailer.",
            source="INSPIRED, column fine_label or case; 98.8% of its 1,001 dialogues.",
        ),
        "reported_liked": Variant(
            summary="In the questionnaire, the user reports liking at least one suggested item.",
            source="ReDial (Li et al., NeurIPS 2018): fields 'suggested' and 'liked' of the seeker's form.",
        ),
    },
    default="satisfied",
    caveats=(
        "The same labels of INSPIRED give 53.1, 86.5 or 98.8% depending on the definition; the paper "
        "that compares LLMs with people reports 57.1% for 20 of these dialogues and does not say which definition "
        "it uses.",
        (
            "Success reported by a simulated user reveals more about the simulator than about the system: on the "
            "same four systems, its correlation with human satisfaction ratings ranges from -.40 to +.80 depending "
            "on the simulator."
        ),
    ),
    citation=BA,
    family="dialogue",
)


class SuccessRate(RatioMetric):
    """Share of successful dialogues."""

    card = SUCCESS
    of_variants: ClassVar = {"satisfied": {"needs": ("ratings",)}, "reported_liked": {"needs": ("opinions",)}}

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(1 if successful, 1)."""
        success = JUDGES[self.variant](unit)
        return success if isinstance(success, Undefined) else (float(success), 1.0)


def _judge_outcome(level: str, prefix: str) -> Callable[[Dialogue], bool | Undefined]:
    def judge(dialogue: Dialogue) -> bool | Undefined:
        label = dialogue.outcome.get(level)
        if label is None:
            return Undefined(Reason.of(ReasonCode.OUTCOME_MISSING, level=level))
        return label.startswith(prefix)

    return judge


def _is_liked(dialogue: Dialogue) -> bool | Undefined:
    """Whether a suggested item was liked; no answer to that question about any suggested item is no answer."""
    if dialogue.opinions is None:
        return Undefined(Reason.of(ReasonCode.OPINIONS_NOT_ASKED))
    reports = [opinion for opinion in dialogue.opinions if opinion.by == "user"]
    if not reports:
        return Undefined(Reason.of(ReasonCode.QUESTIONNAIRE_NOT_FILLED_IN))
    liked = [opinion.liked for opinion in reports if opinion.suggested]
    if liked and all(answer is None for answer in liked):
        return Undefined(Reason.of(ReasonCode.LIKING_NOT_ANSWERED))
    return any(liked)


def _is_satisfied(dialogue: Dialogue) -> bool | Undefined:
    """Whether the user's rating is above the middle; the mean of several is compared with the mean of their middles."""
    ratings = [rating for rating in dialogue.ratings if rating.name == "satisfaction" and rating.rater == "user"]
    if not ratings:
        return Undefined(Reason.of(ReasonCode.SATISFACTION_NOT_RATED))
    total = 0.0
    for rating in ratings:
        if rating.low is None or rating.high is None:
            return Undefined(Reason.of(ReasonCode.SATISFACTION_SCALE_UNKNOWN))
        total += rating.value - (rating.low + rating.high) / 2
    return total > 0


JUDGES: dict[str, Callable[[Dialogue], bool | Undefined]] = {
    "satisfied": _is_satisfied,
    "accept_rating_good": _judge_outcome("fine", "accept_rating_good"),
    "accept": _judge_outcome("coarse", "accept"),
    "any_accept": _judge_outcome("fine", "accept"),
    "reported_liked": _is_liked,
}
