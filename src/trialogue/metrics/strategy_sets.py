"""Select an utterance's strategies under declared choices, for Behavior Alignment."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trialogue.metrics.base import Undefined
from trialogue.records import NO_STRATEGY, STRATEGIES, Reason, ReasonCode, Utterance

CLASSES: tuple[str, ...] = (*STRATEGIES, NO_STRATEGY)
WEIGHT, WEIGHT_BY = (
    "strategy_weight",
    "strategy_weight_by",
)  # keys of Utterance.meta, as strategies.sequence_weights writes

Side = Literal["reference", "reply"]
"""Whose labels they are."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Rules for reading strategy labels."""

    first_origin: bool = True
    """Only labels of the annotator who gave the utterance's first one (an expert, say); else those of all annotators."""
    inspired_only: bool = True
    """Only the 13 strategies and ``no_strategy`` are labels; else any word is."""
    without_none: bool = False
    """``no_strategy`` is no label but the absence of one."""

    def strategies_of(self, utterance: Utterance, *, side: Side) -> tuple[str, ...] | Undefined:
        """The utterance's distinct strategies in order; empty if it only has ``no_strategy`` and that does not count.

        Args:
            utterance: utterance with its labels.
            side: whose labels they are, for the reason where there are none.
        """
        labels = utterance.strategies
        if not labels:
            return Undefined(Reason.of(ReasonCode.LABELS_MISSING, side=side))
        origin = labels[0].origin
        names = [label.strategy for label in labels if label.origin == origin or not self.first_origin]
        if self.inspired_only and (unknown := next((name for name in names if name not in CLASSES), None)) is not None:
            return Undefined(_unknown(unknown, side))
        return tuple(dict.fromkeys(name for name in names if not (self.without_none and name == NO_STRATEGY)))


def _unknown(name: str, side: Side) -> Reason:
    near = difflib.get_close_matches(name, CLASSES, n=1, cutoff=0.5)
    if near:
        return Reason.of(ReasonCode.LABEL_MISSPELT, side=side, label=name, near=near[0])
    return Reason.of(ReasonCode.LABEL_UNKNOWN, side=side, label=name)


def differ_in_set(reference: Sequence[str], reply: Sequence[str]) -> bool:
    """Whether exactly one side has any of INSPIRED's strategies.

    >>> differ_in_set(["credibility"], ["Recommend-show"]), differ_in_set(["credibility"], ["no_strategy"])
    (True, False)
    """
    known = {name in CLASSES for name in reference}, {name in CLASSES for name in reply}
    return known in (({True}, {False}), ({False}, {True}))
