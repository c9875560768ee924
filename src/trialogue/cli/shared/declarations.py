"""What functions and records of Python declare of their parameters, read from their source.

The source is parsed and not imported: that takes milliseconds, and the imports of a workflow take a second, which the help
and the mistakes of a command need not wait for.
"""

import ast
import builtins
import inspect
import re
import typing
from collections import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import annotated_types

from trialogue import options
from trialogue.cli.shared.inputs import GIVEN_AS
from trialogue.options import Help, parts_of

REQUIRED = inspect.Parameter.empty
KNOWN = vars(builtins) | vars(typing) | vars(abc) | vars(annotated_types) | {"Path": Path}
"""What annotations and defaults are made of, where a module does not bind the name itself."""


class Other:
    """Whatever the command line does not know."""

    def __init__(self, *_args: Any, **_more: Any) -> None: ...

    def __class_getitem__(cls, _inner: Any) -> type["Other"]:
        return cls


class Names(dict[str, Any]):
    """Names of a module, as its source binds them: types that the command line knows, and constants."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(options) | GIVEN_AS)
        path = Path(options.__file__).parent.joinpath(*module.split("."))
        face = path / "__init__.py"  # a folder without one is what an earlier version left
        path = face if face.is_file() else path.with_suffix(".py")
        self.statements: dict[str, Any] = {}
        for each in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", each)]
            bound = each.names if isinstance(each, ast.ImportFrom) else targets
            self.statements |= {str(getattr(one, "id", getattr(one, "name", ""))): each for one in bound}

    def __missing__(self, name: str) -> Any:
        """The value of a name."""
        found = self.statements.get(name)
        if isinstance(found, ast.ImportFrom) and str(found.module).startswith("trialogue."):
            return names_of(str(found.module).removeprefix("trialogue."))[name]
        if isinstance(found, ast.Assign | ast.AnnAssign) and found.value is not None:
            return self.value(found.value)
        return KNOWN.get(name, Other)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        return eval(compile(ast.Expression(node), "", "eval"), {}, self)


names_of = cache(Names)


def declared_in(place: str, name: str) -> tuple[Any, Any, str]:
    """(type, default, text) of a parameter of a function, or a field of a record, as the source that declares it says.

    Args:
        place: its module and name below ``trialogue``.
        name: of the parameter. A default that is an expression of unknown names is None.
    """
    module, _, owner = place.rpartition(".")
    names = names_of(module)
    _, kind, default, text = next(each for each in _parts_of(names.statements[owner]) if each[0] == name)
    try:
        value = REQUIRED if default is None else names.value(default)
    except AttributeError:  # part of something that the command line does not know
        value = None
    value = None if value == () or isinstance(value, Other) else value
    read = _as_given(names.value(kind))
    first = re.split(r"\.(?:\s|$)", text, maxsplit=1)[0]
    return read | None if value is None else read, value, first[:1].upper() + first[1:]


def _parts_of(found: Any) -> Iterator[tuple[str, ast.expr, ast.expr | None, str]]:
    """Names, annotations, defaults and texts of a function's parameters or of a record's fields."""
    if isinstance(found, ast.ClassDef):
        for each, after in pairwise([*found.body, ast.Pass()]):
            if isinstance(each, ast.AnnAssign):
                text = ast.literal_eval(after.value) if isinstance(after, ast.Expr) else ""
                yield ast.unparse(each.target), each.annotation, each.value, _in_a_line(text)
        return
    texts = argument_texts(ast.get_docstring(found) or "")
    given = found.args
    defaults = [*[None] * (len(given.args) - len(given.defaults)), *given.defaults, *given.kw_defaults]
    for each, default in zip([*given.args, *given.kwonlyargs], defaults, strict=True):
        yield each.arg, each.annotation, default, texts.get(each.arg, "")


def _as_given(kind: Any) -> Any:
    """A type as the command line writes it: sequences are lists, and what it cannot write is left out of unions."""
    if get_origin(kind) is Annotated and any(isinstance(note, Help) for note in parts_of(kind)[1]):
        return kind
    members = []
    for each in members_of(kind):
        inner, notes = parts_of(each)
        origin, args = get_origin(inner), get_args(inner)
        if origin in (Sequence, Iterable, list, tuple):
            inner = list[_as_given(args[0])]  # type: ignore[misc]  # made when run
        if origin in (dict, Mapping):
            inner = dict[str, Any]
        if inner not in (Other, type(None), Any):
            members.append(Annotated[inner, *notes] if notes else inner)
    if Path in members and str in members:
        members.remove(str)
    return Union[tuple(members)] if members else Other  # noqa: UP007 - made when run


def members_of(kind: Any) -> tuple[Any, ...]:
    """The types of a union without None; a type that is none, alone."""
    inner = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    is_union = get_origin(inner) in (Union, UnionType)
    return tuple(each for each in get_args(inner) if each is not type(None)) if is_union else (kind,)


def argument_texts(doc: str) -> dict[str, str]:
    """What stands under ``Args:`` about each parameter of a function, from its cleaned docstring, in one line each."""
    section = re.split(r"\n(?=\S)", doc.partition("Args:\n")[2], maxsplit=1)[0]
    found = re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", section, re.MULTILINE)
    return {name: _in_a_line(text) for name, text in found}


def _in_a_line(text: str) -> str:
    return " ".join(text.split()).replace("``", "")
