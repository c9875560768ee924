"""Sparse TF-IDF features: word 1- to 3-grams, character 2- to 5-grams inside words, optionally context.

Implemented here instead of using scikit-learn, so that labelling needs neither scikit-learn nor pickles, and because the
character n-grams of a word depend on the word alone: they are looked up once per distinct word. The weights are those of
scikit-learn's ``TfidfVectorizer(sublinear_tf=True, min_df=2)``, each block of unit length.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trialogue.strategies.base import Context, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix: TypeAlias = csr_array

FIRST, LAST = "xxbos", "xxeos"  # stand for the beginning and the end of a sentence
YEAR, NUMBER = "xxyear", "xxnum"
WORD_SIZES, CHARACTER_SIZES = (1, 2, 3), (2, 3, 4, 5)
MIN_SENTENCES = 2  # a term of one training sentence says more about that sentence than about a strategy
MAX_REMEMBERED = 200_000  # distinct words whose character n-grams are remembered
POSITIONS = (1, 2, 3, 5, 8)  # turns before a sentence: steps of its position in the dialogue

_YEARS = re.compile(r"\b(?:19|20)\d\d\b")
_NUMBERS = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W_]+|[?!.,]")

Terms: TypeAlias = Callable[[str], list[str]]


def fold(text: str) -> str:
    """Normalise a text: lower case, straight quotes, placeholders for years and other numbers.

    >>> fold("It’s 8.1 on IMDb (1994)")
    "it's xxnum.xxnum on imdb (xxyear)"
    """
    return _NUMBERS.sub(NUMBER, _YEARS.sub(YEAR, text.lower().replace("’", "'").replace("‘", "'")))


def words(text: str) -> list[str]:
    """Words of a normalised text between boundary tokens; ``? ! . ,`` are words, too.

    >>> words("seen it?")
    ['xxbos', 'seen', 'it', '?', 'xxeos']
    """
    return [FIRST, *_WORDS.findall(text), LAST]


def word_terms(text: str) -> list[str]:
    """Word 1- to 3-grams of a normalised text, boundary tokens included."""
    tokens = words(text)
    return [" ".join(tokens[at : at + n]) for n in WORD_SIZES for at in range(len(tokens) - n + 1)]


def character_terms(word: str) -> list[str]:
    """Character 2- to 5-grams of one padded word; a word shorter than n yields itself once.

    >>> character_terms("hi")
    [' h', 'hi', 'i ', ' hi', 'hi ', ' hi ']
    """
    padded = f" {word} "
    terms: list[str] = []
    for n in CHARACTER_SIZES:
        terms.extend(padded[at : at + n] for at in range(max(1, len(padded) - n + 1)))
        if len(padded) <= n:
            break
    return terms


def context_terms(context: Context) -> list[str]:
    """Words and bigrams of the last message of either side, and the position in the dialogue.

    ``user:`` and ``system:`` mark whose words they are; ``last:`` says who spoke last, ``turn:`` how many messages are
    known before, in steps. No context is the beginning of a dialogue.
    """
    terms = [f"turn:{sum(len(context) >= step for step in POSITIONS)}", f"last:{context[-1][0] if context else 'none'}"]
    for speaker in ("user", "system"):
        said = next((text for who, text in reversed(context) if who == speaker), None)
        if said is not None:
            tokens = words(fold(said))
            terms += [f"{speaker}:{' '.join(tokens[at : at + n])}" for n in (1, 2) for at in range(len(tokens) - n + 1)]
    return terms


@dataclass(frozen=True, eq=False)
class Block:
    """Terms of one kind, with their inverse document frequencies."""

    terms: tuple[str, ...]
    idf: Floats
    """ln((1 + n) / (1 + sentences with the term)) + 1, shape (n_terms,)."""
    index: dict[str, int] = field(repr=False)
    """Column of each term."""

    @classmethod
    def from_terms(cls, terms: Sequence[str], idf: Floats) -> "Block":
        """Create from sorted terms."""
        return cls(tuple(terms), idf, {term: column for column, term in enumerate(terms)})

    @classmethod
    def fit(cls, documents: Iterable[Iterable[str]]) -> "Block":
        """Fit to documents: terms in at least two of them (in one, if no term occurs in two)."""
        counts: Counter[str] = Counter()
        n = 0
        for document in documents:
            counts.update(set(document))
            n += 1
        kept = sorted(term for term, count in counts.items() if count >= MIN_SENTENCES) or sorted(counts)
        frequency = np.array([counts[term] for term in kept], dtype=np.float64)
        return cls.from_terms(kept, np.log((1 + n) / (1 + frequency)) + 1)

    def matrix(self, rows: Sequence[list[int]]) -> "Matrix":
        """Unit vectors, shape (n, n_terms), from rows of term columns with repetitions."""
        from scipy.sparse import csr_array

        starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int32)
        columns = np.fromiter((column for row in rows for column in row), dtype=np.int32, count=int(starts[-1]))
        matrix = csr_array((np.ones(len(columns)), columns, starts), shape=(len(rows), len(self.terms)))
        matrix.sum_duplicates()
        matrix.data = (1 + np.log(matrix.data)) * self.idf[matrix.indices]
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1))).ravel()
        matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(matrix.indptr))
        return matrix


@dataclass(frozen=True, eq=False)
class Vectors:
    """TF-IDF vectoriser: a block of words, one of characters and optionally one of context."""

    word: Block
    """Word n-grams."""
    character: Block
    """Character n-grams."""
    context: Block | None = None
    """Vectoriser of the history; None: not used."""
    _known: dict[str, list[int]] = field(default_factory=dict, repr=False)

    @classmethod
    def fit(cls, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> "Vectors":
        """Fit to sentences (and contexts)."""
        clean = [fold(text) for text in texts]
        grams: dict[str, list[str]] = {}
        for word in {word for text in clean for word in text.split()}:
            grams[word] = character_terms(word)
        return cls(
            Block.fit(word_terms(text) for text in clean),
            Block.fit([term for word in text.split() for term in grams[word]] for text in clean),
            None if contexts is None else Block.fit(context_terms(context) for context in contexts),
        )

    def matrix(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> "Matrix":
        """The vectors, shape (n, n_terms); each block of each row has length 1, or 0 if it holds no known term."""
        from scipy.sparse import csr_array, hstack

        clean = [fold(text) for text in texts]
        blocks = [
            self.word.matrix([_columns(word_terms(text), self.word.index) for text in clean]),
            self.character.matrix(
                [[column for word in text.split() for column in self._columns_of(word)] for text in clean]
            ),
        ]
        if self.context is not None:
            known = self.context.index
            said = contexts if contexts is not None else [()] * len(clean)
            blocks.append(self.context.matrix([_columns(context_terms(context), known) for context in said]))
        return csr_array(hstack(blocks, format="csr"))

    def _columns_of(self, word: str) -> list[int]:
        columns = self._known.get(word)
        if columns is None:
            columns = _columns(character_terms(word), self.character.index)
            if len(self._known) < MAX_REMEMBERED:
                self._known[word] = columns
        return columns

    @property
    def size(self) -> int:
        """Total number of terms."""
        return sum(len(block.terms) for block in (self.word, self.character, self.context) if block is not None)


def _columns(terms: Iterable[str], index: dict[str, int]) -> list[int]:
    return [index[term] for term in terms if term in index]
