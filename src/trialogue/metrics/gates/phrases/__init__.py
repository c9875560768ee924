"""Phrase lists of the gates, written by us: regular expressions, one a line; lines with ``#`` are comments.

What begins with ``\\b`` begins with a word in each of its alternatives; with ``\\A``, with the text.
"""

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from importlib.resources import files

_Search = Callable[[str], re.Match[str] | None]
_CAPITALS = re.compile(r"[A-Z]|\(\?-i")


class Phrases:
    """Expressions of which one is looked for, whatever the case. They are compiled when a text is first looked at.

    Those without capitals are searched for in the text in small letters: five times as fast as leaving the case open.
    Those that begin at the edge of a word, with its first letter, are looked for there only, and all at once; those that
    begin with the text, only there: four times as fast again.
    """

    def __init__(self, expressions: Iterable[str], frame: str = "@") -> None:
        self._expressions, self._frame = tuple(expressions), frame

    def search(self, text: str) -> re.Match[str] | None:
        """One of them, with its place in the text in small letters; in a frame, the first one."""
        small, mixed = self._compiled
        lower = text.lower()
        for each in small:
            if (found := each(lower)) is not None:
                return found
        return next((found for each in mixed if (found := each(text)) is not None), None)

    @cached_property
    def _compiled(self) -> tuple[list[_Search], list[_Search]]:
        """What looks for (those without capitals, the others), by how they begin."""
        groups: dict[tuple[bool, str], list[str]] = {}
        for each in self._expressions:
            is_mixed = _CAPITALS.search(re.sub(r"\\[A-Z]", "", each)) is not None
            start = each[:2] if self._frame == "@" and each[:2] in (r"\b", r"\A") else ""
            groups.setdefault((is_mixed, start), []).append(f"(?:{each})")
        compiled: tuple[list[_Search], list[_Search]] = [], []
        for (is_mixed, start), group in groups.items():
            joined = self._frame.replace("@", f"(?:{'|'.join(group)})")
            first = r"\b(?=\w)" if start == r"\b" else ""
            pattern = re.compile(first + joined, re.IGNORECASE if is_mixed else 0)
            compiled[is_mixed].append(pattern.match if start == r"\A" else pattern.search)
        return compiled


def patterns(name: str) -> tuple[str, ...]:
    """Expressions of a list by name, such as ``assistant_signs``."""
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def any_of(name: str, frame: str = "@", **inserted: str) -> Phrases:
    """All expressions of a list in a frame; ``@NAME@`` stands for an inserted expression."""
    lines = list(patterns(name))
    for key, value in inserted.items():
        lines = [each.replace(f"@{key}@", value) for each in lines]
    return Phrases(lines, frame)


def names_own(before: str) -> bool:
    """Whether what follows some words is the name of somebody, of an employer or of a place.

    >>> names_own("I've just moved to "), names_own("I'd like to see ")
    (True, False)
    """
    return _own_names().search(before.rstrip(" '\"“")) is not None


@lru_cache(maxsize=1)
def _own_names() -> Phrases:
    return any_of("own_names", r"@\Z")
