"""Lift: how much more often needs are met than the same items would meet other people's needs.

Dialogue d has a need and offers items, turn by turn. For each turn while its own need is open, the share of the *other*
needs, still open after its earlier items, that the turn's items meet is what chance would give. The lift of a dialogue is 1
if its need is met, less the sum of these shares; the lift of a system is the mean over needs of the mean over their
dialogues. (Weighted by dialogues, a list made for needs that occur often has a lift of .11: it is chance for the needs, but
not for the dialogues.)

It is the observed number of events less its compensator, as in a log-rank test, so that it does not matter when a user
stops: counted over all turns, a static list has a lift of +.06 with users who stop. A list of items that is the same for
all needs has exactly 0, since in each turn the expected sum over the dialogues that are open is the observed one.
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
    met_in = np.full(dialogues, turns)
    met_in[hits.dialogue[is_own]] = hits.turn[is_own]
    observed = (met_in < turns).astype(float)
    if failed is not None:
        observed[failed] = 0.0
    met = np.zeros((dialogues, turns))
    np.add.at(met, (hits.dialogue[~is_own], hits.turn[~is_own]), 1.0)
    earlier = np.concatenate([np.zeros((dialogues, 1)), np.cumsum(met, axis=1)[:, :-1]], axis=1)
    # Turns in which the own need is open: up to the one that meets it.
    counts = np.arange(turns) <= met_in[:, None]
    own_lift = observed - _expectation(met, needs - 1 - earlier, counts)
    # Without need k, what the others expect changes in one of turns + 1 ways: by the turn in which the dialogue meets k.
    by_turn = np.stack(
        [observed - _expectation_without(met, needs - 1 - earlier, counts, turn) for turn in range(turns + 1)], axis=1
    )
    weight = 1.0 / np.bincount(own, minlength=needs)[own]
    never = weight * by_turn[:, turns]
    total = never.sum() - np.bincount(own, weights=never, minlength=needs)
    other = hits.dialogue[~is_own]
    changed = weight[other] * by_turn[other, hits.turn[~is_own]] - never[other]
    total = total + np.bincount(hits.need[~is_own], weights=changed, minlength=needs)
    return LiftResult(float((weight * own_lift).sum() / needs), own_lift, total / (needs - 1))


def _expectation(met: Floats, still_open: Floats, counts: NDArray[np.bool_]) -> Floats:
    """Sum over the counted turns of the share of open needs that are met; shape (dialogues,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(counts & (still_open > 0), met / still_open, 0.0)
    found: Floats = shares.sum(axis=1)
    return found


def _expectation_without(met: Floats, still_open: Floats, counts: NDArray[np.bool_], turn: int) -> Floats:
    """The same without one other need, which is met in a turn, or never where that is the number of turns."""
    at = np.arange(met.shape[1])
    return _expectation(met - (at == turn), still_open - (at <= turn), counts)
