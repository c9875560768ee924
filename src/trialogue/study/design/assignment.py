"""Assignment of items and presentation orders to participants. Pure functions of items, participants and a random generator.

Each item has k slots, and the order in which the systems are shown belongs to the slot. A slot that is released
keeps its order, so that balance does not depend on drop-out.

Rankings and best–worst choices: parsing from forms, and storage. No Django.

A form has one list of choices per option (ranking) or one each for the best and the worst, all under the question's
name: so it works without scripts, by keyboard, and the submitted data say which option has which rank.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

Order = tuple[str, ...]


def square(systems: Sequence[str], *, rng: np.random.Generator) -> list[Order]:
    """A Latin square: as many orders as systems, in which each system appears once in each position.

    >>> sorted(square(["a", "b"], rng=np.random.default_rng(0)))
    [('a', 'b'), ('b', 'a')]
    """
    base = [systems[place] for place in rng.permutation(len(systems))]
    return [tuple(base[turn:] + base[:turn]) for turn in rng.permutation(len(systems)).tolist()]


def slot_orders(
    systems_of: Sequence[Sequence[str]], ks: Sequence[int], *, rng: np.random.Generator
) -> list[list[Order]]:
    """The orders of the slots of each item, those of the first stratum first.

    In a stratum, each item has as many complete Latin squares as fit, each drawn anew. The rest are rows of one square that
    is continued over all items of the same systems, and over the strata. So each system appears in each position equally
    often, give or take one, in every stratum and over the whole study; in every item, too, where there are no strata.

    Args:
        systems_of: the systems of each item, shape (n_items,); an item without systems has empty orders.
        ks: number of slots per item by stratum; one number where there are no strata.
        rng: source of randomness.
    """
    rounds: dict[Order, Iterator[Order]] = {}
    found: list[list[Order]] = [[] for _ in systems_of]
    for k in ks:
        for own, systems in zip(found, systems_of, strict=True):
            key = tuple(sorted(systems))
            size = max(1, len(key))
            rest = rounds.setdefault(key, _round([key[place] for place in rng.permutation(len(key))]))
            whole = [order for _ in range(k // size) for order in (square(key, rng=rng) if key else [()])]
            own += [*whole, *(next(rest) for _ in range(k % size))]
    return found


def _round(base: Sequence[str]) -> Iterator[Order]:
    """Rows of one Latin square, cyclically: among as many consecutive rows as there are systems, no system has the same
    position twice."""
    while True:
        for turn in range(max(1, len(base))):
            yield (*base[turn:], *base[:turn])


@dataclass(frozen=True)
class Available:
    """An item that has a free slot."""

    id: int
    dialogue: str
    """The dialogue it is from; "" for none."""
    taken: int
    """Slots that are held or done."""
    rank: int
    """Breaks ties."""


def choose_items(
    items: Iterable[Available], n: int, *, seen: Iterable[str] = (), one_per_dialogue: bool = True
) -> list[Available]:
    """At most n items for one person: those with the fewest judgements first, ties by rank; no dialogue twice.

    >>> free = [Available(1, "d", 0, 1), Available(2, "d", 0, 0), Available(3, "e", 1, 2)]
    >>> [item.id for item in choose_items(free, 2)]
    [2, 3]
    """
    met = {dialogue for dialogue in seen if dialogue}
    found: list[Available] = []
    for item in sorted(items, key=lambda item: (item.taken, item.rank, item.id)):
        if len(found) == n:
            break
        if one_per_dialogue and item.dialogue and item.dialogue in met:
            continue
        met.add(item.dialogue)
        found.append(item)
    return found


def origin_of(dialogue: str, key: str) -> str:
    """What somebody knows after they have met an item: its dialogue, or the item itself where it is from none."""
    return dialogue or key


def choose_checks(
    checks: Iterable[tuple[int, str]], n: int, *, met: Iterable[str], rng: np.random.Generator
) -> list[int]:
    """At most n attention checks for one person, in random order: none that repeats what they are asked about.

    Args:
        checks: number and origin of each check of the study; checks without an origin ("") are taken last.
        n: checks of each participant.
        met: origins of the person's items.
        rng: source of randomness.

    >>> choose_checks([(1, "d"), (2, "e"), (3, "")], 2, met=["d"], rng=np.random.default_rng(0))
    [2, 3]
    """
    left = [each for each in checks if not each[1] or each[1] not in set(met)]
    shuffled = [left[place] for place in rng.permutation(len(left)).tolist()]
    return [number for number, _ in sorted(shuffled, key=lambda each: not each[1])[:n]]


def session_order(items: Sequence[Available], *, rng: np.random.Generator) -> list[Available]:
    """The order in which one person meets their items: random, so that the emptiest are not always first."""
    return [items[place] for place in rng.permutation(len(items))]


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
