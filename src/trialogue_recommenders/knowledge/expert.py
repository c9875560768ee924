"""Combined knowledge of a catalogue (content, ratings and titles), and a ranking for a user's wishes so far."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trialogue.catalogue import Catalogue, Ratings, TitleLinker
from trialogue_recommenders.content import Content, Scores, best
from trialogue_recommenders.knowledge.collaborative import DISLIKE, Collaborative
from trialogue_recommenders.knowledge.facts import Facts
from trialogue_recommenders.understanding.user_text import UserTextParser
from trialogue_recommenders.vocabulary import AnyOf
from trialogue_recommenders.wording.wording import FILMS, Wording

EXAMPLES = 3  # kinds of items that are given as examples
CANDIDATES = 20  # items of a ranking that goes with an utterance; metrics look at the first 10

# Weights of what an item is about, who likes it, and how popular it is. Of ml-latest-small, three liked films were
# hidden of each user with six or more, and looked for among the first 10 for three others: these weights find 9.4% of
# them, popularity alone 7.2%, the SVD alone 9.2%, content (genres and titles, there) alone 0.7%; (.25, 1.5, 1) would find
# 9.6%, but names the most popular items to everybody who has named one item only.
CONTENT, RATINGS, POPULARITY = 0.5, 3.0, 0.5
LIKENESS = (1.0, 2.0, 0.1)  # the same for items like one item, where being like it is the point
LIFT = np.float32(8)  # makes every score positive, so that 0 means "may not be ranked"
TOPIC = 2.0  # words of the user that are words of the item


@dataclass(frozen=True)
class Wish:
    """A user's wishes so far."""

    liked: tuple[str, ...] = ()
    """Ids of items they like, the latest last."""
    disliked: tuple[str, ...] = ()
    """Ids of items they do not like."""
    wanted: frozenset[AnyOf] = frozenset()
    """Attribute values it should have."""
    unwanted: frozenset[AnyOf] = frozenset()
    """Attribute values it must not have."""
    years: tuple[int, int] | None = None
    """First and last year."""
    topics: tuple[str, ...] = ()
    """Wishes in the user's own words."""


@dataclass(frozen=True)
class Ranking:
    """Ranked items for a wish."""

    ids: tuple[str, ...]
    """At most 20; () if nothing is left."""
    fits: bool = True
    """Whether they are all that was wanted; False: nothing was, and they are the closest."""


class Expert:
    """A catalogue with its ratings and queries on both; agents may share one."""

    def __init__(
        self, catalogue: Catalogue, ratings: Ratings | None = None, *, wording: Wording = FILMS, skip: int = 0
    ) -> None:
        """Fit all models: well under a second for a few hundred items, seconds for ten thousand.

        Args:
            catalogue: what is ranked.
            ratings: who liked what; None: only what the items are about counts.
            wording: the words of the domain.
            skip: best items that every ranking leaves out, for a recommender that is known to be worse.
        """
        self.catalogue = catalogue
        self.skip = skip
        self.wording = wording
        self.content = Content(catalogue)
        self.collaborative = Collaborative(self.content.ids, ratings)
        counts = {} if ratings is None else ratings.popularity()
        self.listener = UserTextParser(catalogue, TitleLinker(catalogue, popularity=counts), wording=wording)
        self.facts = Facts(catalogue, ratings, wording)
        self.examples = _examples(list(catalogue.values_of(wording.kind))[:EXAMPLES])
        self._years = np.array([-1 if item.year is None else item.year for item in catalogue.values()], dtype=np.int64)
        self._having = lru_cache(maxsize=1024)(self._places_having)
        self._fitting = lru_cache(maxsize=1024)(self._places_fitting)

    def rank(self, wish: Wish, *, without: Collection[str] = (), like_one: bool = False) -> Ranking:
        """Rank items for a wish.

        What is not wanted is never in it. If nothing that is left is all that is wanted, the years are given up first, then
        all but one of the attribute values, then all.

        Args:
            wish: what is wanted.
            without: ids that may not be in it, such as those offered before.
            like_one: whether the point is to be like what is liked.
        """
        allowed = self._allowed_mask(wish, without)
        fitting, fits = self._filter(wish, allowed)
        scores = self._scores(wish, like_one) + LIFT
        if self.skip:  # what fits before what does not, since the best that fit may be all that fit
            ranked = np.where(allowed, scores + fitting * (np.abs(scores).max() + 1), np.float32(0))
            places = best(ranked, CANDIDATES + self.skip)
            return Ranking(tuple(self.content.ids[place] for place in places[self.skip :] or places[-1:]), fits)
        scores = np.where(fitting, scores, np.float32(0))
        return Ranking(tuple(self.content.ids[place] for place in best(scores, CANDIDATES)), fits)

    def _scores(self, wish: Wish, like_one: bool) -> Scores:
        content, ratings, popularity = LIKENESS if like_one else (CONTENT, RATINGS, POPULARITY)
        place = self.content.place
        scores = np.float32(popularity) * self.collaborative.popularity
        if wish.liked or wish.disliked:
            opinions = {place[item_id]: 1.0 for item_id in wish.liked}
            opinions |= {place[item_id]: -DISLIKE for item_id in wish.disliked}
            scores = scores + np.float32(ratings) * self.collaborative.scores(opinions)
        for item_id in wish.liked:
            scores = scores + np.float32(content / len(wish.liked)) * self.content.nearness(item_id)
        for text in wish.topics:
            scores = scores + np.float32(TOPIC) * self.content.about(text)
        return scores

    def _allowed_mask(self, wish: Wish, without: Collection[str]) -> NDArray[np.bool_]:
        allowed = np.ones(len(self.content.ids), dtype=np.bool_)
        for feature in wish.unwanted:
            allowed &= ~self._having(feature)
        allowed[[self.content.place[item_id] for item_id in without if item_id in self.content.place]] = False
        return allowed

    def _filter(self, wish: Wish, allowed: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], bool]:
        """(which places may be ranked, whether they are all that is wanted)."""
        if not wish.wanted and wish.years is None:
            return allowed, True
        ways = ((wish.wanted, wish.years, True), (wish.wanted, None, True), (wish.wanted, None, False))
        for fits, (wanted, years, every) in zip((True, False, False), ways, strict=True):
            fitting = allowed & self._fitting(wanted, years, every)
            if (wanted or years) and fitting.any():
                return fitting, fits
        return allowed, False

    def _places_fitting(
        self, wanted: frozenset[AnyOf], years: tuple[int, int] | None, every: bool
    ) -> NDArray[np.bool_]:
        fitting = np.full(len(self.content.ids), every or not wanted, dtype=np.bool_)
        for feature in wanted:
            fitting = fitting & self._having(feature) if every else fitting | self._having(feature)
        return fitting if years is None else fitting & (self._years >= years[0]) & (self._years <= years[1])

    def _places_having(self, any_of: AnyOf) -> NDArray[np.bool_]:
        having = np.zeros(len(self.content.ids), dtype=np.bool_)
        having[[self.content.place[item_id] for one in any_of for item_id in self.catalogue.items_with(*one)]] = True
        return having


def _examples(values: list[str]) -> str:
    """The most frequent kinds in words, "Drama, Comedy or Romance"; without any, what can be said instead."""
    return f"{', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else "".join(values) or "anything you like"
