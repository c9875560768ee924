"""Preferences of a user with a need: wishes and acceptance follow from the need, everything else from the profile."""

from collections.abc import Collection, Sequence

from trialogue.records import Need
from trialogue.simulation.preferences import Preferences
from trialogue.simulation.profiles import DISLIKED, LIKED, NEUTRAL
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.needs import constraint_values

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
