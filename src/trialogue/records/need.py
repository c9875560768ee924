"""Information needs of users, hidden from the agent, against which dialogue outcomes are judged.

A need is satisfied by few items of a catalogue, which are known beforehand. Whether a dialogue met it is therefore
counted from the items that the agent named, without labels or opinions, and not from what the user said or how anybody
interprets the agent.
"""

from enum import StrEnum

from pydantic import Field

from trialogue.records.base import Record


class NeedSource(StrEnum):
    """Origin of a need."""

    PROFILE = "profile"
    """Of somebody with the profile of a real user of a ratings corpus, who liked something of the kind."""
    CATALOGUE = "catalogue"
    """From an item drawn from the catalogue, where no user's ratings are known."""
    IMPORTED = "imported"
    """Written into the dialogue by another simulator."""


class Constraint(Record):
    """One condition that the item must meet."""

    attribute: str
    """Name of the attribute: one of the catalogue's, or ``decade``."""
    values: tuple[str, ...] = Field(min_length=1)
    """Values of which it has to have at least one."""
    relaxable: bool = False
    """Whether the user may give it up; the item that they look for satisfies it all the same."""


class Need(Record):
    """Information need of one user. Dialogues with equal need ids have users with the same need."""

    id: str
    """Short hash of the content, so that equal needs have equal ids regardless of their origin."""
    constraints: tuple[Constraint, ...] = ()
    """Constraints on the item, most important first."""
    targets: tuple[str, ...] = ()
    """Ids of items that the user would be happiest with, among the acceptable ones; the user cannot name them."""
    acceptable: tuple[str, ...] = ()
    """Ids of all items that satisfy the need: every constraint, and neither known nor disliked."""
    examples: tuple[str, ...] = ()
    """Ids of items that the user knows and likes, most similar to the need first."""
    known: tuple[str, ...] = ()
    """Ids of items that the user knows already, the examples among them."""
    disliked: tuple[str, ...] = ()
    """Ids of items that the user dislikes."""
    requests: tuple[str, ...] = ()
    """Attributes that the user would ask about, once an item suits."""
    persona: str = ""
    """Description of the user; "": none."""
    scenario: str = ""
    """The need in a sentence, for users who read it; "": none."""
    source: NeedSource = NeedSource.PROFILE
    """How the need came about."""
    catalogue_size: int | None = Field(default=None, ge=1)
    """Items in the catalogue; None: unknown, so that the chance to meet the need is unknown."""
    relaxed: tuple[str, ...] = ()
    """Attributes that the user gave up in the dialogue, since the agent said that nothing fits."""
    acceptable_relaxed: tuple[str, ...] = ()
    """Ids of all items that satisfy the need without them. Outcomes stay on ``acceptable``."""
    fits: dict[str, float] = Field(default_factory=dict)
    """Share of the constraints that an item satisfies, by id, of the items of the catalogue that the agent named in the
    dialogue. An item named that is not among them is not in the catalogue."""
    is_resolved: bool = False
    """Whether ``fits`` was filled from the catalogue."""
