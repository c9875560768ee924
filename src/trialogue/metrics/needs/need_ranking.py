"""Need-based recall of the system's ranked lists, repeated recommendations, and items outside the catalogue."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from trialogue.long_work import PerObject
from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.names import whole_number
from trialogue.metrics.needs.need_met import TURNS, need_of, recommended_in
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Variant

_card = partial(Card, is_share=True, low=0, high=1, level="dialogue")
"""What the cards of this module have in common."""

NEED_RECALL = _card(
    name="need_recall",
    title="Recall@k of the user's targets",
    summary="How many of the user's best-matching items are among the first k of the system's ranked list.",
    unit="share",
    better="higher",
    failed=FailurePolicy.WORST,
    needs=("need", "dialogue_ranking"),
    variants={
        "last": Variant(
            summary="Share of targets among the first k of the last list up to the turn; a dialogue that has ended "
            "keeps its last list.",
            source="iEvaLM (RUCAIBox), Rec_eval.py: per label, on the last list only.",
        ),
        "any": Variant(
            summary="Share of targets among the first k of any list up to the turn.",
            source="Success of iEvaLM, which ends a dialogue as soon as a list of 50 holds a target.",
        ),
        "all-cases": Variant(
            summary="As @last, but a dialogue without a list counts as a miss, so that rare recommendations are no "
            "advantage.",
            source="Trialogue; iEvaLM's attribute questions leave such cases out of the denominator.",
        ),
    },
    default="last",
    parameters={
        "k": "how many items of a list count (default 10)",
        "turn": ("the user turn up to which lists count (default 10); 1 is the offline metric on the user's opening"),
    },
    caveats=(
        "The user reads the text, not the list: ranking and text can disagree.",
        (
            "An item that occurs twice in a list takes one place. Each target of a need from iEvaLM's logs counts "
            "once; iEvaLM counts a repeated target twice."
        ),
        (
            "Targets that the user has already named count, as in iEvaLM, whose contexts contain a target in "
            "12.6% and 35.7% of the cases (ReDial, OpenDialKG): compare the first turn with later ones."
        ),
        (
            "A dialogue without a list has no value, and is counted as left out; iEvaLM drops such cases silently. "
            "With @all-cases, such a dialogue is a miss, even for a system that never gives a list."
        ),
    ),
    citation="Wang et al. (EMNLP 2023), 'Rethinking the Evaluation for Conversational Recommendation in the Era of LLMs'",
    family="simulation",
)


class NeedRecall(RatioMetric):
    """Share of the targets in the list of a turn, per label."""

    card = NEED_RECALL

    def __init__(self, *, variant: str | None = None, k: int = 10, turn: int = TURNS) -> None:
        self.declare(variant, k=whole_number(k, "k"), turn=whole_number(turn, "turn"))
        self._k, self._turn = k, turn

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(targets found, targets)."""
        need = need_of(unit)
        if isinstance(need, Undefined):
            return need
        if not need.targets:
            return Undefined(Reason.of(ReasonCode.TARGETS_UNKNOWN))
        lists = [ranking for turn, ranking in _rankings_in(unit) if turn <= self._turn]
        if not lists and self.variant == "all-cases":
            return (0.0, float(len(need.targets)))
        if not lists:
            return Undefined(Reason.of(ReasonCode.NO_RANKING))
        heads = (tuple(dict.fromkeys(each))[: self._k] for each in (lists if self.variant == "any" else lists[-1:]))
        held = set[str]().union(*heads)
        return (float(sum(target in held for target in need.targets)), float(len(need.targets)))


def _rankings(dialogue: Dialogue) -> list[tuple[int, tuple[str, ...]]]:
    found, turn, speaker = [], 0, ""
    for said in dialogue.utterances:
        turn += said.speaker == "user" != speaker
        speaker = said.speaker
        if said.speaker == "system" and said.ranking is not None:
            found.append((turn, said.ranking))
    return found


_rankings_in = PerObject(_rankings, 512)
"""(user turns so far, the system's list) of each list in a dialogue, in order; variants ask for those of a batch."""


REPEATED = _card(
    name="repeated_recommendations",
    title="Repeated recommendations",
    summary="Share of the system's recommendations that repeat an item: one that the system has recommended, or that "
    "the user has named.",
    unit="share of recommendations",
    better="lower",
    failed=FailurePolicy.UNDEFINED,
    needs=("need",),
    variants={
        "named": Variant(
            summary="Share of all recommendations, counting each mention of a title; talking about an item again "
            "counts as repetition too.",
            source="He et al. (CIKM 2023) and Kostric & Balog (2026) on repeated items.",
        ),
        "again": Variant(
            summary="Share of the items of each turn, every item once: those that the user has named in an earlier message "
            "(as seen, liked or turned down), or that the system recommended in an earlier turn. Users' needs "
            "are not required.",
            source="Trialogue: as @named, for logs.",
        ),
    },
    default="named",
    caveats=("A system that answers questions about an item names it again, which is not a fault.",),
    family="recommendation",
)


class RepeatedRecommendations(RatioMetric):
    """Pooled share of repetitions."""

    card = REPEATED
    of_variants: ClassVar = {"again": {"needs": ("unrecognised",)}}

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(repeated, all)."""
        found = recommended_in(unit)
        if isinstance(found, Undefined):
            return found
        if self.variant == "again":
            found = list({(each.turn, each.key): each for each in reversed(found)}.values())
        if not found:
            return Undefined(Reason.of(ReasonCode.NO_ITEM_NAMED))
        return (float(sum(not each.is_new for each in found)), float(len(found)))


OUTSIDE = _card(
    name="out_of_catalogue",
    title="Recommendations outside the catalogue",
    summary="Share of the system's recommendations that are not items of the users' catalogue.",
    unit="share of recommendations",
    better="lower",
    failed=FailurePolicy.UNDEFINED,
    needs=("need",),
    variants={
        "declared": Variant(
            summary="Over all recommendations: those that the system declares, those that the linker finds, and "
            "titles in the text that the catalogue lacks.",
            source="Trialogue. Version 1 counted only declared titles that the catalogue lacks.",
            version=2,
        )
    },
    default="declared",
    caveats=(
        "If the evaluating machine lacks the catalogue, unknown titles in texts are not found: a system that "
        "declares nothing then has the value 0.",
    ),
    family="recommendation",
)


class OutOfCatalogue(RatioMetric):
    """Pooled share of recommendations that the catalogue does not hold."""

    card = OUTSIDE

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(outside, all)."""
        need, found = need_of(unit), recommended_in(unit)
        if isinstance(need, Undefined):
            return need
        if isinstance(found, Undefined):
            return found
        if not need.is_resolved:
            return Undefined(Reason.of(ReasonCode.NEED_NOT_RESOLVED))
        theirs = [said for said in unit.utterances if said.speaker == "system"]
        unknown = sum(len(said.unrecognised or ()) + len(said.outside or ()) for said in theirs)
        if not found and not unknown:
            return Undefined(Reason.of(ReasonCode.NO_ITEM_NAMED))
        outside = unknown + sum(each.key not in need.fits for each in found)
        return (float(outside), float(unknown + len(found)))
