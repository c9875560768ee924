"""The kinds of question that a study asks, and what an answer to each may be. No Django.

A question in a study file has a name, the question itself and one of five kinds:

=============  ==========================================================  ==================================
key            what it holds                                               an answer
=============  ==========================================================  ==================================
``scale``      labels of the points, from the first to the last            the point, counted from 1
``choice``     options, one of which is chosen                             the option's value
``choices``    options, any of which are chosen                            list of values, in the study's order
``text``       ``{lines: 3, at_least: 0, at_most: 2000}``                  the text, trimmed
``number``     ``{low: 18, high: 99, whole: true}``                        the number
=============  ==========================================================  ==================================

A question that was left out has the answer None. Every text may be one text, or texts by language: ``{en: ..., de: ...}``.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from trialogue.records import JsonValue, Record

Kind: TypeAlias = Literal["scale", "choice", "choices", "text", "number"]
Words: TypeAlias = str | dict[str, str]
"""One text for everybody, or texts by language code."""
Answer: TypeAlias = int | float | str | list[str] | None
"""What is stored of an answer; None: left out."""
Code: TypeAlias = Literal[
    "missing", "unknown", "too_short", "too_long", "not_a_number", "not_whole", "too_low", "too_high"
]

NAME = r"^[a-z][a-z0-9_]{0,63}$"
LONGEST = 20_000  # characters of a text answer, whatever the study file says: a form is no place for a book
UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # categories of characters that leave no trace on a page
DIGITS = 18  # characters of a number; nothing that people are asked has more


def said(words: Words, language: str) -> str:
    """The text in a language: that one, its parent (``de`` for ``de-at``), English, or whatever there is.

    >>> said({"en": "Yes", "de": "Ja"}, "de-at")
    'Ja'
    """
    if isinstance(words, str):
        return words
    order = (language, language.partition("-")[0], "en")
    return next((words[each] for each in order if each in words), next(iter(words.values()), ""))


class Option(Record):
    """One option of a choice."""

    value: str = Field(min_length=1, max_length=200)
    """What is stored when it is chosen."""
    label: Words
    """What people read."""
    help: Words = ""
    """A line below it, such as a definition."""
    use: Words = ""
    """When it is the right one; guidelines of labels."""
    avoid: Words = ""
    """When it is not, though it may look so."""
    examples: tuple[Words, ...] = ()
    """Examples of what it stands for."""


def _option(given: Any) -> Any:
    """An option that is a bare text is its own value."""
    return {"value": given, "label": given} if isinstance(given, str) else given


Options: TypeAlias = Annotated[
    tuple[Annotated[Option, BeforeValidator(_option)], ...], Field(min_length=2, max_length=200)
]


class TextLimits(Record):
    """What a text may be."""

    lines: int = Field(default=1, ge=1, le=30)
    """Height of the field; 1: a single line."""
    at_least: int = Field(default=0, ge=0, le=LONGEST)
    """Characters that an answer needs, spaces at its ends not counted."""
    at_most: int = Field(default=2_000, ge=1, le=LONGEST)
    """Characters that it may have."""


class NumberLimits(Record):
    """What a number may be."""

    low: float | None = None
    """The lowest; None: any."""
    high: float | None = None
    """The highest; None: any."""
    whole: bool = True
    """Whether it has to be a whole number."""


class Question(Record):
    """One question, of one kind."""

    name: str = Field(pattern=NAME)
    """Names the answer in the database and the export."""
    question: Words
    """What is asked."""
    help: Words = ""
    """A line below the question."""
    required: bool = True
    """Whether it has to be answered."""
    scale: Annotated[tuple[Words, ...], Field(min_length=2, max_length=11)] | None = None
    """Labels of the points; "" for a point without words, as between labelled ends."""
    choice: Options | None = None
    """Options, one of which is chosen."""
    choices: Options | None = None
    """Options, any of which are chosen."""
    text: TextLimits | None = None
    """A text."""
    number: NumberLimits | None = None
    """A number."""

    @model_validator(mode="after")
    def _one_kind(self) -> "Question":
        kinds = [kind for kind in ("scale", "choice", "choices", "text", "number") if getattr(self, kind) is not None]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of them"
            raise ValueError(
                f"question {self.name!r} needs one of scale, choice, choices, text, number; it has {found}"
            )
        if self.scale is not None and not (self.scale[0] and self.scale[-1]):
            raise ValueError(f"the scale of question {self.name!r} needs words for its first and last point")
        values = [option.value for option in self.options]
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise ValueError(f"question {self.name!r} has options with the same value: {', '.join(twice)}")
        return self

    @property
    def kind_of_answer(self) -> Kind:
        """Which of the five kinds it is."""
        kinds: tuple[Kind, ...] = ("scale", "choice", "choices", "text", "number")
        return next(kind for kind in kinds if getattr(self, kind) is not None)

    @property
    def options(self) -> tuple[Option, ...]:
        """What can be chosen; empty for texts and numbers. The points of a scale are options with values "1", "2", ..."""
        if self.scale is not None:
            return tuple(Option(value=str(point), label=label) for point, label in enumerate(self.scale, 1))
        return self.choice or self.choices or ()


@dataclass(frozen=True)
class Wrong:
    """Why an answer cannot be taken, for the page to say in the reader's language."""

    code: Code
    """What is wrong."""
    limit: float | None = None
    """The limit that it breaks: characters, or the lowest or highest number."""


