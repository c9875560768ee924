"""Detect which options the user gave, and refuse those that a command would silently ignore."""

from collections.abc import Container, Iterable
from typing import Any

import typer

AS_HELP = (
    "paper or code: models of interaction and preferences as in the paper (Zhang and Balog, KDD 2020), or as in its "
    "released code (default: Trialogue's)."
)
"""Help of the option ``--as``."""


def given_words(context: typer.Context) -> dict[str, str]:
    """The options and arguments that were written, by the name of their parameter, each as it is called.

    An option that was turned off is called by the word that turns it off; an argument by its name in capitals.
    """
    found = {}
    for each in context.command.params:
        name = str(each.name)
        source = context.get_parameter_source(name)
        if source is None or source.name == "DEFAULT":
            continue
        off = each.secondary_opts and context.params[name] is False
        is_option = each.param_type_name == "option"
        found[name] = (each.secondary_opts if off else each.opts)[0] if is_option else name.upper()
    return found


def refuse_unused(context: typer.Context, unused: Container[str], *, by: str, hint: str) -> None:
    """Raise UsageError if parameters of these names were given, with the words that gave them.

    Args:
        context: of the command.
        unused: names of parameters that would do nothing.
        by: what does nothing with them, such as ``"--protocol sequence"``.
        hint: what would do.
    """
    from trialogue.errors import UsageError

    others = [word for name, word in given_words(context).items() if name in unused]
    if others:
        raise UsageError(f"{by} does not use {', '.join(others)}; omit it. {hint}")


def other_parameters(context: typer.Context, taken: Container[str]) -> list[str]:
    """Names of the command's parameters but these."""
    return [str(each.name) for each in context.command.params if each.name not in taken]


def named_values(option: str, given: Iterable[str]) -> dict[str, Any]:
    """Values that were given as NAME=VALUE, as YAML reads them.

    Args:
        option: what the option is called.
        given: its values.

    Raises:
        UsageError: one of them is not of this form.
    """
    import yaml

    from trialogue.errors import UsageError

    values: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} {each!r}: expected NAME=VALUE, such as temperature=0.7.")
        try:
            values[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"{option} {each!r}: the value cannot be read: {error}") from error
    return values
