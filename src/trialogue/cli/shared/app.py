"""Commands whose options are declared once, in the signatures of their functions.

A parameter after ``*`` is an option, one annotated with ``Setting`` is given as ``--set NAME=VALUE``; ``seed`` and
``as_json`` are options of every command, as is ``--quiet``. Parameters of a function that the command calls are named by
``Calls`` and read from that function. All mistakes in what is given are said at once, before a command is called.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from itertools import takewhile
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from trialogue.cli.shared.groups import Group, path_of
from trialogue.cli.shared.inputs import LIMITS
from trialogue.cli.shared.parameters import Call, Calls, Given, Parameter, parameters_of
from trialogue.cli.shared.progress import QUIET
from trialogue.cli.shared.renamed import COMMANDS, OPTIONS
from trialogue.cli.shared.settings import example_of, help_of, is_mapping, read_settings
from trialogue.errors import TrialogueError, UsageError
from trialogue.options import out_of_bounds

EVERYWHERE = "Options of every command"
FIRST_WORDS = re.compile(r"(?:[^.:;(]|[.:;](?=\w))+")  # a sign within a word, as of reference:guided, ends nothing
SETTINGS = "Settings (--set NAME=VALUE)"
Function = Callable[..., Any]
FunctionT = TypeVar("FunctionT", bound=Function)


class App(typer.Typer):
    """Typer, with options declared once."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"cls": Group, "no_args_is_help": True, **given})

    def command(  # type: ignore[override]  # the same options, passed on
        self, name: str | None = None, *, panel: str | None = None
    ) -> Callable[[FunctionT], FunctionT]:
        """A decorator that registers a command under a heading; the function itself is returned as it is."""

        def add(function: FunctionT) -> FunctionT:
            doc = re.split(r"\n+Args:\n", inspect.getdoc(function) or "")[0]

            def placeholder() -> None:
                """What Typer reads when the program starts; ``Command`` reads the function when it is used."""

            placeholder.__name__, placeholder.function = function.__name__, function  # type: ignore[attr-defined]
            given: dict[str, Any] = {
                "cls": Command,
                "help": doc,
                "short_help": _in_short(doc),
                "rich_help_panel": panel,
            }
            super(App, self).command(name, **given)(placeholder)
            return function

        return add

    def add_typer(self, typer_instance: typer.Typer, *, panel: str | None = None, **given: Any) -> None:
        """Add a group; lists of commands show the first words of its help."""
        short = _in_short(str(typer_instance.info.help))
        super().add_typer(typer_instance, **{"short_help": short, "rich_help_panel": panel, **given})


def _in_short(text: str) -> str | None:
    found = FIRST_WORDS.match(text)
    return found[0] if found else None


def reads(*, check: Callable[[Given], Iterator[str]] | None = None, **calls: Calls) -> Callable[[FunctionT], FunctionT]:
    """A decorator for the function of a command that takes more from the command line than its signature says.

    Args:
        check: yields what is wrong in a combination of options.
        calls: functions that the command calls, each by the parameter as which it is passed.
    """

    def add(function: FunctionT) -> FunctionT:
        function.calls, function.check = calls, check  # type: ignore[attr-defined]
        return function

    return add


def call_function(function: Function, given: Mapping[str, Any]) -> Any:
    """What a command does, with the values of its parameters."""
    return function(**given)


def _typer_command(parameters: list[inspect.Parameter]) -> Any:
    """The command that Typer makes of these parameters; it gives back what was given for them, converted."""

    def keep(**given: Any) -> dict[str, Any]:
        return given

    keep.__annotations__ = {each.name: each.annotation for each in parameters}
    keep.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect reads
    alone = typer.Typer(add_completion=False)
    alone.command()(keep)
    return typer.main.get_command(alone)


def _requirement_of(value: Any, kind: Any) -> str | None:
    """What the value of an option must be; None if it will do. Without bounds, a number must be finite."""
    is_finite = not isinstance(value, float) or math.isfinite(value)
    return out_of_bounds(value, kind) or (None if is_finite else "finite")


