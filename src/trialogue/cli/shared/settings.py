"""Values given as ``NAME=VALUE``, or in a YAML file: read, converted and checked, with every mistake at once."""

import contextlib
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from trialogue.options import bounds_of, parts_of, words_of_bounds

FILES = (".yaml", ".yml", ".json")


def read_settings(
    given: Iterable[str], known: Mapping[str, Any], *, option: str = "--set", wrong: list[str] | None = None
) -> dict[str, Any]:
    """Values by the name of their setting.

    Args:
        given: ``NAME=VALUE``, or a file with a field for each setting; what is given as NAME=VALUE goes before the files.
        known: the type of each setting. Of a list, each NAME=VALUE is a member; of a mapping, ``NAME.KEY=VALUE``.
        option: how the command line calls it.
        wrong: a list to which mistakes are added, instead of raising an error; the values of those are their texts.

    Raises:
        UsageError: unknown names, values of another type or out of bounds, names that are given twice; all of them.
    """
    from trialogue.errors import TrialogueError, UsageError

    found_before, wrong = wrong, [] if wrong is None else wrong
    words: dict[str, list[str]] = {}
    from_files: dict[str, list[str]] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if equals and name.strip():
            words.setdefault(name.strip(), []).append(value)
        elif each.endswith(FILES) and option == "--set":
            try:
                from_files |= _in_file(Path(each), known)
            except TrialogueError as error:
                wrong.append(str(error))
        else:
            like = " or a YAML file of settings" if option == "--set" else ""
            wrong.append(f"{option} {each!r}: expected NAME=VALUE{like}, such as {option} {_example(known)}.")
    values: dict[str, Any] = {}
    for name, texts in {**from_files, **words}.items():
        head, dot, key = name.partition(".")
        kind = known.get(head)
        if kind is None or is_mapping(kind) != bool(dot and key):
            wrong.append(f"{option} {name}: {_unknown(name, known)}")
            continue
        is_list = _kind(kind) is list
        if len(texts) != 1 and not is_list:
            wrong.append(f"{option} {name} is given {len(texts)} times: {', '.join(texts)}. Give it once.")
            continue
        try:
            if is_mapping(kind):
                values.setdefault(head, {})[key] = _as_yaml(texts[0])
            else:
                values[head] = _convert(texts if is_list else texts[0], kind)
        except ValueError:
            said = ",".join(texts) if option == f"--{name}" else f"{name}={','.join(texts)}"
            wrong.append(f"{option} {said}: {name} must be {words_of_kind(kind)}.")
            if not is_mapping(kind):
                values.setdefault(head, ",".join(texts))
    if wrong and found_before is None:
        raise UsageError("\n".join(wrong))
    return values


def words_of_kind(annotation: Any) -> str:
    """What a value must be, such as "a number above 0 and at most 0.5"."""
    kind = _kind(annotation)
    if kind is list:
        return words_of_kind(get_args(_plain(annotation))[0])
    if kind is tuple:
        return "two numbers with a comma between them, the lower one first"
    if kind in (Union, UnionType):
        return " or ".join(words_of_kind(each) for each in get_args(_plain(annotation)) if each is not type(None))
    if kind is Literal:
        return " or ".join(map(repr, get_args(_plain(annotation))))
    known = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        Path: "the path of a file",
        dict: "a value",
    }
    return f"{known.get(kind, 'a text')} {words_of_bounds(bounds_of(annotation))}".rstrip()


def help_of(kind: Any, about: str) -> str:
    """What a setting of a type is for, with its bounds or choices."""
    bounds = words_of_bounds(bounds_of(kind))
    choices = ", ".join(get_args(_plain(kind))) if _kind(kind) is Literal else ""
    return f"{about}{f', {bounds}' if bounds else ''}{f' ({choices})' if choices else ''}."


def example_of(annotation: Any, default: Any) -> str:
    """A value as the help shows it: the default, or else what kind of value it is."""
    if isinstance(default, bool):
        return str(default).lower()
    if default is not None:
        return str(default)
    kind = _kind(annotation)
    if kind is Literal:
        return "|".join(get_args(_plain(annotation)))
    if kind is list:
        return example_of(get_args(_plain(annotation))[0], None)
    known = {int: "NUMBER", float: "NUMBER", bool: "true|false", Path: "FILE", tuple: "LOW,HIGH"}
    return known.get(kind, "TEXT")


def is_mapping(annotation: Any) -> bool:
    """Whether a setting is given as NAME.KEY=VALUE."""
    return _kind(annotation) is dict


def _plain(annotation: Any) -> Any:
    """The type without notes and without None."""
    kind, _ = parts_of(annotation)
    if get_origin(kind) in (Union, UnionType):
        members = [each for each in get_args(kind) if each is not type(None)]
        return members[0] if len(members) == 1 else kind
    return kind


def _kind(annotation: Any) -> Any:
    """The class of a type: ``list`` of ``list[str] | None``."""
    plain = _plain(annotation)
    return get_origin(plain) or plain


def _convert(given: str | list[str], annotation: Any) -> Any:
    """A value of this type; ValueError if it is none."""
    from pydantic import TypeAdapter

    if not all(each.strip() for each in ([given] if isinstance(given, str) else given)):
        raise ValueError("empty")
    parts = (
        [each.strip() for each in given.split(",")] if _kind(annotation) is tuple and isinstance(given, str) else given
    )
    found = TypeAdapter(annotation).validate_python(parts)
    numbers = found if isinstance(found, list | tuple) else (found,)
    if isinstance(found, tuple) and not found[0] < found[1]:
        raise ValueError("not in this order")
    if not all(math.isfinite(each) for each in numbers if isinstance(each, float)):
        raise ValueError("not finite")
    return found


def _as_yaml(text: str) -> Any:
    """A value as JSON or YAML read it: 1e-3 is a number in JSON alone."""
    import json

    import yaml

    if not text.strip():
        raise ValueError("empty")
    with contextlib.suppress(ValueError):
        return json.loads(text, parse_constant=lambda name: name)
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _in_file(path: Path, known: Mapping[str, Any]) -> dict[str, list[str]]:
    """The texts of each field of a file."""
    import json

    from trialogue.records.files.yaml_file import read_fields

    found: dict[str, list[str]] = {}
    hint = f"It has a line for each setting, such as '{_example(known).replace('=', ': ')}'."
    for name, value in read_fields(path, hint=hint).items():
        if isinstance(value, Mapping) and (value or is_mapping(known.get(name))):
            found |= {f"{name}.{key}": [json.dumps(each, default=str)] for key, each in value.items()}
        else:
            members = value if isinstance(value, list) else [value]
            texts = ["" if each is None or each == {} else str(each) for each in members]
            kind = _kind(known.get(name))
            found[name] = [",".join(texts)] if kind is tuple else texts or ([] if kind is list else [""])
    return found


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    from trialogue.errors import UnknownNameError

    head = name.partition(".")[0]
    if is_mapping(known.get(head)):
        return f"expected {head}.KEY=VALUE."
    return str(UnknownNameError("setting", name, known)) if known.get(head) is None else f"{head} has no parts."


def _example(known: Mapping[str, Any]) -> str:
    return "alpha=0.01" if "alpha" in known else f"{next(iter(known))}=..."
