"""Base classes for agent specifications: closed records of options that build an agent."""

from abc import abstractmethod
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from trialogue.agents.base import Agent
from trialogue.records import Record
from trialogue.records.files.validation import Mistake

LongestText = Annotated[int, Field(ge=1)]
"""Characters that one message may have; a longer one is a failure, so that no dialogue fills the disk."""


class Workload(StrEnum):
    """Amount of work per reply, from which latency is estimated before it has been measured."""

    REPEATS_TEXT = "repeats_text"
    """Constant reply without computation."""
    RANKS_ITEMS = "ranks_items"
    """It understands the user and ranks the items of a catalogue, here, without a language model."""


class AgentSpec(Record):
    """Options of one kind of agent. They hold no secrets, only names of environment variables that do."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    argument: ClassVar[str] = ""
    """The option that what stands behind ``kind:`` fills, or the URL; "" if the kind takes none."""
    workload: ClassVar[Workload | None] = None
    """Amount of work per reply; None: unknown."""

    name: str | None = Field(default=None, min_length=1)
    """The system's name in dialogues and tables; None: one that the kind chooses."""

    def mistakes(self) -> list[Mistake]:
        """References to missing files, commands etc. in the options, found without creating the agent."""
        return []

    @abstractmethod
    def make(self) -> Agent:
        """Create the agent.

        Raises:
            UsageError: what they name cannot be used (no such command, file, environment variable, ...).
            MissingExtraError: the kind needs an optional dependency that is not installed.
        """


class CatalogueSpec(AgentSpec):
    """Options of an agent that recommends items of a named catalogue.

    If they do not name one, a simulation passes the catalogue of the simulated users.

    Where these options do not name one, a simulation gives it the catalogue that the simulated users know.
    """

    catalogue: str = "demo"
    """Recommended items: demo, a MovieLens corpus on this machine, or a file of items."""
    ratings: str | None = None
    """A file of ratings by users (user, item, rating); null: the catalogue's own, if it has any."""
