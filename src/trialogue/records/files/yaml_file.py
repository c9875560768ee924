"""Read YAML files: fields, their line numbers, and errors."""

import re
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.files.opening import open_bytes
from trialogue.records.files.validation import Place, mistakes_of

MAX_BYTES = 20_000_000  # a file that is longer was not written by hand
MAX_ALIASES = 100  # a file that refers to itself more often is a bomb
_ALIAS = re.compile(rb"(?:^|[\s\[,{:])\*[\w-]+")


def read_fields(path: Path, *, hint: str = "") -> Mapping[str, Any]:
    """Read the fields of a YAML file.

    Args:
        path: the file.
        hint: an example of such a file, shown if the file has no fields.

    Raises:
        DataError: there is no such file, it is no YAML, it holds no fields, or it is unreasonably large.
    """
    import yaml

    with open_bytes(path) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES or len(_ALIAS.findall(content)) > MAX_ALIASES:
        raise DataError(Problem("this file is too large for a YAML file of fields.", str(path), hint=hint))
    try:
        root = yaml.compose(content, Loader=yaml.SafeLoader)
        _check_keys(root, path)
        data = None if root is None else yaml.SafeLoader(b"").construct_document(root)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(Problem(f"this is not valid YAML ({error.problem}).", str(path), line)) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise DataError(
            Problem(f"this is not valid YAML ({str(error) or type(error).__name__}).", str(path))
        ) from error
    if not isinstance(data, dict):
        raise DataError(Problem("this file has no fields.", str(path), hint=hint))
    return {str(key): value for key, value in data.items()}


def _check_keys(node: Any, path: Path) -> None:
    """Raise DataError with every field that stands twice in a mapping: YAML readers silently take the last.

    A field named ``on``, ``off``, ``yes`` or ``no``, which YAML takes for a truth value, becomes the name that it is.
    """
    problems: list[Problem] = []
    nodes = [node]
    seen: set[int] = set()  # an alias leads to a node that was looked at
    while nodes:
        one = nodes.pop()
        if id(one) in seen or not isinstance(getattr(one, "value", None), list):
            continue
        seen.add(id(one))
        first: dict[str, int] = {}
        for child in one.value:
            pair = child if isinstance(child, tuple) else (child,)
            nodes += pair
            name, line = pair[0].value, pair[0].start_mark.line + 1
            if len(pair) != 2 or not isinstance(name, str):
                continue
            if pair[0].tag == "tag:yaml.org,2002:bool" and name.lower() not in ("true", "false"):
                pair[0].tag = "tag:yaml.org,2002:str"
            if name in first:
                what = f"this field is already set on line {first[name]}. Set it only once."
                problems.append(Problem(what, str(path), line, name))
            first.setdefault(name, line)
    if problems:
        raise DataError(sorted(problems, key=lambda problem: problem.line or 0))


class Lines:
    """Line numbers of the fields of a YAML file, at any depth, from 1; None for fields in other files or in none."""

    def __init__(self, by_place: Mapping[Place, int] | None = None, *, under: Place = ()) -> None:
        self._by_place, self._under = dict(by_place or {}), under

    def __call__(self, place: Place) -> int | None:
        """Line of a value, or of the nearest enclosing field; None: no file, or the file itself.

        What an alias or a merge brings in stands elsewhere: it has the line of the field that brings it in.
        """
        place = (*self._under, *place)
        ancestors = (place[:length] for length in range(len(place), 0, -1))
        return next((self._by_place[each] for each in ancestors if each in self._by_place), None)

    def nested(self, *place: str | int) -> "Lines":
        """Line numbers below a path, relative to it."""
        return Lines(self._by_place, under=(*self._under, *place))


def lines_of(path: Path) -> Lines:
    """Line numbers of a file that ``read_fields`` could read."""
    import yaml

    with open_bytes(path) as stream:
        root = yaml.compose(stream.read(), Loader=yaml.SafeLoader)
    by_place: dict[Place, int] = {}
    nodes: deque[tuple[Place, Any]] = deque([((), root)])
    seen: set[int] = set()  # an alias leads to a node that was looked at; bombs are made of aliases
    while nodes:
        place, node = nodes.popleft()
        if id(node) in seen or not isinstance(getattr(node, "value", None), list):
            continue
        seen.add(id(node))
        for number, child in enumerate(node.value):
            name, value = (child[0].value, child[1]) if isinstance(child, tuple) else (number, child)
            if isinstance(name, str | int):
                key, mark = (*place, name), (child[0] if isinstance(child, tuple) else child).start_mark
                by_place[key] = mark.line + 1
                nodes.append((key, value))
    return Lines(by_place)


def problems_of_fields(
    error: ValidationError, data: object, model: Any, *, file: str, lines: Lines, under: Place = ()
) -> list[Problem]:
    """Convert pydantic's errors to problems of the file that holds the fields.

    Args:
        error: what ``model_validate`` raised.
        data: what was validated.
        model: the record class.
        file: the file's name.
        lines: the line of each place in the file.
        under: where in the file the fields stand.
    """
    found = [mistake.problem(file, lines, under=under) for mistake in mistakes_of(error, data, model)]
    return list(dict.fromkeys(found))
