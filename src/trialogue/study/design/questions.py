"""Question types of a study, and validation of their answers. No Django.

A question in a study file has a name, the question itself and one of eight kinds:

=============  ==========================================================  ==================================
key            what it holds                                               an answer
=============  ==========================================================  ==================================
``scale``      labels of the points, from the first to the last            the point, counted from 1
``choice``     options, one of which is chosen                             the option's value
``choices``    options, any of which are chosen                            list of values, in the study's order
``text``       ``{lines: 3, at_least: 0, at_most: 2000}``                  the text, trimmed
``number``     ``{low: 18, high: 99, whole: true}``                        the number
``slider``     ``{low: 0, high: 100, step: 1, ends: [bad, good]}``         the number
``ranking``    options that are put in order, or ``replies``               list of values, the best first
``best_worst`` options of which two are chosen, or ``replies``             [value of the best, value of the worst]
=============  ==========================================================  ==================================

``replies`` stands for the replies shown by an item of a rating study: "1" for the one shown first, and so on. With
``only_if: {OTHER: [VALUE, ...]}`` a question counts only if another one above it on the page was answered so.

A skipped question has the answer None. Every text may be one text, or texts by language: ``{en: ..., de: ...}``.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeAlias

import yaml
from pydantic import BeforeValidator, Field, model_validator

from trialogue.records import JsonValue, Record, Scale
from trialogue.study.design.assignment import best_worst_of, ranking_of

Kind: TypeAlias = Literal["scale", "choice", "choices", "text", "number", "slider", "ranking", "best_worst"]
KINDS: tuple[Kind, ...] = ("scale", "choice", "choices", "text", "number", "slider", "ranking", "best_worst")
REPLIES = "replies"
Words: TypeAlias = str | dict[str, str]
"""One text for everybody, or texts by language code."""
Answer: TypeAlias = int | float | str | list[str] | None
"""Stored value of an answer; None: not stored."""
Code: TypeAlias = Literal[
    "missing",
    "unknown",
    "too_short",
    "too_long",
    "not_a_number",
    "ambiguous",
    "not_whole",
    "too_low",
    "too_high",
    "not_ranked",
    "same_twice",
]

NAME = r"^[a-z][a-z0-9_]{0,63}$"
LONGEST = 20_000  # characters of a text answer, whatever the study file says: a form is no place for a book
UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # categories of characters that leave no trace on a page
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")
"""What some read as thousands and others as decimals: "25,000" is 25 or 25000, and so is "25.000"."""
DIGITS = 18  # characters of a number; nothing that people are asked has more


@cache
def own_texts() -> dict[str, Any]:
    """What a study asks by itself, by language, from ``texts.yaml``."""
    found: dict[str, Any] = yaml.safe_load(files("trialogue.study.design").joinpath("texts.yaml").read_text("utf-8"))
    return found


def text_in(words: Words, language: str) -> str:
    """The text in a language: that one, its parent (``de`` for ``de-at``), English, or whatever there is.

    >>> text_in({"en": "Yes", "de": "Ja"}, "de-at")
    'Ja'
    """
    if isinstance(words, str):
        return words
    order = (language, language.partition("-")[0], "en")
    return next((words[each] for each in order if each in words), next(iter(words.values()), ""))


class Option(Record):
    """One option of a choice."""

    value: str = Field(min_length=1, max_length=200)
    """Value that is stored if the option is chosen."""
    label: Words
    """Label that participants read."""
    help: Words = ""
    """A line below it, such as a definition."""
    use: Words = ""
    """When it is the right one; guidelines of labels."""
    avoid: Words = ""
    """When it is not, though it may look so."""
    examples: tuple[Words, ...] = ()
    """Examples of the option."""


def _option(given: Any) -> Any:
    """An option that is a bare text is its own value."""
    return {"value": given, "label": given} if isinstance(given, str) else given


Options: TypeAlias = Annotated[
    tuple[Annotated[Option, BeforeValidator(_option)], ...], Field(min_length=2, max_length=200)
]


class TextLimits(Record):
    """Limits of a text answer."""

    lines: int = Field(default=1, ge=1, le=30)
    """Height of the field; 1: a single line."""
    at_least: int = Field(default=0, ge=0, le=LONGEST)
    """Minimum number of characters, not counting spaces at the ends."""
    at_most: int = Field(default=2_000, ge=1, le=LONGEST)
    """Maximum number of characters."""


class NumberLimits(Record):
    """Limits of a numeric answer."""

    low: float | None = None
    """The lowest; None: any."""
    high: float | None = None
    """The highest; None: any."""
    whole: bool = True
    """Whether it must be a whole number."""


class SliderLimits(Record):
    """A line between two ends, on which a position is chosen."""

    low: float = 0
    """The number at the left end."""
    high: float = 100
    """The number at the right end."""
    step: float = Field(default=1, gt=0)
    """Distance between two positions."""
    ends: tuple[Words, Words]
    """Labels of the two ends."""

    @model_validator(mode="after")
    def _has_places(self) -> "SliderLimits":
        places = (self.high - self.low) / self.step
        if not 1 <= places <= 10_000 or abs(places - round(places)) > 1e-9:
            raise ValueError("a slider's 'high' must exceed its 'low' by a whole number of steps, from 1 to 10,000")
        return self


class Question(Record):
    """One question, of one kind."""

    name: str = Field(pattern=NAME)
    """Name of the answer in the database and the export."""
    question: Words
    """Text of the question."""
    help: Words = ""
    """A line below the question."""
    required: bool = True
    """Whether an answer is required."""
    scale: Annotated[tuple[Words, ...], Field(min_length=2, max_length=11)] | None = None
    """Labels of the points; "" for a point without words, as between labelled ends."""
    first: Annotated[int, Field(ge=0, le=1)] = 1
    """Number of the first point of a scale."""
    choice: Options | None = None
    """Options, one of which is chosen."""
    choices: Options | None = None
    """Options, any of which are chosen."""
    text: TextLimits | None = None
    """A text, within limits."""
    number: NumberLimits | None = None
    """A number, within limits."""
    slider: SliderLimits | None = None
    """A place on a line."""
    ranking: Literal["replies"] | Options | None = None
    """Options that are put in order, or the replies of the item."""
    best_worst: Literal["replies"] | Options | None = None
    """Options of which the best and the worst are chosen, or the replies of the item."""
    only_if: dict[str, tuple[str, ...]] | None = Field(default=None, max_length=1)
    """A question above it on the page, and the answers to it for which this question is asked."""

    @model_validator(mode="after")
    def _one_kind(self) -> "Question":
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of them"
            raise ValueError(f"question {self.name!r} needs one of {', '.join(KINDS)}; it has {found}")
        if self.only_if is not None and not self.only_if:
            raise ValueError(f"only_if of question {self.name!r} needs the name of another question and its answers")
        if self.scale is not None and not (self.scale[0] and self.scale[-1]):
            raise ValueError(f"the scale of question {self.name!r} needs labels for its first and last points")
        if self.scale is None and self.first != 1:
            raise ValueError(f"question {self.name!r} sets 'first' to {self.first}, but has no scale")
        values = [option.value for option in self.options]
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise ValueError(f"question {self.name!r} has options with the same value: {', '.join(twice)}")
        return self

    @property
    def kind_of_answer(self) -> Kind:
        """Kind of the question."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def is_numeric(self) -> bool:
        """Whether an answer is a number."""
        return self.scale is not None or self.number is not None or self.slider is not None

    @property
    def of_replies(self) -> bool:
        """Whether it orders the replies of an item, which differ from page to page."""
        return REPLIES in (self.ranking, self.best_worst)

    def for_replies(self, replies: int) -> "Question":
        """The question as it is asked about so many replies."""
        if not self.of_replies:
            return self
        names = tuple(Option(value=str(place), label=_reply_words(place)) for place in range(1, replies + 1))
        return self.model_copy(update={"ranking" if self.ranking is not None else "best_worst": names})

    @property
    def limits(self) -> Scale | None:
        """Lowest and highest number that an answer can be; None: unbounded, or no number."""
        if self.scale is not None:
            return Scale.of(self.first, self.first + len(self.scale) - 1)
        ends = self.slider or self.number
        return None if ends is None else Scale.of(ends.low, ends.high)

    @property
    def options(self) -> tuple[Option, ...]:
        """Options; empty for texts and numbers. The points of a scale are options with numbers as values ("1", "2", ...)."""
        if self.scale is not None:
            return tuple(Option(value=str(point), label=label) for point, label in enumerate(self.scale, self.first))
        ordered = next((each for each in (self.ranking, self.best_worst) if isinstance(each, tuple)), ())
        return self.choice or self.choices or ordered


