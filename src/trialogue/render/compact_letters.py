"""Compact letter display: systems that share a letter do not differ significantly.

Piepho (2004), "An algorithm for a letter-based representation of all-pairwise comparisons", J. Comput. Graph. Stat. 13,
456-466: insert and absorb.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from string import ascii_lowercase

from trialogue.findings import League


def letter_display(names: Sequence[str], different: Iterable[frozenset[str]]) -> dict[str, str]:
    """Assign letters such that two names share one if and only if they are not significantly different.

    Letters follow the order of the names: the first one has an "a". Empty if the pairs would need more than 26 letters,
    which nobody could read.

    >>> letter_display(["A", "B", "C"], [frozenset("AC")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    groups = [frozenset(names)] if names else []
    for pair in different:
        split = [group - {name} for group in groups if pair <= group for name in pair]
        groups = _absorb([group for group in groups if not pair <= group], split)
        if len(groups) > len(ascii_lowercase):
            return {}
    place = {name: index for index, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {
        name: "".join(letter for letter, group in zip(ascii_lowercase, groups, strict=False) if name in group)
        for name in names
    }


def _absorb(groups: Iterable[frozenset[str]], split: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """With those parts of other groups that lie inside none. No group is inside a part, or it had been inside the whole."""
    kept = list(groups)
    for group in sorted(split, key=len, reverse=True):
        if not any(group <= larger for larger in kept):
            kept.append(group)
    return kept


def league_letters(league: League) -> dict[str, str]:
    """Letters of the systems that have a value; empty without significant differences, or if nothing is ranked.

    A shared letter says that two systems were compared and do not differ significantly, no shared letter that they
    differ; nothing stands for "was not compared". So systems that were not compared with all others that have letters
    get none (``uncompared_systems``), and if the rest are not the majority, no system gets a letter: beside many systems
    without a letter, a lone "a" would look like a winner's.
    """
    if league.measure.better == "neither":
        return {}
    defined = _defined_systems(league)
    alone = uncompared_systems(league)
    names = [name for name in defined if name not in alone]
    if 2 * len(names) <= len(defined):
        return {}
    known = set(names)
    different = [
        frozenset((contrast.a, contrast.b))
        for contrast in league.contrasts
        if contrast.verdict in ("a", "b") and {contrast.a, contrast.b} <= known
    ]
    return letter_display(names, different) if different else {}


def uncompared_systems(league: League) -> frozenset[str]:
    """Systems to omit so that all remaining pairs were compared: repeatedly those with most missing comparisons.

    If A and B were compared, and C with neither of them, then C is left out. Systems without a value do not count, and where
    nothing was to be compared, nobody is left out.
    """
    if not league.contrasts:
        return frozenset()
    defined = _defined_systems(league)
    compared = {frozenset((each.a, each.b)) for each in league.contrasts if each.verdict != "undefined"}
    open_pairs = [pair for pair in map(frozenset, combinations(defined, 2)) if pair not in compared]
    left_out: set[str] = set()
    while open_pairs:
        lacking = Counter(name for pair in open_pairs for name in pair)
        most = max(lacking.values())
        left_out.update(name for name, missing in lacking.items() if missing == most)
        open_pairs = [pair for pair in open_pairs if not pair & left_out]
    return frozenset(left_out)


def _defined_systems(league: League) -> list[str]:
    """Systems that have a value, in order."""
    return [standing.system for standing in league.standings if standing.estimate.value is not None]
