"""Structured names of measures, parsed once on input and formatted as one string everywhere else.

Three kinds of measure share a column type, and a file distinguishes them by the form of the name:

* a metric: ``distinct(n=2)@ratio|v1`` (metric, parameters, variant, version);
* a question that people answered: ``human:satisfaction``, or ``human:relevance@response`` where single replies were rated;
* a score that predicts the answers to one question: ``FACE:relevance`` (predictor and aspect).

Two measures may share a column if and only if their names are equal.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

PEOPLE = "human:"
JUDGE = "judge"
"""Name of the columns of language-model judges, where metrics have theirs."""
OF_RESPONSES = "@response"
ESCAPES = {"%": "%25", "@": "%40"}
_METRIC = re.compile(
    r"(?P<metric>[^()@|]+?)(?:\((?P<parameters>.*)\))?(?:@(?P<variant>[^@|:]+))?(?:\|v(?P<version>\d+))?"
    r"(?::(?P<aspect>[^():@|]+))?"
)


class MeasureKind(StrEnum):
    """Kind of measure by its source."""

    METRIC = "metric"
    """A metric's: the name has no prefix."""
    RATING = "rating"
    """Prefix for answers to a question: by people, or by what stands in for them (see ``Raters``)."""
    VOTES = "votes"
    """Prefix for choices between two systems."""


