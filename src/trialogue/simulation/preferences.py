"""Preference models: what a simulated user has seen, their opinion of an item, and their wishes, with a need or without.

``SingleItem`` and ``KnowledgeGraph`` are those of Zhang and Balog (KDD 2020, sec. 4.3.1 and 4.3.2). Both use a
``Profile``.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol

from trialogue.catalogue import Catalogue
from trialogue.errors import UnknownNameError
from trialogue.records import Need
from trialogue.simulation.profiles import DISLIKED, LIKED, NEUTRAL, Profile
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.needs import constraint_values

UnseenRule = Literal["mean", "sum"]


class Preferences(Protocol):
    """One user's experience, opinions and wishes."""

    @property
    def decides(self) -> bool:
        """Whether opinions, rather than only the agenda, decide the reaction to a recommendation."""
        ...

    def has_seen(self, item_id: str) -> bool:
        """Whether the user has consumed an item."""
        ...

    def opinion(self, item_id: str, rng: RandomSource) -> int:
        """``LIKED``, ``NEUTRAL`` or ``DISLIKED``, for any item."""
        ...

    @property
    def wishes(self) -> frozenset[str]:
        """Attributes with particular wishes, of which no other value is asked for; empty: none."""
        ...

    @property
    def undisclosed(self) -> frozenset[str]:
        """Attributes with wishes that the user has not mentioned yet; empty: no particular wishes."""
        ...

    def focus(self, items: Sequence[str]) -> str:
        """Item to continue with, out of at least one named in a turn."""
        ...

    def wanted_item(self, rng: RandomSource, *, but: Collection[str] = ()) -> str | None:
        """Item to mention positively, preferably outside ``but``; None if there is none."""
        ...

    def value(self, attribute: str, rng: RandomSource, *, liked: bool = True) -> str | None:
        """Attribute value to ask for, or to reject; None if none is known."""
        ...


class _FromProfile:
    """Common base of both models: facts from the profile."""

    decides = False
    wishes: frozenset[str] = frozenset()
    undisclosed: frozenset[str] = frozenset()

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def focus(self, items: Sequence[str]) -> str:
        """The last one, as in the released code."""
        return items[-1]

    def has_seen(self, item_id: str) -> bool:
        """Whether the item is in the profile: all its items have been consumed, and nothing else."""
        return item_id in self.profile.ratings

    def wanted_item(self, rng: RandomSource, *, but: Collection[str] = ()) -> str | None:
        """A liked item of the profile, one not in ``but`` if there is one; the best rated where nothing is liked."""
        ratings = self.profile.ratings
        liked = self.profile.liked_items or sorted(ratings, key=lambda item: -ratings[item])[:1]
        fresh = [item for item in liked if item not in but] or liked
        return rng.pick(fresh) if fresh else None


class SingleItem(_FromProfile):
    """Seen items are those in the history; each opinion is an independent coin toss (sec. 4.3.1)."""

    def opinion(self, item_id: str, rng: RandomSource) -> int:
        """``LIKED`` or ``DISLIKED``, with equal probability."""
        return LIKED if rng.share() < 0.5 else DISLIKED

    def value(self, attribute: str, rng: RandomSource, *, liked: bool = True) -> str | None:
        """A value of any item in the profile, liked or not."""
        values = list(self.profile.values(attribute))
        return rng.pick(values) if values else None


class KnowledgeGraph(_FromProfile):
    """Consistent opinions of items and attribute values (personal knowledge graph, sec. 4.3.2).

    Of an item that the user has not consumed, the paper does not say what they think. ``mean``: the mean rating of
    those of its attribute values that the profile rates, by the items' thresholds; neutral without any. ``sum``: as the
    released code has it, disliked if more of its values are disliked than liked, and else liked, so that not knowing is
    liking.
    """

    decides = True

    def __init__(
        self,
        profile: Profile,
        catalogue: Catalogue,
        *,
        attributes: Sequence[str] = ("genre",),
        unseen: UnseenRule = "mean",
    ) -> None:
        """Build a knowledge graph.

        Args:
            profile: what was consumed and how it was rated.
            catalogue: the items' attributes.
            attributes: names of the attributes that opinions rest on.
            unseen: how opinions of other items come about.
        """
        super().__init__(profile)
        if unseen not in ("mean", "sum"):
            raise UnknownNameError("rule for unseen items", unseen, ("mean", "sum"))
        self._catalogue, self._attributes, self._unseen = catalogue, tuple(attributes), unseen

    def opinion(self, item_id: str, rng: RandomSource) -> int:
        """Opinion by the item's rating, or else by its attributes; deterministic."""
        own = self.profile.opinion(item_id)
        return own if own is not None else self._opinion_by_attributes(item_id)

    def _opinion_by_attributes(self, item_id: str) -> int:
        item = self._catalogue.get(item_id)
        having = [] if item is None else [(name, item.attributes.get(name, ())) for name in self._attributes]
        pairs = [(name, value) for name, values in having for value in values]
        if self._unseen == "sum":
            return LIKED if sum(self.profile.value_opinion(*pair) or 0 for pair in pairs) >= 0 else DISLIKED
        known = [rating for name, value in pairs if (rating := self.profile.values(name).get(value)) is not None]
        return self.profile.thresholds.opinion(sum(known) / len(known)) if known else NEUTRAL

    def value(self, attribute: str, rng: RandomSource, *, liked: bool = True) -> str | None:
        """A liked (or disliked) value, or else the one closest to it."""
        values = self.profile.values(attribute)
        wanted = LIKED if liked else DISLIKED
        fitting = [value for value in values if self.profile.value_opinion(attribute, value) == wanted]
        if fitting:
            return rng.pick(fitting)
        return max(values, key=lambda value: wanted * values[value]) if values else None


