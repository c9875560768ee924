"""Synthetic reading and writing styles of people, of people assisted by a language model, and of models in their place.

The numbers are assumptions, for testing the signals of ``design.validity``: reading after Brysbaert (2019), 238 words
a minute; typing after Dhakal et al. (2018), 52 words a minute; the rest is ours. Error rates of signals on these scripts
hold for scripts only.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from trialogue.study.bots.page import Page

RespondentKind: TypeAlias = Literal["person", "assisted", "agent"]
"""A person; a person who lets a model write and mostly pastes it; a program that reads a page's source and fills it in."""
WORDS_READ_PER_S = 4.0  # the median of people
CHARACTERS_TYPED_PER_S = 4.3  # the median of people
OPENINGS = (
    "", "I think", "imo", "Well,", "to me", "Honestly", "hm,", "I guess", "I feel like", "not sure but", "For me",
    "my impression:", "looks like", "I'd say", "maybe",
)  # fmt: skip
SUBJECTS = (
    "it", "the bot", "that answer", "the first one", "this reply", "the last message", "the system", "this one",
    "what it says", "the suggestion", "the recommender", "the second line", "that film",
)  # fmt: skip
VERBS = (
    "fits", "makes sense", "is a bit off", "ignores what was asked", "is too short", "sounds like a person",
    "repeats itself", "goes on well", "misses the point", "names a film", "asks something useful", "is boring",
    "is fine", "came out of nowhere", "is too pushy", "does not follow", "answers the question", "feels scripted",
    "could be friendlier", "is ok I suppose",
)  # fmt: skip
TAILS = (
    "", "because of what they said before", "but I have not seen it", "as far as I know it", "and that is it",
    "though short", "since they wanted something new", "but who knows", "compared with the rest",
    "when you read it twice", "at least for me", "given the genre", "which I liked", "which was odd",
    "and it is polite", "without any reason given", "so I took it",
)  # fmt: skip
MODEL_OPENINGS = (
    "This response directly addresses the user's request by",
    "The reply demonstrates a clear understanding of the user by",
    "This response effectively engages with the user's preferences by",
)  # fmt: skip
MODEL_MIDDLES = (
    "providing a relevant suggestion that aligns with the preferences expressed earlier",
    "acknowledging the context and offering a recommendation that is consistent with the conversation",
    "maintaining the natural flow of the conversation while offering a relevant suggestion",
)  # fmt: skip
MODEL_ENDS = (
    "making it both helpful and engaging.", "which makes the interaction feel natural and coherent.",
    "ensuring that the interaction remains coherent and user-focused.",
)  # fmt: skip


@dataclass(frozen=True)
class TimedPage:
    """How long a page takes, and what the browser notices meanwhile."""

    seconds: float
    """Time on the page, with that of typing."""
    events: str
    """The value of the page's hidden field of events: JSON, a list of [kind, milliseconds since the page was shown]."""


