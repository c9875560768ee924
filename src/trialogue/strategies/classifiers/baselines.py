"""Baseline classifiers: the most frequent strategy, and keyword rules."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.records import NO_STRATEGY
from trialogue.records.files.opening import write_text
from trialogue.strategies.base import Context, Example, Floats, Kind, check_examples, data_hash, ordered_classes

VERSION = "v1"

RULES: tuple[tuple[str, str], ...] = (
    (
        "experience_inquiry",
        r"\b(have|did) (you|u)\b.*\b(seen|see|watch|watched|heard|read)\b|\blast (movie|film|one)\b.*\?",
    ),
    (
        "transparency",
        r"\b(can|may|could|how) i (help|ask|recommend)|looking for a (good )?(movie|film)\b.*\?|anything else",
    ),
    (
        "preference_confirmation",
        r"\bwould (you|that|u)\b|\bdo (you|u) (want|accept)\b|\bare you (interested|sure|going)\b",
    ),
    ("opinion_inquiry", r"\b(what|which|who|how|do|does|did|are|is|any)\b.*\?|\btell me\b"),
    ("rephrase_preference", r"^so,? (you|no|a)\b|\byou (said|mentioned|told|seem)|\bsounds like you\b|\bsince you\b"),
    (
        "offer_help",
        r"\b(i am|i'm|im) here to\b|\blet me\b|\bi('ll| will| can) (send|find|look|recommend|help)|\bhelp\b",
    ),
    (
        "encouragement",
        r"\byou('ll| will| should| would| might| may| can't)\b|\brecommend\b|\benjoy\b|\bhope you\b|\bcheck\b",
    ),
    ("similarity", r"\b(me|i do|i am|i like|i love) (too|either|neither)\b|\bagree\b|\bsame\b|\b(too|as well)[.!]*$"),
    (
        "personal_experience",
        r"\bi('ve| have| haven't| never| saw| watched| just)\b.*\b(seen|saw|watched|heard|theater)\b",
    ),
    (
        "self_modeling",
        r"\bi (always|usually|will|want|plan|might)\b|\bcan't wait\b|\bbig fan\b|\bmy (kids|son|daughter)\b",
    ),
    (
        "personal_opinion",
        r"\b(i (think|loved?|liked?|enjoyed|thought)|favorites?|funny|great|good|hilarious|amazing)\b",
    ),
    ("credibility", r"\b(stars?|starring|directed|plays|about|based on|oscars?|won|rated|released|came out|plot)\b"),
    (NO_STRATEGY, r"^(hi|hello|hey|bye|thanks?|thank you|good (morning|evening|night)|you('re| are) welcome|have a)\b"),
    ("acknowledgment", r"^(ok(ay)?|great|nice|cool|sure|yes|yeah|yep|awesome|perfect|wonderful|got it|i see|oh)\b"),
)
"""Strategy and pattern (in lower case), tried in this order; the first that occurs decides."""

SURE = 0.55  # probability given to the strategy that a rule names; about how often that is right on INSPIRED


@dataclass(frozen=True)
class Majority:
    """Class frequencies of the training data, whatever the sentence."""

    classes: tuple[str, ...]
    shares: Mapping[str, float]
    origin: str
    name: str = "majority"
    uses_context: bool = False

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """The same row for every sentence, shape (n, n_classes)."""
        row = np.array([self.shares[label] for label in self.classes])
        return np.tile(row, (len(texts), 1))

    def save(self, folder: Path) -> None:
        """Write the class frequencies."""
        _save(folder, self.shares, self.origin)

    @classmethod
    def load(cls, folder: Path) -> "Majority":
        """Load a folder written by ``save``; DataError if it cannot be read."""
        shares, origin = _load(folder)
        return cls(tuple(shares), shares, origin)


def fit_majority(examples: Sequence[Example]) -> Majority:
    """Class frequencies of the examples."""
    check_examples(examples, least_classes=1)
    counts = Counter(example.label for example in examples)
    classes = ordered_classes(counts)
    shares = {label: counts[label] / len(examples) for label in classes}
    return Majority(classes, shares, f"majority|{VERSION}|data:{data_hash(examples)}")


@dataclass(frozen=True)
class Keywords:
    """Keyword rules, with class frequencies of the training data as the fallback."""

    prior: Majority
    origin: str
    name: str = "keywords"
    uses_context: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies of the training data."""
        return self.prior.classes

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """Probabilities of shape (n, n_classes): SURE for the strategy of the first matching rule, if it is a class."""
        rows = self.prior.probabilities(texts)
        known = {label: column for column, label in enumerate(self.classes)}
        for row, text in zip(rows, texts, strict=True):
            label = rule_for(text)
            if label in known:
                row *= 1 - SURE
                row[known[label]] += SURE
        return rows

    def save(self, folder: Path) -> None:
        """Write the class frequencies; the rules are code."""
        _save(folder, self.prior.shares, self.origin)

    @classmethod
    def load(cls, folder: Path) -> "Keywords":
        """Load a folder written by ``save``; DataError if it cannot be read."""
        shares, origin = _load(folder)
        return cls(Majority(tuple(shares), shares, origin), origin)


def fit_keywords(examples: Sequence[Example]) -> Keywords:
    """Fixed rules with the class frequencies of the examples."""
    prior = fit_majority(examples)
    return Keywords(prior, f"keywords|{VERSION}|{prior.origin.rpartition('|')[2]}")


_COMPILED = [(label, re.compile(pattern)) for label, pattern in RULES]


def rule_for(text: str) -> str | None:
    """Strategy of the first matching rule; None if none matches.

    >>> rule_for("Have you seen Coco?"), rule_for("It stars Tom Hanks"), rule_for("Zzz")
    ('experience_inquiry', 'credibility', None)
    """
    plain = text.lower().replace("’", "'").strip()
    return next((label for label, pattern in _COMPILED if pattern.search(plain)), None)


SHARES = "shares.json"


def _save(folder: Path, shares: Mapping[str, float], origin: str) -> None:
    write_text(folder / SHARES, json.dumps({"shares": dict(shares), "origin": origin}))


def _load(folder: Path) -> tuple[dict[str, float], str]:
    try:
        stored = json.loads((folder / SHARES).read_text("utf-8"))
        return {str(label): float(share) for label, share in stored["shares"].items()}, str(stored["origin"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(Problem(f"this model cannot be read: {error}.", str(folder / SHARES))) from error


MAJORITY = Kind(
    "majority", "Always predicts the class shares of the training data.", lambda: fit_majority, Majority.load
)
KEYWORDS = Kind("keywords", "Keyword rules, not trained.", lambda: fit_keywords, Keywords.load)
