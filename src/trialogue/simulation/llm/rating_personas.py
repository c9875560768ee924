"""Personas from ratings: how much people have tried, of how many kinds, and how hard they are to please.

What they like is left out on purpose: that is the need's, which is drawn for each case, and a persona with tastes of its own
would contradict it.
"""

from dataclasses import dataclass

import numpy as np

from trialogue.catalogue import Catalogue, Ratings
from trialogue.errors import UsageError
from trialogue.seeds import rng_for
from trialogue.simulation.profiles import Thresholds

MIN_RATED = 8  # items; a share of likes of fewer says nothing, and profiles have as many
HARD, EASY = 0.35, 0.65  # shares of likes below and above which somebody is hard or easy to please


@dataclass(frozen=True)
class RatingHabits:
    """Rating behavior of one user of a ratings file."""

    rated: int
    """Items of the catalogue that they rated."""
    liked: float
    """Share of them that they like."""
    kinds: int
    """Different values of the attribute that these items have."""

    def text(self, *, things: str) -> str:
        """The persona in words.

        >>> RatingHabits(40, 0.2, 9).text(things="films")
        'You have rated 40 films of 9 kinds. You are hard to please: you like 20 % of what you try.'
        """
        mood = "hard" if self.liked < HARD else "easy" if self.liked > EASY else "neither hard nor easy"
        share = f"you like {round(100 * self.liked)} % of what you try"
        return f"You have rated {self.rated} {things} of {self.kinds} kinds. You are {mood} to please: {share}."


def rating_personas(
    catalogue: Catalogue, ratings: Ratings, *, n: int, attribute: str = "genre", things: str = "films", seed: int = 0
) -> tuple[str, ...]:
    """Personas of random users who rated at least eight items of the catalogue, one for each user.

    Args:
        catalogue: the items.
        ratings: who liked what.
        n: how many; fewer where there are not so many such users.
        attribute: whose values are kinds of items.
        things: what the items are called.
        seed: seed for the choice.

    Raises:
        UsageError: nobody rated enough, the attribute has no values, or ``n`` is below 1.
    """
    if n < 1 or not catalogue.values_of(attribute):
        what = f"{n} personas were requested" if n < 1 else f"no item of the catalogue has the attribute {attribute!r}"
        raise UsageError(f"{what}: at least one of each is needed.")
    thresholds = Thresholds.for_scale(ratings.scale)
    found: list[str] = []
    for place in rng_for(seed, "rating personas").permutation(len(ratings.users)).tolist():
        own = {item: value for item, value in ratings.of_user(ratings.users[place]).items() if item in catalogue}
        if len(own) >= MIN_RATED:
            tried = {value for item in own for value in catalogue[item].attributes.get(attribute, ())}
            liked = float(np.mean([value >= thresholds.like for value in own.values()]))
            found.append(RatingHabits(len(own), liked, len(tried)).text(things=things))
        if len(found) == n:
            break
    if not found:
        what = f"no user rated at least {MIN_RATED} items of the catalogue"
        raise UsageError(f"{what}, so there are no rating personas. Use ratings of this catalogue with more per user.")
    return tuple(found)
