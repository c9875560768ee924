"""YAML files that describe something: their fields, the line of each, and what is wrong with a value, told in one way."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.records.files import open_bytes

MOST_BYTES = 20_000_000  # a file that is longer was not written by hand
MOST_ALIASES = 100  # a file that refers to itself more often is a bomb
_ALIAS = re.compile(rb"(?:^|[\s\[,{:])\*[\w-]+")


def read_fields(path: Path, *, hint: str = "") -> Mapping[str, Any]:
    """The fields of a YAML file.

    Args:
        path: the file.
        hint: what such a file looks like, for whoever wrote none.

    Raises:
        DataError: there is no such file, it is no YAML, it holds no fields, or it is unreasonably large.
    """
    import yaml

    with open_bytes(path) as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES or len(_ALIAS.findall(content)) > MOST_ALIASES:
        raise DataError(Problem("this is too large for a file that describes something.", str(path), hint=hint))
    try:
        data = yaml.safe_load(content)
        _check_keys(yaml.compose(content, Loader=yaml.SafeLoader), path)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(Problem(f"this is no YAML ({error.problem}).", str(path), line)) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise DataError(Problem(f"this is no YAML ({str(error) or type(error).__name__}).", str(path))) from error
    if not isinstance(data, dict):
        raise DataError(Problem("this holds no fields.", str(path), hint=hint))
    return {str(key): value for key, value in data.items()}


def _check_keys(node: Any, path: Path) -> None:
    """Raise DataError with every field that stands twice in a mapping: YAML readers silently take the last."""
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
            if name in first:
                problems.append(Problem(f"this field stands in line {first[name]} already.", str(path), line, name))
            first.setdefault(name, line)
    if problems:
        raise DataError(sorted(problems, key=lambda problem: problem.line or 0))


def lines_of(path: Path) -> dict[str, int]:
    """The line of each field that begins one, from 1."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = {number: re.match(r"([\w-]+)\s*:", line) for number, line in enumerate(lines, start=1)}
    return {match[1]: number for number, match in found.items() if match}


def problem_of(detail: Any, model: Any, file: str, lines: Mapping[str, int]) -> Problem:
    """One detail of a pydantic ValidationError as a problem of the file.

    Args:
        detail: an element of ``error.errors(include_url=False)``.
        model: the record class that was validated.
        file: the file's name.
        lines: the line of each top-level field.
    """
    places = [str(part) for part in detail["loc"]]
    if not places:
        return Problem(str(detail["msg"]).removeprefix("Value error, "), file)
    line, field = lines.get(places[0]), ".".join(places)
    if detail["type"] == "extra_forbidden":
        return Problem(str(UnknownNameError("field", places[-1], _known(model, places[:-1]))), file, line, field)
    if detail["type"] == "missing":
        fields = model.model_fields
        described = fields[places[0]].description if len(places) == 1 and places[0] in fields else ""
        return Problem("this is needed.", file, line, field, hint=described or "")
    message = str(detail["msg"]).removeprefix("Value error, ")
    return Problem(f"{message}, got {shown(detail['input'])}.", file, line, field)


def _known(model: Any, places: list[str]) -> list[str]:
    """The fields that a record has, or the one inside it at a place; [] where the place leads to no record."""
    for place in places:
        fields = getattr(model, "model_fields", {})
        if place not in fields:
            return []
        kinds = [fields[place].annotation, *getattr(fields[place].annotation, "__args__", ())]
        model = next((kind for kind in kinds if hasattr(kind, "model_fields")), None)
    return list(getattr(model, "model_fields", {}))


def shown(value: object, longest: int = 80) -> str:
    """A value as it would be written in Python, cut off where it is long.

    >>> shown("a" * 5, longest=6)
    "'aaaa…"
    """
    text = repr(value)
    return text if len(text) <= longest else text[: longest - 1] + "…"
