"""Facts about an item, and commonalities of two items, for wording."""

from collections.abc import Iterator

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item, Ratings
from trialogue_recommenders.vocabulary import Feature
from trialogue_recommenders.wording.voice import Fact, Filling
from trialogue_recommenders.wording.wording import Wording

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
