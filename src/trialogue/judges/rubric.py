"""Rubrics: what a judge is asked about conversations, on which scale, as one closed record.

A rubric states the level (single replies, or whole dialogues), the form (one conversation at a time, or two side by side),
the scale with a description of its points, and the aspects that one answer rates. Equal hashes mean equal texts.
"""

import hashlib
import json
from enum import StrEnum
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, model_validator

from trialogue.errors import DataError, UnknownNameError
from trialogue.records import Record
from trialogue.records.files.yaml_file import lines_of, problems_of_fields, read_fields
from trialogue.records.scale import Scale

NAME = r"^[a-z][a-z0-9_]{0,63}$"
MAX_POINTS = 11  # 0 to 10: nobody describes, or tells from each other, more points than that
HASH_DIGITS = 12


class JudgedLevel(StrEnum):
    """What one answer of a judge is about."""

    TURN = "turn"
    """One reply of the system, in the context of what was said before."""
    DIALOGUE = "dialogue"
    """A whole dialogue, from the first message to the last."""


class Form(StrEnum):
    """How conversations are shown to a judge."""

    POINTWISE = "pointwise"
    """One at a time; the answer is a point of the scale."""
    PAIRWISE = "pairwise"
    """Two side by side; the answer is which one is better."""
    EITHER = "either"
    """The rubric can be used in both ways."""


class Reference(StrEnum):
    """What is shown to a judge besides the conversation."""

    NONE = "none"
    """Nothing but the conversation."""
    NEED = "need"
    """What the user wanted, as recorded with the dialogue."""
    REPLY = "reply"
    """What a person replied in the same situation."""


class Points(Record):
    """The scale of a rubric: whole numbers, with a description of its points."""

    low: Annotated[int, Field(ge=0, le=100)]
    """The lowest point, at least 0."""
    high: Annotated[int, Field(ge=0, le=100)]
    """The highest point, at most 100; above ``low``."""
    anchors: dict[int, Annotated[str, Field(min_length=1)]]
    """What a point means, by point; the two ends at least."""

    @model_validator(mode="after")
    def _has_described_ends(self) -> Self:
        wrong = []
        if self.low >= self.high:
            wrong.append(f"a scale goes from a lower to a higher number, got {self.low} to {self.high}")
        elif self.high - self.low >= MAX_POINTS:
            wrong.append(f"a scale has at most {MAX_POINTS} points, got {self.low} to {self.high}")
        outside = sorted(set(self.anchors) - set(self.values))
        if outside:
            wrong.append(f"anchors must lie on the scale, got {', '.join(map(str, outside))}")
        wrong += [f"point {end} needs an anchor" for end in (self.low, self.high) if end not in self.anchors]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    @property
    def values(self) -> range:
        """All points."""
        return range(self.low, self.high + 1)

    @property
    def scale(self) -> Scale:
        """The scale of the scores."""
        return Scale(low=self.low, high=self.high)


class Aspect(Record):
    """One quality that an answer rates."""

    name: str = Field(pattern=NAME)
    """Its name in columns; people's answers to the question of this name are compared with it."""
    text: str = Field(min_length=1)
    """The question to the judge, in words."""
    also: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Other names under which files hold people's answers to it."""
    scale: Points | None = None
    """Its own scale; None: the rubric's."""


def _distinct(aspects: tuple[Aspect, ...]) -> tuple[Aspect, ...]:
    names = [each.name for each in aspects]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"the names of aspects must be unique, got {', '.join(twice)} twice")
    return aspects


