"""The title that somebody seems to name, whether a catalogue has it or not: what is left without the words around it."""

import re

from trialogue.agents.reference.signs import any_of
from trialogue.agents.reference.texts import sections_of

QUOTES = "\"'“”‘’«»"

_OPENING = re.compile(rf"^[^\w]*(?:{any_of(sections_of('queries')['opening'])}[\s,:!.{QUOTES}]+)*", re.IGNORECASE)
_CLOSING = re.compile(
    rf"\s*(?:[.,;!?\n(]+(?=\s|$|\()|\b{any_of(sections_of('queries')['closing'])}(?!\w)).*$", re.IGNORECASE | re.DOTALL
)


def query_in(text: str) -> str:
    """What may be a title in a text; "" if nothing is left.

    >>> query_in("I loved Heat because of the heist"), query_in("can you search for 'Anna Karinina' please?")
    ('Heat', 'Anna Karinina')
    """
    found = _OPENING.sub("", text.strip(), count=1).lstrip(f"{QUOTES} ")
    return _CLOSING.sub("", found, count=1).strip(f"{QUOTES} :-.,!?")
