"""A small study of every type in the database, and somebody who walks through its pages without a browser."""

import re
from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.study.marked import MARKED
from tests.study.walking import TALK
from trialogue.study.design.items import BY_TYPE
from trialogue.study.design.reading import study_of
from trialogue.study.models import Study
from trialogue.study.services.launching import load

SCALE = ["Entirely meaningless", "Meaningless", "Between", "Somewhat meaningful", "Perfectly meaningful"]
CRITERIA = [{"name": "meaning", "question": "How meaningful is it?", "scale": SCALE}]
OF_TYPE: dict[str, dict[str, Any]] = {
    "rating": {"criteria": CRITERIA},
    "preference": {"reason": "required"},
    "realism": {},
    "labelling": {},
    "chat": {
        "criteria": CRITERIA,
        "agents": {"secret-one": "fixed:Have you seen Heat?", "secret-two": "echo"},
        "chat": {
            "turns": 3,
            "at_least": 1,
            "each_turn": [{"name": "nice", "question": "Fine?", "scale": ["no", "", "yes"]}],
        },
    },
}
FRAME: dict[str, Any] = {
    "title": {"en": "Which reply makes sense?", "de": "Welche Antwort passt?"},
    "languages": ["de"],
    "contact": "lab@example.org",
    "phases": ["consent", "screening", "before", "instructions", "comprehension", "tasks", "after", "exit"],
    "consent": {"version": "1", "text": "You rate replies.\n\n- You can leave at any time."},
    "screening": {
        "questions": [{"name": "adult", "question": "Are you 18 or older?", "choice": ["yes", "no"]}],
        "admit": {"adult": ["yes"]},
    },
    "before": [
        {
            "heading": "About you",
            "questions": [{"name": "films", "question": "How many films a month?", "number": {"low": 0}}],
        }
    ],
    "instructions": "Read the conversation, then judge.",
    "comprehension": {
        "questions": [{"name": "what", "question": "What do you judge?", "choice": ["replies", "films"]}],
        "right": {"what": "replies"},
    },
    "after": [
        {
            "heading": "Almost done",
            "questions": [{"name": "remarks", "question": "Remarks?", "text": {"lines": 3}, "required": False}],
        }
    ],
    "items_per_participant": 2,
    "raters_per_item": 2,
    "minutes": 5,
    "attention": {"checks": 0},
}


def item(kind: str, number: int, text: str = "") -> dict[str, Any]:
    """Item of a type; ``text`` is said in it, too."""
    key, talk = f"secret-item-{number}", [*TALK, {"speaker": "user", "text": text or f"Number {number}."}]
    whole = {"human": {"id": f"h{number}", "messages": talk}, "simulated": {"id": f"s{number}", "messages": talk}}
    of_kind: dict[str, dict[str, Any]] = {
        "rating": {
            "key": key,
            "context": talk,
            "responses": {
                "secret-one": text or 'Try "Dunkirk (2017)".',
                "secret-two": "No idea.",
                "secret-three": "Bye!",
            },
        },
        "preference": {"key": key, "context": talk, "responses": {"secret-one": text or "A?", "secret-two": "B?"}},
        "realism": {"key": key, "simulator": "secret-simulator", **whole},
        "labelling": {"key": key, "messages": talk, "utterance": 1},
        "chat": {"key": key, "agents": ["secret-one", "secret-two"], "task": "Look for a thriller."},
    }
    return of_kind[kind]


def running(kind: str = "rating", *, text: str = "", items: int = 3, **more: Any) -> Study:
    """A study that people may enter."""
    file = study_of({"study": kind, "type": kind, **FRAME, **OF_TYPE[kind], **more})
    made = [BY_TYPE[kind].model_validate(item(kind, number, text)) for number in range(items)]
    study = load(file, list(made), "0" * 64)
    study.state = Study.State.RUNNING
    study.save()
    return study


