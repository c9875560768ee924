"""Format values, intervals, p-values and lists of names within sentences."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

from trialogue.records import Estimate, Raters
from trialogue.records.kinds.origins import kinds_of


def p_words(p: float) -> str:
    """A p-value with its relation sign, to follow "p ".

    >>> p_words(0.04), p_words(0.00001)
    ('= .040', '< .001')
    """
    return "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)


def render_estimate(estimate: Estimate, *, digits: int | None = None) -> str:
    """Format a value with its interval: ``0.52 [0.38, 0.67]``; values that round to zero have no sign.

    Args:
        estimate: what is written.
        digits: decimals; None: as many as the interval supports.
    """
    digits = _digits(estimate) if digits is None else digits
    undefined = f"undefined ({estimate.why})"
    return estimate.render("{:z.{}f}".format, digits, undefined=undefined, without="(no interval)")


def render_points(difference: Estimate) -> str:
    """A difference of two shares in percentage points: ``21 points [8, 34]``.

    >>> render_points(Estimate(value=0.21))
    '21 points (no interval)'
    """
    digits = max(0, _digits(difference) - 2)
    return difference.render(
        lambda value, decimals: f"{100 * value:z.{decimals}f}",
        digits,
        unit=" points",
        undefined=f"undefined ({difference.why})",
        without="(no interval)",
    )


def decimals(estimates: Iterable[Estimate]) -> int:
    """Decimals for a column: as many as its widest interval supports, 2 without any."""
    return min((_digits(each) for each in estimates if each.interval is not None), default=2)


def _digits(estimate: Estimate) -> int:
    """Decimals that the width of the interval supports: two significant ones of the width."""
    width = estimate.interval.high - estimate.interval.low if estimate.interval else abs(estimate.value or 1.0)
    return 2 if width <= 0 else min(4, max(0, 1 - math.floor(math.log10(width))))


MAX_NAMES = 5  # in one sentence


def list_names(names: Sequence[str], *, most: int | None = MAX_NAMES) -> str:
    """Names in a sentence; of more than ``most`` + 1, the first ``most`` and the number of others.

    >>> list_names(["A"]), list_names(["A", "B", "C"]), list_names(["A", "B", "C", "D"], most=2)
    ('A', 'A, B and C', 'A, B and 2 others')
    """
    if most is not None and len(names) > most + 1:
        return ", ".join(names[:most]) + f" and {len(names) - most} others"
    return "".join(names) if len(names) < 2 else ", ".join(names[:-1]) + " and " + names[-1]


def no_judgement(unread: object = None) -> str:
    """That nothing was read as a human judgement; never a denial while an unread column may be one.

    >>> no_judgement(), no_judgement("thumbs")
    ('the data contain no human judgement', 'no column was read as a human judgement, though thumbs may hold some')
    """
    if not unread:
        return "the data contain no human judgement"
    return f"no column was read as a human judgement, though {unread} may hold some"


def pair_sentences(pairs: Iterable[tuple[str, str]], order: Sequence[str]) -> str:
    """Sentences on significantly better systems; systems that beat the same ones are grouped.

    Args:
        pairs: (better, worse).
        order: order of systems, best first.

    >>> pair_sentences([("A", "C"), ("B", "C")], ["A", "B", "C"])
    'A and B are significantly better than C'
    """
    pairs = list(pairs)
    groups: dict[tuple[str, ...], list[str]] = {}
    for winner in order:
        losers = sorted((worse for better, worse in pairs if better == winner), key=order.index)
        if losers:
            groups.setdefault(tuple(losers), []).append(winner)
    return "; ".join(
        f"{list_names(winners)} {'is' if len(winners) == 1 else 'are'} significantly better than {list_names(losers)}"
        for losers, winners in groups.items()
    )


SHAPES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04af\u051b\u0501\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03b6\u03bc",
    "abekmhopctyxsijyqdabenikvoptyxzm",
)
"""Small letters of Cyrillic and Greek that look, large or small, like those of the Latin alphabet."""
_PARTING = re.compile(r"(?<!\d)[-_.,;:'\u2010-\u2015]+|[-_.,;:'\u2010-\u2015]+(?!\d)")
"""Signs that part words or end a name; between digits, they say something: 1.1."""


def lookalikes(names: Iterable[str]) -> list[list[str]]:
    """Groups of different names that look the same, in order.

    >>> lookalikes(["aria", "bolt", "Aria "])
    [['aria', 'Aria ']]
    """
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(_as_seen(name), []).append(name)
    return [own for own in groups.values() if len(own) > 1]


def _as_seen(name: str) -> str:
    """A name without case, spaces, invisible characters and marks that part words, its letters in one shape.

    >>> _as_seen("Bot-a."), _as_seen("bot_\u0430"), _as_seen("v1.1"), _as_seen("c++")
    ('bota', 'bota', 'v1.1', 'c++')
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold().translate(SHAPES))
    plain = "".join(each for each in plain if unicodedata.category(each)[0] not in "CZ")
    return _PARTING.sub("", plain) or plain or name


NOT_PEOPLES = {
    Raters.SCRIPTED: "These answers come from scripts, not people: a rehearsal.",
    Raters.INVENTED: "These answers are invented, not given by people: they show nothing about any system.",
    Raters.MODEL: "These answers come from a model, not people.",
    Raters.PROGRAM: "These answers are computed by a program, not given by people.",
    Raters.UNKNOWN: "The data do not say who gave these answers.",
}


def not_people(raters: Iterable[Raters]) -> tuple[str, ...]:
    """Leading sentence about answers that were not given by people; empty if all were."""
    return tuple(NOT_PEOPLES[kind] for kind in kinds_of(raters) if kind in NOT_PEOPLES)
