"""Answers in words that are points of a scale, such as "Strongly agree": which scale, and which point.

A column is read so if most of its cells are points of one scale and at least one is in words that no thumb has, so that
"good" and "bad" alone stay up and down. The scale is the one with the fewest points that has all words of the column; where
several give different numbers, such as "fair" and "excellent", the words are left for their owner to number.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trialogue.datasets.door.feedback import Feedback, Form, Worded
from trialogue.datasets.door.values import is_absent

MOST = 0.9
"""Share of a column's cells that must be points of the scale; the others count as missing, and are named."""
GLANCE = 20  # cells that must hold a point, or a column of texts would be read to its end
FEWEST = 3  # cells, of which two differ
_MIDDLE = "neutral|neither|undecided|neither agree nor disagree|neither agree or disagree|no opinion"
_FAIR = "fair|average|okay|ok|acceptable|mediocre|neither good nor bad"
_SCALES = (
    f"strongly disagree; disagree; {_MIDDLE}; agree; strongly agree",
    f"strongly disagree; disagree; somewhat disagree; {_MIDDLE}; somewhat agree; agree; strongly agree",
    "very dissatisfied; dissatisfied; neutral|neither|neither satisfied nor dissatisfied; satisfied; very satisfied",
    "very dissatisfied; dissatisfied; somewhat dissatisfied; neutral|neither|neither satisfied nor dissatisfied; "
    "somewhat satisfied; satisfied; very satisfied",
    "very unlikely; unlikely; neutral|neither|neither likely nor unlikely; likely; very likely",
    f"very poor; poor; {_FAIR}; good; very good",
    f"very poor; poor; {_FAIR}; good; excellent",
    f"very bad|terrible|awful; bad; {_FAIR}|neutral; good; very good",
    f"very bad|terrible|awful; bad; {_FAIR}|neutral; good; excellent",
    f"poor; {_FAIR}; good; very good; excellent",
    "never; rarely|seldom; sometimes|occasionally; often|frequently; always",
    "not at all; slightly|a little; moderately|somewhat; very|quite a bit; extremely|completely",
)
_ALIKE = {
    "completely": "strongly",
    "totally": "strongly",
    "fully": "strongly",
    "slightly": "somewhat",
    "extremely": "very",
}
"""Adverbs in front of another word, by the one that the scales are written with."""
_SCALE_POINTS = tuple(
    {word: point for point, words in enumerate(scale.split("; "), start=1) for word in words.split("|")}
    for scale in _SCALES
)
_KNOWN = frozenset(word for points in _SCALE_POINTS for word in points)
_OF_THUMBS = frozenset(
    ("good", "bad", "satisfied", "dissatisfied", "neutral", "ok", "okay", "average", "very", "neither")
)


@dataclass(frozen=True)
class WordedScale:
    """The scale of a column."""

    points: Mapping[str, int]
    """Point of each word, from 1."""
    high: int

    def read(self, value: object) -> object:
        """A cell with its point; as it is if it is in other words."""
        point = self.points.get(_plain(value)) if isinstance(value, str) else None
        if point is None:
            return value
        found = Worded(value)
        found.feedback = Feedback(float(point), Form.WORDS, 1.0, float(self.high))
        return found


def worded_scale(values: Iterable[object]) -> WordedScale | None:
    """The scale whose points the cells of a column are; None if they are not.

    >>> found = worded_scale(["Agree", "strongly agree", "Neutral", None, "Agree"])
    >>> found.high, found.read("Strongly Disagree").feedback.value, found.read("Agree").feedback.value, found.read("no")
    (5, 1.0, 4.0, 'no')
    >>> worded_scale(["good", "bad", "good"]), worded_scale(["fair", "excellent", "good"])
    (None, None)
    """
    given = [value for value in values if not is_absent(value)]
    if len(given) < FEWEST or not any(isinstance(value, str) and _plain(value) in _KNOWN for value in given[:GLANCE]):
        return None
    words = [_plain(value) if isinstance(value, str) else "" for value in given]
    known = {word for word in words if word in _KNOWN}
    if len(known) < 2 or known <= _OF_THUMBS or sum(word in known for word in words) < MOST * len(words):
        return None
    fitting = [points for points in _SCALE_POINTS if known <= points.keys()]
    fewest = min((max(points.values()) for points in fitting), default=0)
    best = [points for points in fitting if max(points.values()) == fewest]
    if not best or any(points[word] != best[0][word] for points in best for word in known):
        return None
    return WordedScale(best[0], fewest)


def _plain(text: str) -> str:
    """Words in lower case with single spaces, without marks, and with one adverb for those that mean the same."""
    words = re.sub(r"[^\w\s]", " ", text.lower().replace("_", " ")).split()
    if len(words) > 1 and words[0] in _ALIKE:
        words[0] = _ALIKE[words[0]]
    return " ".join(words)
