"""Alignment baselines that ignore the user, as a reference for every alignment score.

Each repeats a human recommender's utterance from another dialogue; they differ in which replies are eligible.

* ``random-human``: any reply;
* ``same-turn``: one of the same turn;
* ``majority``: one with the strategy that is most frequent;
* ``context``: one with the strategy predicted from the preceding behaviors of both sides, not from their words.

None is sampled: the score of a baseline is its mean over *all* eligible replies (``alignment_baseline_scores``), so no
seed changes it. Every situation is paired with every other situation's reference. There are millions of pairs, so none is
evaluated individually: explicit alignment depends on few distinct positions and replies, implicit alignment on one matrix
product of beliefs.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.alignment.behavior_alignment import BehaviorAlignment
from trialogue.metrics.alignment.implicit_alignment import ImplicitAlignment
from trialogue.metrics.alignment.match_likelihood import GRID, Calibration, calibration_of
from trialogue.metrics.base import AnyMetric, Array, Reply, SumMetric, Undefined
from trialogue.metrics.engine.conversations import offline_conversations
from trialogue.records import NO_STRATEGY, Reason, ReasonCode, Response, Role, Situation

RANDOM, SAME_TURN, MAJORITY, CONTEXT = "random-human", "same-turn", "majority", "context"
ANY = "any baseline"  # who is said to answer where references are lent
MAX_DIALOGUES = 250

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rule:
    """Eligible replies of a baseline: those of other dialogues whose key equals the situation's."""

    name: str
    wanted: tuple[Hashable, ...]
    """The key that each situation asks for; None: nothing fits, and it is left out."""
    held: tuple[Hashable, ...]
    """The key of each situation's reference; None: it is lent to none."""


@dataclass(frozen=True, eq=False)
class Baselines:
    """Situations with references, which baselines answer with each other's references."""

    units: tuple[Reply, ...]
    """One unit per situation, with the reference as its reply, grouped by dialogue."""
    owners: Ints
    """The dialogue of each, as a place in ``clusters``."""
    clusters: tuple[str, ...]
    """Dialogues, as the systems' conversations name them."""
    predicted: Mapping[str, Sequence[str]]
    """Strategies for each situation by its id, likeliest first; empty: there is no ``context``."""

    def rules(self, *, counts_none: bool = True) -> Iterator[Rule]:
        """The baselines; ``counts_none``: whether ``no_strategy`` can be targeted."""
        anything: tuple[Hashable, ...] = (0,) * len(self.units)
        turns = tuple(unit.turn for unit in self.units)
        first = tuple(_first_strategy(unit, counts_none=counts_none) for unit in self.units)
        yield Rule(RANDOM, anything, anything)
        yield Rule(SAME_TURN, turns, turns)
        yield Rule(MAJORITY, (_most_frequent(first),) * len(first), first)
        if self.predicted:
            yield Rule(CONTEXT, tuple(_guess(self.predicted, unit, counts_none) for unit in self.units), first)


