"""What was read from the inputs of a run, and what was not: shown before any result."""

from enum import StrEnum

from pydantic import Field

from trialogue.records.base import Record


class ClusterKind(StrEnum):
    """What units of a sample share that makes them dependent."""

    NEED = "need"
    """The user's need, which every system met."""
    PERSON = "person"
    """The person or simulated user."""
    TASK = "task"
    """The task that several trials attempt."""
    DIALOGUE = "dialogue"
    """The dialogue itself, or the one that replies were given in."""
    SITUATION = "situation"
    """The situation alone: the data do not say from which dialogue it is."""


class UnreadColumns(Record):
    """Columns or fields of an input that were not read."""

    file: str
    """Name of the input file, without its folder."""
    names: tuple[str, ...]
    """Columns or fields, in order."""
    may_be_feedback: bool = False
    """Whether they may hold people's judgements."""
    may_be_system: bool = False
    """Whether they may say which system answered."""


class Rated(Record):
    """How many units of a system people rated."""

    rated: int
    """Units with at least one judgement."""
    units: int
    """All units of the system, rated or not."""
    is_of_dialogues: bool = True
    """Whether units are dialogues; otherwise replies to situations."""


class Reading(Record):
    """Account of the inputs of a run."""

    rated: dict[str, Rated] = Field(default_factory=dict)
    """By system: how many of its dialogues (or else replies) people rated."""
    clusters: dict[ClusterKind, int] = Field(default_factory=dict)
    """Dialogues and situations by what they are clustered by."""
    unread: tuple[UnreadColumns, ...] = ()
    """Columns and fields that were not read."""

    @property
    def may_be_feedback(self) -> tuple[str, ...]:
        """Names of unread columns that may hold people's judgements."""
        return tuple(name for each in self.unread if each.may_be_feedback for name in each.names)
