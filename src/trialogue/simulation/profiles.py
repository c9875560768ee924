"""User profiles: consumed and rated items of a simulated user, sampled from a real user's history.

Zhang and Balog (KDD 2020, sec. 4.3 and 5.2): a random user of a ratings corpus, 8 rated items of which at least one is
liked; at least 4 stars are liked, 2 or fewer disliked, the rest neutral; the rating of an attribute value is the mean
over the sampled items that have it. Any domain: items with attributes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trialogue.catalogue import Catalogue, Ratings, Scale
from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.simulation.random_source import RandomSource, Weighted

LIKED, NEUTRAL, DISLIKED = 1, 0, -1
"""Opinions."""

PAPER_SIZE = 8
REMEMBERED_USERS = 4096  # histories kept in memory as lists; a history has some hundred ratings

Variant = Literal["paper", "released"]


@dataclass(frozen=True)
class Thresholds:
    """Rating thresholds of likes and dislikes."""

    like: float = 4.0
    """Lowest rating of a liked item."""
    dislike: float = 2.0
    """Highest rating of a disliked item."""

    def __post_init__(self) -> None:
        if not self.dislike < self.like:
            raise UsageError(
                f"The dislike threshold must be below the like threshold; given: {self.dislike:g} and {self.like:g}."
            )

    @classmethod
    def for_scale(cls, scale: Scale) -> "Thresholds":
        """The paper's 4 and 2 if ratings go up to 5; else a quarter of the scale from its ends, as 4 and 2 are on 1 to 5.

        >>> Thresholds.for_scale(Scale(0.5, 5, 0.5)), Thresholds.for_scale(Scale(0, 100))
        (Thresholds(like=4.0, dislike=2.0), Thresholds(like=75.0, dislike=25.0))
        """
        if scale.high == 5 and scale.low in (0, 0.5, 1):
            return cls()
        quarter = (scale.high - scale.low) / 4
        return cls(like=scale.high - quarter, dislike=scale.low + quarter)

    def opinion(self, rating: float) -> int:
        """``LIKED``, ``NEUTRAL`` or ``DISLIKED``."""
        if rating >= self.like:
            return LIKED
        return DISLIKED if rating <= self.dislike else NEUTRAL


class Profile:
    """Consumed and rated items of one simulated user; opinions follow from them and never change."""

    __slots__ = ("_attribute_thresholds", "_basis", "_catalogue", "_values", "ratings", "thresholds", "user")

    def __init__(
        self,
        user: str,
        ratings: Mapping[str, float],
        catalogue: Catalogue,
        *,
        thresholds: Thresholds | None = None,
        attribute_thresholds: Thresholds | None = None,
        basis: Mapping[str, float] | None = None,
    ) -> None:
        """Build a profile.

        Args:
            user: whose history it was sampled from.
            ratings: rating by item id, of items of the catalogue.
            catalogue: where items' attributes are.
            thresholds: thresholds for items; None: 4 and 2.
            attribute_thresholds: thresholds for attribute values; None: the same.
            basis: the ratings that attribute values are rated by; None: ``ratings``, as in the paper.
        """
        self.user = user
        self.ratings = ratings
        self.thresholds = thresholds or Thresholds()
        self._attribute_thresholds = attribute_thresholds or self.thresholds
        self._catalogue = catalogue
        self._basis = ratings if basis is None else basis
        self._values: dict[str, dict[str, float]] = {}

    @property
    def liked_items(self) -> list[str]:
        """Ids of the liked items, in profile order."""
        like = self.thresholds.like
        return [item for item, rating in self.ratings.items() if rating >= like]

    @property
    def disliked_items(self) -> list[str]:
        """Ids of the disliked items."""
        dislike = self.thresholds.dislike
        return [item for item, rating in self.ratings.items() if rating <= dislike]

    def opinion(self, item_id: str) -> int | None:
        """Opinion of an item in the profile; None for any other."""
        rating = self.ratings.get(item_id)
        return None if rating is None else self.thresholds.opinion(rating)

    def values(self, attribute: str) -> dict[str, float]:
        """Mean rating of each value of an attribute, r_a of sec. 4.3.2, in order of appearance."""
        found = self._values.get(attribute)
        if found is None:
            found = self._values[attribute] = self._means(attribute)
        return found

    def _means(self, attribute: str) -> dict[str, float]:
        given: dict[str, list[float]] = {}
        for item_id, rating in self._basis.items():
            for value in self._catalogue[item_id].attributes.get(attribute, ()):
                given.setdefault(value, []).append(rating)
        return {value: sum(ratings) / len(ratings) for value, ratings in given.items()}

    def value_opinion(self, attribute: str, value: str) -> int | None:
        """Opinion of an attribute value; None if no item of the profile has it."""
        rating = self.values(attribute).get(value)
        return None if rating is None else self._attribute_thresholds.opinion(rating)


class Profiles:
    """Samples profiles from a ratings corpus."""

    def __init__(
        self,
        ratings: Ratings,
        catalogue: Catalogue,
        *,
        size: int = PAPER_SIZE,
        thresholds: Thresholds | None = None,
        variant: Variant = "paper",
    ) -> None:
        """Prepare sampling.

        Args:
            ratings: who rated what; ratings of items that the catalogue lacks are passed over.
            catalogue: the items.
            size: rated items in a profile.
            thresholds: None: those of the scale, 4 and 2 up to 5 stars.
            variant: ``paper``: ``size`` random items of a random user, at least one of them liked. ``released``: the first
                ``size`` items of a random user in the order of the file, liked or not, and attribute values rated by
                all that this user rated, liked from 3.5 stars (with 4 and 2; else half-way to the neutral middle).

        Raises:
            UsageError: a size below 1.
            DataError: nobody has rated so many of these items, or nobody who has likes any.
        """
        if size < 1:
            raise UsageError(f"A profile needs at least one rated item, got a size of {size}.")
        if variant not in ("paper", "released"):
            raise UnknownNameError("profile variant", variant, ("paper", "released"))
        self._ratings, self._catalogue, self.size, self.variant = ratings, catalogue, size, variant
        self.thresholds = thresholds or Thresholds.for_scale(ratings.scale)
        self._is_eligible = self._eligible()
        self.users = tuple(ratings.users[code] for code in np.flatnonzero(self._is_eligible).tolist())
        self._known = frozenset(catalogue)
        self._histories: dict[str, dict[str, float]] = {}

    def _eligible(self) -> NDArray[np.bool_]:
        """Whether a profile can be sampled from a user, by code."""
        ratings = self._ratings
        known = np.array([item in self._catalogue for item in ratings.items], dtype=np.bool_)
        kept = known[ratings.item_codes] if len(ratings.items) else np.zeros(0, dtype=np.bool_)
        counts = np.bincount(ratings.user_codes[kept], minlength=len(ratings.users))
        enough = counts >= self.size
        if not enough.any():
            what = f"none of {len(ratings.users)} users rated {self.size} of the {len(self._catalogue)} items; "
            what += f"the maximum is {int(counts.max(initial=0))}."
            raise DataError(Problem(what, hint="Do the item ids match the catalogue? Otherwise use smaller profiles."))
        if self.variant == "paper":
            kept &= ratings.values >= self.thresholds.like
            enough &= np.bincount(ratings.user_codes[kept], minlength=len(ratings.users)) > 0
        if not enough.any():
            what = f"no user with {self.size} rated items likes one: no rating reaches {self.thresholds.like:g}."
            raise DataError(Problem(what, hint="A profile needs a liked item. Choose thresholds that fit the scale."))
        return enough

    @cached_property
    def _likers(self) -> dict[str, NDArray[np.int32]]:
        """Codes of the users with profiles who like an item, by item of the catalogue that anybody likes."""
        ratings = self._ratings
        rows = np.flatnonzero(self._is_eligible[ratings.user_codes] & (ratings.values >= self.thresholds.like))
        rows = rows[np.argsort(ratings.item_codes[rows], kind="stable")]
        ends = np.cumsum(np.bincount(ratings.item_codes[rows], minlength=len(ratings.items)))
        users = np.split(ratings.user_codes[rows], ends[:-1])
        return {
            item: each for item, each in zip(ratings.items, users, strict=True) if len(each) and item in self._catalogue
        }

    @property
    def liked_items(self) -> Iterable[str]:
        """Ids of the items that anybody with a profile likes."""
        return self._likers.keys()

    def _history(self, user: str) -> dict[str, float]:
        """One user's ratings of items in the catalogue."""
        found = self._histories.get(user)
        if found is None:
            if len(self._histories) >= REMEMBERED_USERS:
                self._histories.clear()
            rated, known = self._ratings.of_user(user), self._known
            found = self._histories[user] = {item: value for item, value in rated.items() if item in known}
        return found

    def likes(self, user: str, item: str) -> bool:
        """Whether a user is known to like an item of the catalogue, in their profile or not."""
        return self._history(user).get(item, -inf) >= self.thresholds.like

    def sample(self, rng: RandomSource) -> Profile:
        """Sample a random user's profile; all users, and all valid sets of items, are equally likely."""
        user = rng.pick(self.users)
        rated = self._history(user)
        if self.variant == "released":
            first = dict(list(rated.items())[: self.size])
            return Profile(
                user,
                first,
                self._catalogue,
                thresholds=self.thresholds,
                attribute_thresholds=self._released_thresholds,
                basis=rated,
            )
        chosen = rng.sample(tuple(rated), self.size)
        if all(rated[item] < self.thresholds.like for item in chosen):
            liked = [item for item, value in rated.items() if value >= self.thresholds.like]
            others = [item for item, value in rated.items() if value < self.thresholds.like]
            chosen = _draw_with_liked(liked, others, self.size, rng)
        return Profile(user, {item: rated[item] for item in chosen}, self._catalogue, thresholds=self.thresholds)

    def sample_liking(self, item: str, rng: RandomSource, *, but: str = "") -> Profile:
        """Sample the profile of a random user who likes an item, with this item and without another one.

        Args:
            item: one of ``liked_items``.
            rng: what is drawn from.
            but: item that the profile lacks even if the user rated it; then it may be a rating short.
        """
        likers = self._likers[item]
        user = self._ratings.users[likers[rng.draw_below(len(likers))]]
        history = self._history(user)
        others = list(history)
        for each in {item, but} & history.keys():
            others.remove(each)
        chosen = rng.sample([item, *rng.sample(others, self.size - 1)], self.size)
        return Profile(user, {each: history[each] for each in chosen}, self._catalogue, thresholds=self.thresholds)

    @cached_property
    def _released_thresholds(self) -> Thresholds:
        like, dislike = self.thresholds.like, self.thresholds.dislike
        return Thresholds(like=like - (like - dislike) / 4, dislike=dislike)


def _draw_with_liked(liked: Sequence[str], others: Sequence[str], size: int, rng: RandomSource) -> list[str]:
    """A uniform draw among the sets of ``size`` items with at least one that is liked.

    How many of them are liked is hypergeometric, given that it is not 0. Replacing a draw without any by one from this
    distribution leaves the whole as if draws had been repeated until one fits, and always ends.
    """
    most = min(size, len(liked))
    least = max(1, size - len(others))
    ways = {count: comb(len(liked), count) * comb(len(others), size - count) for count in range(least, most + 1)}
    total = sum(ways.values())
    count = Weighted({count: number / total for count, number in ways.items()}).draw(rng)
    chosen = rng.sample(liked, count) + rng.sample(others, size - count)
    return rng.sample(chosen, size)
