"""Ranges: estimates with a lower and an upper bound."""

from typing import NamedTuple

MINUTE, HOUR = 60, 3_600


class Range(NamedTuple):
    """An amount between two bounds."""

    low: float
    high: float

    def plus(self, other: "Range") -> "Range":
        """Sum of two ranges.

        >>> Range(1, 2).plus(Range(10, 20))
        Range(low=11, high=22)
        """
        return Range(self.low + other.low, self.high + other.high)

    def times(self, low: float, high: float) -> "Range":
        """Multiply by a factor between two bounds.

        >>> Range(1, 2).times(3, 4)
        Range(low=3, high=8)
        """
        return Range(self.low * low, self.high * high)

    def clip(self, low: float, high: float) -> "Range":
        """Clip to two bounds.

        >>> Range(1, 9).clip(2, 5)
        Range(low=2, high=5)
        """
        return Range(min(max(self.low, low), high), max(min(self.high, high), low))

    def format_count(self) -> str:
        """Format as a count.

        >>> Range(180, 9_000).format_count(), Range(1, 1).format_count(), Range(0, 20).format_count()
        ('180 to 9,000', '1', 'at most 20')
        """
        low, high = f"{self.low:,.0f}", f"{self.high:,.0f}"
        if float(self.low) == 0 < self.high:
            return f"at most {high}"
        return low if low == high else f"{low} to {high}"

    def duration(self) -> str:
        """Format as seconds, minutes or hours.

        >>> Range(0.2, 4).duration(), Range(100, 900).duration(), Range(4_000, 9_000).duration()
        ('up to 4 s', '2 to 15 min', '1.1 to 2.5 h')
        """
        if self.high < 2 * MINUTE:
            return _format_range(f"{self.low:.0f}", f"{max(self.high, 1):.0f}", "s")
        if self.high < 2 * HOUR:
            return _format_range(f"{self.low / MINUTE:.0f}", f"{self.high / MINUTE:.0f}", "min")
        return _format_range(f"{self.low / HOUR:.1f}", f"{self.high / HOUR:.1f}", "h")

    def money(self, currency: str) -> str:
        """Format as an amount of money.

        >>> Range(0.0123, 0.2).money("USD")
        '0.012 to 0.20 USD'
        """
        return f"{_money(self.low)} to {_money(self.high)} {currency}"


def _format_range(low: str, high: str, unit: str) -> str:
    if float(low) == 0:
        return f"up to {high} {unit}"
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def _money(amount: float) -> str:
    """Two decimals, or two digits where there are more zeros."""
    return f"{amount:,.2f}" if amount >= 0.095 or amount == 0 else f"{amount:.2g}"
