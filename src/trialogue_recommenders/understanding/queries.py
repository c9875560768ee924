"""Extract the title that a user seems to name, whether or not the catalogue has it, by removing the words around it."""

import re

from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.understanding.speech_acts import any_of, fill_phrase, listed_words

QUOTES = "\"'“”‘’«»"
ABBREVIATED = r"(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bst)(?<!\bvs)"  # their full stop ends nothing

_OPENING = re.compile(rf"^[^\w]*(?:{any_of(sections_of('queries')['opening'])}[\s,:!.{QUOTES}]+)*", re.IGNORECASE)
_ENDS = any_of(fill_phrase(line, listed_words()) for line in sections_of("queries")["closing"])
_CLOSING = re.compile(
    rf"\s*(?:{ABBREVIATED}[.,;!?\n(]+(?=\s|$|\()|\b{_ENDS}(?!\w)).*$",
    re.IGNORECASE | re.DOTALL,
)


def query_in(text: str) -> str:
    """Possible title in a text; "" if nothing is left.

    >>> query_in("I loved Heat because of the heist"), query_in("can you search for 'Anna Karinina' please?")
    ('Heat', 'Anna Karinina')
    """
    found = _OPENING.sub("", text.strip(), count=1).lstrip(f"{QUOTES} ")
    return _CLOSING.sub("", found, count=1).strip(f"{QUOTES} :-.,!?")