class MeasureName(str):
    """Full name of a measure: a string with its parts as attributes.

    >>> name = MeasureName("distinct(n=2)@ratio|v1")
    >>> name.kind.value, name.metric, name.parameters, name.variant, name.version
    ('metric', 'distinct', 'n=2', 'ratio', 1)
    >>> name = MeasureName.of_question("relevance", level="response")
    >>> str(name), name.kind.value, name.question, name.level
    ('human:relevance@response', 'rating', 'relevance', 'response')
    """

    __slots__ = ("aspect", "kind", "level", "metric", "parameters", "question", "variant", "version")

    kind: MeasureKind
    """Whose judgement it is."""
    metric: str
    """The metric without parameters, variant and version; of a question, the question."""
    aspect: str | None
    """Question that the score is meant to predict, after a colon; None: unspecified."""
    parameters: str
    """The parameters as they are written between parentheses; "" where there are none."""
    variant: str | None
    """The formula; None where the name leaves it open."""
    version: int | None
    """The version of its meaning."""
    question: str | None
    """Question to people; None for a metric."""
    level: Literal["dialogue", "response"] | None
    """Unit of people's answers; None for a metric, whose card states it."""

    def __new__(cls, text: str) -> Self:
        """Parse a name; equal texts are one object."""
        return text if type(text) is cls else _intern(cls, str(text))  # type: ignore[return-value]

    @classmethod
    def of_question(cls, question: str, *, level: Literal["dialogue", "response"] = "dialogue") -> Self:
        """Name of a question; an ``@`` in it is escaped, so that it cannot be mistaken for another level."""
        escaped = "".join(ESCAPES.get(letter, letter) for letter in question)
        escaped = "%76otes" if escaped == "votes" else escaped  # a question of this name is not the votes
        return cls(f"{PEOPLE}{escaped}{OF_RESPONSES if level == 'response' else ''}")

    @property
    def is_judgement(self) -> bool:
        """Whether its values were given by someone rather than computed."""
        return self.kind is not MeasureKind.METRIC

    @property
    def is_of_judge(self) -> bool:
        """Whether its values were given by a language model that judged by a rubric.

        >>> MeasureName("judge(tiny, overall, 0123abcd)@stated|v1:overall").is_of_judge
        True
        """
        return self.metric == JUDGE and self.kind is MeasureKind.METRIC

    @property
    def settings(self) -> dict[str, str]:
        """Words of each parameter, and of the formula under "".

        >>> MeasureName("distinct(n=2)@per_response|v1").settings
        {'n': 'n = 2', '': 'per response'}
        """
        pairs = (each.split("=", 1) for each in self.parameters.split(",") if "=" in each)
        found = {name: f"{name} = {value}" if len(name) == 1 else f"{name} {value}" for name, value in pairs}
        found |= {"": self.variant} if self.variant else {}
        return {name: text.replace("_", " ") for name, text in found.items()}

    @property
    def detail(self) -> str:
        """Parameters and variant in words, which a metric's title omits: ``n = 2, ratio``.

        >>> MeasureName("distinct(n=2)@ratio|v1").detail, MeasureName("human:satisfaction").detail
        ('n = 2, ratio', '')
        """
        return "" if self.is_judgement else ", ".join(self.settings.values())

    @property
    def family(self) -> str:
        """Name of the predictor, without the aspect.

        >>> MeasureName("FACE:relevance").family, MeasureName("length@words|v1").with_aspect("relevance").family
        ('FACE', 'length@words|v1')
        """
        return str(self) if self.aspect is None else str(self)[: -len(f":{self.aspect}")]

    def with_aspect(self, aspect: str) -> Self:
        """The same measure as a prediction of one question."""
        return type(self)(f"{self}:{aspect}")

    @property
    def short(self) -> str:
        """Name without the version, as users type it: ``distinct(n=2)@ratio``."""
        whole, version = self.family, f"|v{self.version}"
        return str(self) if self.version is None or self.is_judgement else whole[: -len(version)]

    @property
    def prose(self) -> str:
        """Words for a sentence that has no title: the question, or the metric without parameters and formula.

        >>> MeasureName("human:overall_quality").prose, MeasureName("need_met(turns=10)@named|v1").prose
        ('overall quality', 'need met')
        """
        words = (self.question or "") if self.is_judgement else " ".join(filter(None, (self.metric, self.aspect)))
        return words.replace("_", " ")

    def is_called(self, text: str) -> bool:
        """Whether user input refers to this measure: the full name, or one that leaves out some of its parts.

        >>> name = MeasureName("distinct(n=2)@ratio|v1")
        >>> [name.is_called(text) for text in ("distinct", "distinct(n=2)", "distinct@ratio", "dist", "distinct@chars")]
        [True, True, True, False, False]
        """
        whole = str(self)
        if whole == text or any(whole.startswith(f"{text}{mark}") for mark in "|@("):
            return True
        asked = MeasureName(text)
        if self.is_judgement or asked.is_judgement or asked.parameters or asked.variant is None:
            return False
        parts = (self.metric, self.variant, self.version if asked.version is not None else None, self.aspect)
        return parts == (asked.metric, asked.variant, asked.version, asked.aspect)

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Pickle as text."""
        return type(self), (str(self),)

    def __str__(self) -> str:
        """The plain text."""
        return str.__str__(self)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Serialise as text, validate to a parsed name."""
        return core_schema.no_info_after_validator_function(
            cls, core_schema.str_schema(), serialization=core_schema.plain_serializer_function_ser_schema(str.__str__)
        )


@lru_cache(maxsize=4096)
def _intern(cls: type[MeasureName], text: str) -> MeasureName:
    name = str.__new__(cls, text)
    if text.startswith(PEOPLE):
        _set_question(name, text.removeprefix(PEOPLE))
        return name
    match = _METRIC.fullmatch(text)
    parts = match.groupdict() if match else {"metric": text}
    name.kind, name.question, name.level = MeasureKind.METRIC, None, None
    name.metric, name.aspect = parts["metric"], parts.get("aspect")
    name.parameters, name.variant = parts.get("parameters") or "", parts.get("variant")
    name.version = int(parts["version"]) if parts.get("version") else None
    return name


def _set_question(name: MeasureName, text: str) -> None:
    name.kind = MeasureKind.VOTES if text == "votes" else MeasureKind.RATING
    name.level = "response" if text.endswith(OF_RESPONSES) else "dialogue"
    name.question = text.removesuffix(OF_RESPONSES).replace("%76otes", "votes").replace("%40", "@").replace("%25", "%")
    name.metric, name.aspect, name.parameters, name.variant, name.version = name.question, None, "", None, None


VOTES = MeasureName(f"{PEOPLE}votes")
"""Name of pairwise votes: people's choice between two systems."""
