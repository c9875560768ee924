"""Resolve a path in a simulation file relative to its folder, independent of the working directory."""

import os
from pathlib import Path
from typing import TypeVar

DEMO = "demo"
"""The catalogue that comes with Trialogue."""
Value = TypeVar("Value")


def resolve_path(folder: Path, given: Value) -> Value:
    """Resolve a path relative to a folder; absolute paths, names and non-text values are unchanged.

    A name is taken for a path where there is such a file or folder, or where it looks like one.

    >>> resolve_path(Path("study"), "books.jsonl"), resolve_path(Path("study"), "demo")
    ('study/books.jsonl', 'demo')
    >>> resolve_path(Path("study"), "/tmp/a")
    '/tmp/a'
    """
    if folder == Path() or not isinstance(given, str | Path) or str(given) == DEMO:
        return given
    here = folder / given
    if isinstance(given, str) and not _looks_like_a_path(given) and not _exists(here):
        return given
    return type(given)(here)  # a text for a text, a Path for a Path


def _looks_like_a_path(text: str) -> bool:
    return bool({os.sep, os.altsep} & set(text)) or bool(Path(text).suffix)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a text too long for a path names none
        return False
