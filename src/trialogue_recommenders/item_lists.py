"""Baselines that ignore the user: recommend a popular or a random item in every turn, until none is left."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from trialogue.agents import Turn
from trialogue.catalogue import Catalogue, Ratings
from trialogue.records import Mention, MentionedBy, Utterance
from trialogue_recommenders.conversation import LocalAgent
from trialogue_recommenders.knowledge.collaborative import popularity_of
from trialogue_recommenders.knowledge.expert import CANDIDATES
from trialogue_recommenders.wording.voice import DECLARED, Voice
from trialogue_recommenders.wording.wording import FILMS, Wording

LABELS = frozenset({"List", "End"})


class ListPolicy:
    """Recommends the items of a list in order, whatever the user says."""

    def __init__(self, catalogue: Catalogue, ids: Sequence[str], voice: Voice) -> None:
        self._catalogue, self._ids, self._say = catalogue, ids, voice.say
        self._named: set[str] = set()
        self._place = 0

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Record items named in the history."""
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
    """Recommends the next most popular item by number and value of ratings; unrated ones last, in catalogue order."""

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
        """Create the policy of a conversation."""
        return ListPolicy(self._catalogue, self._ids, Voice("item_lists", self._wording, rng))


DUMPED = 200  # titles a turn


class DumpPolicy:
    """Lists the whole catalogue, two hundred titles per turn, and then ends."""

    def __init__(self, catalogue: Catalogue, ids: Sequence[str]) -> None:
        self._catalogue, self._ids = catalogue, ids
        self._place = 0

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Do nothing: items in the history have no influence."""

    def answer(self, text: str) -> Turn:
        """The next titles, or the end."""
        ids = self._ids[self._place : self._place + DUMPED]
        self._place += DUMPED
        if not ids:
            return Turn((Utterance(speaker="system", text="That was all."),), ends=True)
        said, mentions = "", []
        for item_id in ids:
            said += ", " if said else ""
            title = self._catalogue[item_id].title_with_year
            mentions.append(
                Mention(
                    title=title,
                    item_id=item_id,
                    start=len(said),
                    end=len(said) + len(title),
                    origin=DECLARED,
                    by=MentionedBy.DECLARED,
                )
            )
            said += title
        return Turn((Utterance(speaker="system", text=f"{said}.", mentions=tuple(mentions)),))


class DumpAgent(PopularAgent):
    """Lists the whole catalogue, most popular items first: a baseline for lists of everything."""

    default_name: ClassVar[str] = "dump"
    labels: ClassVar[frozenset[str]] = frozenset()

    def policy(self, rng: np.random.Generator) -> DumpPolicy:  # type: ignore[override]  # it says no lines of a voice
        """Create the policy of a conversation."""
        return DumpPolicy(self._catalogue, self._ids)


class RandomAgent(LocalAgent):
    """Recommends random items without repetition; the seed of a session determines items and words."""

    default_name: ClassVar[str] = "random"
    labels: ClassVar[frozenset[str]] = LABELS

    def __init__(
        self, catalogue: Catalogue, ratings: Ratings | None = None, *, name: str | None = None, wording: Wording = FILMS
    ) -> None:
        """Store the catalogue; an empty one ends every dialogue at once. Ratings are ignored."""
        super().__init__(name)
        self._catalogue, self._wording = catalogue, wording
        self._ids = tuple(catalogue)

    def policy(self, rng: np.random.Generator) -> ListPolicy:
        """Create the policy of a conversation."""
        ids = tuple(self._ids[place] for place in rng.permutation(len(self._ids)).tolist())
        return ListPolicy(self._catalogue, ids, Voice("item_lists", self._wording, rng))
