"""Phrase lists of the gates, written by us: regular expressions, one a line; lines with ``#`` are comments."""

import re
from importlib.resources import files


def patterns(name: str) -> tuple[str, ...]:
    """Expressions of a list by name, such as ``assistant_signs``."""
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def any_of(name: str, **inserted: str) -> re.Pattern[str]:
    """All expressions of a list as one, whatever the case; ``@NAME@`` stands for an inserted expression."""
    joined = "|".join(f"(?:{each})" for each in patterns(name))
    for key, value in inserted.items():
        joined = joined.replace(f"@{key}@", value)
    return re.compile(joined, re.IGNORECASE)