class Rubric(Record):
    """What a judge is asked."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    id: str = Field(pattern=NAME)
    """Name of the rubric."""
    version: Annotated[int, Field(ge=1)]
    """Raise it when the meaning changes; the hash changes with every letter."""
    title: str = Field(min_length=1)
    """What it is about, in a few words."""
    text: str = Field(min_length=1)
    """What the judge is to look at, and what not."""
    level: JudgedLevel
    """What one answer is about."""
    form: Form = Form.EITHER
    """How conversations are shown."""
    reference: Reference = Reference.NONE
    """What is shown besides."""
    scale: Points | None = None
    """The scale of all aspects without their own; only rubrics for pairs do without."""
    aspects: Annotated[tuple[Aspect, ...], Field(min_length=1, max_length=30), AfterValidator(_distinct)]
    """What is rated; one answer rates all of them."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        wrong = []
        if self.form is not Form.PAIRWISE:
            lacking = [each.name for each in self.aspects if each.scale is None and self.scale is None]
            if lacking:
                wrong.append(f"there is no scale for {', '.join(lacking)}: give the rubric or the aspect one")
        if self.reference is Reference.REPLY and self.level is JudgedLevel.DIALOGUE:
            wrong.append("a human reply is a reference for turns, but this rubric is about dialogues")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    @property
    def hash(self) -> str:
        """First 12 hexadecimal digits of the sha256 of the whole rubric."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]

    @property
    def signature(self) -> str:
        """Id, version and hash: ``overall|v1|0123456789ab``."""
        return f"{self.id}|v{self.version}|{self.hash}"

    def scale_of(self, aspect: Aspect) -> Points:
        """The scale of an aspect.

        Raises:
            ValueError: the rubric is for pairs only and has none.
        """
        points = aspect.scale or self.scale
        if points is None:
            raise ValueError(f"{self.id} has no scale: it is for pairs.")
        return points

    def allows(self, form: Form) -> bool:
        """Whether conversations may be shown in this form."""
        return self.form in (form, Form.EITHER)


ENDING = ".yaml"
ENDINGS = (ENDING, ".yml")
HINT = "To start from a bundled one, print it: trialogue list rubrics overall"


def rubric_names() -> list[str]:
    """Names of the rubrics that come with Trialogue, sorted."""
    return sorted(
        each.name[: -len(ENDING)] for each in _bundled_files().iterdir() if each.name[-len(ENDING) :] == ENDING
    )


def load_rubric(given: str | Path) -> Rubric:
    """Get a rubric by its name, or read a file.

    Args:
        given: a name of ``rubric_names``, or the path of a YAML file.

    Raises:
        UnknownNameError: neither a name nor a file.
        DataError: the file has mistakes; all are listed, with line and field.
    """
    if isinstance(given, str) and given in rubric_names():
        return _bundled_rubric(given)
    path = Path(given)
    if path.suffix in ENDINGS or path.is_file():
        return read_rubric(path)
    raise UnknownNameError(
        "rubric", str(given), rubric_names(), hint="For your own rubric, give the path of its YAML file."
    )


def question_names(aspect: str) -> tuple[str, ...]:
    """Other names of the question that an aspect of the rubrics that come with Trialogue is compared with.

    >>> question_names("dialogue_overall")[0], question_names("none")
    ('overall', ())
    """
    return next(
        (each.also for name in rubric_names() for each in _bundled_rubric(name).aspects if each.name == aspect), ()
    )


def read_rubric(path: Path) -> Rubric:
    """Read and validate a rubric file.

    Raises:
        DataError: it cannot be read, or has mistakes; all are listed, with line and field.
    """
    fields = read_fields(path, hint=HINT)
    try:
        return Rubric.model_validate(fields)
    except ValidationError as error:
        raise DataError(
            problems_of_fields(error, fields, Rubric, file=str(path), lines=lines_of(path)), hint=HINT
        ) from error


def rubric_source(name: str) -> str:
    """The file of a rubric that comes with Trialogue, to begin one's own with.

    Raises:
        UnknownNameError: there is none of the name.
    """
    if name not in rubric_names():
        raise UnknownNameError("rubric", name, rubric_names())
    text: str = (_bundled_files() / f"{name}{ENDING}").read_text(encoding="utf-8")
    return text


@cache
def _bundled_rubric(name: str) -> Rubric:
    with as_file(_bundled_files() / f"{name}{ENDING}") as path:
        return read_rubric(path)


def _bundled_files() -> Any:
    return files("trialogue.judges") / "bundled"