@dataclass
class Respondent:
    """Reading, writing and typing behavior of one participant.

    Args:
        kind: what they are.
        rng: the participant's random numbers.
    """

    kind: RespondentKind
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.reading = float(np.clip(WORDS_READ_PER_S * np.exp(self.rng.normal(0, 0.3)), 1.5, 8.0))
        self.typing = float(np.clip(CHARACTERS_TYPED_PER_S * np.exp(self.rng.normal(0, 0.35)), 1.5, 10.0))
        self.pastes_own = bool(self.rng.random() < 0.04)  # writes elsewhere, as some people do
        # Of agents only, but drawn for all, so that the kind does not change what else is drawn.
        self.is_hasty = bool(self.rng.random() < 0.5)  # sends as soon as it can
        self.is_obedient = bool(self.rng.random() < 0.6)  # does what the source of a page asks for

    def seconds(self, page: Page) -> float:
        """Time on a page, without that of typing."""
        questions = sum(len(form.asked) for form in page.forms)
        if self.kind == "agent":
            return float(self.rng.uniform(2, 12) if self.is_hasty else self.rng.uniform(20, 60))
        attention = self.rng.uniform(0.2, 0.6) if self.kind == "assisted" else self.rng.uniform(0.6, 1.3)
        away = self.rng.uniform(8, 30) if self.kind == "assisted" and self._asks_for_text(page) else 0.0
        return float(page.words / self.reading * attention + questions * self.rng.uniform(1.2, 4.0) + away)

    def _asks_for_text(self, page: Page) -> bool:
        """Whether a page has an open question."""
        return any(each.kind == "text" and not each.unseen for form in page.forms for each in form.asked)

    def text(self, page: Page) -> str:
        """Answer to an open question."""
        return self._text_of_person(page) if self.kind == "person" else self._text_of_model(page)

    def _text_of_person(self, page: Page) -> str:
        pick = self._pick
        words = " ".join(
            filter(None, (pick(OPENINGS), pick(SUBJECTS), pick(VERBS), self._quote(page, 0.4), pick(TAILS)))
        )
        if self.rng.random() < 0.35:
            words += f", {pick(SUBJECTS)} {pick(VERBS)} {pick(TAILS)}".rstrip()
        if self.rng.random() < 0.3:
            place = int(self.rng.integers(len(words)))
            words = words[:place] + words[place + 1 :]  # a slip of the finger
        return words if self.rng.random() < 0.5 else words.capitalize() + "."

    def _text_of_model(self, page: Page) -> str:
        pick = self._pick
        text = f"{pick(MODEL_OPENINGS)} {pick(MODEL_MIDDLES)}{self._quote(page, 0.3)}, {pick(MODEL_ENDS)}"
        if self.kind == "agent" and self.is_obedient and page.hidden:
            text += f" {self.word_asked_for_in_source(page)}"
        return text

    def word_asked_for_in_source(self, page: Page) -> str:
        """The word that the source of a page asks for: the one after "word"."""
        words = page.hidden.replace(",", " ").split()
        return words[words.index("word") + 1] if "word" in words else ""

    def _pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.rng.integers(len(choices)))]

    def _quote(self, page: Page, share: float) -> str:
        """Some words of the page in quotation marks, in this share of the answers; else ""."""
        words = " ".join([*page.context[-1:], *(text for side in page.sides for text in side)]).split()
        if len(words) < 6 or self.rng.random() > share:
            return ""
        start = int(self.rng.integers(len(words) - 3))
        return f' "{" ".join(words[start : start + int(self.rng.integers(2, 5))])}"'

    def trap_answer(self, values: Sequence[str], right: str) -> str:
        """Answer to a question that hardly any person can answer, but a language model can.

        Args:
            values: the choices; the first one is "I do not know".
            right: the right one.
        """
        chance = self.rng.random()
        if self.kind == "agent":
            return right if chance < 0.95 else values[0]
        if self.kind == "assisted":
            return right if chance < 0.5 else values[0]
        if chance < 0.03:
            return right
        return self._pick(values) if chance < 0.12 else values[0]

    def fill_in(self, characters: int, seconds: float, *, asks: bool) -> TimedPage:
        """Time on a page with that of typing or pasting, and the browser's events.

        Args:
            characters: number of characters written on the page.
            seconds: time on the page without that of typing (``seconds``).
            asks: whether the page has an open question.
        """
        events: list[tuple[str, float]] = []
        pasted = asks and ((self.kind == "assisted" and self.rng.random() < 0.8) or self.pastes_own)
        typing = 0.0 if self.kind == "agent" or pasted else characters / self.typing
        whole = seconds + typing
        if self.kind == "agent":
            events = [("first_input", whole - self.rng.uniform(0.05, 0.6)), ("submit", whole)]
        else:
            began = seconds * self.rng.uniform(0.4, 0.8)
            events = [("first_input", began), ("submit", whole)]
            if self.kind == "assisted" and asks:
                events += [("blur", seconds * 0.2), ("focus", seconds * 0.8)]
            elif self.rng.random() < 0.06:  # a message on the phone, a look at a film's page
                left = whole * self.rng.uniform(0.1, 0.5)
                events += [("blur", left), ("focus", min(whole, left + self.rng.uniform(1, 20)))]
            if pasted:
                events.append(("paste", whole * 0.85))
        events.sort(key=lambda each: each[1])
        return TimedPage(whole, json.dumps([[kind, max(0, round(at * 1000))] for kind, at in events]))
