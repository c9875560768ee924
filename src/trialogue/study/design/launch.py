"""How admission is limited: a soft launch, a bound on failed checks, and strata of participants."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from trialogue.records import JsonValue, Record


class Launch(Record):
    """Limits of admission."""

    first: int | None = Field(default=None, ge=1)
    """Soft launch: number of participants who are admitted before staff have looked and gone on; None: all at once."""
    most_failed: float | None = Field(default=None, gt=0, lt=1)
    """Share of completed participants who failed their attention checks (more than ``attention.allowed_failures``) above
    which the study pauses: nobody new is admitted. None: it never does."""
    least_completed: int = Field(default=10, ge=1)
    """Number of completed participants from which on ``most_failed`` applies."""


class Stratum(Record):
    """A group of participants who give a fixed number of the ratings of every item."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    """Its name, in exports and on staff pages."""
    when: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(min_length=1)
    """Answers of its members by screening question; a participant belongs to the first stratum that fits."""
    raters: int = Field(ge=1)
    """Exact number of its members per item."""


def stratum_of(strata: Sequence[Stratum], answers: Mapping[str, JsonValue]) -> str | None:
    """Name of the first stratum that fits answers to the screening questions; None if none does.

    >>> stratum_of([Stratum(name="young", when={"age": ("18-29", "30-39")}, raters=2)], {"age": "30-39"})
    'young'
    """
    return next(
        (each.name for each in strata if all(str(answers.get(name)) in given for name, given in each.when.items())),
        None,
    )
