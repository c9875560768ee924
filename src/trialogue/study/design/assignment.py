"""Who sees what, in which order. Pure functions of items, participants and a random generator.

Each item has k slots, and the order in which the systems are shown belongs to the slot. Consecutive slots go through
complete Latin squares, so that every system stands in every position equally often (the last square may be cut off: one
more, or one less). Whoever gives a slot back gives back its order, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np


def orders(systems: Sequence[str], *, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Orders of systems without end: complete Latin squares, one after another, each from a shuffled row.

    >>> square = orders(["a", "b"], rng=np.random.default_rng(0))
    >>> sorted([next(square), next(square)])
    [('a', 'b'), ('b', 'a')]
    """
    names = list(systems)
    while True:
        base = [names[place] for place in rng.permutation(len(names))]
        for turn in rng.permutation(max(1, len(names))).tolist():
            yield tuple(base[turn:] + base[:turn])


def slot_orders(
    systems_of: Sequence[Sequence[str]], k: int, *, rng: np.random.Generator
) -> list[list[tuple[str, ...]]]:
    """The orders of the k slots of each item.

    Squares go on from item to item, among items of the same systems, so that positions are balanced over the whole study
    and, where k is a multiple of the number of systems, in each item.

    Args:
        systems_of: the systems of each item, shape (n_items,).
        k: slots of each item.
        rng: source of randomness.
    """
    running: dict[tuple[str, ...], Iterator[tuple[str, ...]]] = {}
    found = []
    for systems in systems_of:
        key = tuple(sorted(systems))
        square = running.setdefault(key, orders(key, rng=rng))
        found.append([next(square) for _ in range(k)])
    return found


@dataclass(frozen=True)
class Available:
    """An item that has a free slot."""

    id: int
    """Its id."""
    dialogue: str
    """The dialogue it is from; "" for none."""
    taken: int
    """Slots that are held or done."""
    rank: int
    """Breaks ties."""


def chosen(
    items: Iterable[Available], n: int, *, seen: Iterable[str] = (), one_per_dialogue: bool = True
) -> list[Available]:
    """At most n items for one person: the emptiest first, ties by rank; no dialogue twice.

    >>> free = [Available(1, "d", 0, 1), Available(2, "d", 0, 0), Available(3, "e", 1, 2)]
    >>> [item.id for item in chosen(free, 2)]
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


def session_order(items: Sequence[Available], *, rng: np.random.Generator) -> list[Available]:
    """The order in which one person meets their items: random, so that the emptiest are not always first."""
    return [items[place] for place in rng.permutation(len(items))]
