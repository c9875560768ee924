"""Payment per participant."""

from fractions import Fraction
from math import ceil

from pydantic import Field

from trialogue.records import Record


class Payment(Record):
    """Payment per participant."""

    reward_cents: int = Field(ge=1, le=1_000_000)
    """Reward per participant, in hundredths of the currency."""
    currency: str = Field(default="GBP", pattern=r"^[A-Z]{3}$")
    """Currency of the reward, such as GBP, USD or EUR."""
    fee: float = Field(default=0.0, ge=0, le=2)
    """The platform's fee as a share of the reward, such as 0.33; see its price list."""

    def cents(self, places: int) -> int:
        """Cost of a number of participants, the platform's fee included, rounded up.

        >>> Payment(reward_cents=150, fee=0.33).cents(3)  # 3 * 150 * 1.33 = 598.5
        599
        """
        return ceil(places * self.reward_cents * (1 + Fraction(str(self.fee))))

    def price(self, places: int) -> str:
        """The same in words.

        >>> Payment(reward_cents=150, fee=0.33, currency="EUR").price(1000)
        '1,995.00 EUR'
        """
        return money(self.cents(places), self.currency)


def money(cents: int, currency: str) -> str:
    """An amount in words."""
    return f"{cents // 100:,}.{cents % 100:02} {currency}"
