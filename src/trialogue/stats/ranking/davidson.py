"""Maximum-likelihood fit of Davidson's model, for many sets of battles at once.

In terms of delta = log pi_a - log pi_b and theta = log nu, the log-probabilities of win, tie and loss are delta/2, theta and
-delta/2 less their common normaliser. That is a multinomial logit, concave, and damped Newton steps find its one
maximum from anywhere. Without ties it is Bradley and Terry's model.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trialogue.stats.arrays import Floats, Ints

MAX_STEPS = 100  # about ten are usual
SINGULAR = 1e-12  # added to the curvature, so that a search that runs away can be solved for; it moves no maximum
NEAR = 1e-10  # a Newton step this small ends the search: its error is of the order of the square
FAR = 20.0  # log-strengths or log nu this large (odds of 5e8) have no maximum to stop at: some results are foregone


@dataclass(frozen=True, eq=False)
class Results:
    """Results of each pair of contestants (upper triangle, row by row) in r sets of battles; shape (r, pairs) each."""

    wins: Floats
    """Wins of the first contestant of the pair."""
    losses: Floats
    """Losses of the first contestant of the pair."""
    ties: Floats
    """Neither."""

    def rows(self, index: Ints) -> "Results":
        """Select some of the sets."""
        return Results(self.wins[index], self.losses[index], self.ties[index])


@dataclass(frozen=True, eq=False)
class Fit:
    """Maximum-likelihood fit."""

    log_strength: Floats
    """Shape (r, contestants), mean 0; NaN where there is no maximum."""
    tie: Floats
    """log nu, shape (r,); -inf without ties, NaN where there is no maximum."""


def fit(results: Results, size: int, *, regularisation: float = 0.0, start: Fit | None = None) -> Fit:
    """Maximise the likelihood for each set of battles between ``size`` contestants.

    Args:
        results: what happened.
        size: contestants.
        regularisation: battles that each contestant drew with an average opponent, half of them won.
        start: one fit to begin all searches at.

    Davidson (1970), "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments". The
    damping log(1 + d)/d is Sun & Tran-Dinh's (2019, "Generalized Self-Concordant Functions"), d being the
    longest move.
    """
    sets = len(results.wins)
    tied = results.ties.sum(axis=1) > 0
    decided = (results.wins + results.losses).sum(axis=1) > 0
    bounded = decided | ~tied
    if regularisation == 0:
        bounded &= connected_mask(results, size)
    strength = np.zeros((sets, size)) if start is None else np.repeat(start.log_strength, sets, axis=0)
    tie = np.zeros(sets) if start is None else np.full(sets, start.tie[0])
    tie = np.where(tied, np.where(np.isfinite(tie), tie, 0.0), -np.inf)
    moving = np.flatnonzero(bounded) if size > 1 else np.zeros(0, dtype=np.int64)
    for _ in range(MAX_STEPS):
        if not len(moving):
            break
        step = _newton(results.rows(moving), strength[moving], tie[moving], regularisation)
        longest = 2 * np.abs(step).max(axis=1)
        damped = step * (np.log1p(longest) / np.maximum(longest, NEAR**2))[:, None]
        strength[moving] += damped[:, :size]
        tie[moving] += damped[:, size]
        bounded[moving[_has_diverged(strength[moving], tie[moving])]] = False
        moving = moving[(longest > NEAR) & bounded[moving]]
    bounded[moving] = False
    strength -= strength.mean(axis=1, keepdims=True)
    strength[~bounded], tie[~bounded] = np.nan, np.nan
    return Fit(strength, tie)


def _has_diverged(strength: Floats, tie: Floats) -> npt.NDArray[np.bool_]:
    """Whether a search has run away, as it can although all are connected: a beats b, and both tie with c."""
    reached = np.maximum(np.abs(strength).max(axis=1), np.where(np.isfinite(tie), np.abs(tie), 0.0))
    return np.asarray(reached > FAR)


def design(size: int) -> Floats:
    """Design matrix of pairs: +1 for the first contestant and -1 for the second, shape (pairs, size)."""
    first, second = np.triu_indices(size, 1)
    identity = np.eye(size)
    found: Floats = identity[first] - identity[second]
    return found


def _newton(results: Results, strength: Floats, tie: Floats, regularisation: float) -> Floats:
    """Newton's step for strengths and log nu, shape (r, size + 1)."""
    size = strength.shape[1]
    pairs = design(size)
    lead = strength @ pairs.T
    n = results.wins + results.losses + results.ties
    win, draw, loss = _outcome_probabilities(lead, tie)
    skew = win - loss
    slope = np.empty((len(strength), size + 1))
    slope[:, :size] = ((results.wins - results.losses - n * skew) / 2) @ pairs
    slope[:, size] = results.ties.sum(axis=1) - (n * draw).sum(axis=1)
    bend = np.zeros((len(strength), size + 1, size + 1))
    outer = (pairs[:, :, None] * pairs[:, None, :]).reshape(len(pairs), -1)
    bend[:, :size, :size] = ((n * (win + loss - skew**2) / 4) @ outer).reshape(-1, size, size)
    bend[:, :size, size] = bend[:, size, :size] = -(n * draw * skew / 2) @ pairs
    bend[:, size, size] = (n * draw * (1 - draw)).sum(axis=1)
    bend[np.isneginf(tie), size, size] = 1.0  # no ties: log nu stays where it is
    if regularisation > 0:
        chance = 1 / (1 + np.exp(-strength))
        slope[:, :size] -= regularisation * (chance - 0.5)
        bend[:, np.arange(size), np.arange(size)] += regularisation * chance * (1 - chance)
    else:
        bend[:, :size, :size] += 1.0  # only differences of strengths matter: this keeps their mean where it is
    diagonal = np.arange(size + 1)
    bend[:, diagonal, diagonal] += SINGULAR
    step: Floats = np.linalg.solve(bend, slope[..., None])[..., 0]
    return step


def _outcome_probabilities(lead: Floats, tie: Floats) -> tuple[Floats, Floats, Floats]:
    """Chances of win, tie and loss, shape (r, pairs) each, without overflow."""
    top = np.maximum(np.abs(lead) / 2, tie[:, None])
    win, draw, loss = np.exp(lead / 2 - top), np.exp(tie[:, None] - top), np.exp(-lead / 2 - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def connected_mask(results: Results, size: int) -> npt.NDArray[np.bool_]:
    """Whether every contestant has won against or tied with every other, directly or through others, shape (r,)."""
    return np.asarray(_reachability(results, size).reshape(len(results.wins), -1).all(axis=1), dtype=np.bool_)


def _reachability(results: Results, size: int) -> npt.NDArray[np.bool_]:
    """reach[r, i, j]: a chain of wins or ties leads from i to j."""
    first, second = np.triu_indices(size, 1)
    reach = np.zeros((len(results.wins), size, size), dtype=np.float32)
    reach[:, first, second] = results.wins + results.ties > 0
    reach[:, second, first] = results.losses + results.ties > 0
    reach[:, np.arange(size), np.arange(size)] = 1
    for _ in range(max(1, size - 1).bit_length()):
        reach = (reach @ reach > 0).astype(np.float32)
    return reach > 0


def unbeaten(results: Results, size: int) -> list[int]:
    """Contestants of the first set that were never beaten or tied outside their component; none if all are connected."""
    reach = _reachability(results, size)[0]
    for i in range(size):
        below_or_beside, above_or_beside = reach[i], reach[:, i]
        if not reach.all() and not (above_or_beside & ~below_or_beside).any():
            return np.flatnonzero(above_or_beside & below_or_beside).tolist()
    return []
