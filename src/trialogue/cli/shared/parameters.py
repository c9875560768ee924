"""Parameters of functions as the command line reads them: name, type, bounds, default and help, each written once.

Those of a command's own function come from its signature. Those of a function that it calls (``Calls``) come from the
source of that function, which is parsed and not imported: that takes milliseconds, and its imports a second. The help of
a parameter is that of its type (``trialogue.options``), or else the first sentence of its text under ``Args:``.
"""

import ast
import builtins
import inspect
import re
import typing
from collections import abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

import annotated_types
import typer

from trialogue import options
from trialogue.cli.shared.inputs import GIVEN_AS
from trialogue.options import Help, Setting, bounds_of, parts_of, words_of_bounds

ResultT = TypeVar("ResultT")
REQUIRED = inspect.Parameter.empty
SPELLINGS = {
    "format_name": ("--format",),
    "agent": ("--agent", "-a"),
    "jobs": ("--jobs", "-j"),
    "metrics": ("--metric", "-m"),
    "n": ("-n",),
    "out": ("--out", "-o"),
    "systems": ("--system", "-s"),
}
"""How the command line writes parameters of Python that it calls otherwise."""


@dataclass(frozen=True)
class Parameter:
    """A parameter, as the command line reads it."""

    name: str
    kind: Any
    """Its type, with notes."""
    default: Any = REQUIRED
    text: str = ""
    """What it is for, where its type does not say so."""
    is_setting: bool = False
    is_argument: bool = False
    flags: tuple[str, ...] = ()
    """How it is written, where its name does not say so."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """How it is written, such as ``--metric`` and ``-m``."""
        note = note_of(self.kind)
        found = self.flags or (note.flags if note is not None else ()) or SPELLINGS.get(self.name, ())
        return found or (f"--{self.name.replace('_', '-')}",)

    @property
    def setting(self) -> str:
        """Its name as a setting: with underscores, as in Python."""
        return self.spellings[0].lstrip("-").replace("-", "_")

    @property
    def about(self) -> str:
        """What it is for, without its bounds, and without a stop."""
        note = note_of(self.kind)
        text = (note.text if note is not None and note.text else self.text).removesuffix(".")
        is_many = not self.is_argument and any(get_origin(parts_of(each)[0]) is list for each in _members(self.kind))
        if not is_many or "repeatable" in text:
            return text
        return text.replace("(default:", "(repeatable; default:") if "(default:" in text else f"{text} (repeatable)"

    def __str__(self) -> str:
        """How messages call it."""
        return (
            self.name.upper() if self.is_argument else f"--set {self.setting}" if self.is_setting else self.spellings[0]
        )

    def for_typer(self) -> inspect.Parameter:
        """The same, with the ``typer.Option`` that says so."""
        kind, notes = parts_of(self.kind)
        bounds = words_of_bounds(bounds_of(self.kind))
        text = f"{self.about}, {bounds}." if bounds else f"{self.about}."
        says = typer.Argument(help=text) if self.is_argument else typer.Option(*self.spellings, help=text)
        is_said = any(isinstance(each, typer.models.ParameterInfo) for each in notes)
        kind = self.kind if is_said else Annotated[kind, says]
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default, annotation=kind)


@dataclass(frozen=True)
class Calls:
    """A function that a command calls, or a record that it makes, and what of it the command line takes."""

    place: str
    """Its module and name below ``trialogue``, such as ``"workflows.compare.compare"``."""
    options: str = ""
    """Names of parameters that are options; ``group=groups`` where the command line writes ``--group``."""
    settings: str = ""
    """Names of parameters that are given as ``--set NAME=VALUE``."""
    is_change: bool = False
    """Whether what is given replaces values that are there already: nothing is required, and no default is shown."""

    def parameters(self) -> Iterator[Parameter]:
        """What the command line takes for it, in the order of their names here."""
        for words, is_setting in ((self.options, False), (self.settings, True)):
            for spelling, _, name in (word.rpartition("=") for word in words.split()):
                flags = (f"--{spelling}",) if spelling else ()
                found = replace(declared_in(self.place, name), is_setting=is_setting, flags=flags)
                yield replace(found, kind=found.kind | None, default=None) if self.is_change else found


@dataclass(frozen=True)
class Call(Generic[ResultT]):
    """A function that a command calls, with what was given for it on the command line; the rest is as it is by default."""

    place: str
    given: Mapping[str, Any] = field(default_factory=dict)
    """Values by the name of their parameter; what was not given is not here."""

    def __call__(self, *args: Any, **more: Any) -> ResultT:
        """Import the function, and call it; ``more`` go before what was given."""
        module, _, name = self.place.rpartition(".")
        found: Callable[..., ResultT] = getattr(import_module(f"trialogue.{module}"), name)
        return found(*args, **{**self.given, **more})


class Given(dict[str, Any]):
    """Values of all parameters by name, those that were not given as they are by default."""

    def __init__(self, values: Mapping[str, Any], named: Iterable[str], parameters: Mapping[str, Parameter]) -> None:
        defaults = {name: each.default for name, each in parameters.items() if each.default is not REQUIRED}
        super().__init__(defaults | dict(values))
        self.named, self._parameters = frozenset(named), parameters

    def spelled(self, names: str) -> list[str]:
        """Those of these parameters that were given, as the command line writes them."""
        return [str(self._parameters[name]) for name in names.split() if name in self.named]

    def unused(self, what: str, names: str, hint: str = "") -> Iterator[str]:
        """What is wrong if any of these parameters was given, of which nothing would be used.

        Args:
            what: what does nothing with them, such as ``"--method style"``.
            names: names of parameters, with a space between them.
            hint: what would do.
        """
        if unused := ", ".join(self.spelled(names)):
            yield f"{what} does not use {unused}; omit it. {hint}".rstrip()


def parameters_of(function: Callable[..., Any], calls: Mapping[str, Calls]) -> dict[str, Parameter]:
    """The parameters of a command: its own, and in the place of each function that it calls those of that function."""
    found: dict[str, Parameter] = {}
    texts = argument_texts(inspect.getdoc(function) or "")
    for name, each in inspect.signature(function).parameters.items():
        note = note_of(each.annotation)
        is_argument = note is None and each.kind is each.POSITIONAL_OR_KEYWORD
        is_setting = isinstance(note, Setting)
        own = Parameter(name, each.annotation, each.default, texts.get(name, ""), is_setting, is_argument)
        found |= {
            one.name: one for one in (calls[name].parameters() if name in calls else (own,)) if one.name not in found
        }
    return found


class Other:
    """Whatever the command line does not know."""

    def __init__(self, *_args: Any, **_more: Any) -> None: ...

    def __class_getitem__(cls, _inner: Any) -> type["Other"]:
        return cls


class Names(dict[str, Any]):
    """Names of a module, as its source binds them: types that the command line knows, and constants."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(typing) | vars(abc) | vars(annotated_types) | vars(options) | {"Path": Path} | GIVEN_AS)
        path = Path(options.__file__).parent.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
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
        return getattr(builtins, name, Other)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        return eval(compile(ast.Expression(node), "", "eval"), {}, self)


