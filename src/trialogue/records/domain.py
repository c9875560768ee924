"""Domain fit: whether data resemble those that a measure was learned from, and the share that does not."""

from collections import Counter
from typing import Literal

from pydantic import Field

from trialogue.records.base import Record

Departure = Literal["subject", "turns", "user_words", "reply_words"]
"""Ways in which a dialogue can differ from a measure's training dialogues:

* ``subject``: it is about something else;
* ``turns``: it has more or fewer user turns;
* ``user_words``: its user turns are longer or shorter;
* ``reply_words``: its replies are longer or shorter.
"""
FITTING = 0.75
"""Share of the dialogues that must lie in the domain.

Measured for the bundled estimator (``benchmarks/AGREEMENT.md``): of CRSArena-Dial, on which it was fitted, .92 lie in the
domain; of corpora where its agreement with people is weak, .48 (CCPE), .12 (SGD) and 0 (RecLLMSim).
"""


class DomainFit(Record):
    """Number of a system's dialogues that lie in a measure's domain."""

    measure: str
    """Full name of the measure."""
    system: str | None = None
    """Whose dialogues they are; None: those of all systems together."""
    domain: str
    """Description of the training data."""
    dialogues: int
    """Number of dialogues examined, those outside the domain included."""
    inside: int
    """Number of dialogues inside the domain."""
    departures: dict[Departure, int] = Field(default_factory=dict)
    """Number of dialogues by kind of departure; a dialogue may have several."""
    is_measured: bool
    """Whether the measure was computed nonetheless, since it was asked for by name."""

    def __add__(self, other: "DomainFit") -> "DomainFit":
        """Fit of the dialogues of both, which are of the same measure and system."""
        departures = Counter(self.departures) + Counter(other.departures)
        return self.model_copy(
            update={
                "dialogues": self.dialogues + other.dialogues,
                "inside": self.inside + other.inside,
                "departures": dict(sorted(departures.items())),
            }
        )

    @property
    def fits(self) -> bool:
        """Whether nearly all dialogues lie in the domain; True if there is none."""
        return self.inside >= FITTING * self.dialogues
