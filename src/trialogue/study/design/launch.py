"""Limits of admission (soft launch, failed checks, strata), payment, and sums that people type to confirm."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
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


AMOUNT = re.compile(r"(?P<units>\d+|\d{1,3}(?:,\d{3})+)\.(?P<cents>\d\d)\s+(?P<currency>[A-Z]{3})")


@dataclass(frozen=True)
class Money:
    """A sum of money.

    >>> str(Money(199500, "EUR"))
    '1,995.00 EUR'
    """

    cents: int
    """Hundredths of the currency, 0 or more."""
    currency: str
    """Code of the currency, such as EUR."""

    def __str__(self) -> str:
        return f"{self.cents // 100:,}.{self.cents % 100:02} {self.currency}"

    @classmethod
    def parse(cls, text: str) -> "Money | None":
        """A sum that somebody typed, with or without commas between thousands; None if the text is none.

        >>> Money.parse("1995.00 EUR") == Money.parse("1,995.00 EUR") == Money(199500, "EUR")
        True
        >>> Money.parse("1995 EUR")  # so that a slip is not taken for a sum
        """
        amount = AMOUNT.fullmatch(text.strip())
        return amount and cls(int(amount["units"].replace(",", "") + amount["cents"]), amount["currency"])


class Payment(Record):
    """Payment per participant."""

    reward_cents: int = Field(ge=1, le=1_000_000)
    """Reward per participant, in hundredths of the currency."""
    currency: str = Field(default="GBP", pattern=r"^[A-Z]{3}$")
    """Currency of the reward, such as GBP, USD or EUR."""
    fee: float = Field(default=0.0, ge=0, le=2)
    """The platform's fee as a share of the reward, such as 0.33; see its price list."""

    def charge(self, cents: int) -> Money:
        """What the platform charges so that people get a sum: its fee included, rounded up.

        >>> Payment(reward_cents=150, fee=0.33).charge(450)  # 450 * 1.33 = 598.5
        Money(cents=599, currency='GBP')
        """
        return Money(ceil(cents * (1 + Fraction(str(self.fee)))), self.currency)

    def price(self, places: int) -> Money:
        """Cost of a number of participants, the platform's fee included.

        >>> Payment(reward_cents=150, fee=0.33, currency="EUR").price(1000)
        Money(cents=199500, currency='EUR')
        """
        return self.charge(places * self.reward_cents)
