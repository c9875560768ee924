"""Features of the user's side of a dialogue, for comparing real and simulated users.

Only the user's words and the rhythm of the dialogue are used, since the system's words are not the simulator's. In scripts
without spaces, every character is a word.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from trialogue.languages import with_spaces
from trialogue.metrics.dialogue.acts import label_of
from trialogue.records import Dialogue
from trialogue.strategies.next_strategy.sequence import user_act

_WORD = re.compile(r"[\w']+")
_CONTRACTED = re.compile(r"\b\w+'\w+\b")
_POLITE = re.compile(r"\b(please|thanks?|thank you|thx)\b")
SHORT = 3  # words


@dataclass(frozen=True)
class UserTurns:
    """The user's turns, and the length of the dialogue."""

    turns: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    utterances: int


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _share(said: UserTurns, found: Callable[[str], object]) -> float:
    return _mean([float(bool(found(text))) for text in said.turns])


def _variety(said: UserTurns) -> float:
    words = [word for turn in said.words for word in turn]
    return len(set(words)) / len(words) if words else 0.0


def _word_overlap(said: UserTurns) -> float:
    sets = [set(turn) for turn in said.words]
    return _mean([len(a & b) / max(1, len(a | b)) for a, b in pairwise(sets)])


def _repetition(said: UserTurns) -> float:
    texts = [" ".join(turn) for turn in said.words]
    return 1 - len(set(texts)) / len(texts) if texts else 0.0


def _spread(said: UserTurns) -> float:
    """Standard deviation of the words of a turn: people are now short, now long."""
    sizes = [len(turn) for turn in said.words]
    mean = _mean([float(size) for size in sizes])
    return float(_mean([(size - mean) ** 2 for size in sizes]) ** 0.5)


def _ends(text: str) -> bool:
    return text.rstrip().endswith((".", "!", "?"))


def _begins(text: str) -> bool:
    return text.lstrip()[:1].isupper()


FEATURES: Mapping[str, tuple[str, Callable[[UserTurns], float]]] = {
    "turns": ("user turns", lambda said: float(len(said.turns))),
    "user_share": (
        "share of the utterances that are the user's",
        lambda said: len(said.turns) / max(1, said.utterances),
    ),
    "words": ("words per user turn", lambda said: _mean([float(len(turn)) for turn in said.words])),
    "words_spread": ("standard deviation of the words of a turn", _spread),
    "first_words": ("words of the first turn", lambda said: float(len(said.words[0])) if said.words else 0.0),
    "last_words": ("words of the last turn", lambda said: float(len(said.words[-1])) if said.words else 0.0),
    "short": (
        f"share of turns with fewer than {SHORT} words",
        lambda said: _mean([float(len(turn) < SHORT) for turn in said.words]),
    ),
    "variety": ("distinct words over all words of the user", _variety),
    "letters": ("letters per word", lambda said: _mean([float(len(word)) for turn in said.words for word in turn])),
    "likeness": ("words shared by consecutive turns", _word_overlap),
    "again": ("share of turns repeated word for word", _repetition),
    "questions": ("share of turns with a question mark", lambda said: _share(said, lambda text: "?" in text)),
    "exclaims": ("share of turns with an exclamation mark", lambda said: _share(said, lambda text: "!" in text)),
    "stops": (
        "share of turns that end with . ! or ?",
        lambda said: _share(said, _ends),
    ),
    "capital": (
        "share of turns that begin with a capital letter",
        lambda said: _share(said, _begins),
    ),
    "digits": ("share of turns with a digit", lambda said: _share(said, lambda text: any(map(str.isdigit, text)))),
    "contracted": (
        "share of turns with a contraction (don't)",
        lambda said: _share(said, lambda text: _CONTRACTED.search(text.replace("’", "'"))),
    ),
    "polite": (
        "share of turns with please or thanks",
        lambda said: _share(said, lambda text: _POLITE.search(text.lower())),
    ),
}
"""By name: what it is, and the number."""


def user_turns_of(dialogue: Dialogue) -> UserTurns:
    """The user's side of a dialogue; consecutive utterances are separate turns, as in the corpus."""
    turns = tuple(each.text for each in dialogue.utterances if each.speaker == "user")
    words = tuple(tuple(_WORD.findall(with_spaces(text).lower())) for text in turns)
    return UserTurns(turns, words, len(dialogue.utterances))


def has_words(dialogue: Dialogue) -> bool:
    """Whether the user says a word; otherwise features are meaningless."""
    return any(each.speaker == "user" and _WORD.search(each.text) for each in dialogue.utterances)


def features_of(dialogue: Dialogue) -> list[float]:
    """All features, in the order of ``FEATURES``; finite for any dialogue, meaningful if the user ``has_words``."""
    said = user_turns_of(dialogue)
    return [function(said) for _, function in FEATURES.values()]


def is_annotated(dialogues: Sequence[Dialogue]) -> bool:
    """Whether all dialogues have annotated user acts."""
    return all(
        any(label_of(each) is not None for each in dialogue.utterances if each.speaker == "user")
        for dialogue in dialogues
    )


def acts_of(dialogue: Dialogue, *, from_labels: bool) -> Counter[str]:
    """User-act counts: annotated, or recognised from the text of each turn."""
    if from_labels:
        labels = [label_of(each) for each in dialogue.utterances if each.speaker == "user"]
        return Counter(label for label in labels if label is not None)
    turns = [
        list(run) for speaker, run in groupby(dialogue.utterances, key=lambda each: each.speaker) if speaker == "user"
    ]
    return Counter(user_act(turn) for turn in turns)
