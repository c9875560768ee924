"""Validation errors of records: pydantic's errors in our words, with the path of each.

All readers of user-written files (experiments, studies, mappings, agent options) word their errors here, so that
equal mistakes get equal messages.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import ValidationError

from trialogue.errors import Problem, UnknownNameError

Place = tuple[str | int, ...]
"""Names of fields and places in lists, from the top of a file to a value."""
LineOf = Callable[[Place], int | None]
"""The line of a place; None: unknown."""

FIELDS = "fields (name: value)"
_NEEDED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number with fewer digits",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "none_required": "null",
    "string_type": "a string",
    "string_unicode": "a string in UTF-8",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "iterable_type": "a list",
    "dict_type": FIELDS,
    "mapping_type": FIELDS,
    "model_type": FIELDS,
    "model_attributes_type": FIELDS,
    "dataclass_type": FIELDS,
    "path_type": "a path",
    "date_type": "a date",
    "date_parsing": "a date such as 2026-01-31",
    "date_from_datetime_parsing": "a date such as 2026-01-31",
    "datetime_type": "a date and time",
    "datetime_parsing": "a date and time such as 2026-01-31T12:00:00",
    "datetime_from_date_parsing": "a date and time such as 2026-01-31T12:00:00",
    "invalid-json-value": "a string",  # of YAML's values, only dates are none of JSON
    "callable_type": "a function",
    "invalid_key": "a string as the name of the field",
    "url_type": "a URL",
    "url_parsing": "a URL",
    "url_scheme": "a URL that begins with http:// or https://",
}
_TEMPLATES = {
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_pattern_mismatch": "a string that matches {pattern}",
    "literal_error": "one of {expected}",
    "enum": "one of {expected}",
    "union_tag_invalid": "one of {expected_tags}",
    "union_tag_not_found": "the field {discriminator}",
}
_OWN = ("value_error", "assertion_error")
"""Errors that our validators raised: their text says everything."""
QUOTE = "Put it in quotes: YAML reads Yes, No, On and Off as true and false, and 1 as a number."
QUOTE_DATE = "Put it in quotes: YAML reads it as a date."
SHOWN = 80  # characters of a value in a message


@dataclass(frozen=True)
class Mistake:
    """One invalid value."""

    place: Place
    """Where it is in the data."""
    what: str
    """Mistake, given value, and requirement."""
    hint: str = ""
    """Remedy, if ``what`` does not state it."""
    kind: str = ""
    """What it has in common with others whose ``what`` differs in the value."""

    def problem(self, file: str, line_of: LineOf, *, under: Place = ()) -> Problem:
        """Convert to a problem of a file, with the data located under the path ``under``."""
        place = (*under, *self.place)
        return Problem(self.what, file, line_of(place), dotted_path(place), self.hint, self.kind)


def dotted_path(place: Place) -> str:
    """Format a path for messages.

    >>> dotted_path(("align", "situations", 1))
    'align.situations[1]'
    """
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def mistakes_of(error: ValidationError, data: object = None, model: Any = None) -> list[Mistake]:
    """Convert pydantic's errors to mistakes, one per value.

    A value that fits none of several types is one mistake, not one for each type.

    Args:
        error: what ``model_validate`` raised.
        data: what was validated; None: places are as pydantic has them, with the names of the types that were tried.
        model: the record class, for the names of its fields; None: they are not listed.
    """
    by_place: dict[Place, list[Any]] = {}
    for detail in error.errors(include_url=False):
        place = detail["loc"] if data is None else _place(detail["loc"], data, detail["type"])
        by_place.setdefault(place, []).append(detail)
    # of a type that a value nearly fits, the mistake is inside the value; that it is none of the other types is no news
    inner = [place for place in by_place if not any(_is_inside(other, place) for other in by_place)]
    return [mistake for place in inner for mistake in _mistakes_at(place, by_place[place], model)]


def _is_inside(place: Place, other: Place) -> bool:
    return len(place) > len(other) and place[: len(other)] == other


def _place(location: Sequence[str | int], data: object, kind: str) -> Place:
    """The place in the data that pydantic means: its own also names the members of unions that were tried."""
    place: list[str | int] = []
    for number, part in enumerate(location):
        last = number == len(location) - 1
        if (inside := _parts(data)) is not None and part in inside:
            place.append(part)
            data = inside[part]
        elif kind == "missing" and last:
            place.append(part)
    return tuple(place)


def _parts(data: object) -> Mapping[object, object] | None:
    """Direct children of a mapping or list, by name or index; None: there are none."""
    if isinstance(data, list | tuple):
        return dict(enumerate(data))
    return data if isinstance(data, Mapping) else None


def _mistakes_at(place: Place, details: Sequence[Any], model: Any) -> list[Mistake]:
    """The mistakes at one place: those in our words each, of the others one that says what all types need."""
    found: list[Mistake] = []
    needed: dict[str, None] = {}
    for detail in details:
        mistake = _known_mistake(place, detail, model)
        if mistake is not None:
            found.append(mistake)
        else:
            needed[_requirement(detail)] = None
    if needed and not found:
        given = details[0]["input"]
        hint = _in_quotes(given, needed) or _utterance(details[0])
        need = " or ".join(needed)
        found = [Mistake(place, f"expected {need}, got {excerpt_of(given)}.", hint, kind=need)]
    return list(dict.fromkeys(found))


def _in_quotes(given: object, needed: Iterable[str]) -> str:
    """Advice to quote a word that YAML reads as a boolean or a number."""
    if isinstance(given, date):
        return QUOTE_DATE
    meant_a_string = "a string" in needed and isinstance(given, bool | int | float)
    return QUOTE if meant_a_string or (FIELDS in needed and isinstance(given, bool)) else ""


def _utterance(detail: Any) -> str:
    """Advice on writing an utterance if a bare text was given; "" for any other mistake."""
    if detail.get("ctx", {}).get("class_name") != "Utterance" or not isinstance(detail["input"], str):
        return ""
    speaker = (
        '"system"' if detail["loc"] and detail["loc"][-1] in ("reference", "utterance") else '"user" (or "system")'
    )
    return f'Write it as {{"speaker": {speaker}, "text": "..."}}.'


def _known_mistake(place: Place, detail: Any, model: Any) -> Mistake | None:
    """A mistake that is not about a value's type; None for the others."""
    kind = detail["type"]
    if kind == "extra_forbidden":
        known = _fields_at(model, place[:-1])
        unknown = f"{str(place[-1])!r} is not a known field."
        return Mistake(place, str(UnknownNameError("field", str(place[-1]), known)) if known else unknown)
    if kind == "missing":
        field = getattr(_model_at(model, place[:-1]), "model_fields", {}).get(place[-1])
        return Mistake(place, "this field is required.", (field.description if field is not None else None) or "")
    if kind in _OWN:
        return Mistake(place, _own_words(str(detail["ctx"]["error"]), place, detail["input"]))
    if kind in ("too_short", "string_too_short", "too_long", "string_too_long"):
        return Mistake(place, _length(detail))
    return None


