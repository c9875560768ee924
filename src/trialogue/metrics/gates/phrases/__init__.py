"""Phrase lists of the gates, written by us: regular expressions, one a line; lines with ``#`` are comments."""

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

_CAPITALS = re.compile(r"[A-Z]|\(\?-i")


class Phrases:
    """Expressions of which one is looked for, whatever the case.

    Those without capitals are searched for in the text in small letters: five times as fast as leaving the case open.
    """

    def __init__(self, expressions: Iterable[str], frame: str = "@") -> None:
        groups: dict[bool, list[str]] = {False: [], True: []}
        for each in expressions:
            groups[_CAPITALS.search(re.sub(r"\\[A-Z]", "", each)) is not None].append(f"(?:{each})")
        joined = {key: frame.replace("@", f"(?:{'|'.join(group)})") for key, group in groups.items() if group}
        self._small = re.compile(joined[False]) if False in joined else None
        self._mixed = re.compile(joined[True], re.IGNORECASE) if True in joined else None

    def search(self, text: str) -> re.Match[str] | None:
        """The first one, with its place in the text in small letters."""
        found = None if self._small is None else self._small.search(text.lower())
        return found if found is not None or self._mixed is None else self._mixed.search(text)


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
