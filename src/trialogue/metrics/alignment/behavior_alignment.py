"""Explicit Behavior Alignment: agreement of a system's strategy labels with a human recommender's at the same point.

It reads strategy labels that are already on the records, from any source, and calls no model. A unit is one system
utterance with the human reference for the same context. Every choice that the paper leaves open is a
parameter; parameters that differ from the card's default appear in the measure's name.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from trialogue.errors import UsageError
from trialogue.metrics.base import Array, Reply, Undefined
from trialogue.metrics.dialogue.turns import turns_of
from trialogue.metrics.names import full_name
from trialogue.metrics.references import FIRST_REFERENCE
from trialogue.metrics.strategy_sets import CLASSES, WEIGHT, Reading, differ_in_set
from trialogue.records import NO_STRATEGY, Card, FailurePolicy, Reason, ReasonCode, Variant
from trialogue.stats.raters.kappa import kappa_of_counts

PAPER = "Yang et al. (SIGIR 2024), Eq. 2"

CARD = Card(
    name="behavior_alignment",
    title="Behavior Alignment",
    summary=(
        "How often the system uses the same recommendation strategy as a human recommender in the same context, "
        "based on existing labels."
    ),
    unit="share of replies",
    is_share=True,
    low=-1,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("reference", "strategies"),
    variants={
        "summed": Variant(
            summary="Matches as a share of the replies that the sum covers, pooled over conversations; perfect "
            "alignment is 1.",
            source=f"{PAPER} with N-1 instead of N. The default, because a score must not depend on the length of "
            "conversations.",
        ),
        "printed": Variant(
            summary="Matches as a share of all replies; first turns are counted but never match, so perfect "
            "alignment is below 1.",
            source=f"{PAPER} as printed, where N is the number of replies in the test collection.",
        ),
        "summed_per_dialogue": Variant(
            summary="As @summed, within each conversation; mean over conversations.",
            source=f"{PAPER} with N-1, where N is the number of turns in a conversation.",
        ),
        "printed_per_dialogue": Variant(
            summary="As @printed, within each conversation; mean over conversations.",
            source=f"{PAPER} as printed, where N is the number of turns in a conversation.",
        ),
        "kappa": Variant(
            summary="Cohen's kappa of the two sides' strategies: 0 is chance agreement given their frequencies.",
            source="Cohen (1960); not in the paper, which has no correction for chance.",
        ),
    },
    default="summed",
    parameters={
        "first": (
            "exclude (default): the sum leaves out the reply to the user's first turn and everything before it; "
            "exclude_opening: it leaves out only replies with no system turn before them; include: it covers all "
            "replies"
        ),
        "none": "class (default): no_strategy is a strategy; exclude: contexts in which the human recommender used "
        "no strategy are left out",
        "several": "which strategies of an utterance count: first (default), any (one in common is a match) or "
        "overlap (Jaccard)",
        "origin": "first (default): labels by the annotator of the first label; all: labels by all annotators, in "
        "order",
        "taxonomy": "inspired (default): labels are the 13 strategies and no_strategy; any: labels may be any words",
        "weight": (
            "none (default): all replies have equal weight; inverse_entropy: a reply's weight is how predictable "
            "human recommenders are at that point, as stored with the reference (from: trialogue align "
            "--set weights_from=...); sums are divided by the sum of the weights"
        ),
    },
    caveats=(
        FIRST_REFERENCE,
        (
            "Compare it with its baselines. On INSPIRED sentences with one of the 13 strategies, a random human "
            "utterance scores .111, an utterance from the same turn of another dialogue .138, the most frequent "
            "strategy .166, and the most probable strategy after the strategies of both sides so far .332. With "
            "no_strategy as a class, a random utterance scores .103."
        ),
        (
            "The paper does not define no_strategy (541 of the 3,624 recommender utterances in INSPIRED dev and "
            "test) or how to treat a turn of several sentences (48% of turns; 34% contain several strategies): "
            "see the parameters."
        ),
        ("With N as printed, even a perfect system scores below 1, and its score falls with shorter conversations."),
        (
            "The paper does not define the first interactive turn for conversations opened by the recommender, as "
            "all are in INSPIRED. If that turn is the first reply, a system that uses only the strategy credibility "
            "scores .145 there; with exclude_opening, which leaves nothing out, it scores .130."
        ),
        (
            "Labels from a thresholded classifier bias the score: if the true share is .15, it is .27 to .35. Check "
            "the origin of the labels in the signature."
        ),
        (
            "The paper proposes the weights as future work (section 8) and expects early turns to weigh least. In "
            "INSPIRED, however, the opening is most predictable and weighs most. The model, its smoothing and t "
            "(--set weights_t=...) are part of the signature."
        ),
        (
            "The paper's agreement with human preferences (kappa .74) cannot be recomputed: replies and preferences "
            "were not released."
        ),
    ),
    citation="Yang, Chen & Fang (SIGIR 2024), 'Behavior Alignment'. doi:10.1145/3626772.3657924",
    family="alignment",
)

Pair = tuple[Sequence[str], Sequence[str]]
CHOICES = {
    "first": ("exclude", "exclude_opening", "include"),
    "none": ("class", "exclude"),
    "several": ("first", "any", "overlap"),
    "origin": ("first", "all"),
    "taxonomy": ("inspired", "any"),
    "weight": ("none", "inverse_entropy"),
}


def _first_matches(reference: Sequence[str], reply: Sequence[str]) -> float:
    return float(reference[:1] == reply[:1])


def _any(reference: Sequence[str], reply: Sequence[str]) -> float:
    return float(not set(reference).isdisjoint(reply))


def _overlap(reference: Sequence[str], reply: Sequence[str]) -> float:
    return len(set(reference) & set(reply)) / len(set(reference) | set(reply))


MATCH: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "first": _first_matches,
    "any": _any,
    "overlap": _overlap,
}


def _in_first_exchange(reply: Reply) -> bool:
    """Whether it is the system's first turn, or the second after an opening that the user has answered once."""
    if reply.turn != 1:
        return reply.turn == 0
    return turns_of(reply.context, "system") == turns_of(reply.context, "user") == 1


