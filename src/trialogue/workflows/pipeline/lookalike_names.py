"""Warn about system names that look alike, such as one system under two spellings."""

import unicodedata
from collections.abc import Iterable, Iterator


def twin_lines(systems: Iterable[str]) -> Iterator[str]:
    """One sentence per group of different names that look the same.

    >>> list(twin_lines(["aria", "aria ", "bolt"]))[0][:83]
    "'aria' and 'aria ' are treated as different systems, but their names differ only in"
    """
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(systems):
        groups.setdefault(_as_seen(name), []).append(name)
    for names in groups.values():
        if len(names) > 1:
            quoted = [repr(name) for name in names]
            yield (
                f"{', '.join(quoted[:-1])} and {quoted[-1]} are treated as different systems, but their names "
                "differ only in case, spaces or invisible characters. If they are one system, use one name in "
                "the files."
            )


def _as_seen(name: str) -> str:
    """A name without case, spaces at its ends, repeated spaces, and invisible characters."""
    plain = unicodedata.normalize("NFKC", name)
    shown = "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Cc") or char.isspace())
    return " ".join(shown.split()).casefold()
