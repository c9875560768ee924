"""What a judge is shown of a conversation: lines of its two parties, without names of systems and people.

Each utterance is one numbered line, so that no text can begin a line of its own and pass for another party's. Only texts are
shown: no acts, lists, errors, or names of roles that a corpus writes. Words with which a simulated user ends a conversation
are removed, since they are said to the harness and not to the recommender.

Mask what identifies people in texts, before they are sent to a server: e-mail addresses, phone numbers, platform ids.

Names of people are not recognised: no list of names tells a participant from an actor.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.records import Record, Utterance

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


STOP_WORDS = re.compile(r"\\end\b|\\giveup\b|\[END\]|\[DONE\]|\[GIVE UP\]|###(?:STOP|TRANSFER|OUT-OF-SCOPE)###")
"""With which simulated users of UserSimCRS, Concept, Trialogue and tau2-bench end a conversation."""
PARTIES = {"user": "USER", "system": "RECOMMENDER"}
SYSTEM, PERSON = "[system]", "[person]"
MIN_NAME = 3  # letters: shorter names of systems ("A", "v2") are found in too many words' places
LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Shown:
    """A conversation as a judge sees it."""

    lines: tuple[str, ...]
    """One for each utterance with text, such as ``1 USER: hi``."""
    masked: int = 0
    """Places in which something personal was masked."""
    anonymised: int = 0
    """Places in which a system or a user was named."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


class Showing:
    """Turns utterances into what a judge sees, the same for every dialogue of a run."""

    def __init__(self, systems: Iterable[str] = (), *, mask: bool = True) -> None:
        """Store the settings.

        Args:
            systems: names of systems, which are removed from texts where they stand as words. A name that is an ordinary
                word (``guided``, ``popular``) or shorter than three letters stays: it could not be told from the word.
            mask: whether to mask what identifies people.
        """
        names = sorted({name.strip() for name in systems}, key=lambda name: (-len(name), name))
        self.kept_names = tuple(sorted(name for name in names if name and not _is_distinctive(name)))
        """Names that stay in texts."""
        self._system = _words([name for name in names if _is_distinctive(name)])
        self._mask = mask

    def show(self, utterances: Sequence[Utterance], *, user: str | None = None) -> Shown:
        """Lines of some utterances; those without text are left out, and numbers are places from 1.

        Args:
            utterances: utterances in order.
            user: code of the user, removed where it stands as a word.
        """
        own = _words([user] if user and _is_distinctive(user) else [])
        lines, masked, anonymised = [], 0, 0
        for place, said in enumerate(utterances, start=1):
            text = STOP_WORDS.sub("", said.text) if said.speaker == "user" else said.text
            text, named = self._system(text, SYSTEM)
            text, coded = own(text, PERSON)
            if self._mask:
                found = mask_personal(text)
                text, masked = found.text, masked + found.count
            anonymised += named + coded
            text = LINES.sub(" / ", text.strip())
            if text:
                lines.append(f"{place} {PARTIES[said.speaker]}: {text}")
        return Shown(tuple(lines), masked, anonymised)


def _is_distinctive(name: str) -> bool:
    word = name.casefold()
    return len(name) >= MIN_NAME and word not in _OWN_WORDS and not is_ordinary(word)


_OWN_WORDS = frozenset({"system", "user", "human", "recommender", "assistant", "bot", "agent", "person", "baseline"})


def _words(names: Sequence[str]) -> Callable[[str, str], tuple[str, int]]:
    """Replaces names that stand as words, whatever their case; returns (text, how many)."""
    if not names:
        return lambda text, _word: (text, 0)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
    return lambda text, word: pattern.subn(word, text)
