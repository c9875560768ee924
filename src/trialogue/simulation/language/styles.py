"""Personal writing styles: how each real user writes, learned from their messages, and applied to what a simulated one says.

Real users differ in more than what they say: one begins every message with a capital letter, another never does, a third
writes single words. A pooled phrasebook mixes them within one dialogue. A style keeps a person's rates together: capitals,
full stops, question marks, and how much longer or shorter their messages are than others' of the same act.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from math import log2
from typing import Any

from trialogue.errors import UsageError
from trialogue.records import Dialogue, JsonValue
from trialogue.simulation.actions import KDD2020, ActionSpace
from trialogue.simulation.random_source import RandomSource

_WORD = re.compile(r"[^\W\d_]{4,}")  # short words are hardly ever misspelt, and unreadable if they are
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
NEIGHBORS = {letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in _ROWS for at, letter in enumerate(row)}


def check_rate(rate: float) -> None:
    """Raise UsageError unless a typo rate is between 0 and 1."""
    if not 0 <= rate <= 1:
        raise UsageError(f"The typo rate must be the share of words with a typo, from 0 to 1; given: {rate:g}.")


def add_typos(text: str, rate: float, rng: RandomSource) -> str:
    """Add a typo to each word of at least four letters with probability ``rate``; first letters are kept.

    >>> import numpy as np
    >>> add_typos("something like that", 1.0, RandomSource(np.random.default_rng(5)))
    'somethibg lie thhat'
    """
    if rate <= 0:
        return text
    return _WORD.sub(lambda found: _slip(found[0], rng) if rng.share() < rate else found[0], text)


def _slip(word: str, rng: RandomSource) -> str:
    at = 1 + rng.draw_below(len(word) - 1)
    kind = rng.draw_below(4)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    if kind == 0 and after:
        return before + after[0] + letter + after[1:]
    if kind == 1:
        return before + after
    if kind == 2 and (near := NEIGHBORS.get(letter)):
        return before + rng.pick(near) + after
    return before + letter + letter + after


PRIOR = 2.0
"""Messages at the rate of all users that every person's rate is shrunk by: a person has written a dozen."""
HALF = 0.5
LEVELS = 2
"""Steps of a preference to either side; of verbosity, half a standard deviation of an act's lengths each."""
STEP = 0.5
FEW_WORDS = 3
"""Words up to which a message is short; short ones seldom end in a full stop."""
MIN_MESSAGES = 3
"""Messages of a person from whom a style is learned."""

