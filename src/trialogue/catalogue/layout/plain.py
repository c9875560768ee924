"""Plain text of a reply: composed letters, ordinary spaces, no invisible characters, escapes read; with original offsets.

The same words can be written in many ways that nobody sees: "é" as one character or two, a space that does not break, a
zero-width space, "&amp;" in HTML, "\\u00e9" in JSON, "\\*" in Markdown. Titles are looked for in the plain text, so that
none of this matters, and found places are given as offsets into the text as it was written.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import chain

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_WRITTEN_OTHERWISE = re.compile(
    rf"""(?P<space>[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000])
    | (?P<invisible>[{_INVISIBLE}]+)
    | (?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]{{2,8}});)
    | \\(?:u(?P<unit>[dD][89abAB][0-9a-fA-F]{{2}}\\u[dD][c-fC-F][0-9a-fA-F]{{2}}|[0-9a-fA-F]{{4}})
          |(?P<break>[nrt](?![a-z]))|(?P<quote>["'])|(?P<sign>[*_.()\[\]{{}}\#|`~>+/\\-]))
    """,
    re.VERBOSE,
)
_QUOTES = {'"': "”", "'": "’"}  # an escaped quote is within a quoted text, so it does not end it
_MAYBE_OTHERWISE = re.compile(rf"[&\\\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000{_INVISIBLE}]")


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text in plain form, with the way back."""

    text: str
    edges: Sequence[tuple[int, int]] | None = None
    """(start, end) in the original of each of its characters; None: the text is as it was written."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets into the original text of a piece of the plain text that is not empty."""
        return (start, end) if self.edges is None else (self.edges[start][0], self.edges[end - 1][1])


def plain_text(text: str) -> PlainText:
    """The plain form of a text; most texts are it already.

    >>> plain = plain_text("Ame\\u0301lie &amp; Pulp\\u200bFiction")
    >>> plain.text, plain.original(0, 6)
    ('Amélie & Pulp Fiction', (0, 7))
    """
    if text.isascii() and "&" not in text and "\\" not in text:
        return PlainText(text)
    if unicodedata.is_normalized("NFC", text) and not _MAYBE_OTHERWISE.search(text):
        return PlainText(text)
    pieces: list[tuple[str, int, int]] = []
    behind = 0
    for found in _WRITTEN_OTHERWISE.finditer(text):
        pieces += _compose(text, behind, found.start())
        pieces.append((_read(found), found.start(), found.end()))
        behind = found.end()
    pieces += _compose(text, behind, len(text))
    edges = chain.from_iterable([(start, end)] * len(read) for read, start, end in pieces)
    return PlainText("".join(read for read, _, _ in pieces), tuple(edges))


def _read(found: re.Match[str]) -> str:
    kind, written = found.lastgroup, found[0]
    if kind == "invisible":
        return " " if _parts_words(found) else ""
    if kind == "entity":
        return unescape(written)
    if kind == "unit":
        units = bytes.fromhex(found["unit"].replace("\\u", ""))
        return units.decode("utf-16-be", errors="replace")
    if kind == "quote":
        return _QUOTES[found["quote"]]
    if kind == "break":
        return "\n" if found["break"] == "n" else " "
    return found["sign"] if kind == "sign" else " "


def _parts_words(found: re.Match[str]) -> bool:
    """Whether an invisible character stands where a space was meant: before a capital, behind a small letter."""
    before = found.string[found.start() - 1] if found.start() else " "
    after = found.string[found.end() : found.end() + 1]
    return "\u200b" in found[0] and after.isupper() and not before.isupper() and before.isalnum()


def _compose(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Pieces of a text, each a letter with its marks in composed form."""
    if start == end:
        return
    piece = text[start:end]
    if unicodedata.is_normalized("NFC", piece):
        yield from ((character, place, place + 1) for place, character in enumerate(piece, start))
        return
    begins = start
    for place in range(start + 1, end + 1):
        if place == end or not _joins(text[place]):
            yield unicodedata.normalize("NFC", text[begins:place]), begins, place
            begins = place


def _joins(character: str) -> bool:
    """Whether a character can merge with the one before it: marks, and the later letters of a Korean syllable."""
    return unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"
