"""Say which argument of a public function is not what its annotation says, instead of a failure deep inside.

Bounds of options are checked before the call. Types are looked at only after a call has failed: what works is not slowed
down, and never refused.
"""

import inspect
import re
from collections.abc import Callable
from functools import wraps
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from trialogue.errors import TrialogueError, UsageError
from trialogue.options import out_of_bounds

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")
LONGEST = 60  # characters of a value in a message


def explains_arguments(function: Callable[ParametersT, ResultT]) -> Callable[ParametersT, ResultT]:
    """The function, whose failures for arguments of a wrong type are a ``UsageError`` that names them."""

    @wraps(function)
    def call(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> ResultT:
        if mistakes := out_of_bounds_arguments(function, args, kwargs):
            raise UsageError("\n".join(mistakes))
        try:
            return function(*args, **kwargs)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            mistakes = [] if isinstance(error, TrialogueError) else wrong_arguments(function, args, kwargs)
            if not mistakes:
                raise
            raise UsageError("\n".join(mistakes)) from error

    return call


def out_of_bounds_arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """A sentence for each argument outside the bounds of its option; none where the call itself has another form."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return []
    found = {name: out_of_bounds(value, signature.parameters[name].annotation) for name, value in given.items()}
    return [f"{name} must be {expected}, got {_shorten(given[name])}." for name, expected in found.items() if expected]


def wrong_arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """A sentence for each argument that does not fit its annotation; none where the call itself has another form."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
        hints = get_type_hints(function)
    except (NameError, TypeError):
        return []
    found = []
    for name, value in given.items():
        kind = signature.parameters[name].kind
        values = value if kind is inspect.Parameter.VAR_POSITIONAL else (value,)
        if name in hints and not all(_fits(each, hints[name]) for each in values):
            expected = _words(signature.parameters[name].annotation)
            found.append(f"{name} must be {expected}, got {_shorten(value)}.")
    return found


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; True where that cannot be said."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if getattr(hint, "_is_protocol", False):  # any object with its public attributes conforms
        return all(hasattr(value, name) for name in vars(hint) if not name.startswith("_"))
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

    try:
        TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True)).validate_python(value, strict=True)
    except ValidationError:
        return False
    except PydanticUserError:  # records have a configuration of their own
        return not isinstance(hint, type) or isinstance(value, hint)
    return True


def _words(annotation: Any) -> str:
    """A type as it is written, without the modules of its names."""
    return re.sub(r"\b(?:\w+\.)+", "", inspect.formatannotation(annotation))


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
