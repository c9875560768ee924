"""Lift: how much more often needs are met than the same items would meet other people's needs.

Dialogue d has a need and offers items, turn by turn. For each turn while its own need is open, the share of the *other*
needs, still open after its earlier items, that the turn's items meet is what chance would give. The lift of a dialogue is 1
if its need is met, less the sum of these shares; the lift of a system is the mean over needs of the mean over their
dialogues. (Weighted by dialogues, a list made for needs that occur often has a lift of .11: it is chance for the needs, but
not for the dialogues.)

It is the observed number of events less its compensator, as in a log-rank test, so that it does not matter when a user
stops: counted over all turns, a static list has a lift of +.06 with users who stop. A list of items that is the same for
all needs has exactly 0, since in each turn the expected sum over the dialogues that are open is the observed one.

Items may be offered that do not count, such as the fourth of a turn. Who finds theirs among them leaves, so that such an
item closes a need unmet, the own one and the others alike; else lists of fifty have a lift of -.002.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trialogue.stats.arrays import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Hits:
    """The turn in which each need is first met by the items of each dialogue, one row for each that is met."""

    dialogue: Ints
    """Shape (hits,): dialogue, from 0."""
    need: Ints
    """Shape (hits,): need, from 0."""
    turn: Ints
    """Shape (hits,): turn, from 0."""
    counts: NDArray[np.bool_] | None = None
    """Shape (hits,): whether an item that counts meets it; the others close it unmet. None: all."""


@dataclass(frozen=True)
class LiftResult:
    """Lift of a system."""

    value: float
    """Mean over needs of the mean over their dialogues."""
    of_dialogues: Floats
    """Shape (dialogues,): lift of each."""
    without: Floats
    """Shape (needs,): the value without a need, its dialogues and its part in the expectation of the others."""


def lift(own: Ints, hits: Hits, *, needs: int, turns: int, failed: NDArray[np.bool_] | None = None) -> LiftResult:
    """Lift of a system, with all leave-one-need-out values.

    Args:
        own: shape (dialogues,), the need of each dialogue; each need has at least one.
        hits: first turns, at most one row for a dialogue and a need.
        needs: number of different needs, at least 3.
        turns: number of turns; those of ``hits`` are below it.
        failed: shape (dialogues,), whether a dialogue's need counts as unmet whatever its items were. None: no dialogue.
    """
    dialogues = len(own)
    is_own = own[hits.dialogue] == hits.need
    counted = np.ones(len(hits.turn), dtype=bool) if hits.counts is None else hits.counts
    closed_in, observed = np.full(dialogues, turns), np.zeros(dialogues)
    closed_in[hits.dialogue[is_own]] = hits.turn[is_own]
    observed[hits.dialogue[is_own]] = counted[is_own]
    if failed is not None:
        observed[failed] = 0.0
    other, need, turn, counts = (each[~is_own] for each in (hits.dialogue, hits.need, hits.turn, counted))
    met, closed = np.zeros((dialogues, turns)), np.zeros((dialogues, turns))
    np.add.at(met, (other, turn), counts)
    np.add.at(closed, (other, turn), 1.0)
    earlier = np.concatenate([np.zeros((dialogues, 1)), np.cumsum(closed, axis=1)[:, :-1]], axis=1)
    # Turns in which the own need is open: up to the one that closes it.
    is_open = np.arange(turns) <= closed_in[:, None]
    still_open = needs - 1 - earlier
    own_lift = observed - _expectation(met, still_open, is_open)
    # Without need k, what the others expect changes by the turn in which the dialogue closes k, and whether it is met.
    without = np.stack(
        [
            [
                observed
                - _expectation(met - of_met * (np.arange(turns) == at), still_open - (np.arange(turns) <= at), is_open)
                for at in range(turns + 1)
            ]
            for of_met in (0.0, 1.0)
        ]
    )
    weight = 1.0 / np.bincount(own, minlength=needs)[own]
    never = weight * without[0, turns]
    total = never.sum() - np.bincount(own, weights=never, minlength=needs)
    changed = weight[other] * without[counts.astype(int), turn, other] - never[other]
    total = total + np.bincount(need, weights=changed, minlength=needs)
    return LiftResult(float((weight * own_lift).sum() / needs), own_lift, total / (needs - 1))


def _expectation(met: Floats, still_open: Floats, is_open: NDArray[np.bool_]) -> Floats:
    """Sum over the turns in which the own need is open of the share of open needs that are met; shape (dialogues,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(is_open & (still_open > 0), met / still_open, 0.0)
    found: Floats = shares.sum(axis=1)
    return found