def labels(**more: Any) -> Study:
    """A labelling study of messages that could be out of view, which everybody sees all of."""
    fields: dict[str, Any] = {"study": "labels", "type": "labelling", "title": "Labels", "phases": ["tasks", "exit"]}
    fields |= {"attention": {"checks": 0}, "items_per_participant": len(MARKED), "raters_per_item": 50}
    file = study_of({**fields, **more})
    made = [
        BY_TYPE["labelling"].model_validate({"key": key, "messages": said, "utterance": place})
        for key, (said, place) in MARKED.items()
    ]
    study = load(file, list(made), "0" * 64)
    study.state = Study.State.RUNNING
    study.save()
    return study


ASKED: list[dict[str, Any]] = [
    {"name": "order", "question": "Order the replies.", "ranking": "replies"},
    {"name": "extremes", "question": "Best and worst?", "best_worst": "replies"},
    {"name": "mood", "question": "How much fun?", "slider": {"low": 0, "high": 10, "ends": ["none", "a lot"]}},
    {"name": "seen", "question": "Which genres?", "choices": ["thriller", "comedy"], "required": False},
    {"name": "more", "question": "Anything else?", "choice": ["yes", "no"]},
    {"name": "what", "question": "What else?", "text": {"lines": 2}, "only_if": {"more": ["yes"]}},
]
"""A question of every newer kind, asked once with each item."""


class Form(HTMLParser):
    """The first form of a page: where it goes, and what it holds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.action = ""
        self.hidden: dict[str, str] = {}
        self.choices: dict[str, list[str]] = {}
        self.texts: list[str] = []
        self.buttons: list[tuple[str, str]] = []
        self.lists: dict[str, list[list[str]]] = {}
        self._inside = self._over = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and not self._over:
            self.action, self._inside = given.get("action", ""), True
        if self._inside and tag == "select":
            self.lists.setdefault(given["name"], []).append([])
            self._list = given["name"]
        elif self._inside and tag == "option" and given.get("value"):
            self.lists[self._list][-1].append(given["value"])
        if not self._inside or not given.get("name") or tag == "select":
            return
        look, name, value = given.get("type", ""), given["name"], given.get("value", "")
        if look == "hidden":
            self.hidden[name] = value
        elif look in ("radio", "checkbox"):
            self.choices.setdefault(name, []).append(value)
        elif tag == "button":
            self.buttons.append((name, value))
        else:
            self.texts.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._inside:
            self._inside, self._over = False, True

    def filled(self, **wanted: str) -> dict[str, Any]:
        """What a willing participant sends: the first option, 5, or a sentence; and what is wanted instead."""
        answers: dict[str, Any] = {name: values[0] for name, values in self.choices.items()}
        answers |= {name: "5" if name == "films" else "Because it fits the talk." for name in self.texts}
        answers |= {name: [values[place] for place, values in enumerate(own)] for name, own in self.lists.items()}
        pressed = dict(self.buttons[:1])
        return {**self.hidden, **answers, **pressed, **{k: v for k, v in wanted.items() if k in {**answers, **pressed}}}


def source(response: HttpResponse) -> str:
    return response.content.decode()


def heading(response: HttpResponse) -> str:
    found = re.search(r"<h1>(.*?)</h1>", source(response))
    return found[1] if found else ""


def entered(client: Client, study: Study, query: str = "") -> HttpResponse:
    """The first step's page."""
    client.get(f"/{study.slug}/{query}")
    return client.post(f"/{study.slug}/{query}", follow=True)  # type: ignore[return-value]


def sent(client: Client, page: HttpResponse, **wanted: str) -> HttpResponse:
    """The page after the form of this one was filled in and sent."""
    form = Form(source(page))
    return client.post(form.action.partition("#")[0], form.filled(**wanted), follow=True)  # type: ignore[return-value]


def walked(client: Client, study: Study, *, most: int = 60, **wanted: str) -> list[HttpResponse]:
    """Every page from the first step to the last, as a willing participant sees them."""
    pages = [entered(client, study)]
    while "token" in Form(source(pages[-1])).hidden and len(pages) < most:
        pages.append(sent(client, pages[-1], **wanted))
    return pages
