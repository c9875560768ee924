"""Sample hidden information needs: an item of the catalogue, constraints that few items satisfy, and who looks for it.

A need starts from an item, all of the catalogue equally likely, so that needs ask for what nobody rated as for what
everybody likes. Its attribute values become constraints, one after another (those users mention first, then its decade),
until at most 2%, preferably .5%, of the catalogue satisfies all of them; items the user knows already do not count. The
user is one who likes another item that satisfies them, where there is one. So a user's stated tastes are consistent with
what they are looking for, and a recommender that listens has an advantage.

Where opinions of the profile decide and not the need, as in the reproduction of KDD 2020, the profile is drawn first.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from operator import and_, or_
from typing import NamedTuple

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item
from trialogue.catalogue.item import RANGE
from trialogue.records import Constraint, Mention, Need, NeedSource, Utterance
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.profiles import Profile
from trialogue.simulation.random_source import RandomSource

SAMPLING = "v2"
"""Version of how needs are drawn from a seed: v1 began with what a user likes, and so asked for what many people like."""
MAX_SATISFIED = 0.02
"""Share of the catalogue that may satisfy a need."""
AIM = 0.005  # share from which on no further constraint is added: so few that lists of films seldom hold one by chance
DECADE = "decade"
"""The constraint on an item's year, such as 1990s."""
MAX_REQUESTS = 2
MAX_CONSTRAINTS = 4  # people who look for a film give two or three; a fifth would name the item

Feature = tuple[str, str]
Likes = Callable[[str], bool]
"""Whether somebody likes an item."""


class Wish(NamedTuple):
    """What is asked for, before it is known who asks."""

    target: str
    """Item that is looked for."""
    features: tuple[Feature, ...]
    """What is asked of it."""
    fitting: int
    """Mask of the items with these features, the target among them."""
    example: str
    """An item that somebody likes, with the same features or most of them; the target where nothing else is liked."""


def decade_of(item: Item) -> str | None:
    """Decade of an item's year.

    >>> decade_of(Item(id="1", title="Heat", year=1995))
    '1990s'
    """
    return None if item.year is None else f"{item.year // 10 * 10}s"


def values_of(item: Item, attribute: str) -> tuple[str, ...]:
    """An item's values of an attribute, ``DECADE`` included."""
    if attribute == DECADE:
        return () if item.year is None else (f"{item.year // 10 * 10}s",)
    return item.attributes.get(attribute, ())


