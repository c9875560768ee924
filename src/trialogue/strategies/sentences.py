"""Split utterances into sentences, the unit that strategies belong to, and combine sentence beliefs per utterance.

Chat differs from prose: sentences start in lower case, end in a smiley or nothing, or are bullet points on their own lines.
The rules are few and fixed; no model and no language data are needed.

Check that texts are in a language that the model supports.

It would label texts in any other language as well, wrongly and without a warning.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.languages import ENGLISH, LanguageGuess, TextSample, count_words, language_name, language_of
from trialogue.strategies.base import Example, Floats, StrategyClassifier

Combine: TypeAlias = Literal["mean", "first", "last", "longest"]
"""Combination of sentence distributions into the utterance's."""

COMBINE: dict[str, str] = {
    "mean": "the mean over its sentences, as if one of them were drawn at random",
    "first": "that of its first sentence",
    "last": "that of its last sentence",
    "longest": "that of its longest sentence, counted in words; the first of several",
}

ABBREVIATIONS = frozenset(
    "mr mrs ms dr st jr sr vs vol feat ft approx".split()  # noqa: SIM905 - reads better
)
"""Words after which a full stop ends no sentence. Not "no": it is an answer more often than a number."""

MAX_ITEM_WORDS = 8  # of an item in a list that is no sentence but a title or a name

