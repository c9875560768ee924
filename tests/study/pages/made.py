"""A step of every kind, made of texts that a test chooses."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import RequestFactory

from trialogue.study.design.pages import (
    ChatShown,
    FeedbackShown,
    LabelShown,
    Line,
    PairShown,
    Part,
    RatingShown,
    Row,
    Step,
)
from trialogue.study.design.questions import NumberLimits, Option, Question, TextLimits, answers_to
from trialogue.study.models import Study
from trialogue.study.pages.contents import show

Texts = Callable[[str], str]


def plain(text: str) -> str:
    return text


def questions(texts: Texts) -> tuple[Question, ...]:
    """One of every kind, and scales of both looks."""
    return (
        Question(name="scale", question=texts("How meaningful?"), scale=tuple(map(texts, ("not", "a bit", "very")))),
        Question(name="ends", question=texts("How engaging?"), scale=(texts("not at all"), "", "", texts("very"))),
        Question(
            name="choice",
            question=texts("How old are you?"),
            help=texts("In years."),
            choice=(
                Option(value="a", label=texts("18 to 24")),
                Option(value="b", label=texts("older"), help=texts("25 or more")),
            ),
        ),
        Question(
            name="choices",
            question=texts("What do you watch?"),
            required=False,
            choices=tuple(Option(value=f"v{n}", label=texts(f"kind {n}")) for n in range(9)),
        ),
        Question(name="line", question=texts("Your country?"), text=TextLimits()),
        Question(name="text", question=texts("Why?"), text=TextLimits(lines=3, at_least=10)),
        Question(name="number", question=texts("How many films?"), number=NumberLimits(low=0, high=99)),
    )


def steps(texts: Texts = plain) -> dict[str, Step]:
    """Steps by name, each with texts of the study's author, of corpora and of systems."""
    asked = questions(texts)
    lines = (
        Line("user", texts('I look for a film like "Troy (2004)".')),
        Line("system", texts("Have you seen another one?")),
        Line("system", texts("Or do you want something new?")),
        Line("user", texts("Something new, please.")),
    )
    rating = RatingShown(lines, (texts('Try "Dunkirk (2017)".'), texts("I have not seen that one."), ""))
    parts = tuple(Part(f"r{place}-", asked[:2]) for place in (1, 2, 3))
    sides = Part(
        "", (sided("choice", texts), Question(name="reason", question=texts("Why?"), text=TextLimits(lines=3)))
    )
    label = Question(
        name="label",
        question=texts("Which strategy?"),
        choice=(
            Option(value="another", label=texts("another label")),
            Option(
                value="own",
                label=texts("own label"),
                help=texts("a definition"),
                use=texts("a use"),
                avoid=texts("a limit"),
                examples=(texts("an example"),),
            ),
        ),
    )
    rows = tuple(Row(place, asked[0], 1, point) for place, point in ((1, 1), (2, 3), (3, None)))
    chatting: dict[str, Any] = {"number": 1, "of": 2, "task": texts("Find a film."), "turn": 2, "turns_left": 3}
    task: dict[str, Any] = {"number": 5, "of": 9, "token": "token"}
    return {
        "consent": Step("consent", "consent", 1, 9, "token", text=texts("You may leave at any time.")),
        "questions": Step("before:1", "questions", 2, 9, "token", (Part("", asked),), text=texts("About you.")),
        "instructions": Step("instructions", "instructions", 3, 9, "token", text=texts("Read and rate.")),
        "comprehension": Step(
            "comprehension:2", "comprehension", 4, 9, "token", (Part("", asked[2:3]),), attempt=2, attempts=2
        ),
        "rating": Step("task:1", "task", parts=(*parts, Part("", asked[5:6])), item="rating", content=rating, **task),
        "one reply": Step(
            "task:1", "task", parts=parts[:1], item="rating", content=RatingShown(lines, rating.replies[:1]), **task
        ),
        "preference": Step(
            "task:1", "task", parts=(sides,), item="preference", content=PairShown(lines, rating.replies[:2]), **task
        ),
        "realism": Step(
            "task:1", "task", parts=(sides,), item="realism", content=PairShown((), (lines, lines[::-1])), **task
        ),
        "labelling": Step(
            "task:1", "task", parts=(Part("", (label,)),), item="labelling", content=LabelShown(lines, 2), **task
        ),
        "feedback": Step(
            "feedback:1",
            "feedback",
            item="rating",
            content=FeedbackShown(rating, False, texts("The second one answers nothing."), rows),
            **task,
        ),
        "chat": Step(
            "task:1",
            "chat",
            item="chat",
            content=ChatShown(
                lines=lines[:3], turns_needed=1, ended=False, waiting=False, turn_questions=asked[1:2], **chatting
            ),
            **task,
        ),
        "first message": Step(
            "task:1",
            "chat",
            item="chat",
            content=ChatShown(lines=(), turns_needed=0, ended=False, waiting=False, **chatting),
            **task,
        ),
        "waiting": Step(
            "task:1",
            "chat",
            item="chat",
            content=ChatShown(lines=lines, turns_needed=0, ended=False, waiting=True, **chatting),
            **task,
        ),
        "after the chat": Step(
            "task:1",
            "chat",
            parts=(Part("", asked[:1]),),
            item="chat",
            content=ChatShown(lines=lines, turns_needed=0, ended=True, waiting=False, **chatting),
            **task,
        ),
    }


def sided(name: str, texts: Texts) -> Question:
    options = (("first", "A"), ("same", "both the same"), ("second", "B"))
    return Question(
        name=name,
        question=texts("Which one?"),
        choice=tuple(Option(value=value, label=texts(label)) for value, label in options),
    )


def study(texts: Texts = plain, **more: Any) -> Study:
    """A study that is stored nowhere."""
    messages = {
        "title": texts("Which reply?"),
        "language": "en",
        "languages": ["en", "de"],
        "contact": texts("lab@example.org"),
    }
    return Study(slug="s1", configuration={**messages, **more}, sha256="", seed=1)


def page(step: Step, *, texts: Texts = plain, language: str = "en", wrong: bool = False, **more: Any) -> HttpResponse:
    """The page of a step; ``wrong``: after a form without any answer."""
    request = RequestFactory().get("/s1/step/", {"language": language})
    request.user = AnonymousUser()
    given = {part.prefix: answers_to(part.questions, {}, prefix=part.prefix) for part in step.parts} if wrong else None
    return show(request, study(texts, **more), step, given=given)


def html(response: HttpResponse) -> str:
    return response.content.decode()
