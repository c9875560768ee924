"""Pydantic's errors in our words."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import Field, ValidationError, field_validator
from pydantic_core.core_schema import ErrorType

from trialogue.records import Record, Utterance
from trialogue.records.files import validation
from trialogue.records.files.validation import dotted_path, mistakes_of


class Part(Record):
    """A record in a record."""

    depth: int = 0
    """How deep."""


class Whole(Record):
    """A record with one field of each kind that files have."""

    text: str = ""
    some: Annotated[str, Field(min_length=2, max_length=3)] = "ab"
    few: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)] = ("a",)
    count: Annotated[int, Field(ge=1, le=9)] = 1
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    yes: bool = False
    sort: Literal["a", "b"] = "a"
    either: str | dict[str, int] = ""
    part: Part | str | None = None
    parts: tuple[Part, ...] = ()
    day: date | None = None
    path: Path | None = None
    said: Utterance | None = None
    even: int = 0

    @field_validator("even")
    @classmethod
    def _is_even(cls, given: int) -> int:
        if given % 2:
            raise ValueError("an even number is needed")
        return given


def messages(given: dict[str, Any]) -> list[str]:
    with pytest.raises(ValidationError) as error:
        Whole.model_validate(given)
    return [
        f"{dotted_path(each.place)}: {each.what}" + (f" {each.hint}" if each.hint else "")
        for each in mistakes_of(error.value, given, Whole)
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": 5}, f"text: expected a string, got 5. {validation.QUOTE}"),
        ({"some": "a"}, "some: expected at least 2 characters, got 1."),
        ({"some": "abcd"}, "some: expected at most 3 characters, got 4."),
        ({"few": []}, "few: expected at least 1 entry, got none."),
        ({"few": ["a", "b", "c"]}, "few: expected at most 2 entries, got 3."),
        ({"few": 5}, "few: expected a list, got 5."),
        ({"few": ["a", []]}, "few[1]: expected a string, got []."),
        ({"count": 0}, "count: expected a number of at least 1, got 0."),
        ({"count": 10}, "count: expected a number of at most 9, got 10."),
        ({"count": "x"}, "count: expected a whole number, got 'x'."),
        ({"count": 1.5}, "count: expected a whole number, got 1.5."),
        ({"share": 0}, "share: expected a number above 0, got 0."),
        ({"share": 1}, "share: expected a number below 1, got 1."),
        ({"share": "x"}, "share: expected a number, got 'x'."),
        ({"yes": "perhaps"}, "yes: expected true or false, got 'perhaps'."),
        ({"sort": "c"}, "sort: expected one of 'a' or 'b', got 'c'."),
        ({"either": 5}, f"either: expected a string or fields (name: value), got 5. {validation.QUOTE}"),
        ({"either": {"a": "x"}}, "either.a: expected a whole number, got 'x'."),
        ({"part": 5}, f"part: expected fields (name: value) or a string, got 5. {validation.QUOTE}"),
        ({"part": {"dept": 1}}, "part.dept: There is no field 'dept'. Did you mean 'depth'? Known: depth."),
        ({"parts": [{"depth": "x"}]}, "parts[0].depth: expected a whole number, got 'x'."),
        ({"day": "tomorrow"}, "day: expected a date such as 2026-01-31, got 'tomorrow'."),
        ({"text": date(2026, 1, 31)}, f"text: expected a string, got 2026-01-31. {validation.QUOTE_DATE}"),
        ({"path": 5}, "path: expected a path, got 5."),
        ({"even": 3}, "even: an even number is needed, got 3."),
        ({"said": {}}, "said.speaker: this field is required."),
        (
            {"said": "hello"},
            'said: expected fields (name: value), got \'hello\'. Write it as {"speaker": "user" (or "system"), '
            '"text": "..."}.',
        ),
    ],
)
def test_a_mistake_says_what_is_needed_and_what_was_given(given: dict[str, Any], message: str) -> None:
    assert messages(given)[0] == message


def test_every_mistake_is_reported_once_whatever_was_tried() -> None:
    given = {"text": [], "either": 5, "part": {"dept": 1}, "parts": [{"depth": "x"}, 7], "few": 5}
    assert len(messages(given)) == 6  # parts has two


def test_kinds_of_errors_that_are_in_our_words_are_pydantics() -> None:
    known = {*get_args(ErrorType), "path_type", "invalid-json-value"}  # these two are not of its core
    assert {*validation._NEEDED, *validation._TEMPLATES, *validation._OWN} <= known