FIRST: dict[str, Callable[[Reply], bool]] = {
    "exclude": _in_first_exchange,
    "exclude_opening": lambda reply: reply.turn == 0,
    "include": lambda reply: False,
}


class BehaviorAlignment:
    """Agreement of the system's strategies with the human recommender's.

    Undefined for a reply without a reference, without labels on either side, with a label that is no strategy (a typo never
    counts as a mismatch), and, where so chosen, for first turns and for references that use no strategy.

    Raises:
        UsageError: a parameter has another value than those of the card; ``kappa`` with several strategies, any words or
            weights.
    """

    card = CARD

    def __init__(
        self,
        *,
        variant: str = CARD.default,
        first: str = "exclude",
        none: str = "class",
        several: str = "first",
        origin: str = "first",
        taxonomy: str = "inspired",
        weight: str = "none",
    ) -> None:
        chosen = {"first": first, "none": none, "several": several, "origin": origin, "taxonomy": taxonomy}
        chosen["weight"] = weight
        _check(chosen, variant)
        defaults = {name: values[0] for name, values in CHOICES.items()}
        self.measure = full_name(CARD, variant, chosen, unsaid=defaults)
        self.per_dialogue = variant.endswith("_per_dialogue")
        self._kappa = variant == "kappa"
        self._printed = variant.startswith("printed")
        self._first = FIRST[first]
        self._match = MATCH[several]
        self._only_first = several == "first" and taxonomy == "inspired"  # all names distinguish two sets
        self._weighted = weight != "none"
        self._reading = Reading(
            first_origin=origin == "first", inspired_only=taxonomy == "inspired", without_none=none == "exclude"
        )
        self.card = CARD.model_copy(update={"unit": "kappa"} if self._kappa else {"low": 0.0})
        if self._weighted:
            self.card = self.card.model_copy(update={"needs": (*CARD.needs, WEIGHT)})

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(matches, replies summed, replies in all), by weight; for kappa: matches, then each side's 14 counts."""
        pair = self._pair(unit)
        if isinstance(pair, Undefined):
            return pair
        weight = _weight(unit) if self._weighted else 1.0
        if isinstance(weight, Undefined):
            return weight
        if self._first(unit):
            left_out = Undefined(Reason.of(ReasonCode.FIRST_TURN_LEFT_OUT))
            return (0.0, 0.0, weight) if self._printed else left_out
        match = self._match(*pair)
        return (match, *_one_hot(pair[0]), *_one_hot(pair[1])) if self._kappa else (weight * match, weight, weight)

    def combine(self, sums: Array) -> Array:
        """The share of matches, or kappa; undefined without summed replies (kappa: fewer than two)."""
        if self._kappa:
            return _kappa(sums)
        share: Array = sums[..., 0] / sums[..., 2 if self._printed else 1]
        return np.where(sums[..., 1] > 0, share, np.nan)

    @property
    def counts_none(self) -> bool:
        """Whether ``no_strategy`` can be matched."""
        return not self._reading.without_none

    def kinds(self, unit: Reply) -> tuple[Hashable, Hashable]:
        """(Kind of position, kind of reply) that determine a pair's statistics."""
        read = None if unit.reference is None else self._reading.strategies_of(unit.reference, side="reference")
        said = self._reading.strategies_of(unit.utterance, side="reply")
        weight = _weight(unit) if self._weighted else 1.0
        return (self._comparison_key(read), self._first(unit), weight), self._comparison_key(said)

    def _comparison_key(self, names: Sequence[str] | Undefined | None) -> Hashable:
        """As many of the names as are looked at."""
        return tuple(names[:1] if self._only_first else names) if isinstance(names, tuple) else names

    def _pair(self, reply: Reply) -> Pair | Undefined:
        if reply.reference is None:
            return Undefined(Reason.of(ReasonCode.NO_HUMAN_REFERENCE))
        reference = self._reading.strategies_of(reply.reference, side="reference")
        if isinstance(reference, Undefined):
            return reference
        if not reference:
            return Undefined(Reason.of(ReasonCode.REFERENCE_USES_NO_STRATEGY))
        said = self._reading.strategies_of(reply.utterance, side="reply")
        if isinstance(said, Undefined):
            return said
        if differ_in_set(reference, said):
            return Undefined(Reason.of(ReasonCode.LABEL_SETS_DIFFER, reference=reference[0], reply=said[0]))
        return reference, said


