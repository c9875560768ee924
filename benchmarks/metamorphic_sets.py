"""Invented conversation sets for ``benchmarks/metamorphic.py``: what was said, thought and rated, before it is written."""

import random
from dataclasses import dataclass

OPENINGS = (
    "Something like {t}?",
    "I am in the mood for a quiet one, not {t}",
    "hi",
    "Quelque chose comme « Amélie », déjà vu",
    "Saturday, two kids; one hates {t}; ideas",
    "1999",
    "No comedies, please",
    "Ein Film für müde Väter, möglichst ohne {t}",
)
ANSWERS = (
    "Try {t}, it is slow, sad; and short.",
    'People call it "{t}". I would start there',
    "Have you seen {t}?\nIt ran for a year.",
    "Peut-être {t} ? Un café, une voix, une fenêtre.",
    "{t} 🎬",
    "How old are they?",
    "Which year",
    "- {t}\n- Grey Harbour\n- The Ninth Key",
)
FOLLOW = ("None", "yes", "no, seen it", "N/A", "true", "ok, thanks", "5", "Why that, and not {t}?")
TITLES = ("Salt Road", "Orchard of Noise", "Élodie", "Two Left Shoes", "Kilometre 9", "Nul, not null")
THOUGHTS = ("They want something calm.", "User names a film;\nI should not repeat it.", "Maybe ask first?")


@dataclass(frozen=True)
class Said:
    """One message."""

    speaker: str
    text: str
    thought: str | None = None


@dataclass(frozen=True)
class Talk:
    """One conversation: its number, the system that answered, who asked, and a rating (None: not rated)."""

    number: int
    system: str
    person: int | None
    said: tuple[Said, ...]
    rating: int | None


@dataclass(frozen=True)
class InventedSet:
    """Conversations with a truth that every form of writing must keep."""

    seed: int
    binary: bool
    talks: tuple[Talk, ...]

    @property
    def has_persons(self) -> bool:
        """Whether it is known who asked."""
        return any(talk.person is not None for talk in self.talks)


def invent(seed: int) -> InventedSet:
    """A set of 12 to 60 conversations with two or three systems; part of them rated, by persons in every other set."""
    rng = random.Random(seed)
    systems = ("v1", "v2", "v3")[: rng.choice((2, 2, 3))]
    persons = seed % 2 == 1
    binary = rng.random() < 0.5
    talks = []
    for number in range(1, rng.randint(12, 60) + 1):
        system = systems[number % len(systems)]
        person = rng.randint(1, 14) if persons else None
        talks.append(Talk(number, system, person, _said(rng, number), _rating(rng, system, binary=binary)))
    return InventedSet(seed, binary, tuple(talks))


def _said(rng: random.Random, number: int) -> tuple[Said, ...]:
    """One to thirteen exchanges, so that turns as text sort otherwise than turns as numbers in some."""
    exchanges = rng.choice((1, 1, 2, 3, 13 if number % 7 == 0 else 2))
    said = []
    for at in range(exchanges):
        asks, answers = (OPENINGS, ANSWERS) if at == 0 else (FOLLOW, ANSWERS)
        said.append(Said("user", rng.choice(asks).format(t=rng.choice(TITLES))))
        thought = rng.choice(THOUGHTS) if rng.random() < 0.5 else None
        said.append(Said("system", rng.choice(answers).format(t=rng.choice(TITLES)), thought))
    return tuple(said)


def _rating(rng: random.Random, system: str, *, binary: bool) -> int | None:
    if rng.random() < 0.25:
        return None
    better = {"v1": 0.0, "v2": 0.25, "v3": 0.1}[system]
    if binary:
        return int(rng.random() < 0.4 + better)
    return min(5, max(1, round(rng.gauss(3 + 4 * better, 1))))
