"""Names of metrics, variants and parameters, such as ``distinct(n=2)@ratio``: parsing and formatting.

The full name of a measure adds the version of its meaning: ``distinct(n=2)@ratio|v1``. Two measures are comparable if and
only if their full names are equal.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import Card, MeasureName

Parameter = int | float | str | bool
_SHAPE = re.compile(
    r"(?P<name>[A-Za-z][\w.\-]*(?::[\w.]+)?)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<variant>[\w.\-+]+))?(?:\|v\d+)?"
)


@dataclass(frozen=True)
class Name:
    """A metric's name as given by a user: parameters and variant are optional."""

    metric: str
    parameters: Mapping[str, Parameter]
    variant: str | None = None


def parse(text: str) -> Name:
    """Parse a name.

    >>> parse("distinct(n=2)@ratio")
    Name(metric='distinct', parameters={'n': 2}, variant='ratio')
    >>> parse("rouge_l")
    Name(metric='rouge_l', parameters={}, variant=None)

    Raises:
        UsageError: the text has another shape.
    """
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is not a metric name. Write name(parameter=value)@variant, such as distinct(n=2)@ratio."
        )
    parameters: dict[str, Parameter] = {}
    for part in filter(None, (piece.strip() for piece in (match["parameters"] or "").split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise UsageError(f"{part!r} in {text!r} is not a parameter. Write parameter=value, such as n=2.")
        parameters[key] = _literal(value)
    return Name(match["name"], parameters, match["variant"])


def parse_parameter(name: str, parameter: str) -> Parameter | None:
    """Value of one parameter in a measure's full name; None if absent.

    >>> parse_parameter("distinct(n=2)@ratio|v1", "n")
    2
    """
    return parse(name).parameters.get(parameter)


def _literal(text: str) -> Parameter:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("'\"")


def whole_number(value: int, name: str) -> int:
    """Validate that a value is an integer of at least 1.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name} must be a whole number of at least 1, got {value!r}. Write {name}=10, for example.")
    return value


def full_name(
    card: Card, variant: str, parameters: Mapping[str, Parameter], *, unsaid: Mapping[str, Parameter] | None = None
) -> MeasureName:
    """Full name of a measure, with parameters in alphabetical order.

    Args:
        card: the metric's card.
        variant: one of its variants.
        parameters: one of its parameters each.
        unsaid: values that the card states as defaults, and that a name does not repeat. For metrics of many switches, whose
            names nobody could read otherwise; changing such a default raises the card's version.

    Raises:
        UnknownNameError: the card has no such variant or parameter.
    """
    if variant not in card.variants:
        raise UnknownNameError("variant", variant, card.variants, where=f"of {card.name}")
    for key in parameters:
        if key not in card.parameters:
            raise UnknownNameError("parameter", key, card.parameters, where=f"of {card.name}")
    said = sorted((key, value) for key, value in parameters.items() if (unsaid or {}).get(key) != value)
    inside = ",".join(f"{key}={_render_parameter(value)}" for key, value in said)
    return MeasureName(f"{card.name}{f'({inside})' if inside else ''}@{variant}|v{card.version_of(variant)}")


def _render_parameter(value: Parameter) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