@dataclass(frozen=True)
class Answers:
    """Answers to several questions."""

    values: dict[str, JsonValue] = field(default_factory=dict)
    """Answer by name of the question, of those that can be taken."""
    wrong: dict[str, Wrong] = field(default_factory=dict)
    """What is wrong with the others."""
    given: dict[str, list[str]] = field(default_factory=dict)
    """What was posted, as it came, to be shown again."""


def answer_to(question: Question, given: Sequence[str]) -> Answer | Wrong:
    """The answer that a form's values give to a question, or what is wrong with them. Never raises.

    Args:
        question: what was asked.
        given: the values that the form sent under its name: none, one, or several for ``choices``.

    >>> answer_to(Question(name="age", question="Age?", number=NumberLimits(low=18)), ["17"])
    Wrong(code='too_low', limit=18.0)
    """
    values = [clean(each) for each in given]
    values = [each for each in values if each]
    if not values:
        return Wrong("missing") if question.required else None
    if question.text is not None:
        return _text(values[-1], question.text)
    if question.number is not None:
        return _number(values[-1], question.number)
    return _chosen(question, values)


def answers_to(questions: Iterable[Question], posted: Mapping[str, Sequence[str]], *, prefix: str = "") -> Answers:
    """Answers to several questions; the form's fields are named ``prefix`` and the question's name."""
    answers = Answers()
    for question in questions:
        given = list(posted.get(prefix + question.name, ()))
        answers.given[question.name] = given
        answer = answer_to(question, given)
        if isinstance(answer, Wrong):
            answers.wrong[question.name] = answer
        else:
            answers.values[question.name] = [*answer] if isinstance(answer, list) else answer
    return answers


def clean(text: str) -> str:
    """A text as it is stored: line breaks as ``\\n``, no NUL or lone surrogate (no database takes them), trimmed.

    "" for a text in which nothing can be seen, such as one of zero-width spaces.

    >>> clean(" a\\r\\nb\\x00 ")
    'a\\nb'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    text = text.encode("utf-8", "replace").decode("utf-8").strip()
    return text if any(unicodedata.category(each) not in UNSEEN for each in text) else ""


def _chosen(question: Question, values: list[str]) -> Answer | Wrong:
    known = [option.value for option in question.options]
    if any(value not in known for value in values):
        return Wrong("unknown")
    if question.choices is not None:
        return [value for value in known if value in values]
    if len(set(values)) > 1:
        return Wrong("unknown")
    return int(values[0]) if question.scale is not None else values[0]


def _text(text: str, limits: TextLimits) -> Answer | Wrong:
    if len(text) < limits.at_least:
        return Wrong("too_short", limits.at_least)
    return Wrong("too_long", limits.at_most) if len(text) > limits.at_most else text


def _number(text: str, limits: NumberLimits) -> Answer | Wrong:
    written = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    if len(written) > DIGITS or not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", written, re.ASCII):
        return Wrong("not_a_number")
    number = float(written)
    if limits.whole and not number.is_integer():
        return Wrong("not_whole")
    if number < (low := -math.inf if limits.low is None else limits.low):
        return Wrong("too_low", low)
    if number > (high := math.inf if limits.high is None else limits.high):
        return Wrong("too_high", high)
    return int(number) if limits.whole else number
