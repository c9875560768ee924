"""Tastes of users whose catalogue has no ratings, invented to go with a need; nothing in them is of real people."""

from trialogue.catalogue import Catalogue, Scale
from trialogue.records import Need
from trialogue.simulation.profiles import Profile, Thresholds
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.needs import satisfied_share

INVENTED_SCALE = Scale(1, 5, 1)
"""Scale of invented opinions."""
KNOWN_SHARE = 0.2  # of the catalogue, at most: users of a small one would otherwise know nearly everything
WHIM = 0.25  # chance that an opinion is a star lower than what the need explains


def invented_profile(
    need: Need, catalogue: Catalogue, rng: RandomSource, *, size: int, thresholds: Thresholds
) -> Profile:
    """Items that a user knows, and how they like them: the item that the need was made from, and others drawn at random.

    An item that satisfies the share s of the need's constraints has 1 + 4 s stars, rounded, sometimes one less. Items that
    satisfy the need are unknown to the user.

    Args:
        need: drawn from the catalogue; its first example is known and liked.
        catalogue: the items.
        rng: the user's own randomness.
        size: number of items, at most a fifth of the catalogue.
        thresholds: for opinions, on the scale of 1 to 5.
    """
    wanted = {*need.acceptable, *need.examples}
    others = [item for item in catalogue if item not in wanted]
    count = min(size, max(1, int(KNOWN_SHARE * len(catalogue)))) - 1
    ratings = dict.fromkeys(need.examples[:1], 5.0)
    for item in rng.sample(others, min(count, len(others))):
        stars = round(1 + 4 * satisfied_share(need, catalogue[item])) - (rng.share() < WHIM)
        ratings[item] = float(max(1, stars))
    return Profile(need.id, ratings, catalogue, thresholds=thresholds)
