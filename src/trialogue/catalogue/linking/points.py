"""Weights of the evidence for a title.

The points are the coefficients, rounded to one decimal, of two logistic regressions: one for forms that are often something
else (``WEAK_KINDS``), one for forms that rarely are. They were fitted to our annotation of INSPIRED dev and to half of
ReDial's validation conversations, each with the titles of the corpus and with those of MovieLens as catalogue (``python
benchmarks/linker.py MIRROR --fit`` refits them). Points are log odds: 0 means as likely as not. Some are set by hand,
because people's conversations have hardly any lists or markup: "emphasised", "fills a slot", "in a long row of titles",
"number after a cue", and what weak words get for an article before them. ``benchmarks/TITLES.md`` measures what they do.
"""

from collections.abc import Sequence

WEAK_KINDS = frozenset(
    {
        "function word",
        "ordinary word",
        "maker",
        "name",
        "digits",
        "2 ordinary words",
        "2 words with a name",
        "3 words with a name",
        "stock phrase",
    }
)
"""Kinds of words (see ``ordinary.kind_of``) that often are not titles."""

THRESHOLD = 0.3  # a little above even odds: with it, people's replies have no more false links than before version 2

BASE = (0.6, 3.1)
"""Initial points: of words of a weak kind, and of others."""

POINTS = {
    "2 ordinary words": (3.3, 0.0),
    "2 words with a name": (0.9, 0.0),
    "3 ordinary words": (0.0, 0.7),
    "3 words with a name": (1.9, 0.0),
    "4 ordinary words": (0.0, 0.1),
    "4 words with a name": (0.0, 0.0),
    "after a capital": (-1.8, -0.6),
    "after a mark": (-0.6, 1.0),
    "after about": (0.1, 0.9),
    "after and": (0.2, 0.5),
    "after another word": (-1.4, -0.4),
    "after like": (0.6, 0.3),
    "after movie": (0.6, 1.2),
    "after seen": (0.8, 0.2),
    "after the": (1.0, 0.5),
    "all in capitals": (2.2, 0.6),
    "apostrophe": (-0.5, -0.2),
    "article before it": (0.0, -0.2),
    "number after a cue": (2.5, 0.0),
    "said to be a film": (0.7, 0.0),
    "praised": (0.6, 0.0),
    "before a bracket": (0.7, 0.1),
    "before a capital": (-2.4, -0.7),
    "before and": (-0.1, 0.8),
    "before another word": (-1.2, -0.3),
    "before is": (0.3, -0.1),
    "before movie": (-0.5, -0.5),
    "before of": (-2.1, -0.8),
    "capital of a function word": (2.8, 0.0),
    "capital of a name": (-1.0, 0.0),
    "capital of a sentence": (-1.5, 0.6),
    "capital of an ordinary word": (1.5, 0.0),
    "capitals": (1.0, 0.9),
    "digits": (-1.2, 0.0),
    "emphasised": (4.5, 1.0),
    "fills a slot": (6.5, 4.0),
    "function word": (-2.7, 0.0),
    "hyphen": (-1.4, -0.4),
    "in a longer name": (-2.5, -0.1),
    "in a long row of titles": (4.0, 1.0),
    "in a row of titles": (1.5, 0.5),
    "in a row of weak words": (0.5, 0.2),
    "known": (-0.5, -0.7),
    "little known": (-1.4, -1.6),
    "maker": (-2.1, 0.0),
    "name": (0.6, 0.0),
    "no article": (-0.4, 0.3),
    "no capitals anywhere": (-1.1, -0.1),
    "nothing else": (-0.5, 0.6),
    "odd capital after a cue": (0.5, 0.3),
    "ordinary word": (0.4, 0.0),
    "other title": (0.0, -0.2),
    "part of a title": (0.0, -1.4),
    "quoted": (0.2, 0.0),
    "rare word": (0.0, -0.9),
    "small letters": (-3.4, -1.8),
    "some capitals": (-0.5, -1.2),
    "split otherwise": (-0.7, -1.3),
    "stock phrase": (-0.7, 0.0),
    "well known": (0.5, -0.3),
    "words with a rare one": (0.0, 0.7),
}
"""Points of an observation: with words of a weak kind, and with others."""

CERTAIN = {
    "another title's article": -20.0,
    "its year behind it": 20.0,
    "another year behind it": -20.0,
    "title goes on": -20.0,
}
"""Observations that decide regardless of all others."""


def points_of(seen: Sequence[str]) -> float:
    """Sum of the points of a match's observations; the first one is its kind.

    >>> points_of(["rare word", "capitals"]) > THRESHOLD > points_of(["function word", "small letters"])
    True
    """
    points = _OF_WEAK_KINDS if seen[0] in WEAK_KINDS else _OF_OTHERS
    return points[""] + sum([points.get(name, 0.0) for name in seen])


_OF_WEAK_KINDS, _OF_OTHERS = (
    {"": BASE[column], **CERTAIN, **{name: points[column] for name, points in POINTS.items()}} for column in (0, 1)
)
