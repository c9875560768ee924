"""Parse browser events of an open page. Untrusted input: anyone can send anything."""

import json
from typing import NamedTuple

KINDS = ("focus", "blur", "hidden", "visible", "paste", "first_input", "submit")
MAX_EVENTS = 200
LONGEST = 20_000  # characters of the list
DAY = 24 * 3600 * 1000


class BrowserEvent(NamedTuple):
    """One thing."""

    kind: str
    milliseconds: int
    """Since the page was shown, by the browser's clock."""


def parse_events(text: str) -> list[BrowserEvent]:
    """Parse the events in a form's hidden field; invalid entries are ignored.

    >>> parse_events('[["paste", 1200], ["<b>", 3], 7]')
    [BrowserEvent(kind='paste', milliseconds=1200)]
    """
    if len(text) > LONGEST:
        return []
    try:
        given = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    pairs = given if isinstance(given, list) else []
    return [BrowserEvent(pair[0], pair[1]) for pair in pairs[:MAX_EVENTS] if _is_event(pair)]


def _is_event(pair: object) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and pair[0] in KINDS
        and type(pair[1]) is int
        and 0 <= pair[1] <= 30 * DAY
    )
