"""Baselines that ignore the user: recommend a popular or a random item in every turn, until none is left."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from trialogue.agents import Turn
from trialogue.catalogue import Catalogue, Ratings
from trialogue.errors import DataError
from trialogue.records import Mention, MentionedBy, Utterance
from trialogue_recommenders.collaborative import popularity_of
from trialogue_recommenders.conversation import LocalAgent
from trialogue_recommenders.expert import CANDIDATES
from trialogue_recommenders.voice import DECLARED, Voice
from trialogue_recommenders.wording import FILMS, Wording

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
LISTED, LIST_LENGTH = 3, 30  # titles a turn of the static list, which is what counts of a turn, and of the whole list
_END = Turn((Utterance(speaker="system", text="That was all."),), ends=True)
FORESEEN = 1_000  # needs that the static list is made for


class TitleLists:
    """Turns that list the titles of a list, a fixed number each; made once for all dialogues."""

    def __init__(self, catalogue: Catalogue, ids: Sequence[str], size: int) -> None:
        self._catalogue, self._ids, self._size = catalogue, ids, size
        self._turns: dict[int, Turn] = {}

    def turn(self, number: int) -> Turn:
        """The turn with a number from 0; the one after the last title ends the dialogue."""
        if number not in self._turns:
            ids = self._ids[number * self._size : (number + 1) * self._size]
            self._turns[number] = self._listing(ids) if ids else _END
        return self._turns[number]

    def _listing(self, ids: Sequence[str]) -> Turn:
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


class TitlesPolicy:
    """Lists the titles of a list, a fixed number per turn, and then ends."""

    def __init__(self, lists: TitleLists) -> None:
        self._lists, self._number = lists, -1

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Do nothing: items in the history have no influence."""

    def answer(self, text: str) -> Turn:
        """The next titles, or the end."""
        self._number += 1
        return self._lists.turn(self._number)


class DumpAgent(PopularAgent):
    """Lists the whole catalogue, most popular items first: a baseline for lists of everything."""

    default_name: ClassVar[str] = "dump"
    labels: ClassVar[frozenset[str]] = frozenset()
    size: ClassVar[int] = DUMPED
    """Titles a turn."""

    @cached_property
    def _lists(self) -> TitleLists:
        return TitleLists(self._catalogue, self._ids, self.size)

    def policy(self, rng: np.random.Generator) -> TitlesPolicy:  # type: ignore[override]  # it says no lines of a voice
        """Create the policy of a conversation."""
        return TitlesPolicy(self._lists)


class StaticListAgent(LocalAgent):
    """Recommends the best list that ignores its user: thirty titles, three a turn, that meet most needs of other users.

    The needs are drawn from the same world as those of simulated users, under other seeds: what an entry can be tuned to
    that knows the simulator and listens to nobody.
    """

    default_name: ClassVar[str] = "static list"
    labels: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, catalogue: Catalogue, ratings: Ratings | None = None, *, name: str | None = None) -> None:
        """Draw the needs and choose the list; the seed of a session is ignored.

        Raises:
            DataError: no item has an attribute.
        """
        from trialogue.simulation import NeedsByCase, World  # no other list needs simulated users

        super().__init__(name)
        world = World(catalogue, ratings)
        try:
            cases = NeedsByCase.of_world(world, attributes=world.attributes)
        except DataError:  # nobody has rated enough for a profile: users have smaller ones, or none
            cases = NeedsByCase.of_world(World(catalogue), attributes=world.attributes)
        needs = [cases.draw(f"static list/{number}", seed=0).need for number in range(FORESEEN)]
        ids = cover([frozenset(need.acceptable) for need in needs], LIST_LENGTH)
        self._lists = TitleLists(catalogue, ids, LISTED)

    def policy(self, rng: np.random.Generator) -> TitlesPolicy:
        """Create the policy of a conversation."""
        return TitlesPolicy(self._lists)


def cover(sets: Sequence[frozenset[str]], size: int) -> tuple[str, ...]:
    """Items that are in the most sets, each chosen among the sets that hold none of the earlier ones.

    >>> cover([frozenset("ab"), frozenset("b"), frozenset("c"), frozenset("cd"), frozenset("d")], 3)
    ('b', 'c', 'd')
    """
    held: dict[str, set[int]] = {}
    for place, items in enumerate(sets):
        for item in items:
            held.setdefault(item, set()).add(place)
    chosen: list[str] = []
    while held and len(chosen) < size:
        best = min(held, key=lambda item: (-len(held[item]), item))
        met = held.pop(best)
        if not met:
            break
        chosen.append(best)
        for places in held.values():
            places -= met
    return tuple(chosen)


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
