"""Paths into nested JSON: where a value stands within lists and objects.

A path is dotted (``message.text``, ``choices.0.text``) or a JSON Pointer (``/message/text``, for keys that hold a dot).
"""

from typing import Any

ABSENT: Any = object()
"""What a path leads to where there is nothing."""
EVERY = "*"
"""Stands for every member of a list, in dotted paths."""


def steps_of(path: str) -> list[str]:
    """Split a path into steps; "" is the whole value."""
    if path.startswith("/"):
        return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
    return path.split(".") if path else []


def value_at(value: Any, path: str) -> Any:
    """Value at a path; ``ABSENT`` if there is none.

    >>> value_at({"messages": [{"text": "Hello!"}, {"text": "Heat?"}]}, "messages.*.text")
    ['Hello!', 'Heat?']
    """
    return value_below(value, steps_of(path), has_every=not path.startswith("/"))


def value_below(value: Any, steps: list[str], *, has_every: bool = True) -> Any:
    """Value at the end of some steps; ``ABSENT`` if there is none.

    Args:
        value: where the steps begin.
        steps: keys of objects and places in lists.
        has_every: whether ``*`` stands for every member of a list.
    """
    for place, step in enumerate(steps):
        if step == EVERY and isinstance(value, list) and has_every:
            return [value_below(member, steps[place + 1 :]) for member in value]
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return ABSENT
    return value
