"""Format numbers: no more digits than the interval supports, and never a p-value of .000.

Minus signs are typographic (U+2212), so that columns of tabular numerals line up.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median_low

from trialogue.records import Estimate, Interval

MAX_DECIMALS = 6  # beyond that, and from HUGE upwards, powers of ten read better
HUGE = 1e7
MISSING = "—"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def supported_decimals(estimate: Estimate) -> int:
    """Decimals for two significant digits of the interval width; three of the value without an interval.

    >>> from trialogue.records import Interval
    >>> supported_decimals(Estimate(value=3.6189, interval=Interval(low=3.31, high=3.92, method="")))  # width 0.61
    2
    >>> supported_decimals(Estimate(value=1102.4, interval=Interval(low=1093, high=1261, method="")))  # width 168
    0
    """
    width = estimate.interval.high - estimate.interval.low if estimate.interval else 0.0
    if width > 0:
        return max(0, 1 - math.floor(math.log10(width)))
    size = abs(estimate.value or 0.0)
    return 2 if size == 0 else max(0, 2 - math.floor(math.log10(size)))


def column_decimals(estimates: Iterable[Estimate]) -> int:
    """Common number of decimals of a column: the median of what each estimate supports."""
    defined = [estimate for estimate in estimates if estimate.value is not None]
    telling = [each for each in defined if each.interval and each.interval.high > each.interval.low] or defined
    return median_low([supported_decimals(each) for each in telling]) if telling else 2


def number(value: float, decimals: int, *, sign: bool = False) -> str:
    """Format a value with fixed decimals, optionally with its sign, never as minus zero.

    >>> number(-0.4512, 2), number(0.4512, 2, sign=True), number(-0.001, 2), number(12345.6, 0)
    ('−0.45', '+0.45', '0.00', '12,346')
    >>> number(3.2e-9, 10), number(4.56e12, 0)
    ('3.2 × 10⁻⁹', '4.6 × 10¹²')
    """
    if abs(value) >= HUGE or (decimals > MAX_DECIMALS and value != 0):
        mantissa, exponent = f"{abs(value):.1e}".split("e")
        text = f"{mantissa} × 10{str(int(exponent)).translate(_RAISED)}"
    else:
        text = f"{abs(value):{',' if abs(value) >= 10_000 else ''}.{min(decimals, MAX_DECIMALS)}f}"
    if not any(digit in text for digit in "123456789"):
        return text
    return ("−" if value < 0 else "+" if sign else "") + text


def bounds(interval: Interval, decimals: int, *, sign: bool = False) -> str:
    """Format the interval ends in brackets.

    >>> bounds(Interval(low=-0.5, high=0.25, method=""), 2)
    '[−0.50, 0.25]'
    """
    return interval.render(partial(number, sign=sign), decimals)


def render_estimate(estimate: Estimate, decimals: int, *, sign: bool = False) -> str:
    """Format a value with its interval, or a dash if undefined."""
    return estimate.render(partial(number, sign=sign), decimals, undefined=MISSING)


def with_decimals(decimals: int, *, sign: bool = False) -> Callable[[Estimate | float], str]:
    """How a number or an estimate is written with so many decimals; an undefined one is a dash."""

    def write(value: Estimate | float) -> str:
        if isinstance(value, Estimate):
            return render_estimate(value, decimals, sign=sign)
        return number(value, decimals, sign=sign)

    return write


def own_decimals(value: Estimate, *, sign: bool = False) -> str:
    """An estimate with the decimals that it supports, or the reason why it is undefined."""
    return estimate_text(value, supported_decimals(value), sign=sign)


def signed_text(value: Estimate) -> str:
    """The same of a difference, with its sign."""
    return own_decimals(value, sign=True)


def estimate_text(value: Estimate, decimals: int, *, sign: bool = False) -> str:
    """An estimate with its interval, or the reason why it is undefined."""
    return f"{MISSING} ({value.why})" if value.value is None else render_estimate(value, decimals, sign=sign)


def p_value(p: float | None) -> str:
    """Format a p-value with its relation sign; a dash without a test.

    >>> p_value(0.0), p_value(0.0321), p_value(0.21), p_value(1.0), p_value(None)
    ('< .001', '= .032', '= .21', '> .99', '—')
    """
    if p is None:
        return MISSING
    if p < 0.001:
        return "< .001"
    if p >= 0.995:
        return "> .99"
    return "= " + (f"{p:.3f}" if p < 0.0995 else f"{p:.2f}").lstrip("0")


def percent(share: float) -> str:
    """Whole percent of a share; what occurs is never 0%.

    >>> percent(0.4), percent(0.001), percent(0)
    ('40%', '< 1%', '0%')
    """
    return "< 1%" if 0 < share < 0.005 else f"{100 * share:.0f}%"


def level(alpha: float) -> str:
    """Format a significance level.

    >>> level(0.05), level(0.001)
    ('.05', '.001')
    """
    return f"{alpha:g}".removeprefix("0")


def plain_p(p: float | None) -> str:
    """Format a p-value for a column headed p, without "=".

    >>> plain_p(0.0321), plain_p(0.0)
    ('.032', '< .001')
    """
    return p_value(p).removeprefix("= ")


def count(number_of: int, one: str, many: str = "") -> str:
    """Format a count with its noun.

    >>> count(1, "dialogue"), count(1474, "dialogue"), count(2, "person", "people")
    ('1 dialogue', '1,474 dialogues', '2 people')
    """
    return f"{number_of:,} {one if number_of == 1 else many or one + 's'}"


def ranks(low: int | None, high: int | None) -> str:
    """Format a range of ranks; empty if nothing is ranked.

    >>> ranks(1, 3), ranks(2, 2), ranks(None, None)
    ('1–3', '2', '')
    """
    if low is None or high is None:
        return ""
    return str(low) if low == high else f"{low}–{high}"
