"""Commands whose options are declared once: ``alpha: Alpha = 0.05``.

A parameter annotated with ``Help`` is an option, one with ``Setting`` is given as ``--set NAME=VALUE``, and ``seed`` and
``as_json`` are options of every command, as is ``--quiet``. Values out of bounds are refused before a command is called.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, wraps
from itertools import takewhile
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from trialogue.cli.shared.groups import Group, path_of
from trialogue.cli.shared.progress import QUIET
from trialogue.cli.shared.renamed import COMMANDS, OPTIONS
from trialogue.cli.shared.settings import example_of, help_of, is_mapping, read_settings
from trialogue.errors import UsageError
from trialogue.options import Help, Setting, bounds_of, out_of_bounds, parts_of, words_of_bounds

EVERYWHERE = "Options of every command"
FIRST_WORDS = re.compile(r"[^.:;(]+")
SETTINGS = "Settings (--set NAME=VALUE)"


class App(typer.Typer):
    """Typer, with options declared once."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"cls": Group, "no_args_is_help": True, **given})

    def command(  # type: ignore[override]  # the same options, passed on
        self, name: str | None = None, **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator that registers a command; the function itself is returned as it is."""

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            in_short = FIRST_WORDS.match(inspect.getdoc(function) or "")
            short = in_short[0] if in_short else None
            super(App, self).command(name, cls=Command, short_help=short, **options)(_as_typer_reads(function))
            return function

        return add

    def add_typer(self, typer_instance: typer.Typer, **given: Any) -> None:
        """Add a group; lists of commands show the first words of its help."""
        in_short = FIRST_WORDS.match(str(typer_instance.info.help))
        super().add_typer(typer_instance, **{"short_help": in_short[0] if in_short else None, **given})


def _as_typer_reads(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the parameters that Typer reads; it is called with values that are within their bounds."""
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    parameter_of = {
        _setting_name(name, hints[name]): name for name in signature.parameters if _note(hints[name], Setting)
    }
    settings = {name: hints[parameter] for name, parameter in parameter_of.items()}
    seed = {"seed": hints["seed"]} if "seed" in hints else {}
    others = [
        each.replace(annotation=_read(name, hints[name]))
        for name, each in signature.parameters.items()
        if name not in {*parameter_of.values(), "seed", "as_json"}
    ]
    if settings:
        others.append(inspect.Parameter("set_", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=SET))

    @wraps(function)
    def call(*, set_: list[str] | None = None, **given: Any) -> Any:
        given |= {name: value for name, value in GIVEN.get().items() if name in hints}
        wrong = [
            f"{_spelling(name, hints[name])} must be {expected}, got {value}."
            for name, value in given.items()
            if name in hints and name != "seed" and (expected := out_of_bounds(value, hints[name]))
        ]
        seeds = [] if given.get("seed") is None else [f"seed={given.pop('seed')}"]
        for option, texts, known in (("--set", set_ or (), settings | seed), ("--seed", seeds, seed)):
            try:
                found = read_settings(texts, known, option=option)
                given |= {parameter_of.get(name, name): value for name, value in found.items()}
            except UsageError as error:
                wrong.append(str(error))
        if wrong:
            raise UsageError("\n".join(wrong))
        if "seed" in given and given["seed"] is None:
            del given["seed"]
        return call_function(function, given)

    call.__annotations__ = {each.name: each.annotation for each in others}
    call.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]  # what inspect reads
    defaults = {name: signature.parameters[parameter].default for name, parameter in parameter_of.items()}
    call.settings = {name: (hint, defaults[name]) for name, hint in settings.items()}  # type: ignore[attr-defined]
    call.parameter_of = parameter_of  # type: ignore[attr-defined]
    call.everywhere = {"quiet", *({"seed", "as_json"} & set(hints))}  # type: ignore[attr-defined]
    return call


def call_function(function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """What a command does, with the values of its parameters."""
    return function(**given)


SET = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting (see below), or a YAML file of settings (repeatable)."),
]


def _everywhere(
    seed: Annotated[str | None, typer.Option(help="Random seed.", metavar="NUMBER", rich_help_panel=EVERYWHERE)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=EVERYWHERE)] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the result.", rich_help_panel=EVERYWHERE)
    ] = False,
) -> None:
    """The options of every command."""


@cache
def options_everywhere() -> tuple[Any, ...]:
    """The options of every command that has a use for them."""
    return tuple(_parameters_of(_everywhere))