PREFERENCES: Mapping[str, str] = MappingProxyType({"single": "single item", "pkg": "personal knowledge graph"})
"""Names of preference models."""


def preferences(
    name: str, profile: Profile, catalogue: Catalogue, *, attributes: Sequence[str], unseen: UnseenRule = "mean"
) -> SingleItem | KnowledgeGraph:
    """Create a preference model by name, over a profile.

    Raises:
        UnknownNameError: there is none of this name.
    """
    if name == "single":
        return SingleItem(profile)
    if name == "pkg":
        return KnowledgeGraph(profile, catalogue, attributes=attributes, unseen=unseen)
    raise UnknownNameError("preference model", name, PREFERENCES)


MAX_EXAMPLES = 3  # of what they like, which they name to say what they are after


class NeedPreferences:
    """Preferences from the user's profile, and wishes from their need.

    A user whose opinions decide accepts only an item that satisfies the need. Constraints are stated one at a time,
    those not yet stated first.
    """

    def __init__(self, base: Preferences, need: Need, *, strict: bool = False) -> None:
        """``strict``: state nothing that is not part of the need, as where the profile is invented."""
        self._base, self._need, self._strict = base, need, strict
        self._acceptable = frozenset(need.acceptable)
        self._values = constraint_values(need)
        self._untold = {name: list(dict.fromkeys(values)) for name, values in self._values.items()}

    def relax(self, need: Need) -> None:
        """Neither tell nor ask for the attributes that the user has given up."""
        self._acceptable = frozenset((*need.acceptable, *need.acceptable_relaxed))
        self._values = {name: values for name, values in self._values.items() if name not in need.relaxed}

    @property
    def decides(self) -> bool:
        """As in the profile's preferences."""
        return self._base.decides

    @property
    def wishes(self) -> frozenset[str]:
        """Constrained attributes."""
        return frozenset(self._values)

    @property
    def undisclosed(self) -> frozenset[str]:
        """Constrained attributes that the user has not mentioned yet."""
        return frozenset([name for name, left in self._untold.items() if left and name in self._values])

    def has_seen(self, item_id: str) -> bool:
        """As in the profile's preferences."""
        return self._base.has_seen(item_id)

    def focus(self, items: Sequence[str]) -> str:
        """Item to continue with: the first that satisfies the need, else the last one named."""
        return next((item for item in items if item in self._acceptable), items[-1])

    def opinion(self, item_id: str, rng: RandomSource) -> int:
        """``LIKED`` for items that satisfy the need; never for other unknown items."""
        if item_id in self._acceptable:
            return LIKED
        opinion = self._base.opinion(item_id, rng)
        if not self.decides or self.has_seen(item_id):
            return opinion
        return DISLIKED if opinion == DISLIKED else NEUTRAL

    def wanted_item(self, rng: RandomSource, *, but: Collection[str] = ()) -> str | None:
        """A known and liked item that resembles the target, preferably not in ``but``."""
        examples = self._need.examples[:MAX_EXAMPLES]
        fresh = [item for item in examples if item not in but]
        if fresh or examples:
            return rng.pick(fresh or examples)
        return self._base.wanted_item(rng, but=but)

    def value(self, attribute: str, rng: RandomSource, *, liked: bool = True) -> str | None:
        """A value that the need asks for, unmentioned ones first; to reject, one that it does not ask for."""
        wanted = self._values.get(attribute, ())
        if not liked:
            value = self._base.value(attribute, rng, liked=False)
            return None if value in wanted else value
        if not wanted:
            return None if self._strict else self._base.value(attribute, rng)
        left = self._untold[attribute]
        return left.pop(0) if left else rng.pick(wanted)
