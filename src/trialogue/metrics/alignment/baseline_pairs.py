"""Alignment statistics of every situation paired with every other situation's reference.

There are millions of pairs, so none is evaluated individually: explicit alignment depends on few distinct positions and
replies, implicit alignment on one matrix product of beliefs.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from trialogue.metrics.alignment.behavior_alignment import BehaviorAlignment
from trialogue.metrics.alignment.implicit_alignment import ImplicitAlignment
from trialogue.metrics.alignment.implicit_alignment_error import Calibration, calibration_of
from trialogue.metrics.alignment.match_likelihood import GRID
from trialogue.metrics.alignment.reply_baselines import Baselines, Ints
from trialogue.metrics.base import AnyMetric, Array, Reply, SumMetric, Undefined
from trialogue.records import Reason, ReasonCode

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
