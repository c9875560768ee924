"""Which rows and entries are one unit: one conversation, the same one logged twice, or several under one id.

A resumed log repeats rows; a spreadsheet rounds long ids; two exports joined below each other share ids. What is an exact
repetition is one unit, with a note. Where the content differs, nothing is merged: the ids are named in one error.
Where recommended items and targets have no id in common, recall measures nothing, which is checked here, too.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from trialogue.errors import Problem
from trialogue.records import Response, Situation

T = TypeVar("T")
SHOWN = 5  # ids named in a message
SHORTEST_LOOP = 2  # an exchange; one repeated three times or more in a row may be an agent that loops
ENOUGH = 10
"""Replies with a ranking and targets from which on a system without any common id is taken for one of another catalogue."""
RARELY = 0.1  # share of dialogues that may deviate from the others before the deviation is the rule


class Level(Enum):
    """What a rating rates."""

    UTTERANCE = "utterance"
    """A single utterance or reply."""
    DIALOGUE = "dialogue"
    """The whole conversation."""


@dataclass
class Units(Generic[T]):
    """Rows of one unit without repetitions, and what was found."""

    rows: list[T]
    """Rows that remain, in the order of the file."""
    repeated: int = 0
    """Rows left out, because they repeat earlier ones."""
    has_two_contents: bool = False
    """Whether the rows cannot be of one conversation."""
    is_scattered: bool = False
    """Whether the rows stand in several blocks, with those of others between them."""


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A row as this module sees it."""

    row: T
    content: Hashable
    """All its cells that are not the number of the row."""
    opening: Hashable
    """Who says what."""
    place: int
    """Its place in the table."""
    speaker: str = ""
    number: float | None = None
    """Number by which rows are sorted, if there is a column of it."""


def units_of(entries: Sequence[Entry[T]]) -> Units[T]:
    """Remove repetitions from the rows of one id, and find out whether they are of several conversations.

    With numbers, a row whose cells are all repeated is left out; two rows of one speaker with the same number and different
    texts, not next to each other, are of two conversations. Without numbers, the rows are repeated if they repeat as a
    whole, or if a beginning that was broken off is followed by the whole.
    """
    kept = _distinct(entries) if any(entry.number is not None for entry in entries) else _without_loops(entries)
    blocks = _blocks(kept)
    numbered = any(entry.number is not None for entry in kept)
    two = _numbers_clash(kept, len(kept) < len(entries)) if numbered else _begins_again(blocks)
    return Units(
        [entry.row for entry in kept],
        repeated=len(entries) - len(kept),
        has_two_contents=two,
        is_scattered=not numbered and len(blocks) > 1,
    )


def _distinct(entries: Sequence[Entry[T]]) -> list[Entry[T]]:
    known: set[Hashable] = set()
    return [entry for entry in entries if not (entry.content in known or known.add(entry.content))]  # type: ignore[func-returns-value]


def _numbers_clash(entries: Sequence[Entry[T]], has_repeated: bool) -> bool:
    """Whether a speaker has the same number twice, in rows that are apart: with others, or repeated ones, between them."""
    last: dict[tuple[str, float], int] = {}
    for at, entry in enumerate(entries):
        if entry.number is None:
            continue
        key = (entry.speaker, entry.number)
        if key in last:
            between = entries[last[key] : at]
            is_apart = has_repeated and entry.place != between[-1].place + 1
            if is_apart or any(other.number != entry.number for other in between):
                return True
        last[key] = at
    return False


def _without_loops(entries: Sequence[Entry[T]]) -> list[Entry[T]]:
    contents = [entry.content for entry in entries]
    size = len(contents)
    for period in (length for length in range(SHORTEST_LOOP, size // 2 + 1) if size % length == 0):
        if contents[:period] * (size // period) == contents and len(set(contents[:period])) > 1:
            apart = len(_blocks(entries)) > 1
            if apart or period > SHORTEST_LOOP or size == 2 * period:
                return list(entries[:period])
            return list(entries)
    blocks = _blocks(entries)
    first = [entry.content for entry in blocks[0]]
    rest = [entry.content for block in blocks[1:] for entry in block]
    if len(blocks) > 1 and len(first) >= SHORTEST_LOOP and rest[: len(first)] == first:
        return [entry for block in blocks[1:] for entry in block]
    if len(blocks) > 1 and len(rest) >= SHORTEST_LOOP and first[: len(rest)] == rest:
        return list(blocks[0])
    return list(entries)


def _blocks(entries: Sequence[Entry[T]]) -> list[list[Entry[T]]]:
    """Runs of rows that stand next to each other in the table."""
    found: list[list[Entry[T]]] = []
    for entry in entries:
        if found and entry.place == found[-1][-1].place + 1:
            found[-1].append(entry)
        else:
            found.append([entry])
    return found


def _begins_again(blocks: Sequence[Sequence[Entry[T]]]) -> bool:
    """Whether a later block opens as the first one does: with the same words of the same speaker."""
    return any(block[0].opening == blocks[0][0].opening and len(block) > 1 for block in blocks[1:])


def level_of(values: Iterable[Sequence[Hashable]], is_on_users: bool = False) -> tuple[Level, list[int]]:
    """What a column of ratings rates, from the distinct values within each dialogue.

    A column that never has two values in a dialogue rates dialogues. One that has so in a few, while it is constant over
    several rows of most, rates dialogues too, and those few are probably several under one id: they are returned.

    Args:
        values: of each dialogue, its values in the order of its rows, without absent ones.
        is_on_users: whether rows of the user have values too, as only a rating of the whole has.

    Returns:
        The level, and the places of the dialogues that contradict it.
    """
    several = [(place, held) for place, held in enumerate(map(list, values)) if len(held) > 1]
    varying = [place for place, held in several if len(set(held)) > 1]
    if not varying:
        return Level.DIALOGUE, []
    constant = len(several) - len(varying)
    if is_on_users and constant and len(varying) <= max(1, RARELY * len(several)):
        return Level.DIALOGUE, varying
    return Level.UTTERANCE, []


@dataclass
class Clashes:
    """Ids with several conversations, collected for one error."""

    ids: list[str] = field(default_factory=list)
    line: int | None = None

    def add(self, name: str, line: int | None) -> None:
        """Record an id."""
        if not self.ids:
            self.line = line
        if name not in self.ids:
            self.ids.append(name)

    def id_list(self) -> str:
        """The ids in a message: the first few, and how many more."""
        return quote_names(self.ids)


def quote_names(names: Sequence[str]) -> str:
    """Names in a message: the first few, and how many more.

    >>> quote_names(["a", "b"]), quote_names(list("abcdefg"))
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(repr, names[:SHOWN])) + more


def nested_contexts(contexts: Iterable[Sequence[Hashable]]) -> int:
    """How many histories go on from another one: they are cut from the same dialogue.

    >>> nested_contexts([("hi",), ("hi", "hello", "a thriller"), ("hey",)])
    1
    """
    held = [tuple(context) for context in contexts]
    whole = {_chain(context)[-1] for context in held if any(context)}
    return sum(any(part in whole for part in _chain(context)[:-1]) for context in held)


def _chain(context: Sequence[Hashable]) -> list[int]:
    """A hash of each beginning of a history."""
    found: list[int] = []
    for message in context:
        found.append(hash((found[-1] if found else 0, message)))
    return found or [0]


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
