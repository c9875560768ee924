"""The kind ``target-item:attributes``: options, users in a world, and the family behind the entry point ``target-item``."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError

from trialogue.agents.registry import OptionsError
from trialogue.catalogue import OTHER_TITLES, Catalogue
from trialogue.catalogue.domains import domain_of
from trialogue.catalogue.item import names_of
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.records import Record
from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.simulation.attributes.questions import MAX_ATTRIBUTES, QuestionParser
from trialogue.simulation.attributes.user import AttributeUser
from trialogue.simulation.attributes.wording import wordings_hash
from trialogue.simulation.users.kinds import NeedsByCase, World
from trialogue.simulation.users.needs import DECADE, decade_of
from trialogue.simulation.users.targets import TitleDetector, target_need

VERSION = "v1"
NAME = "target-item:attributes"
SUMMARIES: Mapping[str, str] = {
    "attributes": "knows one item, answers questions about its attributes and accepts nothing else (iEvaLM); five turns"
}
FIRST = ("genre", "star", "director", "writer")
"""iEvaLM's order of questions, which is the order of the options A, B, C, ..."""


def _as_list(names: Any) -> Any:
    """Names as a list; one alone may be given as a text, as on a command line."""
    return [names] if isinstance(names, str) else names


def _check_distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError(f"each attribute must be named once, got {', '.join(names)}.")
    return names


class AttributeOptions(Record):
    """Options of users who answer questions about attributes."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    attributes: (
        Annotated[
            tuple[str, ...],
            Field(min_length=1, max_length=MAX_ATTRIBUTES),
            BeforeValidator(_as_list),
            AfterValidator(_check_distinct),
        ]
        | None
    ) = None
    """Attributes that can be asked about, in the order of the options A, B, C, ...; the letter after the last one stands for
    recommending. ``decade`` is that of an item's year. None: those of the catalogue, iEvaLM's (genre, star, director,
    writer) first."""
    turns: Annotated[int, Field(ge=1)] = 5
    """Replies of the agent after which a dialogue is over."""
    titles: Annotated[int, Field(ge=1)] = 3
    """New recommended items of a turn that are considered: the first three, as in ``need_met``."""
    ranked: Annotated[int, Field(ge=0)] = 0
    """Places of the agent's ranked list that are considered in a turn without a question; 0: the user reads the text alone.
    iEvaLM: 50."""
    opening: Annotated[tuple[str, ...], BeforeValidator(_as_list), AfterValidator(_check_distinct)] = ()
    """Attributes whose values the first message tells, in place of the human dialogue that iEvaLM's users go on from;
    (): none."""
    domain: Annotated[str, Field(pattern=r"\S")] | None = None
    """Kind of items, in the plural; None: told by the catalogue's attributes."""


class AttributeKind:
    """The kind of users who answer questions about attributes."""

    name = NAME
    """Name of these users in tables."""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        """``given``: options, possibly wrong."""
        self._given = dict(given or {})

    @property
    def signature(self) -> str:
        """Kind, version, and a hash of the fixed sentences."""
        return f"{NAME}|{VERSION}|{wordings_hash()}"

    def with_options(self, **changes: Any) -> "AttributeKind":
        """Copy with some options changed.

        Raises:
            OptionsError: unknown options, or values that they cannot have.
        """
        kind = AttributeKind(self._given | changes)
        if wrong := kind.mistakes():
            raise OptionsError(NAME, wrong, what="users")
        return kind

    def mistakes(self) -> list[Mistake]:
        """Invalid options."""
        try:
            AttributeOptions.model_validate(self._given)
        except ValidationError as error:
            return mistakes_of(error, self._given, AttributeOptions)
        return []

    def settle(self, world: World) -> "AttributeUsers":
        """Create users of this kind in a world.

        Raises:
            OptionsError: options are wrong.
            UnknownNameError: the options name an attribute that no item has.
            DataError: the catalogue has no attribute to talk about.
        """
        if wrong := self.mistakes():
            raise OptionsError(NAME, wrong, what="users")
        return AttributeUsers(self.signature, AttributeOptions.model_validate(self._given), world)


class AttributeUsers:
    """Users of this kind in one world; thread-safe."""

    name = NAME

    def __init__(self, signature: str, options: AttributeOptions, world: World) -> None:
        """Prepare what users share; see ``AttributeKind.settle``."""
        self.signature, self.options, self.world = signature, options, world
        main = world.attributes[0]
        self.attributes = options.attributes or askable_attributes(world.catalogue)
        """Attributes that can be asked about, in the order of the options."""
        if strange := [name for name in (*self.attributes, *options.opening) if not _is_held(world.catalogue, name)]:
            raise UnknownNameError("attribute of the catalogue", strange[0], askable_attributes(world.catalogue))
        self._parser = QuestionParser(world.catalogue, self.attributes, main=main)
        self.cases = NeedsByCase.of_world(world, attributes=world.attributes)

    def new(self, case: str, *, seed: int) -> AttributeUser:
        """Create the user of a case, with the need of ``llm:target-item`` users in this case."""
        need = target_need(self.cases.draw(case, seed=seed).need)
        options, world = self.options, self.world
        return AttributeUser(
            need,
            self._parser,
            TitleDetector(need.targets, world, with_other_titles=True),
            world.catalogue,
            world.linker,
            turns=options.turns,
            titles=options.titles,
            ranked=options.ranked,
            opening=options.opening,
            domain=options.domain or domain_of(world.catalogue).things,
        )


def askable_attributes(catalogue: Catalogue) -> tuple[str, ...]:
    """A catalogue's attributes without other titles: those that iEvaLM asks about first, then by name.

    Raises:
        DataError: it has none.
    """
    names = [name for name in catalogue.attributes if name != OTHER_TITLES]
    if not names:
        what = f"none of the {len(catalogue)} items has an attribute to ask about."
        raise DataError(Problem(what, hint="Give items a genre, director, cuisine or similar attribute."))
    order = {word: place for place, first in enumerate(FIRST) for word in names_of(first)}
    return tuple(sorted(names, key=lambda name: (order.get(name, len(FIRST)), name)))


def _is_held(catalogue: Catalogue, attribute: str) -> bool:
    """Whether items have an attribute that can be asked about; other titles cannot."""
    if attribute == DECADE and any(decade_of(item) is not None for item in catalogue.values()):
        return True
    return attribute in catalogue.attributes and attribute != OTHER_TITLES


class TargetItemKinds:
    """Family of kinds behind the entry point ``target-item``."""

    members = SUMMARIES
    """Kinds by name."""

    def member(self, name: str) -> AttributeKind:
        """Get a kind by name.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in SUMMARIES:
            hint = f"Give it as {NAME}. A language model that knows its target is llm:target-item."
            raise UnknownNameError("kind of users target-item:", name, SUMMARIES, hint=hint)
        return AttributeKind()


KINDS = TargetItemKinds()
