"""Baselines that ignore the user: they name a popular or a random item in every turn, and end when none is left."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from trialogue.agents import Turn
from trialogue.catalogue import Catalogue, Ratings
from trialogue_recommenders.conversation import LocalAgent
from trialogue_recommenders.knowledge.collaborative import popularity_of
from trialogue_recommenders.knowledge.expert import CANDIDATES
from trialogue_recommenders.wording.voice import Voice
from trialogue_recommenders.wording.wording import FILMS, Wording

LABELS = frozenset({"List", "End"})


class ListPolicy:
    """Names the items of a list, the first ones first, whatever the user says."""

    def __init__(self, catalogue: Catalogue, ids: Sequence[str], voice: Voice) -> None:
        self._catalogue, self._ids, self._say = catalogue, ids, voice.say
        self._named: set[str] = set()
        self._place = 0

    def adopt(self, item_ids: Sequence[str]) -> None:
        """These were named."""
        self._named.update(item_ids)

    def answer(self, text: str) -> Turn:
        """The next item, or the end."""
        while self._place < len(self._ids) and self._ids[self._place] in self._named:
            self._place += 1
        ranking = self._ids[self._place : self._place + CANDIDATES]
        if not ranking:
            return Turn((self._say("end", "End"),), ends=True)
        self._place += 1
        return Turn((self._say("list", "List", title=self._catalogue[ranking[0]], ranking=ranking),))


class PopularAgent(LocalAgent):
    """Names the next most popular item: what was rated most and best; the unrated come last, in catalogue order."""

    default_name: ClassVar[str] = "popular"
    labels: ClassVar[frozenset[str]] = LABELS

    def __init__(
        self, catalogue: Catalogue, ratings: Ratings | None = None, *, name: str | None = None, wording: Wording = FILMS
    ) -> None:
        """Sort the catalogue; an empty one ends every dialogue at once. The seed of a session chooses its words."""
        super().__init__(name)
        self._catalogue, self._wording = catalogue, wording
        order = np.argsort(-popularity_of(tuple(catalogue), ratings), kind="stable")
        ids = tuple(catalogue)
        self._ids = tuple(ids[place] for place in order.tolist())

    def policy(self, rng: np.random.Generator) -> ListPolicy:
        """What it does in a conversation."""
        return ListPolicy(self._catalogue, self._ids, Voice("item_lists", self._wording, rng))


class RandomAgent(LocalAgent):
    """Names an item drawn at random, none twice; the seed of a session draws both items and words."""

    default_name: ClassVar[str] = "random"
    labels: ClassVar[frozenset[str]] = LABELS

    def __init__(
        self, catalogue: Catalogue, ratings: Ratings | None = None, *, name: str | None = None, wording: Wording = FILMS
    ) -> None:
        """Take the catalogue; an empty one ends every dialogue at once. Ratings make no difference."""
        super().__init__(name)
        self._catalogue, self._wording = catalogue, wording
        self._ids = tuple(catalogue)

    def policy(self, rng: np.random.Generator) -> ListPolicy:
        """What it does in a conversation."""
        ids = tuple(self._ids[place] for place in rng.permutation(len(self._ids)).tolist())
        return ListPolicy(self._catalogue, ids, Voice("item_lists", self._wording, rng))
