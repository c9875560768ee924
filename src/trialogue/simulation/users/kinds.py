"""Plug-in interface for kinds of simulated users, built-in and third-party, and the world that they share.

A kind is found by the name of an entry point ``trialogue.users`` (a family of kinds takes one of its members behind a
colon: ``llm:single``), as ``module:Name``, as a folder of fitted users, or in a YAML file. Settled in a world (a catalogue
with ratings) it returns users, which create one user per dialogue:

    kind:   ``name``, ``with_options(**changes)``, ``settle(world)``   returns users
    users:  ``name``, ``new(case, seed=...)``                          returns one user
    user:   ``start``, ``answer``, ``resume``, and optionally a ``need`` (see ``user.SimulatedUser``)

A *case* identifies the user: its number in a plan. It is the same for every agent, so that all agents meet the same
users with the same needs. All randomness of a user derives from the case and the run's seed, none from the agent.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from trialogue.agents.registry import OptionsError
from trialogue.catalogue import Catalogue, Ratings, TitleLinker
from trialogue.catalogue.domains import main_attribute, spoken_attributes
from trialogue.errors import DataError, Problem, TrialogueError, UnknownNameError, UsageError
from trialogue.plugins import load, plugins_of
from trialogue.records import Mention, Need
from trialogue.records.files.validation import Mistake, dotted_path
from trialogue.records.files.yaml_file import read_fields
from trialogue.seeds import rng_for
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.profiles import Profile, Profiles
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.needs import Needs
from trialogue.simulation.users.options import METHODS, UserOptions, option_mistakes
from trialogue.simulation.users.user import SimulatedUser

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


GROUP = "trialogue.users"


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
    """Need."""
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


class SimulatedUsers(Protocol):
    """Users of one kind in one world."""

    def new(self, case: str, *, seed: int) -> SimulatedUser:
        """Create the user of a case; the same case and seed give the same user."""
        ...


@runtime_checkable
class UserKind(Protocol):
    """A kind of simulated users, independent of any catalogue."""

    @property
    def name(self) -> str:
        """Name of these users in tables."""
        ...

    def with_options(self, **changes: Any) -> "UserKind":
        """Copy with some options changed; UsageError for an unknown option or an invalid value."""
        ...

    def settle(self, world: World) -> SimulatedUsers:
        """Create users of this kind in a world; UsageError if the world lacks required data."""
        ...


@runtime_checkable
class ChecksOptions(Protocol):
    """A kind that can report invalid or missing options before users are created."""

    def mistakes(self) -> list[Mistake]:
        """All mistakes, each with its option; [] if there are none."""
        ...


@runtime_checkable
class HasSignature(Protocol):
    """Users, or a kind, whose behavior depends on more than their options, such as the text of a prompt."""

    @property
    def signature(self) -> str | None:
        """Identifier that changes with the behavior; recorded in the manifest and the dialogues. None: options say all."""
        ...


@runtime_checkable
class HasPrompts(HasSignature, Protocol):
    """A kind of users played by a language model."""

    @property
    def name(self) -> str:
        """Name of these users."""
        ...

    @property
    def prompts(self) -> Mapping[str, str]:
        """Prompts by purpose."""
        ...


@runtime_checkable
class KindFamily(Protocol):
    """Several kinds behind one entry point, named ``family:member``."""

    @property
    def members(self) -> Mapping[str, str]:
        """Descriptions of the members by name."""
        ...

    def member(self, name: str) -> UserKind:
        """Get a kind by name; UnknownNameError if there is none."""
        ...


def load_kind(name: Path | str, **changes: Any) -> UserKind:
    """Load a kind of simulated users by name, ``module:Name``, folder or file.

    Args:
        name: ``qrfa-single``, ``cir6-single`` or ``cir6-pkg`` (with a shape behind a slash, see ``load_users``);
            ``llm:single`` or another kind that a language model plays; a folder of fitted users; the name of an entry
            point ``trialogue.users``; ``module:Name``; or a YAML file with a field ``users`` that is one of these, and
            options. An entry point and ``module:Name`` are a kind, or a function that gives one.
        changes: options to set.

    Raises:
        UnknownNameError: no such users.
        UsageError: what goes by this name is no kind of users, or an option is wrong.
        DataError: a file or folder that cannot be read.
    """
    kind = _find_kind(str(name))
    return kind.with_options(**changes) if changes else kind


def _find_kind(name: str) -> UserKind:
    from trialogue.simulation.users.fit import load_users

    if is_users_file(name):
        fields = _fields(name)
        return load_kind(str(fields.pop("users")), **fields)
    if _is_ours(name):
        return load_users(name)
    head, colon, member = name.partition(":")
    if head in plugins_of(GROUP) and isinstance(
        family := load(GROUP, head, kind="kind of simulated users"), KindFamily
    ):
        return family.member(member if colon else "")
    _check_registered(name)
    made = load(GROUP, name, kind="kind of simulated users")
    if not isinstance(made, UserKind) or isinstance(made, type):
        made = made()
    if not isinstance(made, UserKind):
        hint = f"It returned {type(made).__name__}, which lacks name, with_options or settle."
        raise UnknownNameError("kind of simulated users", name, METHODS, hint=hint)
    return made


def is_users_file(name: object) -> bool:
    """Whether the argument names a YAML file that describes users."""
    return isinstance(name, str) and Path(name).suffix in (".yaml", ".yml") and Path(name).is_file()


def _fields(path: str) -> dict[str, Any]:
    hint = "A file of users has a line such as 'users: cir6-pkg', and options below it."
    fields = dict(read_fields(Path(path), hint=hint))
    if not isinstance(fields.get("users"), str):
        raise DataError(Problem("this is not a kind of user.", path, field="users", hint=hint))
    return fields


def _is_ours(name: str) -> bool:
    """Whether a name denotes agenda-based users, whose options can be checked without creating them."""
    return Path(name).is_dir() or name.partition("/")[0] in METHODS


def _check_registered(name: str) -> None:
    if ":" not in name and name not in plugins_of(GROUP):
        hint = "A folder of fitted users, a YAML file, or 'module:Name' can also be given."
        raise UnknownNameError("kind of simulated users", name, {*METHODS, *plugins_of(GROUP)}, hint=hint)


def kind_mistakes(name: str, options: Mapping[str, Any]) -> list[tuple[str | None, TrialogueError]]:
    """Mistakes in users and their options, with the option's name; does not create agenda-based users.

    Args:
        name: as for ``load_kind``.
        options: options to set.
    """
    from trialogue.simulation.users.fit import check_users

    found: list[tuple[str | None, TrialogueError]] = []
    if _is_ours(name) or name in METHODS:
        found += [(option, error) for option, error in option_mistakes(options).items()]
        try:
            check_users(name)
            # Contradictions between options can only be checked once each of them is valid by itself.
            if not found:
                UserOptions().change(options)
        except TrialogueError as error:
            found.append((None, error))
        return found
    try:
        kind = load_kind(name, **options)
    except OptionsError as error:
        return _of_options(error.mistakes)
    except TrialogueError as error:
        return [(None, error)]
    return _of_options(kind.mistakes()) if isinstance(kind, ChecksOptions) else []


def _of_options(mistakes: Iterable[Mistake]) -> list[tuple[str | None, TrialogueError]]:
    return [
        (dotted_path(each.place) or None, UsageError(f"{each.what}{' ' + each.hint if each.hint else ''}"))
        for each in mistakes
    ]


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
