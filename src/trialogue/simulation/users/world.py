"""What simulated users talk about: the catalogue, its ratings, titles in texts, and needs by case."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from trialogue.catalogue import Catalogue, Ratings, TitleLinker
from trialogue.catalogue.domains import main_attribute, spoken_attributes
from trialogue.errors import UsageError
from trialogue.records import Mention, Need
from trialogue.seeds import rng_for
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.profiles import Profile, Profiles
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.needs import Needs

LONGEST = 20_000  # characters in which titles are looked for; a list of 200 titles has some 6,000
REMEMBERED = 20_000  # texts whose titles are kept


class CachingLinker:
    """Caching wrapper around a linker; thread-safe."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._found: dict[str, tuple[Mention, ...]] = {}

    def find(self, text: str) -> tuple[Mention, ...]:
        """Items named in the first 20,000 characters of a text, in order."""
        found = self._found.get(text)
        if found is None:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            found = self._found[text] = tuple(self._linker.find(text[:LONGEST]))
        return found


@dataclass(frozen=True)
class World:
    """Environment of simulated users: catalogue, ratings and settings."""

    catalogue: Catalogue
    """The items they talk about."""
    ratings: Ratings | None = None
    """Ratings from which users and their needs are sampled; None: none."""
    needs: Mapping[str, Need] | None = None
    """Needs by case that users have in place of drawn ones (``need_set``); None: they are drawn."""

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """Attributes that users talk about by default: the main one, or several where nothing but attributes tells tastes.

        Raises:
            DataError: no item has an attribute.
        """
        return spoken_attributes(self.catalogue) if self.ratings is None else (main_attribute(self.catalogue),)

    @cached_property
    def linker(self) -> Linker:
        """Title linker of the catalogue, with a cache."""
        popularity = None if self.ratings is None else self.ratings.popularity()
        return CachingLinker(TitleLinker(self.catalogue, popularity=popularity))


@dataclass(frozen=True)
class CaseNeed:
    """Need and profile of the user of a case."""

    need: Need
    profile: Profile | None
    """Profile of consumed items; None in a world without ratings."""
    rng: RandomSource
    """The user's own randomness, after profile and need were drawn from it."""


class NeedsByCase:
    """Need and profile of each case in a world, equal for all user kinds with equal attributes and profiles."""

    def __init__(
        self,
        needs: Needs,
        profiles: Profiles | None,
        frozen: Mapping[str, Need] | None = None,
        *,
        profile_first: bool = False,
    ) -> None:
        self._needs, self._profiles, self._frozen, self._profile_first = needs, profiles, frozen, profile_first
        self._likeable = None if profiles is None or profile_first else needs.mask_of(profiles.liked_items)

    @classmethod
    def of_world(
        cls,
        world: World,
        *,
        attributes: tuple[str, ...],
        profiles: Profiles | None = None,
        profile_first: bool = False,
    ) -> "NeedsByCase":
        """Create with the given profiles, or the default ones: eight rated items, one of them liked.

        Args:
            world: catalogue, ratings and frozen needs.
            attributes: those that users talk about.
            profiles: what users' profiles are sampled from.
            profile_first: draw the user, and the need from what they like; else the need, evenly over the catalogue, and a
                user who likes something of the kind.

        Raises:
            DataError: no profile can be sampled from the world's ratings.
        """
        if world.ratings is not None and profiles is None:
            profiles = Profiles(world.ratings, world.catalogue)
        profile_first |= profiles is not None and profiles.variant == "released"  # whose items are given, not drawn
        needs = Needs(world.catalogue, attributes=attributes, mixed=profiles is None)
        return cls(needs, profiles, world.needs, profile_first=profile_first)

    def draw(self, case: str, *, seed: int) -> CaseNeed:
        """Sample the need of a case.

        Args:
            case: who it is.
            seed: the run's.
        """
        drawn = self._draw(case, seed=seed)
        if self._frozen is None:
            return drawn
        if case not in self._frozen:
            raise UsageError(f"the test set has no need for the user {case}.")
        return replace(
            drawn, need=self._frozen[case]
        )  # after the drawing: everything else about the user stays the same

    def _draw(self, case: str, *, seed: int) -> CaseNeed:
        rng = RandomSource(rng_for(seed, case, "user"))
        if self._profiles is None:
            return CaseNeed(self._needs.of_catalogue(rng), None, rng)
        if self._profile_first:
            profile = self._profiles.sample(rng)
            likes = partial(self._profiles.likes, profile.user)
            return CaseNeed(self._needs.of_profile(profile, rng, likes=likes), profile, rng)
        wish = self._needs.draw_wish(rng, self._likeable)
        profile = self._profiles.sample_liking(wish.example, rng, but=wish.target)
        likes = partial(self._profiles.likes, profile.user)
        return CaseNeed(self._needs.of_wish(wish, profile, rng, likes=likes), profile, rng)


def target_need(need: Need) -> Need:
    """Variant of a need that only its first target satisfies, with a distinct id."""
    first = need.targets[:1]
    return need.model_copy(update={"id": f"{need.id}-target", "targets": first, "acceptable": first})


class TitleDetector:
    """Detects the titles of some items in texts: as the linker finds them, or written out between word boundaries."""

    def __init__(self, items: Sequence[str], world: World, *, with_other_titles: bool = False) -> None:
        """Prepare the search.

        Args:
            items: ids; those that are not in the world's catalogue have no title.
            world: catalogue and linker.
            with_other_titles: whether an item's other titles are looked for word by word, too; the linker always knows them.
        """
        self._items, self._linker = frozenset(items), world.linker
        known = [world.catalogue[item] for item in items if item in world.catalogue]
        titles = [title for item in known for title in (item.title, *(item.other_titles if with_other_titles else ()))]
        self._titles = [re.compile(rf"(?<!\w){re.escape(title)}(?!\w)", re.IGNORECASE) for title in titles if title]

    def names(self, text: str) -> bool:
        """Whether a text names one of the items."""
        found = any(each.item_id in self._items for each in self._linker.find(text))
        return found or any(title.search(text) for title in self._titles)