class Needs:
    """Samples needs over one catalogue."""

    def __init__(self, catalogue: Catalogue, *, attributes: Sequence[str], mixed: bool = False) -> None:
        """Prepare needs whose constraints users can word.

        Args:
            catalogue: the items.
            attributes: those that users talk about; of others, constraints are taken only where these do not narrow it down.
            mixed: take the values of all these attributes in random order, and at least two where there are two; else in the
                order of the attributes, as many as it takes.
        """
        self.catalogue, self._mixed = catalogue, mixed
        self.bound = max(1, int(MAX_SATISFIED * len(catalogue)))
        """Items that may satisfy a need."""
        self._aim = max(1, int(AIM * len(catalogue)))
        self._spoken = tuple(name for name in attributes if name in catalogue.attributes)
        exact = {
            name.removesuffix(RANGE) for name in catalogue.attributes if name.endswith(RANGE)
        }  # nobody asks for 19.99
        left_out = {*self._spoken, OTHER_TITLES, *exact}
        self._last_resort = tuple(name for name in catalogue.attributes if name not in left_out)
        self._masks: dict[Feature, int] = {}
        self._features: dict[str, frozenset[Feature]] = {}
        self._constraints: dict[tuple[str, str, bool], Constraint] = {}

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(self.catalogue)

    @cached_property
    def _all_items(self) -> int:
        """The mask of all items."""
        return (1 << len(self._ids)) - 1

    @cached_property
    def _bits(self) -> dict[str, int]:
        """The mask of each item alone."""
        return {item_id: 1 << place for place, item_id in enumerate(self._ids)}

    @cached_property
    def _by_decade(self) -> dict[str | None, list[str]]:
        """Ids of the items of every decade."""
        found: dict[str | None, list[str]] = {}
        for item in self.catalogue.values():
            found.setdefault(decade_of(item), []).append(item.id)
        return found

    def draw_wish(self, rng: RandomSource, likeable: int | None = None) -> Wish:
        """Draw an item, all equally likely, what is asked of it, and an item that somebody likes for the same.

        Args:
            rng: what is drawn from.
            likeable: mask of the items that somebody likes (``mask_of``); None: all.
        """
        target = rng.pick(self._ids)
        liked = (self._all_items if likeable is None else likeable) & ~self.mask_of((target,))
        features, fitting = self._constraints_of(self.catalogue[target], liked, rng)
        return Wish(target, features, fitting, self._example(features, liked, rng) or target)

    def _constraints_of(self, item: Item, liked: int, rng: RandomSource) -> tuple[tuple[Feature, ...], int]:
        """Constraints that narrow an item down, leaving what is liked if they can; of all that do not, the narrowest."""
        best: tuple[tuple[Feature, ...], int] = ((), self._all_items)
        for most in range(MAX_CONSTRAINTS, 0, -1):  # fewer of those that users talk about leave room for others
            for spared in (liked, None):
                found = self._constraints_from(item, self._all_items, rng, spared=spared, most=most)
                if found[1].bit_count() - (spared is not None) <= self.bound:
                    return found
                best = min(best, found, key=lambda each: each[1].bit_count())
        return best

    def _example(self, features: Sequence[Feature], liked: int, rng: RandomSource) -> str | None:
        """One of some items that has all of some features, or else as many of the first ones as any item has."""
        for count in range(len(features), -1, -1):
            if held := reduce(and_, map(self._mask, features[:count]), liked):
                return self._ids[rng.pick(tuple(_places_in(held)))]
        return None

    def of_wish(self, wish: Wish, profile: Profile, rng: RandomSource, *, likes: Likes | None = None) -> Need:
        """The need of a user with a wish.

        Args:
            wish: what they are after.
            profile: what they have consumed and how they liked it: the example of the wish, and not its target.
            rng: what is drawn from.
            likes: whether the real user behind the profile is known to like an item: then it is a target, too, if it fits.
        """
        known, disliked = tuple(profile.ratings), tuple(profile.disliked_items)
        found = wish.features, wish.fitting & ~self.mask_of(known)
        return self._need(found, profile.liked_items, known, disliked, rng, likes, wish.target)

    def of_profile(self, profile: Profile, rng: RandomSource, *, likes: Likes | None = None) -> Need:
        """Sample a need that starts from the user of a profile, so that what many people like is asked for most.

        Args:
            profile: what they have consumed and how they liked it.
            rng: what is drawn from.
            likes: whether the real user behind the profile is known to like an item: targets are taken from these.
        """
        ratings = profile.ratings
        known = tuple(ratings)
        anchors = rng.sample(profile.liked_items or sorted(ratings, key=lambda item: -ratings[item])[:1], len(ratings))
        found = self._narrow(anchors, self._all_items & ~self.mask_of(known), rng)
        return self._need(found, anchors, known, tuple(profile.disliked_items), rng, likes)

    def of_catalogue(self, rng: RandomSource) -> Need:
        """Sample a need without a profile: the example of a wish counts as known."""
        wish = self.draw_wish(rng)
        known = (wish.example,)
        found = wish.features, wish.fitting & ~self.mask_of(known)
        return self._need(found, known, known, (), rng, None, wish.target, source=NeedSource.CATALOGUE)

    def _need(
        self,
        found: tuple[tuple[Feature, ...], int],
        anchors: Sequence[str],
        known: tuple[str, ...],
        disliked: tuple[str, ...],
        rng: RandomSource,
        likes: Likes | None,
        target: str | None = None,
        *,
        source: NeedSource = NeedSource.PROFILE,
    ) -> Need:
        """The need with some constraints, and the mask of what satisfies them."""
        features, mask = found
        acceptable = [self._ids[place] for place in _places_in(mask)]
        if not acceptable:  # everything is known: there is nothing to look for but what one likes best
            acceptable = [anchors[0]]
        favorites = [item for item in acceptable if item != target and likes(item)] if likes else []
        targets = [target, *favorites] if target in acceptable else favorites or [rng.pick(acceptable)]
        if len(acceptable) > self.bound:  # nothing that the catalogue says of its items narrows it down
            targets = acceptable = targets[:1]
        asked, names = frozenset(features), {name for name, _ in features}
        examples = sorted(anchors, key=lambda item: -len(self._features_of(item) & asked))
        last = len(features) - 1
        free = [name for name in (*self._spoken, *self._last_resort) if name not in names]
        requests = tuple(rng.sample(free, 1 + rng.draw_below(MAX_REQUESTS)))
        return Need(
            id=_hash(features, targets, acceptable, known, disliked, requests),
            constraints=tuple(self._constraint(*each, place == last > 0) for place, each in enumerate(features)),
            targets=tuple(targets),
            acceptable=tuple(acceptable),
            examples=tuple(examples),
            known=known,
            disliked=disliked,
            requests=requests,
            source=source,
            catalogue_size=len(self.catalogue),
        )

    def _constraint(self, name: str, value: str, relaxable: bool) -> Constraint:
        """A constraint; records do not change, so that one serves all needs."""
        key = (name, value, relaxable)
        if key not in self._constraints:
            self._constraints[key] = Constraint(attribute=name, values=(value,), relaxable=relaxable)
        return self._constraints[key]

    def _narrow(self, anchors: Sequence[str], fresh: int, rng: RandomSource) -> tuple[tuple[Feature, ...], int]:
        """(constraints, what satisfies them) of the first anchor that narrows it down; of all, the narrowest."""
        best: tuple[tuple[Feature, ...], int] = ((), fresh)
        for anchor in anchors:
            found = self._constraints_from(self.catalogue[anchor], fresh, rng)
            if found[1].bit_count() <= self.bound:
                return found
            if found[1].bit_count() < best[1].bit_count():
                best = found
        return best

    def _constraints_from(
        self,
        item: Item,
        fresh: int,
        rng: RandomSource,
        *,
        spared: int | None = None,
        most: int = MAX_CONSTRAINTS,
    ) -> tuple[tuple[Feature, ...], int]:
        """Constraints that an item satisfies, and the mask of what else does.

        Args:
            item: the item.
            fresh: mask of the items among which they choose.
            rng: what is drawn from.
            spared: mask of items of which one, at least, satisfies them, and will be known; None: of the fresh ones.
            most: constraints on attributes that users talk about.
        """
        known = spared is not None
        spared = fresh if spared is None else spared
        chosen: list[Feature] = []
        mask = fresh
        spoken = [(name, value) for name in self._spoken for value in rng.sample(values_of(item, name), len(self._ids))]
        decade = [(DECADE, value) for value in values_of(item, DECADE)]
        if self._mixed:
            spoken = rng.sample([*spoken, *decade], len(spoken) + len(decade))
            spoken.sort(key=lambda feature: (fresh & self._mask(feature)).bit_count() <= self._aim)  # narrow ones last
            decade = []
        rest = ((name, value) for name in self._last_resort for value in values_of(item, name))
        # First the attributes that users talk about, until about as many items fit as intended; the others only while more
        # fit than a need may have. A constraint must exclude some item and leave one that is spared.
        passes = (([*spoken[:2], *decade, *spoken[2:]], self._aim, most), (rest, self.bound, MAX_CONSTRAINTS))
        for features, enough, limit in passes:
            for feature in features:
                if mask.bit_count() - known <= enough or len(chosen) == limit:
                    break
                narrower = mask & self._mask(feature)
                if narrower == mask or not narrower & spared:
                    continue
                chosen.append(feature)
                mask = narrower
        return tuple(chosen), mask

    def _mask(self, feature: Feature) -> int:
        """The items that have a value, a bit for each."""
        found = self._masks.get(feature)
        if found is None:
            name, value = feature
            having = self._by_decade.get(value, ()) if name == DECADE else self.catalogue.items_with(name, value)
            found = self._masks[feature] = self.mask_of(having)
        return found

    def mask_of(self, ids: Iterable[str]) -> int:
        """Some items of the catalogue, a bit for each."""
        return reduce(or_, map(self._bits.__getitem__, ids), 0)

    def _features_of(self, item_id: str) -> frozenset[Feature]:
        """All that can be asked for and that an item has."""
        found = self._features.get(item_id)
        if found is None:
            item = self.catalogue[item_id]
            names = (*item.attributes, DECADE)
            found = self._features[item_id] = frozenset(
                (name, value) for name in names for value in values_of(item, name)
            )
        return found


