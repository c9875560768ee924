"""Detect domain-independent speech acts by phrase patterns: greet, agree, decline, ask for another, take leave.

``texts/signs.txt`` lists phrases for every sign, matched against lower-case text without apostrophes; § stands for a title.
A phrase is a regular expression of ``re``, matched on whole words only; ``^`` is the beginning, ``$`` the end, and {…} are
words listed in the same file, or of the domain. A text may have several signs ("No, but thanks!"); the agents decide how to
combine them.
"""

import re
from collections.abc import Iterable

from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.wording.wording import Wording

FILLERS = {"few": r"(?: \w+)?(?: \w+)?", "aside": r"(?:(?:oh|oho|well|hmm|ah|um+)\W+)?"}
EDGE = r"[^\w§]*"  # between the beginning or end of a text and its first or last word


def patterns_for(wording: Wording) -> dict[str, re.Pattern[str]]:
    """Pattern of every sign, with the words of a domain."""
    words = {
        "uses": (*wording.uses, *wording.past),
        "past": wording.past,
        "nouns": (wording.noun, wording.nouns, *wording.also),
        "kinds": (wording.kind, wording.kinds),
    }
    fillers = FILLERS | listed_words() | {name: any_of(map(re.escape, phrases)) for name, phrases in words.items()}
    return {
        sign: re.compile("|".join(_whole_words(fill_phrase(line, fillers)) for line in lines))
        for sign, lines in sections_of("signs").items()
        if not sign.startswith("{")
    }


def listed_words() -> dict[str, str]:
    """Pattern of each word list that phrases refer to, by name."""
    return {name[1:-1]: any_of(lines) for name, lines in sections_of("signs").items() if name.startswith("{")}


def any_of(phrases: Iterable[str]) -> str:
    """Pattern that matches any of the phrases."""
    return f"(?:{'|'.join(phrases)})"


def fill_phrase(phrase: str, fillers: dict[str, str]) -> str:
    """Phrase with list names replaced by patterns."""
    for name, filler in fillers.items():  # str.format would take the repetitions of re, {2}, for names
        phrase = phrase.replace(f"{{{name}}}", filler)
    return phrase


def _whole_words(phrase: str) -> str:
    start = f"^{EDGE}" if phrase.startswith("^") else r"(?<!\w)"
    end = f"{EDGE}$" if phrase.endswith("$") else r"(?!\w)"
    return f"{start}(?:{phrase.removeprefix('^').removesuffix('$')}){end}"