def _reply_words(place: int) -> Words:
    return {"en": f"Reply {place}", "de": f"Antwort {place}"}


@dataclass(frozen=True)
class InvalidAnswer:
    """Why an answer is invalid, for the page to explain in the reader's language."""

    code: Code
    limit: float | None = None
    """The limit that it breaks: characters, or the lowest or highest number."""


@dataclass(frozen=True)
class Answers:
    """Answers to several questions."""

    values: dict[str, JsonValue] = field(default_factory=dict)
    """Answer by name of the question, of those that can be taken."""
    wrong: dict[str, InvalidAnswer] = field(default_factory=dict)
    """Errors of invalid answers."""
    given: dict[str, list[str]] = field(default_factory=dict)
    """Submitted values as received, to be shown again."""


def answer_to(question: Question, given: Sequence[str]) -> Answer | InvalidAnswer:
    """Parse the values of a form into an answer to a question, or the reason why it is invalid. Never raises.

    Args:
        question: what was asked.
        given: the values submitted under its name: none, one, or several for ``choices``.

    >>> answer_to(Question(name="age", question="Age?", number=NumberLimits(low=18)), ["17"])
    InvalidAnswer(code='too_low', limit=18.0)
    """
    values = [clean(each) for each in given]
    values = [each for each in values if each]
    if not values:
        return InvalidAnswer("missing") if question.required else None
    if question.text is not None:
        return _text(values[-1], question.text)
    if question.number is not None:
        typed = values[-1]
        return InvalidAnswer("ambiguous") if THOUSANDS.fullmatch(typed) else _number(typed, question.number)
    if question.slider is not None:
        return _parse_slider(values[-1], question.slider)
    if question.ranking is not None or question.best_worst is not None:
        order = ranking_of if question.ranking is not None else best_worst_of
        found = order(values, [option.value for option in question.options])
        return found if isinstance(found, list) else InvalidAnswer(found)
    return _parse_choice(question, values)


