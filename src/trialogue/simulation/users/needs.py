"""Sample hidden information needs: constraints from an item that a real user liked, satisfied by few items.

A need starts from an item that the user knows and likes. Its attribute values become constraints, one after another (those
users mention first, then its decade), until at most 2%, preferably .5%, of the catalogue satisfies all of them; items the
user knows already do not count. So a user's stated tastes are consistent with what they are looking for, and a recommender
that listens has an advantage.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item
from trialogue.records import Constraint, Mention, Need, NeedSource, Utterance
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.profiles import Profile
from trialogue.simulation.random_source import RandomSource

MAX_SATISFIED = 0.02
"""Share of the catalogue that may satisfy a need."""
AIM = 0.005  # share from which on no further constraint is added: so few that lists of films seldom hold one by chance
DECADE = "decade"
"""The constraint on an item's year, such as 1990s."""
MAX_REQUESTS = 2
MAX_CONSTRAINTS = 4  # people who look for a film give two or three; a fifth would name the item

Feature = tuple[str, str]


def decade_of(item: Item) -> str | None:
    """Decade of an item's year.

    >>> decade_of(Item(id="1", title="Heat", year=1995))
    '1990s'
    """
    return None if item.year is None else f"{item.year // 10 * 10}s"


def values_of(item: Item, attribute: str) -> tuple[str, ...]:
    """An item's values of an attribute, ``DECADE`` included."""
    if attribute == DECADE:
        return () if (decade := decade_of(item)) is None else (decade,)
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
        others = (name for name in catalogue.attributes if name not in (*self._spoken, OTHER_TITLES))
        self._last_resort = tuple(others)
        self._masks: dict[Feature, int] = {}
        self._constraints: dict[tuple[str, str, bool], Constraint] = {}

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(self.catalogue)

    @cached_property
    def _all_items(self) -> int:
        """The mask of all items."""
        return (1 << len(self._ids)) - 1

    @cached_property
    def _places(self) -> dict[str, int]:
        return {item_id: place for place, item_id in enumerate(self._ids)}

    def of_profile(self, profile: Profile, rng: RandomSource, *, liked: Iterable[str] = ()) -> Need:
        """Sample a need for the user of a profile.

        Args:
            profile: what they have consumed and how they liked it.
            rng: what is drawn from.
            liked: what the real user behind the profile is known to like beside it: targets are taken from these.
        """
        ratings = profile.ratings
        known = tuple(ratings)
        anchors = rng.sample(profile.liked_items or sorted(ratings, key=lambda item: -ratings[item])[:1], len(ratings))
        return self._need(anchors, known, tuple(profile.disliked_items), rng, frozenset(liked), NeedSource.PROFILE)

    def of_catalogue(self, rng: RandomSource) -> Need:
        """Sample a need without a profile: like a random item, which counts as known."""
        anchor = rng.pick(self._ids)
        return self._need([anchor], (anchor,), (), rng, frozenset(), NeedSource.CATALOGUE)

    def _need(
        self,
        anchors: Sequence[str],
        known: tuple[str, ...],
        disliked: tuple[str, ...],
        rng: RandomSource,
        liked: frozenset[str],
        source: NeedSource,
    ) -> Need:
        fresh = self._all_items & ~self._mask_of(known)
        features, mask = self._narrow(anchors, fresh, rng)
        acceptable = [self._ids[place] for place in _places_in(mask)]
        if not acceptable:  # everything is known: there is nothing to look for but what one likes best
            acceptable = [anchors[0]]
        favorites = [item for item in acceptable if item in liked]
        targets = favorites or [rng.pick(acceptable)]
        if len(acceptable) > self.bound:  # nothing that the catalogue says of its items narrows it down
            targets = acceptable = targets[:1]
        examples = sorted(anchors, key=lambda item: -self._share(features, self.catalogue[item]))
        last = len(features) - 1
        free = [name for name in (*self._spoken, *self._last_resort) if name not in {name for name, _ in features}]
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

    def _constraints_from(self, item: Item, fresh: int, rng: RandomSource) -> tuple[tuple[Feature, ...], int]:
        """Constraints that an item satisfies, and the mask of the others that do, too: at least one."""
        chosen: list[Feature] = []
        mask = fresh
        spoken = [(name, value) for name in self._spoken for value in rng.sample(values_of(item, name), len(self._ids))]
        decade = [(DECADE, value) for value in values_of(item, DECADE)]
        if self._mixed:
            spoken = rng.sample([*spoken, *decade], len(spoken) + len(decade))
            spoken.sort(key=lambda feature: (fresh & self._mask(feature)).bit_count() <= self._aim)  # narrow ones last
            decade = []
        rest = [(name, value) for name in self._last_resort for value in values_of(item, name)]
        # First the attributes that users talk about, until about as many items fit as intended; the others only while more
        # fit than a need may have. A constraint must exclude some item and leave another one: narrower in (0, mask).
        for features, enough in (([*spoken[:2], *decade, *spoken[2:]], self._aim), (rest, self.bound)):
            for feature in features:
                narrower = mask & self._mask(feature)
                if mask.bit_count() <= enough or len(chosen) == MAX_CONSTRAINTS or narrower in (0, mask):
                    continue
                chosen.append(feature)
                mask = narrower
        return tuple(chosen), mask

    def _mask(self, feature: Feature) -> int:
        """The items that have a value, a bit for each."""
        found = self._masks.get(feature)
        if found is None:
            name, value = feature
            having = (
                (item.id for item in self.catalogue.values() if decade_of(item) == value)
                if name == DECADE
                else self.catalogue.items_with(name, value)
            )
            found = self._masks[feature] = self._mask_of(having)
        return found

    def _mask_of(self, ids: Iterable[str]) -> int:
        mask, places = 0, self._places
        for item_id in ids:
            mask |= 1 << places[item_id]
        return mask

    @staticmethod
    def _share(features: Sequence[Feature], item: Item) -> float:
        held = sum(value in values_of(item, name) for name, value in features)
        return held / len(features) if features else 0.0


def satisfied_share(need: Need, item: Item) -> float:
    """Share of a need's constraints that an item satisfies; 1 without constraints."""
    held = [not set(values_of(item, each.attribute)).isdisjoint(each.values) for each in need.constraints]
    return sum(held) / len(held) if held else 1.0


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
        if said.speaker == "system":
            ids = {each.item_id for each in named or () if each.item_id is not None} - fits.keys()
            fits |= {
                each: round(satisfied_share(need, catalogue[each]), 4) for each in sorted(ids) if each in catalogue
            }
        resolved.append(said if named is said.mentions else said.model_copy(update={"mentions": named}))
    return tuple(resolved), need.model_copy(update={"fits": fits, "is_resolved": True})


def known_mentions(said: Utterance, catalogue: Catalogue, linker: Linker | None) -> tuple[Mention, ...] | None:
    """Items that an utterance declares or else, by the linker, names, with the catalogue's ids; None: nobody has looked."""
    found = said.mentions if said.mentions is not None else linker.find(said.text) if linker is not None else None
    return None if found is None else _all_known(found, catalogue)


def _all_known(mentions: tuple[Mention, ...], catalogue: Catalogue) -> tuple[Mention, ...]:
    """Mentions with ids of the catalogue; the very same where all have them."""
    if all(each.item_id in catalogue for each in mentions):
        return mentions
    return tuple(_known_mention(each, catalogue) for each in mentions)


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
