"""What a recommender knows of its catalogue: content, ratings and titles, a ranking for wishes, and facts for wording."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item, Ratings, TitleLinker
from trialogue_recommenders.collaborative import DISLIKE, Collaborative
from trialogue_recommenders.content import Content, Scores, best
from trialogue_recommenders.user_text import UserTextParser
from trialogue_recommenders.vocabulary import AnyOf, Feature
from trialogue_recommenders.voice import Fact, Filling
from trialogue_recommenders.wording import FILMS, Wording

DEFAULTS = {  # said of any domain that has no words of its own for it
    "plot": ("{value}",),
    "year": ("It is from {value}.",),
    "rating": ("People here give it {value}.",),
}
PLAIN = ("The {attribute}: {value}.",)  # the wording of an attribute for which a domain has no words
FEWEST_RATINGS = 3  # from which a mean is worth telling
MAX_VALUES = 4  # of an attribute in one message


class Facts:
    """Facts about the items of a catalogue."""

    def __init__(self, catalogue: Catalogue, ratings: Ratings | None, wording: Wording) -> None:
        self._wording = wording
        self._attributes = tuple(name for name in catalogue.attributes if name != OTHER_TITLES)
        self._counts = {
            Feature(attribute, value): count
            for attribute in self._attributes
            for value, count in catalogue.values_of(attribute).items()
        }
        self._ratings = {} if ratings is None else _means(ratings)
        self._kept: dict[str, tuple[Fact, ...]] = {}

    def all_of(self, item: Item) -> tuple[Fact, ...]:
        """All facts about an item: attributes by name, then year, plot and rating; () for a bare title."""
        if item.id not in self._kept:
            self._kept[item.id] = tuple(self._facts(item))
        return self._kept[item.id]

    def fact_of(self, item: Item, name: str) -> Fact | None:
        """One fact; None if unknown."""
        return next((fact for fact in self.all_of(item) if fact.name == name), None)

    def shared_fact(self, one: Item, other: Item) -> Fact | None:
        """The rarest attribute value shared by both items; None if there is none."""
        both = [
            Feature(attribute, value)
            for attribute, values in one.attributes.items()
            if attribute in self._attributes
            for value in values
            if value in other.attributes.get(attribute, ())
        ]
        if not both:
            return None
        rarest = min(both, key=lambda feature: (self._counts.get(feature, 0), feature))
        lines = self._wording.shared.get(rarest.attribute, ("Also {value}.",))
        return Fact(rarest.attribute, rarest, lines)

    def hook(self, item: Item, other: Fact | None) -> Fact | None:
        """Fact that introduces an item: ``other`` unless it is only the item's kind, else its plot."""
        if other and other.name != self._wording.kind:
            return other
        return Fact("plot", item.description, ("{value}",)) if item.description else other

    def _facts(self, item: Item) -> Iterator[Fact]:
        for attribute in self._attributes:
            if values := item.attributes.get(attribute, ())[:MAX_VALUES]:
                yield self._fact(attribute, tuple(Feature(attribute, value) for value in values))
        if item.year is not None:
            yield self._fact("year", Feature("year", str(item.year)))
        if item.description:
            yield self._fact("plot", item.description)
        if rating := self._ratings.get(item.id):
            yield self._fact("rating", Feature("rating", rating))

    def _fact(self, name: str, value: Filling) -> Fact:
        return Fact(name, value, self._wording.answers.get(name) or DEFAULTS.get(name, PLAIN))


def _means(ratings: Ratings) -> dict[str, str]:
    """Mean ratings in words, of the items that have enough."""
    counts = ratings.popularity()
    return {
        item_id: f"{mean:.1f} out of {ratings.scale.high:g}"
        for item_id, mean in ratings.means().items()
        if mean is not None and counts[item_id] >= FEWEST_RATINGS
    }


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
