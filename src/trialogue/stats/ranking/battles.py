"""Pairwise battles and win rates: two contestants, and a rater who prefers one of them or declares a tie.

``bradley_terry`` turns battles into strengths that do not depend on the pairing of contestants; ``elo`` is there for
comparison.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Estimate
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.comparison.inference import wilson

Choice: TypeAlias = Literal["a", "b", "tie"]
TieRule: TypeAlias = Literal["half", "drop"]


class Battle(Protocol):
    """Protocol of battles; any object with these four attributes will do."""

    @property
    def a(self) -> str:
        """First contestant."""
        ...

    @property
    def b(self) -> str:
        """Second contestant."""
        ...

    @property
    def choice(self) -> Choice:
        """The preferred side, or a tie."""
        ...

    @property
    def rater(self) -> str | None:
        """The rater; battles of one rater are resampled together. None: a different rater every time."""
        ...


@dataclass(frozen=True)
class Vote:
    """A battle."""

    a: str
    """One contestant."""
    b: str
    """The other."""
    choice: Choice
    """Preferred contestant."""
    rater: str | None = None
    """Rater."""


@dataclass(frozen=True)
class WinRate:
    """Win rate of one contestant."""

    name: str
    """The contestant."""
    wins: int
    """Battles it won."""
    ties: int
    """Battles without a winner."""
    losses: int
    """Battles it lost."""
    rate: Estimate
    """Its win rate with Wilson interval; undefined without battles that count."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Battles as arrays."""

    names: tuple[str, ...]
    """Contestants, sorted."""
    a: Ints
    """Index of one contestant, shape (n,)."""
    b: Ints
    """Index of the other, shape (n,)."""
    score: Floats
    """1 if a won, 0 if b did, 1/2 for a tie, shape (n,)."""
    raters: tuple[Hashable, ...]
    """Cluster of each battle."""


def tally(battles: Sequence[Battle]) -> Tally:
    """Convert battles to arrays, in order.

    Raises:
        UsageError: if a contestant meets itself, or a choice is none of a, b and tie.
    """
    scores = {"a": 1.0, "b": 0.0, "tie": 0.5}
    for number, battle in enumerate(battles):
        if battle.a == battle.b:
            raise UsageError(
                f"battle {number} pits {battle.a!r} against itself; a battle needs two different contestants."
            )
        if battle.choice not in scores:
            raise UsageError(f"battle {number} has the choice {battle.choice!r}; known: a, b, tie.")
    names = tuple(sorted({name for battle in battles for name in (battle.a, battle.b)}))
    index = {name: place for place, name in enumerate(names)}
    return Tally(
        names,
        np.array([index[battle.a] for battle in battles], dtype=np.int64),
        np.array([index[battle.b] for battle in battles], dtype=np.int64),
        np.array([scores[battle.choice] for battle in battles], dtype=np.float64),
        tuple(("battle", i) if battle.rater is None else ("rater", battle.rater) for i, battle in enumerate(battles)),
    )


def win_rates(battles: Sequence[Battle], *, ties: TieRule = "half", confidence: float = 0.95) -> tuple[WinRate, ...]:
    """Share of battles won by each contestant, best first, ties by name.

    Args:
        battles: in any order.
        ties: ``half``: a tie is half a win (the published win rates of CRSArena-Dial count so: .764 is 27.5 of 36);
            ``drop``: ties are left out.
        confidence: confidence level of the Wilson intervals, which take battles for independent.

    A win rate depends on the opponents; see ``bradley_terry``.

    >>> best, worst = win_rates([Vote("x", "y", "a"), Vote("y", "x", "tie")])
    >>> best.name, best.rate.value, worst.rate.value
    ('x', 0.75, 0.25)
    """
    if ties not in get_args(TieRule):
        raise UsageError(f"There is no rule {ties!r} for ties. Known: {', '.join(get_args(TieRule))}.")
    table = tally(battles)
    found = [_win_rate(table, place, ties, confidence) for place in range(len(table.names))]
    return tuple(sorted(found, key=lambda one: (-1.0 if one.rate.value is None else -one.rate.value, one.name)))


def _win_rate(table: Tally, place: int, ties: TieRule, confidence: float) -> WinRate:
    own = np.concatenate([table.score[table.a == place], 1 - table.score[table.b == place]])
    wins, drawn, losses = (int(np.sum(own == score)) for score in (1.0, 0.5, 0.0))
    rate = wilson(wins + drawn / 2, len(own), confidence=confidence)
    if ties == "drop":
        rate = wilson(wins, wins + losses, confidence=confidence)
    return WinRate(table.names[place], wins, drawn, losses, rate)
