"""Apps whose commands take options that are declared in ``trialogue.options``."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from trialogue.errors import UsageError
from trialogue.options import Help, bounds_of, out_of_bounds, parts_of, words_of_bounds


class App(typer.Typer):
    """Typer, with options declared once: ``alpha: Alpha = 0.05``."""

    def command(  # type: ignore[override]  # the same options, passed on
        self, name: str | None = None, **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator that registers a command; the function itself is returned as it is."""
        register = super().command(name, **options)

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            register(_with_options(function))
            return function

        return add


def _with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as Typer reads it; values out of bounds are refused before it is called, all at once."""
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    parameters = [each.replace(annotation=_read(hints[name])) for name, each in signature.parameters.items()]

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        wrong = {name: out_of_bounds(value, hints[name]) for name, value in kwargs.items()}
        mistakes = [f"--{n.replace('_', '-')} must be {e}, got {kwargs[n]}." for n, e in wrong.items() if e]
        if mistakes:
            raise UsageError("\n".join(mistakes))
        return function(*args, **kwargs)

    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # what inspect reads
    return call


def _read(annotation: Any) -> Any:
    """An annotation with the ``typer.Option`` that says the same."""
    kind, notes = parts_of(annotation)
    helps = [note for note in notes if isinstance(note, Help)]
    if not helps or any(isinstance(note, typer.models.ParameterInfo) for note in notes):
        return annotation
    bounds = words_of_bounds(bounds_of(annotation))
    text = f"{helps[-1].text.rstrip('.')}, {bounds}." if bounds else helps[-1].text
    return Annotated[kind, typer.Option(*helps[-1].flags, help=text)]
