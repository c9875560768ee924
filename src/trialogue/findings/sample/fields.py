"""What the fields of dialogues with people tell: when they began, which one of a person's they are, from which address.

A field is known by its values: times that can be read, numbers that count a person's dialogues, or identifiers of which
nearly each is one person's own.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b

from trialogue.records import JsonValue

NAMES = (
    *("started_at", "start_time", "created_at", "timestamp", "time", "date", "datetime", "started", "when"),
    *("finished_at", "ended_at", "completed_at", "submitted_at", "rated_at"),
    *("position", "order", "session", "round", "visit"),
)
"""Fields that say when a dialogue began, or its number among the person's dialogues, in any form of value."""
_DAYS = ("%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%a, %d %b %Y")
FORMS = ("", *(f"{day}{hour}" for day in _DAYS for hour in ("", " %H:%M", " %H:%M:%S", " %H:%M:%S %z")))
"""Times that people and programs write; "": ISO 8601."""
SAME_DIGITS = dict.fromkeys(map(ord, "0123456789"), "1")
EPOCHS = ((6e8, 4.2e9), (6e11, 4.2e12))  # seconds and milliseconds from 1989 to 2103
MOST_FIELDS = 40  # that are looked at
LONGEST = 64  # characters of a time or an address
KNOWN = 0.9  # of the dialogues (or people), from which a field says what it says of all
FEWEST_COUNTED = 6  # people with several dialogues
FEWEST_CODES = 5  # people at one address, from which they may be one
OWN = 0.8  # of the values of a field that are one person's: then it is no country, and no browser
_DIGIT = re.compile(r"\d")

Value = str | float


@dataclass
class FieldAudit:
    """Dialogues of all systems, added one after another."""

    _people: list[str] = field(default_factory=list)
    _sides: list[str] = field(default_factory=list)
    _named: list[float | None] = field(default_factory=list)
    _fields: dict[str, dict[int, Value]] = field(default_factory=dict)

    def add(self, person: str, side: str, *fields: Mapping[str, JsonValue]) -> int:
        """Add a dialogue, and return its number.

        Args:
            person: who took part.
            side: distinguishes the systems.
            fields: of the dialogue, and of its first utterance.
        """
        at = len(self._people)
        self._people.append(person)
        self._sides.append(side)
        given = (own[name] for own in fields for name in NAMES if own.get(name) is not None)
        self._named.append(seconds_of(next(given, None)))
        for name, value in fields[0].items():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            if (isinstance(value, str) and len(value) > LONGEST) or not value:
                continue
            if name in self._fields or len(self._fields) < MOST_FIELDS:
                self._fields.setdefault(name, {})[at] = value
        return at

    def times(self) -> list[float | None]:
        """When each dialogue began, or its number among its person's dialogues; None: unknown."""
        if any(each is not None for each in self._named):
            return self._named
        least = KNOWN * len(self._people)
        known = [self._fields[name] for name in sorted(self._fields) if len(self._fields[name]) >= least]
        for read in (_moment_of, _number_of):
            for values in known:
                found = [read(values[at]) if at in values else None for at in range(len(self._people))]
                if sum(each is not None for each in found) >= max(1, least) and (
                    read is _moment_of or self._are_counted(found)
                ):
                    return found
        return self._named

    def _are_counted(self, numbers: Sequence[float | None]) -> bool:
        """Whether numbers count each person's dialogues, from 0 or 1 on; one number for each system is a code of it."""
        if len(set(zip(self._sides, numbers, strict=True))) == len(set(self._sides)):
            return False
        own: defaultdict[str, list[float]] = defaultdict(list)
        for person, number in zip(self._people, numbers, strict=True):
            if number is not None:
                own[person].append(number)
        several = [sorted(each) for each in own.values() if len(each) > 1]
        fits = sum(each in (list(range(len(each))), list(range(1, len(each) + 1))) for each in several)
        return len(several) >= FEWEST_COUNTED and fits >= KNOWN * len(several)

    def addresses(self) -> Iterator[tuple[str, list[int]]]:
        """(Hash of an address, numbers of dialogues) of people under several codes who share an address."""
        for name, values in self._fields.items():
            by_value: defaultdict[Value, list[int]] = defaultdict(list)
            for at, value in values.items():
                by_value[value].append(at)
            people = {value: len({self._people[at] for at in own}) for value, own in by_value.items()}
            if sum(each == 1 for each in people.values()) < OWN * len(people):
                continue
            for value, count in people.items():
                is_identifier = isinstance(value, str) and _DIGIT.search(value) and seconds_of(value) is None
                if count >= FEWEST_CODES and is_identifier:
                    key = blake2b(f"{name}\0{value}".encode("utf-8", "surrogatepass"), digest_size=8)
                    yield key.hexdigest(), by_value[value]


def _moment_of(value: Value) -> float | None:
    """A time that is written as one, or in seconds since 1970."""
    found = seconds_of(value)
    if found is None or not (isinstance(value, float | int) or value.strip().isdecimal()):
        return found
    return found if any(low <= found <= high for low, high in EPOCHS) else None


def _number_of(value: Value) -> float | None:
    found = seconds_of(value)
    return found if found is not None and found.is_integer() else None


def seconds_of(value: object) -> float | None:
    """A number, or a time (ISO 8601), as a number to sort by; None if it is neither.

    Of numbers alone, the order of day and month is not known: "3/4/2024" is no time.

    >>> seconds_of(5), seconds_of("1970-01-01T00:01:00Z"), seconds_of("soon"), seconds_of(None)
    (5.0, 60.0, None, None)
    >>> seconds_of("1714730000"), seconds_of("1 Jan 1970 00:02"), seconds_of("3/4/2024")
    (1714730000.0, 120.0, None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    if value.strip().isdecimal():
        return float(value)
    form = _form_of(value.strip().translate(SAME_DIGITS))  # one look for a whole file
    found = None if form is None else _moment(value.strip(), form)
    if found is None:
        return None
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


@lru_cache(maxsize=256)
def _form_of(text: str) -> str | None:
    """The form of a time; None: it is none."""
    return next((form for form in FORMS if _moment(text, form) is not None), None)


def _moment(text: str, form: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if not form else datetime.strptime(text, form)
    except ValueError:
        return None