def _option(name: str, kind: Any, default: Any, *flags: str, **more: Any) -> inspect.Parameter:
    annotation = Annotated[kind, typer.Option(*flags, **more)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


SET_HELP = "A setting (see below), or a YAML file of settings (repeatable)."
SET = _option("set_", list[str] | None, None, "--set", metavar="NAME=VALUE", help=SET_HELP)


@cache
def options_everywhere() -> tuple[Any, ...]:
    """The options of every command that has a use for them."""
    panel = {"rich_help_panel": EVERYWHERE}
    seed = _option("seed", str | None, None, "--seed", help="Random seed.", metavar="NUMBER", **panel)
    as_json = _option("as_json", bool, False, "--json", help="Print JSON.", **panel)
    quiet = _option("quiet", bool, False, "--quiet", "-q", help="Print only the result.", **panel)
    return tuple(_typer_command([seed, as_json, quiet]).params)


class Command(TyperCommand):
    """A command with the options of every command, whose help lists its settings. Its function is read when it is used."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.function: Function = given["callback"].function
        self.calls: Mapping[str, Calls] = getattr(self.function, "calls", {})
        self._is_explained = False

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of its function, and those of the functions that it calls, by name."""
        return parameters_of(self.function, self.calls)

    @cached_property
    def settings(self) -> dict[str, Parameter]:
        """Its settings by the name that the command line gives them."""
        return {each.setting: each for each in self.parameters.values() if each.is_setting and each.name != "seed"}

    @cached_property
    def _everywhere(self) -> list[Any]:
        """Options of every command that it has a use for."""
        used = {"quiet", *({"seed", "as_json"} & self.parameters.keys())}
        return [each for each in options_everywhere() if each.name in used]

    @cached_property
    def _own(self) -> Any:
        """What Typer makes of its other options and arguments."""
        others = {each.name for each in self._everywhere}
        own = [each.for_typer() for name, each in self.parameters.items() if not each.is_setting and name not in others]
        return _typer_command([*own, *([SET] if self.settings else ())])

    @property
    def params(self) -> list[Any]:  # read when they are asked for, and not at every start
        """Its options and arguments, without settings and options of every command."""
        params: list[Any] = self._own.params
        return params

    @params.setter
    def params(self, _none: list[Any]) -> None:
        """What Typer knows at the start: nothing."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own options, and those of every command; while help is printed, its settings, too."""
        *own, asks_help = super().get_params(ctx)
        vars(asks_help)["rich_help_panel"] = EVERYWHERE
        return [*own, *(self._lines() if self._is_explained else ()), *self._everywhere, asks_help]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        self._is_explained = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_explained = False

    def invoke(self, ctx: Any) -> Any:
        """Call the function with what was given; UsageError with everything that is wrong in it."""
        everywhere = {each.name: ctx.params.pop(each.name) for each in self._everywhere}
        QUIET.set(bool(everywhere.pop("quiet")))
        named = {name for name in ctx.params if ctx.get_parameter_source(name).name != "DEFAULT"}
        values = ctx.invoke(self._own.callback, **ctx.params)
        given = self._read(values, everywhere, named)
        own = {name: given[name] for name in inspect.signature(self.function).parameters if name in given}
        for name, one in self.calls.items():
            names = [each.name for each in one.parameters() if each.name in given.named]
            own[name] = Call(one.place, {each: given[each] for each in names})
        return call_function(self.function, own)

    def _read(self, values: dict[str, Any], everywhere: dict[str, Any], named: set[str]) -> Given:
        """The values with those of settings; UsageError with everything that is wrong in them."""
        wrong = [
            f"{self.parameters[name]} must be {expected}, got {value}."
            for name, value in values.items()
            if name in self.parameters and (expected := _requirement_of(value, self.parameters[name].kind))
        ]
        seed = {"seed": self.parameters["seed"]} if "seed" in self.parameters else {}
        seeds = [] if everywhere.get("seed") is None else [f"seed={everywhere['seed']}"]
        if seeds and any(each.partition("=")[0].strip() == "seed" for each in values.get("set_") or ()):
            wrong.append("The seed is given twice, by --seed and by --set. Give it once.")
        read_settings(values.get("limit") or (), LIMITS, option="--limit", wrong=wrong)
        values |= {name: value for name, value in everywhere.items() if name != "seed"}
        for option, texts, known in (
            ("--set", values.pop("set_", None) or (), self.settings | seed),
            ("--seed", seeds, seed),
        ):
            found = read_settings(texts, {name: each.kind for name, each in known.items()}, option=option, wrong=wrong)
            values |= {known[name].name: value for name, value in found.items()}
            named |= {known[name].name for name in found}
        named |= {name for name, value in everywhere.items() if value}
        given = Given(values, named, self.parameters)
        try:
            wrong += check(given) if (check := getattr(self.function, "check", None)) is not None else ()
        except TrialogueError as error:
            wrong.append(str(error))
        if wrong:
            raise UsageError("\n".join(wrong))
        return given

    def _lines(self) -> Iterator[Any]:
        """Its settings as the help lists them."""
        looks = {"rich_help_panel": SETTINGS, "metavar": " ", "show_default": False}
        options = [
            _option(each.name, str | None, None, f"--{name}", help=help_of(each.kind, each.about), **looks)
            for name, each in self.settings.items()
        ]
        for line, (name, each) in zip(_typer_command(options).params, self.settings.items(), strict=True):
            given = ".NAME=VALUE" if is_mapping(each.kind) else f"={example_of(each.kind, each.default)}"
            line.opts = [f"{name}{given}"]
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
