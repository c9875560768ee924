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

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from trialogue.agents.registry import OptionsError
from trialogue.errors import DataError, Problem, TrialogueError, UnknownNameError, UsageError
from trialogue.plugins import load, plugins_of
from trialogue.records.files.validation import Mistake, dotted_path
from trialogue.records.files.yaml_file import read_fields
from trialogue.simulation.bundled import SHAPES, bundled_users
from trialogue.simulation.users.options import METHODS, UserOptions, option_mistakes
from trialogue.simulation.users.population import UserModel
from trialogue.simulation.users.user import SimulatedUser
from trialogue.simulation.users.world import World

GROUP = "trialogue.users"


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


def load_users(name: Path | str, **changes: Any) -> UserModel:
    """Load users by name or folder.

    Args:
        name: a folder that ``UserModel.save`` wrote; ``qrfa-single``, ``cir6-single`` or ``cir6-pkg``, fitted on dialogues
            that come with Trialogue, all of them or, as in ``cir6-pkg/guided``, those with one kind of agent (``guided``,
            ``item-centred``, ``genre-led``); or a name that a package registered, or ``module:Name``: a function that
            returns a ``UserModel``.
        changes: options to set.

    Raises:
        UnknownNameError: no such users, or no such option.
        DataError: a folder that holds no fitted users.
    """
    model = _find_model(str(name)) if not Path(name).is_dir() else UserModel.load(name)
    return model.with_options(**changes) if changes else model


def check_users(name: Path | str) -> None:
    """Check that users exist by name or folder, without creating them.

    Raises:
        UnknownNameError: no such users.
    """
    kind, _, shape = str(name).partition("/")
    if Path(name).is_dir():
        return
    if kind in METHODS:
        if shape and shape not in SHAPES:
            raise UnknownNameError("kind of agent for bundled users", shape, SHAPES)
    elif ":" not in str(name) and name not in plugins_of(GROUP):
        known = {*METHODS, *plugins_of(GROUP)}
        hint = "A folder of fitted users, or 'module:Name', can also be given."
        raise UnknownNameError("kind of simulated users", str(name), known, hint=hint)


def _find_model(name: str) -> UserModel:
    check_users(name)
    kind, _, shape = name.partition("/")
    if kind in METHODS:
        return bundled_users(kind, shape or None)
    made = load(GROUP, name, kind="kind of simulated users")()
    if not isinstance(made, UserModel):
        raise UnknownNameError(
            "kind of simulated users",
            name,
            METHODS,
            hint=f"It returned {type(made).__name__}, which is not a UserModel.",
        )
    return made