names_of = cache(Names)


def declared_in(place: str, name: str) -> Parameter:
    """A parameter of a function, or a field of a record, as the source that declares it says."""
    module, _, owner = place.rpartition(".")
    names = names_of(module)
    _, kind, default, text = next(each for each in _parts_of(names.statements[owner]) if each[0] == name)
    try:
        value = REQUIRED if default is None else names.value(default)
    except AttributeError:  # part of something that the command line does not know
        value = None
    value = None if value == () or isinstance(value, Other) else value
    read = _as_given(names.value(kind))
    return Parameter(name, read | None if value is None else read, value, first_sentence(text))


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
    if get_origin(kind) is Annotated and note_of(kind) is not None:
        return kind
    members = []
    for each in _members(kind):
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


def _members(kind: Any) -> tuple[Any, ...]:
    """The types of a union without None; a type that is none, alone."""
    inner = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    is_union = get_origin(inner) in (Union, UnionType)
    return tuple(each for each in get_args(inner) if each is not type(None)) if is_union else (kind,)


def note_of(kind: Any) -> Help | None:
    """The help of a type, the outermost one; None if it has none."""
    return next((note for note in reversed(parts_of(kind)[1]) if isinstance(note, Help)), None)


def argument_texts(doc: str) -> dict[str, str]:
    """What stands under ``Args:`` about each parameter of a function, from its cleaned docstring, in one line each."""
    section = re.split(r"\n(?=\S)", doc.partition("Args:\n")[2], maxsplit=1)[0]
    found = re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", section, re.MULTILINE)
    return {name: _in_a_line(text) for name, text in found}


def _in_a_line(text: str) -> str:
    return " ".join(text.split()).replace("``", "")


def first_sentence(text: str) -> str:
    """It, with a capital and without the stop."""
    first = re.split(r"\.(?:\s|$)", text, maxsplit=1)[0]
    return first[:1].upper() + first[1:]
