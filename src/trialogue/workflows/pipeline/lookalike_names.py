"""Warn about system names that look alike, such as one system under two spellings.

Names that differ in nothing that is seen are one already (``datasets.door.admission``).
"""

import unicodedata
from collections.abc import Iterable, Iterator


def twin_lines(systems: Iterable[str]) -> Iterator[str]:
    """One sentence per group of different names that look the same.

    >>> list(twin_lines(["aria", "Aria", "bolt"]))[0][:83]
    "'aria' and 'Aria' are treated as different systems, but their names differ only in "
    """
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(systems):
        groups.setdefault(_as_seen(name), []).append(name)
    for names in groups.values():
        if len(names) > 1:
            quoted = [repr(name) for name in names]
            yield (
                f"{', '.join(quoted[:-1])} and {quoted[-1]} are treated as different systems, but their names "
                "differ only in case, spaces, or the shape of letters. If they are one system, use one name in "
                "the files."
            )


def _as_seen(name: str) -> str:
    """A name without case, spaces and invisible characters, its letters in one shape; the name where nothing is left."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "CZ") or name