def _parameters_of(function: Callable[..., Any]) -> list[Any]:
    """The parameters that Typer makes of a function's."""
    alone = typer.Typer(add_completion=False)
    alone.command()(function)
    return list(typer.main.get_command(alone).params)


GIVEN: ContextVar[Mapping[str, Any]] = ContextVar("given", default={})  # noqa: B039 - nobody writes into it
"""The options of every command, as the command that runs was given them."""


class Command(TyperCommand):
    """A command with the options of every command, whose help lists its settings."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.settings: Mapping[str, tuple[Any, Any]] = getattr(self.callback, "settings", {})
        self._is_explained = False

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own options, and those of every command; while help is printed, its settings, too."""
        *own, asks_help = super().get_params(ctx)
        vars(asks_help)["rich_help_panel"] = EVERYWHERE
        used = getattr(self.callback, "everywhere", ())
        known = [each for each in options_everywhere() if each.name in used]
        return [*own, *(self._lines() if self._is_explained else ()), *known, asks_help]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        self._is_explained = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_explained = False

    def invoke(self, ctx: Any) -> Any:
        """Call the function; the options of every command are put aside for it, as Typer does not know them."""
        given = {each.name: ctx.params.pop(each.name) for each in options_everywhere() if each.name in ctx.params}
        GIVEN.set(given)
        QUIET.set(bool(given.get("quiet")))
        return super().invoke(ctx)

    def _lines(self) -> Iterator[Any]:
        """Its settings as the help lists them."""
        for name, (hint, default) in self.settings.items():
            option = typer.Option(
                f"--{name}", help=help_of(hint), rich_help_panel=SETTINGS, metavar=" ", show_default=False
            )

            def one(value: str | None = None) -> None:
                """A function with the setting as its parameter."""

            one.__annotations__["value"] = Annotated[str | None, option]
            (line,) = _parameters_of(one)
            line.opts = [f"{name}.NAME=VALUE" if is_mapping(hint) else f"{name}={example_of(hint, default)}"]
            yield line

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; options that are written otherwise, and those that the command has no use for, are explained."""
        if args and (now := COMMANDS.get(" ".join([*path_of(ctx), args[0]]))):
            raise UsageError(f"That is now: trialogue {now}")
        known = {spelling for each in self.get_params(ctx) for spelling in (*each.opts, *each.secondary_opts)}
        written = (word.partition("=")[0] for word in takewhile(lambda word: word != "--", args))
        wrong = [why for each in written if each not in known and (why := self._why_not(ctx, each))]
        if wrong:
            raise UsageError("\n".join(dict.fromkeys(wrong)))
        return super().parse_args(ctx, args)

    def _why_not(self, ctx: Any, option: str) -> str | None:
        """What to write instead of an option; None if that is not known."""
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--"):
            return None
        if name in self.settings:
            return f"{option} is now a setting: --set {name}=VALUE."
        if name.removeprefix("no_") in self.settings:
            return f"{option} is now a setting: --set {name.removeprefix('no_')}=false."
        if option in OPTIONS:
            return f"{option} is now {OPTIONS[option]}."
        if option in ("--seed", "--json"):
            return f"{' '.join(('trialogue', *path_of(ctx)))} has no use for {option}: omit it."
        return None


def _setting_name(parameter: str, hint: Any) -> str:
    """What a setting is called; its parameter, where that is no word of Python."""
    return next(iter(_note(hint, Setting).flags), parameter)


def _spelling(parameter: str, hint: Any) -> str:
    """How an option is written."""
    note = _note(hint, Help)
    return note.flags[0] if note is not None and note.flags else f"--{parameter.replace('_', '-')}"


def _note(annotation: Any, kind: type[Any]) -> Any:
    return next((note for note in reversed(parts_of(annotation)[1]) if isinstance(note, kind)), None)


def _read(parameter: str, annotation: Any) -> Any:
    """An annotation with the ``typer.Option`` that says the same."""
    kind, notes = parts_of(annotation)
    note = _note(annotation, Help)
    if note is None or any(isinstance(each, typer.models.ParameterInfo) for each in notes):
        return annotation
    bounds = words_of_bounds(bounds_of(annotation))
    flags = note.flags or ((_spelling(parameter, annotation),) if kind is bool else ())
    return Annotated[kind, typer.Option(*flags, help=f"{note.text.rstrip('.')}, {bounds}." if bounds else note.text)]
