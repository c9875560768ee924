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

Manner: TypeAlias = Literal["person", "assisted", "agent"]
READING = 4.0  # words a second, the median of people
TYPING = 4.3  # characters a second
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


@dataclass
class Writer:
    """Reading, writing and typing behavior of one participant.

    Args:
        manner: ``person``: reads, types; ``assisted``: lets a model write and pastes it, mostly; ``agent``: a program that
            reads the source of pages and fills in forms.
        rng: of the participant.
    """

    manner: Manner
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.reading = float(np.clip(READING * np.exp(self.rng.normal(0, 0.3)), 1.5, 8.0))
        self.typing = float(np.clip(TYPING * np.exp(self.rng.normal(0, 0.35)), 1.5, 10.0))
        self.pastes_own = bool(self.rng.random() < 0.04)  # writes elsewhere, as some people do
        self.hurries = bool(self.rng.random() < 0.5)  # of agents: sends as soon as it can
        self.obeys = bool(self.rng.random() < 0.6)  # of agents: does what the source of a page asks for
        self._typed = 0

    def seconds(self, page: Page) -> float:
        """Time on a page, without that of typing."""
        questions = sum(len(form.asked) for form in page.forms)
        if self.manner == "agent":
            return float(self.rng.uniform(2, 12) if self.hurries else self.rng.uniform(20, 60))
        attention = self.rng.uniform(0.2, 0.6) if self.manner == "assisted" else self.rng.uniform(0.6, 1.3)
        away = self.rng.uniform(8, 30) if self.manner == "assisted" and self._asks(page) else 0.0
        return float(page.words / self.reading * attention + questions * self.rng.uniform(1.2, 4.0) + away)

    def _asks(self, page: Page) -> bool:
        """Whether a page wants words."""
        return any(each.kind == "text" and not each.unseen for form in page.forms for each in form.asked)

    def text(self, page: Page) -> str:
        """Answer to an open question."""
        return self._persons(page) if self.manner == "person" else self._models(page)

    def _persons(self, page: Page) -> str:
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

    def _models(self, page: Page) -> str:
        pick = self._pick
        text = f"{pick(MODEL_OPENINGS)} {pick(MODEL_MIDDLES)}{self._quote(page, 0.3)}, {pick(MODEL_ENDS)}"
        if self.manner == "agent" and self.obeys and page.hidden:
            text += f" {self.demanded_word(page)}"
        return text

    def demanded_word(self, page: Page) -> str:
        """The word that the source of a page asks for: the one after "word"."""
        words = page.hidden.replace(",", " ").split()
        return words[words.index("word") + 1] if "word" in words else ""

    def _pick(self, among: Sequence[str]) -> str:
        return among[int(self.rng.integers(len(among)))]

    def _quote(self, page: Page, share: float) -> str:
        """Words of the page."""
        said = " ".join([*page.context[-1:], *(text for side in page.sides for text in side)]).split()
        if len(said) < 6 or self.rng.random() > share:
            return ""
        start = int(self.rng.integers(len(said) - 3))
        return f' "{" ".join(said[start : start + int(self.rng.integers(2, 5))])}"'

    def knows(self, values: Sequence[str], right: str) -> str:
        """The answer to a question that people hardly know."""
        if self.manner == "person":
            chance = self.rng.random()
            return (
                right if chance < 0.03 else values[int(self.rng.integers(len(values)))] if chance < 0.12 else values[0]
            )
        return right if self.rng.random() < (0.95 if self.manner == "agent" else 0.5) else values[0]

    def typing_events(self, characters: int, seconds: float, *, asks: bool) -> tuple[float, str]:
        """(seconds on the page with typing, what the browser notes as the page's field holds it).

        Args:
            characters: written on the page.
            seconds: as ``seconds`` said.
            asks: whether the page wants words.
        """
        events: list[tuple[str, float]] = []
        pasted = asks and ((self.manner == "assisted" and self.rng.random() < 0.8) or self.pastes_own)
        typing = 0.0 if self.manner == "agent" or pasted else characters / self.typing
        whole = seconds + typing
        if self.manner == "agent":
            events = [("first_input", whole - self.rng.uniform(0.05, 0.6)), ("submit", whole)]
        else:
            began = seconds * self.rng.uniform(0.4, 0.8)
            events = [("first_input", began), ("submit", whole)]
            if self.manner == "assisted" and asks:
                events += [("blur", seconds * 0.2), ("focus", seconds * 0.8)]
            elif self.rng.random() < 0.06:  # a message on the phone, a look at a film's page
                left = whole * self.rng.uniform(0.1, 0.5)
                events += [("blur", left), ("focus", min(whole, left + self.rng.uniform(1, 20)))]
            if pasted:
                events.append(("paste", whole * 0.85))
        events.sort(key=lambda each: each[1])
        return whole, json.dumps([[kind, max(0, round(at * 1000))] for kind, at in events])