def thin_evenly(situations: Iterable[Situation]) -> list[Situation]:
    """Situations with references, thinned evenly to at most 250 dialogues.

    Pairs grow with the square of the dialogues, while a baseline is known well enough from some two hundred.
    """
    answered = [situation for situation in situations if situation.reference is not None]
    names = list(dict.fromkeys(situation.cluster for situation in answered))
    kept = set(names[:: max(1, -(-len(names) // MAX_DIALOGUES))])
    return [situation for situation in answered if situation.cluster in kept]


def alignment_baselines(
    situations: Iterable[Situation], *, predicted: Mapping[str, Sequence[str]] | None = None
) -> Baselines | None:
    """Baselines of situations; None if fewer than two dialogues have references.

    Args:
        situations: situations with references; those without are passed over. See ``thin_evenly`` where there are very
            many.
        predicted: strategies for each situation by its id, likeliest first, learned from other dialogues than its own.

    Raises:
        DataError: two situations of one id differ.
    """
    answered = [situation for situation in situations if situation.reference is not None]
    if len({situation.cluster for situation in answered}) < 2:
        return None
    said = {one.id: one.reference for one in answered if one.reference is not None}  # a situation may stand there twice
    talks = offline_conversations(
        answered,
        (Response(situation_id=name, system=ANY, role=Role.BASELINE, utterance=reply) for name, reply in said.items()),
    )
    return Baselines(
        units=tuple(reply for talk in talks for reply in talk.replies),
        owners=np.repeat(np.arange(len(talks)), [len(talk.replies) for talk in talks]),
        clusters=tuple(talk.cluster for talk in talks),
        predicted=predicted or {},
    )


def _first_strategy(unit: Reply, *, counts_none: bool) -> str | None:
    labels = [label.strategy for label in unit.utterance.strategies or ()]
    return next((name for name in labels[:1] if counts_none or name != NO_STRATEGY), None)


def _most_frequent(first: Sequence[str | None]) -> str | None:
    """Most frequent key over all dialogues; ties by name.

    Were each one's own left out, then of two that are about as frequent always that would be asked for which it has less of,
    and the baseline would fall far below what always doing the same gets.
    """
    counts = Counter(name for name in first if name is not None)
    return min(counts, key=lambda name: (-counts[name], name), default=None)


def _guess(predicted: Mapping[str, Sequence[str]], unit: Reply, counts_none: bool) -> str | None:
    ranking = predicted.get(unit.situation_id or "", ())
    return next((name for name in ranking if counts_none or name != NO_STRATEGY), None)


BY_PAIR = Reason.of(ReasonCode.BASELINE_NEEDS_ALL_PAIRS)
OF_LABELS = Reason.of(ReasonCode.BASELINE_LABELLED_BY_CHANCE)
NO_BASELINE = Reason.of(ReasonCode.BASELINE_UNKNOWN_FOR_METRIC)
NO_BELIEFS = Reason.of(ReasonCode.BASELINE_HAS_NO_BELIEFS)


class Pairs(Protocol):
    """Summed statistics over pairs of a position and a reply."""

    @property
    def situation_mask(self) -> Sequence[bool]:
        """Mask of counted situations."""
        ...

    @property
    def lendable_mask(self) -> Sequence[bool]:
        """Mask of references that can serve as replies."""
        ...

    def sums(self, places: Ints, replies: Ints, groups: Ints, size: int) -> tuple[Array, Array]:
        """Sums over replies, shape (places, size, k), and number of defined pairs, shape (places, size).

        Args:
            places: situations, by place.
            replies: references, by place.
            groups: to which sum each reply goes, below ``size``.
            size: number of sums for each place.
        """
        ...

    def parts(self, total: Array) -> dict[Hashable, Array]:
        """Sums by calibration; {} without calibrations."""
        ...


def pairs_of(metric: AnyMetric, baselines: Baselines) -> Pairs | Undefined:
    """Summation of a metric's statistics over pairs; Undefined, with a reason, if it has no baselines."""
    if isinstance(metric, BehaviorAlignment):
        return _explicit(metric, baselines.units)
    if not isinstance(metric, ImplicitAlignment):
        return Undefined(NO_BASELINE)
    if "same_as_reference" in metric.card.needs:
        return Undefined(BY_PAIR)
    if metric.rests_on == "labels":
        return Undefined(OF_LABELS)
    return _implicit(metric, baselines.units)


@dataclass(frozen=True, eq=False)
class _Explicit:
    situation_mask: Sequence[bool]
    lendable_mask: Sequence[bool]
    place_kind: Ints
    reply_kind: Ints
    table: Array
    """Statistics of each kind of place with each kind of reply, shape (place kinds, reply kinds, k); NaN: undefined."""

    def sums(self, places: Ints, replies: Ints, groups: Ints, size: int) -> tuple[Array, Array]:
        kinds = len(self.table[0])
        held = np.zeros((size, kinds))
        np.add.at(held, (groups, self.reply_kind[replies]), 1.0)
        rows = self.table[self.place_kind[places]]
        defined = ~np.isnan(rows[..., 0])
        sums = np.einsum("gr,prk->pgk", held, np.where(defined[..., None], rows, 0.0))
        return sums, np.einsum("gr,pr->pg", held, defined.astype(np.float64))

    def parts(self, total: Array) -> dict[Hashable, Array]:
        return {}


def _explicit(metric: BehaviorAlignment, units: Sequence[Reply]) -> _Explicit:
    kinds = [metric.kinds(unit) for unit in units]
    of_place, of_reply = (
        {kind: place for place, kind in enumerate(dict.fromkeys(column))} for column in zip(*kinds, strict=True)
    )
    asking = {place: unit for (place, _), unit in zip(kinds, units, strict=True)}
    saying = {reply: unit.utterance for (_, reply), unit in zip(kinds, units, strict=True)}
    cells = [
        [metric.statistics(replace(asking[place], utterance=saying[reply])) for reply in of_reply] for place in of_place
    ]
    width = next((len(cell) for row in cells for cell in row if not isinstance(cell, Undefined)), 1)
    table = np.array(
        [[np.full(width, np.nan) if isinstance(cell, Undefined) else np.asarray(cell) for cell in row] for row in cells]
    )
    defined = ~np.isnan(table[..., 0])
    place_kind = np.array([of_place[place] for place, _ in kinds], dtype=np.int64)
    reply_kind = np.array([of_reply[reply] for _, reply in kinds], dtype=np.int64)
    asked, lent = defined.any(axis=1)[place_kind], defined.any(axis=0)[reply_kind]
    return _Explicit(asked.tolist(), lent.tolist(), place_kind, reply_kind, table)


@dataclass(frozen=True, eq=False)
class _Implicit:
    situation_mask: Sequence[bool]
    lendable_mask: Sequence[bool]
    beliefs: Array
    """Probability of each strategy, shape (situations, strategies)."""
    calibration: Calibration

    def sums(self, places: Ints, replies: Ints, groups: Ints, size: int) -> tuple[Array, Array]:
        """Each probability is shared between its two neighbours on the grid, as in ``on_grid``."""
        assert self.calibration.matching is not None
        raw = np.clip(self.beliefs[places] @ self.beliefs[replies].T, 1e-9, 1 - 1e-9)
        slope, intercept = self.calibration.matching
        scaled = (len(GRID) - 1) / (1 + np.exp(-(slope * np.log(raw / (1 - raw)) + intercept)))
        below = np.minimum(scaled.astype(np.int64), len(GRID) - 2)
        share = scaled - below
        cells = (np.arange(len(places))[:, None] * size + groups[None, :]) * len(GRID) + below
        length = len(places) * size * len(GRID)
        sums: Array = np.bincount(cells.ravel(), (1 - share).ravel(), length).astype(np.float64)
        sums += np.bincount(cells.ravel() + 1, share.ravel(), length)
        counts = np.bincount(groups, minlength=size).astype(np.float64)
        return sums.reshape(len(places), size, len(GRID)), np.broadcast_to(counts, (len(places), size)).copy()

    def parts(self, total: Array) -> dict[Hashable, Array]:
        return {self.calibration: total}


def _implicit(metric: SumMetric[Any], units: Sequence[Reply]) -> _Implicit | Undefined:
    """Beliefs of the model with the most judged references, if several models judged."""
    sources = [_calibration(unit) for unit in units]
    known = Counter(source for source in sources if source is not None)
    if not known:
        return Undefined(NO_BELIEFS)
    calibration = known.most_common(1)[0][0]
    lent = [source == calibration for source in sources]
    asked = [
        fits and not isinstance(metric.statistics(unit), Undefined) for fits, unit in zip(lent, units, strict=True)
    ]
    names: dict[str, int] = {}
    beliefs = [unit.utterance.strategy_distribution for unit in units]
    for belief in beliefs:
        for name in belief.probabilities if belief is not None else ():
            names.setdefault(name, len(names))
    table = np.zeros((len(units), len(names)))
    for row, belief in enumerate(beliefs):
        for name, share in belief.probabilities.items() if belief is not None else ():
            table[row, names[name]] = share
    return _Implicit(asked, lent, table, calibration)


def _calibration(unit: Reply) -> Calibration | None:
    belief = unit.utterance.strategy_distribution
    return None if belief is None or belief.matching is None else calibration_of(belief)