def _check(chosen: dict[str, str], variant: str) -> None:
    for name, value in chosen.items():
        if value not in CHOICES[name]:
            raise UsageError(f"{name} must be {' or '.join(CHOICES[name])}, got {value!r}: {CARD.parameters[name]}.")
    choices = {name: chosen[name] for name in ("several", "taxonomy", "weight")}
    if variant == "kappa" and choices != {"several": "first", "taxonomy": "inspired", "weight": "none"}:
        raise UsageError(
            "kappa compares one strategy per side, out of the 13 and no_strategy, with equal weights: use "
            "several=first, taxonomy=inspired and weight=none, not "
            f"{', '.join(f'{name}={value}' for name, value in choices.items())}."
        )


def _weight(reply: Reply) -> float | Undefined:
    """Weight of a reply, as recorded with its reference."""
    meta = reply.reference.meta if reply.reference is not None else {}
    weight = meta.get(WEIGHT)
    if weight is None:
        return Undefined(Reason.of(ReasonCode.WEIGHT_MISSING))
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        return Undefined(Reason.of(ReasonCode.WEIGHT_INVALID, weight=repr(weight)))
    return float(weight)


def _one_hot(names: Sequence[str]) -> list[float]:
    """Indicator of the first strategy's class; ``no_strategy`` if there is none."""
    first = names[0] if names else NO_STRATEGY
    return [float(name == first) for name in CLASSES]


def _kappa(sums: Array) -> Array:
    """Cohen's kappa, shape (...), from matches and both marginals, shape (..., 1 + 2 * 14): all that it depends on."""
    size = len(CLASSES)
    human, system = sums[..., 1 : 1 + size], sums[..., 1 + size :]
    return np.where(human.sum(axis=-1) > 1, kappa_of_counts(sums[..., 0], human, system), np.nan)
