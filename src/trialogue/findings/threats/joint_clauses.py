"""One clause for all pairs of systems that share a threat, so that no sentence repeats it for each of them."""

import json
from collections.abc import Iterable, Iterator, Sequence

from trialogue.findings.threat import Threat
from trialogue.findings.threats.texts import TEXTS, clause
from trialogue.findings.wording import list_names


def joint_clauses(threats: Iterable[Threat]) -> list[tuple[str, list[Threat]]]:
    """Clauses with the threats that each states, in order; pairs of systems that share one are named together."""
    kinds: dict[tuple[object, ...], list[Threat]] = {}
    for threat in threats:
        joins = threat.is_of_pair and TEXTS[threat.code].joins_pairs
        same = (threat.code, threat.severity, threat.users, json.dumps(threat.facts)) if joins else (clause(threat),)
        kinds.setdefault(same, []).append(threat)
    return [found for similar in kinds.values() for found in _join(similar)]


def _join(similar: Sequence[Threat]) -> Iterator[tuple[str, list[Threat]]]:
    """One clause if their pairs can be named together, else one for each."""
    joins = similar[0].is_of_pair and TEXTS[similar[0].code].joins_pairs
    pairs = list(dict.fromkeys(threat.systems for threat in similar)) if joins else []
    names = _names_of_pairs(pairs, has_sides=bool(similar[0].facts.get("others"))) if len(pairs) > 1 else None
    if names is not None:
        yield clause(similar[0].model_copy(update={"systems": names})), list(similar)
        return
    groups: dict[str, list[Threat]] = {}
    for threat in similar:
        groups.setdefault(clause(threat), []).append(threat)
    yield from groups.items()


def _names_of_pairs(pairs: Sequence[tuple[str, ...]], *, has_sides: bool) -> tuple[str, ...] | None:
    """The systems of several pairs in words; None where only a list of the pairs would say which they are.

    Args:
        pairs: pairs, each once.
        has_sides: whether something is said of the first of each pair, and something else of the second.
    """
    firsts, seconds = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    if has_sides:
        is_whole = len(pairs) == len(firsts) * len(seconds)
        return (list_names(firsts), list_names(seconds)) if is_whole else None
    every = list(dict.fromkeys([*firsts, *seconds]))
    if len(pairs) == len(every) * (len(every) - 1) // 2:
        return (list_names(every),)
    for center in every:
        if all(center in pair for pair in pairs):
            return (f"{center} and any of {list_names([name for name in every if name != center])}",)
    return None