def satisfied_share(need: Need, item: Item) -> float:
    """Share of a need's constraints that an item satisfies; 1 without constraints."""
    asked = need.constraints
    held = [each for each in asked if not {*each.values}.isdisjoint(values_of(item, each.attribute))]
    return len(held) / len(asked) if asked else 1.0


def without_attribute(need: Need, attribute: str, catalogue: Catalogue) -> Need:
    """A need whose user has given up an attribute: what they ask for and what outcomes count stays as it was."""
    relaxed = (*need.relaxed, attribute)
    left = need.model_copy(update={"constraints": tuple(c for c in need.constraints if c.attribute not in relaxed)})
    known = {*need.known, *need.disliked}
    fitting = (each for each, item in catalogue.items() if each not in known and satisfied_share(left, item) == 1.0)
    return need.model_copy(update={"relaxed": relaxed, "acceptable_relaxed": tuple(fitting)})


def resolve_mentions(
    utterances: Iterable[Utterance], need: Need, catalogue: Catalogue, linker: Linker | None
) -> tuple[tuple[Utterance, ...], Need]:
    """Utterances with mentions resolved to catalogue ids, and the need with the fit of these items.

    Mentions that a speaker declared stay, and get the catalogue's id where theirs is another one and the title is that
    of one item. Where nothing was declared, titles are looked for in the text.
    """
    resolved: list[Utterance] = []
    fits: dict[str, float] = {}
    for said in utterances:
        named = known_mentions(said, catalogue, linker)
        if named and said.speaker == "system":
            for each in sorted({each.item_id for each in named if each.item_id is not None} - fits.keys()):
                if (item := catalogue.get(each)) is not None:
                    fits[each] = round(satisfied_share(need, item), 4)
        resolved.append(said if named is said.mentions else said.model_copy(update={"mentions": named}))
    return tuple(resolved), need.model_copy(update={"fits": fits, "is_resolved": True})


def known_mentions(said: Utterance, catalogue: Catalogue, linker: Linker | None) -> tuple[Mention, ...] | None:
    """Items that an utterance declares or else, by the linker, names, with the catalogue's ids; None: nobody has looked."""
    found = said.mentions if said.mentions is not None else linker.find(said.text) if linker is not None else None
    if not found or not [each for each in found if each.item_id not in catalogue]:
        return found
    return tuple(_known_mention(each, catalogue) for each in found)


def _known_mention(mention: Mention, catalogue: Catalogue) -> Mention:
    if mention.item_id is not None and mention.item_id in catalogue:
        return mention
    titled = catalogue.find_title(mention.title)
    return mention.model_copy(update={"item_id": titled[0].id}) if len(titled) == 1 else mention


def _places_in(mask: int) -> Iterable[int]:
    """The places of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _hash(*parts: object) -> str:
    """Twelve hex digits that change with any of some texts."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def constraint_values(need: Need) -> Mapping[str, tuple[str, ...]]:
    """Values that a need asks for, by attribute."""
    found: dict[str, tuple[str, ...]] = {}
    for each in need.constraints:
        found[each.attribute] = (*found.get(each.attribute, ()), *each.values)
    return found
