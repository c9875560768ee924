"""Check that recommended items and targets are ids of one catalogue: where none is in common, recall measures nothing."""

from collections.abc import Iterable, Iterator, Sequence

from trialogue.datasets.door.units import quote_names
from trialogue.errors import Problem
from trialogue.records import Response, Situation

ENOUGH = 10
"""Replies with a ranking and targets from which on a system without any common id is taken for one of another catalogue."""


def foreign_items(situations: Iterable[Situation], responses: Iterable[Response]) -> tuple[list[Problem], list[str]]:
    """(Mistakes, warnings) where no recommended item is a target of any situation.

    It is a mistake where no system has an item in common with the targets, or one whose ids are written in another way
    (numbers beside names); else a warning, since a very bad recommender may hit nothing.
    """
    targets = {situation.id: situation.targets for situation in situations if situation.targets}
    known = {item for items in targets.values() for item in items}
    ranked: dict[str, dict[str, None]] = {}
    cases: dict[str, int] = {}
    for response in responses:
        ranking = response.utterance.ranking
        if ranking and response.situation_id in targets:
            ranked.setdefault(response.system, {}).update(dict.fromkeys(ranking))
            cases[response.system] = cases.get(response.system, 0) + 1
    foreign = [system for system, items in ranked.items() if known.isdisjoint(items) and cases[system] >= ENOUGH]
    problems = [
        Problem(
            _what(system, list(ranked[system]), list(known), cases[system]), hint="Are these ids of two catalogues?"
        )
        for system in foreign
        if len(foreign) == len(ranked) or _is_numeric(ranked[system]) != _is_numeric(known)
    ]
    others = [system for system in foreign if not problems]
    return problems, list(_warnings(others, ranked, list(known), cases))


def _what(system: str, ranked: Sequence[str], known: Sequence[str], cases: int) -> str:
    return (
        f"no item that {system} recommends ({quote_names(ranked[:3])}) is a target of any of its {cases} situations "
        f"({quote_names(sorted(known)[:3])})."
    )


def _warnings(
    systems: Iterable[str], ranked: dict[str, dict[str, None]], known: Sequence[str], cases: dict[str, int]
) -> Iterator[str]:
    for system in systems:
        yield _what(system, list(ranked[system]), known, cases[system])


def _is_numeric(items: Iterable[str]) -> bool:
    return all(item.isdecimal() for item in items)
