"""Parameters of functions as the command line reads them: name, type, bounds, default and help, each written once.

Those of a command's own function come from its signature, and those of a function that it calls (``Calls``) from the source
of that function. The help of a parameter is that of its type (``trialogue.options``), or else its text under ``Args:``, of
which a function that is called lends the first sentence.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Annotated, Any, Generic, TypeVar, get_origin

import typer

from trialogue.cli.shared.declarations import REQUIRED, argument_texts, declared_in, members_of
from trialogue.options import Help, Setting, bounds_of, parts_of, words_of_bounds

ResultT = TypeVar("ResultT")
SPELLINGS = {
    "agent": ("--agent", "-a"),
    "as_json": ("--json",),
    "format_name": ("--format",),
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
        is_many = not self.is_argument and any(get_origin(parts_of(each)[0]) is list for each in members_of(self.kind))
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
    """Its module and name below ``trialogue``, such as ``"subjects.comparison.commands.compare.compare"``."""
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
                found = Parameter(name, *declared_in(self.place, name), is_setting=is_setting, flags=flags)
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

    def spellings_of(self, names: str) -> list[str]:
        """Those of these parameters that were given, as the command line writes them."""
        return [str(self._parameters[name]) for name in names.split() if name in self.named]

    def why_unused(self, what: str, names: str, hint: str = "") -> Iterator[str]:
        """What is wrong if any of these parameters was given, of which nothing would be used.

        Args:
            what: what does nothing with them, such as ``"--method style"``.
            names: names of parameters, with a space between them.
            hint: what would do.
        """
        if unused := ", ".join(self.spellings_of(names)):
            yield f"{what} does not use {unused}; omit it. {hint}".rstrip()


def note_of(kind: Any) -> Help | None:
    """The help of a type, the outermost one; None if it has none."""
    return next((note for note in reversed(parts_of(kind)[1]) if isinstance(note, Help)), None)


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
