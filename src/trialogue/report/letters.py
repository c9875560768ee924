"""Compact letter display: systems that share a letter cannot be told apart.

Piepho (2004), "An algorithm for a letter-based representation of all-pairwise comparisons", J. Comput. Graph. Stat. 13,
456-466: insert and absorb.
"""

from collections.abc import Iterable, Sequence
from string import ascii_lowercase

from trialogue.metaeval import League


def letter_display(names: Sequence[str], different: Iterable[frozenset[str]]) -> dict[str, str]:
    """Letters of each name, such that two names share one if and only if they are not among the different pairs.

    Letters follow the order of the names: the first one has an "a". Empty if the pairs would need more than 26 letters,
    which nobody could read.

    >>> letter_display(["A", "B", "C"], [frozenset("AC")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    groups = [frozenset(names)] if names else []
    for pair in different:
        split = [group - {name} for group in groups if pair <= group for name in sorted(pair)]
        groups = _absorbed([group for group in groups if not pair <= group] + split)
        if len(groups) > len(ascii_lowercase):
            return {}
    place = {name: index for index, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {
        name: "".join(letter for letter, group in zip(ascii_lowercase, groups, strict=False) if name in group)
        for name in names
    }


def _absorbed(groups: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Without groups that lie inside another one."""
    kept: list[frozenset[str]] = []
    for group in sorted(set(groups), key=lambda one: (-len(one), sorted(one))):
        if not any(group <= larger for larger in kept):
            kept.append(group)
    return kept


def league_letters(league: League) -> dict[str, str]:
    """Letters of the systems that have a value; empty where no difference holds, or where the measure ranks nothing."""
    if league.measure.better == "neither":
        return {}
    names = [standing.system for standing in league.standings if standing.estimate.value is not None]
    known = set(names)
    different = [
        frozenset((contrast.a, contrast.b))
        for contrast in league.contrasts
        if contrast.verdict in ("a", "b") and {contrast.a, contrast.b} <= known
    ]
    return letter_display(names, different) if different else {}
