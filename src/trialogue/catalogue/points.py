"""What the evidence for a title is worth.

The points are the coefficients of two logistic regressions, rounded to one decimal: one over words that are often
something else (``WEAK_KINDS``), one over words that hardly are. They were fitted to INSPIRED dev, read by us, and to half
of ReDial's validation conversations, each with the titles of the corpus and with those of MovieLens as catalogue
(``python benchmarks/linker.py MIRROR --fit`` prints them anew). So points are log odds; nought is as likely as not.
"""

from collections.abc import Sequence

WEAK_KINDS = frozenset(
    {
        "function word",
        "ordinary word",
        "name",
        "digits",
        "2 ordinary words",
        "2 words with a name",
        "3 words with a name",
        "stock phrase",
    }
)
"""Kinds of words (see ``ordinary.kind_of``) that are often something else than a title."""

THRESHOLD = 0.2  # a little above even odds: at most 0.01 from the best F1 on both corpora

BASE = (0.5, 3.0)
"""What everything starts with: words of a weak kind, and others."""

POINTS = {
    "2 ordinary words": (2.8, 0.0),
    "3 ordinary words": (0.0, 0.5),
    "4 ordinary words": (0.0, -0.1),
    "after a capital": (-1.6, -0.6),
    "after a mark": (-0.3, 0.5),
    "after about": (0.2, 0.8),
    "after and": (0.3, 0.3),
    "after another word": (-1.3, -0.4),
    "after like": (0.8, 0.2),
    "after movie": (0.6, 0.8),
    "after seen": (0.8, 0.2),
    "after the": (0.9, 0.4),
    "all in capitals": (1.6, 0.4),
    "apostrophe": (-0.6, -0.1),
    "before a bracket": (0.4, 0.0),
    "before a capital": (-2.1, -0.7),
    "before and": (-0.1, 0.7),
    "before another word": (-1.2, -0.3),
    "before is": (0.3, 0.0),
    "before movie": (-0.8, -0.2),
    "capital of a function word": (2.3, 0.0),
    "capital of a name": (-0.9, 0.0),
    "capital of a sentence": (-1.4, 0.4),
    "capital of an ordinary word": (1.4, 0.0),
    "capitals": (1.2, 1.0),
    "digits": (-1.2, 0.0),
    "function word": (-2.4, 0.0),
    "hyphen": (-1.0, -0.2),
    "in a longer name": (-1.8, -0.2),
    "known": (-0.5, -0.6),
    "little known": (-1.4, -1.5),
    "name": (0.3, 0.0),
    "2 words with a name": (1.4, 0.0),
    "3 words with a name": (1.4, 0.0),
    "no article": (-0.4, 0.3),
    "no capitals anywhere": (-0.9, 0.0),
    "nothing else": (-0.3, 0.4),
    "odd capital after a cue": (0.5, 0.2),
    "ordinary word": (0.2, 0.0),
    "other title": (0.0, 0.1),
    "part of a title": (0.0, -1.0),
    "quoted": (0.7, 0.0),
    "rare word": (0.0, -0.9),
    "small letters": (-3.1, -1.5),
    "some capitals": (-0.2, -1.0),
    "split otherwise": (-0.4, -1.1),
    "stock phrase": (-0.8, 0.0),
    "well known": (0.4, -0.2),
    "words with a rare one": (0.0, 0.6),
}
"""What an observation adds: with words of a weak kind, and with others."""

CERTAIN = {"its year behind it": 20.0, "another year behind it": -20.0, "title goes on": -20.0}
"""What decides, whatever else is observed."""


def points_of(seen: Sequence[str]) -> float:
    """The sum for a match; the first observation is its kind.

    >>> points_of(["rare word", "capitals"]) > THRESHOLD > points_of(["function word", "small letters"])
    True
    """
    column = 0 if seen[0] in WEAK_KINDS else 1
    return BASE[column] + sum(POINTS[name][column] if name in POINTS else CERTAIN.get(name, 0.0) for name in seen)
