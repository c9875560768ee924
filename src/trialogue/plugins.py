"""Load objects by name: entry points (built-in and third-party, declared the same way) or ``"module:Name"``."""

import difflib
import importlib
import tomllib
import traceback
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from trialogue.errors import UnknownNameError, UsageError


@cache
def plugins_of(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group by name, such as ``plugins_of("trialogue.metrics")``; built-in ones take precedence."""
    found = sorted(entry_points(group=group), key=lambda point: (point.name, not point.value.startswith("trialogue.")))
    points: dict[str, EntryPoint] = {}
    for point in found:
        points.setdefault(point.name, point)
    return points


def load(group: str, name: str, *, kind: str, hint: str = "") -> Any:
    """Load the object registered under a name, or named as ``"module:Name"``.

    Raises:
        UnknownNameError: no such name; the nearest known ones are in the message.
        UsageError: ``"module:Name"`` cannot be imported, or the module has no such attribute.
    """
    if ":" in name:
        return _import(name, kind=kind, known=plugins_of(group))
    points = plugins_of(group)
    if name not in points:
        own = hint or f"Give your own as 'module:Name' ({group})."
        raise UnknownNameError(kind, name, points, hint=not_installed(group, name) or own)
    return points[name].load()


def not_installed(group: str, name: str) -> str:
    """What to do about an entry point that pyproject.toml declares and that was not installed; "" if it does not."""
    for file in (Path("pyproject.toml"), Path(__file__).parents[2] / "pyproject.toml"):
        if file.is_file():
            project = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {})
            if name in project.get("entry-points", {}).get(group, {}):
                return f"{file} declares it, but it is not installed yet: pip install -e {file.parent}"
    return ""


def _describe_error(error: BaseException) -> str:
    """An exception, with the innermost place that it came through, or the line that is no Python."""
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, SyntaxError):
        return text
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{text}\n  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}"


def _import(path: str, *, kind: str, known: Iterable[str]) -> Any:
    module_name, _, attribute = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except (
        Exception,
        SystemExit,
    ) as error:  # whatever other people's code raises while it is imported is theirs to see
        if not isinstance(error, ImportError):
            what = f"{path!r} cannot be imported: its module raised {_describe_error(error)}"
            raise UsageError(f"The {kind} {what}") from error
        near = difflib.get_close_matches(module_name, list(known), n=1, cutoff=0.6)
        guess = f" Did you mean {near[0]!r}?" if near else " Is its folder on PYTHONPATH?"
        raise UsageError(f"The {kind} {path!r} cannot be imported: {error}.{guess}") from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise UsageError(f"The module {module_name!r} has no {attribute!r} to use as {kind}.") from error