def _own_words(text: str, place: Place, given: object) -> str:
    """Our own sentences unchanged; phrases with the given value, unless it is the only content."""
    if text.endswith("."):
        return text
    return f"{text}, got {excerpt_of(given)}." if place else f"{text}."


def _length(detail: Any) -> str:
    """Mistake in the length of a list or a text."""
    context, of_text = detail["ctx"], detail["type"].startswith("string")
    unit = "character" if of_text else "entry"
    plural = "characters" if of_text else "entries"
    least, most = context.get("min_length"), context.get("max_length")
    count = least if least is not None else most
    bound = f"at {'least' if least is not None else 'most'} {count} {unit if count == 1 else plural}"
    length = len(detail["input"]) if hasattr(detail["input"], "__len__") else context.get("actual_length")
    given = "none" if not length else f"{length}"
    return f"expected {bound}, got {given}."


def _requirement(detail: Any) -> str:
    """Requirement behind an error of type or bound; never pydantic's own text."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _TEMPLATES:
        return _TEMPLATES[kind].format(**{name: _plain(value) for name, value in context.items()})
    return _NEEDED.get(kind, "another type of value")


def _plain(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value


def _model_at(model: Any, place: Place) -> Any:
    """The record class at a place in a record; None where the place leads to none."""
    for part in place:
        if isinstance(part, int):
            continue
        fields = getattr(model, "model_fields", {})
        model = _record_in(fields[part].annotation) if part in fields else None
    return model


def _record_in(annotation: Any) -> Any:
    """The record class that a type holds: itself, or one that it is a list of, or a member of a union."""
    if hasattr(annotation, "model_fields"):
        return annotation
    inside = (_record_in(part) for part in getattr(annotation, "__args__", ()))
    return next((part for part in inside if part is not None), None)


def _fields_at(model: Any, place: Place) -> list[str]:
    """The names of the fields at a place; [] where the place leads to no record."""
    return list(getattr(_model_at(model, place), "model_fields", {}))


def excerpt_of(value: object, longest: int = SHOWN) -> str:
    """Python representation of a value, truncated.

    >>> excerpt_of("a" * 5, longest=6)
    "'aaaa…"
    """
    text = value.isoformat() if isinstance(value, date) else repr(value)
    return text if len(text) <= longest else text[: longest - 1] + "…"
