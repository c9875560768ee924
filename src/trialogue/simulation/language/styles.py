"""Personal writing styles: how each real user writes, learned from their messages, and applied to what a simulated one says.

Real users differ in more than what they say: one begins every message with a capital letter, another never does, a third
writes single words. A pooled phrasebook mixes them within one dialogue. A style keeps a person's rates together: capitals,
full stops, question marks, and how much longer or shorter their messages are than others' of the same act.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trialogue.records import Dialogue, JsonValue
from trialogue.simulation.random_source import RandomSource

PRIOR = 2.0
"""Messages at the rate of all users that every person's rate is shrunk by: a person has written a dozen."""
LEVELS = 2
"""Steps of verbosity to either side, half a standard deviation of an act's lengths each."""
STEP = 0.5
FEW_WORDS = 3
"""Words up to which a message is short; short ones seldom end in a full stop."""
LEAST_MESSAGES = 3
"""Messages of a person from whom a style is learned."""

_QUESTION = re.compile(
    r"^\W*(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|can|could|will|would|do|does|did|any|have|has)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_BUTTON = re.compile(r"^(?:[A-Z][a-z]+(?:\s+|\W*$)){2,}$")
"""Two words or more with a capital each: the agent's own words for an answer ("Get Started"), taken as they are."""
_END = re.compile(r"[\s.!?]+$")


@dataclass(frozen=True, slots=True)
class PersonalStyle:
    """How one person writes; shares of their messages, 0 to 1."""

    capital: float
    """Messages that begin with a capital letter."""
    question_mark: float
    """Questions that end in a question mark."""
    stop_short: float
    """Other messages of up to three words that end in . or ! ..."""
    stop_long: float
    """... and longer ones."""
    again: float
    """Messages that repeat an earlier one of the same dialogue and act, of those that could."""
    verbosity: int
    """Length beside others' messages of the same act, in half standard deviations, -2 to 2."""

    def apply(self, text: str, rng: RandomSource, *, keep: int = 0) -> str:
        """Give a message this person's first letter and ending; a number, such as a choice from a list, stays as it is.

        Args:
            text: message.
            rng: what is drawn from.
            keep: characters at the start, at the same places of which the same stands afterwards (but for the first letter),
                such as a title with marks of its own.
        """
        if _BUTTON.match(text):
            return text
        return self.end(self.begin(text, rng), rng, keep=keep)

    def begin(self, text: str, rng: RandomSource) -> str:
        """A text with the first letter that this person writes, which is never more or fewer characters."""
        if not _LETTER.match(text):
            return text
        upper = rng.share() < self.capital
        if text.isupper() and len(text) > 1:
            return text if upper else text.lower()
        first = text[0].upper() if upper else text[0].lower()
        return first + text[1:] if len(first) == 1 else text

    def end(self, text: str, rng: RandomSource, *, keep: int = 0) -> str:
        """A text that ends as this person's messages do; what goes before its last marks and spaces stays."""
        if not _LETTER.search(text):
            return text
        ending = _END.search(text)
        marks = ending[0].strip() if ending else ""
        bare = text[: max(keep, ending.start())] if ending else text
        if is_question(text):
            return bare + "?" if rng.share() < self.question_mark else bare
        rate = self.stop_short if len(text.split()) <= FEW_WORDS else self.stop_long
        return bare + (marks or ".") if rng.share() < rate else bare

    def to_json(self) -> JsonValue:
        """As a list of numbers, in the order of the fields."""
        return [self.capital, self.question_mark, self.stop_short, self.stop_long, self.again, self.verbosity]

    @classmethod
    def from_json(cls, data: Any) -> "PersonalStyle":
        """Inverse of ``to_json``; ValueError or TypeError for anything else."""
        *shares, verbosity = data
        rates = [float(each) for each in shares]
        if not all(0 <= each <= 1 for each in rates) or abs(int(verbosity)) > LEVELS:
            raise ValueError(f"no style: {data!r}")
        return cls(*rates, verbosity=int(verbosity))


def is_question(text: str) -> bool:
    """Whether a message asks, with or without a question mark.

    >>> [is_question(text) for text in ("who directed it", "Another one?", "I like it")]
    [True, True, False]
    """
    return text.rstrip().endswith("?") or _QUESTION.search(text) is not None


def fit_styles(dialogues: Iterable[Dialogue]) -> tuple[PersonalStyle, ...]:
    """The style of each person who wrote three messages or more, in order of appearance.

    Args:
        dialogues: of real users; messages without an act are compared in length with one another.
    """
    written: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    repeats: defaultdict[str, list[bool]] = defaultdict(list)
    for dialogue in dialogues:
        before: defaultdict[str, set[str]] = defaultdict(set)
        for said in dialogue.utterances:
            if said.speaker == "user" and _LETTER.search(said.text):
                label = next((act.intent for act in said.acts or () if act.intent), "")
                written[dialogue.cluster].append((label, said.text))
                if before[label]:
                    repeats[dialogue.cluster].append(said.text.lower() in before[label])
                before[label].add(said.text.lower())
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for messages in written.values():
        for label, text in messages:
            lengths[label].append(len(text.split()))
    everything = _Rates.of(
        [text for messages in written.values() for _, text in messages],
        [each for own in repeats.values() for each in own],
    )
    return tuple(
        _style(messages, repeats[person], lengths, everything)
        for person, messages in written.items()
        if len(messages) >= LEAST_MESSAGES
    )


@dataclass(frozen=True, slots=True)
class _Rates:
    """Counts (k of n) of a person's habits."""

    capital: tuple[int, int]
    question_mark: tuple[int, int]
    stop_short: tuple[int, int]
    stop_long: tuple[int, int]
    again: tuple[int, int]

    @classmethod
    def of(cls, texts: Sequence[str], repeats: Sequence[bool]) -> "_Rates":
        asked = [text for text in texts if is_question(text)]
        rest = [text for text in texts if not is_question(text)]
        short = [text for text in rest if len(text.split()) <= FEW_WORDS]
        long = [text for text in rest if len(text.split()) > FEW_WORDS]
        begins = [text for text in texts if _LETTER.match(text)]
        return cls(
            (sum(text[0].isupper() for text in begins), len(begins)),
            (sum(text.rstrip().endswith("?") for text in asked), len(asked)),
            (sum(text.rstrip().endswith((".", "!")) for text in short), len(short)),
            (sum(text.rstrip().endswith((".", "!")) for text in long), len(long)),
            (sum(repeats), len(repeats)),
        )


def _style(
    messages: Sequence[tuple[str, str]], repeats: Sequence[bool], lengths: dict[str, list[int]], everything: _Rates
) -> PersonalStyle:
    own = _Rates.of([text for _, text in messages], repeats)
    scores = [_standard_score(len(text.split()), lengths[label]) for label, text in messages]
    mean = sum(scores) / (len(scores) + PRIOR)
    return PersonalStyle(
        capital=_shrunk(own.capital, everything.capital),
        question_mark=_shrunk(own.question_mark, everything.question_mark),
        stop_short=_shrunk(own.stop_short, everything.stop_short),
        stop_long=_shrunk(own.stop_long, everything.stop_long),
        again=_shrunk(own.again, everything.again),
        verbosity=max(-LEVELS, min(LEVELS, round(mean / STEP))),
    )


def _shrunk(own: tuple[int, int], everything: tuple[int, int]) -> float:
    rate = everything[0] / everything[1] if everything[1] else 0.0
    return round((own[0] + PRIOR * rate) / (own[1] + PRIOR), 4)


def _standard_score(length: int, others: Sequence[int]) -> float:
    """Standard deviations of an act's lengths above their mean; 0 where all are equal."""
    mean = sum(others) / len(others)
    spread = (sum((other - mean) ** 2 for other in others) / len(others)) ** 0.5
    return (length - mean) / spread if spread else 0.0
