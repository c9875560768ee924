"""Catalogues, ratings and dialogues for tests of simulated users; no data of real people."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from trialogue.agents.base import SimpleSession, Turn
from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.datasets.corpora.demo import film_rows, synthetic_ratings
from trialogue.records import Dialogue, DialogueAct, Mention, Utterance
from trialogue.simulation.random_source import RandomSource
from trialogue.transport.failures import AgentFailure

STARS = Scale(0.5, 5, 0.5)


def rng(seed: int = 0) -> RandomSource:
    return RandomSource(np.random.default_rng(seed))


def user(text: str, label: str | None = None) -> Utterance:
    return Utterance(speaker="user", text=text, acts=None if label is None else (DialogueAct(intent=label),))


def agent(text: str, label: str | None = None, *, items: Sequence[str] | None = None) -> Utterance:
    named = None if items is None else tuple(Mention(title=item, item_id=item) for item in items)
    acts = None if label is None else (DialogueAct(intent=label),)
    return Utterance(speaker="system", text=text, acts=acts, mentions=named)


def turn(*messages: Utterance, ends: bool = False) -> Turn:
    return Turn(messages, ends=ends)


def dialogue(*labels: str, name: str = "d") -> Dialogue:
    """Labels such as "u:Disclose" and "a:List", each with a text of its own."""
    said = [
        user(f"{label[2:]}?", label[2:]) if label.startswith("u:") else agent(f"{label[2:]}!", label[2:])
        for label in labels
    ]
    return Dialogue(id=name, utterances=tuple(said))


@cache
def films() -> Catalogue:
    rows = film_rows()
    return Catalogue.from_items(
        Item(
            id=row.id,
            title=row.title,
            year=row.year,
            attributes={"genre": row.genres, "director": row.director, "actor": row.actors},
            description=row.description,
        )
        for row in rows
    )


@cache
def film_ratings() -> Ratings:
    return Ratings.from_rows(synthetic_ratings(film_rows(), seed=0, users=60), scale=STARS)


def books() -> Catalogue:
    """Another domain: ten books with a subject and no genre."""
    subjects = ["whales", "crime", "love", "crime", "love", "war", "war", "love", "crime", "whales"]
    words = ["ink", "oak", "salt", "ash", "rain", "iron", "dust", "tea", "glass", "foam"]
    return Catalogue.from_items(
        Item(id=f"b{number}", title=f"Book of {word}", attributes={"subject": (subject,)})
        for number, (subject, word) in enumerate(zip(subjects, words, strict=True))
    )


def book_ratings() -> Ratings:
    rows = [
        (reader, f"b{number}", 5.0 - (number + shift) % 5) for shift, reader in enumerate("xyz") for number in range(10)
    ]
    return Ratings.from_rows(rows, scale=Scale(1, 5, 1))


class Scripted(SimpleSession):
    """An agent that says its turns one after the other, then the last one again; a failure among them is raised."""

    name = "scripted"
    sessions_at_once = None

    def __init__(self, *turns: Turn | AgentFailure, greeting: Turn | None = None) -> None:
        self.turns, self.greeting = list(turns), greeting
        self.heard: list[tuple[Utterance, ...]] = []
        self.closed = False

    def open(self, dialogue_id: str, *, seed: int) -> "Scripted":
        return self

    def greet(self) -> Turn | None:
        return self.greeting

    def reply(self, history: Sequence[Utterance]) -> Turn:
        self.heard.append(tuple(history))
        said = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(said, AgentFailure):
            raise said
        return said

    def close(self) -> None:
        self.closed = True


def texts(utterances: Iterable[Utterance]) -> list[str]:
    return [utterance.text for utterance in utterances]
