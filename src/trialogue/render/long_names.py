"""Shorten long system names for display by eliding the middle, keeping them distinct.

Machine-readable files (``findings.json``, the tables) keep every name whole.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from trialogue.records import Record
from trialogue.render.text import short_names

LONGEST = 60  # columns of a name in a sentence or a table of the page; half a line
Shown = TypeVar("Shown", bound=Record)


def with_short_names(record: Shown, names: Iterable[str], longest: int = LONGEST) -> Shown:
    """A record with shortened names, also within sentences; the same object if there are no long names."""
    shown = {name: text for name, text in short_names(names, longest).items() if name != text}
    if not shown:
        return record
    longest_first = sorted(shown, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return type(record).model_validate(_replace_names(record.model_dump(), pattern, shown))


def _replace_names(value: Any, pattern: re.Pattern[str], shown: Mapping[str, str]) -> Any:
    match value:
        case str():
            return pattern.sub(lambda found: shown[found[0]], value)
        case dict():
            return {
                _replace_names(key, pattern, shown): _replace_names(each, pattern, shown) for key, each in value.items()
            }
        case list() | tuple():
            return [_replace_names(each, pattern, shown) for each in value]
    return value
