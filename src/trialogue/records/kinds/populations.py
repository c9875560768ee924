"""Populations: which dialogues a system was evaluated on, as fingerprints that two runs can compare.

A run keeps only fingerprints, so that two runs can say whether their systems met the same needs or situations, and whether
one of them is a copy of the other, without the records.
"""

from enum import StrEnum

from pydantic import Field

from trialogue.records.base import Record


class PopulationKind(StrEnum):
    """What a system was evaluated on."""

    SITUATIONS = "situations"
    """Replies to situations cut from other people's dialogues."""
    SIMULATED = "simulated"
    """Dialogues with simulated users."""
    PEOPLE = "people"
    """Dialogues with people, or of unknown users."""


class Population(Record):
    """What one system was evaluated on."""

    system: str
    """The system."""
    kind_of: PopulationKind
    """What it is."""
    users: str | None = None
    """The kind of simulated users; None for people and situations."""
    units: int = Field(ge=1)
    """How many dialogues or situations there are."""
    sample: str | None
    """Fingerprint of what the system met (situations; needs of simulated users), which another system can meet, too. Of
    dialogues with people the dialogues themselves, which no other run has. None: nobody recorded what users wanted."""
    replies: str
    """Fingerprint of what the system answered to it: equal ones are copies."""