_QUESTION = re.compile(
    r"^\W*(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|can|could|will|would|do|does|did|any|have|has)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(r"\b(?:please|pls|plz|thanks?|thx|thank you)\b", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_BUTTON = re.compile(r"^(?:[A-Z][a-z]+(?:\s+|\W*$)){2,}$")
"""Two words or more with a capital each: the agent's own words for an answer ("Get Started"), taken as they are."""
_END = re.compile(r"(?<![\s.!?])[\s.!?]+$")


@dataclass(frozen=True, slots=True)
class PersonalStyle:
    """How one person writes; shares of their messages, 0 to 1."""

    capital: float
    """Messages that begin with a capital letter."""
    question_mark: float
    """Questions that end in a question mark."""
    stop_short: float
    """Other messages of up to three words that end in a full stop ..."""
    stop_long: float
    """... and longer ones."""
    again: float
    """Messages that repeat an earlier one of the same dialogue and act, of those that could."""
    goodbye: bool
    """Whether their last message was a goodbye."""
    answered: int
    """Messages of a dialogue that the agent answered; what an agenda holds."""
    asks: int
    """Binary logarithm of how much more often they ask than others who do the same acts, -2 to 2."""
    polite: int
    """The same of please and thanks."""
    verbosity: int
    """Length beside others' messages of the same act, in half standard deviations, -2 to 2."""
    exclaims: float | None = None
    """Messages other than questions that end in an exclamation mark; None (users of earlier versions): as in the wording."""

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
        if self.exclaims is None and "!" in marks:
            return text
        if self.exclaims is not None:
            if rng.share() < self.exclaims:
                return bare + (marks if "!" in marks else "!")
            marks = marks.replace("!", "")
        rate = self.stop_short if len(text.split()) <= FEW_WORDS else self.stop_long
        return bare + (marks or ".") if rng.share() < rate else bare

    @property
    def preferences(self) -> tuple[int, int, int]:
        """Which wordings this person prefers: those who agree in it choose from the same tables."""
        return self.asks, self.polite, self.verbosity

    def to_json(self) -> JsonValue:
        """As a list of numbers, in the order of the fields."""
        return list(astuple(self))

    @classmethod
    def from_json(cls, data: Any) -> "PersonalStyle":
        """Inverse of ``to_json``; ValueError or TypeError for anything else."""
        capital, question_mark, stop_short, stop_long, again, goodbye, answered, asks, polite, verbosity, *rest = data
        (exclaims,) = rest or (None,)
        found = cls(
            capital=float(capital),
            question_mark=float(question_mark),
            stop_short=float(stop_short),
            stop_long=float(stop_long),
            again=float(again),
            goodbye=bool(goodbye),
            answered=int(answered),
            asks=int(asks),
            polite=int(polite),
            verbosity=int(verbosity),
            exclaims=None if exclaims is None else float(exclaims),
        )
        rates = (
            found.capital,
            found.question_mark,
            found.stop_short,
            found.stop_long,
            found.again,
            found.exclaims or 0.0,
        )
        if not all(0 <= each <= 1 for each in rates) or max(map(abs, found.preferences)) > LEVELS or found.answered < 1:
            raise ValueError(f"no style: {data!r}")
        return found


def preference_for(text: str, preferences: tuple[int, int, int]) -> float:
    """How much likelier somebody with these preferences is to word an act so, its length aside."""
    asks, polite, _ = preferences
    return 2.0 ** (asks * is_question(text) + polite * is_polite(text))


def is_polite(text: str) -> bool:
    """Whether a message says please or thanks."""
    return _POLITE.search(text) is not None


def is_question(text: str) -> bool:
    """Whether a message asks, with or without a question mark.

    >>> [is_question(text) for text in ("who directed it", "Another one?", "I like it")]
    [True, True, False]
    """
    return text.rstrip().endswith("?") or _QUESTION.search(text) is not None


def fit_styles(dialogues: Iterable[Dialogue], space: ActionSpace = KDD2020) -> tuple[PersonalStyle, ...]:
    """The style of each person who wrote three messages or more, in order of appearance.

    Args:
        dialogues: dialogues of real users; messages without an act are compared in length with one another.
        space: which label is a goodbye, and which labels of the agent answer one of the user.
    """
    people: defaultdict[str, _Person] = defaultdict(_Person)
    for dialogue in dialogues:
        people[dialogue.cluster].add(dialogue, space)
    others: defaultdict[str, list[str]] = defaultdict(list)
    for person in people.values():
        for label, text in person.messages:
            others[label].append(text)
    everything = _Rates.of(
        [text for person in people.values() for _, text in person.messages],
        [each for person in people.values() for each in person.repeats],
    )
    return tuple(
        _style(person, others, everything) for person in people.values() if len(person.messages) >= MIN_MESSAGES
    )


@dataclass(slots=True)
class _Person:
    """What one person wrote."""

    messages: list[tuple[str, str]] = field(default_factory=list)
    """Label and text of each message with a letter."""
    repeats: list[bool] = field(default_factory=list)
    """Of messages of an act that the dialogue had before: whether the text was the same."""
    answered: int = 0
    dialogues: int = 0
    goodbye: bool = False

    def add(self, dialogue: Dialogue, space: ActionSpace) -> None:
        """Add a dialogue; the last one says whether the person takes leave."""
        before: defaultdict[str, set[str]] = defaultdict(set)
        label = ""
        for said in dialogue.utterances:
            intent = next((act.intent for act in said.acts or () if act.intent), "")
            if said.speaker == "system":
                self.answered += bool(label) and space.accepts(label, intent or None)
                label = ""
                continue
            label = intent
            if not _LETTER.search(said.text):
                continue
            self.messages.append((label, said.text))
            if before[label]:
                self.repeats.append(said.text.lower() in before[label])
            before[label].add(said.text.lower())
            self.goodbye = label == space.roles.complete
        self.dialogues += 1


@dataclass(frozen=True, slots=True)
class _Rates:
    """Counts (k of n) of a person's habits."""

    capital: tuple[int, int]
    question_mark: tuple[int, int]
    stop_short: tuple[int, int]
    stop_long: tuple[int, int]
    again: tuple[int, int]
    exclaims: tuple[int, int]

    @classmethod
    def of(cls, texts: Sequence[str], repeats: Sequence[bool]) -> "_Rates":
        asked = [text for text in texts if is_question(text)]
        rest = [text for text in texts if not is_question(text) and not text.rstrip().endswith("!")]
        short = [text for text in rest if len(text.split()) <= FEW_WORDS]
        long = [text for text in rest if len(text.split()) > FEW_WORDS]
        begins = [text for text in texts if _LETTER.match(text)]
        return cls(
            (sum(text[0].isupper() for text in begins), len(begins)),
            (sum(text.rstrip().endswith("?") for text in asked), len(asked)),
            (sum(text.rstrip().endswith(".") for text in short), len(short)),
            (sum(text.rstrip().endswith(".") for text in long), len(long)),
            (sum(repeats), len(repeats)),
            (sum("!" in _marks(text) for text in texts if not is_question(text)), len(texts) - len(asked)),
        )


def _marks(text: str) -> str:
    """Last marks of a message."""
    ending = _END.search(text)
    return ending[0] if ending else ""


def _style(person: _Person, others: Mapping[str, Sequence[str]], everything: _Rates) -> PersonalStyle:
    own = _Rates.of([text for _, text in person.messages], person.repeats)
    scores = [
        _standard_score(len(text.split()), [len(each.split()) for each in others[label]])
        for label, text in person.messages
    ]
    mean = sum(scores) / (len(scores) + PRIOR)
    return PersonalStyle(
        capital=_shrunk(own.capital, everything.capital),
        question_mark=_shrunk(own.question_mark, everything.question_mark),
        stop_short=_shrunk(own.stop_short, everything.stop_short),
        stop_long=_shrunk(own.stop_long, everything.stop_long),
        again=_shrunk(own.again, everything.again),
        goodbye=person.goodbye,
        answered=max(1, round(person.answered / person.dialogues)),
        asks=_preference(person, others, is_question),
        polite=_preference(person, others, is_polite),
        verbosity=_level(mean / STEP),
        exclaims=_shrunk(own.exclaims, everything.exclaims),
    )


def _preference(person: _Person, others: Mapping[str, Sequence[str]], is_such: Callable[[str], bool]) -> int:
    """Binary logarithm of a person's such messages over all people's for the same acts, half of one more of either."""
    own = sum(is_such(text) for _, text in person.messages)
    usual = sum(sum(map(is_such, others[label])) / len(others[label]) for label, _ in person.messages)
    return _level(log2((own + HALF) / (usual + HALF)))


def _level(value: float) -> int:
    return max(-LEVELS, min(LEVELS, round(value)))


def _shrunk(own: tuple[int, int], everything: tuple[int, int]) -> float:
    rate = everything[0] / everything[1] if everything[1] else 0.0
    return round((own[0] + PRIOR * rate) / (own[1] + PRIOR), 4)


def _standard_score(length: int, others: Sequence[int]) -> float:
    """Standard deviations of an act's lengths above their mean; 0 where all are equal."""
    mean = sum(others) / len(others)
    spread = (sum((other - mean) ** 2 for other in others) / len(others)) ** 0.5
    return (length - mean) / spread if spread else 0.0
