"""The pages on which people judge: what each shows, and what it makes of what was sent. They know no system's name.

An answer speaks of positions ("1" is what was shown first); which system stood there is known to the slot alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

from django.utils.translation import gettext

from trialogue.records import JsonValue
from trialogue.study.design.questions import Answers, Question, Words, answers_to, said
from trialogue.study.pages.fields import Field, fields_of

Posted = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Line:
    """One message of a dialogue on a page."""

    speaker: str
    """``user`` or ``system``."""
    text: str
    asked_about: bool = False
    """Whether the page's question is about it."""
    first: bool = True
    """Whether its speaker did not have the message before, too."""


@dataclass(frozen=True)
class Taken:
    """What a page made of a form."""

    values: dict[str, JsonValue]
    """The answer as it is stored; to be used only if nothing is wrong."""
    parts: dict[str, Answers] = field(default_factory=dict)
    """Answers by prefix of their fields, to be shown again."""

    @property
    def wrong(self) -> bool:
        """Whether something is missing or cannot be taken."""
        return any(part.wrong for part in self.parts.values())


class TaskPage(Protocol):
    """One page with a task."""

    @property
    def template(self) -> str:
        """Name of its template."""
        ...

    def take(self, posted: Posted) -> Taken:
        """What was sent."""
        ...

    def context(self, language: str, taken: Taken | None = None) -> dict[str, Any]:
        """What its template shows; with what was sent, if that could not be taken."""
        ...


def talk(lines: Sequence[Line | Mapping[str, Any]], *, asked_about: int | None = None) -> list[Line]:
    """Messages for a page: who speaks is said once for several in a row."""
    shown: list[Line] = []
    for place, line in enumerate(lines):
        speaker, text = (line.speaker, line.text) if isinstance(line, Line) else (line["speaker"], line["text"])
        shown.append(Line(speaker, text, place == asked_about, not shown or shown[-1].speaker != speaker))
    return shown


def wrong_ones(fields: Sequence[Field]) -> list[Field]:
    """The fields for the list of what is missing."""
    return [each for each in fields if each.error]


@dataclass(frozen=True)
class RatingPage:
    """A situation, and replies that are rated one by one."""

    lines: Sequence[Line]
    replies: Sequence[str]
    """Texts in the order shown."""
    criteria: Sequence[Question]
    """Asked for each reply."""
    overall: Sequence[Question] = ()
    """Asked once, below them."""
    template: str = "study/rating.html"

    def take(self, posted: Posted) -> Taken:
        """``{"ratings": [answers to the criteria, ...]}`` in the order shown, and answers to what is asked once."""
        parts = {
            f"r{place}-": answers_to(self.criteria, posted, prefix=f"r{place}-")
            for place, _ in enumerate(self.replies, 1)
        }
        ratings: list[JsonValue] = [{**part.values} for part in parts.values()]
        parts[""] = answers_to(self.overall, posted)
        return Taken({"ratings": ratings, **parts[""].values}, parts)

    def context(self, language: str, taken: Taken | None = None) -> dict[str, Any]:
        """Cards with their questions."""
        parts = taken.parts if taken else {}
        asked = [self._asked(place, language, parts) for place, _ in enumerate(self.replies, 1)]
        overall = fields_of(self.overall, language, answers=parts.get(""))
        cards = [{"text": text, "fields": fields} for text, fields in zip(self.replies, asked, strict=True)]
        wrong = wrong_ones([*chain.from_iterable(asked), *overall])
        return {"talk": self.lines, "cards": cards, "fields": overall, "wrong_fields": wrong, "wide": True}

    def _asked(self, place: int, language: str, parts: Mapping[str, Answers]) -> list[Field]:
        """The criteria's fields for one reply."""
        return fields_of(
            self.criteria,
            language,
            answers=parts.get(f"r{place}-"),
            prefix=f"r{place}-",
            where=gettext("Reply %(number)s") % {"number": place},
            stacked=len(self.replies) > 1,
        )


@dataclass(frozen=True)
class ComparisonPage:
    """Two replies or two dialogues, and questions about both."""

    lines: Sequence[Line]
    """The situation; empty for dialogues."""
    sides: Sequence[str | Sequence[Line]]
    """Two texts, or two dialogues, in the order shown."""
    titles: Sequence[str]
    questions: Sequence[Question]
    template: str = "study/compare.html"

    def take(self, posted: Posted) -> Taken:
        """Answers by name."""
        part = answers_to(self.questions, posted)
        return Taken(part.values, {"": part})

    def context(self, language: str, taken: Taken | None = None) -> dict[str, Any]:
        """Two sides, and the questions."""
        fields = fields_of(self.questions, language, answers=taken.parts[""] if taken else None)
        cards = [
            {"title": title, **({"text": side} if isinstance(side, str) else {"talk": side})}
            for title, side in zip(self.titles, self.sides, strict=True)
        ]
        return {
            "talk": self.lines,
            "cards": cards,
            "fields": fields,
            "wrong_fields": wrong_ones(fields),
            "wide": True,
        }


@dataclass(frozen=True)
class Label:
    """One label that a message can get."""

    name: str
    title: Words
    definition: Words = ""
    use: Words = ""
    avoid: Words = ""
    examples: Sequence[Words] = ()
    neighbors: Sequence[tuple[Words, Words]] = ()
    """What it is confused with, and how to tell."""


@dataclass(frozen=True)
class LabelPage:
    """A dialogue with one message marked, and labels to choose from."""

    lines: Sequence[Line]
    labels: Sequence[Label]
    question: Question
    """A choice whose options are the labels' names."""
    others: Sequence[Question] = ()
    template: str = "study/label.html"

    def take(self, posted: Posted) -> Taken:
        """Answers by name."""
        part = answers_to([self.question, *self.others], posted)
        return Taken(part.values, {"": part})

    def context(self, language: str, taken: Taken | None = None) -> dict[str, Any]:
        """Labels with their guidelines."""
        answers = taken.parts[""] if taken else None
        label, *others = fields_of([self.question, *self.others], language, answers=answers)
        chosen = [option.value for option in label.options if option.chosen]
        return {
            "talk": self.lines,
            "label": label,
            "labels": [
                _label(each, language, f"{label.element}-{place}", chosen) for place, each in enumerate(self.labels, 1)
            ],
            "fields": others,
            "wrong_fields": wrong_ones([label, *others]),
            "wide": True,
        }


def _label(label: Label, language: str, element: str, chosen: Sequence[str]) -> dict[str, Any]:
    return {
        "element": element,
        "value": label.name,
        "chosen": label.name in chosen,
        "title": said(label.title, language),
        "definition": said(label.definition, language),
        "use": said(label.use, language),
        "avoid": said(label.avoid, language),
        "examples": [said(each, language) for each in label.examples],
        "neighbors": [{"title": said(title, language), "how": said(how, language)} for title, how in label.neighbors],
    }


@dataclass(frozen=True)
class QuestionsPage:
    """Questions, one below the other."""

    questions: Sequence[Question]
    template: str = "study/questions.html"

    def take(self, posted: Posted) -> Taken:
        """Answers by name."""
        part = answers_to(self.questions, posted)
        return Taken(part.values, {"": part})

    def context(self, language: str, taken: Taken | None = None) -> dict[str, Any]:
        """The questions' fields."""
        fields = fields_of(self.questions, language, answers=taken.parts[""] if taken else None)
        return {"fields": fields, "wrong_fields": wrong_ones(fields)}