def answers_to(questions: Iterable[Question], posted: Mapping[str, Sequence[str]], *, prefix: str = "") -> Answers:
    """Answers to several questions; the form's fields are named ``prefix`` and the question's name."""
    answers = Answers()
    for question in questions:
        given = list(posted.get(prefix + question.name, ()))
        answers.given[question.name] = given
        answer = answer_to(question, given) if _counts(question, answers) else None
        if isinstance(answer, InvalidAnswer):
            answers.wrong[question.name] = answer
        else:
            answers.values[question.name] = [*answer] if isinstance(answer, list) else answer
    return answers


def _counts(question: Question, answers: Answers) -> bool:
    """Whether a question is asked, given the answers to those above it."""
    for name, wanted in (question.only_if or {}).items():
        value = answers.values.get(name)
        given = [str(each) for each in value] if isinstance(value, list) else [str(value)]
        if not set(given) & set(wanted):
            return False
    return True


def conditions_of(questions: Sequence[Question]) -> list[str]:
    """Mistakes in conditions of questions on one page: each must name one above it, and its answers."""
    wrong: list[str] = []
    above: dict[str, Question] = {}
    for question in questions:
        for name, wanted in (question.only_if or {}).items():
            known = [option.value for option in above[name].options] if name in above else []
            if name not in above:
                wrong.append(f"only_if of {question.name!r} names {name!r}, which is not asked before it.")
            elif off := [value for value in wanted if value not in known]:
                wrong.append(f"only_if of {question.name!r}: {off[0]!r} is not an answer to {name!r}.")
        above[question.name] = question
    return wrong


def clean(text: str) -> str:
    """A text as it is stored: line breaks as ``\\n``, no NUL or lone surrogate (no database takes them), trimmed.

    "" for a text in which nothing can be seen, such as one of zero-width spaces.

    >>> clean(" a\\r\\nb\\x00 ")
    'a\\nb'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    text = text.encode("utf-8", "replace").decode("utf-8").strip()
    return text if any(unicodedata.category(each) not in UNSEEN for each in text) else ""


def _parse_choice(question: Question, values: list[str]) -> Answer | InvalidAnswer:
    known = [option.value for option in question.options]
    if any(value not in known for value in values):
        return InvalidAnswer("unknown")
    if question.choices is not None:
        return [value for value in known if value in values]
    if len(set(values)) > 1:
        return InvalidAnswer("unknown")
    return int(values[0]) if question.scale is not None else values[0]


def _text(text: str, limits: TextLimits) -> Answer | InvalidAnswer:
    if len(text) < limits.at_least:
        return InvalidAnswer("too_short", limits.at_least)
    return InvalidAnswer("too_long", limits.at_most) if len(text) > limits.at_most else text


def _parse_slider(text: str, limits: SliderLimits) -> Answer | InvalidAnswer:
    whole = all(float(each).is_integer() for each in (limits.low, limits.high, limits.step))
    number = _number(text, NumberLimits(low=limits.low, high=limits.high, whole=whole))
    if isinstance(number, InvalidAnswer) or not isinstance(number, int | float):
        return number
    steps = (number - limits.low) / limits.step
    return number if abs(steps - round(steps)) < 1e-6 else InvalidAnswer("unknown")


def _number(text: str, limits: NumberLimits) -> Answer | InvalidAnswer:
    written = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    if len(written) > DIGITS or not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", written, re.ASCII):
        return InvalidAnswer("not_a_number")
    number = float(written)
    if limits.whole and not number.is_integer():
        return InvalidAnswer("not_whole")
    if number < (low := -math.inf if limits.low is None else limits.low):
        return InvalidAnswer("too_low", low)
    if number > (high := math.inf if limits.high is None else limits.high):
        return InvalidAnswer("too_high", high)
    return int(number) if limits.whole else number
