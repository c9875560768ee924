"""Rankings and best–worst choices: parsing from forms, and storage. No Django.

A form has one list of choices per option (ranking) or one each for the best and the worst, all under the question's
name: so it works without scripts, by keyboard, and the submitted data say which option has which rank.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

RANK = "="
"""Stands between a rank (or ``best``, ``worst``) and a thing in what a form sends."""
BEST, WORST = "best", "worst"
Wrong: TypeAlias = Literal["missing", "unknown", "not_ranked", "same_twice"]


def ranking_of(values: Sequence[str], known: Sequence[str]) -> list[str] | Wrong:
    """Things in order, the first being the best, from ``rank=thing`` for each.

    >>> ranking_of(["2=a", "1=b"], ["a", "b"]), ranking_of(["1=a", "1=b"], ["a", "b"]), ranking_of(["1=a"], ["a", "b"])
    (['b', 'a'], 'not_ranked', 'missing')
    """
    ranks: dict[str, str] = {}
    for value in values:
        rank, _, thing = value.partition(RANK)
        if thing not in known or thing in ranks or rank not in _ranks(known):
            return "unknown"
        ranks[thing] = rank
    if len(ranks) < len(known):
        return "missing"
    if len(set(ranks.values())) < len(known):
        return "not_ranked"
    return sorted(ranks, key=lambda thing: int(ranks[thing]))


def best_worst_of(values: Sequence[str], known: Sequence[str]) -> list[str] | Wrong:
    """[the best, the worst] from ``best=thing`` and ``worst=thing``.

    >>> best_worst_of(["worst=a", "best=b"], ["a", "b", "c"]), best_worst_of(["best=a", "worst=a"], ["a", "b"])
    (['b', 'a'], 'same_twice')
    """
    chosen: dict[str, str] = {}
    for value in values:
        which, _, thing = value.partition(RANK)
        if thing not in known or which in chosen or which not in (BEST, WORST):
            return "unknown"
        chosen[which] = thing
    if len(chosen) < 2:
        return "missing"
    return "same_twice" if chosen[BEST] == chosen[WORST] else [chosen[BEST], chosen[WORST]]


def _ranks(known: Sequence[str]) -> list[str]:
    return [str(rank) for rank in range(1, len(known) + 1)]


def ranks_of(things: Sequence[str]) -> list[tuple[str, int]]:
    """(thing, rank from 1) of a ranking that is stored."""
    return [(thing, rank) for rank, thing in enumerate(things, 1)]