_MARK = re.compile(r"^\s*(?:[-*•·–]|#+|\(?\d{1,2}(?:[.):]|\s(?=\s)))\s+")  # a bullet, a number in a list, or a heading
_END = re.compile(
    r"""
    (?<![.!?…])(?P<stop>[.!?…]++[\"'”’)\]*_]*+  # what ends a sentence, and what closes behind it; each row is read once
    (?:\s+[^\w\s\"'“‘(\[*.!?…]+(?=\s|$))*)  # smileys
    (?:\s+|$|(?=[A-Z][a-z]))            # then a blank, the end, or a word that begins with a capital: "though.Would"
    """,
    re.VERBOSE,
)
_MARKS = re.compile(r"[.!?…]+")
_LETTERS = re.compile(r"[a-z](?:\.[a-z])+")  # e.g, p.m, A.I
LONGEST_WORD = 40  # letters looked back on from a full stop: no abbreviation is as long


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without surrounding blanks and list marks.

    A line break ends a sentence. A full stop does not after an abbreviation ("Dr. Sleep"), an initial ("Samuel L.
    Jackson"), letters with full stops ("A.I.") or, if it is a row of dots, before a small letter. Pieces without a letter
    or digit (smileys) go with the sentence before. A text without any letter or digit is one sentence if it is not blank;
    a blank one has none. Items of a list that are mere names make up one sentence, together with the line that announces
    them by a colon; otherwise a list of ten titles would outvote the sentence that says what they are.

    >>> sentences("Great choice! :) It stars Samuel L. Jackson... and he is funny. have you seen it?")
    ['Great choice! :)', 'It stars Samuel L. Jackson... and he is funny.', 'have you seen it?']
    >>> sentences("You could watch:\\n1. Coco (2017)\\n2. Up (2009)\\nEnjoy!")
    ['You could watch: Coco (2017), Up (2009)', 'Enjoy!']
    """
    whole: list[str] = []
    in_list = False
    for line in filter(str.strip, text.splitlines()):
        bare = _MARK.sub("", line).strip()
        was_in_list, in_list = in_list, _is_item(line, bare)
        if in_list and whole and (was_in_list or whole[-1].endswith(":")):
            whole[-1] += f", {bare}" if was_in_list else f" {bare}"
        else:
            _add(whole, [bare] if in_list else _pieces(bare))
    return whole


def _is_item(line: str, bare: str) -> bool:
    """Whether a line is an item of a list and no sentence."""
    is_marked = _MARK.match(line) is not None and not line.lstrip().startswith("#")
    return is_marked and 0 < len(bare.split()) <= MAX_ITEM_WORDS and bare[-1] not in ".?:"


def _add(whole: list[str], pieces: list[str]) -> None:
    for piece in pieces:
        if whole and not any(character.isalnum() for character in piece):
            whole[-1] += f" {piece}"
        else:
            whole.append(piece)


def _pieces(line: str) -> list[str]:
    found, start = [], 0
    for end in _END.finditer(line):
        before = line[max(start, end.start() - LONGEST_WORD) : end.start()]
        if _ends(before, end["stop"], line[end.end() : end.end() + 1]):
            found.append(line[start : end.end("stop")])
            start = end.end()
    return [piece for piece in (piece.strip() for piece in (*found, line[start:])) if piece]


def _ends(before: str, stop: str, after: str) -> bool:
    """Whether a stop ends a sentence, from what stands before it and the character behind it ("" at the end)."""
    marks = _MARKS.match(stop)
    dots = marks.group() if marks else stop
    if "!" in dots or "?" in dots:
        return not (stop[len(dots) :][:1].strip() and after[:1].islower())  # not in: He said "wow!" and left.
    if len(dots) > 1 or dots == "…":
        return not after[:1].islower()
    last = before.rsplit(maxsplit=1)[-1:] if before[-1:].strip() else []
    word = last[0].lower().lstrip("(\"'“‘*") if last else ""
    return not (after and (word in ABBREVIATIONS or _LETTERS.fullmatch(word) or _is_initial(before, word)))


def _is_initial(before: str, word: str) -> bool:
    return len(word) == 1 and word.isalpha() and before[-1:].isupper() and word != "i"


def check_combine(combine: str) -> None:
    """Raise UsageError unless it is a way to combine sentences."""
    if combine not in get_args(Combine):
        raise UsageError(f"combine must be {', '.join(get_args(Combine))}, got {combine!r}.")


def combine_sentences(probabilities: Floats, texts: Sequence[str], combine: Combine) -> Floats:
    """The distribution of an utterance, shape (n_classes,), from those of its sentences, shape (n, n_classes).

    >>> combine_sentences(np.array([[0.5, 0.5], [1.0, 0.0]]), ["Hi.", "It stars Brad Pitt."], "mean").tolist()
    [0.75, 0.25]
    """
    if combine == "mean":
        return np.asarray(probabilities.mean(axis=0), dtype=np.float64)
    if combine == "longest":
        return np.asarray(probabilities[int(np.argmax([len(text.split()) for text in texts]))])
    return np.asarray(probabilities[0 if combine == "first" else -1])


SURE_WORDS = 100  # of one speaker, after which the language is fixed; of fewer, at the end


def languages_of(labeller: StrategyClassifier) -> tuple[str, ...] | None:
    """ISO 639 codes of the languages that a labeller supports; English by default, None for any."""
    languages: tuple[str, ...] | None = getattr(labeller, "languages", ENGLISH)
    return languages


def languages_in(examples: Iterable[Example]) -> tuple[str, ...] | None:
    """Languages of training data: one, None if there are several, English if unidentified."""
    guess = language_of(example.text for example in examples)
    if guess.code is None:
        return ENGLISH
    return (guess.code,) if guess.is_clear else None


class LanguageCheck:
    """Checks the language of each speaker incrementally, and raises if the model does not support it."""

    def __init__(self, labeller: StrategyClassifier) -> None:
        self._made_for, self._origin = languages_of(labeller), labeller.origin
        self._speakers: dict[str | None, _Speaker] = {}

    def hear(self, who: str | None, texts: Iterable[str]) -> None:
        """Add texts of a speaker (None: unknown); duplicates count once.

        Raises:
            DataError: it makes a hundred words or more, in another language.
        """
        if self._made_for is None:
            return
        speaker = self._speakers.setdefault(who, _Speaker())
        for text in texts:
            speaker.add(text)
        if speaker.words >= SURE_WORDS and not speaker.is_known:
            self._check(who, speaker)

    def finish(self) -> None:
        """Check the remaining speakers with little text; too little to identify is accepted.

        Raises:
            DataError: somebody said twenty words or more in another language.
        """
        for who, speaker in self._speakers.items():
            if not speaker.is_known:
                self._check(who, speaker)

    def _check(self, who: str | None, speaker: "_Speaker") -> None:
        guess = speaker.settle()
        if self._made_for is None or guess.code is None or (guess.code in self._made_for and guess.is_clear):
            return
        language = language_name(guess.code) if guess.is_clear else "several languages"
        made_for = " and ".join(map(language_name, self._made_for))
        what = (
            f"{who or 'This text'} is in {language} ({guess.words} words), and {self._origin} is a model for "
            f"{made_for}."
        )
        hint = "To use the model anyway, add --set any_language=true (Python: any_language=True)."
        raise DataError(Problem(what, hint=hint))


class _Speaker:
    """Texts of one speaker, until the language is known."""

    def __init__(self) -> None:
        self.words = 0
        self.is_known = False
        self._texts: set[str] = set()
        self._sample = TextSample()

    def add(self, text: str) -> None:
        if not self.is_known and text not in self._texts:
            self._texts.add(text)
            self._sample.add(text)
            self.words += count_words(text)

    def settle(self) -> LanguageGuess:
        """The language; nothing more is taken in."""
        self.is_known = True
        self._texts.clear()
        return self._sample.guess()
