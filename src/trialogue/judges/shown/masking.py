"""Mask what identifies people in texts, before they are sent to a server: e-mail addresses, phone numbers, platform ids.

Names of people are not recognised: no list of names tells a participant from an actor.
"""

import re
from collections.abc import Callable

from trialogue.records import Record

E_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"(?<![\w.])(?:\+|00)?\d[\d ()/.-]{6,18}\d(?![\w])")
MIN_DIGITS = 9  # of a phone number without a country code; years, prices and dates have fewer
MIN_DIGITS_ABROAD = 8
PLATFORM_ID = re.compile(r"\b(?:[0-9a-f]{24}|A[0-9A-Z]{11,20})\b")
"""Ids of Prolific (24 hexadecimal digits) and of Mechanical Turk (an A, then capitals and digits)."""


class Masked(Record):
    """A text without what identifies people, and how much was masked."""

    text: str
    """The text."""
    count: int
    """Places that were masked."""


def mask_personal(text: str) -> Masked:
    """Replace e-mail addresses, phone numbers and ids of crowd-sourcing platforms.

    >>> mask_personal("Write to ann.b@example.org or +44 20 7946 0958.").text
    'Write to [e-mail] or [phone].'
    >>> mask_personal("Blade Runner 2049 (2017), 1984, 12 Monkeys").count
    0
    """
    count = 0

    def mask_with(word: str, is_it: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
        def replace_match(match: re.Match[str]) -> str:
            nonlocal count
            if not is_it(match[0]):
                return match[0]
            count += 1
            return word

        return replace_match

    text = E_MAIL.sub(mask_with("[e-mail]", bool), text)
    text = PLATFORM_ID.sub(mask_with("[id]", _has_digits), text)
    text = PHONE.sub(mask_with("[phone]", _is_phone), text)
    return Masked(text=text, count=count)


def _has_digits(word: str) -> bool:
    """A worker's id has digits; a word in capitals, such as ABOMINATIONS, has none."""
    return any(each.isdigit() for each in word)


def _is_phone(number: str) -> bool:
    least = MIN_DIGITS_ABROAD if number.startswith(("+", "00")) else MIN_DIGITS
    return sum(each.isdigit() for each in number) >= least
