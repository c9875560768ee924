"""What a value from outside is: absent, a number, an identifier. Every reader asks here, so that routes agree.

Absent and empty differ: a blank cell in a column of ratings is no rating, while an empty list of recommended items is a
recommendation of nothing.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from trialogue.records.spoken import in_one_form

_ABSENT_WORDS = "nan na n/a #n/a none null nil - – — <na> nat ? missing not_rated"
ABSENT = frozenset(("", "not rated", *_ABSENT_WORDS.split()))
"""Texts with which files say that there is no value."""


@cache
def vocabulary() -> dict[str, Any]:
    """Names and words by which files are understood, from ``names.yaml``."""
    import yaml

    text = files(__package__).joinpath("names.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found


def names_of(role: str) -> tuple[str, ...]:
    """Names under which files keep something, most usual first.

    >>> names_of("remarks")[:2]
    ('comment', 'comments')
    """
    return tuple(vocabulary()[role].split())


TOPICS = frozenset(names_of("topics"))
"""Names of fields that say what a conversation is about, however many values they have."""
DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}")
_FLOAT_ID = re.compile(r"(-?\d+)\.0+")
_SPREADSHEET = re.compile(r"-?\d(?:[.,]\d+)?E\+?\d{2,}", re.IGNORECASE)
LARGEST_EXACT = 2**53
"""Above it, not every whole number has a float of its own: an id that was stored as one has lost digits."""


def is_absent(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, or one of the usual texts.

    >>> is_absent(" N/A "), is_absent(float("nan")), is_absent(0), is_absent([])
    (True, True, False, False)
    """
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return isinstance(value, str) and value.strip().lower() in ABSENT


def as_number(value: object) -> float | None:
    """A JSON number as a float; None for anything else, including booleans and numbers outside the float range.

    >>> as_number(3), as_number("3"), as_number(True)
    (3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def plain_number(value: object) -> float | None:
    """A number, however it is written; None, without a message, if it is none. "4,5" is 4.5; booleans are no numbers.

    >>> plain_number("4,5"), plain_number(" 3 "), plain_number("1e400"), plain_number(True)
    (4.5, 3.0, None, None)
    """
    if not isinstance(value, str):
        return as_number(value)
    written = value.strip()
    if DECIMAL_COMMA.fullmatch(written):
        written = written.replace(",", ".")
    if "_" in written:  # float() allows it, and a label such as 1_2 is no number
        return None
    try:
        return as_number(float(written))
    except ValueError:
        return None


def place_in_time(value: object) -> float | None:
    """A number or a time (ISO 8601, with or without a zone) as a number to sort by; None if it is neither.

    >>> place_in_time("7"), place_in_time("1970-01-01T00:01:00Z"), place_in_time("1970-01-01 00:01"), place_in_time("soon")
    (7.0, 60.0, 60.0, None)
    """
    number = plain_number(value)
    if number is not None or not isinstance(value, str):
        return number
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


def identifier(value: object) -> str:
    """An identifier as text; a whole number is the same however it was stored. "" if there is none.

    >>> identifier(1), identifier(1.0), identifier(" a1 "), identifier(1.5), identifier(None), identifier(True)
    ('1', '1', 'a1', '1.5', '', 'True')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return in_one_form(value.strip()) if isinstance(value, str) else str(value)


def lost_digits(value: object) -> bool:
    """Whether an identifier was rounded before it was written: by a spreadsheet, or as a float too large to be exact.

    >>> lost_digits("1.23457E+17"), lost_digits(1.2345678901234568e17), lost_digits("123456789012345678"), lost_digits("a1")
    (True, True, False, False)
    """
    if isinstance(value, float):
        return abs(value) >= LARGEST_EXACT
    if not isinstance(value, str):
        return False
    if _SPREADSHEET.fullmatch(value.strip()):
        return True
    whole = _FLOAT_ID.fullmatch(value.strip())
    return whole is not None and len(whole[1]) > 16


@dataclass(frozen=True)
class Identifiers:
    """How the identifiers of one column compare: whole numbers written as decimals ("1.0") are whole numbers.

    pandas writes a column of whole numbers as decimals once a value is missing. Only where every identifier is a whole
    number: beside "1.5", "1.0" is a name (of a version).
    """

    as_whole: bool = False
    """Whether the zeros behind a decimal point are none of the name."""

    @classmethod
    def of(cls, values: Iterable[object]) -> "Identifiers":
        """The rule for a column with these values.

        >>> Identifiers.of(["1.0", "2.0", ""]).text("1.0"), Identifiers.of(["1.0", "1.5"]).text("1.0")
        ('1', '1.0')
        """
        texts = {text for value in values if (text := identifier(value))}
        decimals = [text for text in texts if _FLOAT_ID.fullmatch(text)]
        return cls(bool(decimals) and all(_FLOAT_ID.fullmatch(text) or _is_whole(text) for text in texts))

    def text(self, value: object) -> str:
        """An identifier of the column; "" if there is none."""
        found = identifier(value)
        whole = _FLOAT_ID.fullmatch(found) if self.as_whole else None
        return whole[1] if whole else found


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def members(value: Any) -> list[Any]:
    """The members of a list, or the value as the only one; [] if it is None."""
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
